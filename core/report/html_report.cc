// One self-contained page for all models of a run. It carries the reports as JSON; its script
// (core/report/web) draws them.
#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/report/reporters.h"
#include "core/report/web.h"
#include "core/report/words.h"
#include "quantgate/text.h"
#include "quantgate/version.h"

namespace quantgate {
namespace {

using Json = nlohmann::ordered_json;

// Ranges of one tensor that the page draws; more channels share them.
constexpr size_t kMostBars = 36;

// Text inside of a <script>: no "<" may begin a tag or a comment.
void AppendJson(std::string& text, const Json& value) {
  for (const char c : value.dump(-1, ' ', false, Json::error_handler_t::replace)) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
}

template <typename Values, typename At>
Json LeastAndMost(const Values& values, At at) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return {at(*least), at(*most)};
}

// Smallest and largest real value of each channel, or of runs of channels.
void AddRanges(const Tensor& tensor, Json& json) {
  const Encoding& encoding = tensor.encoding;
  const size_t count = encoding.scales.size();
  const size_t bars = std::min(count, kMostBars);
  const int bitwidth = std::clamp(encoding.bitwidth, 0, BitsOf(tensor.dtype));
  const auto low_stored = static_cast<double>(StoredMin(tensor.dtype, bitwidth));
  const auto high_stored = static_cast<double>(StoredMax(tensor.dtype, bitwidth));
  const int64_t symmetric = SymmetricZeroPoint(tensor.dtype, bitwidth);
  int32_t factor = 1;
  for (const int32_t scale : encoding.block_scales) factor = std::max(factor, scale);
  Json low = Json::array(), high = Json::array(), odd_at = Json::array();
  size_t odd = 0;
  for (size_t bar = 0; bar < bars; ++bar) {
    double least = 0, most = 0;
    bool is_odd = false;
    const size_t begin = bar * count / bars, end = (bar + 1) * count / bars;
    for (size_t i = begin; i < end; ++i) {
      const int32_t zero = encoding.zero_points.empty() ? 0
                           : encoding.zero_points.size() == 1
                               ? encoding.zero_points[0]
                               : encoding.zero_points[std::min(i, encoding.zero_points.size() - 1)];
      const double scale = double{encoding.scales[i]} * factor;
      const double a = scale * (low_stored - zero), b = scale * (high_stored - zero);
      least = i == begin ? a : std::min(least, a);
      most = i == begin ? b : std::max(most, b);
      if (zero != symmetric && encoding.kind != EncodingKind::kPerTensor) {
        ++odd;
        is_odd = true;
      }
    }
    low.push_back(least);
    high.push_back(most);
    if (is_odd) odd_at.push_back(bar);
  }
  json["low"] = std::move(low);
  json["high"] = std::move(high);
  if (odd > 0) {
    json["odd"] = odd;
    json["oddAt"] = std::move(odd_at);
  }
}

Json EncodingJson(const Tensor& tensor) {
  const Encoding& encoding = tensor.encoding;
  Json json = {{"kind", EncodingKindName(encoding.kind)}, {"count", encoding.scales.size()}};
  if (encoding.bitwidth != 0) json["bitwidth"] = encoding.bitwidth;
  if (encoding.kind == EncodingKind::kPerChannel || encoding.kind == EncodingKind::kLpbq) {
    json["axis"] = encoding.axis;
  }
  if (encoding.scales.empty()) return json;
  json["scale"] = LeastAndMost(encoding.scales, [](float scale) { return double{scale}; });
  json["zero"] = {0, 0};
  if (!encoding.zero_points.empty()) {
    json["zero"] = LeastAndMost(encoding.zero_points, [](int32_t zero) { return zero; });
  }
  if (IsFixedPoint(tensor.dtype)) AddRanges(tensor, json);
  return json;
}

Json TensorJson(const Tensor& tensor) {
  Json json = {{"name", Name(tensor.name)}, {"dtype", DtypeName(tensor.dtype)}};
  json["dims"] = nullptr;
  if (!tensor.unknown_rank) {
    json["dims"] = Json::array();
    for (const int64_t dim : tensor.dims) json["dims"].push_back(dim);
  }
  if (tensor.is_static) json["static"] = true;
  if (tensor.encoding->kind != EncodingKind::kNone) json["encoding"] = EncodingJson(tensor);
  return json;
}

Json FindingJson(const Checked& checked, const Finding& finding) {
  Json fixes = Json::array();
  for (const Fix& fix : finding.fixes) {
    Json edits = Json::array();
    for (const Edit& edit : fix.edits) {
      edits.push_back(fmt::format("{} {}{}{}", edit.op, Printable(edit.path),
                                  edit.value.empty() ? "" : " = ", Printable(edit.value, 200)));
    }
    fixes.push_back(
        {{"summary", Printable(fix.summary)}, {"safe", fix.safe}, {"edits", std::move(edits)}});
  }
  Json json = {
      {"code", finding.rule->code},
      {"consequence", ConsequenceName(finding.consequence)},
      {"level", LevelName(finding.level)},
      {"nodeIndex", finding.node_index},
      {"op", Name(finding.op)},
      {"opIndex", finding.op_index},
      {"port", Name(finding.port)},
      {"tensor", Name(finding.tensor)},
      {"message", Printable(finding.message)},
      {"found", Printable(finding.found)},
      {"allowed", Printable(finding.allowed)},
      {"effect", fmt::format("{}: {}", ConsequenceName(finding.consequence),
                             Meaning(checked.report, finding))},
      {"because", ReasonText(finding)},
      {"fixes", std::move(fixes)},
      {"related", finding.related}};
  if (std::string reason = SuppressionText(checked, finding); !reason.empty()) {
    json["silenced"] = std::move(reason);
  }
  return json;
}

Json NodeJson(const NodeReport& node) {
  Json json = {
      {"name", Name(node.name)}, {"op", Name(node.op)}, {"verdict", ConsequenceName(node.verdict)}};
  if (!node.location.empty()) json["location"] = Name(node.location);
  return json;
}

class HtmlReporter : public Reporter {
 public:
  explicit HtmlReporter(const ReporterOptions& options) : options_(options) {}

