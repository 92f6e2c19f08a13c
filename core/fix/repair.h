// What could fix a finding. Each kind of repair is a file of its own; none knows an operator: what
// to change is in the finding's own edits, in the encodings around it and in the validator's
// answer.
#ifndef QUANTGATE_CORE_FIX_REPAIR_H_
#define QUANTGATE_CORE_FIX_REPAIR_H_

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "core/fix/editor.h"
#include "quantgate/report.h"

namespace quantgate::fix {

struct Case {
  const Finding& finding;
  const Editor& editor;
  Rounding rounding;  // the most that is allowed

  // Of the finding; kNoTensor = none, or one that only the backend's graph has.
  TensorId tensor() const { return editor.Find(finding.tensor); }
};

struct Proposal {
  std::string what;  // "set scale 0.02, zero_point 128 on \"y\""
  // Changes nothing where it fails; the status says why.
  std::function<absl::Status(Editor&)> apply;
  // The finding doesn't ask for it: that it does not help is no news.
  bool is_attempt = false;
  // Holds only if the validator then asked for another encoding of this new tensor: it is known,
  // not guessed.
  std::string must_be_asked_for;
  std::optional<Coding> guessed;
};

using Repair = void (*)(const Case& c, std::vector<Proposal>& proposals);
// In the order in which they are tried.
std::span<const Repair> Repairs();

// The encoding that the finding's own edits ask for (tensors/T/encoding/..., tensors/T/dtype).
void RepairAsWritten(const Case& c, std::vector<Proposal>& proposals);
// The same where integers of a constant don't fit: with a larger scale.
void RepairWidened(const Case& c, std::vector<Proposal>& proposals);
// A constant in the type of the other sign, with equal values.
void RepairSign(const Case& c, std::vector<Proposal>& proposals);
// The quantized copy that one side of a half-quantized node lacks.
void RepairBorder(const Case& c, std::vector<Proposal>& proposals);

// The encoding that the finding asks for, and after it the one that the file has: for where the
// latter cuts what the former does not.
void RepairBehind(const Case& c, std::vector<Proposal>& proposals);

// The encoding that the finding asks for on what an op reads, by a copy before it: for where others
// read the tensor too.
void RepairBefore(const Case& c, std::vector<Proposal>& proposals);

// All tensors computed in this type, in the type of the other sign.
Proposal AllInOtherSign(Dtype dtype);

}  // namespace quantgate::fix

#endif  // QUANTGATE_CORE_FIX_REPAIR_H_
