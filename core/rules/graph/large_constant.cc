#include <fmt/core.h>

#include <cstdint>
#include <cmath>
#include <set>
#include <string>

#include "core/rules/rule_entry.h"
#include "core/rules/support/format.h"
#include "core/rules/support/graph_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace large_constant {

bool IsLarge(const Tensor& t, int64_t megabytes) {
  return t.is_static && StoredBytes(t) > static_cast<double>(megabytes) * 1024 * 1024;
}

std::string Others(size_t count) {
  if (count == 0) return "";
  return count == 1 ? ", as is 1 other" : fmt::format(", as are {} others", count);
}

void Walk(const GraphView& g, GraphFindings& findings) {
  const int64_t megabytes = VtcmMegabytes(g);
  if (megabytes == 0) return;
  std::set<TensorId> large;
  int32_t op = -1;  // the first that reads the largest
  size_t port = 0;
  TensorId largest = kNoTensor;
  for (int32_t i = 0; i < g.op_count(); ++i) {
    const auto& inputs = g.op(i).inputs;
    for (size_t k = 0; k < inputs.size(); ++k) {
      const TensorId id = inputs[k];
      if (id == kNoTensor || !IsLarge(g.tensor(id), megabytes) || !large.insert(id).second) {
        continue;
      }
      if (largest != kNoTensor && StoredBytes(g.tensor(id)) <= StoredBytes(g.tensor(largest))) {
        continue;
      }
      largest = id;
      op = i;
      port = k;
    }
  }
  if (largest == kNoTensor) return;
  Finding& f = findings.AddInput(op, port, Consequence::kAdvice);
  const double bytes = StoredBytes(g.tensor(largest));
  f.message = fmt::format("the constant {} {} is larger than the {} MB of VTCM of {}{}",
                          Dims(g.tensor(largest)), f.port, megabytes, g.target().soc(),
                          Others(large.size() - 1));
  f.found = Bytes(bytes);
  f.allowed = fmt::format("{} MB", megabytes);
  const double parts = std::ceil(bytes / (static_cast<double>(megabytes) * 1024 * 1024));
  f.fixes.push_back(UnsafeFix(
      fmt::format("quantize it with fewer bits, or split the layer into {} parts", parts)));
}

constexpr RuleEntry kEntry = {
    .rule = About(kLargeConstant, {.summary = "a constant is larger than the chip's fast memory",
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
                                   .status = RuleStatus::kStable}),
    .walk = Walk};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace large_constant

const RuleEntry kLargeConstantEntry = large_constant::kEntry;

}  // namespace quantgate::rules
