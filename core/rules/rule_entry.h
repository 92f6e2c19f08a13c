// What a rule file declares: the rule, and how it is checked.
//
// A rule is one file, <slug_with_underscores>.cc in constraint/, graph/ or declared/, and one line in
// core/base/rules.def.
// Rules without a check are raised by resolve, routes or the validator itself.
#ifndef QUANTGATE_CORE_RULES_RULE_ENTRY_H_
#define QUANTGATE_CORE_RULES_RULE_ENTRY_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/base/rule_id.h"
#include "quantgate/rule.h"

namespace quantgate {

struct Finding;
struct Tensor;

namespace opdb {
enum class Kind : uint8_t;
struct ConstraintRow;
}  // namespace opdb

namespace rules {

class GraphFindings;
class GraphView;
class NodeView;
struct ScaleLimit;
struct Settings;
struct SettingsForm;

// What a check is about: a constraint and the tensor (of a variadic port: one of them).
struct Subject {
  const NodeView& node;
  const opdb::ConstraintRow& constraint;
  const Tensor* tensor = nullptr;  // null for constraints on a param
  int element = 0;
};

struct RuleEntry {
  Rule rule;
  // Of a rule that core/database/kinds.def names for a kind of constraint.
  // True when the constraint holds or can't be evaluated. Called for each given tensor of the
  // constraint's port, once for a constraint on a param. Never allocates.
  bool (*holds)(const Subject&) = nullptr;
  // Fills message, found, allowed, fixes of the finding of a broken constraint; never called where
  // `holds` is true.
  void (*explain)(const Subject&, Finding&) = nullptr;
  // The check wants to see a port that isn't given (tensor == nullptr).
  bool wants_absent = false;
  // `holds` and `concerns` depend on the form of the node alone (core/validate/cache/node_form.h): never
  // on scales, zero points, block factors or stored values.
  bool reads_form_only = false;
  // Of a rule that reads numbers: whether this subject holds whatever they are. Null: never.
  bool (*holds_by_form)(const Subject&) = nullptr;
  // Of a rule that compares scales: all it compares, for every node of this one's form. Nothing: a
  // node of this form has nothing to compare.
  std::optional<ScaleLimit> (*scale_limit)(const Subject&) = nullptr;
  // Rules between nodes have one of these instead of the above. They see the whole graph at the end
  // of the route, and run where opdefs/rules/<slug>.yaml says (backends, archs, ops that must be
  // there). `visit` is called for each op and finds what stands at it or next to it; `walk` is
  // called once, after all visits, with the sum of what `amount` says of some ops after the other.
  void (*visit)(const GraphView&, int32_t op, GraphFindings&) = nullptr;
  double (*amount)(const GraphView&, int32_t begin, int32_t end) = nullptr;
  void (*walk)(const GraphView&, GraphFindings&) = nullptr;
  // Whether such a rule compares scales and ranges, and waits for calibration.
  bool reads_numbers = false;
  constexpr bool is_between_nodes() const { return visit != nullptr || walk != nullptr; }

  // What opdefs/rules/<slug>.yaml holds beyond the keys that all rules have
  // (core/rules/support/settings.h).
  const SettingsForm* settings = nullptr;
};

// The texts of a rule; Rule (quantgate/rule.h) has the fields.
struct RuleText {
  std::string_view summary;
  std::string_view explanation;
  RuleStatus status;
};
constexpr Rule About(RuleId id, RuleText text) {
  return {NameOf(id).code, NameOf(id).slug, text.summary, text.explanation, text.status};
}

constexpr bool IsWellFormed(const Rule& rule) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  if (rule.code.size() != 5 || rule.code.substr(0, 2) != "QG" || !digit(rule.code[2]) ||
      !digit(rule.code[3]) || !digit(rule.code[4])) {
    return false;
  }
  if (rule.summary.empty() || rule.summary.back() == '.') return false;
  for (const std::string_view section :
       {"## What it checks", "## Why", "## Fix", "## References"}) {
    if (rule.explanation.find(section) == std::string_view::npos) return false;
  }
  return true;
}

// The entry that checks a kind; null for kinds that nothing can check (notes).
const RuleEntry* EntryOf(opdb::Kind kind);
// In the order of RuleId.
std::span<const RuleEntry* const> AllEntries();

// One a rule file: kOffsetSignEntry is in core/rules/declared/offset_sign.cc.
#define RULE(name, code, slug) extern const RuleEntry name##Entry;
#include "core/base/rules.def"
#undef RULE

}  // namespace rules
}  // namespace quantgate

#endif  // QUANTGATE_CORE_RULES_RULE_ENTRY_H_
