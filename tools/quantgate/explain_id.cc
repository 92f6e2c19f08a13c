#include "tools/quantgate/explain_id.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "quantgate/quantgate.h"
#include "tools/quantgate/cli/view_flags.h"
#include "tools/quantgate/show/op_json.h"
#include "tools/quantgate/show/table.h"

namespace quantgate::cli {
namespace {

std::string Listed(const std::vector<std::string>& names) { return Join(names, ", "); }

// One line: what became of the id.
std::string RenamedText(const std::string& id, const Entries& found) {
  const RenamedId& renamed = *found.renamed;
  const bool still = std::any_of(found.constraints.begin(), found.constraints.end(),
                                 [&](const OpInfo::Constraint& one) { return one.id == id; });
  if (renamed.now.empty()) {
    return id + " is gone since " + renamed.since + ": it was " + renamed.gone;
  }
  if (!still) return id + " is called " + Listed(renamed.now) + " since " + renamed.since;
  std::vector<std::string> others;
  for (const std::string& now : renamed.now) {
    if (now != id) others.push_back(now);
  }
  // It kept a part of what it said, or its name went to another constraint.
  return others.size() < renamed.now.size()
             ? id + " is divided since " + renamed.since + ": see also " + Listed(others)
             : "before " + renamed.since + ", " + id + " was what is called " + Listed(others) +
                   " now";
}

std::string ConstraintText(const OpInfo::Constraint& one, const Painter& paint, size_t width) {
  std::string text = paint(Style::kBold, one.id) + "\n";
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](std::string_view label, const std::string& value) {
    if (!value.empty()) rows.push_back({paint(Style::kGrey, label), Printable(value)});
  };
  add("port", one.port);
  add("needs", one.text);
  add("rows", Listed(one.groups));
  add("holds on", RangeText(one.since, one.until, one.archs));
  std::string breach(ConsequenceName(one.consequence));
  if (!one.measured_since.empty()) {
    breach = absl::StrCat(std::string(ConsequenceName(one.measured_consequence)), " from SDK ",
                          one.measured_since, " on, where it was measured");
  }
  add("breach", breach);
  add("note", one.note);
  add("sources", Listed(one.sources));
  add("profile", one.profile);
  if (const Rule* rule = FindRule(one.rule)) {
    add("rule", absl::StrCat(std::string(rule->code), " ", std::string(rule->slug),
                             "; quantgate explain ", std::string(rule->code), " shows it in full"));
  }
  return text + Table(rows, 2, width);
}

std::string RowText(const OpInfo::Variant& row, const Painter& paint, size_t width) {
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](std::string_view label, const std::string& value) {
    if (!value.empty()) rows.push_back({paint(Style::kGrey, label), Printable(value)});
  };
  std::vector<std::string> ports;
  for (const auto& dtypes : row.dtypes) ports.push_back(dtypes.empty() ? "-" : Join(dtypes, "|"));
  add("dtypes", Listed(ports));
  add("holds on", RangeText(row.since, row.until, row.archs));
  add("verdict", std::string(ConsequenceName(row.consequence)));
  add("sources", Listed(row.sources));
  return paint(Style::kBold, row.id) + "\n" + Table(rows, 2, width);
}

Json FoundJson(const std::string& id, const Entries& found) {
  Json json = JsonHead();
  json["id"] = id;
  json["renamed"] = nullptr;
  if (found.renamed) {
    json["renamed"] = {{"since", found.renamed->since},
                       {"now", found.renamed->now},
                       {"gone", found.renamed->gone}};
  }
  json["constraints"] = Json::array();
  for (const auto& one : found.constraints) json["constraints"].push_back(ConstraintJson(one));
  json["rows"] = Json::array();
  for (const auto& one : found.rows) json["rows"].push_back(RowJson(one));
  return json;
}

}  // namespace

bool LooksLikeId(std::string_view text) {
  const std::vector<std::string> backends = Database::Embedded().Backends();
  return std::any_of(backends.begin(), backends.end(),
                     [&](const std::string& backend) { return text.starts_with(backend + "/"); });
}

int ExplainId(const std::string& id, Format format, const ColorFlag& color) {
  const absl::StatusOr<Entries> found = Database::Embedded().FindById(id);
  if (!found.ok()) return Fail(found.status());
  absl::StatusOr<Output> output = Output::Open("");
  const absl::StatusOr<bool> colored = color.Decide(*output);
  if (!colored.ok()) return Fail(colored.status());
  const auto width = static_cast<size_t>(TextWidth(*output));
  const Painter paint(*colored);
  if (format == Format::kJson) {
    output->Write(FoundJson(id, *found).dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  } else {
    std::string text;
    if (found->renamed) text += Printable(RenamedText(id, *found)) + "\n";
    for (const auto& one : found->constraints) {
      text += (text.empty() ? "" : "\n") + ConstraintText(one, paint, width);
    }
    for (const auto& one : found->rows) text += RowText(one, paint, width);
    output->Write(text);
  }
  if (const absl::Status status = output->Commit(); !status.ok()) return Fail(status);
  return kFine;
}

}  // namespace quantgate::cli
