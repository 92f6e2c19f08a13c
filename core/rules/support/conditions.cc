#include "core/rules/support/conditions.h"

#include <algorithm>

#include "core/rules/support/encoding_facts.h"
#include "core/rules/support/expr.h"

namespace quantgate::rules {
namespace {

using opdb::CondKey;

bool Contains(std::span<const int64_t> list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

bool AxesInclude(const NodeView& node, int param, std::span<const int64_t> wanted) {
  const Tensor* in = node.tensor(0);
  if (in == nullptr || in->unknown_rank) return false;
  const auto from_start = [&](int64_t axis) { return axis < 0 ? axis + in->rank() : axis; };
  for (const int64_t axis : node.param_ints(param)) {
    if (std::any_of(wanted.begin(), wanted.end(),
                    [&](int64_t one) { return from_start(one) == from_start(axis); })) {
      return true;
    }
  }
  return false;
}

bool KeepsShape(const NodeView& node) {
  const Tensor* in = node.tensor(0);
  const Tensor* out = node.tensor(node.op().input_count);
  return in != nullptr && out != nullptr && !in->unknown_rank && !out->unknown_rank &&
         in->dims == out->dims;
}

bool IsGraphInput(const NodeView& node, const Tensor& tensor) {
  const Model& graph = node.graph();
  return std::any_of(graph.inputs.begin(), graph.inputs.end(), [&](TensorId id) {
    return id != kNoTensor && &graph.tensors[static_cast<size_t>(id)] == &tensor;
  });
}

bool Holds(const NodeView& node, const opdb::CondRow& cond, int own_port) {
  const int port = cond.port >= 0 ? cond.port : own_port;
  const auto ints = node.db().get(cond.ints);
  const Tensor* tensor = port >= 0 ? node.tensor(port, cond.element) : nullptr;
  switch (cond.key) {
    case CondKey::kDtype:
      return tensor != nullptr && (MaskOf(tensor->dtype) & cond.mask) != 0;
    case CondKey::kDtypeNot:
      return tensor != nullptr && (MaskOf(tensor->dtype) & cond.mask) == 0;
    case CondKey::kBits:
      return tensor != nullptr && Contains(ints, EffectiveBits(*tensor));
    case CondKey::kEncoding:
      return tensor != nullptr && (MaskOf(QnnEncodingOf(tensor->encoding)) & cond.mask) != 0;
    case CondKey::kParam: {
      const auto value = node.param_int(cond.param);
      return value && Contains(ints, *value);
    }
    case CondKey::kParamNot: {
      const auto value = node.param_int(cond.param);
      return value && !Contains(ints, *value);
    }
    case CondKey::kRank:
      return tensor != nullptr && !tensor->unknown_rank && Contains(ints, tensor->rank());
    case CondKey::kRankMin:
      return tensor != nullptr && !tensor->unknown_rank && tensor->rank() >= ints[0];
    case CondKey::kAnyDimAbove:
      return tensor != nullptr && std::any_of(tensor->dims.begin(), tensor->dims.end(),
                                              [&](int64_t d) { return d > ints[0]; });
    case CondKey::kAnyDimNotMultiple:
      for (size_t i = 0; tensor != nullptr && i + 1 < ints.size(); i += 2) {
        const auto size = DimOf(*tensor, ints[i]);
        if (size && ints[i + 1] != 0 && *size % ints[i + 1] != 0) return true;
      }
      return false;
    case CondKey::kM:
    case CondKey::kMMin: {
      const int64_t last = static_cast<int64_t>(node.node().inputs.size()) - 1;
      return cond.key == CondKey::kM ? Contains(ints, last) : last >= ints[0];
    }
    case CondKey::kStatic:
      return tensor != nullptr && tensor->is_static == (ints[0] != 0);
    case CondKey::kPresent:
      return (tensor != nullptr) == (ints[0] != 0);
    case CondKey::kAxesInclude:
      return AxesInclude(node, cond.param, ints);
    case CondKey::kSymmetricPeer:
      return tensor != nullptr && IsSymmetric(*tensor) == (ints[0] != 0);
    case CondKey::kDimEq:
      for (size_t i = 0; i + 1 < ints.size(); i += 2) {
        if (tensor == nullptr || DimOf(*tensor, ints[i]) != ints[i + 1]) return false;
      }
      return true;
    case CondKey::kNoop:
      return KeepsShape(node) == (ints[0] != 0);
    case CondKey::kGraphInput:
      return tensor != nullptr && IsGraphInput(node, *tensor) == (ints[0] != 0);
  }
  return false;
}

}  // namespace

bool Applies(const NodeView& node, const opdb::ConstraintRow& constraint) {
  for (const opdb::CondRow& cond : node.db().get(constraint.when)) {
    if (!Holds(node, cond, constraint.port)) return false;
  }
  return true;
}

bool ConditionsReadFormOnly(const opdb::View& db, const opdb::ConstraintRow& constraint) {
  const auto conditions = db.get(constraint.when);
  return std::none_of(conditions.begin(), conditions.end(), [](const opdb::CondRow& cond) {
    return cond.key == CondKey::kSymmetricPeer || cond.key == CondKey::kGraphInput;
  });
}

}  // namespace quantgate::rules
