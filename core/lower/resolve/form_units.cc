// The pass of SourceResolver that forms units: which ops run quantized, and what they take in.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/base/absl_view.h"
#include "core/lower/resolve/node_scope.h"
#include "core/lower/resolve/source_resolver.h"

namespace quantgate {

using mapping::Value;

int32_t SourceResolver::DequantizeOf(TensorId id) const {
  const int32_t node = Producer(id);
  return node >= 0 && states_[static_cast<size_t>(node)].kind == Kind::kDequantize ? node : -1;
}

int32_t SourceResolver::OnlyQuantizeOf(TensorId id) const {
  if (graph_output_[static_cast<size_t>(id)]) return -1;
  const std::span<const int32_t> readers = Readers(id);
  if (readers.size() != 1) return -1;
  return states_[static_cast<size_t>(readers[0])].kind == Kind::kQuantize ? readers[0] : -1;
}

TensorId SourceResolver::QuantizedInput(int32_t dq) const {
  return Real(file_.nodes[static_cast<size_t>(dq)].inputs[0]);
}

int32_t SourceResolver::EncodingFor(TensorId id) const {
  const int32_t dq = DequantizeOf(id);
  return dq >= 0 ? states_[static_cast<size_t>(dq)].encoding : passed_[static_cast<size_t>(id)];
}

int32_t SourceResolver::EncodingBehind(TensorId id) const {
  const int32_t q = OnlyQuantizeOf(id);
  return q >= 0 ? states_[static_cast<size_t>(q)].encoding : passed_[static_cast<size_t>(id)];
}

TensorId SourceResolver::QuantizedSource(TensorId id) const {
  const int32_t dq = DequantizeOf(id);
  return dq >= 0 ? QuantizedInput(dq) : id;
}

TensorId SourceResolver::QuantizedResult(TensorId id) const {
  const int32_t q = OnlyQuantizeOf(id);
  return q >= 0 ? file_.nodes[static_cast<size_t>(q)].outputs[0] : id;
}

bool SourceResolver::IsPerTensor(int32_t encoding) const {
  return encoding >= 0 &&
         encodings_[static_cast<size_t>(encoding)].encoding->kind == EncodingKind::kPerTensor;
}

// Q after an op that moves values, and nothing quantized before it: the Q counts before it too.
void SourceResolver::PassBackward() {
  for (size_t k = file_.nodes.size(); k-- > 0;) {
    const Node& node = file_.nodes[k];
    const NodeState& state = states_[k];
    if (state.kind != Kind::kOp || !state.mapping->passes || node.inputs.empty() ||
        node.outputs.size() != 1 || node.inputs[0] == kNoTensor || node.outputs[0] == kNoTensor) {
      continue;
    }
    const TensorId in = Real(node.inputs[0]);
    const int32_t encoding = EncodingBehind(node.outputs[0]);
    if (!IsPerTensor(encoding) || EncodingFor(in) >= 0 || IsConstant(in) ||
        graph_output_[static_cast<size_t>(in)] || Readers(in).size() != 1 ||
        !IsFloat(FileTensor(in).dtype)) {
      continue;
    }
    passed_[static_cast<size_t>(in)] = encoding;
  }
}

// DQ before an op that moves values, and no Q after it: the encoding counts after it too.
void SourceResolver::PassForward(int32_t index) {
  const Node& node = file_.nodes[static_cast<size_t>(index)];
  NodeState& state = states_[static_cast<size_t>(index)];
  if (node.inputs.empty() || node.inputs[0] == kNoTensor || node.outputs.size() != 1 ||
      node.outputs[0] == kNoTensor || state.chosen == nullptr) {
    return;
  }
  const TensorId in = Real(node.inputs[0]), out = node.outputs[0];
  const int32_t encoding = EncodingFor(in);
  if (!IsPerTensor(encoding) || passed_[static_cast<size_t>(out)] >= 0) return;
  for (const int32_t reader : Readers(out)) {
    if (states_[static_cast<size_t>(reader)].kind == Kind::kQuantize) return;
  }
  passed_[static_cast<size_t>(out)] = encoding;
  if (IsConstant(QuantizedSource(in))) {
    // Folded before the graph is handed over.
    state.kind = Kind::kFolded;
    constant_[static_cast<size_t>(out)] = true;
  }
}

const mapping::Case* SourceResolver::ChooseCase(int32_t node) {
  const NodeScope scope(*this, node);
  for (const mapping::Case& c : states_[static_cast<size_t>(node)].mapping->cases) {
    if (c.when.empty() || c.when.Holds(scope)) return &c;
  }
  return nullptr;
}

// Inputs that no port shows are shapes, bounds and the like. Of a form that is refused all may be ports: the
// operator forms units nevertheless, where other forms of it are translated.
bool SourceResolver::IsPort(const NodeState& state, size_t input) const {
  if (state.chosen == nullptr) return true;
  if (state.chosen->steps.empty() && state.mapping->IsTranslated()) return true;
  for (const mapping::Step& step : state.chosen->steps) {
    if (step.all_inputs) return true;
    for (const mapping::PortSpec& spec : step.inputs) {
      const auto at = static_cast<size_t>(spec.index);
      if (spec.source == mapping::PortSpec::Source::kFile && at == input) return true;
      if (spec.source == mapping::PortSpec::Source::kRest && at <= input) return true;
    }
  }
  return false;
}

bool SourceResolver::IsAnnotatedUnit(int32_t index, bool& touches_quantized,
                                     std::vector<TensorId>* missing) const {
  const Node& node = file_.nodes[static_cast<size_t>(index)];
  const NodeState& state = states_[static_cast<size_t>(index)];
  bool unit = state.chosen != nullptr;
  touches_quantized = false;
  const auto lacks = [&](TensorId id) {
    unit = false;
    // A float of 16 bits is what an encodings file asks for, nothing that is missing.
    if (missing != nullptr && FileTensor(id).dtype != Dtype::kFloat16) missing->push_back(id);
  };
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i] == kNoTensor || !IsPort(state, i)) continue;
    const TensorId id = Real(node.inputs[i]);
    if (EncodingFor(id) >= 0) {
      touches_quantized = true;
      continue;
    }
    // The tool quantizes a constant bias.
    const bool bias = static_cast<int>(i) == state.mapping->bias && IsConstant(id);
    if (!bias && (IsFloat(FileTensor(id).dtype) || FileTensor(id).dtype == Dtype::kUndefined)) {
      lacks(id);
    }
  }
  if (state.added != kNoTensor && EncodingFor(state.added) < 0 && !IsConstant(state.added)) {
    lacks(state.added);
  }
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i] == kNoTensor) continue;
    const TensorId id = LastOutput(index, i);
    if (EncodingBehind(id) >= 0) {
      touches_quantized = true;
    } else if (IsFloat(FileTensor(id).dtype) || FileTensor(id).dtype == Dtype::kUndefined) {
      lacks(id);
    }
  }
  return unit && touches_quantized;
}

