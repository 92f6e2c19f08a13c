#include "core/sweep/columns.h"

#include <cstdlib>
#include <utility>

#include "core/base/text.h"

namespace quantgate::sweep {
namespace {

constexpr size_t kBatchBytes = size_t{64} << 20;

void AppendBit(std::vector<uint8_t>& bits, int64_t at, bool value) {
  if (at % 8 == 0) bits.push_back(0);
  if (value) bits.back() = static_cast<uint8_t>(bits.back() | 1u << (at % 8));
}

}  // namespace

void TableBuilder::Begin() {
  batch_ = {};
  batch_.columns.resize(fields_.size());
  for (size_t i = 0; i < fields_.size(); ++i) {
    batch_.columns[i].type = fields_[i].type;
    if (fields_[i].type == Type::kText) batch_.columns[i].offsets.push_back(0);
  }
  bytes_ = 0;
}

Column& TableBuilder::Next(Type type, bool valid) {
  Column& column = batch_.columns.at(at_++);
  // A value of another type would leave its column one short; no caller does that.
  if (column.type != type) std::abort();
  AppendBit(column.valid, batch_.rows, valid);
  if (!valid) ++column.nulls;
  return column;
}

void TableBuilder::Text(std::string_view value) {
  Column& column = Next(Type::kText, true);
  if (IsUtf8(value)) {
    column.text.append(value);
  } else {
    column.text.append(Utf8(value));
  }
  column.offsets.push_back(static_cast<int32_t>(column.text.size()));
  bytes_ += value.size();
}

void TableBuilder::Integer(int64_t value) {
  Next(Type::kInteger, true).integers.push_back(value);
  bytes_ += sizeof value;
}

void TableBuilder::Flag(bool value) {
  AppendBit(Next(Type::kFlag, true).flags, batch_.rows, value);
}

void TableBuilder::Null() {
  const Type type = batch_.columns.at(at_).type;
  Column& column = Next(type, false);
  switch (type) {
    case Type::kText:
      column.offsets.push_back(static_cast<int32_t>(column.text.size()));
      break;
    case Type::kInteger:
      column.integers.push_back(0);
      break;
    case Type::kFlag:
      AppendBit(column.flags, batch_.rows, false);
      break;
  }
}

void TableBuilder::EndRow() {
  if (at_ != fields_.size()) std::abort();
  at_ = 0;
  ++batch_.rows;
  if (bytes_ < kBatchBytes) return;
  done_.push_back(std::make_shared<const Batch>(std::move(batch_)));
  Begin();
}

Batches TableBuilder::Finish() {
  if (batch_.rows > 0) done_.push_back(std::make_shared<const Batch>(std::move(batch_)));
  Begin();
  return std::exchange(done_, {});
}

}  // namespace quantgate::sweep
