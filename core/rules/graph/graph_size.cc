#include <fmt/core.h>

#include <algorithm>
#include <cstdint>

#include "core/rules/rule_entry.h"
#include "core/rules/support/format.h"
#include "core/rules/support/graph_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace graph_size {

struct Own : Settings {
  double most_gib = 2;  // that one graph holds
};

using F = Fields<Own>;
constexpr SettingField kFields[] = {F::Bind<&Own::most_gib>("most_gib")};

constexpr double kGib = 1024.0 * 1024 * 1024;

// Whether `op` is the first that is handed over of those that read it.
bool IsFirstReader(const GraphView& g, int32_t op, TensorId id) {
  if (g.FirstReader(id) == op || !g.Refused(g.FirstReader(id))) return g.FirstReader(id) == op;
  const auto readers = g.Readers(id);
  return *std::find_if(readers.begin(), readers.end(), [&](int32_t reader) { return !g.Refused(reader); }) == op;
}

// Bytes of the constants that these ops are the first to read.
double BytesRead(const GraphView& g, int32_t begin, int32_t end) {
  double bytes = 0;
  for (int32_t op = begin; op < end; ++op) {
    if (g.Refused(op)) continue;
    const auto& inputs = g.op(op).inputs;
    for (auto input = inputs.begin(); input != inputs.end(); ++input) {
      // What an op makes is no constant: most tensors need not be fetched from memory for that.
      if (*input == kNoTensor || g.Producer(*input) >= 0) continue;
      if (!IsFirstReader(g, op, *input) || !g.tensor(*input).is_static) continue;
      const bool is_first_port = std::find(inputs.begin(), input, *input) == input;
      if (is_first_port) bytes += StoredBytes(g.tensor(*input));
    }
  }
  return bytes;
}

void Walk(const GraphView& g, GraphFindings& findings) {
  const double most = g.settings<Own>().most_gib;
  const double bytes = findings.amount();
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
    .amount = BytesRead,
    .walk = Walk,
    .settings = &kFormOf<Own, kFields>};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace graph_size

const RuleEntry kGraphSizeEntry = graph_size::kEntry;

}  // namespace quantgate::rules