bool SourceResolver::IsUnit(int32_t index, bool& touches_quantized, std::string* why) const {
  if (annotated_) return IsAnnotatedUnit(index, touches_quantized);
  const Node& node = file_.nodes[static_cast<size_t>(index)];
  const NodeState& state = states_[static_cast<size_t>(index)];
  bool unit = !state.mapping->float_only && state.chosen != nullptr;
  touches_quantized = false;
  const auto fails = [&](auto... text) {
    if (unit && why != nullptr) *why = absl::StrCat(text...);
    unit = false;
  };
  Dtype first = Dtype::kUndefined;
  size_t first_at = 0;
  const auto differs = [&](const char* port, size_t i, Dtype dtype) {
    if (route_["units_of_any_dtypes"].flag().value_or(false)) return;
    fails("in[", first_at, "] is ", Absl(DtypeName(first)), " and ", port, "[", i, "] is ", Absl(DtypeName(dtype)),
          ", which must be the same");
  };
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i] == kNoTensor || !IsPort(state, i)) continue;
    const TensorId id = Real(node.inputs[i]);
    const int32_t encoding = EncodingFor(id);
    if (static_cast<int>(i) == state.mapping->bias) {
      touches_quantized |= encoding >= 0;
      if (IsBias(id) && (encoding >= 0 || !state.mapping->stored_bias)) continue;
      const Dtype dtype = encoding >= 0 ? encodings_[static_cast<size_t>(encoding)].dtype : FileTensor(id).dtype;
      fails("in[", i, "], its bias, is ", Absl(DtypeName(dtype)), encoding >= 0 || IsConstant(id) ? "" : " and computed",
            ", not SFIXED_POINT_32");
      continue;
    }
    if (encoding < 0) {
      if (IsQuantizedScalar(index, id)) continue;
      if (IsFloat(FileTensor(id).dtype) || FileTensor(id).dtype == Dtype::kUndefined) {
        fails("in[", i, "] comes from no DequantizeLinear");
      }
      continue;
    }
    touches_quantized = true;
    const Dtype dtype = encodings_[static_cast<size_t>(encoding)].dtype;
    if (first == Dtype::kUndefined) first = dtype, first_at = i;
    if (dtype != first && (state.mapping->same_inputs ||
                           (static_cast<int>(i) == state.mapping->weight && first == Dtype::kSfixedPoint8))) {
      differs("in", i, dtype);
    }
  }
  for (size_t i = 1; state.mapping->single_input && i < node.inputs.size(); ++i) {
    if (node.inputs[i] != kNoTensor && EncodingFor(Real(node.inputs[i])) >= 0) {
      fails("in[", i, "] is quantized, and only in[0] may be");
    }
  }
  if (state.added != kNoTensor && !IsBias(state.added)) fails("what is added to it is no bias of 32 bits");
  if (first == Dtype::kUndefined) fails("none of its inputs comes from a DequantizeLinear");
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i] == kNoTensor) continue;
    const TensorId id = LastOutput(index, i);
    for (const int32_t reader : Readers(id)) {
      touches_quantized |= states_[static_cast<size_t>(reader)].kind == Kind::kQuantize;
    }
    const Dtype dtype = FileTensor(id).dtype;
    if (!IsFloat(dtype) && dtype != Dtype::kUndefined) continue;
    const int32_t encoding = EncodingBehind(id);
    if (encoding < 0 && state.mapping->open) continue;
    if (encoding < 0) {
      fails("out[", i, "] goes to no QuantizeLinear, or to others too");
    } else if (const Dtype behind = encodings_[static_cast<size_t>(encoding)].dtype; behind != first) {
      differs("out", i, behind);
    }
  }
  return unit;
}

