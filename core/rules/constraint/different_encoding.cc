#include <fmt/core.h>

#include <string>
#include <utility>

#include "core/database/tables.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/args.h"
#include "core/rules/support/encoding_facts.h"
#include "core/rules/support/format.h"
#include "core/rules/support/node_view.h"
#include "core/rules/support/raw_encoding.h"
#include "quantgate/calibration.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace different_encoding {

using opdb::ArgKey;

const Tensor* Other(const Subject& s) {
  const auto port = Args(s.node, s.constraint).number(ArgKey::kAs);
  return port ? s.node.tensor(static_cast<int>(*port)) : nullptr;
}

bool Holds(const Subject& s) {
  const Tensor* other = Other(s);
  if (other == nullptr || other == s.tensor || !IsFixedPoint(s.tensor->dtype) ||
      !IsFixedPoint(other->dtype)) {
    return true;
  }
  const Encoding& a = s.tensor->encoding;
  const Encoding& b = other->encoding;
  const auto aspect = Args(s.node, s.constraint).text(ArgKey::kAspect);
  if (aspect == "as_read") return SameInFormOf(*s.tensor, *other);
  if (aspect == "as_read_raw") return SameRaw(*s.tensor, *other);
  if (a.kind == EncodingKind::kNone || b.kind == EncodingKind::kNone) return true;
  if (!SameScales(a, b)) {
    // Some ops requantize towards a larger, or from a smaller scale only.
    if ((aspect == "equal_or_larger_scale" || aspect == "equal_or_smaller_scale") &&
        (IsUncalibrated(a) || IsUncalibrated(b))) {
      return true;
    }
    if (aspect == "equal_or_larger_scale") return ScaleAt(a, 0) > ScaleAt(b, 0);
    if (aspect == "equal_or_smaller_scale") return ScaleAt(a, 0) < ScaleAt(b, 0);
    if (aspect != "offset") return false;
  }
  return aspect == "scale" || SameZeroPoints(a, b);
}

void Explain(const Subject& s, Finding& f) {
  const Tensor* other = Other(s);
  const int other_port = static_cast<int>(*Args(s.node, s.constraint).number(ArgKey::kAs));
  const std::string other_name = PortName(s.node, other_port);
  f.related.push_back(other_name);
  f.found = fmt::format("{} {}; {} {}", f.port, DescribeEncoding(*s.tensor), other_name,
                        DescribeEncoding(*other));
  f.allowed = fmt::format("the encoding of {}", other_name);
  if (IsUncalibrated(s.tensor->encoding) || IsUncalibrated(other->encoding)) {
    f.found = fmt::format("{} and {} without calibration", f.port, other_name);
    f.message = fmt::format("{} and {} of {} must have one encoding, and are observed apart",
                            other_name, f.port, f.op);
    f.fixes.push_back(UnsafeFix(fmt::format("share the observer of \"{}\" with \"{}\"",
                                            other->name, s.tensor->name)));
    return;
  }
  const bool copied = f.consequence == Consequence::kWrongValues;
  const bool alike = copied && RoundsAlike(*s.tensor, *other);
  const bool barely = copied && !alike && IsBarelyOff(*s.tensor, *other);
  if (alike) f.consequence = Consequence::kUndocumented;
  if (barely) f.consequence = Consequence::kAltered;
  const bool scale = !SameScales(s.tensor->encoding, other->encoding);
  const bool zero_point = !SameZeroPoints(s.tensor->encoding, other->encoding);
  if (s.tensor->encoding->kind != other->encoding->kind ||
      (s.tensor->encoding->bitwidth != 0) != (other->encoding->bitwidth != 0) ||
      !(scale || zero_point)) {
    f.message = fmt::format("{} and {} of {} must have one encoding: {} against {}", other_name,
                            f.port, f.op, DescribeEncoding(*other), DescribeEncoding(*s.tensor));
    f.fixes.push_back(
        UnsafeFix(fmt::format("give \"{}\" the encoding of \"{}\"", s.tensor->name, other->name)));
    return;
  }
  f.message = fmt::format("{} and {} of {} differ in {}", other_name, f.port, f.op,
                          scale && zero_point ? "scale and zero point"
                          : scale             ? "scale"
                                              : "zero point");
  if (scale) {
    f.message += fmt::format(": {} against {}", Number(ScaleAt(other->encoding, 0)),
                             Number(ScaleAt(s.tensor->encoding, 0)));
  } else {
    f.message += fmt::format(": {} against {}", ZeroPointAt(other->encoding, 0),
                             ZeroPointAt(s.tensor->encoding, 0));
  }
  if (alike) f.message += ", less than a rounding step";
  if (barely) f.message += ", a few steps of the result";
  Fix fix =
      UnsafeFix(fmt::format("give \"{}\" the encoding of \"{}\"", s.tensor->name, other->name));
  if (scale) {
    fix.edits.push_back({"set", EncodingPath(*s.tensor, "scale"),
                         fmt::format("{:.9g}", ScaleAt(other->encoding, 0))});
  }
  if (zero_point) {
    fix.edits.push_back({"set", EncodingPath(*s.tensor, "zeroPoint"),
                         std::to_string(ZeroPointAt(other->encoding, 0))});
  }
  f.fixes.push_back(std::move(fix));
}

constexpr RuleEntry kEntry = {
    .rule = About(kDifferentEncoding, {.summary = "two ports must have the same encoding",
                                       .explanation = R"(## What it checks
Ops that only move data have equal scale and zero point on both sides.

## Why
Many of them copy the stored integers as they are. With different encodings every call succeeds
and the numbers are wrong; others requantize, and some refuse. The constraint says which. Where the
two are so near that no copied number is more than a step off (2 of 16 bits, 1,000 of 32), it is as
good as rounded and only the documentation is against it; below 4 steps (40 of 16 bits, 100,000 of
32) the result is altered, and not yet wrong.

## Fix
Give both ports the same encoding (share the observer), or insert a Convert after the op.

## References
The constraint's `sources` name the documentation page and the measured library version.
)",
                                       .status = RuleStatus::kStable}),
    .holds = Holds,
    .explain = Explain};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace different_encoding

const RuleEntry kDifferentEncodingEntry = different_encoding::kEntry;

}  // namespace quantgate::rules
