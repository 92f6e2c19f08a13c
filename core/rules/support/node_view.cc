#include "core/rules/support/node_view.h"

#include <algorithm>
#include <type_traits>

namespace quantgate::rules {

NodeView::NodeView(const opdb::View& db, const opdb::OpRow& op, const Model& graph,
                   const Node& node, int arch_index)
    : db_(db), op_(op), graph_(graph), node_(node), arch_index_(arch_index) {
  const auto ports = db.get(op.ports);
  port_count_ = static_cast<int>(ports.size());
  const auto bind = [&](int first, int declared, const TensorId* ids, int given, int& extra) {
    for (int i = 0; i < declared; ++i) {
      const bool variadic = (ports[first + i].flags & opdb::kPortVariadic) != 0;
      int count = std::clamp(given - i, 0, variadic ? given : 1);
      if (!variadic && count == 1 && ids[i] == kNoTensor) count = 0;
      ids_[first + i] = ids + i;
      counts_[first + i] = count;
    }
    const bool open =
        declared > 0 && (ports[first + declared - 1].flags & opdb::kPortVariadic) != 0;
    extra = open ? 0 : std::max(0, given - declared);
  };
  bind(0, op.input_count, node.inputs.data(), static_cast<int>(node.inputs.size()), extra_inputs_);
  bind(op.input_count, op.output_count, node.outputs.data(), static_cast<int>(node.outputs.size()),
       extra_outputs_);
}

void NodeView::BindParams() const {
  params_bound_ = true;
  const auto params = db_.get(op_.params);
  const size_t declared = params.size();
  std::fill_n(params_.begin(), declared, nullptr);
  size_t next = 0;  // files mostly keep the declared order
  for (const Param& param : node_.params) {
    bool found = false;
    for (size_t k = 0; k < declared && !found; ++k) {
      const size_t i = (next + k) % declared;
      if (db_.str(params[i].name) == param.name) {
        params_[i] = &param.value;
        next = i + 1;
        found = true;
      }
    }
    if (!found && unknown_param_ == nullptr) unknown_param_ = &param;
  }
}

std::span<const int64_t> NodeView::param_ints(int param) const {
  if (param < 0) return {};
  const ParamValue* value = given(param);
  if (value == nullptr) return db_.get(db_.get(op_.params)[param].default_ints);
  return std::visit(
      [&](const auto& v) -> std::span<const int64_t> {
        using T = std::decay_t<decltype(v)>;
        const auto scalar = [&](int64_t n) {
          scalars_[param] = n;
          return std::span<const int64_t>(&scalars_[param], 1);
        };
        if constexpr (std::is_same_v<T, IntParam>) {
          return scalar(v.value);
        } else if constexpr (std::is_same_v<T, UintParam>) {
          return scalar(static_cast<int64_t>(v.value));
        } else if constexpr (std::is_same_v<T, bool>) {
          return scalar(v ? 1 : 0);
        } else if constexpr (std::is_same_v<T, TensorParam>) {
          return v.ints;
        } else if constexpr (std::is_same_v<T, std::vector<int64_t>>) {
          return v;
        } else {
          return {};
        }
      },
      *value);
}

bool NodeView::at_default(int param) const {
  if (param < 0 || given(param) == nullptr) return false;
  const auto& row = db_.get(op_.params)[param];
  const auto ints = db_.get(row.default_ints), values = param_ints(param);
  if (!values.empty()) return std::equal(values.begin(), values.end(), ints.begin(), ints.end());
  const auto reals = db_.get(row.default_reals);
  return reals.size() == 1 && param_real(param) == reals[0];
}

std::optional<int64_t> NodeView::param_int(int param) const {
  const auto ints = param_ints(param);
  if (ints.size() != 1) return std::nullopt;
  return ints[0];
}

std::optional<double> NodeView::param_real(int param) const {
  if (param < 0) return std::nullopt;
  if (const ParamValue* value = given(param)) return RealOf(*value);
  const auto& row = db_.get(op_.params)[param];
  if (const auto reals = db_.get(row.default_reals); reals.size() == 1) return reals[0];
  if (const auto ints = db_.get(row.default_ints); ints.size() == 1) {
    return static_cast<double>(ints[0]);
  }
  return std::nullopt;
}

std::optional<int64_t> NodeView::FileAxis(const Tensor& tensor, int64_t axis) const {
  if (layout_ == nullptr) return std::nullopt;
  const auto it = layout_->find(static_cast<TensorId>(&tensor - graph_.tensors.data()));
  if (it == layout_->end() || axis < 0 || axis >= static_cast<int64_t>(it->second.size())) {
    return std::nullopt;
  }
  const int64_t file_axis = it->second[static_cast<size_t>(axis)];
  return file_axis == axis ? std::nullopt : std::optional<int64_t>(file_axis);
}

}  // namespace quantgate::rules
