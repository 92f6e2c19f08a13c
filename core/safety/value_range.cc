#include "core/safety/value_range.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "core/lower/resolve/encodings.h"

namespace quantgate::fix {
namespace {

using Kind = ValueEffect::Kind;
using mapping::Role;

// Ops in a row that are followed; beyond, only encodings count.
constexpr int kMaxDepth = 64;

ValueRange Cut(const ValueRange& values, const ValueRange& bounds) {
  return {std::clamp(values.low, bounds.low, bounds.high),
          std::clamp(values.high, bounds.low, bounds.high), values.step};
}

// Cut and rounded. Rounding may lead outwards, by half a step.
ValueRange Quantized(const ValueRange& values, const ValueRange& range) {
  ValueRange cut = Cut(values, range);
  if (range.step > 0) {
    cut.low = std::clamp(std::nearbyint(cut.low / range.step) * range.step, range.low, range.high);
    cut.high =
        std::clamp(std::nearbyint(cut.high / range.step) * range.step, range.low, range.high);
  }
  cut.step = range.step;
  return cut;
}

ValueRange Union(const ValueRange& a, const ValueRange& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high), a.step == b.step ? a.step : 0};
}

// Which tensors of the model are in a list.
std::vector<bool> Marks(const Model& model, const std::vector<TensorId>& ids) {
  std::vector<bool> marks(model.tensors.size());
  for (const TensorId id : ids) {
    if (id >= 0 && static_cast<size_t>(id) < marks.size()) marks[static_cast<size_t>(id)] = true;
  }
  return marks;
}

// Whether a tensor holds real values, not indices, shapes or conditions.
bool HoldsReals(const Tensor& tensor) {
  return tensor.dtype == Dtype::kUndefined || IsFloat(tensor.dtype) || IsFixedPoint(tensor.dtype);
}

}  // namespace

bool ValueRange::is_known() const { return std::isfinite(low) && std::isfinite(high); }

std::string Describe(const ValueRange& range) {
  if (range.is_known()) return fmt::format("{:.4g} … {:.4g}", range.low, range.high);
  if (std::isfinite(range.low)) return fmt::format("{:.4g} and more", range.low);
  if (std::isfinite(range.high)) return fmt::format("{:.4g} and less", range.high);
  return "any number";
}

std::optional<ValueRange> RangeOf(const Coding& coding) {
  if (!HasRange(coding)) return std::nullopt;
  const EntryRanges entries(coding);
  ValueRange range = entries[0];
  for (size_t i = 1; i < EntryCount(coding.encoding); ++i) range = Union(range, entries[i]);
  return range;
}

bool HasRange(const Coding& coding) {
  const Encoding& e = coding.encoding;
  return IsFixedPoint(coding.dtype) && !e.scales.empty() &&
         (e.kind == EncodingKind::kPerTensor || e.kind == EncodingKind::kPerChannel) &&
         std::all_of(e.scales.begin(), e.scales.end(),
                     [](float scale) { return std::isfinite(scale) && scale > 0; });
}

EntryRanges::EntryRanges(const Coding& coding)
    : encoding_(*coding.encoding),
      low_(StoredMin(coding.dtype, encoding_.bitwidth)),
      high_(StoredMax(coding.dtype, encoding_.bitwidth)) {}

ValueRange EntryRanges::operator[](size_t i) const {
  const double scale = ScaleAt(encoding_, i);
  const int64_t zero = ZeroPointAt(encoding_, i);
  return {static_cast<double>(low_ - zero) * scale, static_cast<double>(high_ - zero) * scale,
          scale};
}

ValueRanges::ValueRanges(const Model& model, const opdb::View& database, const Producers* producers)
    : model_(model),
      ops_(database, model.dialect),
      is_input_(Marks(model, model.inputs)),
      is_output_(Marks(model, model.outputs)),
      producers_(producers) {}

