#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <vector>

#include "core/rules/rule_entry.h"
#include "core/rules/support/graph_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace part_without_inputs {

struct Own : Settings {
  // That hand constants over to the backend as they are.
  std::vector<std::string_view> routes;
};

using F = Fields<Own>;
constexpr SettingField kFields[] = {F::Bind<&Own::routes>("routes")};

// Ops that hang together, each named by its first one.
class Parts {
 public:
  explicit Parts(int32_t count) : first_(static_cast<size_t>(count)) { std::iota(first_.begin(), first_.end(), 0); }
  int32_t Of(int32_t op) {
    int32_t& first = first_[static_cast<size_t>(op)];
    if (first != op) first = Of(first);
    return first;
  }
  void Join(int32_t a, int32_t b) {
    a = Of(a), b = Of(b);
    first_[static_cast<size_t>(std::max(a, b))] = std::min(a, b);
  }

 private:
  std::vector<int32_t> first_;
};

void Walk(const GraphView& g, GraphFindings& findings) {
  if (!g.IsOnOneOf(g.settings<Own>().routes)) return;
  Parts parts(g.op_count());
  std::vector<bool> has_input(static_cast<size_t>(g.op_count()));
  for (int32_t op = 0; op < g.op_count(); ++op) {
    if (g.Refused(op)) continue;
    for (const TensorId in : g.op(op).inputs) {
      if (in == kNoTensor || g.tensor(in).is_static) continue;
      const int32_t before = g.Producer(in);
      if (before >= 0 && !g.Refused(before)) {
        parts.Join(before, op);
      } else {
        has_input[static_cast<size_t>(op)] = true;
      }
    }
  }
  std::vector<bool> reached(has_input.size());
  std::vector<int32_t> sizes(has_input.size());
  for (int32_t op = 0; op < g.op_count(); ++op) {
    if (g.Refused(op)) continue;
    const auto part = static_cast<size_t>(parts.Of(op));
    ++sizes[part];
    if (has_input[static_cast<size_t>(op)]) reached[part] = true;
  }
  for (int32_t op = 0; op < g.op_count(); ++op) {
    const auto part = static_cast<size_t>(op);
    if (sizes[part] == 0 || reached[part]) continue;
    Finding& f = findings.Add(op, Consequence::kPrepareFails);
    f.message = fmt::format(
        "{} no input of the model: a graph of constants alone has no inputs, and no context binary is made of it",
        sizes[part] == 1 ? fmt::format("{} reads", f.op) : fmt::format("{} and what hangs together with it read", f.op));
    f.found = sizes[part] == 1 ? "one op without an input" : fmt::format("{} ops without an input", sizes[part]);
    f.allowed = "numbers that are stored";
    f.fixes.push_back(UnsafeFix("compute it before the export, and store the result (register_buffer)"));
  }
}

constexpr RuleEntry kEntry = {
    .rule = About(kPartWithoutInputs, {.summary = "a part of the model reads no input, and no graph is made of it",
                                       .explanation = R"(## What it checks
Ops that hang together and are handed over, of which none reads an input of the model or what the CPU computes:
ranges, constants, and what is computed from them alone.

## Why
ExecuTorch's partitioner hands such a part over as a graph of its own. A graph without inputs is not finalized, and
the lowering ends with "Failed to generate Qnn context binary". It happens to positions and distances that a model
computes from a fixed length.

## Fix
Compute the numbers before the export and store them, as a buffer of the module.

## References
The evidence is listed below.
)",
                                       .status = RuleStatus::kStable}),
    .walk = Walk,
    .settings = &kFormOf<Own, kFields>};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace part_without_inputs

const RuleEntry kPartWithoutInputsEntry = part_without_inputs::kEntry;

}  // namespace quantgate::rules