// Whether every value that the encoding can express lies within the activation's bounds
// (ONNX Runtime drops such an activation: its bounds, quantized, are not inside the range).
bool SourceResolver::MakesRedundant(int32_t activation, int32_t encoding) const {
  const NodeState& state = states_[static_cast<size_t>(activation)];
  const NodeEncoding& q = encodings_[static_cast<size_t>(encoding)];
  if (q.encoding->kind != EncodingKind::kPerTensor) return false;
  const double scale = q.encoding->scales[0];
  const double zero = q.encoding->zero_points.empty() ? 0 : q.encoding->zero_points[0];
  if (!(scale > 0)) return false;
  const NodeScope scope(*this, activation);
  if (!state.mapping->clamp_min.empty()) {
    const Value bound = state.mapping->clamp_min.Eval(scope);
    const std::optional<double> low = bound.AsReal();
    if (!low && !(bound.null() && bound.why == Value::Why::kAbsent)) return false;
    if (low && std::round(*low / scale) + zero >
                   static_cast<double>(StoredMin(q.dtype, q.encoding->bitwidth))) {
      return false;
    }
  }
  if (!state.mapping->clamp_max.empty()) {
    const Value bound = state.mapping->clamp_max.Eval(scope);
    const std::optional<double> high = bound.AsReal();
    if (!high && !(bound.null() && bound.why == Value::Why::kAbsent)) return false;
    if (high && std::round(*high / scale) + zero <
                    static_cast<double>(StoredMax(q.dtype, q.encoding->bitwidth))) {
      return false;
    }
  }
  return true;
}

TensorId SourceResolver::LastOutput(int32_t index, size_t i) const {
  const NodeState& state = states_[static_cast<size_t>(index)];
  const int32_t last = i == 0 && state.fused >= 0 ? state.fused : index;
  return file_.nodes[static_cast<size_t>(last)].outputs[i];
}