bool ValueRanges::IsInput(TensorId tensor) const { return is_input_[static_cast<size_t>(tensor)]; }
bool ValueRanges::IsOutput(TensorId tensor) const {
  return is_output_[static_cast<size_t>(tensor)];
}

bool ValueRanges::OnlyMoves(const Node& node) const {
  return ops_.Of(model_, node).kind == ValueEffect::Kind::kMoved;
}

const Node* ValueRanges::Producer(TensorId tensor) const {
  if (producers_ == nullptr) {
    own_producers_.assign(model_.tensors.size(), -1);
    for (size_t n = 0; n < model_.nodes.size(); ++n) {
      for (const TensorId id : model_.nodes[n].outputs) {
        if (id != kNoTensor) own_producers_[static_cast<size_t>(id)] = static_cast<int32_t>(n);
      }
    }
    producers_ = &own_producers_;
  }
  const int32_t at = (*producers_)[static_cast<size_t>(tensor)];
  return at < 0 ? nullptr : &model_.nodes[static_cast<size_t>(at)];
}

const Node* ValueRanges::DequantizeOf(TensorId tensor) const {
  if (!ops_.HasRoles()) return nullptr;
  if (dequantize_.empty()) {
    dequantize_.assign(model_.tensors.size(), -1);
    for (size_t n = 0; n < model_.nodes.size(); ++n) {
      const Node& node = model_.nodes[n];
      if (node.inputs.empty() || node.inputs[0] == kNoTensor) continue;
      if (ops_.RoleOf(node) != Role::kDequantize) continue;
      dequantize_[static_cast<size_t>(node.inputs[0])] = static_cast<int32_t>(n);
    }
  }
  const int32_t at = dequantize_[static_cast<size_t>(tensor)];
  return at < 0 ? nullptr : &model_.nodes[static_cast<size_t>(at)];
}

std::optional<Coding> ValueRanges::CodingAt(const Node& node) const {
  const bool quantizes = ops_.RoleOf(node) == Role::kQuantize;
  const auto values = [&](size_t i) -> const TensorValues* {
    const TensorId id = i < node.inputs.size() ? node.inputs[i] : kNoTensor;
    return id == kNoTensor ? nullptr : model_.tensors[static_cast<size_t>(id)].values.get();
  };
  const TensorId quantized = quantizes ? (node.outputs.empty() ? kNoTensor : node.outputs[0])
                             : node.inputs.empty() ? kNoTensor
                                                   : node.inputs[0];
  if (quantized == kNoTensor) return std::nullopt;
  NodeEncoding found = EncodingOf(model_, node, model_.tensors[static_cast<size_t>(quantized)],
                                  values(1), values(2));
  if (!found.problem.empty()) return std::nullopt;
  return Coding{found.dtype, std::move(found.encoding)};
}

std::optional<Coding> ValueRanges::CodingOf(TensorId id) const {
  const Tensor& tensor = model_.tensors[static_cast<size_t>(id)];
  if (IsFixedPoint(tensor.dtype) && tensor.encoding->kind != EncodingKind::kNone) {
    return Coding{tensor.dtype, tensor.encoding};
  }
  const Node* producer = Producer(id);
  if (producer != nullptr && ops_.RoleOf(*producer) == Role::kQuantize) return CodingAt(*producer);
  const Node* reader = DequantizeOf(id);
  return reader == nullptr ? std::nullopt : CodingAt(*reader);
}

