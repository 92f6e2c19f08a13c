#include "core/validate/structure.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/rules/raise.h"
#include "core/rules/support/encoding_facts.h"
#include "core/rules/support/expr.h"
#include "core/rules/support/format.h"
#include "core/validate/constraint_texts.h"
#include "quantgate/text.h"

namespace quantgate {
namespace {

using rules::NodeView;

Finding Make(const TargetTable& table, const NodeView& node, RuleId rule, std::string port,
             std::string_view what) {
  Finding f = rules::Raise(rule, Consequence::kRejected);
  f.op = rules::OpName(node);
  f.constraint = fmt::format("{}/{}/{}/{}", table.db().str(table.backend().name), f.op, port, what);
  f.port = std::move(port);
  f.sources = SourceIds(table.db(), node.op().sources);
  return f;
}

// What is wrong with the encoding's shape; empty = nothing.
struct Problem {
  std::string found, allowed, field;
  // Op validation does not look: lists too short are read beyond their end.
  Consequence consequence = Consequence::kWrongValues;
};

// `want` scales, one for each `unit`.
Problem CountProblem(const Encoding& e, size_t want, std::string_view unit) {
  const auto wrong = [&](size_t have) { return have > 1 && have != want; };
  if (e.scales.empty()) return {"no scale", fmt::format("1 or {} scales", want), "scale"};
  if (wrong(e.scales.size())) {
    return {fmt::format("{} scales for {} {}", e.scales.size(), want, unit),
            fmt::format("1 or {} scales", want), "scale"};
  }
  if (wrong(e.zero_points.size())) {
    return {fmt::format("{} zero points for {} {}", e.zero_points.size(), want, unit),
            fmt::format("none, 1 or {} zero points", want), "zeroPoint"};
  }
  return {};
}

// Of scales per channel, divided into blocks by LPBQ.
Problem ChannelProblem(const Tensor& t) {
  const Encoding& e = t.encoding;
  if (t.unknown_rank) return {};
  const int64_t axis = rules::NormalAxis(e.axis, t.rank());
  if (axis < 0 || axis >= t.rank()) {
    return {fmt::format("axis {} of {}", e.axis, rules::Dims(t)),
            fmt::format("an axis below {}", t.rank()), "axis"};
  }
  const auto channels = rules::DimOf(t, axis);
  if (!channels) return {};
  Problem p = CountProblem(e, static_cast<size_t>(*channels), "channels");
  if (!p.found.empty() || e.kind != EncodingKind::kLpbq) return p;
  if (e.num_blocks <= 0)
    return {fmt::format("{} blocks", e.num_blocks), "at least 1 block", "numBlocks"};
  const auto want = static_cast<size_t>(*channels) * static_cast<size_t>(e.num_blocks);
  if (e.block_scales.size() > 1 && e.block_scales.size() != want) {
    return {fmt::format("{} block scales for {} channels × {} blocks", e.block_scales.size(),
                        *channels, e.num_blocks),
            fmt::format("1 or {} block scales", want), "blockScales"};
  }
  return {};
}

Problem BlockProblem(const Tensor& t) {
  const Encoding& e = t.encoding;
  if (t.unknown_rank) return {};
  if (e.block_size.size() != t.dims.size()) {
    return {fmt::format("a block size of {} dimensions for {}", e.block_size.size(), rules::Dims(t)),
            "one block size per dimension", "blockSize", Consequence::kRejected};
  }
  size_t blocks = 1;
  for (size_t i = 0; i < t.dims.size(); ++i) {
    if (t.dims[i] == kDynamicDim) return {};
    if (e.block_size[i] <= 0 || t.dims[i] % e.block_size[i] != 0) {
      return {fmt::format("blocks of {} along dimension {} of {}", e.block_size[i], i, rules::Dims(t)),
              "blocks that divide the dimension", "blockSize"};
    }
    blocks *= static_cast<size_t>(t.dims[i] / e.block_size[i]);
  }
  return CountProblem(e, blocks, "blocks");
}

Problem EntryProblem(const Tensor& t) {
  const Encoding& e = t.encoding;
  switch (e.kind) {
    case EncodingKind::kNone:
      return {};
    case EncodingKind::kPerTensor: {
      Problem p = CountProblem(e, 1, "tensor");
      p.consequence = Consequence::kRejected;  // QNN's interface has no room for more.
      return p;
    }
    case EncodingKind::kPerChannel:
    case EncodingKind::kLpbq:
      return ChannelProblem(t);
    case EncodingKind::kBlock:
      return BlockProblem(t);
  }
  return {};
}

// Integers of any width, signed or not, stand for each other: their value is what counts.
std::string_view StorageClass(Dtype dtype) {
  if (IsFloat(dtype)) return "real";
  return dtype == Dtype::kBool8 ? "flag" : "integer";
}

struct Storage {
  std::string_view type;  // as StorageClass() has it
  bool is_tensor;

