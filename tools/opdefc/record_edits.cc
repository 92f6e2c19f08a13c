#include "tools/opdefc/record_edits.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/base/absl_view.h"
#include "core/database/view.h"
#include "core/oracle/comparison.h"
#include "nlohmann/json.hpp"
#include "quantgate/text.h"
#include "quantgate/validator.h"

namespace quantgate::opdefs {
namespace {

using Json = nlohmann::ordered_json;
using verify::Agreement;
using verify::Failure;
using verify::RecordedOp;
using verify::Stage;

// "htp/Conv2d#INT8.1" -> "htp/Conv2d", "#INT8.1"; of a constraint "in[1]/symmetric".
std::pair<std::string, std::string> Divided(const std::string& id) {
  const size_t row = id.find('#');
  if (row != id.npos) return {id.substr(0, row), id.substr(row)};
  const size_t slash = id.find('/', id.find('/') + 1);
  return {id.substr(0, slash), id.substr(slash + 1)};
}

// A datatype for each declared port, "" for an absent one; nothing where the tensors of a variadic
// port differ.
std::optional<std::vector<std::string>> Columns(const OpInfo& op, const Model& model) {
  std::vector<std::string> columns;
  const quantgate::Node& node = model.nodes.front();
  const auto add = [&](const std::vector<OpInfo::Port>& ports, const auto& ids) {
    for (size_t i = 0; i < ports.size(); ++i) {
      std::set<std::string> dtypes;
      for (size_t at = i; at < ids.size() && (at == i || ports[i].variadic); ++at) {
        if (ids[at] == kNoTensor) continue;
        dtypes.insert(std::string(DtypeName(model.tensors[static_cast<size_t>(ids[at])].dtype)));
      }
      if (dtypes.size() > 1) return false;
      columns.push_back(dtypes.empty() ? "" : *dtypes.begin());
    }
    return true;
  };
  if (!add(op.inputs, node.inputs) || !add(op.outputs, node.outputs)) return std::nullopt;
  return columns;
}

size_t MatchingColumns(const OpInfo::Variant& row, const std::vector<std::string>& columns) {
  size_t count = 0;
  for (size_t i = 0; i < columns.size() && i < row.dtypes.size(); ++i) {
    const auto& taken = row.dtypes[i];
    count += columns[i].empty() ? taken.empty()
                                : std::find(taken.begin(), taken.end(), columns[i]) != taken.end();
  }
  return count;
}

// Where something is known of the op: the record's target, or the same with a neighbouring SDK.
class Knowledge {
 public:
  Knowledge(Target target, const Database& database)
      : database_(database),
        validator_(std::move(target), {.route = std::string(kDirectRoute)}, database) {}

  const Target& target() const { return validator_.target(); }
  Report Check(const Model& model) const { return validator_.Check(model); }
  std::optional<OpInfo> Query(const std::string& op) const {
    auto info = database_.Query(op, target());
    if (!info.ok()) return std::nullopt;
    return *std::move(info);
  }
  // The id of the row that takes the op's datatypes; "" = none.
  std::string RowOf(const Model& model) const {
    const auto info = Query(model.nodes.front().op.str());
    const auto columns = info ? Columns(*info, model) : std::nullopt;
    if (!columns) return "";
    for (const OpInfo::Variant& row : info->variants) {
      if (MatchingColumns(row, *columns) == columns->size()) return row.id;
    }
    return "";
  }
  bool Has(const std::string& constraint, const std::string& op) const {
    const auto info = Query(op);
    return info && std::any_of(info->constraints.begin(), info->constraints.end(),
                               [&](const OpInfo::Constraint& one) { return one.id == constraint; });
  }

