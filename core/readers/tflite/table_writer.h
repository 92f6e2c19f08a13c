// Tables of a FlatBuffers file to be written, see flatbuffer.h.
#ifndef QUANTGATE_CORE_READERS_TFLITE_TABLE_WRITER_H_
#define QUANTGATE_CORE_READERS_TFLITE_TABLE_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace quantgate::flatbuffer {

class NewTable {
 public:
  // Fields are called by their numbers, from 0, and set once each.
  template <typename T>
  void Set(int field, T value) {
    static_assert(std::is_arithmetic_v<T>);
    fields_.push_back({field, std::string(reinterpret_cast<const char*>(&value), sizeof(T))});
  }
  void Text(int field, std::string_view text);
  // Raw bytes, at a multiple of `align` of the file.
  void Bytes(int field, std::string bytes, size_t align);
  template <typename T>
  void List(int field, const std::vector<T>& values) {
    Part& part = AddPart(field);
    part.bytes.assign(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    part.count = static_cast<uint32_t>(values.size());
    part.align = sizeof(T);
  }
  NewTable& Sub(int field);
  void Add(int field, std::vector<NewTable> tables);
  // Stands for a table, a text or a list of a file that the new one is put before.
  static NewTable Old(uint64_t position);

  // The whole file, of which this table is the root.
  std::string File(std::string_view identifier) const;
  // What comes before the bytes of an old file, which stays as it is behind it. Moves them by a
  // multiple of kOldAlign: what was aligned stays so.
  static constexpr size_t kOldAlign = 64;
  std::string FileBefore(std::string_view identifier) const;

 private:
  // What a field refers to: a list, a table, or a list of tables.
  struct Part {
    std::string bytes;
    uint32_t count = 0;
    size_t align = 1;
    bool has_end_byte = false;  // of a text
    bool is_list = true;
    std::vector<NewTable> tables;
  };
  struct Field {
    int number = 0;
    std::string bytes;            // of a number
    std::unique_ptr<Part> part = nullptr;  // else
  };

  Part& AddPart(int field);
  // Offsets that lead into the old file: where they stand, and to which of its bytes.
  using OldPlaces = std::vector<std::pair<size_t, uint64_t>>;
  // Appends the table, then what it refers to; where it stands.
  size_t Write(std::string& out, OldPlaces& old) const;
  static size_t Write(const Part& part, std::string& out, OldPlaces& old);
  // Writes the table and lets the offset at `at` lead there.
  static void WriteReferred(const NewTable& table, size_t at, std::string& out, OldPlaces& old);

  std::vector<Field> fields_;
  std::optional<uint64_t> old_;  // of what stands in the old file
};

}  // namespace quantgate::flatbuffer

#endif  // QUANTGATE_CORE_READERS_TFLITE_TABLE_WRITER_H_
