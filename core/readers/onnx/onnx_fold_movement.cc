// Operators that only move elements: for every element of the output, which of the inputs' it is.
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/readers/onnx/onnx_fold.h"

namespace quantgate::onnx::fold {
namespace {

using Dims = std::span<const int64_t>;
using Ints = std::vector<int64_t>;
// An element of an input.
struct Place {
  size_t input = 0;
  int64_t element = 0;
};

// Row-major coordinates of element `k`.
void CoordinatesOf(int64_t k, Dims dims, Ints& at) {
  at.resize(dims.size());
  for (size_t i = dims.size(); i-- > 0;) {
    at[i] = k % dims[i];
    k /= dims[i];
  }
}

// The element at these coordinates; nullopt outside.
std::optional<int64_t> ElementAt(const Ints& at, Dims dims) {
  int64_t k = 0;
  if (at.size() != dims.size()) return std::nullopt;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (at[i] < 0 || at[i] >= dims[i]) return std::nullopt;
    k = k * dims[i] + at[i];
  }
  return k;
}

// The element of a smaller shape that is broadcast to these coordinates.
std::optional<int64_t> BroadcastAt(const Ints& at, Dims dims) {
  if (dims.size() > at.size()) return std::nullopt;
  Ints own(at.end() - static_cast<ptrdiff_t>(dims.size()), at.end());
  for (size_t i = 0; i < own.size(); ++i) {
    if (dims[i] == 1) own[i] = 0;
  }
  return ElementAt(own, dims);
}

std::optional<size_t> AxisOf(int64_t axis, size_t rank) {
  const auto size = static_cast<int64_t>(rank);
  if (axis < -size || axis >= size) return std::nullopt;
  return static_cast<size_t>(axis < 0 ? axis + size : axis);
}

TensorValues Pick(const Task& task, const std::vector<Place>& places) {
  TensorValues values;
  const bool real = IsFloat(task.dtype);
  for (const Place& place : places) {
    const Input& input = task.inputs[place.input];
    if (real) {
      values.reals.push_back(input.Real(place.element));
    } else {
      values.ints.push_back(input.Int(place.element));
    }
  }
  return values;
}

// `place` says where the element of the output at some coordinates comes from.
template <typename PlaceOf>
std::optional<TensorValues> Moved(const Task& task, PlaceOf place_of) {
  std::vector<Place> places;
  places.reserve(static_cast<size_t>(task.count));
  Ints at;
  for (int64_t k = 0; k < task.count; ++k) {
    CoordinatesOf(k, task.dims, at);
    const std::optional<Place> place = place_of(at);
    if (!place || task.inputs[place->input].values == nullptr) return std::nullopt;
    const Input& input = task.inputs[place->input];
    if (input.is_real() != IsFloat(task.dtype)) return std::nullopt;
    places.push_back(*place);
  }
  return Pick(task, places);
}

std::optional<Place> First(std::optional<int64_t> element) {
  if (!element) return std::nullopt;
  return Place{0, *element};
}

// The same elements in the same order.
std::optional<TensorValues> Copy(const Task& task) {
  if (task.inputs[0].count != task.count) return std::nullopt;
  return Moved(task, [&](const Ints& at) { return First(ElementAt(at, task.dims)); });
}

std::optional<TensorValues> Expand(const Task& task) {
  return Moved(task, [&](const Ints& at) { return First(BroadcastAt(at, task.inputs[0].dims)); });
}

std::optional<TensorValues> Tile(const Task& task) {
  const Dims dims = task.inputs[0].dims;
  return Moved(task, [&](Ints at) {
    for (size_t i = 0; i < at.size() && i < dims.size(); ++i)
      at[i] %= std::max<int64_t>(dims[i], 1);
    return First(ElementAt(at, dims));
  });
}

std::optional<TensorValues> Transpose(const Task& task) {
  const Dims dims = task.inputs[0].dims;
  const Ints* perm = task.Attributes("perm");
  if (dims.size() != task.dims.size() || (perm != nullptr && perm->size() != dims.size())) {
    return std::nullopt;
  }
  return Moved(task, [&](const Ints& at) -> std::optional<Place> {
    Ints from(dims.size(), -1);
    for (size_t i = 0; i < dims.size(); ++i) {
      const auto axis = perm == nullptr ? dims.size() - 1 - i : AxisOf((*perm)[i], dims.size());
      if (!axis) return std::nullopt;
      from[*axis] = at[i];
    }
    return First(ElementAt(from, dims));
  });
}

std::optional<TensorValues> Concat(const Task& task) {
  const auto axis = AxisOf(task.Attribute("axis", 1), task.dims.size());
  if (!axis) return std::nullopt;
  return Moved(task, [&](Ints at) -> std::optional<Place> {
    for (size_t i = 0; i < task.inputs.size(); ++i) {
      const Dims dims = task.inputs[i].dims;
      if (dims.size() != at.size()) return std::nullopt;
      if (at[*axis] < dims[*axis]) {
        const auto element = ElementAt(at, dims);
        return element ? std::optional(Place{i, *element}) : std::nullopt;
      }
      at[*axis] -= dims[*axis];
    }
    return std::nullopt;
  });
}

std::optional<TensorValues> Gather(const Task& task) {
  if (task.inputs.size() < 2 || task.inputs[1].values == nullptr) return std::nullopt;
  const Dims dims = task.inputs[0].dims;
  const Input& indices = task.inputs[1];
  const auto axis = AxisOf(task.Attribute("axis", 0), dims.size());
  if (!axis || indices.is_real() || task.dims.size() + 1 != dims.size() + indices.dims.size()) {
    return std::nullopt;
  }
  const auto begin = static_cast<ptrdiff_t>(*axis);
  const auto end = begin + static_cast<ptrdiff_t>(indices.dims.size());
  return Moved(task, [&](const Ints& at) -> std::optional<Place> {
    const auto which = ElementAt(Ints(at.begin() + begin, at.begin() + end), indices.dims);
    if (!which) return std::nullopt;
    const int64_t index = indices.Int(*which);
    Ints from(at.begin(), at.begin() + begin);
    from.push_back(index < 0 ? index + dims[*axis] : index);
    from.insert(from.end(), at.begin() + end, at.end());
    return First(ElementAt(from, dims));
  });
}

std::optional<TensorValues> GatherElements(const Task& task) {
  if (task.inputs.size() < 2 || task.inputs[1].values == nullptr) return std::nullopt;
  const Dims dims = task.inputs[0].dims;
  const Input& indices = task.inputs[1];
  const auto axis = AxisOf(task.Attribute("axis", 0), dims.size());
  if (!axis || indices.is_real() || indices.dims.size() != dims.size()) return std::nullopt;
  return Moved(task, [&](Ints at) -> std::optional<Place> {
    const auto which = ElementAt(at, indices.dims);
    if (!which) return std::nullopt;
    const int64_t index = indices.Int(*which);
    at[*axis] = index < 0 ? index + dims[*axis] : index;
    return First(ElementAt(at, dims));
  });
}

// What an operator set has as input `i`, an older one as an attribute.
std::optional<Ints> IntsOf(const Task& task, size_t i, std::string_view attribute) {
  if (i < task.inputs.size() && task.inputs[i].values != nullptr) {
    if (task.inputs[i].is_real()) return std::nullopt;
    Ints out;
    for (int64_t k = 0; k < task.inputs[i].count; ++k) out.push_back(task.inputs[i].Int(k));
    return out;
  }
  const Ints* list = attribute.empty() ? nullptr : task.Attributes(attribute);
  if (list == nullptr) return std::nullopt;
  return *list;
}

std::optional<TensorValues> Slice(const Task& task) {
  const Dims dims = task.inputs[0].dims;
  const auto starts = IntsOf(task, 1, "starts");
  if (!starts || dims.size() != task.dims.size()) return std::nullopt;
  const auto axes = IntsOf(task, 3, "axes");
  const auto steps = IntsOf(task, 4, "");
  Ints first(dims.size(), 0);
  Ints step(dims.size(), 1);
  for (size_t i = 0; i < starts->size(); ++i) {
    if ((axes && i >= axes->size()) || (steps && i >= steps->size())) return std::nullopt;
    const auto axis = AxisOf(axes ? (*axes)[i] : static_cast<int64_t>(i), dims.size());
    if (!axis) return std::nullopt;
    const int64_t size = dims[*axis];
    const int64_t start = (*starts)[i];
    step[*axis] = steps ? (*steps)[i] : 1;
    first[*axis] = std::clamp(start < 0 && start >= -size ? start + size : start, int64_t{0},
                              std::max<int64_t>(step[*axis] < 0 ? size - 1 : size, 0));
  }
  return Moved(task, [&](Ints at) -> std::optional<Place> {
    for (size_t i = 0; i < at.size(); ++i) {
      // Steps of hostile files are large; the products of real ones stay inside the input.
      if (__builtin_mul_overflow(at[i], step[i], &at[i]) ||
          __builtin_add_overflow(at[i], first[i], &at[i])) {
        return std::nullopt;
      }
    }
    return First(ElementAt(at, dims));
  });
}

std::optional<TensorValues> Where(const Task& task) {
  if (task.inputs.size() != 3) return std::nullopt;
  for (const Input& input : task.inputs) {
    if (input.values == nullptr) return std::nullopt;
  }
  if (task.inputs[0].is_real()) return std::nullopt;
  return Moved(task, [&](const Ints& at) -> std::optional<Place> {
    const auto condition = BroadcastAt(at, task.inputs[0].dims);
    if (!condition) return std::nullopt;
    const size_t from = task.inputs[0].Int(*condition) != 0 ? 1 : 2;
    const auto element = BroadcastAt(at, task.inputs[from].dims);
    return element ? std::optional(Place{from, *element}) : std::nullopt;
  });
}

// Sorted by name.
constexpr auto kMovements = std::to_array<Computed>({
    {"Concat", Concat},
    {"Expand", Expand},
    {"Flatten", Copy},
    {"Gather", Gather},
    {"GatherElements", GatherElements},
    {"Identity", Copy},
    {"Reshape", Copy},
    {"Slice", Slice},
    {"Squeeze", Copy},
    {"Tile", Tile},
    {"Transpose", Transpose},
    {"Unsqueeze", Copy},
    {"Where", Where},
});
static_assert(std::is_sorted(kMovements.begin(), kMovements.end(), ByOperator));

}  // namespace

Compute FindMovement(std::string_view op) {
  return Find(kMovements, op);
}

}  // namespace quantgate::onnx::fold
