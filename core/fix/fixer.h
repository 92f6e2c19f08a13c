// Fixes what a check found, as far as that is known to be safe: after each step the model is
// checked again, and a step stays only if its findings are gone and no node is worse off.
#ifndef QUANTGATE_CORE_FIX_FIXER_H_
#define QUANTGATE_CORE_FIX_FIXER_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/fix/editor.h"
#include "quantgate/report.h"

namespace quantgate::fix {

struct FixOptions {
  Rounding rounding = Rounding::kNone;
  // Findings less severe than this are left alone.
  Consequence at_least = Consequence::kAdvice;
};

// What became of one finding.
struct Outcome {
  Finding finding;
  // What fixed it; why it is left.
  std::string reason;
};

struct FixResult {
  std::unique_ptr<Editor> editor;  // with the fixed model
  Report before, after;
  std::vector<Outcome> fixed;  // of `before`, gone
  std::vector<Outcome> left;    // of `after`
};

// Checks the model of an editor.
using Check = std::function<Report(const Model&)>;

FixResult FixModel(std::unique_ptr<Editor> editor, const Check& check, const FixOptions& options);

}  // namespace quantgate::fix

#endif  // QUANTGATE_CORE_FIX_FIXER_H_
