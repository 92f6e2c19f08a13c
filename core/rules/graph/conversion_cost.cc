#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "core/rules/rule_entry.h"
#include "core/rules/support/graph_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace conversion_cost {

struct Own : Settings {
  SetMask conversions = 0;
};

using F = Fields<Own>;
constexpr SettingField kFields[] = {F::Bind<&Own::conversions>("conversions")};

struct Conversion {
  int32_t op;
  double bytes;
  bool same_width;
};

// What `op` converts from quantized to quantized, alone or with the op after it.
std::optional<Conversion> At(const GraphView& g, SetMask conversions, int32_t op) {
  if (!g.Is(op, conversions)) return std::nullopt;
  const Tensor* in = g.input(op, 0);
  const Tensor* out = g.output(op);
  if (in == nullptr || out == nullptr || !IsFixedPoint(in->dtype)) return std::nullopt;
  if (g.IsGraphInput(g.op(op).inputs[0]) || g.IsGraphOutput(g.op(op).outputs[0])) {
    return std::nullopt;
  }
  double bytes = BytesOf(*in) + BytesOf(*out);
  if (IsFloat(out->dtype)) {
    const auto readers = g.Readers(g.op(op).outputs[0]);
    if (readers.size() != 1 || !g.Is(readers[0], conversions)) return std::nullopt;
    const Tensor* behind = g.output(readers[0]);
    if (behind == nullptr || g.IsGraphOutput(g.op(readers[0]).outputs[0])) return std::nullopt;
    bytes += BytesOf(*out) + BytesOf(*behind);
    out = behind;
  }
  if (!IsFixedPoint(out->dtype)) return std::nullopt;
  return Conversion{op, bytes, BitsOf(in->dtype) == BitsOf(out->dtype)};
}

void Walk(const GraphView& g, GraphFindings& findings) {
  const SetMask conversions = g.settings<Own>().conversions;
  std::vector<Conversion> found;
  double bytes = 0;
  for (int32_t op = 0; op < g.op_count(); ++op) {
    const auto conversion = At(g, conversions, op);
    if (!conversion || g.ReportedBefore(op)) continue;
    found.push_back(*conversion);
    bytes += conversion->bytes;
  }
  if (found.empty()) return;
  const auto largest =
      std::max_element(found.begin(), found.end(),
                       [](const Conversion& a, const Conversion& b) { return a.bytes < b.bytes; });
  const auto needless =
      std::count_if(found.begin(), found.end(), [](const Conversion& c) { return c.same_width; });
  Finding& f = findings.Add(-1, Consequence::kAdvice);
  f.op = g.op(largest->op).op;
  f.message =
      fmt::format("{} between quantized ops {} {} a run",
                  found.size() == 1 ? "a conversion" : fmt::format("{} conversions", found.size()),
                  found.size() == 1 ? "reads and writes" : "read and write", Bytes(bytes));
  std::vector<std::string> names;
  std::partial_sort(found.begin(), found.begin() + std::min<std::ptrdiff_t>(4, std::ssize(found)),
                    found.end(), [](const Conversion& a, const Conversion& b) {
                      return a.bytes != b.bytes ? a.bytes > b.bytes : a.op < b.op;
                    });
  for (const Conversion& c : found) {
    if (names.size() == 4) break;
    names.push_back(fmt::format("{} ({})", g.NameOf(c.op), Bytes(c.bytes)));
  }
  f.found = Quoted(names);
  if (found.size() > names.size())
    f.found += fmt::format(" and {} more", found.size() - names.size());
  if (needless > 0) {
    f.found += fmt::format("; {} from one encoding to another of the same width", needless);
  }
  f.allowed = "one encoding on both sides";
  f.fixes.push_back({needless > 0 ? "give both sides of the tensor the same encoding"
                                  : "move the border of the precisions to a smaller tensor",
                     false,
                     {}});
}

constexpr RuleEntry kEntry = {
    .rule =
        About(kConversionCost, {.summary = "values are converted between two quantized encodings",
                                .explanation = R"(## What it checks
Converts from one quantized encoding to another inside of the graph, and pairs of Dequantize and
Quantize that come to the same; all of a model in one finding, with the bytes they read and write.
Those that a tool inserts are reported where they come in (QG602).

## Why
Each is a pass over a tensor that computes nothing. Between layers of 8 and 16 bits they are the
price of mixed precision; between layers of one width they are an oversight.

## Fix
Give the tensor one encoding on both sides. In mixed precision move the border to a smaller tensor,
or widen a whole run of layers instead of single ones.

## References
The evidence and what the real library or provider said are listed below.
)",
                                .status = RuleStatus::kStable}),
    .walk = Walk,
    .settings = &kFormOf<Own, kFields>};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace conversion_cost

const RuleEntry kConversionCostEntry = conversion_cost::kEntry;

}  // namespace quantgate::rules
