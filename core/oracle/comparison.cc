#include "core/oracle/comparison.h"

#include <algorithm>

namespace quantgate::verify {

std::string_view ValuesName(Values values) {
  switch (values) {
    case Values::kNotEvaluated:
      return "not judged";
    case Values::kRight:
      return "right";
    case Values::kBetween:
      return "between";
    case Values::kWrong:
      return "wrong";
  }
  return "";
}

std::string_view AgreementName(Agreement agreement) {
  switch (agreement) {
    case Agreement::kAgrees:
      return "agrees";
    case Agreement::kFalseRejection:
      return "false_rejection";
    case Agreement::kFalseAcceptance:
      return "false_acceptance";
    case Agreement::kUnknown:
      return "unknown";
    case Agreement::kNotQueried:
      return "not_queried";
  }
  return "";
}

std::string_view AgreementText(Agreement agreement) {
  switch (agreement) {
    case Agreement::kFalseRejection:
      return "false rejection";
    case Agreement::kFalseAcceptance:
      return "false acceptance";
    case Agreement::kNotQueried:
      return "not queried";
    default:
      return AgreementName(agreement);
  }
}

Failure ExpectedFailure(Consequence verdict) {
  switch (verdict) {
    case Consequence::kRejected:
      return Failure::kValidation;
    case Consequence::kPrepareFails:
      return Failure::kPreparation;
    case Consequence::kWrongValues:
      return Failure::kValues;
    default:
      return Failure::kNone;
  }
}

Failure SeenFailure(const Answer& answer, const Judgement& judgement) {
  const auto fails = [&](Stage stage) {
    const Outcome outcome = answer[stage].outcome;
    return outcome != Outcome::kOk && outcome != Outcome::kNotQueried;
  };
  if (fails(Stage::kValidate)) return Failure::kValidation;
  if (fails(Stage::kPrepare) || fails(Stage::kExecute)) return Failure::kPreparation;
  return judgement.values == Values::kWrong ? Failure::kValues : Failure::kNone;
}

Agreement Compare(Consequence verdict, const Answer& answer, const Judgement& judgement,
                  Stage deepest) {
  if (!answer.not_queried.empty()) return Agreement::kNotQueried;
  if (verdict == Consequence::kUnchecked) return Agreement::kUnknown;
  Failure reached = Failure::kValidation;
  if (deepest != Stage::kValidate && answer[Stage::kPrepare].outcome != Outcome::kNotQueried) {
    reached = Failure::kPreparation;
  }
  // Values between right and wrong are evidence for neither side.
  if (judgement.values == Values::kRight || judgement.values == Values::kWrong) {
    reached = Failure::kValues;
  }
  const Failure seen = SeenFailure(answer, judgement);
  const Failure wanted = ExpectedFailure(verdict);
  const Failure expected = wanted > reached ? Failure::kNone : wanted;
  if (expected == seen) return Agreement::kAgrees;
  return expected < seen ? Agreement::kFalseRejection : Agreement::kFalseAcceptance;
}

std::array<size_t, kAgreementCount> Comparison::Counts() const {
  std::array<size_t, kAgreementCount> counts{};
  for (const ComparedNode& node : nodes) ++counts[static_cast<size_t>(node.agreement)];
  return counts;
}

std::vector<const ComparedNode*> Comparison::Sorted() const {
  std::vector<const ComparedNode*> sorted;
  for (const ComparedNode& node : nodes) sorted.push_back(&node);
  const auto rank = [](const ComparedNode* node) {
    return node->agreement == Agreement::kAgrees ? kAgreementCount
                                                 : static_cast<int>(node->agreement);
  };
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const ComparedNode* a, const ComparedNode* b) { return rank(a) < rank(b); });
  return sorted;
}

bool Comparison::HasUnlistedDisagreement() const {
  return std::any_of(nodes.begin(), nodes.end(), [](const ComparedNode& node) {
    return (node.agreement == Agreement::kFalseRejection ||
            node.agreement == Agreement::kFalseAcceptance) &&
           node.known.empty();
  });
}

void AddPredicted(const Model& graph, const Report& report, Comparison& comparison) {
  comparison.nodes.resize(graph.nodes.size());
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    ComparedNode& node = comparison.nodes[i];
    node.name = graph.nodes[i].name;
    node.op = graph.nodes[i].op;
    node.verdict = report.nodes[i].verdict;
    node.reason = report.nodes[i].reason;
  }
  for (const Finding& finding : report.findings) {
    if (finding.node_index < 0) continue;
    ComparedNode& node = comparison.nodes[static_cast<size_t>(finding.node_index)];
    if (finding.consequence != node.verdict) continue;
    std::string cause =
        finding.constraint.empty() ? std::string(finding.rule->code) : finding.constraint.str();
    auto& causes = node.constraints;
    if (std::find(causes.begin(), causes.end(), cause) == causes.end()) {
      causes.push_back(std::move(cause));
    }
  }
}

}  // namespace quantgate::verify
