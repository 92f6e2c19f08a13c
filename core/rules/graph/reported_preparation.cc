#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/rules/rule_entry.h"
#include "core/rules/support/format.h"
#include "core/rules/support/graph_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace {

struct Pattern {
  SetMask ops = 0;
  int64_t rank = -1;
  std::vector<int64_t> bits;
  Archs archs;
  Sdk since = {0}, until = {kSdkOpen};
  std::string_view message, fix;

  bool IsFor(const Target& target) const {
    return archs.Lists(target.arch()) && since.key <= target.sdk_key() &&
           target.sdk_key() < until.key;
  }
  bool Fits(const GraphView& g, int32_t op) const {
    const Tensor* out = g.Is(op, ops) ? g.output(op) : nullptr;
    return out != nullptr && IsFixedPoint(out->dtype) && out->rank() == rank &&
           std::find(bits.begin(), bits.end(), BitsOf(out->dtype)) != bits.end();
  }
};

using P = Fields<Pattern>;
constexpr SettingField kPattern[] = {
    P::Bind<&Pattern::ops>("ops"),         P::Bind<&Pattern::rank>("rank"),
    P::Bind<&Pattern::bits>("bits"),       P::Bind<&Pattern::archs>("archs"),
    P::Bind<&Pattern::since>("since"),     P::Bind<&Pattern::until>("until"),
    P::Bind<&Pattern::message>("message"), P::Bind<&Pattern::fix>("fix")};

struct Own : Settings {
  std::vector<Pattern> patterns;
};

constexpr SettingField kFields[] = {Fields<Own>::Rows<&Own::patterns>("patterns", kPattern)};

void Visit(const GraphView& g, int32_t op, GraphFindings& findings) {
  for (const Pattern& pattern : g.settings<Own>().patterns) {
    if (!pattern.Fits(g, op) || !pattern.IsFor(g.target())) continue;
    const Tensor* out = g.output(op);
    Finding& f = findings.AddOutput(op, 0, Consequence::kAdvice);
    f.message = std::string(pattern.message);
    f.found = fmt::format("{} {}", DtypeName(out->dtype), Dims(*out));
    f.fixes.push_back(UnsafeFix(std::string(pattern.fix)));
  }
}

constexpr RuleEntry kEntry = {
    .rule = About(kReportedPreparation,
                  {.summary = "others reported that preparation fails for such an op",
                   .explanation = R"(## What it checks
Patterns of op, rank, width, arch and SDK of which users reported a failure at graph finalization,
and which no library at hand shows.

## Why
Op validation accepts them, and nobody can ask the library of that version here: an advice, no
verdict.

## Fix
What the finding says; or ask your own library: `quantgate verify --prepare`.

## References
The evidence and what the real library or provider said are listed below.
)",
                   .status = RuleStatus::kStable}),
    .visit = Visit,
    .settings = &kFormOf<Own, kFields>};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace

const RuleEntry kReportedPreparationEntry = kEntry;

}  // namespace quantgate::rules