 private:
  const Database& database_;
  const Validator validator_;
};

// A missing row of datatypes has an id like a constraint.
bool IsRows(const Finding& finding) { return finding.constraint.str().ends_with("/rows"); }

// The one constraint behind the verdict; "" where there are several, or a rule that is none.
std::string OnlyConstraint(const Report& report) {
  std::set<std::string> ids;
  for (const Finding& f : report.findings) {
    if (f.consequence != report.nodes.front().verdict) continue;
    ids.insert(IsRows(f) ? "" : f.constraint.str());
  }
  return ids.size() == 1 ? *ids.begin() : "";
}

// Whether nothing but the missing of a row of datatypes speaks against the op.
bool OnlyRowIsMissing(const Report& report) {
  return std::all_of(report.findings.begin(), report.findings.end(), [&](const Finding& f) {
    return f.consequence != report.nodes.front().verdict || IsRows(f);
  });
}

std::string Said(const RecordedOp& op) {
  for (const Stage stage : {Stage::kExecute, Stage::kPrepare, Stage::kValidate}) {
    const verify::StageAnswer& answer = op.answer[stage];
    if (answer.outcome == verify::Outcome::kNotQueried) continue;
    if (stage == Stage::kExecute && op.judgement.values == verify::Values::kWrong) {
      return "wrong values";
    }
    return absl::StrCat(Absl(verify::StageName(stage)), " ", verify::OutcomeText(stage, answer));
  }
  return "nothing";
}

class Reader {
 public:
  Reader(const verify::Record& record, const Database& database, Target target)
      : record_(record), database_(database), here_(std::move(target), database) {
    const std::vector<std::string> sdks = database.Sdks(record.backend);
    for (const std::string& sdk : sdks) {
      const SdkKey key = ParseSdk(sdk).value_or(0), own = here_.target().sdk_key();
      if (key < own) before_ = Neighbour(sdk);
      if (key == own) known_sdk_ = true;
      if (key > own && !after_) after_ = Neighbour(sdk);
    }
    const std::string device = !record.soc.empty() ? record.soc : record.arch;
    title_ = absl::StrCat(Printable(record.library, 60), record.build_id.empty() ? "" : " ",
                          Printable(record.build_id, 60), device.empty() ? "" : ", ", device, ": ",
                          absl::StrJoin(record.queried, ", ",
                                        [](std::string* out, Stage stage) {
                                          absl::StrAppend(out, Absl(verify::StageName(stage)));
                                        }),
                          "; measured by others");
    source_ = absl::StrCat("reported-", here_.target().sdk(), "-",
                           absl::AsciiStrToLower(device.empty() ? record.backend : device));
    std::set<std::string_view> ids;
    for (const auto& row : database.view().sources()) {
      ids.insert(database.view().str(row.id));
      if (database.view().str(row.title) == title_) alike_.emplace(database.view().str(row.id));
    }
    const std::string first = source_;
    for (int i = 2; ids.contains(source_); ++i) source_ = absl::StrCat(first, "-", i);
  }

  RecordEdits Run() {
    for (size_t i = 0; i < record_.ops.size(); ++i) {
      Read(record_.ops[i], absl::StrCat("ops[", i, "]"));
    }
    RecordEdits out;
    std::vector<Json> facts = Facts();
    if (!facts.empty() || !confirmed_.empty()) {
      out.edits.push_back(Source());
      if (!facts.empty() && !known_sdk_) {
        out.edits.push_back({{"why", absl::StrCat("facts begin with ", here_.target().sdk())},
                             {"backend", record_.backend},
                             {"sdk", here_.target().sdk()}});
      }
      out.edits.insert(out.edits.end(), facts.begin(), facts.end());
    }
    out.remarks.push_back(
        absl::StrCat(agreeing_, " of ", configurations_, " configurations as the database says"));
    for (const auto& [text, seen] : unexplained_) {
      out.remarks.push_back(absl::StrCat(text, ": ", Times(seen), seen.message.empty() ? "" : ": ",
                                         Printable(seen.message, 160)));
    }
    return out;
  }

 private:
  struct Seen {
    size_t count = 0;
    std::string first, message;
  };
  struct NewRow {
    std::string op, group;
    bool computed = false;
    Seen seen;
  };

  std::unique_ptr<const Knowledge> Neighbour(const std::string& sdk) const {
    auto target = Target::Parse({record_.backend, sdk, record_.soc, record_.arch}, database_);
    if (!target.ok()) return nullptr;
    return std::make_unique<const Knowledge>(*std::move(target), database_);
  }

