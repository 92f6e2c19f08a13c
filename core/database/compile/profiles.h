// What ops of a backend have in common, stated once: `opdefs/<backend>/profiles.yaml`.
//
//   profiles:
//     input: [finite-scale, prepared-offset]      names for one port
//     elementwise-unary:                          names by port, and of other profiles (`op`)
//       op: [tensor-op]
//       out0: [shape-of-in0]
//   measured:                                     the constraints that profiles and ops name
//     finite-scale: {valid_scale: finite, breach: prepare_fails}
#ifndef QUANTGATE_CORE_DATABASE_COMPILE_PROFILES_H_
#define QUANTGATE_CORE_DATABASE_COMPILE_PROFILES_H_

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/database/compile/section.h"

namespace quantgate::opdefs {

// A constraint without a port.
struct SharedConstraint {
  Node node;
  Section section;
  Reporter reporter;  // its file
};

// Names for one port, or by port.
struct SharedProfile {
  Node node;
  Reporter reporter;
};

struct Profiles {
  std::map<std::string, SharedConstraint, std::less<>> constraints;
  std::map<std::string, SharedProfile, std::less<>> profiles;
  // Names that an op or a profile used.
  std::map<std::string, bool, std::less<>> used;
  // Names of profiles that name each other, as far as reported.
  std::set<std::vector<std::string>> cycles;
  // Whether a file of them had errors.
  bool broken = false;
};

// Adds what the file says to `profiles`, in place of what had its name. Unknown names and cycles
// are errors.
void ReadProfiles(const Node& node, const Reporter& reporter, const Ir& ir, const Backend& backend,
                  Profiles& profiles);

// A constraint that a list of names brings to a port ("in0", "all", a param).
struct Used {
  std::string port, name;
  std::string profile;  // the outermost profile that holds it; "" = named itself
};

// `names`: a list of names for `port`, or for the whole op where `port` is "op". Errors at the
// names.
std::vector<Used> ExpandUse(const Node& names, std::string_view port, Profiles& profiles,
                            const Reporter& reporter);

// "in0, in1" -> its parts.
std::vector<std::string> SplitPorts(std::string_view text);

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_CORE_DATABASE_COMPILE_PROFILES_H_
