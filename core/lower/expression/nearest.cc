#include "core/lower/expression/nearest.h"

#include <algorithm>

namespace quantgate::mapping {
namespace {

constexpr int64_t kMostElements = 1 << 16;

int64_t Floor(int64_t a, int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }
int64_t Ceil(int64_t a, int64_t b) { return -Floor(-a, b); }

// A place in the input as a fraction; `divisor` above 0.
struct Place {
  int64_t number, divisor;
};

std::optional<Place> PlaceOf(std::string_view coordinates, int64_t i, int64_t from, int64_t to) {
  if (coordinates == "asymmetric") return Place{i * from, to};
  if (coordinates == "half_pixel") return Place{(2 * i + 1) * from - to, 2 * to};
  if (coordinates == "pytorch_half_pixel") {
    return to > 1 ? Place{(2 * i + 1) * from - to, 2 * to} : Place{0, 1};
  }
  if (coordinates == "align_corners") {
    return to > 1 ? Place{i * (from - 1), to - 1} : Place{0, 1};
  }
  if (coordinates == "tf_half_pixel_for_nn") return Place{(2 * i + 1) * from, 2 * to};
  return std::nullopt;
}

std::optional<int64_t> Rounded(std::string_view nearest, Place at) {
  if (nearest == "floor") return Floor(at.number, at.divisor);
  if (nearest == "ceil") return Ceil(at.number, at.divisor);
  if (nearest == "round_prefer_floor") {
    return Ceil(2 * at.number - at.divisor, 2 * at.divisor);
  }
  if (nearest == "round_prefer_ceil") {
    return Floor(2 * at.number + at.divisor, 2 * at.divisor);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Ints> PlacesOf(std::string_view coordinates, std::string_view nearest, int64_t from,
                             int64_t to) {
  if (from <= 0 || to <= 0 || from > kMostElements || to > kMostElements) return std::nullopt;
  Ints places;
  for (int64_t i = 0; i < to; ++i) {
    const std::optional<Place> at = PlaceOf(coordinates, i, from, to);
    const std::optional<int64_t> place = at ? Rounded(nearest, *at) : std::nullopt;
    if (!place) return std::nullopt;
    places.push_back(std::clamp<int64_t>(*place, 0, from - 1));
  }
  return places;
}

}  // namespace quantgate::mapping
