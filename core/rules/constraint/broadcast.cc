#include <fmt/core.h>

#include <string>

#include "core/database/tables.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/args.h"
#include "core/rules/support/format.h"
#include "core/rules/support/node_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace broadcast {

using opdb::ArgKey;

// Whether the input is stretched to the shape of the output.
bool Stretched(const Tensor& in, const Tensor& out) {
  if (in.unknown_rank || out.unknown_rank) return false;
  if (in.dims.size() != out.dims.size()) return true;
  for (size_t i = 0; i < in.dims.size(); ++i) {
    if (in.dims[i] == 1 && out.dims[i] > 1) return true;
  }
  return false;
}

// Whether the output's shape is what the inputs broadcast to, as far as the sizes are known.
bool Exact(const NodeView& node, const Tensor& out) {
  int64_t rank = 0;
  for (int i = 0; i < node.op().input_count; ++i) {
    const Tensor* in = node.tensor(i);
    if (in == nullptr) continue;
    if (in->unknown_rank || out.unknown_rank) return true;
    rank = std::max<int64_t>(rank, in->rank());
  }
  if (out.rank() != rank) return false;
  for (int64_t dim = -rank; dim < 0; ++dim) {
    int64_t size = 1;
    bool known = true;
    for (int i = 0; i < node.op().input_count; ++i) {
      const Tensor* in = node.tensor(i);
      if (in == nullptr || -dim > in->rank()) continue;
      const auto own = DimOf(*in, dim);
      known &= own.has_value();
      if (!own || *own == 1) continue;
      if (size != 1 && size != *own) return false;
      size = *own;
    }
    const auto have = DimOf(out, dim);
    if (known && have && *have != size) return false;
  }
  return true;
}

bool Holds(const Subject& s) {
  const Tensor* out = s.node.tensor(s.node.op().input_count);
  const Tensor* a = s.node.tensor(0);
  const Tensor* b = s.node.tensor(1);
  if (out == nullptr || a == nullptr || b == nullptr) return true;
  const Args args(s.node, s.constraint);
  if (args.flag(ArgKey::kExact, false)) return Exact(s.node, *out);
  const bool first = Stretched(*a, *out);
  const bool second = Stretched(*b, *out);
  if (!args.flag(ArgKey::kAllowed, true) && (first || second)) return false;
  return args.flag(ArgKey::kMixed, true) || !(first && second);
}

// The shape that the inputs broadcast to; empty = they don't.
std::string BroadcastText(const NodeView& node) {
  int64_t rank = 0;
  for (int i = 0; i < node.op().input_count; ++i) {
    if (const Tensor* in = node.tensor(i)) rank = std::max<int64_t>(rank, in->rank());
  }
  std::string text;
  for (int64_t dim = -rank; dim < 0; ++dim) {
    int64_t size = 1;
    for (int i = 0; i < node.op().input_count; ++i) {
      const Tensor* in = node.tensor(i);
      if (in == nullptr || -dim > in->rank()) continue;
      const auto own = DimOf(*in, dim);
      if (!own || *own == 1) continue;
      if (size != 1 && size != *own) return "";
      size = *own;
    }
    text += fmt::format("{}{}", text.empty() ? "" : ", ", size);
  }
  return fmt::format("[{}]", text);
}

void ExplainExact(const Subject& s, Finding& f) {
  const Tensor& out = *s.node.tensor(s.node.op().input_count);
  for (int i = 0; i < s.node.op().input_count; ++i) {
    if (const Tensor* in = s.node.tensor(i)) {
      f.found += fmt::format("{}{}", f.found.empty() ? "" : ", ", Dims(*in));
    }
  }
  const std::string shape = BroadcastText(s.node);
  if (shape.empty()) {
    f.allowed = "inputs whose dimensions are equal or 1";
    f.message = fmt::format("the inputs of {} can't be broadcast to one shape: {}", f.op, f.found);
    f.fixes.push_back(UnsafeFix("expand or reshape an input so that each dimension is equal or 1"));
    return;
  }
  f.found += fmt::format(" to {}", Dims(out));
  f.allowed = fmt::format("{}, the shape the inputs broadcast to", shape);
  f.message = fmt::format("the output of {} must have the shape {}, and has {}", f.op, f.allowed,
                          Dims(out));
  f.fixes.push_back(UnsafeFix(fmt::format("make \"{}\" {}", out.name, shape)));
}

void Explain(const Subject& s, Finding& f) {
  if (Args(s.node, s.constraint).flag(ArgKey::kExact, false)) return ExplainExact(s, f);
  const Tensor& out = *s.node.tensor(s.node.op().input_count);
  f.found = fmt::format("in[0] {}, in[1] {}", Dims(*s.node.tensor(0)), Dims(*s.node.tensor(1)));
  f.allowed = Args(s.node, s.constraint).flag(ArgKey::kAllowed, true)
                  ? "one stretched input at most"
                  : "inputs of equal shape";
  f.message = fmt::format("the inputs of {} can't be broadcast: {}", f.op, f.found);
  const Tensor& small = *s.node.tensor(Stretched(*s.node.tensor(1), out) ? 1 : 0);
  f.fixes.push_back(
      UnsafeFix(fmt::format("expand \"{}\" to {} before the op", small.name, Dims(out))));
}

constexpr RuleEntry kEntry = {
    .rule = About(kBroadcast, {.summary = "the inputs may not be broadcast like this",
                               .explanation = R"(## What it checks
Some ops stretch one input over the other, some both ways, some not at all.

## Why
The library refuses shapes it cannot stretch.

## Fix
Expand the smaller input before, or reshape it.

## References
The constraint's `sources` name the documentation page and the measured library version.
)",
                               .status = RuleStatus::kStable}),
    .holds = Holds,
    .explain = Explain,
    .reads_form_only = true};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace broadcast

const RuleEntry kBroadcastEntry = broadcast::kEntry;

}  // namespace quantgate::rules
