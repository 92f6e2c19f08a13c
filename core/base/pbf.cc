#include "core/base/pbf.h"

namespace quantgate::pbf {

std::string_view Reason(const protozero::exception& error) {
  if (dynamic_cast<const protozero::end_of_buffer_exception*>(&error) != nullptr) {
    return "a field is longer than what is left";
  }
  if (dynamic_cast<const protozero::varint_too_long_exception*>(&error) != nullptr) {
    return "a number has more than 10 bytes";
  }
  if (dynamic_cast<const protozero::invalid_length_exception*>(&error) != nullptr) {
    return "a list of fixed-size numbers has a broken length";
  }
  return "not a protobuf field";
}

}  // namespace quantgate::pbf
