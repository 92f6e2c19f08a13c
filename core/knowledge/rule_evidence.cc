#include "quantgate/rule_evidence.h"

#include <fmt/core.h>

#include "core/database/view.h"
#include "quantgate/database.h"

namespace quantgate {
namespace {

std::string Text(opdb::Tree tree) { return std::string(tree.str()); }

// "a, b and 2 more"
std::string Listed(opdb::Tree list) {
  std::string text;
  for (size_t i = 0; i < list.size() && i < 3; ++i) text += (i > 0 ? ", " : "") + Text(list.at(i));
  if (list.size() > 3) text += fmt::format(" and {} more", list.size() - 3);
  return text;
}

std::string LibrarySaid(opdb::Tree entry) {
  std::string said = "op validation: " + Text(entry["validate"]);
  if (entry["prepare"]) said += ", preparation: " + Text(entry["prepare"]);
  if (entry["execute"]) said += ", run: " + Text(entry["execute"]);
  if (entry["numbers"]) said += ", numbers: " + Text(entry["numbers"]);
  if (entry["steps"]) said += fmt::format(" (off by {} steps at most)", entry["steps"].str());
  if (entry["native"]) said += "; with native caches, preparation: " + Text(entry["native"]);
  return said;
}

std::string ProviderSaid(opdb::Tree entry) {
  std::string said = "session: " + Text(entry["session"]);
  if (entry["on_cpu"]) said += ", on the CPU: " + Listed(entry["on_cpu"]);
  if (entry["in_float"]) said += ", in float: " + Listed(entry["in_float"]);
  if (const opdb::Tree ops = entry["ops"]) {
    said += ", runs";
    for (size_t i = 0; i < ops.size(); ++i) {
      said += fmt::format("{} {} {}", i > 0 ? "," : "", ops.at(i).str(), ops.at(i).key());
    }
  }
  if (entry["off"])
    said += fmt::format(", off from the CPU by {} of the range", entry["off"].str());
  return said;
}

}  // namespace

RuleEvidence EvidenceOf(const Rule& rule) {
  const opdb::View& db = Database::Embedded().view();
  RuleEvidence evidence;
  const opdb::Tree own = db.Document("rules/" + std::string(rule.slug));
  evidence.basis = Text(own["basis"]);
  const opdb::Tree reported = own["evidence"];
  for (size_t i = 0; i < reported.size(); ++i) {
    evidence.reported.push_back({Text(reported.at(i)["where"]), Text(reported.at(i)["what"])});
  }
  const opdb::Tree judged = db.Document("rules/judged")["judged"][rule.slug];
  for (size_t i = 0; i < judged.size(); ++i) {
    const opdb::Tree entry = judged.at(i);
    RuleEvidence::Judged one{Text(entry["fixture"]), Text(entry["by"]), ""};
    if (one.by.empty()) {
      one.said = Text(entry["why"]);
    } else {
      if (entry["arch"]) one.by += " " + Text(entry["arch"]);
      one.said = entry["session"] ? ProviderSaid(entry) : LibrarySaid(entry);
      if (entry["why"]) one.said += " (" + Text(entry["why"]) + ")";
    }
    evidence.judged.push_back(std::move(one));
  }
  return evidence;
}

}  // namespace quantgate
