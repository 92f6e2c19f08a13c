#include "core/plan/wishes.h"

#include <fmt/core.h>

#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "core/policy/glob.h"
#include "quantgate/text.h"

namespace quantgate::plan {
namespace {

bool IsPattern(std::string_view text) { return text.find_first_of("*?") != std::string_view::npos; }

}  // namespace

absl::StatusOr<Wishes> WishesFor(const Model& model, const PlanOptions& options) {
  Wishes wishes;
  absl::StatusOr<Wish> usual = ParseWish(options.precision, options.weights, options.minimize);
  if (!usual.ok()) return usual.status();
  wishes.list.push_back(*usual);
  wishes.names.push_back(options.precision);
  wishes.of_node.assign(model.nodes.size(), 0);
  // By node: the override that holds, -1 = none.
  std::vector<int> held_by(model.nodes.size(), -1);
  for (size_t o = 0; o < options.overrides.size(); ++o) {
    const PlanOverride& wanted = options.overrides[o];
    std::string_view weights;
    if (wanted.precision != "fp16") weights = options.weights;
    absl::StatusOr<Wish> wish = ParseWish(wanted.precision, weights, options.minimize);
    if (!wish.ok()) return wish.status();
    wishes.list.push_back(*wish);
    wishes.names.push_back(wanted.precision);
    const bool is_pattern = IsPattern(wanted.nodes);
    bool any = false;
    for (size_t i = 0; i < model.nodes.size(); ++i) {
      const std::string_view name = model.nodes[i].name;
      if (is_pattern ? !GlobMatches(wanted.nodes, name) : name != wanted.nodes) continue;
      any = true;
      if (held_by[i] >= 0) {
        const PlanOverride& other = options.overrides[static_cast<size_t>(held_by[i])];
        if (is_pattern && !IsPattern(other.nodes)) continue;
        if (is_pattern == IsPattern(other.nodes) && other.precision != wanted.precision) {
          return absl::InvalidArgumentError(
              fmt::format("overrides {}={} and {}={} contradict each other at node \"{}\"",
                          Printable(other.nodes, 60), other.precision, Printable(wanted.nodes, 60),
                          wanted.precision, Printable(name, 60)));
        }
      }
      held_by[i] = static_cast<int>(o);
      wishes.of_node[i] = static_cast<int>(o) + 1;
    }
    if (any) continue;
    std::string near;
    if (!is_pattern) {
      std::vector<std::string_view> names;
      for (const Node& node : model.nodes) names.push_back(node.name);
      near = DidYouMean(wanted.nodes, names);
    }
    return absl::InvalidArgumentError(fmt::format(
        "override {}={}: no node has {} \"{}\"{}", Printable(wanted.nodes, 60), wanted.precision,
        is_pattern ? "a name like" : "the name", Printable(wanted.nodes, 60), near));
  }
  return wishes;
}

}  // namespace quantgate::plan
