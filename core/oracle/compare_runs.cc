#include "quantgate/compare_runs.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "absl/status/status.h"
#include "core/oracle/python_module.h"
#include "nlohmann/json.hpp"
#include "quantgate/text.h"

namespace quantgate {
namespace {

using PlainJson = nlohmann::json;

// What moves the outputs by less is rounding: three times what half a step of the inputs does, or
// one part in a hundred, which is two to three steps of 8 bits.
constexpr double kTimesNoise = 3, kLeast = 0.01;

// NumPy's name; empty = values of this type are not drawn.
std::string_view NumpyName(Dtype dtype) {
  switch (dtype) {
    case Dtype::kFloat32:
      return "float32";
    case Dtype::kFloat16:
      return "float16";
    case Dtype::kFloat64:
      return "float64";
    case Dtype::kInt64:
      return "int64";
    case Dtype::kInt32:
      return "int32";
    case Dtype::kInt16:
      return "int16";
    case Dtype::kInt8:
      return "int8";
    case Dtype::kUint16:
      return "uint16";
    case Dtype::kUint8:
      return "uint8";
    case Dtype::kBool8:
      return "bool";
    default:
      return "";
  }
}

PlainJson InputsJson(const std::vector<InputValues>& inputs) {
  PlainJson json = PlainJson::object();
  for (const InputValues& input : inputs) {
    json[input.name] = {{"dtype", NumpyName(input.dtype)},
                        {"shape", input.dims},
                        {"low", input.low},
                        {"high", input.high},
                        {"whole_type", input.whole_type}};
  }
  return json;
}

absl::StatusOr<RunComparison> Understand(const std::string& text) {
  const PlainJson said = PlainJson::parse(text, nullptr, false);
  const auto reason = [&](const char* key) { return said.value(key, std::string()); };
  RunComparison result;
  if (said.is_object() && said.contains("difference") && said.contains("noise")) {
    result.difference = said["difference"].get<double>();
    result.noise = said["noise"].get<double>();
    if (result.difference > std::max(kTimesNoise * result.noise, kLeast)) {
      result.worse = RunComparisonText(result);
    }
  } else if (said.is_object() && said.contains("before")) {
    result.not_compared = "the model as it was does not run on the CPU: " + reason("before");
  } else if (said.is_object() && said.contains("after")) {
    result.worse = "it does not run on the CPU any more: " + reason("after");
  } else {
    return absl::UnavailableError("the Python program says " + Printable(text, 80));
  }
  return result;
}

}  // namespace

absl::StatusOr<RunComparison> CompareRuns(const std::string& before, const std::string& after,
                                          const std::vector<InputValues>& inputs,
                                          const CompareRunsOptions& options) {
  const auto module = verify::PythonModule::Find("reference.before_after", options.python);
  if (!module.ok()) return absl::UnavailableError(module.status().message());
  const PlainJson request = {{"before", before},
                        {"after", after},
                        {"seed", options.seed},
                        {"inputs", InputsJson(inputs)}};
  const absl::StatusOr<std::string> text = module->Run(request.dump(), options.timeout_seconds);
  if (text.ok()) return Understand(*text);
  if (text.status().code() == absl::StatusCode::kDeadlineExceeded) return text.status();
  return absl::UnavailableError(text.status().message());
}

std::string RunComparisonText(const RunComparison& comparison) {
  if (!comparison.not_compared.empty()) return "not compared: " + comparison.not_compared;
  return fmt::format(
      "on the CPU its outputs move by {:.2f} %, and by {:.2f} % when the inputs move by half a "
      "step",
      100 * comparison.difference, 100 * comparison.noise);
}

}  // namespace quantgate
