#include <fmt/core.h>

#include <algorithm>
#include <cstdint>

#include "core/rules/rule_entry.h"
#include "core/rules/support/format.h"
#include "core/rules/support/graph_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace {

struct Own : Settings {
  double most_gib = 2;  // that one graph holds
};

using F = Fields<Own>;
constexpr SettingField kFields[] = {F::Bind<&Own::most_gib>("most_gib")};

constexpr double kGib = 1024.0 * 1024 * 1024;

void Walk(const GraphView& g, GraphFindings& findings) {
  const double most = g.settings<Own>().most_gib;
  double bytes = 0;
  for (TensorId id = 0; id < g.tensor_count(); ++id) {
    // What an op makes is no constant; most tensors need not be fetched from memory for that.
    if (g.Producer(id) >= 0 || !g.tensor(id).is_static) continue;
    const auto readers = g.Readers(id);
    const bool is_read =
        std::any_of(readers.begin(), readers.end(), [&](int32_t op) { return !g.Refused(op); });
    if (is_read) bytes += StoredBytes(g.tensor(id));
  }
  if (bytes <= most * kGib) return;
  Finding& f = findings.Add(-1, Consequence::kAdvice);
  f.message = fmt::format("the constants take {:.2f} GiB, and one graph holds {} GiB", bytes / kGib,
                          Number(most));
  f.found = fmt::format("{:.2f} GiB", bytes / kGib);
  f.allowed = fmt::format("at most {} GiB", Number(most));
  f.fixes.push_back(UnsafeFix("split the model into several graphs, or use fewer bits a weight"));
}

constexpr RuleEntry kEntry = {
    .rule = About(kGraphSize, {.summary = "the constants are more than one graph holds",
                               .explanation = R"(## What it checks
The sum of all constants that ops of the graph read, in bits that carry values, against what one
graph and its serialized context hold. One finding for the model.

## Why
A context is one buffer with 32-bit offsets: making or loading a larger one fails, after the weights
have been prepared for a long time.

## Fix
Split the model into several graphs (for a language model, groups of layers), or use fewer bits for
the weights.

## References
The evidence is listed below.
)",
                               .status = RuleStatus::kStable}),
    .walk = Walk,
    .settings = &kFormOf<Own, kFields>};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace

const RuleEntry kGraphSizeEntry = kEntry;

}  // namespace quantgate::rules
