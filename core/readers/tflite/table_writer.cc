#include "core/readers/tflite/table_writer.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace quantgate::flatbuffer {
namespace {

constexpr size_t kOffsetBytes = sizeof(uint32_t);
constexpr size_t kTableAlign = 8;

void Align(size_t align, size_t ahead, std::string& out) {
  while ((out.size() + ahead) % align != 0) out += '\0';
}

template <typename T>
void Put(T value, std::string& out) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

template <typename T>
void PutAt(size_t at, T value, std::string& out) {
  std::memcpy(out.data() + at, &value, sizeof(T));
}

// Offsets are counted from where they stand, and lead forward.
void Refer(size_t at, size_t to, std::string& out) {
  PutAt(at, static_cast<uint32_t>(to - at), out);
}

}  // namespace

NewTable::Part& NewTable::AddPart(int field) {
  fields_.push_back({field, {}, std::make_unique<Part>()});
  return *fields_.back().part;
}

void NewTable::Text(int field, std::string_view text) {
  Part& part = AddPart(field);
  part.bytes = text;
  part.count = static_cast<uint32_t>(text.size());
  part.has_end_byte = true;
}

void NewTable::Bytes(int field, std::string bytes, size_t align) {
  Part& part = AddPart(field);
  part.count = static_cast<uint32_t>(bytes.size());
  part.bytes = std::move(bytes);
  part.align = align;
}

NewTable& NewTable::Sub(int field) {
  Part& part = AddPart(field);
  part.is_list = false;
  return part.tables.emplace_back();
}

void NewTable::Add(int field, std::vector<NewTable> tables) {
  Part& part = AddPart(field);
  part.tables = std::move(tables);
  part.count = static_cast<uint32_t>(part.tables.size());
}

NewTable NewTable::Old(uint64_t position) {
  NewTable table;
  table.old_ = position;
  return table;
}

std::string NewTable::File(std::string_view identifier) const {
  std::string out(kOffsetBytes, '\0');
  out += identifier;
  OldPlaces none;
  Refer(0, Write(out, none), out);
  return out;
}

std::string NewTable::FileBefore(std::string_view identifier) const {
  std::string out(kOffsetBytes, '\0');
  out += identifier;
  OldPlaces old;
  Refer(0, Write(out, old), out);
  Align(kOldAlign, 0, out);
  const size_t moved = out.size();
  for (const auto& [at, position] : old) Refer(at, moved + position, out);
  return out;
}

void NewTable::WriteReferred(const NewTable& table, size_t at, std::string& out, OldPlaces& old) {
  if (table.old_) {
    old.emplace_back(at, *table.old_);
  } else {
    Refer(at, table.Write(out, old), out);
  }
}

size_t NewTable::Write(std::string& out, OldPlaces& old) const {
  int last = -1;
  for (const Field& field : fields_) last = std::max(last, field.number);
  std::vector<const Field*> order;
  for (const Field& field : fields_) order.push_back(&field);
  const auto size_of = [](const Field* f) { return f->part ? kOffsetBytes : f->bytes.size(); };
  std::stable_sort(order.begin(), order.end(), [&](const Field* a, const Field* b) {
    return size_of(a) > size_of(b);
  });
  std::vector<uint16_t> places(static_cast<size_t>(last + 1));
  size_t size = kOffsetBytes;
  for (const Field* field : order) {
    const size_t bytes = size_of(field);
    size = (size + bytes - 1) / bytes * bytes;
    places[static_cast<size_t>(field->number)] = static_cast<uint16_t>(size);
    size += bytes;
  }
  Align(sizeof(uint16_t), 0, out);
  const size_t list = out.size();
  Put(static_cast<uint16_t>(sizeof(uint16_t) * (places.size() + 2)), out);
  Put(static_cast<uint16_t>(size), out);
  for (const uint16_t place : places) Put(place, out);
  Align(kTableAlign, 0, out);
  const size_t begin = out.size();
  out.append(size, '\0');
  PutAt(begin, static_cast<int32_t>(begin - list), out);
  for (const Field& field : fields_) {
    const size_t at = begin + places[static_cast<size_t>(field.number)];
    if (field.part == nullptr) {
      std::memcpy(out.data() + at, field.bytes.data(), field.bytes.size());
    } else if (!field.part->is_list) {
      WriteReferred(field.part->tables.front(), at, out, old);
    } else {
      Refer(at, Write(*field.part, out, old), out);
    }
  }
  return begin;
}

size_t NewTable::Write(const Part& part, std::string& out, OldPlaces& old) {
  Align(std::max(part.align, kOffsetBytes), kOffsetBytes, out);
  const size_t begin = out.size();
  Put(part.count, out);
  if (part.tables.empty()) {
    out += part.bytes;
    if (part.has_end_byte) out += '\0';
    return begin;
  }
  out.append(part.tables.size() * kOffsetBytes, '\0');
  for (size_t i = 0; i < part.tables.size(); ++i) {
    WriteReferred(part.tables[i], begin + kOffsetBytes * (i + 1), out, old);
  }
  return begin;
}

}  // namespace quantgate::flatbuffer
