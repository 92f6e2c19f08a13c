#include <fmt/core.h>

#include <cstdint>
#include <string>

#include "core/opdb/conditions.h"
#include "core/rules/format.h"
#include "core/rules/graph_view.h"
#include "core/rules/rule_entry.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace {

class Pattern {
 public:
  Pattern(const GraphView& g, opdb::Tree pattern)
      : ops_(g.sets().Bits(pattern["ops"])),
        rank_(pattern["rank"].integer().value_or(-1)),
        bits_(pattern["bits"]) {}

  bool Fits(const GraphView& g, int32_t op) const {
    const Tensor* out = g.Is(op, ops_) ? g.output(op) : nullptr;
    return out != nullptr && IsFixedPoint(out->dtype) && out->rank() == rank_ &&
           opdb::Lists(bits_, BitsOf(out->dtype));
  }

 private:
  SetMask ops_;
  int64_t rank_;
  opdb::Tree bits_;
};

bool Concerns(const GraphView& g, opdb::Tree settings, int32_t op) {
  const opdb::Tree patterns = settings["patterns"];
  for (size_t i = 0; i < patterns.size(); ++i) {
    if (opdb::IsFor(patterns.at(i), g.target()) && Pattern(g, patterns.at(i)).Fits(g, op)) {
      return true;
    }
  }
  return false;
}

void Walk(const GraphView& g, GraphFindings& findings) {
  const opdb::Tree patterns = g.settings()["patterns"];
  for (size_t i = 0; i < patterns.size(); ++i) {
    const opdb::Tree pattern = patterns.at(i);
    if (!opdb::IsFor(pattern, g.target())) continue;
    const Pattern wanted(g, pattern);
    for (int32_t op = 0; op < g.op_count(); ++op) {
      if (!wanted.Fits(g, op)) continue;
      const Tensor* out = g.output(op);
      Finding& f = findings.AddOutput(op, 0, Consequence::kAdvice);
      f.message = std::string(pattern["says"].str());
      f.found = fmt::format("{} {}", DtypeName(out->dtype), Dims(*out));
      f.fixes.push_back(UnsafeFix(std::string(pattern["fix"].str())));
    }
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
    .reads_form_only = true,
    .walk = Walk,
    .concerns = Concerns};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace

const RuleEntry kReportedPreparationEntry = kEntry;

}  // namespace quantgate::rules
