// Functions of mapping expressions. P is a port, L a list of integers, n a number.
//
//   given(P) static(P) is_float(P)   rank(P) dim(P,n) dims(P) spatial(P) elements(P)   value(P)
//   dtype(P)                         text such as 'INT_64'
//   stored(P)                        whether it is a constant of the file, not computed from some
//   at_edge(P)                       whether it is an input or output of the model
//   read(P)                          whether a node reads it
//   read_before(P)                   whether an earlier node reads it too, also in another encoding
//   neighbour(P)                     the operator that makes an input for nobody else, or alone reads an output
//   maker(P)                         the operator that makes an input, whatever else reads it
//   read_only_by(P,'Op')             whether it is read, and by this operator alone
//   read_in_float(P)                 whether an operator that runs in float reads it
//   ends_at(P,'Op Op','Op')          whether the last one makes, or alone reads, what is behind the others, which are
//                                    in a row from an input or output on; 'Op/Op' takes what the second makes too
//   quantized(P) stored_bits(P) block_size(P,axis) offset(P)
//   stored_dtype(P) per_channel(P)   of one that is quantized; the first: 'UFIXED_POINT_8'
//   lowest(P) highest(P)             of what the encoding of P can hold
//   stored_as(P,n)                   n as the encoding of P holds it: rounded and clipped
//   number(P)                        what a quantized constant of one element stands for
//   zeros(P)                         whether a quantized constant holds zeros only
//   inputs() outputs() opset() empty_input()   the last: whether an input has 0 elements
//   norm(axes,rank)                  negative axes counted from the end
//   len(L) prod(L) range(n) fill(count,n) slice(L,begin,end) insert(L,at,n) remove(L,axes)
//   least(L)                         also of reals
//   concat(L,L) permute(L,perm) min(a,b) max(a,b) abs(n) real(n) sqrt(n)
//   pairs(L)                         [b0,b1,e0,e1] -> rows [b0,e0],[b1,e1]
//   rows(L,columns)                  the list as a matrix
//   window_pads(auto_pad,pads,spatial,kernel,strides,dilations)
//   transpose_pads(auto_pad,pads,in,out,kernel,strides,dilations,output_padding)
//   slice_ranges(dims,starts,ends,axes,steps)   rows [begin,end,step] of every axis
//   split_points(sizes) equal_split(size,count)
//   swap_last(axis,rank)             the permutation that exchanges axis and the last one
//   einsum_is(equation,form)         equal up to the choice of letters
//
// A null argument gives null, so that an unknown constant makes its param unknown.
#include <absl/algorithm/container.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "core/lower/expression/encoding_functions.h"
#include "core/lower/expression/expr.h"
#include "core/lower/expression/nearest.h"

