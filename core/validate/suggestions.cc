#include "core/validate/suggestions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <utility>

#include "core/rules/support/format.h"
#include "core/validate/check_node.h"
#include "core/validate/port_facts.h"

namespace quantgate {
namespace {

using rules::NodeView;

// Rows that are tried, nearest first, and rows that are reported.
constexpr size_t kTriedRows = 24;
constexpr size_t kReportedRows = 3;

// The op alone, so that its tensors can be changed.
struct Alone {
  Resolved resolved;
  std::vector<TensorId> old;  // of each tensor, its id in the graph

  Alone(const Resolved& from, const Node& node) {
    resolved.owned = std::make_unique<Model>();
    resolved.graph = resolved.owned.get();
    Model& model = *resolved.owned;
    model.nodes.push_back(node);
    const auto take = [&](TensorId& id) {
      if (id == kNoTensor) return;
      const auto known = std::find(old.begin(), old.end(), id);
      const auto at = static_cast<TensorId>(known - old.begin());
      if (known == old.end()) {
        old.push_back(id);
        model.tensors.push_back(from.graph->tensors[static_cast<size_t>(id)]);
        const auto layout = from.layout.find(id);
        if (layout != from.layout.end()) resolved.layout.emplace(at, layout->second);
      }
      id = at;
    };
    for (TensorId& id : model.nodes[0].inputs) take(id);
    for (TensorId& id : model.nodes[0].outputs) take(id);
  }
  Model& model() { return *resolved.owned; }
  const Node& node() const { return resolved.graph->nodes[0]; }
};

bool Runs(const TargetTable& table, const Resolved& resolved, const Node& node) {
  std::vector<Finding> findings;
  std::string reason;
  const Consequence verdict = CheckNode(table, resolved, node, findings, reason, nullptr).consequence;
  return verdict != Consequence::kUnchecked && verdict < Consequence::kWrongValues;
}

int32_t MiddleOf(Dtype dtype) {
  const DtypeClass c = ClassOf(dtype);
  return c == DtypeClass::kUfixed ? int32_t{1} << (BitsOf(dtype) - 1) : 0;
}

// From a lasting one: GCC 12 warns of moves out of a temporary.
const Encoding& NoEncoding() {
  static const Encoding kNone;
  return kNone;
}

void MakePerTensor(Tensor& tensor, float scale, int32_t zero_point) {
  tensor.encoding = NoEncoding();
  tensor.encoding.Edit().kind = EncodingKind::kPerTensor;
  tensor.encoding.Edit().scales.assign(1, scale);
  tensor.encoding.Edit().zero_points.assign(1, zero_point);
}

// The encoding with the same range in another datatype.
void Retype(Tensor& tensor, Dtype to) {
  const Dtype from = tensor.dtype;
  tensor.dtype = to;
  if (!IsFixedPoint(to)) {
    tensor.encoding = NoEncoding();
    return;
  }
  if (!IsFixedPoint(from) || tensor.encoding->kind == EncodingKind::kNone) {
    MakePerTensor(tensor, 0.01F, MiddleOf(to));
    return;
  }
  Encoding& e = tensor.encoding.Edit();
  const int narrower = BitsOf(from) - BitsOf(to);
  for (float& scale : e.scales) scale = std::ldexp(scale, narrower);
  for (int32_t& zero : e.zero_points) {
    const double share = (static_cast<double>(zero) - MiddleOf(from)) * std::exp2(-narrower);
    zero = static_cast<int32_t>(std::lround(share)) + MiddleOf(to);
  }
  e.bitwidth = 0;
}

// "in[1]" as a number of an op's port; -1 = none.
int PortOf(const NodeView& view, const std::string& name) {
  for (int port = 0; port < view.port_count(); ++port) {
    for (int i = 0; i < view.tensors(port).count; ++i) {
      if (rules::PortName(view, port, i) == name) return port;
    }
  }
  return -1;
}

// Changes of one tensor's encoding that fix what rules complain of, and what to say of them.
struct Repair {
  std::string_view words;
  void (*apply)(Tensor&, const Tensor* first_input, int channel_axis);
};
constexpr Repair kRepairs[] = {
    {"quantize {} symmetric",
     [](Tensor& t, const Tensor*, int) {
       for (int32_t& zero : t.encoding.Edit().zero_points) zero = MiddleOf(t.dtype);
     }},
    {"quantize {} per-channel on the axis of the output channels",
     [](Tensor& t, const Tensor*, int channel_axis) {
       if (t.encoding->kind != EncodingKind::kPerChannel || channel_axis < 0) return;
       t.encoding.Edit().axis = channel_axis;
       t.encoding.Edit().scales.resize(1);
       if (t.encoding->zero_points.size() > 1) t.encoding.Edit().zero_points.resize(1);
     }},
    {"quantize {} symmetric per-channel on the axis of the output channels",
     [](Tensor& t, const Tensor*, int channel_axis) {
       if (t.encoding->kind != EncodingKind::kPerChannel || channel_axis < 0) return;
       t.encoding.Edit().axis = channel_axis;
       t.encoding.Edit().scales.resize(1);
       t.encoding.Edit().zero_points.assign(1, MiddleOf(t.dtype));
     }},
    {"quantize {} per-tensor",
     [](Tensor& t, const Tensor*, int) {
       const float scale = t.encoding->scales.empty() ? 1.0F : t.encoding->scales[0];
       const int32_t zero = t.encoding->zero_points.empty() ? 0 : t.encoding->zero_points[0];
       MakePerTensor(t, scale, zero);
     }},
    {"quantize {} per-tensor and symmetric",
     [](Tensor& t, const Tensor*, int) {
       const float scale = t.encoding->scales.empty() ? 1.0F : t.encoding->scales[0];
       MakePerTensor(t, scale, MiddleOf(t.dtype));
     }},
    {"give {} the encoding of in[0]",
     [](Tensor& t, const Tensor* first_input, int) {
       if (first_input != nullptr && first_input->dtype == t.dtype) {
         t.encoding = first_input->encoding;
       }
     }},
};

// Zero points as the model's JSON has them: one that stands for all where they are equal.
std::string ZeroPointsJson(const Encoding& e) {
  const auto& zeros = e.zero_points;
  const bool equal =
      std::adjacent_find(zeros.begin(), zeros.end(), std::not_equal_to<>()) == zeros.end();
  const std::string text = zeros.empty() ? "0"
                           : equal       ? std::to_string(zeros[0])
                                         : fmt::format("{}", fmt::join(zeros, ", "));
  return e.kind == EncodingKind::kPerTensor ? text : fmt::format("[{}]", text);
}

// The first change of an encoding, on the ports that findings name, after which the op runs.
void TryEncodings(const TargetTable& table, const ActiveOp& op, const Resolved& resolved,
                  const Node& node, const std::vector<Finding>& findings, std::vector<Fix>& ways) {
  const NodeView view(table.db(), *op.row, *resolved.graph, node, table.arch_index());
  std::vector<int> tried;
  for (const Finding& finding : findings) {
    if (finding.consequence < Consequence::kWrongValues) continue;
    const int port = PortOf(view, finding.port);
    if (port < 0 || std::find(tried.begin(), tried.end(), port) != tried.end()) continue;
    tried.push_back(port);
    for (const Repair& repair : kRepairs) {
      Alone alone(resolved, node);
      const NodeView mine(table.db(), *op.row, alone.model(), alone.node(), table.arch_index());
      const Tensor* tensor = mine.tensor(port);
      if (tensor == nullptr || !IsFixedPoint(tensor->dtype)) break;
      auto& changed =
          alone.model().tensors[static_cast<size_t>(tensor - alone.model().tensors.data())];
      const Encoding before = changed.encoding;
      const int axis = table.db().get(op.row->ports)[static_cast<size_t>(port)].channel_axis;
      const int rank = changed.rank();
      repair.apply(changed, mine.tensor(0), axis < 0 ? axis + rank : axis);
      if (changed.encoding == before || !Runs(table, alone.resolved, alone.node())) continue;
      Fix& way =
          ways.emplace_back(rules::UnsafeFix(fmt::format(fmt::runtime(repair.words), finding.port)));
      if (changed.encoding->kind == before.kind &&
          changed.encoding->zero_points != before.zero_points &&
          changed.encoding->scales == before.scales) {
        way.edits.push_back(
            {"set", rules::EncodingPath(changed, "zeroPoint"), ZeroPointsJson(changed.encoding)});
      }
      return;
    }
  }
}

struct Row {
  int changed = 0, distance = 0;
  const ActiveVariant* variant = nullptr;
};

void TryRows(const TargetTable& table, const ActiveOp& op, const Resolved& resolved,
             const Node& node, std::vector<Fix>& ways) {
  const NodeView view(table.db(), *op.row, *resolved.graph, node, table.arch_index());
  const PortFacts facts = FactsOf(view);
  std::vector<Row> rows;
  for (const ActiveVariant& variant : op.variants) {
    Row row{0, 0, &variant};
    bool possible = true;
    for (int port = 0; port < facts.count; ++port) {
      const Tensor* tensor = view.tensor(port);
      if (tensor == nullptr ||
          (facts.dtypes[static_cast<size_t>(port)] & ~variant.masks[port]) == 0) {
        continue;
      }
      const Dtype to = rules::NearestDtype(variant.masks[port], tensor->dtype);
      // Leaving out an input is another model, and so is another kind of number.
      possible &= to != Dtype::kUndefined && IsFixedPoint(to) == IsFixedPoint(tensor->dtype) &&
                  IsFloat(to) == IsFloat(tensor->dtype);
      ++row.changed;
      row.distance += std::abs(BitsOf(to) - BitsOf(tensor->dtype)) + 1;
    }
    if (possible && row.changed > 0) rows.push_back(row);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return std::pair(a.changed, a.distance) < std::pair(b.changed, b.distance);
  });
  if (rows.size() > kTriedRows) rows.resize(kTriedRows);
  std::vector<std::string> reported;
  for (const Row& row : rows) {
    Alone alone(resolved, node);
    Fix way;
    std::vector<std::string> parts;
    const NodeView mine(table.db(), *op.row, alone.model(), alone.node(), table.arch_index());
    for (int port = 0; port < facts.count; ++port) {
      if ((facts.dtypes[static_cast<size_t>(port)] & ~row.variant->masks[port]) == 0) continue;
      for (int i = 0; i < mine.tensors(port).count; ++i) {
        const Tensor* tensor = mine.tensor(port, i);
        if (tensor == nullptr) continue;
        const Dtype to = rules::NearestDtype(row.variant->masks[port], tensor->dtype);
        if (to == tensor->dtype) continue;
        Tensor& changed =
            alone.model().tensors[static_cast<size_t>(tensor - alone.model().tensors.data())];
        Retype(changed, to);
        way.edits.push_back({"set", fmt::format("tensors/{}/dtype", changed.name),
                             fmt::format("\"{}\"", DtypeName(to))});
        parts.push_back(fmt::format("{} {}", rules::PortName(mine, port, i), DtypeName(to)));
      }
    }
    if (parts.empty() || !Runs(table, alone.resolved, alone.node())) continue;
    const std::string text = rules::Join(parts, " and ");
    if (std::find(reported.begin(), reported.end(), text) != reported.end()) continue;
    reported.push_back(text);
    way.summary = fmt::format("make {} (row {})", text, table.db().str(row.variant->row->id));
    ways.push_back(std::move(way));
    if (reported.size() == kReportedRows) return;
  }
}

}  // namespace

