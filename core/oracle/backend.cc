#include "core/oracle/backend.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <deque>
#include <map>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/oracle/tensor_data.h"

namespace quantgate::verify {
namespace {

constexpr size_t kKeptLogLines = 32;  // a refused op logs two to eight
// Outputs start with this byte, so that a kernel that writes nothing shows.
constexpr uint8_t kUnwritten = 0x55;

// The log callback has no user pointer, and there is one backend per process.
struct Log {
  std::array<std::array<char, 512>, kKeptLogLines> lines;
  size_t count = 0;
};
Log& TheLog() {
  static Log log;
  return log;
}

void KeepLogLine(const char* format, uint32_t /*level*/, uint64_t /*timestamp*/, va_list args) {
  Log& log = TheLog();
  if (log.count >= log.lines.size()) return;
  auto& line = log.lines[log.count++];
  std::vsnprintf(line.data(), line.size(), format, args);
}

// The first line that says more than "failed": libraries repeat a refusal on each level of
// their call stack.
std::string FirstTellingLine() {
  const Log& log = TheLog();
  std::string fallback;
  for (size_t i = 0; i < log.count; ++i) {
    absl::string_view line = absl::StripAsciiWhitespace(log.lines[i].data());
    line = absl::StripLeadingAsciiWhitespace(absl::StripPrefix(line, "<E>"));
    if (line.empty()) continue;
    if (fallback.empty()) fallback = std::string(line);
    if (absl::StartsWith(line, "Op specific") || absl::StartsWith(line, "validateNativeOps") ||
        absl::StartsWith(line, "QnnBackend_validate") ||
        absl::StartsWith(line, "Failed to validate")) {
      continue;
    }
    return std::string(line);
  }
  return fallback;
}

std::string Port(std::string_view direction, size_t index) {
  return absl::StrCat(absl::string_view(direction.data(), direction.size()), "[", index, "]");
}

}  // namespace

absl::StatusOr<std::unique_ptr<Backend>> Backend::Open(const std::string& library, Device device) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) return absl::NotFoundError(dlerror());
  const auto get_providers =
      reinterpret_cast<qnn::GetProviders>(dlsym(handle, qnn::kGetProvidersSymbol));
  if (!get_providers) {
    return absl::InvalidArgumentError(
        absl::StrCat("no QNN backend library: no symbol ", qnn::kGetProvidersSymbol));
  }
  const qnn::Provider** providers = nullptr;
  uint32_t count = 0;
  if (const qnn::Error error = get_providers(&providers, &count); error || count == 0) {
    return absl::InternalError(absl::StrCat(library, " gives no interface, code ", error));
  }
  const qnn::Provider& provider = *providers[0];
  if (provider.core.major != 2) {
    return absl::UnimplementedError(
        absl::StrCat("QNN core API ", provider.core.major, " is not known, only 2"));
  }
  std::unique_ptr<Backend> backend(new Backend());
  backend->functions_ = &provider.functions;
  backend->name_ = provider.name ? provider.name : "";
  const qnn::Functions& call = provider.functions;
  if (const qnn::Error e = call.log_create(KeepLogLine, qnn::kLogError, &backend->logger_); e) {
    return absl::InternalError(absl::StrCat("logCreate fails with code ", e));
  }
  if (const qnn::Error e = call.backend_create(backend->logger_, nullptr, &backend->backend_); e) {
    return absl::InternalError(
        absl::StrCat("backendCreate fails with code ", e, ": ", FirstTellingLine()));
  }
  const char* id = nullptr;
  if (call.backend_get_build_id(&id) == 0 && id) backend->build_id_ = id;
  if (device.arch || device.soc) {
    if (provider.backend_id != qnn::kHtpBackendId) {
      return absl::InvalidArgumentError(
          absl::StrCat(backend->name_, " takes neither arch nor soc: only HTP does"));
    }
    if (auto status = backend->CreateDevice(device); !status.ok()) return status;
  }
  return backend;
}

