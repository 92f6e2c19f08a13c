#include "core/safety/safe_fixes.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/lower/resolve/encodings.h"
#include "core/safety/wanted_coding.h"

namespace quantgate::fix {
namespace {

// The tensors that findings name.
class NamedTensors {
 public:
  explicit NamedTensors(const Model& model) : model_(model) {}

  // kNoTensor where there is none of that name.
  TensorId Of(const Finding& finding) {
    if (finding.node_index >= 0) {
      const Node& node = model_.nodes[static_cast<size_t>(finding.node_index)];
      const auto is_named = [&](TensorId id) {
        return id != kNoTensor && Name(id) == finding.tensor;
      };
      const auto in = std::find_if(node.inputs.begin(), node.inputs.end(), is_named);
      if (in != node.inputs.end()) return *in;
      const auto out = std::find_if(node.outputs.begin(), node.outputs.end(), is_named);
      if (out != node.outputs.end()) return *out;
    }
    if (by_name_.empty()) {
      by_name_.reserve(model_.tensors.size());
      for (size_t t = 0; t < model_.tensors.size(); ++t) {
        by_name_.emplace(model_.tensors[t].name, static_cast<TensorId>(t));
      }
    }
    const auto known = by_name_.find(finding.tensor);
    return known == by_name_.end() ? kNoTensor : known->second;
  }

 private:
  const SharedString& Name(TensorId id) const {
    return model_.tensors[static_cast<size_t>(id)].name;
  }

  const Model& model_;
  absl::flat_hash_map<std::string_view, TensorId> by_name_;  // made when it is needed
};

// Fetches what is looked at for findings that come soon: their node, then its tensors, then their encodings and
// producers. In a graph larger than the caches, waiting for these was most of the time.
class Ahead {
 public:
  Ahead(const Model& model, const Producers& producers, const std::vector<Finding>& findings)
      : model_(model), producers_(producers), findings_(findings) {}

  // Of those after `finding`.
  void Fetch(const Finding& finding) const {
    const auto at = static_cast<size_t>(&finding - findings_.data());
    if (const Node* node = NodeOf(at + 3 * kStep)) __builtin_prefetch(node);
    EachTensor(at + 2 * kStep, [&](size_t id) { __builtin_prefetch(&model_.tensors[id]); });
    EachTensor(at + kStep, [&](size_t id) {
      __builtin_prefetch(&*model_.tensors[id].encoding);
      const int32_t producer = producers_[id];
      if (producer >= 0) __builtin_prefetch(&model_.nodes[static_cast<size_t>(producer)]);
    });
  }

 private:
  static constexpr size_t kStep = 8;

  const Node* NodeOf(size_t at) const {
    const int32_t node = at < findings_.size() ? findings_[at].node_index : -1;
    return node < 0 ? nullptr : &model_.nodes[static_cast<size_t>(node)];
  }
  template <typename See>
  void EachTensor(size_t at, const See& see) const {
    const Node* node = NodeOf(at);
    if (node == nullptr) return;
    const auto each = [&](const auto& ids) {
      for (const TensorId id : ids) {
        if (id != kNoTensor) see(static_cast<size_t>(id));
      }
    };
    each(node->inputs);
    each(node->outputs);
  }

  const Model& model_;
  const Producers& producers_;
  const std::vector<Finding>& findings_;
};

// The same zero points in the type of the other sign, which leaves the values of a constant equal;
// nothing where other changes are needed too.
std::optional<Coding> WithEqualValues(const Tensor& tensor, const Coding& now, const Coding& to) {
  if (!tensor.is_static || to.dtype != now.dtype || Same(now, to)) return std::nullopt;
  const Coding other = OtherSign(now);
  Coding wanted = to;
  wanted.dtype = other.dtype;
  if (other.dtype == now.dtype || !Same(other, wanted)) return std::nullopt;
  return other;
}

}  // namespace

Objection ObjectionTo(const Model& model, const ValueRanges& ranges, TensorId id, const Coding& now,
                      const Coding& to) {
  const Tensor& tensor = model.tensors[static_cast<size_t>(id)];
  // A constant in float of a model with an encodings file is quantized by whoever reads the two.
  const bool stored =
      tensor.is_static && (!HasOwnEncoding(tensor) || model.dialect == Dialect::kQnn);
  const bool moves_axis = tensor.is_static && now.encoding->axis != to.encoding->axis;
  return stored || moves_axis ? ObjectionToConstant(tensor, ranges.Held(id), now, to)
                              : ObjectionTo(ranges.Reaching(id), now, to);
}

void MarkSafeFixes(const Model& model, const Producers& producers, const opdb::View& database,
                   Report& report) {
  const auto has_edits = [](const Fix& fix) { return !fix.edits.empty(); };
  const auto is_editable = [&](const Finding& finding) {
    return std::any_of(finding.fixes.begin(), finding.fixes.end(), has_edits);
  };
  if (std::none_of(report.findings.begin(), report.findings.end(), is_editable)) return;
  NamedTensors tensors(model);
  const ValueRanges ranges(model, database, &producers);
  const Ahead ahead(model, producers, report.findings);
  for (Finding& finding : report.findings) {
    ahead.Fetch(finding);
    if (!is_editable(finding)) continue;
    const TensorId id = tensors.Of(finding);
    for (Fix& fix : finding.fixes) {
      if (fix.edits.empty()) continue;
      fix.safe = false;
      const std::optional<Coding> now = id == kNoTensor ? std::nullopt : ranges.CodingOf(id);
      if (!now) continue;
      const std::optional<Coding> to = WantedCoding(fix, finding.tensor, *now);
      if (!to) continue;
      const Tensor& tensor = model.tensors[static_cast<size_t>(id)];
      // Integers that the model's caller reads or writes stay what they are.
      const bool is_native = model.dialect == Dialect::kQnn;
      const bool changes = is_native ? to->dtype != now->dtype : !HasOwnEncoding(tensor);
      const bool raw = changes && (ranges.IsInput(id) || ranges.IsOutput(id));
      fix.safe = !raw && !ObjectionTo(model, ranges, id, *now, *to);
      // Rather than another zero point for the same integers. Whether a row has that type is seen
      // when the model is checked again.
      const auto other = fix.safe ? std::nullopt : WithEqualValues(tensor, *now, *to);
      if (!other) continue;
      fix.summary = fmt::format("write \"{}\" as {} with equal values", tensor.name,
                                DtypeName(other->dtype));
      fix.edits = {{"set", fmt::format("tensors/{}/dtype", tensor.name),
                    fmt::format("\"{}\"", DtypeName(other->dtype))}};
    }
  }
}

}  // namespace quantgate::fix