// Of the values in the file, else of what the encoding can say.
ValueRange ValueRanges::Constant(TensorId id) const {
  const Tensor& tensor = model_.tensors[static_cast<size_t>(id)];
  const std::optional<Coding> coding = CodingOf(id);
  // A constant in float that a tool quantizes by the encoding of a separate file.
  const bool stores_reals = tensor.values != nullptr && !tensor.values->reals.empty();
  if (stores_reals || !coding) {
    if (!stores_reals) return {};
    const auto [low, high] =
        std::minmax_element(tensor.values->reals.begin(), tensor.values->reals.end());
    return {*low, *high};
  }
  const bool is_annotated = HasOwnEncoding(tensor) && model_.dialect != Dialect::kQnn;
  const std::optional<ValueRange> all = RangeOf(*coding);
  if (!all || is_annotated) return {};
  std::optional<std::pair<double, double>> ends = tensor.value_range;
  if (tensor.values != nullptr && !tensor.values->ints.empty()) {
    const auto [low, high] =
        std::minmax_element(tensor.values->ints.begin(), tensor.values->ints.end());
    ends.emplace(static_cast<double>(*low), static_cast<double>(*high));
  }
  if (!ends || EntryCount(coding->encoding) != 1) return *all;
  const double scale = ScaleAt(coding->encoding, 0);
  const auto zero = static_cast<double>(ZeroPointAt(coding->encoding, 0));
  return {(ends->first - zero) * scale, (ends->second - zero) * scale, all->step};
}

ValueRange ValueRanges::Dequantized(const Node& node, int depth) const {
  const std::optional<Coding> coding = CodingAt(node);
  const std::optional<ValueRange> range = coding ? RangeOf(*coding) : std::nullopt;
  if (!range) return {};
  const TensorId quantized = node.inputs[0];
  const std::optional<Coding> written = CodingOf(quantized);
  // Integers that are read otherwise than they were written may be any.
  return written && Same(*written, *coding) ? Held(quantized, depth + 1) : *range;
}

ValueRange ValueRanges::Written(const Node& node, int depth) const {
  const Role role = ops_.RoleOf(node);
  if (role == Role::kDequantize) return Dequantized(node, depth);
  if (role == Role::kQuantize) {
    return node.inputs.empty() || node.inputs[0] == kNoTensor ? ValueRange{}
                                                              : Held(node.inputs[0], depth + 1);
  }
  if (!node.unchecked_reason.empty()) return {};
  const ValueEffect effect = ops_.Of(model_, node);
  if (effect.kind == Kind::kUnknown) return {};
  if (effect.kind == Kind::kBounded) return {effect.low, effect.high};
  std::optional<ValueRange> read;
  for (const TensorId id : node.inputs) {
    if (id == kNoTensor || !HoldsReals(model_.tensors[static_cast<size_t>(id)])) continue;
    const ValueRange held = Held(id, depth + 1);
    read = read ? Union(*read, held) : held;
    // The others of an op that cuts are its bounds.
    if (effect.kind == Kind::kCut) break;
  }
  if (!read) return {};
  if (effect.kind == Kind::kCut) {
    ValueRange cut = Cut(*read, {effect.low, effect.high});
    const bool on_grid = effect.low == 0 && !std::isfinite(effect.high);
    if (!on_grid) cut.step = 0;
    return cut;
  }
  read->low = std::min(read->low, 0.0);
  read->high = std::max(read->high, 0.0);
  if (effect.kind == Kind::kAveraged) read->step = 0;
  return *read;
}

ValueRange ValueRanges::Reaching(TensorId id, int depth) const {
  if (model_.tensors[static_cast<size_t>(id)].is_static) return Constant(id);
  const Node* producer = Producer(id);
  if (producer == nullptr || IsInput(id) || depth > kMaxDepth) return {};
  return Written(*producer, depth);
}

ValueRange ValueRanges::Held(TensorId id, int depth) const {
  if (const auto known = held_.find(id); known != held_.end()) return known->second;
  ValueRange held = Reaching(id, depth);
  if (const std::optional<Coding> coding = CodingOf(id)) {
    const std::optional<ValueRange> range = RangeOf(*coding);
    held = range ? Quantized(held, *range) : ValueRange{};
  }
  held_[id] = held;
  return held;
}

ValueRange ValueRanges::Held(TensorId tensor) const { return Held(tensor, 0); }
ValueRange ValueRanges::Reaching(TensorId tensor) const { return Reaching(tensor, 0); }

}  // namespace quantgate::fix