// HTP's own device structure: option (0 = soc, 1 = arch), then a union of the soc id and
// {device id, arch}. The union is 8-aligned in the libraries of SDK 2.47, 2.48, 2.50 and 2.51
// and 4-aligned in 2.49 (measured), and a wrong guess is only reported in the log.
absl::Status Backend::CreateDevice(Device device) {
  std::string seen;
  for (const bool aligned : {true, false}) {
    std::array<uint32_t, 12> words{};
    uint32_t* fields = words.data() + (aligned ? 2 : 1);
    if (device.soc) {
      fields[0] = device.soc;
    } else {
      words[0] = 1;
      fields[1] = device.arch;
    }
    qnn::DeviceConfig config{0, words.data()};
    const std::array<const qnn::DeviceConfig*, 2> configs{&config, nullptr};
    Log& log = TheLog();
    log.count = 0;
    const qnn::Error error = functions_->device_create(
        logger_, const_cast<const qnn::DeviceConfig**>(configs.data()), &device_);
    bool complained = false;
    for (size_t i = 0; i < log.count; ++i) {
      complained |= absl::StrContains(log.lines[i].data(), "Unsupported HTP Arch");
    }
    if (error == 0 && !complained) return absl::OkStatus();
    if (error == 0) functions_->device_free(device_);
    // The first complaint speaks of the arch asked for, a later one of a misread structure.
    if (seen.empty()) seen = absl::StrCat("code ", error, ": ", FirstTellingLine());
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "the library makes no device for ",
      device.soc ? absl::StrCat("soc ", device.soc) : absl::StrCat("v", device.arch), ": ", seen));
}

Backend::~Backend() {
  if (device_) functions_->device_free(device_);
  if (backend_) functions_->backend_free(backend_);
  if (logger_) functions_->log_free(logger_);
}

StageAnswer Backend::Result(qnn::Error error, std::string_view step) {
  StageAnswer answer;
  answer.outcome = error ? Outcome::kFails : Outcome::kOk;
  if (error) {
    answer.code = error;
    answer.step = std::string(step);
    answer.message = FirstTellingLine();
  }
  return answer;
}

StageAnswer Backend::Validate(OpConfig& op) {
  TheLog().count = 0;
  return Result(functions_->backend_validate_op_config(backend_, op.View()), "validate");
}

StageAnswer Backend::Prepare(const Model& model, std::span<OpConfig> ops, qnn::Handle context,
                             qnn::Handle* graph) {
  TheLog().count = 0;
  if (const auto e = functions_->graph_create(context, "g", nullptr, graph)) {
    return Result(e, "create graph");
  }
  std::set<TensorId> made, read;
  for (OpConfig& op : ops) {
    made.insert(op.output_ids().begin(), op.output_ids().end());
    read.insert(op.input_ids().begin(), op.input_ids().end());
  }
  if (ops.size() > 1) {
    for (const TensorId id : model.outputs) read.erase(id);
  }
  // A tensor that stands at several ports is created once.
  std::map<TensorId, qnn::Tensor> created;
  const auto create = [&](std::vector<qnn::Tensor>& tensors, const std::vector<TensorId>& ids,
                          std::string_view direction) -> StageAnswer {
    for (size_t i = 0; i < tensors.size(); ++i) {
      qnn::Tensor& tensor = tensors[i];
      if (ids[i] == kNoTensor) continue;
      if (const auto it = created.find(ids[i]); it != created.end()) {
        tensor = it->second;
        continue;
      }
      if (tensor.body.type == qnn::kNative && !made.contains(ids[i])) {
        tensor.body.type = qnn::kAppWrite;
      } else if (tensor.body.type == qnn::kNative && !read.contains(ids[i])) {
        tensor.body.type = qnn::kAppRead;
      }
      TheLog().count = 0;
      if (const auto e = functions_->tensor_create_graph_tensor(*graph, &tensor)) {
        return Result(e, absl::StrCat("create tensor ", Port(direction, i)));
      }
      created.emplace(ids[i], tensor);
    }
    return Result(0, "");
  };
  // Tensors of params share the graph's namespace.
  std::deque<std::string> names;
  for (size_t number = 0; number < ops.size(); ++number) {
    OpConfig& op = ops[number];
    if (auto r = create(op.inputs(), op.input_ids(), "in"); r.outcome != Outcome::kOk) return r;
    if (auto r = create(op.outputs(), op.output_ids(), "out"); r.outcome != Outcome::kOk) return r;
    for (qnn::Param& param : op.params()) {
      if (param.type != qnn::kTensorParam) continue;
      names.push_back(absl::StrCat("param ", param.name, " ", number));
      param.tensor.body.name = names.back().c_str();
      if (const auto e = functions_->tensor_create_graph_tensor(*graph, &param.tensor)) {
        return Result(e, absl::StrCat("create tensor of param ", param.name));
      }
    }
    // Steps that succeed log too: keep only the lines of the one that fails.
    TheLog().count = 0;
    if (const auto e = functions_->graph_add_node(*graph, op.View())) return Result(e, "add node");
  }
  TheLog().count = 0;
  return Result(functions_->graph_finalize(*graph, nullptr, nullptr), "finalize");
}

