// opdefs/rules/<slug>.yaml: keys that all rules have, and those that the rule's file declares.
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "core/database/compile/document/document_schema.h"
#include "core/database/compile/document/document_types.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/settings.h"

namespace quantgate::opdefs {
namespace {

using namespace shapes;  // NOLINT(google-build-using-namespace)

constexpr DocumentKey kEvidenceKeys[] = {{"where", &kAnyText, true}, {"what", &kAnyText, true}};
constexpr DocumentShape kEvidenceRow = {
    .type = kMap, .what = "a row of `evidence`", .keys = kEvidenceKeys};
constexpr DocumentShape kEvidence = {.type = kList, .item = &kEvidenceRow};

// Where a rule or a row of it holds (opdb::IsFor), and what it rests on.
constexpr DocumentKey kCommonKeys[] = {{"backends", &kBackends, true},
                                       {"archs", &kArchs},
                                       {"since", &kAnSdk},
                                       {"until", &kAnSdk},
                                       {"evidence", &kEvidence, true}};

// The shapes of all rules, made when first asked for; each stays where it is.
class RuleShapes {
 public:
  RuleShapes() {
    for (const rules::RuleEntry* entry : rules::AllEntries()) {
      std::vector<DocumentKey>& keys = keys_.emplace_back(Keys(rules::CommonFields()));
      keys.insert(keys.begin(), std::begin(kCommonKeys), std::end(kCommonKeys));
      if (entry->settings != nullptr) {
        const std::vector<DocumentKey> own = Keys(entry->settings->fields);
        keys.insert(keys.end(), own.begin(), own.end());
      }
      by_slug_[entry->rule.slug] = {
          .type = kMap, .what = Name("the rule " + std::string(entry->rule.slug)), .keys = keys};
    }
  }
  const DocumentShape* Find(std::string_view slug) const {
    const auto at = by_slug_.find(slug);
    return at == by_slug_.end() ? nullptr : &at->second;
  }

 private:
  std::vector<DocumentKey> Keys(std::span<const rules::SettingField> fields) {
    std::vector<DocumentKey> keys;
    for (const rules::SettingField& field : fields) {
      keys.push_back({field.name, ShapeOf(field), field.required});
    }
    return keys;
  }
  const DocumentShape* ShapeOf(const rules::SettingField& field) {
    DocumentShape shape{.type = field.type};
    if (field.type == kMap) {
      shape.keys = keys_.emplace_back(Keys(field.row));
      shape.what = Name((field.list ? "a row of `" : "`") + std::string(field.name) + "`");
    }
    const DocumentShape* value = &shapes_.emplace_back(shape);
    return field.list ? &shapes_.emplace_back(DocumentShape{.type = kList, .item = value}) : value;
  }
  std::string_view Name(std::string text) { return names_.emplace_back(std::move(text)); }

  std::deque<std::vector<DocumentKey>> keys_;
  std::deque<DocumentShape> shapes_;
  std::deque<std::string> names_;
  std::map<std::string_view, DocumentShape> by_slug_;
};

constexpr DocumentShape kNamedTexts = {.type = kNamed, .item = &kAnyScalar};
constexpr DocumentKey kJudgedKeys[] = {{"fixture", &kAnyText, true}, {"digest", &kAnyScalar, true},
                                       {"why", &kAnyText},           {"by", &kAnyText},
                                       {"arch", &kAnArch},           {"validate", &kAnyText},
                                       {"prepare", &kAnyText},       {"execute", &kAnyText},
                                       {"numbers", &kAnyText},       {"steps", &kAnyNumber},
                                       {"native", &kAnyText},        {"session", &kAnyText},
                                       {"on_cpu", &kTexts},          {"in_float", &kTexts},
                                       {"ops", &kNamedTexts},        {"off", &kAnyNumber}};
constexpr DocumentShape kJudgedRow = {.type = kMap, .what = "an answer", .keys = kJudgedKeys};
constexpr DocumentShape kJudgedRows = {.type = kList, .item = &kJudgedRow};
constexpr DocumentShape kJudgedRules = {.type = kNamed, .item = &kJudgedRows};
constexpr DocumentKey kJudgedFile[] = {{"judged", &kJudgedRules, true}};

}  // namespace

const opdb::DocumentShape kJudgedShape = {
    .type = kMap, .what = "rules/judged.yaml", .keys = kJudgedFile};

const DocumentShape* RuleShape(std::string_view slug) {
  static const RuleShapes shapes;
  return shapes.Find(slug);
}

}  // namespace quantgate::opdefs
