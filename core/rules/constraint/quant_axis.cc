#include <fmt/core.h>

#include <string>
#include <utility>

#include "core/database/tables.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/args.h"
#include "core/rules/support/encoding_facts.h"
#include "core/rules/support/format.h"
#include "core/rules/support/node_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace quant_axis {

using opdb::ArgKey;

bool HasAxis(const Tensor& t) {
  return t.encoding->kind == EncodingKind::kPerChannel || t.encoding->kind == EncodingKind::kLpbq;
}

// The axis is one of the tensor's, and there is a scale for each of its elements.
bool Fits(const Tensor& t) {
  const int64_t axis = t.encoding->axis;
  if (axis < 0 || axis >= t.rank()) return false;
  const int64_t channels = t.dims[static_cast<size_t>(axis)];
  return channels < 0 || static_cast<int64_t>(t.encoding->scales.size()) == channels ||
         t.encoding->scales.size() == 1;
}

bool Holds(const Subject& s) {
  if (!HasAxis(*s.tensor) || s.tensor->unknown_rank) return true;
  const Args args(s.node, s.constraint);
  if (args.flag(ArgKey::kExact, false) && !Fits(*s.tensor)) return false;
  const auto want = args.number(ArgKey::kAxis);
  if (!want) return true;
  // The axis is compared as written: the library refuses -1 where it accepts the last axis.
  return s.tensor->encoding->axis == NormalAxis(*want, s.tensor->rank());
}

void ExplainCount(const Subject& s, Finding& f) {
  const Tensor& t = *s.tensor;
  f.found = fmt::format("{} scales along axis {} of {}", t.encoding->scales.size(),
                        t.encoding->axis, Dims(t));
  f.allowed = "a scale for each element along one of its axes";
  f.message = fmt::format("{} of {} must have {}, and has {}", f.port, f.op, f.allowed, f.found);
  f.fixes.push_back(UnsafeFix("export the encoding again"));
}

void Explain(const Subject& s, Finding& f) {
  if (!Args(s.node, s.constraint).number(ArgKey::kAxis)) return ExplainCount(s, f);
  const int64_t want =
      NormalAxis(*Args(s.node, s.constraint).number(ArgKey::kAxis), s.tensor->rank());
  f.found = fmt::format("{} along axis {} of {}", EncodingKindName(s.tensor->encoding->kind),
                        s.tensor->encoding->axis, Dims(*s.tensor));
  f.allowed = fmt::format("axis {}", want);
  if (const auto axis = s.node.FileAxis(*s.tensor, s.tensor->encoding->axis)) {
    f.found += fmt::format(" (axis {} in the file)", *axis);
  }
  if (const auto axis = s.node.FileAxis(*s.tensor, want)) {
    f.allowed += fmt::format(" (axis {} in the file)", *axis);
  }
  f.message = fmt::format("{} of {} must be quantized along {}, and is along axis {}", f.port, f.op,
                          f.allowed, s.tensor->encoding->axis);
  Fix fix{fmt::format("quantize \"{}\" along {}", s.tensor->name, f.allowed), false, {}};
  const int64_t have = NormalAxis(s.tensor->encoding->axis, s.tensor->rank());
  const auto entries = static_cast<int64_t>(EntryCount(s.tensor->encoding));
  const auto fits = [&](int64_t axis) {
    return axis >= 0 && axis < s.tensor->rank() &&
           s.tensor->dims[static_cast<size_t>(axis)] == entries;
  };
  // One axis written in two ways, or scales that fit the wanted axis only.
  if (have == want || (entries > 1 && fits(want) && !fits(have))) {
    fix = UnsafeFix(fmt::format("write the axis of \"{}\" as {}", s.tensor->name,
                                s.node.FileAxis(*s.tensor, want).value_or(want)));
    fix.edits.push_back(
        {"set",
         fmt::format("tensors/{}/encoding/{}/axis", s.tensor->name,
                     s.tensor->encoding->kind == EncodingKind::kLpbq ? "lpbq" : "perChannel"),
         std::to_string(s.node.FileAxis(*s.tensor, want).value_or(want))});
  }
  f.fixes.push_back(std::move(fix));
}

constexpr RuleEntry kEntry = {
    .rule = About(kQuantAxis,
                  {.summary = "the channel axis of the encoding is not the one that the op supports",
                   .explanation = R"(## What it checks
A per-channel or LPBQ encoding runs along one axis, counted in the layout of QNN (HWIO for
convolution weights).

## Why
Only one axis can be folded into the requantization of the output. Other axes are refused, or
the scales are applied to the wrong elements.

## Fix
Quantize along the output channels: ONNX axis 0 for Conv weights, 1 for ConvTranspose, and the
axis the message names.

## References
The constraint's `sources` name the documentation page and the measured library version.
)",
                   .status = RuleStatus::kStable}),
    .holds = Holds,
    .explain = Explain,
    .reads_form_only = true};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace quant_axis

const RuleEntry kQuantAxisEntry = quant_axis::kEntry;

}  // namespace quantgate::rules