void Suggestions::MakeElsewhere() {
  if (std::exchange(made_, true)) return;
  const auto add = [&](std::string arch, std::string sdk, std::string summary, bool other_arch) {
    const absl::StatusOr<Target> target = Target::Parse(
        {.backend = target_.backend(), .sdk = std::move(sdk), .soc = {}, .arch = std::move(arch)},
        database_);
    if (!target.ok()) return;
    elsewhere_.push_back(
        {std::move(summary), other_arch, std::make_unique<TargetTable>(database_.view(), *target)});
  };
  const std::vector<std::string> archs = database_.Archs(target_.backend());
  std::vector<SocInfo> socs = database_.Socs();
  for (size_t i = static_cast<size_t>(target_.arch_index()) + 1; i < archs.size(); ++i) {
    std::string chips;
    int listed = 0;
    for (const SocInfo& soc : socs) {
      if (soc.arch != archs[i] || listed == 3) continue;
      chips += (listed++ == 0 ? "" : ", ") + soc.name;
    }
    add(archs[i], target_.sdk(),
        chips.empty() ? fmt::format("target {}", archs[i])
                      : fmt::format("target {} ({}, …)", archs[i], chips),
        true);
  }
  for (const std::string& sdk : database_.Sdks(target_.backend())) {
    const auto key = ParseSdk(sdk);
    if (key.ok() && *key > target_.knowledge_key()) {
      add(target_.arch(), sdk, fmt::format("use SDK {} or later", sdk), false);
    }
  }
}

std::vector<Fix> Suggestions::For(const Resolved& resolved, const Node& node,
                              const std::vector<Finding>& findings) {
  std::vector<Fix> ways;
  const ActiveOp* op = table_.Find(node.op);
  if (op == nullptr) return ways;
  if (op->in_target) {
    TryEncodings(table_, *op, resolved, node, findings, ways);
    TryRows(table_, *op, resolved, node, ways);
  }
  MakeElsewhere();
  bool arch_reported = false, sdk_reported = false;
  for (const Elsewhere& other : elsewhere_) {
    bool& reported = other.other_arch ? arch_reported : sdk_reported;
    if (reported || !Runs(*other.table, resolved, node)) continue;
    reported = true;
    ways.push_back(rules::UnsafeFix(other.summary));
  }
  return ways;
}

}  // namespace quantgate
