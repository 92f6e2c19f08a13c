#include "core/lower/resolve/node_scope.h"

#include <absl/algorithm/container.h>

#include <algorithm>
#include <span>
#include <variant>

#include "core/ir/element_count.h"
#include "core/ir/encoding_math.h"

namespace quantgate {

using mapping::Ints;
using mapping::PortFacts;
using mapping::Value;

Value ValueOf(const ParamValue& param) {
  struct Convert {
    Value operator()(const IntParam& p) const { return Value::Int(p.value); }
    Value operator()(const UintParam& p) const { return Value::Int(static_cast<int64_t>(p.value)); }
    Value operator()(double p) const { return Value::Real(p); }
    Value operator()(bool p) const { return Value::Int(p); }
    Value operator()(const std::string& p) const { return Value::Text(p); }
    // A list of texts is its first.
    Value operator()(const std::vector<std::string>& p) const {
      return p.empty() ? Value::Null() : Value::Text(p.front());
    }
    Value operator()(const std::vector<int64_t>& p) const {
      return Value::List(Ints(p.begin(), p.end()));
    }
    Value operator()(const std::vector<double>& p) const {
      Value v;
      v.type = Value::Type::kReals;
      v.reals = p;
      return v;
    }
    Value operator()(const TensorParam& p) const {
      return p.reals.empty() ? (*this)(p.ints) : (*this)(p.reals);
    }
  };
  return std::visit(Convert{}, param);
}

const Node& NodeScope::node() const { return resolver_.file_.nodes[static_cast<size_t>(node_)]; }

TensorId NodeScope::Tensor(int64_t port) const {
  if (port < 0) {
    const auto i = static_cast<size_t>(-1 - port);
    return i < node().outputs.size() ? node().outputs[i] : kNoTensor;
  }
  const auto i = static_cast<size_t>(port);
  if (i >= node().inputs.size() || node().inputs[i] == kNoTensor) return kNoTensor;
  return resolver_.Real(node().inputs[i]);
}

Value NodeScope::Attribute(std::string_view name) const {
  const Param* param = node().FindParam(name);
  if (param == nullptr) {
    const mapping::OpMapping* mapping = resolver_.states_[static_cast<size_t>(node_)].mapping;
    const mapping::Expr* value = mapping != nullptr ? mapping->Default(name) : nullptr;
    return value != nullptr ? value->Eval(*this) : Value::Null();
  }
  return ValueOf(param->value);
}

void NodeScope::AddConstant(TensorId id, PortFacts& facts) const {
  if (!resolver_.IsConstant(id)) return;
  facts.values = resolver_.ValuesOf(id);
  const auto& range = resolver_.FileTensor(id).value_range;
  facts.value_range = range ? &*range : nullptr;
  if (facts.values != nullptr || range) return;
  const int32_t q = resolver_.Producer(id);
  if (q < 0) return;
  const auto& inputs = resolver_.file_.nodes[static_cast<size_t>(q)].inputs;
  if (!inputs.empty() && inputs[0] != kNoTensor) {
    facts.values = resolver_.ValuesOf(resolver_.Real(inputs[0]));
  }
}

PortFacts NodeScope::Port(int64_t port) const {
  PortFacts facts;
  TensorId id = Tensor(port);
  if (id == kNoTensor) return facts;
  const quantgate::Tensor* tensor = &resolver_.FileTensor(id);
  facts.given = true;
  // While nodes are classified nobody knows yet who quantizes what.
  const int32_t encoding = resolver_.reader_begin_.empty() ? -1
                           : port >= 0                     ? resolver_.EncodingFor(id)
                                                           : resolver_.EncodingBehind(id);
  if (encoding >= 0) {
    const NodeEncoding& of = resolver_.encodings_[static_cast<size_t>(encoding)];
    facts.quantized = true;
    facts.encoding = &of.encoding.get();
    facts.stored = of.dtype;
    if (port >= 0) AddConstant(resolver_.QuantizedSource(id), facts);
  }
  facts.dtype = tensor->dtype;
  if (tensor->unknown_rank) {
    // Files often give the shape of the quantized side only.
    id = port >= 0 ? resolver_.QuantizedSource(id) : resolver_.QuantizedResult(id);
    tensor = &resolver_.FileTensor(id);
  }
  facts.known_rank = !tensor->unknown_rank;
  facts.dims = tensor->dims;
  return facts;
}

// The elements of a constant for which a single value stands; 1 where its shape isn't known.
static size_t CopiesOf(const Tensor& tensor) {
  const auto count = ElementCount(tensor.dims.data(), tensor.dims.size());
  return count && *count >= 1 && *count <= kMaxKeptValues ? static_cast<size_t>(*count) : 1;
}

Value ConstantOf(const TensorValues& values, const Tensor& tensor) {
  const bool scalar = tensor.rank() == 0;
  const size_t copies = CopiesOf(tensor);
  if (!values.reals.empty()) {
    if (scalar) return Value::Real(values.reals[0]);
    Value v;
    v.type = Value::Type::kReals;
    v.reals = values.reals;
    if (v.reals.size() == 1) v.reals.resize(copies, v.reals[0]);
    return v;
  }
  if (scalar && values.ints.size() == 1) return Value::Int(values.ints[0]);
  if (values.ints.size() == 1) return Value::List(Ints(copies, values.ints[0]));
  return Value::List(Ints(values.ints.begin(), values.ints.end()));
}

// What the DequantizeLinear of a constant gives: of one that is stored quantized, or of one in float that a
// QuantizeLinear quantizes in the file.
Value NodeScope::Dequantized(TensorId id) const {
  const int32_t encoding = resolver_.reader_begin_.empty() ? -1 : resolver_.EncodingFor(id);
  const TensorId stored = resolver_.QuantizedSource(id);
  if (encoding < 0 || !resolver_.IsConstant(stored)) return Value::Null(Value::Why::kDynamic);
  const TensorValues* values = resolver_.ValuesOf(stored);
  const auto& known = resolver_.encodings_[static_cast<size_t>(encoding)];
  const Encoding& of = known.encoding.get();
  const int32_t maker = resolver_.Producer(stored);
  const bool in_float = values == nullptr && maker >= 0 &&
                        resolver_.states_[static_cast<size_t>(maker)].kind == SourceResolver::Kind::kQuantize;
  const TensorId source =
      in_float ? resolver_.Real(resolver_.file_.nodes[static_cast<size_t>(maker)].inputs[0]) : stored;
  if (in_float) values = resolver_.ValuesOf(source);
  if (values == nullptr || of.kind != EncodingKind::kPerTensor || of.scales.size() != 1 || !(of.scales[0] > 0)) {
    return Value::Null(Value::Why::kNotKept);
  }
  TensorValues reals;
  for (const double real : values->reals) {
    reals.reals.push_back(in_float ? StoredReal(real, of, known.dtype) : real);
  }
  for (const int64_t value : values->ints) {
    const int64_t zero_point = of.zero_points.empty() ? 0 : of.zero_points[0];
    reals.reals.push_back(static_cast<double>(value - zero_point) * of.scales[0]);
  }
  return ConstantOf(reals, resolver_.FileTensor(source));
}

Value NodeScope::Constant(int64_t port) const {
  const TensorId id = Tensor(port);
  if (id == kNoTensor) return Value::Null();
  if (!resolver_.IsConstant(id)) return Dequantized(id);
  const TensorValues* values = resolver_.ValuesOf(id);
  if (values == nullptr) return Value::Null(Value::Why::kNotKept);
  return ConstantOf(*values, resolver_.FileTensor(id));
}

bool NodeScope::IsStatic(int64_t port) const {
  const TensorId id = Tensor(port);
  if (id == kNoTensor) return false;
  return resolver_.IsConstant(id) || resolver_.IsConstant(resolver_.QuantizedSource(id));
}

bool NodeScope::IsStored(int64_t port) const {
  const auto& inputs = node().inputs;
  if (port < 0 || port >= static_cast<int64_t>(inputs.size()) || inputs[static_cast<size_t>(port)] == kNoTensor) {
    return false;
  }
  const TensorId id = inputs[static_cast<size_t>(port)];
  const int32_t dq = resolver_.DequantizeOf(id);
  return resolver_.FileTensor(dq < 0 ? id : resolver_.file_.nodes[static_cast<size_t>(dq)].inputs[0]).is_static;
}

bool NodeScope::IsAtEdge(int64_t port) const {
  const TensorId id = Tensor(port);
  if (id == kNoTensor) return false;
  if (port < 0) return absl::c_linear_search(resolver_.file_.outputs, id);
  return resolver_.Producer(id) < 0 && !resolver_.IsConstant(id);
}

std::span<const int32_t> NodeScope::Readers(TensorId id) const {
  if (id == kNoTensor || resolver_.reader_begin_.empty()) return {};
  return resolver_.Readers(id);
}

bool NodeScope::IsRead(int64_t port) const { return !Readers(Tensor(port)).empty(); }

bool NodeScope::IsReadBefore(int64_t port) const {
  const TensorId id = Tensor(port);
  const auto readers = Readers(id);
  if (port < 0 || readers.empty()) return false;
  if (readers.front() < node_) return true;
  const TensorId stored = resolver_.QuantizedSource(id);
  const auto others = stored == id ? std::span<const int32_t>() : Readers(stored);
  return !others.empty() && others.front() < resolver_.Producer(id);
}

std::string_view NodeScope::Neighbour(int64_t port) const {
  const TensorId id = Tensor(port);
  const auto readers = Readers(id);
  if (readers.size() != 1) return {};
  const int32_t node = port < 0 ? readers[0] : resolver_.Producer(id);
  return node < 0 ? std::string_view() : resolver_.file_.nodes[static_cast<size_t>(node)].op.view();
}

std::string_view NodeScope::MakerOf(int64_t port) const {
  const TensorId id = port < 0 ? kNoTensor : Tensor(port);
  const int32_t node = id == kNoTensor ? -1 : resolver_.Producer(id);
  return node < 0 ? std::string_view() : resolver_.file_.nodes[static_cast<size_t>(node)].op.view();
}

bool NodeScope::IsReadOnlyBy(int64_t port, std::string_view op) const {
  const auto readers = Readers(Tensor(port));
  return !readers.empty() && absl::c_all_of(readers, [&](int32_t node) {
    return resolver_.file_.nodes[static_cast<size_t>(node)].op == op;
  });
}

bool NodeScope::IsReadInFloat(int64_t port) const {
  const TensorId id = Tensor(port);
  // Several QuantizeLinear behind one op may be equal and become one: then it is a unit after all.
  const auto quantizes = [&](int32_t node) {
    return resolver_.states_[static_cast<size_t>(node)].kind == SourceResolver::Kind::kQuantize;
  };
  const auto several = [&](TensorId out) { return absl::c_count_if(Readers(out), quantizes) > 1; };
  return absl::c_any_of(Readers(id), [&](int32_t node) {
    return resolver_.RunsInFloat(node) &&
           absl::c_none_of(resolver_.file_.nodes[static_cast<size_t>(node)].outputs, several);
  });
}

bool NodeScope::EndsAt(int64_t port, std::string_view operators, std::string_view end) const {
  TensorId at = Tensor(port);
  const auto next = [&]() -> const Node* {
    if (at == kNoTensor) return nullptr;
    const auto readers = Readers(at);
    const bool alone = readers.size() == 1 && !resolver_.graph_output_[static_cast<size_t>(at)];
    const int32_t node = port >= 0 ? resolver_.Producer(at) : alone ? readers[0] : -1;
    return node < 0 ? nullptr : &resolver_.file_.nodes[static_cast<size_t>(node)];
  };
  const auto made_by = [&](TensorId id, std::string_view op) {
    const TensorId real = id == kNoTensor ? at : resolver_.Real(id);
    const int32_t maker = real == at ? -1 : resolver_.Producer(real);
    return maker >= 0 && resolver_.file_.nodes[static_cast<size_t>(maker)].op == op;
  };
  const auto computed = [&](TensorId id) {
    return id != kNoTensor && !resolver_.IsConstant(resolver_.Real(id));
  };
  while (!operators.empty()) {
    const std::string_view word = operators.substr(0, operators.find(' '));
    operators.remove_prefix(std::min(word.size() + 1, operators.size()));
    const std::string_view op = word.substr(0, word.find('/'));
    const std::string_view beside = word.substr(std::min(op.size() + 1, word.size()));
    const Node* const node = next();
    if (node == nullptr || node->op != op || node->outputs.empty()) return false;
    const auto takes = [&](TensorId id) { return made_by(id, beside); };
    if (!beside.empty() && absl::c_none_of(node->inputs, takes)) return false;
    const auto input = absl::c_find_if(node->inputs, computed);
    if (port >= 0 && input == node->inputs.end()) return false;
    at = port >= 0 ? resolver_.Real(*input) : node->outputs[0];
  }
  const Node* const node = next();
  return node != nullptr && node->op == end;
}

int64_t NodeScope::InputCount() const { return static_cast<int64_t>(node().inputs.size()); }
int64_t NodeScope::OutputCount() const { return static_cast<int64_t>(node().outputs.size()); }
int64_t NodeScope::Opset() const { return resolver_.file_.opset; }

}  // namespace quantgate
