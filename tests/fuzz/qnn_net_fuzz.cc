// Any bytes as a QNN net.json: a one-line error, or a model that survives both serialisations.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "quantgate/reader.h"
#include "tests/fuzz/round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  quantgate::fuzz::CheckRoundTrip(quantgate::ReadQnnNet(bytes, "fuzz"));
  return 0;
}
