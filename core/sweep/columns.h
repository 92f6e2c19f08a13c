// Rows into columns, and columns as Arrow arrays.
#ifndef QUANTGATE_CORE_SWEEP_COLUMNS_H_
#define QUANTGATE_CORE_SWEEP_COLUMNS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quantgate/arrow_c.h"

namespace quantgate::sweep {

enum class Type : uint8_t { kText, kInteger, kFlag };

struct Field {
  const char* name;
  Type type;
  bool nullable = true;
};

// Buffers as Arrow wants them: offsets begin with 0, flags and validity are bits, lowest first.
struct Column {
  Type type = Type::kText;
  int64_t nulls = 0;
  std::vector<uint8_t> valid;
  std::vector<int32_t> offsets;
  std::string text;
  std::vector<int64_t> integers;
  std::vector<uint8_t> flags;
};

struct Batch {
  int64_t rows = 0;
  std::vector<Column> columns;
};
using Batches = std::vector<std::shared_ptr<const Batch>>;

// Takes rows value by value, in the order of the fields, which outlive it.
class TableBuilder {
 public:
  explicit TableBuilder(std::span<const Field> fields) : fields_(fields) { Begin(); }

  void Text(std::string_view value);  // bytes that aren't UTF-8 become U+FFFD
  void TextOrNull(std::string_view value) { value.empty() ? Null() : Text(value); }
  void Integer(int64_t value);
  void Flag(bool value);
  void Null();
  // All fields have their value. Long before offsets of 32 bits are too short a new batch begins.
  void EndRow();

  Batches Finish();

 private:
  void Begin();
  Column& Next(Type type, bool valid);

  std::span<const Field> fields_;
  Batch batch_;
  size_t at_ = 0, bytes_ = 0;
  Batches done_;
};

// A stream of `batches` that shares them.
void ExportBatches(std::span<const Field> fields, Batches batches, ArrowArrayStream* out);

}  // namespace quantgate::sweep

#endif  // QUANTGATE_CORE_SWEEP_COLUMNS_H_