  void Read(const RecordedOp& op, const std::string& place) {
    const Report report = here_.Check(op.model);
    const Consequence verdict = report.nodes.front().verdict;
    const Failure seen = verify::SeenFailure(op.answer, op.judgement);
    const Stage deepest = *std::max_element(record_.queried.begin(), record_.queried.end());
    const Agreement agreement = verify::Compare(verdict, op.answer, op.judgement, deepest);
    ++configurations_;
    if (agreement == Agreement::kAgrees) {
      ++agreeing_;
      Confirm(seen == Failure::kNone ? here_.RowOf(op.model) : OnlyConstraint(report));
      return;
    }
    if (agreement == Agreement::kUnknown || IsNoOp(report)) {
      const std::string reason = report.nodes.front().reason.str();
      return Explain(op, place, absl::StrCat("unknown to the database: ", reason));
    }
    const std::string differs = absl::StrCat("contradiction: the database says ",
                                             Absl(ConsequenceName(verdict)), Causes(report));
    const bool row_missing = seen == Failure::kNone && OnlyRowIsMissing(report);
    if (!known_sdk_ && after_ != nullptr) {
      return Explain(op, place, absl::StrCat(differs, ", and an edit needs ", here_.target().sdk(),
                                             " among the `sdks` of ", record_.backend));
    }
    if (Extend(op, seen, row_missing, place) || (row_missing && AddRow(op, place))) return;
    Explain(op, place, differs);
  }

  // Whether the backend has no op of that name: refused for that alone.
  static bool IsNoOp(const Report& report) {
    return std::any_of(report.findings.begin(), report.findings.end(), [](const Finding& f) {
      return f.rule->slug == "op-not-in-target" && f.found == f.op;
    });
  }

  static std::string Causes(const Report& report) {
    std::set<std::string> causes;
    for (const Finding& f : report.findings) {
      if (f.consequence != report.nodes.front().verdict) continue;
      causes.insert(f.constraint.empty() ? std::string(f.rule->code) : f.constraint.str());
    }
    return causes.empty() ? "" : absl::StrCat(" (", absl::StrJoin(causes, ", "), ")");
  }

  void Explain(const RecordedOp& op, const std::string& place, const std::string& why) {
    const std::string name = Printable(op.model.nodes.front().op, 60);
    const std::string text = absl::StrCat(name, ", ", Said(op), ": ", Printable(why, 300));
    Count(unexplained_[text], op, place);
  }

  static void Count(Seen& seen, const RecordedOp& op, const std::string& place) {
    if (seen.count++ > 0) return;
    seen.first = place;
    for (const verify::StageAnswer& answer : op.answer.stages) {
      if (seen.message.empty()) seen.message = answer.message;
    }
  }

  void Confirm(const std::string& id) {
    if (id.empty()) return;
    const auto entries = database_.FindById(id);
    if (!entries.ok() || entries->renamed) return;
    const auto& sources = entries->rows.empty() ? entries->constraints.front().sources
                                                : entries->rows.front().sources;
    const bool known = std::any_of(sources.begin(), sources.end(),
                                   [&](const std::string& one) { return alike_.contains(one); });
    const auto [op, own] = Divided(id);
    if (!known) confirmed_[op].insert(own);
  }

  // A row or constraint of the SDK before or after that says what the library says.
  bool Extend(const RecordedOp& op, Failure seen, bool row_missing, const std::string& place) {
    for (const Knowledge* other : {before_.get(), after_.get()}) {
      if (other == nullptr) continue;
      const Report report = other->Check(op.model);
      const Consequence verdict = report.nodes.front().verdict;
      if (verdict == Consequence::kUnchecked || verify::ExpectedFailure(verdict) != seen) continue;
      const std::string id = seen == Failure::kNone ? other->RowOf(op.model) : OnlyConstraint(report);
      if (id.empty() || (seen == Failure::kNone && !row_missing)) continue;
      if (seen != Failure::kNone && here_.Has(id, op.model.nodes.front().op.str())) continue;
      auto& extended = extended_[id];
      extended.first = other == before_.get();
      Count(extended.second, op, place);
      Confirm(id);
      return true;
    }
    return false;
  }

