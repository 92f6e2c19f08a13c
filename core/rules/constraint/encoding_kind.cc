#include <fmt/core.h>

#include "core/database/tables.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/args.h"
#include "core/rules/support/format.h"
#include "core/rules/support/node_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace {

using opdb::ArgKey;

bool Holds(const Subject& s) {
  if (!IsFixedPoint(s.tensor->dtype)) return true;
  const Args args(s.node, s.constraint);
  const EncodingMask kind = MaskOf(QnnEncodingOf(s.tensor->encoding));
  if (const auto allowed = args.number(ArgKey::kAllowed)) {
    // A missing encoding is a matter of its own (missing-encoding).
    return (static_cast<EncodingMask>(*allowed) & kind) != 0 ||
           kind == MaskOf(QnnEncoding::kUndefined);
  }
  if (const auto denied = args.number(ArgKey::kDenied)) {
    return (static_cast<EncodingMask>(*denied) & kind) == 0;
  }
  return true;
}

void Explain(const Subject& s, Finding& f) {
  const Args args(s.node, s.constraint);
  const QnnEncoding kind = QnnEncodingOf(s.tensor->encoding);
  f.found = fmt::format("{} {} ({})", DtypeName(s.tensor->dtype),
                        EncodingKindName(s.tensor->encoding->kind), QnnEncodingName(kind));
  if (const auto allowed = args.number(ArgKey::kAllowed)) {
    f.allowed = EncodingList(static_cast<EncodingMask>(*allowed));
  } else {
    f.allowed = fmt::format("not {}",
                            EncodingList(static_cast<EncodingMask>(*args.number(ArgKey::kDenied))));
  }
  f.message = fmt::format("{} of {} has {} encoding, which is not supported here", f.port, f.op,
                          EncodingKindName(s.tensor->encoding->kind));
  f.fixes.push_back(UnsafeFix(fmt::format("re-quantize {}: {}", f.port, f.allowed)));
}

constexpr RuleEntry kEntry = {
    .rule = About(kEncodingKind, {.summary = "the kind of encoding is not supported here",
                                  .explanation = R"(## What it checks
A port takes some of the encoding kinds only: per-tensor, per-channel, block, LPBQ, each with or
without an own bitwidth.

## Why
Activations are per-tensor only: a per-channel encoding passes op validation and fails in
preparation, or is computed wrong. Weight kinds depend on op, activation type and SDK.

## Fix
Re-quantize the tensor with one of the kinds the message lists.

## References
The constraint's `sources` name the documentation page and the measured library version.
)",
                                  .status = RuleStatus::kStable}),
    .kinds = {opdb::Kind::kEncodings},
    .kind_count = 1,
    .holds = Holds,
    .explain = Explain,
    .reads_form_only = true};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace

const RuleEntry kEncodingKindEntry = kEntry;

}  // namespace quantgate::rules
