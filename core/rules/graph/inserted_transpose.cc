#include <fmt/core.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/ir/channel_move.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/format.h"
#include "core/rules/support/graph_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace inserted_transpose {

struct Own : Settings {
  SetMask norms = 0, transposes = 0, reshapes = 0;
  // On some routes a Transpose that moves the channels goes down through other ops (`passes`), as do those around
  // ops that have the channels last.
  SetMask moved_norms = 0, channels_last = 0, passes = 0;
  std::vector<std::string_view> moving_routes;
  // From here on a Reshape between ops with the channels last is worth a word.
  int64_t min_bytes = 0;
  std::vector<std::string_view> reshape_routes;
};

using F = Fields<Own>;
constexpr SettingField kFields[] = {F::Bind<&Own::norms>("norms"), F::Bind<&Own::transposes>("transposes"),
                                    F::Bind<&Own::reshapes>("reshapes"), F::Bind<&Own::moved_norms>("moved_norms"),
                                    F::Bind<&Own::channels_last>("channels_last"), F::Bind<&Own::passes>("passes"),
                                    F::Bind<&Own::moving_routes>("moving_routes"),
                                    F::Bind<&Own::min_bytes>("min_bytes"),
                                    F::Bind<&Own::reshape_routes>("reshape_routes")};

std::vector<int64_t> PermOf(const GraphView& g, int32_t transpose) {
  const Param* perm = g.op(transpose).FindParam("perm");
  return perm == nullptr ? std::vector<int64_t>() : IntsOf(perm->value).value_or(std::vector<int64_t>());
}

// The op that makes the first of an op's inputs that is no constant; -1 = none.
int32_t MakerBefore(const GraphView& g, int32_t op) {
  for (const TensorId id : g.op(op).inputs) {
    if (id != kNoTensor && !g.tensor(id).is_static) return g.Producer(id);
  }
  return -1;
}

// Whether an op gives the channels last, or is the Reshape behind one that serves the same node of the file.
bool HasChannelsLast(const GraphView& g, int32_t op) {
  const Own& own = g.settings<Own>();
  if (g.Is(op, own.channels_last)) return true;
  const int32_t before = g.Is(op, own.reshapes) ? MakerBefore(g, op) : -1;
  return before >= 0 && g.Is(before, own.channels_last) && g.SourceOf(before) == g.SourceOf(op);
}

// Where an axis of a tensor lies before the Transpose that comes down to it; the axis itself where none does.
int64_t MovedAxis(const GraphView& g, TensorId id, int64_t axis) {
  const Own& own = g.settings<Own>();
  if (!g.IsOnOneOf(own.moving_routes)) return axis;
  const int64_t rank = g.tensor(id).rank();
  if (rank < 3) return axis;
  int32_t op = g.Producer(id);
  for (int step = 0; op >= 0 && step < kMostLinks; ++step, op = MakerBefore(g, op)) {
    if (g.Is(op, own.passes)) continue;
    if (g.output(op) == nullptr || g.output(op)->rank() != rank) break;
    if (HasChannelsLast(g, op)) return axis == 0 ? 0 : axis == 1 ? rank - 1 : axis - 1;
    const std::vector<int64_t> perm = g.Is(op, own.transposes) ? PermOf(g, op) : std::vector<int64_t>();
    if (static_cast<int64_t>(perm.size()) != rank || ChannelMoveOf(perm) == ChannelMove::kNone) break;
    axis = perm[static_cast<size_t>(axis)];
  }
  return axis;
}

// The Transpose that was inserted in front of an op: it serves the same node of the file. -1 =
// none.
int32_t InsertedBefore(const GraphView& g, SetMask transposes, int32_t op) {
  const int32_t before = g.Producer(g.op(op).inputs[0]);
  if (before < 0 || !g.Is(before, transposes) || g.SourceOf(before) != g.SourceOf(op)) return -1;
  return g.input(before, 0) == nullptr ? -1 : before;
}

// Whether an op with the channels last makes a tensor, by whatever keeps the layout behind it.
bool ComesWithChannelsLast(const GraphView& g, TensorId id) {
  const SetMask passes = g.settings<Own>().passes;
  int32_t op = g.Producer(id);
  for (int step = 0; op >= 0 && step < kMostLinks && g.Is(op, passes); ++step) op = MakerBefore(g, op);
  return op >= 0 && g.Is(op, g.settings<Own>().channels_last);
}

