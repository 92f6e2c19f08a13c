#include "tools/quantgate/show/fix_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "quantgate/text.h"
#include "quantgate/version.h"

namespace quantgate::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kNameColumns = 60;

std::string Place(const Finding& f) {
  std::string place = Printable(f.node, kNameColumns);
  if (!f.port.empty()) place += " " + f.port;
  return place;
}

// "2 rejected, 1 wrong_values"
std::string Verdicts(const Report& report) {
  std::string text;
  for (int i = 1; i < kConsequenceCount; ++i) {
    const auto consequence = static_cast<Consequence>(i);
    const int64_t count = report.counts[static_cast<size_t>(i)];
    if (count == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, ConsequenceName(consequence));
  }
  return text.empty() ? "all accepted" : text;
}

class Writer {
 public:
  explicit Writer(const FixTextOptions& options)
      : paint_(options.color), width_(static_cast<size_t>(options.width)) {}

  void Line(std::string_view text = {}) {
    out_ += text;
    out_ += '\n';
  }
  // `text` under a column, wrapped.
  void Under(size_t indent, std::string_view text, Style style) {
    const size_t room = width_ > indent + 20 ? width_ - indent : 20;
    for (const std::string& line : Wrap(Printable(text), room)) {
      Line(std::string(indent, ' ') + paint_(style, line));
    }
  }
  const Painter& paint() const { return paint_; }
  std::string Take() { return std::move(out_); }

 private:
  Painter paint_;
  size_t width_;
  std::string out_;
};

// Outcomes that differ in their node only stand together.
void WriteOutcomes(const std::vector<FixOutcome>& outcomes, Style mark, std::string_view sign,
                   Writer& out) {
  std::vector<std::pair<std::pair<std::string, std::string>, std::vector<const FixOutcome*>>> groups;
  for (const FixOutcome& outcome : outcomes) {
    const std::pair key(std::string(outcome.finding.rule->code), outcome.reason);
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const auto& other) { return other.first == key; });
    if (group == groups.end()) group = groups.insert(groups.end(), {key, {}});
    group->second.push_back(&outcome);
  }
  for (const auto& [key, members] : groups) {
    const Finding& f = members[0]->finding;
    std::string head =
        fmt::format("{} {}  {} {}", out.paint()(mark, sign),
                    out.paint()(Style::kPlain, key.first, /*bold=*/true),
                    PadRight(std::string(ConsequenceName(f.consequence)), 13), Place(f));
    if (members.size() > 1) head += fmt::format(" and {} more", members.size() - 1);
    out.Line(head);
    out.Under(11, key.second, Style::kGrey);
  }
}

void WriteDiff(const FixSummary& reported, Writer& out) {
  const Painter& paint = out.paint();
  out.Line(paint(Style::kRed, "--- " + Printable(reported.input)));
  out.Line(paint(Style::kGreen, "+++ " + (reported.output.empty() ? std::string("(not written)")
                                                              : Printable(reported.output))));
  for (const TensorChange& change : reported.result.changes) {
    std::string head = fmt::format("@@ tensor \"{}\"", Printable(change.tensor));
    if (change.is_static) {
      head += change.moved == 0
                  ? "  no stored integer changes"
                  : fmt::format("  {} stored integer{} change{}, real values by at most {:.3g}",
                                change.moved, change.moved == 1 ? "" : "s",
                                change.moved == 1 ? "s" : "", change.error);
    }
    out.Line(paint(Style::kCyan, head));
    out.Line(paint(Style::kRed, "-  " + QuantizedTypeText(change.from)));
    out.Line(paint(Style::kGreen, "+  " + QuantizedTypeText(change.to)));
  }
  for (const InsertedTensor& inserted : reported.result.insertions) {
    out.Line(paint(Style::kCyan,
                   fmt::format("@@ node \"{}\" {}", Printable(inserted.node), inserted.port)));
    out.Line(paint(Style::kRed, fmt::format("-  \"{}\" in float", Printable(inserted.tensor))));
    out.Line(paint(Style::kGreen, fmt::format("+  \"{}\" {}", Printable(inserted.quantized),
                                              QuantizedTypeText(inserted.type))));
  }
}

Json RealsOf(const Encoding& e) {
  Json list = Json::array();
  for (const float scale : e.scales) list.push_back(Json::parse(fmt::format("{}", scale)));
  return list;
}

// As Model JSON writes it.
Json EncodingJson(const Encoding& e) {
  if (e.kind == EncodingKind::kPerTensor) {
    return {{"perTensor", {{"scale", RealsOf(e)[0]}, {"zeroPoint", e.zero_points.empty() ? 0 : e.zero_points[0]}}}};
  }
  Json zeros = Json::array();
  for (const int32_t zero : e.zero_points) zeros.push_back(zero);
  return {
      {"perChannel", {{"axis", e.axis}, {"scales", RealsOf(e)}, {"zeroPoints", std::move(zeros)}}}};
}

