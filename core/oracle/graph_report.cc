// A graph compared with what is predicted, as text and as JSON.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "core/oracle/comparison_json.h"
#include "core/oracle/text_columns.h"
#include "core/report/text_page.h"
#include "quantgate/text.h"
#include "quantgate/verify_graph.h"
#include "quantgate/version.h"

namespace quantgate::verify {
namespace {

using Json = nlohmann::ordered_json;

std::array<size_t, 4> CountValues(const Comparison& ops) {
  std::array<size_t, 4> counts{};
  for (const ComparedNode& op : ops.nodes) ++counts[static_cast<size_t>(op.judgement.values)];
  return counts;
}

bool ValuesCompared(const GraphComparison& graph) {
  return graph.judgement.values != Values::kNotEvaluated || !graph.judgement.reason.empty();
}

// Of the ops that have the verdict of the graph.
std::vector<std::string> Causes(const GraphComparison& graph) {
  std::vector<std::string> causes;
  for (const ComparedNode& op : graph.ops.nodes) {
    if (op.verdict != graph.verdict) continue;
    for (const std::string& cause : op.constraints) {
      if (std::find(causes.begin(), causes.end(), cause) == causes.end()) causes.push_back(cause);
    }
  }
  return causes;
}

Json ValuesJson(const GraphComparison& graph) {
  if (!ValuesCompared(graph)) return nullptr;
  const auto counts = CountValues(graph.ops);
  Json out = {{"right", counts[1]}, {"between", counts[2]}, {"wrong", counts[3]}, {"notEvaluated", counts[0]}};
  out["apart"] = graph.apart < 0 ? Json() : Json(graph.apart);
  Json& wrong = out["wrongOps"] = Json::array();
  for (const ComparedNode& op : graph.ops.nodes) {
    if (op.judgement.values != Values::kWrong) continue;
    wrong.push_back({{"name", op.name},
                     {"op", op.op},
                     {"verdict", ConsequenceName(op.verdict)},
                     {"constraints", op.constraints},
                     {"steps", op.judgement.steps},
                     {"fraction", op.judgement.fraction},
                     {"share", op.judgement.share}});
  }
  return out;
}

std::vector<std::string> OpsOf(const Model& model) {
  std::vector<std::string> ops;
  for (const Node& node : model.nodes) ops.push_back(node.op.str());
  return ops;
}

std::string Joined(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ", ") + item;
  return Printable(text, 300);
}

class GraphPrinter : TextPage {
 public:
  GraphPrinter(const GraphComparison& graph, const TextOptions& options)
      : TextPage(options, kLabelColumns), graph_(graph), verbose_(options.verbose) {}

  std::string Print(const std::string& file) && {
    Head();
    const auto causes = Causes(graph_);
    Labelled("quantgate", std::string(ConsequenceName(graph_.verdict)) +
                              (causes.empty() ? "" : ": " + Joined(causes)));
    for (const Stage stage : {Stage::kValidate, Stage::kPrepare, Stage::kExecute}) {
      const StageAnswer& answer = graph_.answer[stage];
      if (answer.outcome == Outcome::kNotQueried) continue;
      std::string said = OutcomeText(stage, answer);
      if (answer.outcome == Outcome::kFails) {
        said += fmt::format(" at {} with {:#x}", Printable(answer.step, kNameColumns), answer.code);
      }
      Labelled(std::string(StageName(stage)), said);
      if (!answer.message.empty()) Labelled("it says", Printable(answer.message, 300), Style::kGrey);
    }
    Numbers();
    Line("");
    if (graph_.reduced) Reduced(*graph_.reduced, file);
    const bool good = graph_.AsPredicted();
    Line(paint_(good ? Style::kGreen : Style::kRed, good ? "as predicted" : "not as predicted", true));
    return std::move(text_);
  }

 private:
  void Head() {
    const Comparison& ops = graph_.ops;
    std::string where = ops.backend + " · SDK " + ops.sdk;
    if (!ops.arch.empty()) where += " · " + ops.arch;
    if (!ops.soc.empty()) where += " · " + ops.soc;
    Line(paint_(Style::kBold, Printable(ops.model, 160)) + "  " + Printable(where + " · route " + ops.route));
    Wrapped(fmt::format("{} ops as one graph of {} {}", ops.nodes.size(), Printable(ops.library),
                        Printable(ops.build_id, 60)),
            Style::kGrey);
    for (const std::string& note : ops.notes) Note(Printable(note));
    Line("");
  }

  void Numbers() {
    if (!ValuesCompared(graph_)) return;
    const auto counts = CountValues(graph_.ops);
    std::string text = fmt::format("{} ops right, {} between right and wrong, {} wrong, {} not compared",
                                   counts[1], counts[2], counts[3], counts[0]);
    if (counts[0] == graph_.ops.nodes.size()) text += ": " + Printable(graph_.judgement.reason);
    Labelled("values", text);
    if (graph_.apart >= 0) {
      Labelled("outputs", fmt::format("{:.2g} % from those of a run that gives out every tensor", 100 * graph_.apart));
    }
    for (const ComparedNode& op : graph_.ops.nodes) {
      const bool wrong = op.judgement.values == Values::kWrong;
      if (!wrong && !verbose_) continue;
      const std::string_view result = ValuesName(op.judgement.values);
      Labelled(wrong ? "wrong" : "",
               fmt::format("\"{}\" ({}): {}, off by up to {:.6g} steps, {:.2g} of the range; findings: {}",
                           Printable(op.name, kNameColumns), Printable(op.op, kNameColumns), result,
                           op.judgement.steps, op.judgement.fraction,
                           op.constraints.empty() ? "none" : Joined(op.constraints)));
    }
  }

  void Reduced(const ReducedGraph& reduced, const std::string& file) {
    Labelled("reduced", fmt::format("{} of {} ops still fail in the same way: {}", reduced.model.nodes.size(),
                                    reduced.of, Joined(OpsOf(reduced.model))));
    Labelled("written", Printable(file));
    Labelled("findings", reduced.findings.empty() ? "none: please report it" : Joined(reduced.findings));
    Line("");
  }

  const GraphComparison& graph_;
  const bool verbose_;
};

}  // namespace

std::string GraphComparisonJson(const GraphComparison& graph, const std::string& file) {
  Json out;
  out["schemaVersion"] = kJsonSchemaVersion;
  out["tool"] = {{"name", "quantgate"}, {"version", QUANTGATE_VERSION}};
  out["model"] = graph.ops.model;
  AddHead(graph.ops, out);
  out["notes"] = graph.ops.notes;
  out["ops"] = graph.ops.nodes.size();
  out["quantgate"] = {{"verdict", ConsequenceName(graph.verdict)}, {"constraints", Causes(graph)}};
  out["graph"] = StagesJson(graph.answer);
  out["values"] = ValuesJson(graph);
  out["reduced"] = nullptr;
  if (graph.reduced) {
    out["reduced"] = {{"file", file},
                      {"of", graph.reduced->of},
                      {"ops", OpsOf(graph.reduced->model)},
                      {"findings", graph.reduced->findings}};
  }
  out["agreement"] = AgreementName(graph.agreement);
  out["asPredicted"] = graph.AsPredicted();
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string GraphComparisonText(const GraphComparison& graph, const std::string& file,
                                const TextOptions& options) {
  return GraphPrinter(graph, options).Print(file);
}

}  // namespace quantgate::verify
