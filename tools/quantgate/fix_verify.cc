#include "tools/quantgate/fix_verify.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "core/oracle/python_module.h"
#include "core/safety/value_range.h"
#include "quantgate/text.h"
#include "tools/quantgate/progress.h"

namespace quantgate::cli {
namespace {

using Json = nlohmann::json;

constexpr uint64_t kSeed = 1;
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

// All that the Qs that read an input can say; -1 to 1 where there is none.
fix::ValueRange RangeOfInput(const Model& model, const fix::ValueRanges& ranges, TensorId input) {
  std::optional<fix::ValueRange> all;
  for (const Node& node : model.nodes) {
    if (node.inputs.empty() || node.inputs[0] != input || node.outputs.empty() ||
        node.outputs[0] == kNoTensor) {
      continue;
    }
    const std::optional<fix::Coding> coding = ranges.CodingOf(node.outputs[0]);
    const auto range = coding ? fix::RangeOf(*coding) : std::nullopt;
    if (!range) continue;
    if (!all) all = range;
    all->low = std::min(all->low, range->low);
    all->high = std::max(all->high, range->high);
  }
  return all.value_or(fix::ValueRange{-1, 1});
}

absl::StatusOr<Json> InputsOf(const Model& model, const opdb::View& database) {
  const fix::ValueRanges ranges(model, database);
  Json inputs = Json::object();
  for (const TensorId id : model.inputs) {
    const Tensor& tensor = model.tensors[static_cast<size_t>(id)];
    if (tensor.is_static) continue;  // has a value of its own
    const std::string_view dtype = NumpyName(tensor.dtype);
    if (dtype.empty() || tensor.unknown_rank) {
      return absl::InvalidArgumentError(fmt::format(
          "--verify: no values can be made for the input \"{}\"", Printable(tensor.name)));
    }
    Json input = {{"dtype", dtype}, {"shape", Json::array()}};
    for (const int64_t dim : tensor.dims) input["shape"].push_back(dim < 0 ? 1 : dim);
    const fix::ValueRange range = RangeOfInput(model, ranges, id);
    input["low"] = range.low;
    input["high"] = range.high;
    // Quantized integers may be any of their type.
    input["whole_type"] = ranges.CodingOf(id).has_value();
    inputs[tensor.name] = std::move(input);
  }
  return inputs;
}

}  // namespace

absl::StatusOr<Verification> VerifyFixed(const VerifyTask& task, const opdb::View& database) {
  auto inputs = InputsOf(*task.model, database);
  if (!inputs.ok()) return inputs.status();
  const auto module = verify::PythonModule::Find("reference.before_after", task.python);
  const auto fail = [](const std::string& why) {
    return absl::UnavailableError(
        fmt::format("--verify: {}; it needs a Python with onnxruntime (--python)", why));
  };
  if (!module.ok()) return fail(std::string(module.status().message()));
  const Json request = {{"before", task.before},
                        {"after", task.after},
                        {"seed", kSeed},
                        {"inputs", *std::move(inputs)}};
  std::optional<Progress> progress;
  progress.emplace("running the model before and after on the CPU");
  const absl::StatusOr<std::string> text = module->Run(request.dump(), task.timeout_seconds);
  progress.reset();
  if (text.status().code() == absl::StatusCode::kDeadlineExceeded) {
    return absl::DeadlineExceededError(fmt::format("--verify: {}; --verify-timeout allows more",
                                                   std::string(text.status().message())));
  }
  if (!text.ok()) return fail(std::string(text.status().message()));
  const Json said = Json::parse(*text, nullptr, false);
  const auto reason = [&](const char* key) { return said.value(key, std::string()); };
  Verification result;
  if (!said.is_object()) return fail("the Python program says " + Printable(*text, 80));
  if (said.contains("difference") && said.contains("noise")) {
    result.difference = said["difference"].get<double>();
    result.noise = said["noise"].get<double>();
    if (result.difference > std::max(kTimesNoise * result.noise, kLeast)) {
      result.worse = Describe(result);
    }
  } else if (said.contains("before")) {
    result.not_compared = "the model as it was does not run on the CPU: " + reason("before");
  } else if (said.contains("after")) {
    result.worse = "it does not run on the CPU any more: " + reason("after");
  } else {
    return fail("the Python program says " + Printable(*text, 80));
  }
  return result;
}

std::string Describe(const Verification& verification) {
  if (!verification.not_compared.empty()) return "not compared: " + verification.not_compared;
  return fmt::format(
      "on the CPU its outputs move by {:.2f} %, and by {:.2f} % when the inputs move by half a "
      "step",
      100 * verification.difference, 100 * verification.noise);
}

}  // namespace quantgate::cli
