// Any bytes as Model JSON, as .binpb, and as an input whose format is guessed.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "quantgate/reader.h"
#include "tests/fuzz/round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  quantgate::fuzz::CheckRoundTrip(quantgate::ReadModelJson(bytes, "fuzz"));
  quantgate::fuzz::CheckRoundTrip(quantgate::ReadModelBinpb(bytes, "fuzz"));
  (void)quantgate::GuessFormat("-", bytes);
  return 0;
}
