#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "core/rules/format.h"
#include "core/rules/graph_view.h"
#include "core/rules/rule_entry.h"

namespace quantgate::rules {
namespace {

double StoredBytes(const Tensor& t) {
  return BytesOf(t) * EffectiveBits(t) / std::max(BitsOf(t.dtype), 1);
}

void Walk(const GraphView& g, GraphFindings& findings) {
  int64_t megabytes = 0;
  for (const opdb::SocRow& soc : g.db().socs()) {
    if (!g.target().soc().empty() && g.db().str(soc.name) == g.target().soc())
      megabytes = soc.vtcm_mb;
  }
  if (megabytes == 0) return;
  const double limit = static_cast<double>(megabytes) * 1024 * 1024;
  TensorId largest = kNoTensor;
  int64_t count = 0;
  for (size_t i = 0; i < g.graph().tensors.size(); ++i) {
    const Tensor& t = g.graph().tensors[i];
    if (!t.is_static || !(StoredBytes(t) > limit)) continue;
    const auto id = static_cast<TensorId>(i);
    if (g.Readers(id).empty()) continue;
    ++count;
    if (largest == kNoTensor || StoredBytes(t) > StoredBytes(g.tensor(largest))) largest = id;
  }
  if (largest == kNoTensor) return;
  const int32_t op = g.Readers(largest).front();
  size_t port = 0;
  while (g.op(op).inputs[port] != largest) ++port;
  Finding& f = findings.AddInput(op, port, Consequence::kAdvice);
  const double bytes = StoredBytes(g.tensor(largest));
  f.message = fmt::format("the constant {} {} is larger than the {} MB of VTCM of {}{}",
                          Dims(g.tensor(largest)), f.port, megabytes, g.target().soc(),
                          count > 1 ? fmt::format(", as are {} others", count - 1) : "");
  f.found = Bytes(bytes);
  f.allowed = fmt::format("{} MB", megabytes);
  f.fixes.push_back(UnsafeFix("quantize it with fewer bits, or split the layer"));
}

constexpr RuleEntry kEntry = {
    .rule = {.code = "QG613",
             .slug = "large-constant",
             .summary = "a constant is larger than the chip's fast memory",
             .explanation = R"(## What it checks
Constants against the size of the VTCM of the SoC that is asked for, in bits that carry values. One
finding for the model, on the op of the largest.

## Why
What does not fit is split into pieces and fetched again for every run; some ops can't be split, and
preparation fails.

## Fix
Fewer bits for this weight (4 with LPBQ), or split the layer. For embeddings, look the rows up
outside of the graph.

## References
The evidence and what the real library or provider said are listed below.
)",
             .status = RuleStatus::kStable},
    .walk = Walk};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace

extern const RuleEntry large_constant;
const RuleEntry large_constant = kEntry;

}  // namespace quantgate::rules
