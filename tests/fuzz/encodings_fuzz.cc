// Any bytes as an encodings file: a one-line error, or entries that go onto a model.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/readers/aimet/encodings_reader.h"
#include "quantgate/encodings_file.h"
#include "tests/fuzz/round_trip.h"

namespace {

// Tensors of every kind that the seeds name.
constexpr std::string_view kModel = R"({"dialect": "onnx", "opset": 17,
  "tensors": [{"name": "x", "dtype": "FLOAT_32", "dims": [1, 4]},
              {"name": "w", "dtype": "FLOAT_32", "dims": [4, 4], "isStatic": true},
              {"name": "k", "dtype": "FLOAT_32", "dims": [4, 4, 3, 3], "isStatic": true},
              {"name": "i", "dtype": "FLOAT_32", "dims": [1, 4, -1, 8]},
              {"name": "r", "dtype": "FLOAT_32", "unknownRank": true},
              {"name": "y", "dtype": "FLOAT_32", "dims": [1, 4]},
              {"name": "q", "dtype": "UFIXED_POINT_8", "dims": [1, 4],
               "encoding": {"perTensor": {"scale": 0.5, "zeroPoint": 3}}}],
  "nodes": [{"op": "Gemm", "inputs": ["x", "w"], "outputs": ["y"]},
            {"op": "Conv", "inputs": ["i", "k"], "outputs": ["r"]}, {"op": "Relu", "inputs": ["q"]}]})";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const quantgate::Model& model =
      *new quantgate::Model(quantgate::ReadModelJson(kModel, "fuzz").value());
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto file = quantgate::ReadEncodings(bytes);
  if (!file.ok()) {
    const std::string error(file.status().message());
    quantgate::fuzz::Require(!error.empty() && error.find('\n') == std::string::npos,
                             "not a one-line error", error);
    return 0;
  }
  quantgate::Model annotated = model;
  (void)quantgate::ApplyEncodings(*file, annotated);
  quantgate::fuzz::CheckRoundTrip(annotated);
  return 0;
}
