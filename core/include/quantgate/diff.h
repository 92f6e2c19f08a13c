// What differs between two targets.
#ifndef QUANTGATE_DIFF_H_
#define QUANTGATE_DIFF_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "quantgate/consequence.h"
#include "quantgate/database.h"
#include "quantgate/export.h"
#include "quantgate/target.h"

namespace QUANTGATE_EXPORT quantgate {

struct DiffSpec {
  // What both sides share.
  TargetSpec shared;
  // What they differ in, each an SDK ("2.25"), an arch ("v68"), a backend ("lpai") or a soc
  // ("SM8550"); both of one kind.
  std::string from, to;
  std::vector<std::string> ops;  // empty = all
};

enum class DiffBy : uint8_t { kSdk, kArch, kBackend, kSoc };
std::string_view DiffByName(DiffBy by);  // "sdk"

struct Diff {
  enum class What : uint8_t { kAdded, kRemoved, kChanged };
  // Of rows: kLoosened = accepts more. kNone = another text for the same.
  enum class Effect : uint8_t { kNone, kLoosened, kTightened };
  struct Change {
    What what = What::kChanged;
    Effect effect = Effect::kNone;
    bool is_row = false;  // a dtype row, else a constraint
    std::string id;       // "htp/Conv2d#INT8.1", "htp/Conv2d/in[1]/symmetric"
    std::string text;     // dtypes of the ports given, or what must hold
    std::string port;     // of a constraint
    std::string rule;     // of a constraint: "QG301"
    std::string archs;    // "v73+"; "" = all
    // Where it is there: the row's verdict, or what breaking the constraint leads to.
    Consequence before = Consequence::kAccepted, after = Consequence::kAccepted;
    std::string archs_before;  // where these changed
    // Known from the real library alone: the behaviour may be older than the SDK it was found in.
    bool measured = false;
    std::vector<std::string> sources;
    std::string note;
  };
  // A precision of opdefs/precisions.yaml that one side supports and the other doesn't.
  struct Gain {
    std::string precision;
    bool lost = false;
    bool measured = false;
    Consequence verdict = Consequence::kAccepted;
    std::string archs;  // where; "" = everywhere
  };
  struct Op {
    std::string name;
    What what = What::kChanged;
    bool measured = false;  // kAdded: documents don't have it
    std::vector<Gain> gains;
    std::vector<Change> changes;  // rows, then constraints
  };

  DiffBy by = DiffBy::kSdk;
  Target from, to;
  std::vector<Op> ops;  // with a difference; by name
  // Rows and constraints are compared within a backend only.
  bool has_changes = true;
  // An SDK diff without an arch looks at all of them.
  bool every_arch = false;
  std::vector<std::string> notes;
};

// InvalidArgument or NotFound with the nearest names.
absl::StatusOr<Diff> MakeDiff(const Database& database, const DiffSpec& spec);

}  // namespace quantgate

#endif  // QUANTGATE_DIFF_H_
