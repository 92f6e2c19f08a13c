// The validator: Model in, Report out.
#ifndef QUANTGATE_VALIDATOR_H_
#define QUANTGATE_VALIDATOR_H_

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "quantgate/database.h"
#include "quantgate/model.h"
#include "quantgate/report.h"
#include "quantgate/target.h"

namespace quantgate {

enum class Route : uint8_t { kDefault, kDirect, kOnnxruntime, kExecutorch, kQairt };
std::string_view RouteName(Route route);
std::optional<Route> RouteFromName(std::string_view name);

struct ValidatorOptions {
  Mode mode = Mode::kStrict;
  // A verdict this bad or worse fails strict mode.
  Consequence fail_on = Consequence::kWrongValues;
  // kDefault = by dialect: onnx -> onnxruntime, aten -> executorch, qnn -> direct.
  Route route = Route::kDefault;
};

// Immutable; one instance may be used by any number of threads at once.
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

  const Target& target() const;
  const ValidatorOptions& options() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace quantgate

#endif  // QUANTGATE_VALIDATOR_H_
