#include <fmt/core.h>

#include <string_view>

#include "core/database/tables.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/args.h"
#include "core/rules/support/const_chain.h"
#include "core/rules/support/format.h"
#include "core/rules/support/node_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace dynamic_tensor {

bool Holds(const Subject& s) {
  if (s.tensor->is_static) return true;
  if (Args(s.node, s.constraint).text(opdb::ArgKey::kLevel) != "tensor_or_const_chain")
    return false;
  return ComputedFromConstants(s.node.graph(), *s.tensor);
}

void Explain(const Subject& s, Finding& f) {
  const std::string_view kind = EncodingKindName(s.tensor->encoding->kind);
  const bool coded = s.tensor->encoding->kind != EncodingKind::kNone &&
                     s.tensor->encoding->kind != EncodingKind::kPerTensor;
  f.found = fmt::format("{}, computed at run time", DescribeTensor(*s.tensor));
  f.allowed = "a constant";
  f.message = coded ? fmt::format("{} of {} must be a constant where it is {}, and is computed at "
                                  "run time",
                                  f.port, f.op, kind)
                    : fmt::format("{} of {} must be a constant, and is computed at run time",
                                  f.port, f.op);
  f.fixes.push_back(UnsafeFix(fmt::format("make \"{}\" a constant", s.tensor->name)));
  if (coded) {
    f.fixes.push_back(UnsafeFix(fmt::format("quantize \"{}\" per-tensor", s.tensor->name)));
  }
}

constexpr RuleEntry kEntry = {
    .rule = About(kDynamicTensor, {.summary = "the tensor must be a constant",
                                   .explanation = R"(## What it checks
Some ports take constants only, or only with certain encodings: weights with an own bitwidth,
for example.

## Why
The scales of such weights are folded into the kernel when the graph is prepared. A tensor that
is computed at run time is refused, or read wrong.

## Fix
Make the tensor an initializer, or quantize it per-tensor.

## References
The constraint's `sources` name the documentation page and the measured library version.
)",
                                   .status = RuleStatus::kStable}),
    .holds = Holds,
    .explain = Explain,
    .reads_form_only = true};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace dynamic_tensor

const RuleEntry kDynamicTensorEntry = dynamic_tensor::kEntry;

}  // namespace quantgate::rules
