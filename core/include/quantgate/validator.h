// The validator: Model in, Report out.
#ifndef QUANTGATE_VALIDATOR_H_
#define QUANTGATE_VALIDATOR_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "quantgate/database.h"
#include "quantgate/encodings_file.h"
#include "quantgate/export.h"
#include "quantgate/model.h"
#include "quantgate/report.h"
#include "quantgate/target.h"

namespace QUANTGATE_EXPORT quantgate {

// The route of Database::Routes() on which nothing is changed.
inline constexpr std::string_view kDirectRoute = "direct";
// The consequences that ValidatorOptions::fail_on can be: all but `accepted`.
std::vector<std::string_view> FailOnNames();

struct ValidatorOptions {
  Mode mode = Mode::kStrict;
  // A verdict this bad or worse fails strict mode.
  Consequence fail_on = Consequence::kWrongValues;
  // How models reach the backend: one of Database::Routes(). Empty = the usual one of model and
  // backend (UsualRoute() in lower.h). With another name nothing is checked, as the report says.
  std::string route = {};
  // Also report what runs: Report::as_run.
  bool as_run = false;
  // Also try, for each refused node, what else would run it; suggestions, cheapest first, become
  // the fixes of its worst finding. Costs some checks of the node each.
  bool suggest = false;
  // Threads that share the ops of one large graph. The report is the same with any number.
  int threads = 1;
  // Of a node that differs from an accepted one in numbers alone, check these alone. The report is
  // the same without, but a large graph of few different nodes may need eight times as long.
  bool shortcuts = true;
};

// Immutable; one instance may be used by any number of threads at once. Rows of its target are
// looked up once, so keep one for many models. After a move the source may only be assigned to or
// destroyed.
class Validator {
 public:
  // `database` must outlive the validator; the embedded one always does.
  explicit Validator(Target target, ValidatorOptions options = {});
  Validator(Target target, ValidatorOptions options, const Database& database);
  ~Validator();
  Validator(Validator&&) noexcept;
  Validator& operator=(Validator&&) noexcept;

  // Never fails: what can't be checked is `unchecked` with a reason. The model must be well
  // formed (tensor ids in range), as readers make it; `Model` built by hand is verified first
  // and a broken one gives a single QG9xx finding.
  Report Check(const Model& model) const;
  // The same without Report::nodes, whose texts are most of the work where a large model is
  // accepted. All else is equal; findings keep their node_index.
  Report CheckWithoutNodes(const Model& model) const;
  // With the encodings of a separate file (encodings_file.h): what does not fit the model is in
  // the report (QG7xx). The usual route is then that of such pairs.
  Report Check(Model model, const EncodingsFile& encodings) const;
  // Of a model that ApplyEncodings() has put the encodings of such a file into: on that route.
  Report CheckApplied(const Model& model) const;

  // A report from each of `validators`, which must have one backend, SDK, database and route:
  // what is the same for all archs is done once.
  static std::vector<Report> CheckEach(const std::vector<Validator>& validators,
                                       const Model& model);

  const Target& target() const;
  const ValidatorOptions& options() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace quantgate

#endif  // QUANTGATE_VALIDATOR_H_