StageAnswer Backend::Execute(const Model& model, std::span<OpConfig> ops, qnn::Handle graph,
                             uint64_t seed, const Watch& watch) {
  TheLog().count = 0;
  constexpr size_t kMaxElements = size_t{1} << 26;
  std::map<TensorId, std::vector<uint8_t>> buffers;
  std::vector<qnn::Tensor> inputs, outputs;
  const auto attach = [&](qnn::Tensor& tensor, TensorId id, bool input) {
    const Tensor& source = model.tensors[static_cast<size_t>(id)];
    const auto count = ElementCount(source, kMaxElements);
    if (!count) return false;
    auto [it, added] = buffers.try_emplace(id);
    if (!added && input) return true;  // the same tensor at a second port
    if (!input) {
      it->second.assign(*count * ElementBytes(source.dtype), kUnwritten);
    } else if (source.values) {
      it->second = PackValues(*source.values, source.dtype, *count);
    } else {
      it->second = RandomValues(source, *count, seed + static_cast<uint64_t>(id));
    }
    tensor.body.buffer = {it->second.data(), static_cast<uint32_t>(it->second.size())};
    (input ? inputs : outputs).push_back(tensor);
    return true;
  };
  for (OpConfig& op : ops) {
    for (size_t i = 0; i < op.inputs().size(); ++i) {
      if (op.inputs()[i].body.type != qnn::kAppWrite) continue;
      if (!attach(op.inputs()[i], op.input_ids()[i], true)) {
        return {Outcome::kFails, 0, 0, "buffers", "input too large"};
      }
    }
    for (size_t i = 0; i < op.outputs().size(); ++i) {
      if (op.outputs()[i].body.type != qnn::kAppRead) continue;
      if (!attach(op.outputs()[i], op.output_ids()[i], false)) {
        return {Outcome::kFails, 0, 0, "buffers", "output too large"};
      }
    }
  }
  const qnn::Error error = functions_->graph_execute(
      graph, inputs.data(), static_cast<uint32_t>(inputs.size()), outputs.data(),
      static_cast<uint32_t>(outputs.size()), nullptr, nullptr);
  if (error == 0 && watch.data) {
    for (const OpConfig& op : ops) {
      for (const auto& [id, bytes] : op.constants()) watch.data(id, bytes);
    }
    for (const auto& [id, bytes] : buffers) watch.data(id, bytes);
  }
  return Result(error, "execute");
}

void Backend::Run(const Model& model, std::span<OpConfig> ops, bool execute, uint64_t seed,
                  const Watch& watch) {
  watch.begin(Stage::kPrepare);
  TheLog().count = 0;
  qnn::Handle context = nullptr;
  if (const auto e = functions_->context_create(backend_, device_, nullptr, &context)) {
    watch.done(Stage::kPrepare, Result(e, "create context"));
    return;
  }
  qnn::Handle graph = nullptr;
  const StageAnswer prepared = Prepare(model, ops, context, &graph);
  watch.done(Stage::kPrepare, prepared);
  // A graph without inputs has nothing to run: its values are computed in preparation.
  const auto given = [](const qnn::Tensor& tensor) { return tensor.body.type == qnn::kAppWrite; };
  const bool runs = std::any_of(ops.begin(), ops.end(), [&](OpConfig& op) {
    return std::any_of(op.inputs().begin(), op.inputs().end(), given);
  });
  if (execute && runs && prepared.outcome == Outcome::kOk) {
    watch.begin(Stage::kExecute);
    watch.done(Stage::kExecute, Execute(model, ops, graph, seed, watch));
  }
  functions_->context_free(context, nullptr);
}

}  // namespace quantgate::verify