  bool operator==(const Storage&) const = default;
};

// How a param of the op is stored; nothing where QNN has no such param.
std::optional<Storage> StorageOf(const ParamValue& value) {
  if (std::holds_alternative<double>(value)) return Storage{"real", false};
  if (std::holds_alternative<bool>(value)) return Storage{"flag", false};
  const bool sint = std::holds_alternative<IntParam>(value);
  if (sint || std::holds_alternative<UintParam>(value)) return Storage{"integer", false};
  const auto* tensor = std::get_if<TensorParam>(&value);
  if (tensor == nullptr) return std::nullopt;
  return Storage{StorageClass(tensor->dtype), true};
}

}  // namespace

void CheckPortsAndParams(const TargetTable& table, const NodeView& node,
                         std::vector<Finding>& findings) {
  const auto& db = table.db();
  const auto ports = db.get(node.op().ports);
  for (int i = 0; i < node.port_count(); ++i) {
    if (node.present(i) || (ports[i].flags & opdb::kPortOptional) != 0) continue;
    Finding f = Make(table, node, rules::kMissingPort, rules::PortName(node, i), "required");
    f.found = "not given";
    f.allowed = "a tensor";
    f.message = fmt::format("{} of {} is required", f.port, f.op);
    f.fixes.push_back(rules::UnsafeFix(fmt::format("connect a tensor to {}", f.port)));
    findings.push_back(std::move(f));
  }
  const auto extra = [&](int count, std::string_view side, int declared) {
    if (count == 0) return;
    Finding f = Make(table, node, rules::kUnexpectedPort, fmt::format("{}[{}]", side, declared),
                     "unexpected");
    f.found = fmt::format("{} more than the {} declared", count, declared);
    f.allowed = Counted(static_cast<size_t>(declared), side == "in" ? "input" : "output");
    f.message = fmt::format("{} has {}, found {}", f.op, f.allowed, declared + count);
    f.fixes.push_back(rules::UnsafeFix(
        fmt::format("remove {}{}", f.port, count == 1 ? "" : " and those after it")));
    findings.push_back(std::move(f));
  };
  extra(node.extra_inputs(), "in", node.op().input_count);
  extra(node.extra_outputs(), "out", node.op().output_count);

  const auto params = db.get(node.op().params);
  for (size_t i = 0; i < params.size() && i < NodeView::kMaxParams; ++i) {
    if (params[i].required == 0 || node.given(static_cast<int>(i)) != nullptr) continue;
    Finding f =
        Make(table, node, rules::kMissingParam, std::string(db.str(params[i].name)), "required");
    f.found = "not given";
    f.allowed = "a value";
    f.message = fmt::format("param {} of {} is required", f.port, f.op);
    f.fixes.push_back(rules::UnsafeFix(fmt::format("set {}", f.port)));
    findings.push_back(std::move(f));
  }
  if (const Param* unknown = node.unknown_param()) {
    std::vector<std::string> names;
    for (const auto& param : params) names.emplace_back(db.str(param.name));
    const std::string hint = DidYouMeanOf(unknown->name, names);
    Finding f = Make(table, node, rules::kUnknownParam, unknown->name, "unknown");
    f.found = unknown->name;
    for (const auto& param : params) {
      f.allowed += fmt::format("{}{}", f.allowed.empty() ? "" : ", ", db.str(param.name));
    }
    if (f.allowed.empty()) f.allowed = "no params";
    f.message = fmt::format("{} has no param \"{}\"{}", f.op, unknown->name, hint);
    f.fixes.push_back(rules::UnsafeFix(
        fmt::format("{} \"{}\"", hint.empty() ? "remove" : "rename or remove", unknown->name)));
    findings.push_back(std::move(f));
  }
}

// A param that is a tensor of another rank than declared.
static void CheckParamRank(const TargetTable& table, const NodeView& node, const opdb::ParamRow& param,
                           const ParamValue& value, std::vector<Finding>& findings) {
  const auto* tensor = std::get_if<TensorParam>(&value);
  if (tensor == nullptr || param.rank < 0 || std::ssize(tensor->dims) == param.rank) return;
  Finding f = Make(table, node, rules::kRank, std::string(table.db().str(param.name)), "rank");
  f.found = fmt::format("rank {} [{}]", tensor->dims.size(), rules::NumberList(tensor->dims, ", "));
  f.allowed = fmt::format("rank {}", param.rank);
  f.message = fmt::format("param {} of {} has rank {}; supported: {}", f.port, f.op,
                          tensor->dims.size(), f.allowed);
  f.fixes.push_back(rules::UnsafeFix(fmt::format("give {} {} dimensions", f.port, param.rank)));
  findings.push_back(std::move(f));
}

void CheckParamStorage(const TargetTable& table, const NodeView& node,
                       std::vector<Finding>& findings) {
  const auto params = table.db().get(node.op().params);
  for (size_t i = 0; i < params.size() && i < NodeView::kMaxParams; ++i) {
    const opdb::ParamRow& param = params[i];
    const ParamValue* value = node.given(static_cast<int>(i));
    if (value == nullptr) continue;
    CheckParamRank(table, node, param, *value, findings);
    if (param.dtype == Dtype::kUndefined) continue;
    const std::optional<Storage> stored = StorageOf(*value);
    const Storage declared{StorageClass(param.dtype), param.rank >= 0};
    if (!stored || *stored == declared) continue;
    const auto with_kind = [](std::string_view type, bool is_tensor) {
      return fmt::format("{}{}", type, is_tensor ? " tensor" : "");
    };
    const std::string name(table.db().str(param.name));
    Finding f = Make(table, node, rules::kStorageDtype, name, "stored");
    f.found = with_kind(stored->type, stored->is_tensor);
    f.allowed = with_kind(DtypeName(param.dtype), declared.is_tensor);
    f.message = fmt::format("param {} of {} must be stored as {}", f.port, f.op, f.allowed);
    f.fixes.push_back(rules::UnsafeFix(fmt::format("store {} as {}", f.port, f.allowed)));
    findings.push_back(std::move(f));
  }
}

void CheckEncodingShapes(const TargetTable& table, const NodeView& node,
                         std::vector<Finding>& findings) {
  for (int port = 0; port < node.port_count(); ++port) {
    for (int i = 0; i < node.tensors(port).count; ++i) {
      const Tensor* tensor = node.tensor(port, i);
      if (tensor == nullptr || !IsFixedPoint(tensor->dtype) ||
          tensor->encoding->kind == EncodingKind::kNone) {
        continue;
      }
      const Encoding& e = tensor->encoding;
      // The common case without a word: one scale, at most one zero point.
      if (e.kind != EncodingKind::kPerTensor || e.scales.size() != 1 || e.zero_points.size() > 1) {
        Problem problem = EntryProblem(*tensor);
        if (!problem.found.empty()) {
          Finding f = Make(table, node, rules::kEncodingShape, rules::PortName(node, port, i),
                           "encoding-shape");
          f.consequence = problem.consequence;
          f.tensor = tensor->name;
          f.message = fmt::format("the {} encoding of {} of {} has {}", EncodingKindName(e.kind),
                                  f.port, f.op, problem.found);
          f.found = std::move(problem.found);
          f.allowed = std::move(problem.allowed);
          f.fixes.push_back(rules::UnsafeFix("export the encoding again"));
          findings.push_back(std::move(f));
        }
      }
    }
  }
}

}  // namespace quantgate
