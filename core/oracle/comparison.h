// quantgate's verdict on a node beside what a backend library made of it.
#ifndef QUANTGATE_CORE_ORACLE_COMPARISON_H_
#define QUANTGATE_CORE_ORACLE_COMPARISON_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/oracle/answer.h"
#include "quantgate/consequence.h"
#include "quantgate/report.h"

namespace quantgate::verify {

// What an executed node computed, against the float reference.
enum class Values : uint8_t { kNotJudged, kRight, kBetween, kWrong };
std::string_view ValuesName(Values values);  // "right"

struct Judgement {
  Values values = Values::kNotJudged;
  std::string reason;   // why not judged; empty = was not executed
  double steps = 0;     // largest error in steps of the output's encoding
  double fraction = 0;  // largest error as a part of the output's range
  double share = 0;     // of the elements that are not right
};

enum class Agreement : uint8_t {
  kAgrees,
  kFalseRejection,   // quantgate expects a failure that does not come
  kFalseAcceptance,  // a failure that quantgate does not expect
  kUnknown,          // quantgate does not know
  kNotAsked,         // the library can't be asked
};
inline constexpr int kAgreementCount = 5;
std::string_view AgreementName(Agreement agreement);  // "false_rejection"
std::string_view AgreementText(Agreement agreement);  // "false rejection"

// Where a node stops: op validation, preparation (making, finalizing and running without an
// error), or the values; kNone = nowhere.
enum class Failure : uint8_t { kValidation, kPreparation, kValues, kNone };

struct ComparedNode {
  std::string name;       // of the op as the backend gets it
  std::string op;         // QNN
  std::string source;     // node of the file; empty = the same
  std::string source_op;  // empty = the same
  Consequence verdict = Consequence::kAccepted;
  std::vector<std::string> constraints;  // ids, or codes of rules, of the findings behind it
  std::string reason;                    // why `unchecked`
  Answer answer;
  Judgement judgement;
  Agreement agreement = Agreement::kAgrees;
  std::string known;  // the reason where the disagreement is listed
};

struct Comparison {
  std::string model;
  std::string backend, sdk, arch, soc, route;
  std::string library, build_id;
  std::vector<Stage> asked;
  std::vector<std::string> notes;
  std::vector<ComparedNode> nodes;

  std::array<size_t, kAgreementCount> Counts() const;
  // Nodes by agreement: disagreements first, then unknown, not asked, the rest in order.
  std::vector<const ComparedNode*> Sorted() const;
  bool HasUnlistedDisagreement() const;
};

Failure ExpectedFailure(Consequence verdict);
Failure SeenFailure(const Answer& answer, const Judgement& judgement);
// `deepest`: the last stage that was asked for. What would only show later is no disagreement.
Agreement Compare(Consequence verdict, const Answer& answer, const Judgement& judgement,
                  Stage deepest);

}  // namespace quantgate::verify

#endif  // QUANTGATE_CORE_ORACLE_COMPARISON_H_