// Biases are int32; the tool quantizes constants in float itself.
bool SourceResolver::IsBias(TensorId id) const {
  const int32_t encoding = EncodingFor(id);
  if (encoding < 0) return IsConstant(id);
  return encodings_[static_cast<size_t>(encoding)].dtype == Dtype::kSfixedPoint32;
}

bool SourceResolver::IsQuantizedScalar(int32_t index, TensorId id) const {
  const Tensor& tensor = FileTensor(id);
  return states_[static_cast<size_t>(index)].mapping->quantized_scalars && IsConstant(id) &&
         tensor.dtype == Dtype::kFloat32 && tensor.rank() == 0 && EncodingFor(id) < 0;
}

// A MatMul whose only reader adds a vector is one op with a bias, where that makes a unit.
void SourceResolver::FuseAddition(int32_t index) {
  NodeState& state = states_[static_cast<size_t>(index)];
  const Node& node = file_.nodes[static_cast<size_t>(index)];
  if (state.chosen == nullptr || node.outputs.size() != 1 || node.outputs[0] == kNoTensor) return;
  const TensorId out = node.outputs[0];
  if (graph_output_[static_cast<size_t>(out)] || Readers(out).size() != 1) return;
  const int32_t next = Readers(out)[0];
  const Node& add = file_.nodes[static_cast<size_t>(next)];
  NodeState& addition = states_[static_cast<size_t>(next)];
  if (annotated_ && EncodingBehind(out) >= 0) return;
  if (addition.kind != Kind::kOp || add.op != state.mapping->adds || !add.domain.empty() ||
      add.inputs.size() != 2 || add.outputs.size() != 1 || add.outputs[0] == kNoTensor) {
    return;
  }
  const bool takes_bias = std::any_of(
      state.chosen->steps.begin(), state.chosen->steps.end(), [](const mapping::Step& step) {
        return std::any_of(step.inputs.begin(), step.inputs.end(), [](const auto& spec) {
          return spec.source == mapping::PortSpec::Source::kAdded;
        });
      });
  const size_t other = Real(add.inputs[0]) == out ? 1 : 0;
  if (!takes_bias || add.inputs[other] == kNoTensor) return;
  const TensorId added = Real(add.inputs[other]);
  const int32_t dq = DequantizeOf(added);
  const Tensor& shape = FileTensor(dq >= 0 ? QuantizedInput(dq) : added);
  const Tensor& product = FileTensor(out);
  if (shape.rank() != 1 || product.rank() < 1 || shape.dims[0] != product.dims.back()) return;
  state.fused = next;
  state.added = added;
  FuseActivation(index);
  bool touches = false;
  if (!IsUnit(index, touches)) {
    state.fused = -1;
    state.added = kNoTensor;
    return;
  }
  addition.host = index;
  addition.shares = true;
}

void SourceResolver::FuseActivation(int32_t index) {
  const Node& node = file_.nodes[static_cast<size_t>(index)];
  NodeState& state = states_[static_cast<size_t>(index)];
  // An op that moves values has its own Q and DQ by then.
  if (state.mapping->passes) return;
  if (node.outputs.size() != 1 || node.outputs[0] == kNoTensor) return;
  const TensorId out = LastOutput(index, 0);
  if (graph_output_[static_cast<size_t>(out)] || Readers(out).size() != 1) return;
  const int32_t next = Readers(out)[0];
  NodeState& activation = states_[static_cast<size_t>(next)];
  if (activation.kind != Kind::kOp || !activation.mapping->clamp) return;
  const Node& act = file_.nodes[static_cast<size_t>(next)];
  if (act.inputs.empty() || act.inputs[0] == kNoTensor || Real(act.inputs[0]) != out ||
      act.outputs.size() != 1 || act.outputs[0] == kNoTensor) {
    return;
  }
  if (annotated_) {
    // Without an encoding between the two, they were quantized as one.
    if (EncodingBehind(out) >= 0 || EncodingBehind(act.outputs[0]) < 0) return;
  } else {
    const int32_t q = OnlyQuantizeOf(act.outputs[0]);
    if (q < 0 || !MakesRedundant(next, states_[static_cast<size_t>(q)].encoding)) return;
  }
  const int32_t before = state.fused;
  state.fused = next;
  bool touches = false;
  if (!IsUnit(index, touches)) {
    state.fused = before;
    return;
  }
  activation.host = index;
  activation.shares = true;
}