  std::string Add(const Checked& checked) override {
    const Report& report = checked.report;
    Json counts = Json::object();
    for (const Consequence verdict : kWorstFirst) {
      counts[std::string(ConsequenceName(verdict))] = report.counts[static_cast<size_t>(verdict)];
    }
    std::vector<std::string> notes;
    for (const std::string& note : report.notes) notes.push_back(Printable(note));
    Json head = {
        {"model", Name(report.model)},
        {"target",
         {{"backend", report.backend},
          {"sdk", report.sdk},
          {"arch", report.arch},
          {"soc", report.soc},
          {"route", report.route},
          {"mode", ModeName(report.mode)}}},
        {"knowledge", {{"sdk", report.knowledge_sdk}, {"measured", report.measured}}},
        {"basis", BasisText(report)},
        {"verdict", ConsequenceName(report.verdict)},
        {"failed", report.failed},
        {"hidden", checked.hidden},
        {"counts", std::move(counts)},
        {"notes", notes},
    };
    Begin();
    AppendJson(reports_, head);
    reports_.pop_back();  // the brace: lists follow
    List("nodes", report.nodes, NodeJson);
    List("findings", report.findings,
         [&](const Finding& finding) { return FindingJson(checked, finding); });
    if (!checked.graph) {
      reports_ += ",\"graph\":null}";
      return "";
    }
    const Model& graph = checked.graph->model;
    reports_ += ",\"graph\":{\"ops\":[";
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      const Node& op = graph.nodes[i];
      if (i > 0) reports_ += ',';
      AppendJson(reports_, {{"node", checked.graph->source[i]},
                            {"op", Name(op.op)},
                            {"inputs", op.inputs},
                            {"outputs", op.outputs}});
    }
    reports_ += "]";
    List("tensors", graph.tensors, TensorJson);
    reports_ += "}}";
    return "";
  }

  std::string AddUnreadable(std::string_view model, std::string_view place,
                            std::string_view reason) override {
    Begin();
    std::string error = Printable(reason);
    if (!place.empty()) error = Printable(place) + ": " + error;
    AppendJson(reports_, {{"model", Name(model)}, {"error", error}});
    return "";
  }

  std::string Finish() override {
    Json rules = Json::object();
    for (const Rule* rule : options_.rules) {
      rules[std::string(rule->code)] = {
          {"slug", rule->slug}, {"summary", rule->summary}, {"explanation", rule->explanation}};
    }
    std::string data = "{\"rules\":";
    AppendJson(data, rules);
    data += ",\"reports\":[" + reports_ + "\n]}";
    // The texts are put in from left to right: nothing that was put in is looked at again.
    std::string page;
    std::string_view rest = kReportHtml;
    const auto fill = [&](std::string_view mark, std::string_view first,
                          std::string_view second = {}) {
      const size_t at = rest.find(mark);
      page.append(rest.substr(0, at)).append(first).append(second);
      rest.remove_prefix(at + mark.size());
    };
    fill("@version@", QUANTGATE_VERSION);
    fill("@css@", kPageCss, kReportCss);
    fill("@version@", QUANTGATE_VERSION);
    fill("@data@", data);
    fill("@js@", kReportJs);
    return page.append(rest);
  }

 private:
  void Begin() { reports_ += std::exchange(first_, false) ? "\n" : ",\n"; }

  template <typename Items, typename ToJson>
  void List(std::string_view key, const Items& items, ToJson to_json) {
    reports_ += fmt::format(",\"{}\":[", key);
    bool first = true;
    for (const auto& item : items) {
      if (!std::exchange(first, false)) reports_ += ',';
      AppendJson(reports_, to_json(item));
    }
    reports_ += ']';
  }

  const ReporterOptions options_;
  std::string reports_;
  bool first_ = true;
};

}  // namespace

std::unique_ptr<Reporter> MakeHtmlReporter(const ReporterOptions& options) {
  return std::make_unique<HtmlReporter>(options);
}

}  // namespace quantgate
