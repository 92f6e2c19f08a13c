#include "core/validate/waivers.h"

#include <fmt/core.h>

#include <algorithm>

namespace quantgate {

Waivers::Waivers(const opdb::View& db, std::string_view backend) {
  const opdb::Tree list = db.Document("waivers");
  for (size_t i = 0; i < list.size(); ++i) {
    const opdb::Tree entry = list.at(i);
    if (entry["backend"] && entry["backend"].str() != backend) continue;
    const std::string_view name = entry["rule"].str();
    const Rule* rule = FindRule(name);
    if (rule == nullptr) {
      notes_.push_back(fmt::format("waivers.yaml:{}: there is no rule \"{}\"", entry.line(), name));
      continue;
    }
    waivers_.push_back(
        {rule, entry["op"].str(), entry["port"].str(), entry["node"].str(), entry["reason"].str()});
  }
}

void Waivers::Apply(Report& report) const {
  report.notes.insert(report.notes.end(), notes_.begin(), notes_.end());
  if (waivers_.empty()) return;
  const auto fits = [](std::string_view wanted, const std::string& given) {
    return wanted.empty() || wanted == given;
  };
  for (Finding& finding : report.findings) {
    const auto it = std::find_if(waivers_.begin(), waivers_.end(), [&](const Waiver& waiver) {
      return waiver.rule == finding.rule && fits(waiver.op, finding.op) &&
             fits(waiver.port, finding.port) && fits(waiver.node, finding.node);
    });
    if (it != waivers_.end()) finding.waived = it->reason;
  }
}

}  // namespace quantgate
