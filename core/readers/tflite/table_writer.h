// Tables of a FlatBuffers file to be written, see flatbuffer.h.
#ifndef QUANTGATE_CORE_READERS_TFLITE_TABLE_WRITER_H_
#define QUANTGATE_CORE_READERS_TFLITE_TABLE_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
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

  // The whole file, of which this table is the root.
  std::string File(std::string_view identifier) const;

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
  // Appends the table, then what it refers to; where it stands.
  size_t Write(std::string& out) const;
  static size_t Write(const Part& part, std::string& out);

  std::vector<Field> fields_;
};

}  // namespace quantgate::flatbuffer

#endif  // QUANTGATE_CORE_READERS_TFLITE_TABLE_WRITER_H_
