// The last pass of SourceResolver: ops of the QNN graph, with their tensors and params.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "absl/strings/str_cat.h"
#include "core/lower/resolve/node_scope.h"
#include "core/lower/resolve/source_resolver.h"
#include "core/rules/raise.h"
#include "quantgate/rule.h"

namespace quantgate {

using mapping::Ints;
using mapping::PortSpec;

namespace {

// Ports that a mapping makes of one at most: more of the same tell no rule anything, and cost memory.
constexpr int64_t kMostTimes = 256;

}  // namespace

TensorId SourceResolver::InputTensor(int32_t index, size_t i) {
  const Node& node = file_.nodes[static_cast<size_t>(index)];
  if (i >= node.inputs.size() || node.inputs[i] == kNoTensor) return kNoTensor;
  return FileTensorIn(index, Real(node.inputs[i]),
                      static_cast<int>(i) == states_[static_cast<size_t>(index)].mapping->bias);
}

// A bias in float with the encoding that the tool gives it: scale of input x weight.
TensorId SourceResolver::QuantizedBias(int32_t index, TensorId id) {
  const TensorId in = InputTensor(index, 0), weight = InputTensor(index, 1);
  Encoding encoding;
  encoding.kind = EncodingKind::kPerTensor;
  encoding.scales = {1};
  if (in != kNoTensor && weight != kNoTensor) {
    const Encoding& a = builder_.tensor(in).encoding;
    const Encoding& w = builder_.tensor(weight).encoding;
    // That of LPBQ is its channel's; scales of blocks are no bias's, which has one then.
    if (w.kind == EncodingKind::kPerChannel || w.kind == EncodingKind::kLpbq) encoding.kind = EncodingKind::kPerChannel;
    if (!a.scales.empty() && !w.scales.empty()) encoding.scales = w.scales;
    if (encoding.kind == EncodingKind::kPerTensor && encoding.scales.size() > 1) {
      encoding.scales = {*std::max_element(encoding.scales.begin(), encoding.scales.end())};
    }
    for (float& scale : encoding.scales) scale *= a.scales.empty() ? 1 : a.scales[0];
  }
  return builder_.Fixed(id, Dtype::kSfixedPoint32, encoding, true);
}

// A scalar with the encoding that the tool gives it: the type of the other inputs, 0 in its middle, the
// value at an end (onnxruntime 1.31). The scale of an infinite one is infinite, which is prepared there and selects the
// end of the output's range (measured on 2.51): nothing to report.
TensorId SourceResolver::QuantizedScalar(int32_t index, TensorId id) {
  Dtype dtype = Dtype::kUndefined;
  for (const TensorId input : file_.nodes[static_cast<size_t>(index)].inputs) {
    const int32_t encoding = input == kNoTensor ? -1 : EncodingFor(Real(input));
    if (encoding >= 0) dtype = encodings_[static_cast<size_t>(encoding)].dtype;
  }
  const int64_t low = StoredMin(dtype), high = StoredMax(dtype), zero = low < 0 ? 0 : high / 2;
  const TensorValues* values = ValuesOf(id);
  const double value = values == nullptr || values->reals.empty() ? 0 : values->reals[0];
  Encoding encoding;
  encoding.kind = EncodingKind::kPerTensor;
  encoding.scales = {1};
  if (value != 0 && std::isfinite(value)) {
    encoding.scales = {static_cast<float>(value / static_cast<double>((value > 0 ? high : low) - zero))};
  }
  if (zero != 0) encoding.zero_points = {static_cast<int32_t>(zero)};
  return builder_.Fixed(id, dtype, encoding, true);
}

TensorId SourceResolver::FileTensorIn(int32_t index, TensorId id, bool bias) {
  const int32_t encoding = EncodingFor(id);
  const bool quantized = states_[static_cast<size_t>(index)].quantized;
  if (encoding >= 0) {
    const TensorId q = QuantizedSource(id);
    if (quantized) {
      const NodeEncoding& e = encodings_[static_cast<size_t>(encoding)];
      return builder_.Fixed(q, e.dtype, e.encoding, IsConstant(q));
    }
    // A dequantized constant is a constant.
    if (IsConstant(q)) {
      const TensorId plain = builder_.PlainConstant(id);
      Tensor& t = builder_.graph().tensors[static_cast<size_t>(plain)];
      if (t.unknown_rank && !FileTensor(q).unknown_rank) {
        t.dims = FileTensor(q).dims;
        t.unknown_rank = false;
      }
      return plain;
    }
    const int32_t producer = Producer(id);
    const bool made_in_float = producer >= 0 &&
                               states_[static_cast<size_t>(producer)].kind == Kind::kOp &&
                               !states_[static_cast<size_t>(producer)].quantized;
    if (q == id && !made_in_float) EmitBorder(index, id, false);
  } else if (bias && quantized && IsConstant(id)) {
    return QuantizedBias(index, id);
  } else if (quantized && IsQuantizedScalar(index, id)) {
    return QuantizedScalar(index, id);
  }
  return IsConstant(id) ? builder_.PlainConstant(id) : builder_.Plain(id);
}

TensorId SourceResolver::OutputTensor(int32_t index, size_t i) {
  const Node& node = file_.nodes[static_cast<size_t>(index)];
  if (i >= node.outputs.size() || node.outputs[i] == kNoTensor) return kNoTensor;
  const TensorId id = LastOutput(index, i);
  const int32_t encoding = EncodingBehind(id);
  if (!states_[static_cast<size_t>(index)].quantized || encoding < 0) return builder_.Plain(id);
  const NodeEncoding& e = encodings_[static_cast<size_t>(encoding)];
  return builder_.Fixed(QuantizedResult(id), e.dtype, e.encoding, false);
}

void SourceResolver::EmitBorder(int32_t index, TensorId id, bool quantize) {
  if (border_[static_cast<size_t>(id)]) return;
  border_[static_cast<size_t>(id)] = true;
  const NodeEncoding& e = encodings_[static_cast<size_t>(passed_[static_cast<size_t>(id)])];
  const TensorId fixed = builder_.Fixed(id, e.dtype, e.encoding, false);
  const TensorId plain = builder_.Plain(id);
  Node node;
  node.op = std::string(quantize ? quantize_op_ : dequantize_op_);
  node.name = absl::StrCat(FileTensor(id).name.str(), "/", node.op.str());
  node.inputs = {quantize ? plain : fixed};
  node.outputs = {quantize ? fixed : plain};
  builder_.graph().nodes.push_back(std::move(node));
  resolved_.op_source.push_back(index);
}

TensorId SourceResolver::Arrange(int32_t node, const PortSpec& spec, TensorId id) {
  if (id == kNoTensor) return id;
  const NodeScope scope(*this, node);
  if (spec.layout == mapping::Layout::kChannelsLast) {
    const int rank = builder_.tensor(id).rank();
    if (rank < 0) return kNoTensor;
    absl::InlinedVector<int64_t, 6> perm;
    for (int i = 0; i < rank; ++i) perm.push_back(i == 0 ? 0 : i + 1 == rank ? 1 : i + 1);
    if (rank < 3) perm.clear();
    if (!perm.empty() || spec.unsqueeze >= 0) id = builder_.Permuted(id, perm, spec.unsqueeze);
  } else if (spec.layout == mapping::Layout::kExpr) {
    const std::optional<Ints> perm = spec.perm.Eval(scope).AsInts();
    if (!perm) return kNoTensor;
    id = builder_.Permuted(id, *perm, spec.unsqueeze);
  } else if (spec.unsqueeze >= 0) {
    id = builder_.Permuted(id, {}, spec.unsqueeze);
  }
  if (id != kNoTensor && !spec.dims.empty()) {
    const std::optional<Ints> dims = spec.dims.Eval(scope).AsInts();
    if (!dims) return kNoTensor;
    id = builder_.Reshaped(id, *dims);
  }
  return id;
}

// A quantized constant in the type that it arrives in.
TensorId SourceResolver::Requantized(const PortSpec& spec, TensorId id) {
  const Tensor& from = builder_.tensor(id);
  if (spec.requantize == Dtype::kUndefined || !from.is_static || !IsFixedPoint(from.dtype) ||
      from.dtype == spec.requantize) {
    return id;
  }
  const bool keeps_values = spec.requantize_from != Dtype::kUndefined;
  if (keeps_values && from.dtype != spec.requantize_from) return id;
  Tensor t = from;
  t.dtype = spec.requantize;
  Encoding& encoding = t.encoding.Edit();
  encoding.bitwidth = 0;
  if (keeps_values) {
    const auto shift =
        static_cast<int32_t>(StoredMin(spec.requantize) - StoredMin(spec.requantize_from));
    if (encoding.zero_points.empty()) encoding.zero_points = {0};
    for (int32_t& zero_point : encoding.zero_points) zero_point += shift;
    t.values = nullptr;
    t.value_range.reset();
  } else {
    encoding.zero_points.clear();
  }
  return builder_.Add(std::move(t));
}

// A constant whose negative values count from the end.
TensorId SourceResolver::Wrapped(int32_t index, const PortSpec& spec, TensorId id) {
  const Tensor& from = builder_.tensor(id);
  if (spec.wrap.empty() || !from.is_static || from.values == nullptr) return id;
  const auto negative = [](int64_t value) { return value < 0; };
  if (std::none_of(from.values->ints.begin(), from.values->ints.end(), negative)) return id;
  // One size, or one for each of the last dimension's places.
  const std::optional<Ints> sizes = spec.wrap.Eval(NodeScope(*this, index)).AsInts();
  if (!sizes || sizes->empty() || std::any_of(sizes->begin(), sizes->end(), negative)) return id;
  Tensor t = from;
  TensorValues values = *from.values;
  for (size_t i = 0; i < values.ints.size(); ++i) {
    values.ints[i] += negative(values.ints[i]) ? (*sizes)[i % sizes->size()] : 0;
  }
  t.values = std::make_shared<const TensorValues>(std::move(values));
  t.value_range.reset();
  return builder_.Add(std::move(t));
}

std::optional<TensorId> SourceResolver::AddNew(int32_t index, const PortSpec& spec,
                                               TensorId like) {
  const Node& node = file_.nodes[static_cast<size_t>(index)];
  const bool temp = spec.source == PortSpec::Source::kTemp;
  Tensor t;
  t.name = absl::StrCat(node.name.str(), "/", temp ? std::string(spec.name) : "constant");
  t.is_static = !temp;
  if (like != kNoTensor) {
    const Tensor& model = builder_.tensor(like);
    t.dtype = model.dtype;
    if (model.encoding->kind == EncodingKind::kPerTensor) t.encoding = model.encoding;
    if (temp && spec.dims.empty()) {
      t.dims = model.dims;
      t.unknown_rank = model.unknown_rank;
    }
  }
  if (spec.dtype != Dtype::kUndefined) {
    t.dtype = spec.dtype;
    t.encoding = {};
    // Integers that are carried in a fixed-point type.
    if (IsFixedPoint(t.dtype)) {
      Encoding& encoding = t.encoding.Edit();
      encoding.kind = EncodingKind::kPerTensor;
      encoding.scales = {1};
    }
  }
  if (spec.requantize != Dtype::kUndefined && IsFixedPoint(t.dtype)) {
    t.dtype = spec.requantize;
    if (!t.encoding->zero_points.empty()) t.encoding.Edit().zero_points.clear();
  }
  if (!spec.dims.empty()) {
    const std::optional<Ints> dims = spec.dims.Eval(NodeScope(*this, index)).AsInts();
    if (!dims) {
      UnknownShape(index, t.name);
      return std::nullopt;
    }
    t.dims.assign(dims->begin(), dims->end());
  } else if (!temp) {
    t.dims = {1};
  }
  if (!spec.number.empty() && IsFloat(t.dtype)) {
    const std::optional<double> number = spec.number.Eval(NodeScope(*this, index)).AsReal();
    if (number) t.value_range = std::pair(*number, *number);
  }
  return builder_.Add(std::move(t));
}

bool SourceResolver::UnknownShape(int32_t index, std::string_view name) {
  Uncheck(index, absl::StrCat("the shape of ", std::string(name), " is not known"));
  return false;
}

bool SourceResolver::AddPort(int32_t index, const PortSpec& spec, bool input,
                             std::vector<TensorId>& temps, absl::InlinedVector<TensorId, 4>& out) {
  const Node& node = file_.nodes[static_cast<size_t>(index)];
  const auto file_port = [&](int64_t port) {
    return port >= 0 ? InputTensor(index, static_cast<size_t>(port))
                     : OutputTensor(index, static_cast<size_t>(-1 - port));
  };
  switch (spec.source) {
    case PortSpec::Source::kFile: {
      TensorId id = file_port(input ? spec.index : -1 - spec.index);
      if (id != kNoTensor) id = Wrapped(index, spec, Requantized(spec, id));
      const TensorId arranged = Arrange(index, spec, id);
      if (arranged == kNoTensor && id != kNoTensor) return UnknownShape(index, builder_.tensor(id).name);
      out.push_back(arranged);
      return true;
    }
    case PortSpec::Source::kAdded: {
      const TensorId added = states_[static_cast<size_t>(index)].added;
      out.push_back(added != kNoTensor ? FileTensorIn(index, added, true) : kNoTensor);
      return true;
    }
    case PortSpec::Source::kRest: {
      const size_t count = input ? node.inputs.size() : node.outputs.size();
      for (size_t i = static_cast<size_t>(spec.index); i < count; ++i) {
        const auto port = static_cast<int64_t>(i);
        const TensorId id = file_port(input ? port : -1 - port);
        const TensorId arranged = Arrange(index, spec, id);
        if (arranged == kNoTensor && id != kNoTensor) return UnknownShape(index, builder_.tensor(id).name);
        out.push_back(arranged);
      }
      return true;
    }
    case PortSpec::Source::kTemp:
    case PortSpec::Source::kConst: {
      const bool temp = spec.source == PortSpec::Source::kTemp;
      if (temp && temps[static_cast<size_t>(spec.index)] != kNoTensor) {
        const TensorId arranged = Arrange(index, spec, temps[static_cast<size_t>(spec.index)]);
        if (arranged == kNoTensor) return UnknownShape(index, spec.name);
        const int64_t times = spec.times.empty() ? 1 : spec.times.Eval(NodeScope(*this, index)).AsInt().value_or(0);
        if (times < 1) return UnknownShape(index, spec.name);
        out.insert(out.end(), static_cast<size_t>(std::min(times, kMostTimes)), arranged);
        return true;
      }
      const std::optional<TensorId> made = AddNew(index, spec, file_port(spec.like));
      if (!made) return false;
      out.push_back(*made);
      if (temp) temps[static_cast<size_t>(spec.index)] = out.back();
      return true;
    }
  }
  return false;
}

bool SourceResolver::EmitStep(int32_t index, const mapping::Step& step,
                              std::vector<TensorId>& temps, bool named) {
  const Node& source = file_.nodes[static_cast<size_t>(index)];
  Node node;
  node.name = source.name;
  if (!named) node.name = absl::StrCat(source.name.str(), "/", std::string(step.op));
  node.op = OpOf(step);
  node.location = source.location;
  static const PortSpec kAll = [] {
    PortSpec spec;
    spec.source = PortSpec::Source::kRest;
    return spec;
  }();
  absl::InlinedVector<TensorId, 4> outputs;
  if (step.all_inputs) {
    if (!AddPort(index, kAll, true, temps, node.inputs)) return false;
  }
  for (const PortSpec& spec : step.inputs) {
    if (!AddPort(index, spec, true, temps, node.inputs)) return false;
  }
  if (step.all_outputs) {
    if (!AddPort(index, kAll, false, temps, outputs)) return false;
  }
  for (const PortSpec& spec : step.outputs) {
    if (!AddPort(index, spec, false, temps, outputs)) return false;
  }
  // A step for results that the node does not give.
  const auto absent = [](TensorId id) { return id == kNoTensor; };
  if (!outputs.empty() && std::all_of(outputs.begin(), outputs.end(), absent)) return true;
  while (!node.inputs.empty() && node.inputs.back() == kNoTensor) node.inputs.pop_back();
  node.outputs.assign(outputs.begin(), outputs.end());
  std::vector<Param> params;
  for (const mapping::ParamSpec& spec : step.params) {
    if (!AddParam(index, spec, params)) return false;
  }
  node.params = SharedParams(step, std::move(params));
  builder_.graph().nodes.push_back(std::move(node));
  resolved_.op_source.push_back(index);
  return true;
}

bool SourceResolver::EmitOp(int32_t index) {
  const NodeState& state = states_[static_cast<size_t>(index)];
  if (state.chosen == nullptr) {
    Refuse(index, "no form of it fits", true);
    return false;
  }
  if (!state.chosen->refused.empty()) {
    Refuse(index, std::string(state.chosen->refused), state.mapping->IsTranslated());
    return false;
  }
  if (state.chosen->steps.empty()) {
    Uncheck(index, std::string(state.chosen->unchecked));
    return false;
  }
  if (annotated_ && state.quantized && !state.mapping->unknown_inside.empty()) {
    Uncheck(index, std::string(state.mapping->unknown_inside));
    return false;
  }
  std::vector<TensorId> temps(static_cast<size_t>(state.chosen->temps), kNoTensor);
  const size_t before = builder_.graph().nodes.size();
  for (const mapping::Step& step : state.chosen->steps) {
    if (!EmitStep(index, step, temps, state.chosen->steps.size() == 1)) {
      builder_.graph().nodes.resize(before);
      resolved_.op_source.resize(before);
      return false;
    }
  }
  return true;
}

void SourceResolver::EmitQuantizer(int32_t index) {
  const Node& source = file_.nodes[static_cast<size_t>(index)];
  NodeState& state = states_[static_cast<size_t>(index)];
  const NodeEncoding& e = encodings_[static_cast<size_t>(state.encoding)];
  Node node;
  node.name = source.name;
  node.location = source.location;
  if (state.kind == Kind::kDequantize) {
    const TensorId q = QuantizedInput(index);
    node.inputs = {builder_.Fixed(q, e.dtype, e.encoding, IsConstant(q))};
    node.outputs = {builder_.Plain(source.outputs[0])};
  } else {
    const TensorId in = Real(source.inputs[0]);
    const int32_t dq = DequantizeOf(in);
    const TensorId out = builder_.Fixed(source.outputs[0], e.dtype, e.encoding, false);
    // From channels with encodings of their own nothing is converted: the two stand alone.
    if (dq >= 0 && (annotated_ || !states_[static_cast<size_t>(dq)].emit ||
                    IsPerTensor(states_[static_cast<size_t>(dq)].encoding))) {
      const NodeEncoding& from =
          encodings_[static_cast<size_t>(states_[static_cast<size_t>(dq)].encoding)];
      const TensorId q = QuantizedInput(dq);
      node.inputs = {builder_.Fixed(q, from.dtype, from.encoding, IsConstant(q))};
      node.op = std::string(state.mapping->convert);
    } else {
      node.inputs = {builder_.Plain(in)};
    }
    node.outputs = {out};
  }
  if (node.op.empty()) {
    if (state.mapping->cases.empty() || state.mapping->cases[0].steps.empty()) {
      Uncheck(index, "its mapping names no op");
      return;
    }
    node.op = std::string(state.mapping->cases[0].steps[0].op);
  }
  builder_.graph().nodes.push_back(std::move(node));
  resolved_.op_source.push_back(index);
}

void SourceResolver::Emit() {
  for (size_t i = 0; i < file_.nodes.size(); ++i) {
    NodeState& state = states_[i];
    const auto index = static_cast<int32_t>(i);
    if (state.kind == Kind::kOp && state.host < 0) {
      if (!EmitOp(index) || state.quantized) continue;
      for (const TensorId id : file_.nodes[i].outputs) {
        if (id != kNoTensor && passed_[static_cast<size_t>(id)] >= 0) EmitBorder(index, id, true);
      }
    } else if (state.emit) {
      EmitQuantizer(index);
    }
  }
  Model& graph = builder_.graph();
  graph.name = file_.name;
  // The ends of the graph, where the backend has them.
  std::vector<bool> made(graph.tensors.size()), read(graph.tensors.size());
  for (const Node& node : graph.nodes) {
    for (const TensorId id : node.outputs) {
      if (id != kNoTensor) made[static_cast<size_t>(id)] = true;
    }
    for (const TensorId id : node.inputs) {
      if (id != kNoTensor) read[static_cast<size_t>(id)] = true;
    }
  }
  for (const auto& [view, shown] : resolved_.view_of) {
    if (made[static_cast<size_t>(view)]) made[static_cast<size_t>(shown)] = true;
    if (read[static_cast<size_t>(view)]) read[static_cast<size_t>(shown)] = true;
  }
  for (size_t t = 0; t < graph.tensors.size(); ++t) {
    const auto id = static_cast<TensorId>(t);
    if (resolved_.view_of.contains(id) || graph.tensors[t].is_static) continue;
    if (read[t] && !made[t]) graph.inputs.push_back(id);
    if (made[t] && !read[t]) graph.outputs.push_back(id);
  }
  FillEnds();
}

}  // namespace quantgate