  bool AddRow(const RecordedOp& op, const std::string& place) {
    const std::string name = op.model.nodes.front().op.str();
    const auto info = database_.QueryEverySdk(name, record_.backend);
    if (!info.ok() || info->variants.empty()) return false;
    auto columns = Columns(*info, op.model);
    if (!columns) return false;
    const auto nearest = std::max_element(
        info->variants.begin(), info->variants.end(), [&](const auto& a, const auto& b) {
          return MatchingColumns(a, *columns) < MatchingColumns(b, *columns);
        });
    for (std::string& column : *columns) {
      if (column.empty()) column = "-";
    }
    NewRow& row = rows_[{name, absl::StrJoin(*columns, " ")}];
    row.group = nearest->group;
    row.computed |= op.judgement.values == verify::Values::kRight;
    Count(row.seen, op, place);
    return true;
  }

  Json Source() const {
    Json source = {
        {"id", source_}, {"kind", "reported"}, {"sdk", here_.target().sdk()}, {"title", title_}};
    if (!confirmed_.empty()) source["confirms"] = confirmed_;
    return {{"why", absl::StrCat(agreeing_, " of ", configurations_, " configurations agree")},
            {"source", source}};
  }

  static std::string Times(const Seen& seen) {
    if (seen.count == 1) return seen.first;
    return absl::StrCat(seen.count, " configurations, the first is ", seen.first);
  }

  // Ranges and rows.
  std::vector<Json> Facts() const {
    std::vector<Json> facts;
    const std::string sdk = here_.target().sdk();
    const std::string next = after_ == nullptr ? "" : after_->target().sdk();
    const std::string& arch = here_.target().arch();
    for (const auto& [id, extended] : extended_) {
      const auto [op, own] = Divided(id);
      const auto& [ended, seen] = extended;
      facts.push_back({{"why", absl::StrCat(sdk, " ", arch, " has ", own, " too: ", Times(seen))},
                       {"backend", record_.backend},
                       {"op", op.substr(op.find('/') + 1)},
                       {ended ? "until" : "since", {{"id", own}, {"sdk", ended ? next : sdk}}}});
    }
    for (const auto& [key, row] : rows_) {
      Json body = {{"section", absl::StrCat("measured ", sdk, "..", next)},
                   {"group", row.group},
                   {"row", key.second},
                   {"sources", Json::array({source_})}};
      if (!arch.empty()) body["arch"] = Json::array({arch});
      if (!row.computed) body["verdict"] = "undocumented";
      const char* numbers = row.computed ? "; computed right" : "; nobody looked at the numbers";
      facts.push_back({{"why", absl::StrCat("accepted: ", Times(row.seen), numbers)},
                       {"backend", record_.backend},
                       {"op", key.first},
                       {"add_row", body}});
    }
    return facts;
  }

  const verify::Record& record_;
  const Database& database_;
  const Knowledge here_;
  std::unique_ptr<const Knowledge> before_, after_;  // the nearest known SDKs
  bool known_sdk_ = false;
  std::string title_, source_;
  std::set<std::string, std::less<>> alike_;  // sources of the same title
  size_t configurations_ = 0, agreeing_ = 0;
  std::map<std::string, std::set<std::string>> confirmed_;  // by "htp/Conv2d"
  std::map<std::string, std::pair<bool, Seen>> extended_;   // by id; true = it ended before
  std::map<std::pair<std::string, std::string>, NewRow> rows_;  // by op and datatypes
  std::map<std::string, Seen> unexplained_;
};

}  // namespace

absl::StatusOr<RecordEdits> EditsOfRecord(const verify::Record& record, const Database& database) {
  absl::StatusOr<Target> target =
      Target::Parse({record.backend, record.sdk, record.soc, record.arch}, database);
  if (!target.ok()) return target.status();
  return Reader(record, database, *std::move(target)).Run();
}

}  // namespace quantgate::opdefs
