#include "quantgate/validator.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/validate/passes.h"
#include "core/validate/two_sdks.h"
#include "core/validate/well_formed.h"
#include "quantgate/encodings_file.h"

namespace quantgate {

std::vector<std::string_view> FailOnNames() {
  std::vector<std::string_view> names;
  for (int i = 0; i < kConsequenceCount; ++i) {
    const auto consequence = static_cast<Consequence>(i);
    if (consequence != Consequence::kAccepted) names.push_back(ConsequenceName(consequence));
  }
  return names;
}

struct Validator::Impl {
  Impl(Target target, const ValidatorOptions& options, const Database& database)
      : setup(std::move(target), options, database) {
    if (std::optional<Target> next = NextMeasured(setup.target, database)) {
      next_measured = std::make_unique<CheckSetup>(*std::move(next), options, database);
    }
  }

  CheckSetup setup;
  std::unique_ptr<CheckSetup> next_measured;  // null where the facts of `setup` alone decide

  Report Check(const Model& model, bool with_encodings, LoweredModel& lowered) const {
    const TakenRoute& route = setup.routes.For(model.dialect, with_encodings);
    lowered.shared |= next_measured != nullptr;
    Report report = RunPasses(setup, model, route, lowered);
    if (next_measured == nullptr) return report;
    return SharedVerdicts(report, RunPasses(*next_measured, model, route, lowered), setup.options, setup.database);
  }
};

Validator::Validator(Target target, ValidatorOptions options, const Database& database)
    : impl_(new Impl(std::move(target), std::move(options), database)) {}
Validator::~Validator() = default;
Validator::Validator(Validator&&) noexcept = default;
Validator& Validator::operator=(Validator&&) noexcept = default;

const Target& Validator::target() const { return impl_->setup.target; }
const ValidatorOptions& Validator::options() const { return impl_->setup.options; }

Report Validator::Check(const Model& model) const {
  LoweredModel lowered(model);
  return impl_->Check(model, /*with_encodings=*/false, lowered);
}

Report Validator::CheckWithoutNodes(const Model& model) const {
  Report report = Check(model);
  report.nodes.clear();
  return report;
}

Report Validator::Check(Model model, const EncodingsFile& encodings) const {
  LoweredModel lowered(model);
  // A model that is no graph is not looked into.
  if (lowered.malformed.empty()) {
    lowered.findings = ApplyEncodings(encodings, model, impl_->setup.database);
  }
  return impl_->Check(model, /*with_encodings=*/true, lowered);
}

Report Validator::CheckApplied(const Model& model) const {
  LoweredModel lowered(model);
  return impl_->Check(model, /*with_encodings=*/true, lowered);
}

std::vector<Report> Validator::CheckEach(const std::vector<Validator>& validators,
                                         const Model& model) {
  LoweredModel lowered(model);
  lowered.shared = validators.size() > 1;
  std::vector<Report> reports;
  for (const Validator& v : validators) {
    reports.push_back(v.impl_->Check(model, /*with_encodings=*/false, lowered));
  }
  return reports;
}

}  // namespace quantgate