namespace quantgate::mapping {
namespace {

// Lists are about axes and dims: no expression needs longer ones.
constexpr int64_t kMaxList = 4096;

Value Given(const Scope& s, Args a) { return Value::Int(FactsOf(s, a[0]).given); }
Value Static(const Scope& s, Args a) {
  return Value::Int(a[0].type == Value::Type::kPort && s.IsStatic(a[0].integer));
}
Value Stored(const Scope& s, Args a) {
  return Value::Int(a[0].type == Value::Type::kPort && s.IsStored(a[0].integer));
}
Value AtEdge(const Scope& s, Args a) {
  return Value::Int(a[0].type == Value::Type::kPort && s.IsAtEdge(a[0].integer));
}
Value ReadBefore(const Scope& s, Args a) {
  return Value::Int(a[0].type == Value::Type::kPort && s.IsReadBefore(a[0].integer));
}

Value NeighbourOf(const Scope& s, Args a) {
  if (a[0].type != Value::Type::kPort) return Value::Null();
  const std::string_view op = s.Neighbour(a[0].integer);
  return op.empty() ? Value::Null() : Value::Text(op);
}

Value Maker(const Scope& s, Args a) {
  if (a[0].type != Value::Type::kPort) return Value::Null();
  const std::string_view op = s.MakerOf(a[0].integer);
  return op.empty() ? Value::Null() : Value::Text(op);
}
Value ReadOnlyBy(const Scope& s, Args a) {
  return Value::Int(a[0].type == Value::Type::kPort && a[1].type == Value::Type::kText &&
                    s.IsReadOnlyBy(a[0].integer, a[1].text));
}
Value ReadInFloat(const Scope& s, Args a) {
  return Value::Int(a[0].type == Value::Type::kPort && s.IsReadInFloat(a[0].integer));
}

Value EndsAt(const Scope& s, Args a) {
  return Value::Int(a[0].type == Value::Type::kPort && a[1].type == Value::Type::kText &&
                    a[2].type == Value::Type::kText && s.EndsAt(a[0].integer, a[1].text, a[2].text));
}

Value Read(const Scope& s, Args a) {
  return Value::Int(a[0].type == Value::Type::kPort && s.IsRead(a[0].integer));
}
Value IsFloatPort(const Scope& s, Args a) { return Value::Int(IsFloat(FactsOf(s, a[0]).dtype)); }
// Of axes resized from some sizes to others, one after the other: the element each is taken from.
Value NearestPlaces(const Scope&, Args a) {
  const std::optional<Ints> from = a[2].AsInts(), to = a[3].AsInts();
  if (a[0].type != Value::Type::kText || a[1].type != Value::Type::kText || !from || !to ||
      from->size() != to->size()) {
    return Value::Null();
  }
  Ints all;
  for (size_t i = 0; i < from->size(); ++i) {
    const std::optional<Ints> places = PlacesOf(a[0].text, a[1].text, (*from)[i], (*to)[i]);
    if (!places) return Value::Null();
    all.insert(all.end(), places->begin(), places->end());
  }
  return Value::List(std::move(all));
}
Value DtypeOf(const Scope& s, Args a) {
  const PortFacts port = FactsOf(s, a[0]);
  return port.given ? Value::Text(DtypeName(port.dtype)) : Value::Null();
}
Value Rank(const Scope& s, Args a) {
  const PortFacts port = FactsOf(s, a[0]);
  return port.known_rank ? Value::Int(static_cast<int64_t>(port.dims.size())) : Value::Null();
}
Value Dims(const Scope& s, Args a) {
  const PortFacts port = FactsOf(s, a[0]);
  if (!port.known_rank) return Value::Null();
  return Value::List(Ints(port.dims.begin(), port.dims.end()));
}
Value Dim(const Scope& s, Args a) {
  const PortFacts port = FactsOf(s, a[0]);
  const auto rank = static_cast<int64_t>(port.dims.size());
  std::optional<int64_t> i = a[1].AsInt();
  if (!port.known_rank || !i) return Value::Null();
  if (*i < 0) *i += rank;
  if (*i < 0 || *i >= rank) return Value::Null();
  return Value::Int(port.dims[static_cast<size_t>(*i)]);
}
Value Spatial(const Scope& s, Args a) {
  const PortFacts port = FactsOf(s, a[0]);
  if (!port.known_rank || port.dims.size() < 2) return Value::Null();
  return Value::List(Ints(port.dims.begin() + 2, port.dims.end()));
}
Value Product(const Ints& list) {
  int64_t product = 1;
  for (const int64_t n : list) {
    if (n < 0 || __builtin_mul_overflow(product, n, &product)) return Value::Null();
  }
  return Value::Int(product);
}
Value Elements(const Scope& s, Args a) {
  const Value dims = Dims(s, a);
  return dims.null() ? dims : Product(dims.ints);
}
Value Constant(const Scope& s, Args a) {
  return a[0].type == Value::Type::kPort ? s.Constant(a[0].integer) : Value::Null();
}
Value Inputs(const Scope& s, Args) { return Value::Int(s.InputCount()); }
Value EmptyInput(const Scope& s, Args) {
  for (int64_t i = 0; i < s.InputCount(); ++i) {
    const PortFacts facts = s.Port(i);
    if (facts.given && facts.known_rank && absl::c_linear_search(facts.dims, 0)) return Value::Int(1);
  }
  return Value::Int(0);
}
Value Outputs(const Scope& s, Args) { return Value::Int(s.OutputCount()); }
Value Opset(const Scope& s, Args) { return Value::Int(s.Opset()); }

Value Norm(const Scope&, Args a) {
  const std::optional<Ints> axes = a[0].AsInts();
  const std::optional<int64_t> rank = a[1].AsInt();
  if (!axes || !rank) return a[0].null() ? a[0] : Value::Null();
  Ints result;
  for (const int64_t axis : *axes) result.push_back(axis < 0 ? axis + *rank : axis);
  return a[0].type == Value::Type::kInts ? Value::List(std::move(result)) : Value::Int(result[0]);
}

// Helpers for functions of one list.
std::optional<Ints> ListOf(const Value& v) { return v.AsInts(); }

Value Len(const Scope&, Args a) {
  const std::optional<Ints> list = ListOf(a[0]);
  return list ? Value::Int(static_cast<int64_t>(list->size())) : a[0];
}
Value Prod(const Scope&, Args a) {
  const std::optional<Ints> list = ListOf(a[0]);
  return list ? Product(*list) : Value::Null(a[0].why);
}
Value Range(const Scope&, Args a) {
  const std::optional<int64_t> n = a[0].AsInt();
  if (!n || *n < 0 || *n > kMaxList) return Value::Null();
  Ints list;
  for (int64_t i = 0; i < *n; ++i) list.push_back(i);
  return Value::List(std::move(list));
}
Value Fill(const Scope&, Args a) {
  const std::optional<int64_t> n = a[0].AsInt(), v = a[1].AsInt();
  if (!n || !v || *n < 0 || *n > kMaxList) return Value::Null();
  return Value::List(Ints(static_cast<size_t>(*n), *v));
}
Value SliceList(const Scope&, Args a) {
  const std::optional<Ints> list = ListOf(a[0]);
  std::optional<int64_t> begin = a[1].AsInt(), end = a[2].AsInt();
  if (!list || !begin || !end) return Value::Null(a[0].why);
  const auto size = static_cast<int64_t>(list->size());
  const auto clamp = [size](int64_t i) {
    return std::clamp<int64_t>(i < 0 ? i + size : i, 0, size);
  };
  const int64_t first = clamp(*begin), last = std::max(first, clamp(*end));
  return Value::List(Ints(list->begin() + first, list->begin() + last));
}
Value Insert(const Scope&, Args a) {
  std::optional<Ints> list = ListOf(a[0]);
  std::optional<int64_t> at = a[1].AsInt(), n = a[2].AsInt();
  if (!list || !at || !n) return Value::Null(a[0].why);
  const auto size = static_cast<int64_t>(list->size());
  if (*at < 0) *at += size + 1;
  if (*at < 0 || *at > size) return Value::Null();
  list->insert(list->begin() + *at, *n);
  return Value::List(std::move(*list));
}
Value Remove(const Scope&, Args a) {
  const std::optional<Ints> list = ListOf(a[0]), axes = ListOf(a[1]);
  if (!list || !axes) return Value::Null(a[0].why);
  const auto size = static_cast<int64_t>(list->size());
  Ints result;
  for (int64_t i = 0; i < size; ++i) {
    const bool removed = std::any_of(axes->begin(), axes->end(),
                                     [&](int64_t axis) { return axis == i || axis + size == i; });
    if (!removed) result.push_back((*list)[static_cast<size_t>(i)]);
  }
  return Value::List(std::move(result));
}
Value ConcatLists(const Scope&, Args a) {
  std::optional<Ints> x = ListOf(a[0]);
  const std::optional<Ints> y = ListOf(a[1]);
  if (!x || !y) return Value::Null(a[0].null() ? a[0].why : a[1].why);
  x->insert(x->end(), y->begin(), y->end());
  return Value::List(std::move(*x));
}
Value Permute(const Scope&, Args a) {
  const std::optional<Ints> list = ListOf(a[0]), perm = ListOf(a[1]);
  if (!list || !perm) return Value::Null(a[0].why);
  Ints result;
  for (const int64_t i : *perm) {
    if (i < 0 || static_cast<size_t>(i) >= list->size()) return Value::Null();
    result.push_back((*list)[static_cast<size_t>(i)]);
  }
  return Value::List(std::move(result));
}
Value Smaller(const Scope&, Args a) {
  const std::optional<double> x = a[0].AsReal(), y = a[1].AsReal();
  if (!x || !y) return Value::Null(a[0].null() ? a[0].why : a[1].why);
  return *x <= *y ? a[0] : a[1];
}
Value Larger(const Scope&, Args a) {
  const std::optional<double> x = a[0].AsReal(), y = a[1].AsReal();
  if (!x || !y) return Value::Null(a[0].null() ? a[0].why : a[1].why);
  return *x >= *y ? a[0] : a[1];
}
Value Least(const Scope&, Args a) {
  if (a[0].type == Value::Type::kReals && !a[0].reals.empty()) {
    return Value::Real(*absl::c_min_element(a[0].reals));
  }
  const std::optional<Ints> list = ListOf(a[0]);
  if (!list || list->empty()) return Value::Null(a[0].why);
  return Value::Int(*absl::c_min_element(*list));
}
Value Abs(const Scope&, Args a) {
  if (const std::optional<int64_t> i = a[0].AsInt()) return Value::Int(*i < 0 ? -*i : *i);
  const std::optional<double> d = a[0].AsReal();
  return d ? Value::Real(std::abs(*d)) : a[0];
}
Value RealOfNumber(const Scope&, Args a) {
  const std::optional<double> d = a[0].AsReal();
  return d ? Value::Real(*d) : Value::Null(a[0].why);
}
Value Sqrt(const Scope&, Args a) {
  const std::optional<double> d = a[0].AsReal();
  return d ? Value::Real(std::sqrt(*d)) : Value::Null(a[0].why);
}

Value Matrix(Ints list, int32_t columns) {
  Value v = Value::List(std::move(list));
  v.columns = columns;
  return v;
}
Value Pairs(const Scope&, Args a) {
  const std::optional<Ints> list = ListOf(a[0]);
  if (!list || list->size() % 2 != 0) return Value::Null(a[0].why);
  const size_t half = list->size() / 2;
  Ints rows;
  for (size_t i = 0; i < half; ++i) {
    rows.push_back((*list)[i]);
    rows.push_back((*list)[half + i]);
  }
  return Matrix(std::move(rows), 2);
}
Value Rows(const Scope&, Args a) {
  std::optional<Ints> list = ListOf(a[0]);
  const std::optional<int64_t> columns = a[1].AsInt();
  if (!list || !columns || *columns < 1 || *columns > kMaxList) return Value::Null(a[0].why);
  return Matrix(std::move(*list), static_cast<int32_t>(*columns));
}

// Splits the padding `total` of an axis as the ONNX auto_pad modes do.
void PushSplit(Ints& rows, int64_t total, bool upper) {
  total = std::max<int64_t>(total, 0);
  const int64_t small = total / 2;
  rows.push_back(upper ? small : total - small);
  rows.push_back(upper ? total - small : small);
}

// ONNX operator documentation, Conv: SAME gives ceil(in / stride) outputs.
Value WindowPads(const Scope& scope, Args a) {
  const bool upper = a[0].type == Value::Type::kText && a[0].text == "SAME_UPPER";
  const bool lower = a[0].type == Value::Type::kText && a[0].text == "SAME_LOWER";
  if (!upper && !lower) {
    if (a[0].type == Value::Type::kText && a[0].text == "VALID") {
      const std::optional<Ints> kernel = ListOf(a[3]);
      return kernel ? Matrix(Ints(kernel->size() * 2, 0), 2) : Value::Null(a[3].why);
    }
    return Pairs(scope, a.subspan(1, 1));
  }
  const std::optional<Ints> in = ListOf(a[2]), kernel = ListOf(a[3]), stride = ListOf(a[4]),
                            dilation = ListOf(a[5]);
  if (!in || !kernel || !stride || !dilation || in->size() != kernel->size() ||
      in->size() != stride->size() || in->size() != dilation->size()) {
    return Value::Null();
  }
  Ints rows;
  for (size_t i = 0; i < in->size(); ++i) {
    const int64_t step = (*stride)[i], size = (*in)[i];
    if (step < 1 || size < 0) return Value::Null();
    const int64_t out = (size - 1) / step + 1;
    PushSplit(rows, (out - 1) * step + ((*kernel)[i] - 1) * (*dilation)[i] + 1 - size, upper);
  }
  return Matrix(std::move(rows), 2);
}

// ONNX operator documentation, ConvTranspose: total padding from the output's size.
Value TransposePads(const Scope& scope, Args a) {
  const bool upper = a[0].type == Value::Type::kText && a[0].text == "SAME_UPPER";
  const bool lower = a[0].type == Value::Type::kText && a[0].text == "SAME_LOWER";
  if (!upper && !lower) return Pairs(scope, a.subspan(1, 1));
  std::array<std::optional<Ints>, 6> lists;
  for (size_t i = 0; i < lists.size(); ++i) {
    lists[i] = ListOf(a[2 + i]);
    if (!lists[i] || lists[i]->size() != lists[0]->size()) return Value::Null();
  }
  Ints rows;
  for (size_t i = 0; i < lists[0]->size(); ++i) {
    const int64_t in = (*lists[0])[i], out = (*lists[1])[i], kernel = (*lists[2])[i];
    const int64_t stride = (*lists[3])[i], dilation = (*lists[4])[i], extra = (*lists[5])[i];
    if (in < 0 || out < 0) return Value::Null();
    PushSplit(rows, stride * (in - 1) + extra + (kernel - 1) * dilation + 1 - out, upper);
  }
  return Matrix(std::move(rows), 2);
}

// ONNX operator documentation, Slice: negative indexes count from the end, then clamping.
// Padding as PyTorch writes it, two numbers a dimension from the last one on, as rows from the
// first.
Value PadRows(const Scope&, Args a) {
  const std::optional<Ints> list = ListOf(a[0]);
  const std::optional<int64_t> rank = a[1].AsInt();
  if (!list || !rank || *rank < 0 || list->size() % 2 != 0 ||
      list->size() > static_cast<size_t>(*rank) * 2 || *rank > kMaxList) {
    return Value::Null(a[0].why);
  }
  Ints rows(static_cast<size_t>(*rank) * 2, 0);
  for (size_t i = 0; i < list->size(); i += 2) {
    rows[rows.size() - i - 2] = (*list)[i];
    rows[rows.size() - i - 1] = (*list)[i + 1];
  }
  return Matrix(std::move(rows), 2);
}
// The axes of a rank with two of them exchanged.
Value Swap(const Scope&, Args a) {
  const std::optional<int64_t> rank = a[0].AsInt(), first = a[1].AsInt(), second = a[2].AsInt();
  if (!rank || !first || !second || *rank < 0 || *rank > kMaxList) return Value::Null();
  const int64_t i = *first < 0 ? *first + *rank : *first;
  const int64_t k = *second < 0 ? *second + *rank : *second;
  if (i < 0 || k < 0 || i >= *rank || k >= *rank) return Value::Null();
  Ints axes;
  for (int64_t axis = 0; axis < *rank; ++axis) axes.push_back(axis == i ? k : axis == k ? i : axis);
  return Value::List(std::move(axes));
}
Value SliceRanges(const Scope&, Args a) {
  for (const size_t i : {0, 1, 2}) {
    if (a[i].null()) return a[i];
  }
  const std::optional<Ints> dims = ListOf(a[0]), starts = ListOf(a[1]), ends = ListOf(a[2]);
  if (!dims || !starts || !ends || starts->size() != ends->size()) return Value::Null();
  const auto rank = static_cast<int64_t>(dims->size());
  Ints rows;
  for (const int64_t size : *dims) {
    if (size < 0) return Value::Null(Value::Why::kDynamic);
    rows.insert(rows.end(), {0, size, 1});
  }
  // Absent axes and steps have defaults; ones computed at run time don't.
  if ((a[3].null() && a[3].why != Value::Why::kAbsent) ||
      (a[4].null() && a[4].why != Value::Why::kAbsent)) {
    return a[3].null() ? a[3] : a[4];
  }
  const std::optional<Ints> axes = ListOf(a[3]), steps = ListOf(a[4]);
  for (size_t i = 0; i < starts->size(); ++i) {
    int64_t axis = static_cast<int64_t>(i);
    if (axes) {
      if (i >= axes->size()) return Value::Null();
      axis = (*axes)[i] < 0 ? (*axes)[i] + rank : (*axes)[i];
    }
    if (axis < 0 || axis >= rank || (steps && i >= steps->size())) return Value::Null();
    const int64_t step = steps ? (*steps)[i] : 1;
    const int64_t size = (*dims)[static_cast<size_t>(axis)];
    if (step == 0) return Value::Null();
    const auto clamp = [&](int64_t n) {
      if (n < 0) n = n < -size ? -1 : n + size;
      return step > 0 ? std::clamp<int64_t>(n, 0, size) : std::clamp<int64_t>(n, -1, size - 1);
    };
    int64_t* row = &rows[static_cast<size_t>(axis) * 3];
    row[0] = clamp((*starts)[i]);
    row[1] = clamp((*ends)[i]);
    row[2] = step;
  }
  return Matrix(std::move(rows), 3);
}

Value SwapLast(const Scope&, Args a) {
  const std::optional<int64_t> axis = a[0].AsInt(), rank = a[1].AsInt();
  if (!axis || !rank || *rank < 1 || *rank > kMaxList) return Value::Null(a[0].why);
  const int64_t at = *axis < 0 ? *axis + *rank : *axis;
  if (at < 0 || at >= *rank) return Value::Null();
  Ints perm;
  for (int64_t i = 0; i < *rank; ++i) perm.push_back(i);
  std::swap(perm[static_cast<size_t>(at)], perm.back());
  return Value::List(std::move(perm));
}

Value SplitPoints(const Scope&, Args a) {
  const std::optional<Ints> sizes = ListOf(a[0]);
  if (!sizes) return Value::Null(a[0].why);
  Ints points;
  int64_t sum = 0;
  for (size_t i = 0; i + 1 < sizes->size(); ++i) {
    if (__builtin_add_overflow(sum, (*sizes)[i], &sum)) return Value::Null();
    points.push_back(sum);
  }
  return Value::List(std::move(points));
}
Value EqualSplit(const Scope&, Args a) {
  const std::optional<int64_t> size = a[0].AsInt(), count = a[1].AsInt();
  if (!size || !count || *size < 0 || *count < 1 || *count > kMaxList) return Value::Null();
  const int64_t chunk = (*size + *count - 1) / *count;
  Ints sizes(static_cast<size_t>(*count), chunk);
  sizes.back() = *size - chunk * (*count - 1);
  return Value::List(std::move(sizes));
}

Value EinsumIs(const Scope&, Args a) {
  if (a[0].type != Value::Type::kText || a[1].type != Value::Type::kText) return Value::Int(0);
  std::array<char, 128> there{}, back{};
  size_t j = 0;
  // A char has a sign on some processors alone.
  const auto ascii = [](char x) { return static_cast<unsigned char>(x) < 128; };
  for (const char c : a[0].text) {
    if (c == ' ') continue;
    if (j >= a[1].text.size() || !ascii(c) || !ascii(a[1].text[j])) return Value::Int(0);
    const char d = a[1].text[j++];
    const auto letter = [](char x) { return (x >= 'a' && x <= 'z') || (x >= 'A' && x <= 'Z'); };
    if (!letter(c) || !letter(d)) {
      if (c != d) return Value::Int(0);
      continue;
    }
    char& forward = there[static_cast<size_t>(c)];
    char& reverse = back[static_cast<size_t>(d)];
    if (forward == 0 && reverse == 0) {
      forward = d;
      reverse = c;
    }
    if (forward != d || reverse != c) return Value::Int(0);
  }
  return Value::Int(j == a[1].text.size());
}

constexpr FunctionRow kFunctions[] = {
    {"abs", 1, 1, Abs},
    {"at_edge", 1, 1, AtEdge},
    {"concat", 2, 2, ConcatLists},
    {"block_size", 2, 2, BlockSize},
    {"dim", 2, 2, Dim},
    {"dims", 1, 1, Dims},
    {"dtype", 1, 1, DtypeOf},
    {"einsum_is", 2, 2, EinsumIs},
    {"elements", 1, 1, Elements},
    {"empty_input", 0, 0, EmptyInput},
    {"ends_at", 3, 3, EndsAt},
    {"equal_split", 2, 2, EqualSplit},
    {"fill", 2, 2, Fill},
    {"given", 1, 1, Given},
    {"highest", 1, 1, Highest},
    {"inputs", 0, 0, Inputs},
    {"insert", 3, 3, Insert},
    {"is_float", 1, 1, IsFloatPort},
    {"len", 1, 1, Len},
    {"least", 1, 1, Least},
    {"lowest", 1, 1, Lowest},
    {"maker", 1, 1, Maker},
    {"max", 2, 2, Larger},
    {"min", 2, 2, Smaller},
    {"nearest_places", 4, 4, NearestPlaces},
    {"neighbour", 1, 1, NeighbourOf},
    {"norm", 2, 2, Norm},
    {"number", 1, 1, Number},
    {"offset", 1, 1, Offset},
    {"opset", 0, 0, Opset},
    {"outputs", 0, 0, Outputs},
    {"pad_rows", 2, 2, PadRows},
    {"pairs", 1, 1, Pairs},
    {"per_channel", 1, 1, IsPerChannel},
    {"permute", 2, 2, Permute},
    {"prod", 1, 1, Prod},
    {"quantized", 1, 1, IsQuantized},
    {"range", 1, 1, Range},
    {"rank", 1, 1, Rank},
    {"read", 1, 1, Read},
    {"read_before", 1, 1, ReadBefore},
    {"read_in_float", 1, 1, ReadInFloat},
    {"read_only_by", 2, 2, ReadOnlyBy},
    {"real", 1, 1, RealOfNumber},
    {"remove", 2, 2, Remove},
    {"rows", 2, 2, Rows},
    {"slice", 3, 3, SliceList},
    {"slice_ranges", 5, 5, SliceRanges},
    {"spatial", 1, 1, Spatial},
    {"split_points", 1, 1, SplitPoints},
    {"sqrt", 1, 1, Sqrt},
    {"static", 1, 1, Static},
    {"stored", 1, 1, Stored},
    {"stored_as", 2, 2, StoredAs},
    {"stored_bits", 1, 1, StoredBits},
    {"stored_dtype", 1, 1, StoredDtype},
    {"swap", 3, 3, Swap},
    {"swap_last", 2, 2, SwapLast},
    {"transpose_pads", 8, 8, TransposePads},
    {"value", 1, 1, Constant},
    {"window_pads", 6, 6, WindowPads},
    {"zeros", 1, 1, Zeros},
};

}  // namespace

std::span<const FunctionRow> Functions() { return kFunctions; }

const FunctionRow* FindFunction(std::string_view name) {
  for (const FunctionRow& row : kFunctions) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace quantgate::mapping
