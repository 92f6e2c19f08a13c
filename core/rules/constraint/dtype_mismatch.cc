#include <fmt/core.h>

#include <string>

#include "core/database/tables.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/args.h"
#include "core/rules/support/format.h"
#include "core/rules/support/node_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace dtype_mismatch {

using opdb::ArgKey;

const Tensor* Peer(const Subject& s) {
  const Args args(s.node, s.constraint);
  auto port = args.number(ArgKey::kPeer);
  if (!port) port = args.number(ArgKey::kAs);
  return port ? s.node.tensor(static_cast<int>(*port)) : nullptr;
}

bool Holds(const Subject& s) {
  const Tensor* peer = Peer(s);
  if (peer == nullptr || peer->dtype == Dtype::kUndefined || s.tensor->dtype == Dtype::kUndefined) {
    return true;
  }
  const Args args(s.node, s.constraint);
  if (s.constraint.kind == opdb::Kind::kSameDtype) return peer->dtype == s.tensor->dtype;
  if (const auto bits = args.number(ArgKey::kBits)) return BitsOf(peer->dtype) == *bits;
  if (const auto mask = args.number(ArgKey::kDtypes)) {
    return (static_cast<DtypeMask>(*mask) & MaskOf(peer->dtype)) != 0;
  }
  return true;
}

void Explain(const Subject& s, Finding& f) {
  const Args args(s.node, s.constraint);
  const Tensor* peer = Peer(s);
  auto port = args.number(ArgKey::kPeer);
  if (!port) port = args.number(ArgKey::kAs);
  const std::string name = PortName(s.node, static_cast<int>(*port));
  f.related.push_back(name);
  f.found =
      fmt::format("{} {}, {} {}", f.port, DtypeName(s.tensor->dtype), name, DtypeName(peer->dtype));
  if (s.constraint.kind == opdb::Kind::kSameDtype) {
    f.allowed = fmt::format("the datatype of {}", name);
    f.message = fmt::format("{} of {} must have the datatype of {}: {} against {}", f.port, f.op,
                            name, DtypeName(s.tensor->dtype), DtypeName(peer->dtype));
    f.fixes.push_back(UnsafeFix(fmt::format("make {} \"{}\" {}", f.port, s.tensor->name,
                                            DtypeName(peer->dtype))));
    return;
  }
  std::string wanted;
  DtypeMask fitting = 0;
  if (const auto bits = args.number(ArgKey::kBits)) {
    wanted = fmt::format("{} bits", *bits);
    f.allowed = fmt::format("{} of {}", name, wanted);
    for (int i = 0; i < kDtypeCount; ++i) {
      if (BitsOf(static_cast<Dtype>(i)) == *bits) fitting |= MaskOf(static_cast<Dtype>(i));
    }
  } else {
    fitting = static_cast<DtypeMask>(args.number(ArgKey::kDtypes).value_or(0));
    wanted = DtypeList(fitting);
    f.allowed = fmt::format("{} {}", name, wanted);
  }
  f.message = fmt::format("{} of {} needs {} next to {}, and {} is {}", f.port, f.op, f.allowed,
                          DtypeName(s.tensor->dtype), name, DtypeName(peer->dtype));
  f.fixes.push_back(UnsafeFix(fmt::format("make {} \"{}\" {}", name, peer->name,
                                          DtypeName(NearestDtype(fitting, peer->dtype)))));
}

constexpr RuleEntry kEntry = {
    .rule = About(kDtypeMismatch, {.summary = "the datatypes of two ports do not go together",
                                   .explanation = R"(## What it checks
A port must have the datatype, or the width, of another one.

## Why
Weights of 16 bits need activations of 16 bits, for example; the library refuses other mixes.

## Fix
Change one of the two datatypes as the message says.

## References
The constraint's `sources` name the documentation page and the measured library version.
)",
                                   .status = RuleStatus::kStable}),
    .holds = Holds,
    .explain = Explain,
    .reads_form_only = true};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace dtype_mismatch

const RuleEntry kDtypeMismatchEntry = dtype_mismatch::kEntry;

}  // namespace quantgate::rules
