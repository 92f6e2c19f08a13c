// The report as JSON. Nodes and findings are written one by one, so a report of a million
// nodes never exists as a tree of JSON values.
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "core/report/as_run_json.h"
#include "core/report/reporters.h"
#include "quantgate/version.h"

namespace quantgate {
namespace {

using Json = nlohmann::ordered_json;

// Names come from files and may be any bytes: what isn't UTF-8 becomes U+FFFD.
std::string Dump(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

class Writer {
 public:
  explicit Writer(int indent) : indent_(indent) { text_ = "{"; }

  void Field(std::string_view key, const Json& value) {
    Key(key);
    text_ += Dump(value, -1);
  }

  // `to_json` is called for each item; each stands on a line of its own, spread over several
  // when `spread`.
  template <typename Items, typename ToJson>
  void List(std::string_view key, const Items& items, bool spread, ToJson to_json) {
    Key(key);
    text_ += '[';
    bool first = true;
    for (const auto& item : items) {
      if (!std::exchange(first, false)) text_ += ',';
      Break(2);
      const Json value = to_json(item);
      if (!spread || indent_ == 0) {
        text_ += Dump(value, -1);
        continue;
      }
      // A line feed in dumped JSON is always one between tokens.
      for (const char c : Dump(value, indent_)) {
        if (c == '\n') {
          Break(2);
        } else {
          text_ += c;
        }
      }
    }
    if (!first) Break(1);
    text_ += ']';
  }

  std::string Finish() && {
    Break(0);
    text_ += '}';
    return std::move(text_);
  }

 private:
  void Break(int depth) {
    if (indent_ == 0) return;
    text_ += '\n';
    text_.append(static_cast<size_t>(depth) * static_cast<size_t>(indent_), ' ');
  }

  void Key(std::string_view key) {
    if (!std::exchange(first_, false)) text_ += ',';
    Break(1);
    text_ += '"';
    text_ += key;
    text_ += indent_ == 0 ? "\":" : "\": ";
  }

  int indent_;
  bool first_ = true;
  std::string text_;
};

Json ToJson(const Edit& edit) {
  Json json = {{"op", edit.op}, {"path", edit.path}};
  if (!edit.value.empty()) {
    Json value = Json::parse(edit.value, nullptr, /*allow_exceptions=*/false);
    json["value"] = value.is_discarded() ? Json(edit.value) : std::move(value);
  }
  return json;
}

Json ToJson(const Fix& fix) {
  Json edits = Json::array();
  for (const Edit& edit : fix.edits) edits.push_back(ToJson(edit));
  return {{"summary", fix.summary}, {"safe", fix.safe}, {"edits", std::move(edits)}};
}

Json ToJson(const Finding& finding) {
  Json json = {{"code", finding.rule->code},
               {"rule", finding.rule->slug},
               {"constraint", finding.constraint},
               {"consequence", ConsequenceName(finding.consequence)},
               {"level", LevelName(finding.level)},
               {"group", FindingGroup(finding)},
               {"node", finding.node},
               {"op", finding.op}};
  if (finding.op_index >= 0) json["opIndex"] = finding.op_index;
  json["port"] = finding.port;
  json["tensor"] = finding.tensor;
  json["message"] = finding.message;
  json["found"] = finding.found;
  json["allowed"] = finding.allowed;
  if (finding.lost_bits > 0) json["lostBits"] = finding.lost_bits;
  Json fixes = Json::array();
  for (const Fix& fix : finding.fixes) fixes.push_back(ToJson(fix));
  json["fixes"] = std::move(fixes);
  json["sources"] = finding.sources;
  json["related"] = finding.related;
  if (!finding.waived.empty()) json["waived"] = finding.waived;
  return json;
}

Json ToJson(const NodeReport& node) {
  Json json = {{"name", node.name},
               {"op", node.op},
               {"resolved", node.resolved},
               {"verdict", ConsequenceName(node.verdict)}};
  if (!node.into.empty()) json["into"] = node.into;
  if (!node.reason.empty()) json["reason"] = node.reason;
  return json;
}

// `checked` may be null: all findings count.
std::string Write(const Report& report, const Checked* checked, int indent) {
  Writer writer(indent);
  writer.Field("schemaVersion", kJsonSchemaVersion);
  writer.Field("tool", {{"name", "quantgate"}, {"version", QUANTGATE_VERSION}});
  writer.Field("mode", ModeName(report.mode));
  writer.Field("model", report.model);
  Json target = {{"backend", report.backend}, {"sdk", report.sdk}, {"arch", report.arch}};
  if (!report.soc.empty()) target["soc"] = report.soc;
  writer.Field("target", target);
  writer.Field("route", report.route);
  writer.Field("knowledge", {{"sdk", report.knowledge_sdk}, {"measured", report.measured}});
  Json basis = Json::object();
  for (int i = kBasisCount - 1; i >= 0; --i) {
    basis[std::string(BasisName(static_cast<Basis>(i)))] = report.basis[static_cast<size_t>(i)];
  }
  writer.Field("basis", basis);
  writer.Field("notes", report.notes);
  writer.Field("verdict", ConsequenceName(report.verdict));
  writer.Field("failed", report.failed);
  Json summary = {{"nodes", report.nodes.size()}};
  for (int i = 0; i < kConsequenceCount; ++i) {
    summary[std::string(ConsequenceName(static_cast<Consequence>(i)))] = report.counts[i];
  }
  writer.Field("summary", summary);
  if (checked != nullptr && checked->hidden > 0) writer.Field("hidden", checked->hidden);
  const auto to_json = [](const auto& item) { return ToJson(item); };
  writer.List("nodes", report.nodes, /*spread=*/false, to_json);
  writer.List("findings", report.findings, /*spread=*/true, [&](const Finding& finding) {
    Json json = ToJson(finding);
    const Suppression* suppression = checked == nullptr ? nullptr : checked->SuppressionOf(finding);
    if (suppression != nullptr) {
      json["suppressed"] = {{"by", SuppressionName(suppression->by)},
                            {"reason", suppression->reason}};
    }
    return json;
  });
  if (report.as_run) {
    writer.Field("asRun", AsRunJson(report));
  }
  return std::move(writer).Finish();
}

// An indented document, or a line per model.
class JsonReporter : public Reporter {
 public:
  explicit JsonReporter(const ReporterOptions& options) : only_(options.only) {}
  std::string Add(const Checked& checked) override {
    return ReportJson(checked, checked.report.model == only_ ? 2 : 0) + "\n";
  }
  std::string AddUnreadable(std::string_view model, std::string_view place,
                            std::string_view reason) override {
    return ReportErrorJson(model, place, reason) + "\n";
  }
  std::string Finish() override { return ""; }

 private:
  const std::string only_;
};

}  // namespace

std::string ReportJson(const Report& report, int indent) { return Write(report, nullptr, indent); }

std::string ReportJson(const Checked& checked, int indent) {
  return Write(checked.report, &checked, indent);
}

std::string ReportErrorJson(std::string_view model, std::string_view place,
                            std::string_view message) {
  Writer writer(0);
  writer.Field("schemaVersion", kJsonSchemaVersion);
  writer.Field("model", model);
  writer.Field("error", {{"place", place}, {"message", message}});
  return std::move(writer).Finish();
}

std::unique_ptr<Reporter> MakeJsonReporter(const ReporterOptions& options) {
  return std::make_unique<JsonReporter>(options);
}

}  // namespace quantgate
