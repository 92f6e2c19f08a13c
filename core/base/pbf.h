// Reading protobuf messages by protozero without trusting them: fields of another wire type than
// the schema's are passed over like unknown ones (protozero itself only asserts), and the byte
// at which reading stopped is known.
#ifndef QUANTGATE_CORE_BASE_PBF_H_
#define QUANTGATE_CORE_BASE_PBF_H_

#include <cstdint>
#include <cstring>
#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>
#include <string_view>

namespace quantgate::pbf {

using Type = protozero::pbf_wire_type;

constexpr uint32_t Bytes(uint32_t field) {
  return protozero::tag_and_type(field, Type::length_delimited);
}
constexpr uint32_t Varint(uint32_t field) { return protozero::tag_and_type(field, Type::varint); }
constexpr uint32_t Fixed32(uint32_t field) { return protozero::tag_and_type(field, Type::fixed32); }
constexpr uint32_t Fixed64(uint32_t field) { return protozero::tag_and_type(field, Type::fixed64); }

inline std::string_view View(protozero::pbf_reader& reader) {
  const protozero::data_view view = reader.get_view();
  return {view.data(), view.size()};
}

// Calls field(tag and type, reader) for each field of `message`; `field` returns false for those
// it does not want. `*place` is kept at the field being read. Throws protozero::exception.
template <typename Field>
void ForEachField(std::string_view message, const char** place, Field field) {
  protozero::pbf_reader reader(message.data(), message.size());
  for (;;) {
    *place = reader.data().data();
    if (!reader.next()) return;
    if (!field(reader.tag_and_type(), reader)) reader.skip();
  }
}

// What a thrown exception means, in words.
std::string_view Reason(const protozero::exception& error);

}  // namespace quantgate::pbf

#endif  // QUANTGATE_CORE_BASE_PBF_H_
