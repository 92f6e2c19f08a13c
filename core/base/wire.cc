#include "core/base/wire.h"

#include <protozero/pbf_writer.hpp>
#include <protozero/varint.hpp>

#include "core/base/pbf.h"

namespace quantgate::fix {

void Rope::Add(std::string_view view) {
  size_ += view.size();
  // Neighbours in the file stay one part.
  if (!pieces_.empty() && pieces_.back().owned.empty() && !pieces_.back().make &&
      pieces_.back().view.data() + pieces_.back().view.size() == view.data()) {
    std::string_view& last = pieces_.back().view;
    last = {last.data(), last.size() + view.size()};
    return;
  }
  pieces_.push_back({view, {}, {}});
}

void Rope::AddOwned(std::string text) {
  size_ += text.size();
  if (!text.empty()) pieces_.push_back({{}, std::move(text), {}});
}

void Rope::AddLater(uint64_t size, Make make) {
  size_ += size;
  pieces_.push_back({{}, {}, std::move(make)});
}

void Rope::Add(Rope rope) {
  size_ += rope.size_;
  for (Piece& piece : rope.pieces_) pieces_.push_back(std::move(piece));
}

void Rope::Write(const Sink& sink) const {
  for (const Piece& piece : pieces_) {
    if (piece.make) {
      piece.make(sink);
    } else {
      sink(piece.owned.empty() ? piece.view : std::string_view(piece.owned));
    }
  }
}

void ForEachWireField(std::string_view message, const std::function<void(const Field&)>& use) {
  protozero::pbf_reader reader(message.data(), message.size());
  const char* begin = message.data();
  while (reader.next()) {
    Field field;
    field.tag_and_type = static_cast<uint32_t>(reader.tag_and_type());
    if (reader.wire_type() == pbf::Type::length_delimited) {
      field.content = pbf::View(reader);
    } else {
      reader.skip();
    }
    const char* end = reader.data().data();
    field.whole = {begin, static_cast<size_t>(end - begin)};
    begin = end;
    use(field);
  }
}

std::string VarintField(uint32_t field, int64_t value) {
  std::string text;
  protozero::pbf_writer(text).add_int64(field, value);
  return text;
}

std::string BytesField(uint32_t field, std::string_view content) {
  std::string text;
  protozero::pbf_writer(text).add_bytes(field, content.data(), content.size());
  return text;
}

Rope MessageField(uint32_t field, Rope content) {
  std::string head;
  protozero::add_varint_to_buffer(&head, pbf::Bytes(field));
  protozero::add_varint_to_buffer(&head, content.size());
  Rope rope;
  rope.AddOwned(std::move(head));
  rope.Add(std::move(content));
  return rope;
}

}  // namespace quantgate::fix
