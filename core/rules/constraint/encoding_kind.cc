#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/database/tables.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/args.h"
#include "core/rules/support/format.h"
#include "core/rules/support/node_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace encoding_kind {

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

EncodingKind KindOf(QnnEncoding encoding) {
  switch (encoding) {
    case QnnEncoding::kScaleOffset:
    case QnnEncoding::kBwScaleOffset:
      return EncodingKind::kPerTensor;
    case QnnEncoding::kAxisScaleOffset:
    case QnnEncoding::kBwAxisScaleOffset:
      return EncodingKind::kPerChannel;
    case QnnEncoding::kBlock:
      return EncodingKind::kBlock;
    case QnnEncoding::kBlockwiseExpansion:
      return EncodingKind::kLpbq;
    case QnnEncoding::kUndefined:
      return EncodingKind::kNone;
  }
  return EncodingKind::kNone;
}

// "per-tensor or per-channel"; the names of QNN where the kind is right and only the presence of a
// bit width is not.
std::string KindList(EncodingMask mask, EncodingKind given) {
  std::vector<std::string> kinds;
  const auto forms = [&](EncodingKind kind) {
    int count = 0;
    for (int i = 0; i < kQnnEncodingCount; ++i) {
      count += ((mask >> i) & 1u) != 0 && KindOf(static_cast<QnnEncoding>(i)) == kind ? 1 : 0;
    }
    return count;
  };
  const bool has_two_forms =
      given == EncodingKind::kPerTensor || given == EncodingKind::kPerChannel;
  for (int i = 0; i < kQnnEncodingCount; ++i) {
    if (((mask >> i) & 1u) == 0) continue;
    const auto encoding = static_cast<QnnEncoding>(i);
    const EncodingKind kind = KindOf(encoding);
    if (kind == EncodingKind::kNone) continue;
    std::string name(EncodingKindName(kind));
    if (kind == given && has_two_forms && forms(kind) == 1) name += fmt::format(" ({})", QnnEncodingName(encoding));
    if (std::find(kinds.begin(), kinds.end(), name) == kinds.end()) {
      kinds.push_back(std::move(name));
    }
  }
  return Join(kinds);
}

// The supported kind to change to: the same with or without a bit width, else the nearest one.
Fix FixOf(const Tensor& tensor, EncodingMask allowed) {
  const auto takes = [&](QnnEncoding encoding) { return (allowed & MaskOf(encoding)) != 0; };
  const EncodingKind kind = tensor.encoding->kind;
  const bool has_width = tensor.encoding->bitwidth != 0;
  const bool whole = tensor.encoding->bitwidth == BitsOf(tensor.dtype);
  // Values that are computed are rather quantized per-tensor.
  if (kind == EncodingKind::kPerTensor ||
      (kind == EncodingKind::kPerChannel && tensor.is_static)) {
    const bool other_form =
        kind == EncodingKind::kPerTensor
            ? takes(has_width ? QnnEncoding::kScaleOffset : QnnEncoding::kBwScaleOffset)
            : takes(has_width ? QnnEncoding::kAxisScaleOffset : QnnEncoding::kBwAxisScaleOffset);
    if (other_form && has_width) {
      return UnsafeFix(
          whole ? fmt::format("leave out the bitwidth in the encoding of \"{}\"", tensor.name)
                : fmt::format("quantize \"{}\" to the {} bits of its type, without a bitwidth",
                              tensor.name, BitsOf(tensor.dtype)));
    }
    if (other_form) {
      return UnsafeFix(fmt::format("write a bitwidth into the encoding of \"{}\"", tensor.name));
    }
  }
  const bool per_channel =
      tensor.is_static &&
      (takes(QnnEncoding::kAxisScaleOffset) || takes(QnnEncoding::kBwAxisScaleOffset)) &&
      kind != EncodingKind::kPerChannel;
  const bool per_tensor =
      (takes(QnnEncoding::kScaleOffset) || takes(QnnEncoding::kBwScaleOffset)) &&
      kind != EncodingKind::kPerTensor;
  if (!per_channel && !per_tensor) {
    return UnsafeFix(fmt::format("quantize \"{}\" as {}", tensor.name,
                                 KindList(allowed, EncodingKind::kNone)));
  }
  return UnsafeFix(fmt::format("quantize \"{}\" {}", tensor.name,
                               per_channel && per_tensor ? "per-channel or per-tensor"
                               : per_channel             ? "per-channel"
                                                         : "per-tensor"));
}

void Explain(const Subject& s, Finding& f) {
  const Args args(s.node, s.constraint);
  const QnnEncoding encoding = QnnEncodingOf(s.tensor->encoding);
  const EncodingKind kind = s.tensor->encoding->kind;
  f.found = fmt::format("{} {} ({})", DtypeName(s.tensor->dtype), EncodingKindName(kind),
                        QnnEncodingName(encoding));
  const auto allowed = args.number(ArgKey::kAllowed);
  const auto denied = static_cast<EncodingMask>(args.number(ArgKey::kDenied).value_or(0));
  const auto mask = allowed ? static_cast<EncodingMask>(*allowed) : static_cast<EncodingMask>(~denied);
  f.allowed = allowed ? fmt::format("{} encoding", KindList(mask, kind))
                      : fmt::format("an encoding other than {}", KindList(denied, kind));
  f.message = fmt::format("{} of {} is {}; supported: {}", f.port, f.op,
                          EncodingKindName(kind), f.allowed);
  f.fixes.push_back(FixOf(*s.tensor, mask));
}

constexpr RuleEntry kEntry = {
    .rule = About(kEncodingKind, {.summary = "the kind of encoding is not supported here",
                                  .explanation = R"(## What it checks
A port supports some of the encoding kinds only: per-tensor, per-channel, block, LPBQ, each with or
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
    .holds = Holds,
    .explain = Explain,
    .reads_form_only = true};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace encoding_kind

const RuleEntry kEncodingKindEntry = encoding_kind::kEntry;

}  // namespace quantgate::rules
