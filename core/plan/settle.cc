#include "core/plan/settle.h"

#include <algorithm>
#include <utility>

#include "core/plan/confirm.h"

namespace quantgate::plan {
namespace {

// Every precision of a node, and once more for neighbours of one that moved late.
constexpr int kMostRounds = 4;

}  // namespace

SettledPlan::SettledPlan(const CheckSetup& setup, const Model& file, const Resolved& resolved,
                         std::vector<Wish> wishes, std::vector<int> wish_of,
                         std::vector<bool> left_out)
    : setup_(setup),
      resolved_(resolved),
      wishes_(std::move(wishes)),
      wished_(wish_of),
      wish_of_(std::move(wish_of)),
      left_out_(std::move(left_out)),
      options_(setup.table, *resolved.graph) {
  MakePlan();
  // Elsewhere each op was asked about as it arrives, and a route may annotate more than is planned.
  const TakenRoute& route = setup.routes.For(file.dialect, /*with_encodings=*/false);
  if (resolved.graph == &file || !route.document["quantizes_units"].flag().value_or(false)) return;
  for (size_t op = 0; op < resolved.op_source.size(); ++op) {
    if (!left_out_[op]) ops_of_[resolved.op_source[op]].push_back(op);
  }
  // Found once something is refused: what the float model has as well, no precision avoids.
  std::optional<absl::flat_hash_map<int32_t, Finding>> in_float;
  for (int round = 1; round <= kMostRounds; ++round) {
    auto refused = RefusedNodes(setup_, AsPlanned(file, resolved_, *graph_plan_), resolved_);
    if (refused.empty()) return;
    if (!in_float) in_float = RefusedNodes(setup_, file, resolved_);
    bool any = false;
    for (auto& [node, why] : refused) {
      const auto same = in_float->find(node);
      const bool always = same != in_float->end() && same->second.rule == why.rule;
      any |= Move(node, std::move(why), always || round == kMostRounds);
    }
    if (!any) return;
    MakePlan();
  }
}

void SettledPlan::MakePlan() {
  graph_plan_ =
      std::make_unique<GraphPlan>(options_, *resolved_.graph, wishes_, wish_of_, left_out_);
}

// Another width first, then float.
std::optional<Wish> SettledPlan::NextWish(const Wish& wished, int step) const {
  Wish next = wished;
  if (wished.is_float() || step > 2) return std::nullopt;
  next.activation_bits = step == 2 ? 0 : 24 - wished.activation_bits;
  if (step == 2) next.weight_bits = 0;
  return next;
}

// False where nothing is left to change: its plan was refused before.
bool SettledPlan::Move(int32_t node, Finding why, bool refuse) {
  const auto ops = ops_of_.find(node);
  if (ops == ops_of_.end()) return false;
  Moved& moved = moved_.try_emplace(node, Moved{std::move(why)}).first->second;
  if (moved.refused) return false;
  const int step = ++steps_[node];
  for (const size_t op : ops->second) {
    const Wish& wished = wishes_[static_cast<size_t>(wished_[op])];
    const std::optional<Wish> next = refuse ? std::nullopt : NextWish(wished, step);
    if (!next) {
      moved.refused = true;
      left_out_[op] = true;
      continue;
    }
    const auto known = std::find(wishes_.begin(), wishes_.end(), *next);
    wish_of_[op] = static_cast<int>(known - wishes_.begin());
    if (known == wishes_.end()) wishes_.push_back(*next);
  }
  return true;
}

const Moved* SettledPlan::MovedAt(size_t node) const {
  const auto found = moved_.find(static_cast<int32_t>(node));
  return found == moved_.end() ? nullptr : &found->second;
}

}  // namespace quantgate::plan
