// Any bytes as a .tflite file: a one-line error, or a model that survives both serialisations and,
// where it can be written as .tflite, that too.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "quantgate/reader.h"
#include "tests/fuzz/round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using quantgate::fuzz::Require;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto model = quantgate::ReadTflite(bytes, "fuzz");
  quantgate::fuzz::CheckRoundTrip(model);
  if (!model.ok()) return 0;
  // What is no constant of the file takes memory when it is written.
  double elements = 0;
  for (const quantgate::Tensor& tensor : model->tensors) {
    double own = tensor.is_static ? 1 : 0;
    for (const int64_t dim : tensor.dims) own *= static_cast<double>(dim < 1 ? 1 : dim);
    elements += own;
  }
  if (elements > 1e6) return 0;
  const auto written = quantgate::WriteTflite(*model);
  if (!written.ok()) return 0;
  const auto again = quantgate::ReadTflite(*written, "fuzz");
  Require(again.ok(), "the .tflite written can't be read", again.status().ToString());
  Require(again->nodes.size() == model->nodes.size() &&
              again->tensors.size() == model->tensors.size(),
          "the .tflite written is another model", quantgate::WriteModelJson(*model));
  return 0;
}