Json EditsJson(const FixResult& result) {
  Json edits = Json::array();
  const auto set = [&](const std::string& path, Json value) {
    edits.push_back({{"op", "set"}, {"path", path}, {"value", std::move(value)}});
  };
  for (const TensorChange& change : result.changes) {
    if (change.from.dtype != change.to.dtype) {
      set("tensors/" + change.tensor + "/dtype", DtypeName(change.to.dtype));
    }
    set("tensors/" + change.tensor + "/encoding", EncodingJson(change.to.encoding));
  }
  for (const InsertedTensor& inserted : result.insertions) {
    const bool input = inserted.port.starts_with("in");
    const std::string port = inserted.port.substr(input ? 3 : 4);
    edits.push_back(
        {{"op", "insert"},
         {"path", fmt::format("nodes/{}/{}/{}", inserted.node, input ? "inputs" : "outputs",
                              port.substr(0, port.size() - 1))},
         {"value",
          {{"tensor", inserted.tensor},
           {"quantized", inserted.quantized},
           {"dtype", DtypeName(inserted.type.dtype)},
           {"encoding", EncodingJson(inserted.type.encoding)}}}});
  }
  return edits;
}

Json OutcomesJson(const std::vector<FixOutcome>& outcomes, const char* reason) {
  Json list = Json::array();
  for (const FixOutcome& outcome : outcomes) {
    const Finding& f = outcome.finding;
    list.push_back({{"code", f.rule->code},
                    {"rule", f.rule->slug},
                    {"consequence", ConsequenceName(f.consequence)},
                    {"node", f.node},
                    {"op", f.op},
                    {"port", f.port},
                    {"tensor", f.tensor},
                    {"message", f.message},
                    {reason, outcome.reason}});
  }
  return list;
}

Json SummaryJson(const Report& report) {
  Json summary;
  summary["nodes"] = report.nodes.size();
  for (int i = 0; i < kConsequenceCount; ++i) {
    summary[std::string(ConsequenceName(static_cast<Consequence>(i)))] =
        report.counts[static_cast<size_t>(i)];
  }
  summary["verdict"] = ConsequenceName(report.verdict);
  summary["failed"] = report.failed;
  return summary;
}

}  // namespace

std::string FixText(const FixSummary& reported, const FixTextOptions& options) {
  const FixResult& result = reported.result;
  Writer out(options);
  const Painter& paint = out.paint();
  if (options.diff) {
    if (result.changed()) {
      WriteDiff(reported, out);
      out.Line();
    }
  } else if (!result.fixed.empty()) {
    out.Line(paint(Style::kPlain, "fixed", /*bold=*/true));
    WriteOutcomes(result.fixed, Style::kGreen, "✓", out);
    out.Line();
  }
  if (!options.diff && !result.left.empty()) {
    out.Line(paint(Style::kPlain, "left", /*bold=*/true));
    WriteOutcomes(result.left, Style::kYellow, "·", out);
    out.Line();
  }
  out.Line(
      fmt::format("{} of {} fixed by {} on {}", result.fixed.size(),
                  Counted(result.before.findings.size(), "finding"),
                  Counted(result.changes.size() + result.insertions.size(), "edit"),
                  Printable(reported.input)));
  out.Line(fmt::format("before  {}", Verdicts(result.before)));
  out.Line(fmt::format("after   {}", Verdicts(result.after)));
  if (reported.verification) out.Line("verify  " + Printable(RunComparisonText(*reported.verification)));
  if (!reported.output.empty()) {
    out.Line(fmt::format("{} {}", paint(Style::kGrey, "written"), Printable(reported.output)));
  } else {
    out.Line(paint(Style::kGrey, "nothing is written without -o"));
  }
  return out.Take();
}

std::string FixJson(const FixSummary& reported) {
  const FixResult& result = reported.result;
  Json json;
  json["schemaVersion"] = kJsonSchemaVersion;
  json["tool"] = {{"name", "quantgate"}, {"version", QUANTGATE_VERSION}};
  json["model"] = reported.input;
  json["output"] = reported.output;
  const Report& after = result.after;
  json["target"] = {
      {"backend", after.backend}, {"sdk", after.sdk}, {"arch", after.arch}, {"soc", after.soc}};
  json["route"] = after.route;
  json["edits"] = EditsJson(result);
  json["mended"] = OutcomesJson(result.fixed, "by");
  json["left"] = OutcomesJson(result.left, "why");
  json["before"] = SummaryJson(result.before);
  json["after"] = SummaryJson(after);
  if (reported.verification) {
    const RunComparison& v = *reported.verification;
    json["verified"] = v.not_compared.empty()
                           ? Json{{"difference", v.difference}, {"noise", v.noise}}
                           : Json{{"not_compared", v.not_compared}};
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace quantgate::cli
