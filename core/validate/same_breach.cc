#include "core/validate/same_breach.h"

#include <algorithm>
#include <array>

namespace quantgate {
namespace {

using opdb::ArgKey;

// The arguments that say what a constraint is about; the others say what must hold of it.
constexpr std::array<ArgKey, 8> kAbout = {ArgKey::kAs,    ArgKey::kDim,    ArgKey::kDims,
                                          ArgKey::kIndex, ArgKey::kAspect, ArgKey::kPeer,
                                          ArgKey::kAxis,  ArgKey::kSparse};

bool IsAbout(const opdb::ArgRow& arg) {
  return std::find(kAbout.begin(), kAbout.end(), arg.key) != kAbout.end();
}

bool Same(const opdb::ArgRow& a, const opdb::ArgRow& b) {
  // Equal lists are stored once, so that equal slices are equal lists.
  return a.key == b.key && a.type == b.type && a.a == b.a && a.b == b.b && a.v.i == b.v.i;
}

bool SameSubjects(const opdb::View& db, const opdb::ConstraintRow& a,
                  const opdb::ConstraintRow& b) {
  const auto holds = [&](const opdb::ConstraintRow& row, const opdb::ArgRow& arg) {
    const auto args = db.get(row.args);
    return !IsAbout(arg) || std::any_of(args.begin(), args.end(), [&](const opdb::ArgRow& other) {
      return Same(arg, other);
    });
  };
  const auto of_a = db.get(a.args), of_b = db.get(b.args);
  return std::all_of(of_a.begin(), of_a.end(), [&](const auto& arg) { return holds(b, arg); }) &&
         std::all_of(of_b.begin(), of_b.end(), [&](const auto& arg) { return holds(a, arg); });
}

}  // namespace

bool SameBreach(const opdb::View& db, const opdb::ConstraintRow& a, const opdb::ConstraintRow& b) {
  const bool ports = a.port == b.port || a.port == opdb::kPortAll || b.port == opdb::kPortAll;
  return ports && a.kind == b.kind && a.kind != opdb::Kind::kAnyOf && a.kind != opdb::Kind::kNote &&
         a.param == b.param && SameSubjects(db, a, b);
}

}  // namespace quantgate
