// Tables and vectors of a FlatBuffers file as views of its bytes, read where they stand: every access
// is checked against the file, none copies.
//
// Not the library's: its verifier walks the whole file before a field is read, knows no file over
// 2 GiB, and refuses alignments that TensorFlow's own loader accepts.
#ifndef QUANTGATE_CORE_READERS_TFLITE_FLATBUFFER_H_
#define QUANTGATE_CORE_READERS_TFLITE_FLATBUFFER_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace quantgate::flatbuffer {

// An offset that leads out of the file, or tables that are referred to so often that reading them
// would take memory out of proportion to the file. `at` is a byte of the file.
struct Broken : std::runtime_error {
  Broken(uint64_t byte, const std::string& reason) : std::runtime_error(reason), at(byte) {}
  uint64_t at;
};

class Table;

// The bytes, and how much may still be read of them.
class File {
 public:
  // What every part of a file may be referred to on average: writers share strings and shapes.
  static constexpr uint64_t kMaxReferences = 8;

  explicit File(std::string_view bytes);

  Table Root() const;
  std::string_view bytes() const { return bytes_; }

  template <typename T>
  T At(uint64_t position) const {
    if (position + sizeof(T) > bytes_.size()) ThrowOutside(position);
    T value;
    std::memcpy(&value, bytes_.data() + position, sizeof(T));
    return value;
  }
  // Where the offset at `position` leads.
  uint64_t Follow(uint64_t position) const { return position + At<uint32_t>(position); }
  // The `size` bytes at `position` are there, and will be read.
  void Charge(uint64_t position, uint64_t size) const;
  // What is made of the part at `position` takes about `size` bytes.
  void Spend(uint64_t position, uint64_t size) const;
  [[noreturn]] void ThrowOutside(uint64_t position) const;

 private:
  std::string_view bytes_;
  mutable uint64_t left_;
};

template <typename T>
class Vector {
 public:
  Vector() = default;
  Vector(const File& file, uint64_t position) : file_(&file), begin_(position + sizeof(uint32_t)) {
    size_ = file.At<uint32_t>(position);
    file.Charge(position, uint64_t{size_} * sizeof(T) + sizeof(uint32_t));
  }
  uint32_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  uint64_t begin() const { return begin_; }  // the byte of the file where its elements begin
  T operator[](uint32_t i) const { return file_->At<T>(begin_ + uint64_t{i} * sizeof(T)); }

 private:
  const File* file_ = nullptr;
  uint64_t begin_ = 0;
  uint32_t size_ = 0;
};

class Tables;

// Fields are called by their numbers, from 0; an absent one has its default.
class Table {
 public:
  Table(const File& file, uint64_t position);

  uint64_t position() const { return position_; }

  template <typename T>
  T Get(int field, T fallback) const {
    const uint64_t at = Field(field);
    return at == 0 ? fallback : file_->At<T>(at);
  }
  bool Has(int field) const { return Field(field) != 0; }
  // The byte of the file where the field stands; 0 = absent.
  uint64_t Where(int field) const { return Field(field); }
  // The byte where what an offset leads to stands; 0 = absent.
  uint64_t Target(int field) const {
    const uint64_t at = Field(field);
    return at == 0 ? 0 : file_->Follow(at);
  }
  // One more than the highest number that a field of it can have.
  int field_count() const { return field_bytes_ / static_cast<int>(sizeof(uint16_t)); }
  std::optional<Table> Sub(int field) const;
  Tables All(int field) const;
  template <typename T>
  Vector<T> List(int field) const {
    const uint64_t at = Field(field);
    return at == 0 ? Vector<T>() : Vector<T>(*file_, file_->Follow(at));
  }
  std::string_view Text(int field) const;
  // Bytes of a vector that is not read, only looked at.
  std::string_view Raw(int field) const;

 private:
  // Where a field stands; 0 = absent.
  uint64_t Field(int field) const;

  const File* file_;
  uint64_t position_, fields_ = 0;
  uint16_t field_bytes_ = 0;
};

// A vector of tables.
class Tables {
 public:
  Tables() = default;
  Tables(const File& file, uint64_t position)
      : file_(&file), position_(position), offsets_(file, position) {}
  uint32_t size() const { return offsets_.size(); }
  Table operator[](uint32_t i) const {
    const uint64_t at = position_ + sizeof(uint32_t) * (uint64_t{i} + 1);
    return {*file_, file_->Follow(at)};
  }

 private:
  const File* file_ = nullptr;
  uint64_t position_ = 0;
  Vector<uint32_t> offsets_;
};

}  // namespace quantgate::flatbuffer

#endif  // QUANTGATE_CORE_READERS_TFLITE_FLATBUFFER_H_
