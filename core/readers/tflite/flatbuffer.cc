#include "core/readers/tflite/flatbuffer.h"

#include <fmt/core.h>

namespace quantgate::flatbuffer {
namespace {

constexpr uint64_t kSlack = 4096;    // of small files
constexpr uint64_t kTableBytes = 32;  // what a table costs a reader, about

}  // namespace

File::File(std::string_view bytes)
    : bytes_(bytes), left_(bytes.size() * kMaxReferences + kSlack) {}

Table File::Root() const { return {*this, Follow(0)}; }

void File::Charge(uint64_t position, uint64_t size) const {
  if (position + size > bytes_.size()) ThrowOutside(position);
  Spend(position, size);
}

void File::Spend(uint64_t position, uint64_t size) const {
  if (size > left_) {
    throw Broken(position, "is referred to over and over; no writer makes such a file");
  }
  left_ -= size;
}

void File::ThrowOutside(uint64_t position) const {
  throw Broken(position, fmt::format("leads out of the file, which has {} bytes", bytes_.size()));
}

Table::Table(const File& file, uint64_t position) : file_(&file), position_(position) {
  const int64_t fields = static_cast<int64_t>(position) - file.At<int32_t>(position);
  if (fields < 0) file.ThrowOutside(position);
  const auto bytes = file.At<uint16_t>(static_cast<uint64_t>(fields));
  if (bytes < 2 * sizeof(uint16_t)) throw Broken(position, "a table without a list of its fields");
  if (static_cast<uint64_t>(fields) + bytes > file.bytes().size()) file.ThrowOutside(position);
  file.Spend(position, kTableBytes);
  fields_ = static_cast<uint64_t>(fields) + 2 * sizeof(uint16_t);
  field_bytes_ = static_cast<uint16_t>(bytes - 2 * sizeof(uint16_t));
}

uint64_t Table::Field(int field) const {
  const auto at = static_cast<uint64_t>(field) * sizeof(uint16_t);
  if (at + sizeof(uint16_t) > field_bytes_) return 0;
  const auto offset = file_->At<uint16_t>(fields_ + at);
  return offset == 0 ? 0 : position_ + offset;
}

std::optional<Table> Table::Sub(int field) const {
  const uint64_t at = Field(field);
  if (at == 0) return std::nullopt;
  return Table(*file_, file_->Follow(at));
}

Tables Table::All(int field) const {
  const uint64_t at = Field(field);
  return at == 0 ? Tables() : Tables(*file_, file_->Follow(at));
}

std::string_view Table::Text(int field) const {
  const std::string_view text = Raw(field);
  file_->Spend(position_, text.size());
  return text;
}

std::string_view Table::Raw(int field) const {
  const uint64_t at = Field(field);
  if (at == 0) return {};
  const uint64_t begin = file_->Follow(at);
  const auto size = file_->At<uint32_t>(begin);
  if (begin + sizeof(uint32_t) + size > file_->bytes().size()) file_->ThrowOutside(begin);
  return file_->bytes().substr(begin + sizeof(uint32_t), size);
}

}  // namespace quantgate::flatbuffer