void SourceResolver::FormUnits() {
  const bool as_annotated = annotated_ && route_["ops_as_annotated"].flag().value_or(false);
  PassBackward();
  for (size_t i = 0; i < file_.nodes.size(); ++i) {
    NodeState& state = states_[i];
    const auto index = static_cast<int32_t>(i);
    if (state.kind != Kind::kOp || state.host >= 0) continue;
    state.chosen = ChooseCase(index);
    if (state.mapping->passes) {
      PassForward(index);
      if (state.kind == Kind::kFolded) continue;
    }
    if (!state.mapping->adds.empty()) FuseAddition(index);
    const bool closed = annotated_ && !state.mapping->unknown_inside.empty();
    if (state.fused < 0 && !closed) FuseActivation(index);
    bool touches_quantized = false;
    state.quantized = as_annotated || IsUnit(index, touches_quantized);
    if (state.quantized || !touches_quantized || state.chosen == nullptr ||
        state.chosen->steps.empty()) {
      continue;
    }
    if (annotated_) {
      ReportMissing(index);
    } else {
      std::string why = "it is never a quantized unit";
      IsUnit(index, touches_quantized, &why);
      state.half_quantized = true;
      Report(index, rules::kHalfQuantizedUnit, Consequence::kAltered,
             absl::StrCat(file_.nodes[i].op.str(), " runs in float: ", why));
    }
  }
  PlaceQuantizers();
}

void SourceResolver::ReportMissing(int32_t index) {
  const Node& node = file_.nodes[static_cast<size_t>(index)];
  bool touches = false;
  std::vector<TensorId> missing;
  IsAnnotatedUnit(index, touches, &missing);
  for (const TensorId id : missing) {
    const std::string name = FileTensor(id).name.str();
    Report(index, rules::kUnencodedTensor, Consequence::kAltered,
           absl::StrCat("\"", name, "\" has no encoding: ", node.op.str(),
                        " runs in float, or with an encoding that a tool chooses"),
           id);
    Finding& finding = resolved_.findings.back();
    finding.found = "no encoding";
    finding.allowed = "an encoding for each tensor between quantized ops";
    finding.fixes.push_back({absl::StrCat("add an entry for \"", name, "\""), false, {}});
  }
}

bool SourceResolver::RunsInFloat(int32_t index) const {
  const NodeState& state = states_[static_cast<size_t>(index)];
  return state.kind == Kind::kOp && !state.quantized && state.chosen != nullptr;
}

// Q and DQ that belong to no unit stand alone; at the graph's ends the caller (de)quantizes.
void SourceResolver::PlaceQuantizers() {
  for (size_t i = 0; i < file_.nodes.size(); ++i) {
    NodeState& state = states_[i];
    const Node& node = file_.nodes[i];
    if (state.kind == Kind::kDequantize) {
      const bool constant = IsConstant(QuantizedInput(static_cast<int32_t>(i)));
      for (const int32_t reader : Readers(node.outputs[0])) {
        const NodeState& r = states_[static_cast<size_t>(reader)];
        if (r.kind == Kind::kQuantize && !annotated_) state.emit |= !IsPerTensor(state.encoding);
        if (r.kind == Kind::kUnknown || RunsInFloat(reader)) {
          state.emit |= !constant;
          resolved_.sources[i].separate_constant |= constant && IsPerTensor(state.encoding);
        }
      }
    } else if (state.kind == Kind::kQuantize) {
      const TensorId in = Real(node.inputs[0]);
      int32_t from = Producer(in);
      if (from >= 0) {
        const NodeState& p = states_[static_cast<size_t>(from)];
        if (p.host >= 0 && p.shares) from = p.host;
      }
      if (IsConstant(in) || graph_input_[static_cast<size_t>(in)] || from < 0) continue;
      const NodeState& p = states_[static_cast<size_t>(from)];
      if (p.kind == Kind::kOp && p.quantized) {
        state.host = from;
      } else {
        state.emit = true;
      }
    }
  }
}

}  // namespace quantgate