// Whether one reads it, by whatever keeps the layout before it.
bool GoesToChannelsLast(const GraphView& g, TensorId id) {
  const Own& own = g.settings<Own>();
  for (int step = 0; step < kMostLinks; ++step) {
    const int32_t reader = g.FirstReader(id);
    if (reader < 0) return false;
    if (g.Is(reader, own.channels_last)) return true;
    if (!g.Is(reader, own.passes) || g.op(reader).outputs.empty()) return false;
    id = g.op(reader).outputs[0];
  }
  return false;
}

// A Reshape works on the order that the file has, so what lies with the channels last around it is brought there
// and back.
void VisitReshape(const GraphView& g, int32_t op, GraphFindings& findings) {
  const Tensor *in = g.input(op, 0), *out = g.output(op);
  constexpr int64_t kImage = 4;
  if (in == nullptr || out == nullptr || in->is_static || in->rank() < kImage || out->rank() < kImage ||
      !g.IsOnOneOf(g.settings<Own>().reshape_routes)) {
    return;
  }
  const double bytes = BytesOf(*in);
  if (bytes < static_cast<double>(g.settings<Own>().min_bytes)) return;
  if (!ComesWithChannelsLast(g, g.op(op).inputs[0]) || !GoesToChannelsLast(g, g.op(op).outputs[0])) return;
  const int32_t before = g.Producer(g.op(op).inputs[0]);
  // The layout of an operator's own mapping is its own business.
  if (before >= 0 && g.SourceOf(before) == g.SourceOf(op)) return;
  Finding& f = findings.AddInput(op, 0, Consequence::kAdvice);
  f.message = fmt::format(
      "a Reshape between ops that compute with the channels last: Transposes are put on both sides of it, {} a run",
      Bytes(4 * bytes));
  f.found = fmt::format("{} to {}", Dims(*in), Dims(*out));
  f.fixes.push_back(UnsafeFix("take channels or frames apart with Slice or Split, and join them with Concat, which keep the layout"));
}

void Visit(const GraphView& g, int32_t op, GraphFindings& findings) {
  const Own& settings = g.settings<Own>();
  if (g.Is(op, settings.reshapes)) return VisitReshape(g, op, findings);
  if (!g.Is(op, settings.norms) || g.input(op, 0) == nullptr) return;
  const int32_t before = InsertedBefore(g, settings.transposes, op);
  const TensorId id = g.op(before < 0 ? op : before).inputs[0];
  const Tensor& in = g.tensor(id);
  const int64_t last = in.rank() - 1;
  if (last < 0) return;
  const std::vector<int64_t> perm = before < 0 ? std::vector<int64_t>() : PermOf(g, before);
  const int64_t axis = before < 0 ? last : perm.empty() ? last - 1 : perm.back();
  const int64_t moved = g.Is(op, settings.moved_norms) ? MovedAxis(g, id, axis) : axis;
  if (moved == last) return;
  const bool in_file = moved == axis;
  Finding& f = findings.AddInput(op, 0, Consequence::kAltered);
  f.tensor = in.name;
  f.message = fmt::format("{} of \"{}\" is not on the last axis{}: a Transpose is put before and one after it, {} a run",
                          f.op, g.NameOf(op), in_file ? "" : " of the layout that it is computed in", Bytes(4 * BytesOf(in)));
  f.found = fmt::format("axis {} of {}", axis, Dims(in));
  f.allowed = in_file ? "the last axis" : "the axis of the channels";
  f.fixes.push_back(UnsafeFix(fmt::format("lay \"{}\" out with this axis last", in.name)));
}

constexpr RuleEntry kEntry = {
    .rule =
        About(kInsertedTranspose,
              {.summary = "an op in another layout than the ops around it gets Transposes",
               .explanation = R"(## What it checks
Softmax and its like whose axis is not the last: the backend only knows the last axis, so the tool on
the way puts a Transpose before and one after it. ONNX Runtime's provider computes convolutions, pools and
the like with the channels last and takes the Transposes around them, and those that move the channels,
past what is behind: there the axis of the channels is the last one. And a Reshape between such ops, from
1 MB on: it works on the order of the file.

## Why
Two passes over the tensor for a normalisation or a Reshape; on other routes the op is refused.

## Fix
Lay the tensor out so that the axis is the last one. Instead of a Reshape, cut with Slice or Split and join with
Concat.

## References
The evidence and what the real library or provider said are listed below.
)",
               .status = RuleStatus::kStable}),
    .visit = Visit,
    .settings = &kFormOf<Own, kFields>};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace inserted_transpose

const RuleEntry kInsertedTransposeEntry = inserted_transpose::kEntry;

}  // namespace quantgate::rules
