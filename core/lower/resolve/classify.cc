// The first passes of SourceResolver: what each node is, which tensors are constants, and the
// encodings of Q and DQ nodes.
#include <algorithm>
#include <array>
#include <optional>

#include "absl/strings/str_cat.h"
#include "core/ir/encoding_math.h"
#include "core/lower/resolve/node_scope.h"
#include "core/lower/resolve/source_resolver.h"

namespace quantgate {

using mapping::Role;
using mapping::Value;

void SourceResolver::Classify() {
  const size_t node_count = file_.nodes.size(), tensor_count = file_.tensors.size();
  states_.resize(node_count);
  producer_.assign(tensor_count, -1);
  alias_.resize(tensor_count);
  constant_.resize(tensor_count);
  passed_.assign(tensor_count, -1);
  border_.resize(tensor_count);
  graph_output_.resize(tensor_count);
  graph_input_.resize(tensor_count);
  for (size_t t = 0; t < tensor_count; ++t) {
    alias_[t] = static_cast<TensorId>(t);
    constant_[t] = file_.tensors[t].is_static;
  }
  for (const TensorId id : file_.outputs) graph_output_[static_cast<size_t>(id)] = true;
  for (const TensorId id : file_.inputs) graph_input_[static_cast<size_t>(id)] = true;
  for (size_t i = 0; i < node_count; ++i) {
    ClassifyNode(static_cast<int32_t>(i));
  }
}

void SourceResolver::ClassifyNode(int32_t index) {
  const Node& node = file_.nodes[static_cast<size_t>(index)];
  NodeState& state = states_[static_cast<size_t>(index)];
  for (const TensorId id : node.outputs) {
    if (id != kNoTensor) producer_[static_cast<size_t>(id)] = index;
  }
  SourceNode& source = resolved_.sources[static_cast<size_t>(index)];
  if (!node.unchecked_reason.empty()) {
    source.state = SourceNode::State::kUnchecked;
    source.reason = node.unchecked_reason;
    Report(index, rules::kControlFlow, Consequence::kUnchecked,
           node.unchecked_reason);
    return;
  }
  state.mapping = mapping_.Find(node.domain, node.op);
  const auto op = [&node] {
    return node.domain.empty() ? node.op.str()
                               : absl::StrCat(node.domain.str(), ".", node.op.str());
  };
  if (state.mapping == nullptr) {
    Uncheck(index, absl::StrCat("no mapping for ", op()));
    return;
  }
  if (!state.mapping->error.empty()) {
    Uncheck(index,
            absl::StrCat("the mapping of ", op(), " is faulty: ", state.mapping->error));
    return;
  }
  if ((state.mapping->role == Role::kQuantize || state.mapping->role == Role::kDequantize) &&
      (node.inputs.empty() || node.inputs[0] == kNoTensor || node.outputs.empty() ||
       node.outputs[0] == kNoTensor)) {
    Uncheck(index, "it lacks its input or its output");
    return;
  }
  AssignRole(index);
}

void SourceResolver::AssignRole(int32_t index) {
  const Node& node = file_.nodes[static_cast<size_t>(index)];
  NodeState& state = states_[static_cast<size_t>(index)];
  Role role = state.mapping->role;
  // Shapes of the file only: who quantizes what is not known yet.
  const auto has_rank = [&](const auto& ids) {
    return !ids.empty() && ids[0] != kNoTensor && !FileTensor(ids[0]).unknown_rank;
  };
  if (role == Role::kOp && !state.mapping->unchanged.empty() && has_rank(node.inputs) &&
      has_rank(node.outputs) && state.mapping->unchanged.Holds(NodeScope(*this, index))) {
    role = Role::kIdentity;
  }
  switch (role) {
    case Role::kOp:
      state.kind = Kind::kOp;
      break;
    case Role::kQuantize:
      state.kind = Kind::kQuantize;
      if (!state.mapping->cases.empty() && !state.mapping->cases[0].steps.empty()) {
        quantize_op_ = state.mapping->cases[0].steps[0].op;
      }
      break;
    case Role::kDequantize:
      state.kind = Kind::kDequantize;
      if (!state.mapping->cases.empty() && !state.mapping->cases[0].steps.empty()) {
        dequantize_op_ = state.mapping->cases[0].steps[0].op;
      }
      break;
    case Role::kConstant:
      state.kind = Kind::kConstant;
      break;
    case Role::kIdentity:
      if (const mapping::OpMapping* conversion = Reencoding(node)) {
        state.kind = Kind::kOp;
        state.mapping = conversion;
        break;
      }
      state.kind = Kind::kIdentity;
      if (!node.inputs.empty() && !node.outputs.empty() && node.inputs[0] != kNoTensor &&
          node.outputs[0] != kNoTensor) {
        const TensorId in = Real(node.inputs[0]);
        alias_[static_cast<size_t>(node.outputs[0])] = in;
        if (graph_output_[static_cast<size_t>(node.outputs[0])]) {
          graph_output_[static_cast<size_t>(in)] = true;
        }
      }
      break;
  }
}

const mapping::OpMapping* SourceResolver::Reencoding(const Node& node) {
  if (node.inputs.empty() || node.outputs.empty() || node.inputs[0] == kNoTensor ||
      node.outputs[0] == kNoTensor) {
    return nullptr;
  }
  const Tensor& from = FileTensor(Real(node.inputs[0]));
  const Tensor& to = FileTensor(node.outputs[0]);
  if (!HasOwnEncoding(to) || from.is_static) return nullptr;
  if (!HasOwnEncoding(from)) {
    return IsFloat(from.dtype) ? mapping_.IdentityConversion("quantize") : nullptr;
  }
  const bool same = from.dtype == to.dtype && SameEncoding(from.encoding, to.encoding);
  return same ? nullptr : mapping_.IdentityConversion("convert");
}

// From the end: what only such nodes read is not read either. A node that writes into a constant
// (a buffer), or into a part of what others read (`in_place`), works without being read.
void SourceResolver::DropUnread() {
  std::vector<bool> read = graph_output_;
  for (size_t i = file_.nodes.size(); i-- > 0;) {
    const Node& node = file_.nodes[i];
    const auto given = [](TensorId id) { return id != kNoTensor; };
    const bool writes = !node.inputs.empty() && given(node.inputs[0]) &&
                        (FileTensor(node.inputs[0]).is_static || node.FindParam("in_place") != nullptr);
    const bool used = std::any_of(node.outputs.begin(), node.outputs.end(), [&](TensorId id) {
      return given(id) && (read[static_cast<size_t>(id)] || read[static_cast<size_t>(Real(id))]);
    });
    if (!used && !writes && !node.outputs.empty()) {
      states_[i].kind = Kind::kUnread;
      SourceNode& source = resolved_.sources[i];
      source.state = SourceNode::State::kOps;
      source.reason = {};
      std::erase_if(resolved_.findings, [&](const Finding& f) {
        return f.node_index == static_cast<int32_t>(i);
      });
      continue;
    }
    for (const TensorId id : node.inputs) {
      if (given(id)) read[static_cast<size_t>(id)] = true;
    }
  }
}

void SourceResolver::CountReaders() {
  reader_begin_.assign(file_.tensors.size() + 1, 0);
  const auto each = [&](auto&& use) {
    for (size_t i = 0; i < file_.nodes.size(); ++i) {
      if (states_[i].kind == Kind::kIdentity || states_[i].kind == Kind::kUnread) continue;
      for (const TensorId id : file_.nodes[i].inputs) {
        if (id != kNoTensor) use(static_cast<size_t>(Real(id)), static_cast<int32_t>(i));
      }
    }
  };
  each([&](size_t t, int32_t) { ++reader_begin_[t + 1]; });
  for (size_t t = 1; t < reader_begin_.size(); ++t) reader_begin_[t] += reader_begin_[t - 1];
  readers_.resize(static_cast<size_t>(reader_begin_.back()));
  std::vector<int32_t> next(reader_begin_.begin(), reader_begin_.end() - 1);
  each([&](size_t t, int32_t node) { readers_[static_cast<size_t>(next[t]++)] = node; });
}

std::span<const int32_t> SourceResolver::Readers(TensorId id) const {
  const auto begin = static_cast<size_t>(reader_begin_[static_cast<size_t>(id)]);
  const auto end = static_cast<size_t>(reader_begin_[static_cast<size_t>(id) + 1]);
  return std::span<const int32_t>(readers_).subspan(begin, end - begin);
}

const TensorValues* SourceResolver::ValuesOf(TensorId id) const {
  if (const auto& values = FileTensor(id).values) return values.get();
  const auto it = constants_.find(id);
  return it != constants_.end() ? &it->second : nullptr;
}

void SourceResolver::KeepConstant(const Node& node, TensorId id) {
  // Of a constant node the values are in whichever attribute it has.
  for (const Param& param : node.params) {
    TensorValues values;
    if (const auto* tensor = std::get_if<TensorParam>(&param.value)) {
      values.ints = tensor->ints;
      values.reals = tensor->reals;
    } else if (const auto* reals = std::get_if<std::vector<double>>(&param.value)) {
      values.reals = *reals;
    } else if (const auto* real = std::get_if<double>(&param.value)) {
      values.reals = {*real};
    } else if (std::optional<std::vector<int64_t>> ints = IntsOf(param.value)) {
      values.ints = std::move(*ints);
    }
    if (!values.ints.empty() || !values.reals.empty()) {
      constants_.emplace(id, std::move(values));
      return;
    }
  }
}

void SourceResolver::FindConstants() {
  const bool keeps_constant_ops = route_["keeps_constant_ops"].flag().value_or(false);
  for (size_t i = 0; i < file_.nodes.size(); ++i) {
    const Node& node = file_.nodes[i];
    NodeState& state = states_[i];
    const auto mark = [&] {
      for (const TensorId id : node.outputs) {
        if (id != kNoTensor) constant_[static_cast<size_t>(id)] = true;
      }
    };
    if (state.kind == Kind::kConstant) {
      mark();
      if (!node.outputs.empty() && node.outputs[0] != kNoTensor &&
          ValuesOf(node.outputs[0]) == nullptr) {
        KeepConstant(node, node.outputs[0]);
      }
      continue;
    }
    if (state.kind == Kind::kQuantize) {
      // Quantized weights kept in float in the file.
      if (!node.inputs.empty() && node.inputs[0] != kNoTensor && IsConstant(Real(node.inputs[0]))) {
        mark();
      }
      continue;
    }
    if (state.kind != Kind::kOp) continue;
    if (!state.mapping->fold.empty()) {
      const Value value = state.mapping->fold.Eval(NodeScope(*this, static_cast<int32_t>(i)));
      const std::optional<mapping::Ints> ints = value.AsInts();
      bool known = ints.has_value();
      for (size_t k = 0; known && k < ints->size(); ++k) known = (*ints)[k] >= 0;
      if (known && !node.outputs.empty() && node.outputs[0] != kNoTensor) {
        state.kind = Kind::kFolded;
        mark();
        constants_[node.outputs[0]].ints.assign(ints->begin(), ints->end());
        continue;
      }
    }
    bool any = false, all = true;
    for (const TensorId id : node.inputs) {
      if (id == kNoTensor) continue;
      any = true;
      all &= IsConstant(Real(id));
    }
    if (any && all && !keeps_constant_ops) {
      state.kind = Kind::kFolded;
      mark();
    }
  }
}

void SourceResolver::ReadEncodings() {
  for (size_t i = 0; i < file_.nodes.size(); ++i) {
    const Node& node = file_.nodes[i];
    NodeState& state = states_[i];
    const bool quantize = state.kind == Kind::kQuantize;
    if (!quantize && state.kind != Kind::kDequantize) continue;
    const auto index = static_cast<int32_t>(i);
    const auto input = [&](size_t k) {
      const TensorId id = k < node.inputs.size() ? node.inputs[k] : kNoTensor;
      return id != kNoTensor ? Real(id) : kNoTensor;
    };
    const auto values = [&](size_t k) {
      return input(k) != kNoTensor ? ValuesOf(input(k)) : nullptr;
    };
    const Tensor& quantized = FileTensor(quantize ? node.outputs[0] : input(0));
    // Nodes of the same scale and zero point share an encoding.
    const auto [known, added] = first_reader_.try_emplace(
        std::array{int{input(1)}, int{input(2)}, static_cast<int>(quantized.dtype),
                   quantized.rank()},
        index);
    if (!added) {
      const auto at = static_cast<size_t>(known->second);
      const Params& params = file_.nodes[at].params;
      if (states_[at].encoding >= 0 &&
          (params.SharesWith(node.params) || (params.empty() && node.params.empty()))) {
        state.encoding = states_[at].encoding;
        continue;
      }
    }
    NodeEncoding encoding = EncodingOf(file_, node, quantized, values(1), values(2));
    if (!encoding.problem.empty()) {
      state.kind = Kind::kUnknown;
      if (encoding.dynamic) {
        Report(index, rules::kDynamicQuantization, Consequence::kRejected,
               absl::StrCat(node.op.str(), ": ", encoding.problem.str()), node.outputs[0]);
        resolved_.sources[i].state = SourceNode::State::kRefused;
      } else {
        Uncheck(index, encoding.problem.str());
      }
      continue;
    }
    state.encoding = static_cast<int32_t>(encodings_.size());
    encodings_.push_back(std::move(encoding));
  }
  ReadOwnEncodings();
}

// A constant that is dequantized, goes through one op of one input and is quantized again is folded (so does ONNX
// Runtime). Without an op between, and with the same encoding, the two are dropped. (Exporters share
// parameters by Identity, which ends up there.)
void SourceResolver::FoldQuantizedConstants() {
  if (route_["keeps_constant_ops"].flag().value_or(false)) return;
  for (size_t i = 0; i < file_.nodes.size(); ++i) {
    NodeState& state = states_[i];
    if (state.kind != Kind::kQuantize || state.encoding < 0) continue;
    const TensorId in = Real(file_.nodes[i].inputs[0]), out = file_.nodes[i].outputs[0];
    if (const int32_t maker = Producer(in); maker >= 0 && OnlyQuantizeOf(in) == static_cast<int32_t>(i)) {
      const Node& op = file_.nodes[static_cast<size_t>(maker)];
      NodeState& made = states_[static_cast<size_t>(maker)];
      if (made.kind == Kind::kOp && op.inputs.size() == 1 && op.outputs.size() == 1 &&
          IsDequantizedConstant(Real(op.inputs[0]))) {
        made.kind = Kind::kFolded;
        constant_[static_cast<size_t>(in)] = constant_[static_cast<size_t>(out)] = true;
      }
      if (made.kind != Kind::kDequantize) continue;
    }
    if (!IsDequantizedConstant(in)) continue;
    const int32_t dq = DequantizeOf(in);
    const NodeEncoding& from = encodings_[static_cast<size_t>(states_[static_cast<size_t>(dq)].encoding)];
    const NodeEncoding& to = encodings_[static_cast<size_t>(state.encoding)];
    if (from.dtype != to.dtype || !SameEncoding(*from.encoding, *to.encoding)) continue;
    alias_[static_cast<size_t>(out)] = QuantizedInput(dq);
    constant_[static_cast<size_t>(out)] = true;
    state.kind = Kind::kFolded;
  }
}

bool SourceResolver::IsDequantizedConstant(TensorId id) const {
  const int32_t dq = id == kNoTensor ? -1 : DequantizeOf(id);
  return dq >= 0 && states_[static_cast<size_t>(dq)].encoding >= 0 && IsConstant(QuantizedInput(dq));
}

void SourceResolver::ReadOwnEncodings() {
  for (size_t t = 0; t < file_.tensors.size(); ++t) {
    const Tensor& tensor = file_.tensors[t];
    if (!HasOwnEncoding(tensor)) continue;
    annotated_ = true;
    passed_[t] = static_cast<int32_t>(encodings_.size());
    // QNN has no tensors of four bits: they travel in eight.
    NodeEncoding own{tensor.encoding, FixedPointOf(tensor.dtype), {}, false};
    const int bitwidth = BitwidthOf(tensor.dtype);
    if (bitwidth != 0 && own.encoding->bitwidth == 0) own.encoding.Edit().bitwidth = bitwidth;
    encodings_.push_back(std::move(own));
  }
  if (!annotated_) return;
  if (quantize_op_.empty()) quantize_op_ = mapping_.OpOfRole("quantize");
  if (dequantize_op_.empty()) dequantize_op_ = mapping_.OpOfRole("dequantize");
}

}  // namespace quantgate
