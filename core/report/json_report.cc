// The report as JSON. Nodes and findings are written one by one, so a report of a million
// nodes never exists as a tree of JSON values.
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "core/report/as_run_json.h"
#include "core/report/json_writer.h"
#include "core/report/reporters.h"
#include "quantgate/version.h"

namespace quantgate {
namespace {

using Json = nlohmann::ordered_json;

// The members of the report, each on a line of its own.
class Writer {
 public:
  explicit Writer(int indent) : indent_(indent) { text_ = "{"; }

  void Field(std::string_view key, const Json& value) {
    Key(key);
    text_ += Dump(value, -1);
  }

  // `write` is called for each item; each stands on a line of its own, spread over several when
  // `spread`.
  template <typename Items, typename Write>
  void List(std::string_view key, const Items& items, bool spread, Write write) {
    Key(key);
    text_ += '[';
    bool first = true;
    for (const auto& item : items) {
      if (!std::exchange(first, false)) text_ += ',';
      Break(2);
      JsonWriter writer(text_, spread ? indent_ : 0, 2);
      write(item, writer);
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

void WriteFix(const Fix& fix, JsonWriter& writer) {
  writer.Begin('{');
  writer.Field("summary", fix.summary);
  writer.Field("safe", fix.safe);
  writer.Key("edits");
  writer.Begin('[');
  for (const Edit& edit : fix.edits) {
    writer.Next();
    writer.Begin('{');
    writer.Field("op", edit.op);
    writer.Field("path", edit.path);
    if (!edit.value.empty()) {
      const Json value = Json::parse(edit.value, nullptr, /*allow_exceptions=*/false);
      writer.Key("value");
      writer.Tree(value.is_discarded() ? Json(edit.value) : value);
    }
    writer.End('}');
  }
  writer.End(']');
  writer.End('}');
}

// `suppression` may be null.
void WriteFinding(const Finding& finding, const Suppression* suppression, JsonWriter& writer) {
  writer.Begin('{');
  writer.Field("code", finding.rule->code);
  writer.Field("rule", finding.rule->slug);
  writer.Field("constraint", finding.constraint);
  writer.Field("consequence", ConsequenceName(finding.consequence));
  writer.Field("level", LevelName(finding.level));
  writer.Field("group", FindingGroup(finding));
  writer.Field("node", finding.node);
  writer.Field("op", finding.op);
  if (finding.op_index >= 0) writer.Field("opIndex", finding.op_index);
  writer.Field("port", finding.port);
  writer.Field("tensor", finding.tensor);
  writer.Field("message", finding.message);
  writer.Field("found", finding.found);
  writer.Field("allowed", finding.allowed);
  if (finding.lost_bits > 0) {
    writer.Key("lostBits");
    writer.Tree(finding.lost_bits);
  }
  writer.Key("fixes");
  writer.Begin('[');
  for (const Fix& fix : finding.fixes) {
    writer.Next();
    WriteFix(fix, writer);
  }
  writer.End(']');
  writer.Strings("sources", *finding.sources);
  writer.Strings("related", finding.related);
  if (!finding.waived.empty()) writer.Field("waived", finding.waived);
  if (suppression != nullptr) {
    writer.Key("suppressed");
    writer.Begin('{');
    writer.Field("by", SuppressionName(suppression->by));
    writer.Field("reason", suppression->reason);
    writer.End('}');
  }
  writer.End('}');
}

void WriteNode(const NodeReport& node, JsonWriter& writer) {
  writer.Begin('{');
  writer.Field("name", node.name);
  writer.Field("op", node.op);
  writer.Strings("resolved", node.resolved);
  writer.Field("verdict", ConsequenceName(node.verdict));
  if (!node.into.empty()) writer.Field("into", node.into);
  if (!node.reason.empty()) writer.Field("reason", node.reason);
  writer.End('}');
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
  writer.List("nodes", report.nodes, /*spread=*/false, WriteNode);
  writer.List("findings", report.findings, /*spread=*/true,
              [&](const Finding& finding, JsonWriter& json) {
                WriteFinding(finding, checked == nullptr ? nullptr : checked->SuppressionOf(finding),
                             json);
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
