// quantgate query OP
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "quantgate/quantgate.h"
#include "quantgate/text.h"
#include "tools/quantgate/cli/command_line.h"
#include "tools/quantgate/cli/common.h"
#include "tools/quantgate/cli/verbs.h"
#include "tools/quantgate/cli/view_flags.h"
#include "tools/quantgate/show/op_json.h"
#include "tools/quantgate/show/query_html.h"
#include "tools/quantgate/show/table.h"

namespace quantgate::cli {
namespace {

struct QueryFlags {
  std::string op;
  TargetSpec target;
  bool every_sdk = false;
  bool verbose = false;
  ViewFlags view;
};

// OpInfo::Port::channel_axis of a port without one.
constexpr int kNoAxis = -128;

Json PortJson(const OpInfo::Port& port) {
  Json json = {{"port", port.name},
               {"role", port.role},
               {"optional", port.optional},
               {"variadic", port.variadic}};
  if (port.channel_axis != kNoAxis) json["channelAxis"] = port.channel_axis;
  return json;
}

Json OpJson(const OpInfo& op) {
  Json json = {{"op", op.name},     {"backend", op.backend}, {"since", op.since},
               {"until", op.until}, {"archs", op.archs},     {"listsPerPort", op.lists_per_port}};
  for (const auto& [key, ports] : {std::pair{"inputs", &op.inputs}, {"outputs", &op.outputs}}) {
    json[key] = Json::array();
    for (const OpInfo::Port& port : *ports) json[key].push_back(PortJson(port));
  }
  json["params"] = Json::array();
  for (const OpInfo::Param& param : op.params) {
    Json values = Json::object();
    for (const auto& [name, value] : param.values) values[name] = value;
    json["params"].push_back({{"name", param.name},
                              {"dtype", param.dtype},
                              {"rank", param.rank < 0 ? Json(nullptr) : Json(param.rank)},
                              {"required", param.required},
                              {"default", param.default_value},
                              {"values", std::move(values)}});
  }
  json["variants"] = Json::array();
  for (const OpInfo::Variant& variant : op.variants) {
    json["variants"].push_back(RowJson(variant));
  }
  json["constraints"] = Json::array();
  for (const OpInfo::Constraint& constraint : op.constraints) {
    json["constraints"].push_back(ConstraintJson(constraint));
  }
  return json;
}

Json PrecisionsJson(const Matrix& matrix) {
  Json json = Json::array();
  for (const Matrix::Row& row : matrix.rows) {
    for (const Matrix::Supported& supported : row.cells.front().supported) {
      json.push_back({{"precision", matrix.precisions[supported.precision].id},
                      {"verdict", ConsequenceName(supported.verdict)},
                      {"measured", supported.measured}});
    }
  }
  return json;
}

Json QueryJson(const OpInfo& op, const Target& target, const Matrix& matrix) {
  Json json = JsonHead();
  json["target"] = TargetJson(target);
  json["knowledge"] = KnowledgeJson(target);
  json["notes"] = target.notes();
  json["precisions"] = PrecisionsJson(matrix);
  json.update(OpJson(op));
  return json;
}

class QueryText {
 public:
  // `verbose`: every constraint of the profiles, and all sources.
  QueryText(const OpInfo& op, const Target& target, const Matrix& matrix, bool verbose,
            const Paper& paper)
      : op_(op),
        target_(target),
        matrix_(matrix),
        verbose_(verbose),
        paint_(paper.color),
        width_(paper.width) {}

  std::string Print() && {
    text_ += paint_(Style::kBold, op_.name) + "  " + TargetText(target_) + "\n";
    TakenPrecisions();
    for (const std::string& note : target_.notes()) {
      text_ += Table({{paint_(Style::kCyan, "note:", true), note}}, 0, width_);
    }
    Ports();
    Params();
    Variants();
    Constraints();
    return std::move(text_);
  }

 private:
  void Title(std::string_view title) { text_ += "\n" + paint_(Style::kBold, title) + "\n"; }

  void TakenPrecisions() {
    std::vector<std::string> words;
    for (const Matrix::Row& row : matrix_.rows) {
      for (const Matrix::Supported& supported : row.cells.front().supported) {
        const std::string& label = matrix_.Label(row, supported);
        if (supported.verdict != Consequence::kAccepted) {
          words.push_back(paint_(Style::kYellow, label + " (undocumented)"));
        } else if (supported.measured) {
          words.push_back(paint_(Style::kGreen, label));
        } else {
          words.push_back(paint_(Style::kCyan, label + " (documented)"));
        }
      }
    }
    if (words.empty()) return;
    text_ += Table({{paint_(Style::kBold, "takes"), Join(words)}}, 0, width_);
  }

  void Ports() {
    Title("ports");
    std::vector<std::vector<std::string>> rows;
    for (const auto* ports : {&op_.inputs, &op_.outputs}) {
      for (const OpInfo::Port& port : *ports) {
        std::vector<std::string> words;
        if (port.optional) words.push_back("optional");
        if (port.variadic) words.push_back("any number");
        if (port.channel_axis != kNoAxis) {
          words.push_back("channels on axis " + std::to_string(port.channel_axis));
        }
        rows.push_back({paint_(Style::kBlue, port.name), port.role, Join(words, ", ")});
      }
    }
    text_ += Table(rows, 2, width_);
  }

  void Params() {
    if (op_.params.empty()) return;
    Title("params");
    std::vector<std::vector<std::string>> rows;
    for (const OpInfo::Param& param : op_.params) {
      std::vector<std::string> values;
      for (const auto& [name, value] : param.values) {
        values.push_back(name + " = " + std::to_string(value));
      }
      std::string need = param.required ? "required" : "";
      if (!param.default_value.empty()) need = "default " + param.default_value;
      rows.push_back(
          {paint_(Style::kBlue, param.name), param.dtype, std::move(need), Join(values)});
    }
    text_ += Table(rows, 2, width_);
  }

  // A port's dtypes in short, "-" = the port must be absent.
  std::string Cell(const std::vector<std::string>& dtypes) {
    if (dtypes.empty()) return "-";
    std::vector<std::string> names;
    for (const std::string& name : dtypes) {
      const std::optional<Dtype> dtype = DtypeFromName(name);
      if (!dtype) {
        names.push_back(name);
        continue;
      }
      legend_.emplace(DtypeShortName(*dtype), name);
      names.emplace_back(DtypeShortName(*dtype));
    }
    return Join(names, "|");
  }

  void Variants() {
    Title("dtypes");
    if (op_.variants.empty()) {
      text_ += "  none on this target\n";
      return;
    }
    std::vector<std::vector<std::string>> rows(1);
    rows[0].push_back("row");
    for (const auto* ports : {&op_.inputs, &op_.outputs}) {
      for (const OpInfo::Port& port : *ports) rows[0].push_back(port.name);
    }
    for (const std::string_view title : {"verdict", "range", "basis"}) rows[0].emplace_back(title);
    for (std::string& cell : rows[0]) cell = paint_(Style::kGrey, cell);
    for (const OpInfo::Variant& variant : op_.variants) {
      std::vector<std::string> row = {variant.id.substr(variant.id.find('#') + 1)};
      for (const auto& dtypes : variant.dtypes) row.push_back(Cell(dtypes));
      row.resize(1 + op_.inputs.size() + op_.outputs.size());
      const bool accepted = variant.consequence == Consequence::kAccepted;
      row.push_back(
          paint_(accepted ? Style::kGreen : Style::kBlue, ConsequenceName(variant.consequence)));
      row.push_back(RangeText(variant.since, variant.until, variant.archs));
      row.push_back(paint_(Style::kGrey, Basis(variant)));
      rows.push_back(std::move(row));
    }
    text_ += Table(rows, 2, width_);
    std::vector<std::string> legend;
    for (const auto& [brief, name] : legend_) legend.push_back(brief + " " + name);
    if (!legend.empty()) {
      text_ += Table({{paint_(Style::kGrey, "where"), Join(legend, ", ")}}, 2, width_);
    }
    if (op_.lists_per_port) {
      text_ += "  " +
               paint_(Style::kGrey,
                      "lists per port: a mix the documents don't state is "
                      "undocumented, never rejected") +
               "\n";
    }
  }

  // "documented, measured"; with --verbose the sources by name.
  template <typename Info>
  std::string Basis(const Info& info) const {
    if (verbose_) return Join(info.sources, ", ");
    std::vector<std::string> words;
    if (info.documented) words.emplace_back("documented");
    if (info.measured) words.emplace_back("measured");
    return Join(words, ", ");
  }

  void Constraints() {
    if (op_.constraints.empty()) return;
    Title("constraints");
    for (const bool documented : {true, false}) {
      std::vector<const OpInfo::Constraint*> own;
      std::vector<std::string> profiles;  // in the order of their first constraint
      std::map<std::string, std::vector<const OpInfo::Constraint*>> shared;
      for (const OpInfo::Constraint& one : op_.constraints) {
        if (one.documented != documented) continue;
        if (one.profile.empty() || verbose_) {
          own.push_back(&one);
          continue;
        }
        auto& list = shared[one.profile];
        if (list.empty()) profiles.push_back(one.profile);
        list.push_back(&one);
      }
      if (own.empty() && profiles.empty()) continue;
      text_ += "  " + paint_(Style::kBold, documented ? "documented" : "measured") + "\n";
      for (const std::string& profile : profiles) Profile(profile, shared[profile]);
      OwnConstraints(own);
    }
    if (!verbose_) {
      text_ +=
          "  " + paint_(Style::kGrey, "--verbose lists what the profiles hold, and sources") + "\n";
    }
  }

  // One line: how many constraints it brings to which port, and what breaking them does.
  void Profile(const std::string& name, const std::vector<const OpInfo::Constraint*>& constraints) {
    std::vector<std::string> ports;
    std::map<std::string, int> count;
    std::vector<Consequence> breaches;
    for (const OpInfo::Constraint* one : constraints) {
      if (count[one->port]++ == 0) ports.push_back(one->port);
      if (std::find(breaches.begin(), breaches.end(), one->consequence) == breaches.end()) {
        breaches.push_back(one->consequence);
      }
    }
    for (std::string& port : ports) port += " " + std::to_string(count[port]);
    std::sort(breaches.begin(), breaches.end(), std::greater<>());
    std::vector<std::string> names;
    for (const Consequence breach : breaches) names.emplace_back(ConsequenceName(breach));
    text_ += Table({{paint_(Style::kBlue, name, true),
                     Join(ports, ", ") + paint_(Style::kGrey, " · " + Join(names, ", "))}},
                   4, width_);
  }

  void OwnConstraints(const std::vector<const OpInfo::Constraint*>& constraints) {
    std::string port;
    for (const OpInfo::Constraint* one : constraints) {
      if (one->port != port) {
        port = one->port;
        text_ += "    " + paint_(Style::kBlue, port, true) + "\n";
      }
      std::vector<std::string> conditions;
      if (!one->groups.empty()) conditions.push_back("rows " + Join(one->groups, ", "));
      const std::string range = RangeText(one->since, one->until, one->archs);
      if (!range.empty()) conditions.push_back(range);
      std::string line = one->text;
      if (!conditions.empty()) line += " (" + Join(conditions, "; ") + ")";
      if (!one->note.empty()) line += "; " + one->note;
      if (verbose_) line += " " + paint_(Style::kGrey, "[" + Join(one->sources, ", ") + "]");
      const bool severe = one->consequence >= Consequence::kWrongValues;
      text_ += Table({{PadRight(one->rule, 5),
                       PadRight(paint_(severe ? Style::kRed : Style::kYellow,
                                       ConsequenceName(one->consequence)),
                                13),
                       std::move(line)}},
                     6, width_);
    }
  }

  const OpInfo& op_;
  const Target& target_;
  const Matrix& matrix_;
  const bool verbose_;
  const Painter paint_;
  const size_t width_;
  std::map<std::string, std::string, std::less<>> legend_;
  std::string text_;
};

// All ops of the target with what each supports, a line each.
std::string OpsText(const Matrix& matrix, const Target& target, const Paper& paper) {
  const Painter paint(paper.color);
  std::string text = paint(Style::kBold, std::to_string(matrix.rows.size()) + " ops") + "  " +
                     TargetText(target) + "\n";
  std::vector<std::vector<std::string>> rows;
  for (const Matrix::Row& row : matrix.rows) {
    std::vector<std::string> words;
    for (const Matrix::Supported& supported : row.cells.front().supported) {
      const bool accepted = supported.verdict == Consequence::kAccepted;
      words.push_back(paint(!accepted        ? Style::kYellow
                            : supported.measured ? Style::kGreen
                                             : Style::kCyan,
                            matrix.Label(row, supported) + (accepted ? "" : "?")));
    }
    rows.push_back({paint(Style::kBlue, row.op), Join(words, " ")});
  }
  text += Table(rows, 2, paper.width);
  text +=
      "\n  " + paint(Style::kGrey, "? = undocumented; quantgate query OP tells one in full") + "\n";
  return text;
}

absl::StatusOr<Matrix> MatrixOfTarget(const Database& database, const Target& target,
                                      const std::vector<std::string>& ops) {
  return MatrixOf(database, {{target.backend(), target, {}}}, ops);
}

// What is known of one op or of all, whatever the SDK and arch: for tools that write documents.
int RunEverySdk(const QueryFlags& flags, const Database& database, const Target& target) {
  std::vector<OpInfo> ops;
  for (const std::string& name : flags.op.empty() ? database.OpsOfEverySdk(target.backend())
                                                  : std::vector<std::string>{flags.op}) {
    absl::StatusOr<OpInfo> op = database.QueryEverySdk(name, target.backend());
    if (!op.ok()) return Fail(op.status());
    ops.push_back(*std::move(op));
  }
  return flags.view.Write({.text = {},
                           .json =
                               [&] {
                                 Json json = JsonHead();
                                 json["backend"] = target.backend();
                                 json["ops"] = Json::array();
                                 for (const OpInfo& op : ops) json["ops"].push_back(OpJson(op));
                                 return json;
                               },
                           .html = {},
                           .markdown = {}});
}

int RunOps(const QueryFlags& flags, const Database& database, const Target& target) {
  const absl::StatusOr<Matrix> matrix = MatrixOfTarget(database, target, {});
  if (!matrix.ok()) return Fail(matrix.status());
  return flags.view.Write(
      {.text = [&](const Paper& paper) { return OpsText(*matrix, target, paper); },
       .json =
           [&] {
             Json json = JsonHead();
             json["target"] = TargetJson(target);
             json["knowledge"] = KnowledgeJson(target);
             json["notes"] = target.notes();
             json["ops"] = Json::array();
             for (const Matrix::Row& row : matrix->rows) {
               Matrix one = *matrix;
               one.rows = {row};
               json["ops"].push_back({{"op", row.op}, {"precisions", PrecisionsJson(one)}});
             }
             return json;
           },
       .html = {},
       .markdown = {}});
}

int RunQuery(const QueryFlags& flags) {
  if (const absl::Status format = flags.view.CheckFormat(); !format.ok()) return Fail(format);
  if (flags.every_sdk && flags.view.format != "json") {
    return Fail("--every-sdk is for tools: it needs --format json");
  }
  if (flags.op.empty() && flags.view.format == "html") {
    return Fail("query without an op makes no page; quantgate matrix --format html shows all ops");
  }
  const absl::StatusOr<const Database*> database = flags.view.opdefs.Load();
  if (!database.ok()) return Fail(database.status());
  const absl::StatusOr<Target> target = Target::Parse(flags.target, **database);
  if (!target.ok()) return Fail(target.status());
  if (flags.every_sdk) return RunEverySdk(flags, **database, *target);
  if (flags.op.empty()) return RunOps(flags, **database, *target);
  const absl::StatusOr<OpInfo> op = (*database)->Query(flags.op, *target);
  if (!op.ok()) return Fail(op.status());
  // Without rows on this target: the op is another SDK's or arch's.
  Matrix matrix;
  if (!op->variants.empty()) {
    absl::StatusOr<Matrix> made = MatrixOfTarget(**database, *target, {flags.op});
    if (!made.ok()) return Fail(made.status());
    matrix = *std::move(made);
  }
  return flags.view.Write(
      {.text =
           [&](const Paper& paper) {
             return QueryText(*op, *target, matrix, flags.verbose, paper).Print();
           },
       .json = [&] { return QueryJson(*op, *target, matrix); },
       .html = [&] { return QueryHtml(*op, *target, matrix); },
       .markdown = {}});
}

}  // namespace

void AddQuery(CommandLine& line) {
  const auto flags = std::make_shared<QueryFlags>();
  line.AddVerb(
      "query", "What a target takes for an op", [flags] { return RunQuery(*flags); },
      [flags](VerbFlags verb) {
        verb.Add(
            {.name = "OP", .words = "Op of the backend; all of them in short if none is given"},
            flags->op);
        AddTargetFlags(verb, flags->target);
        flags->view.Add(verb);
        verb.Add({.name = "--verbose",
                  .words = "Also the constraints that profiles bring, and every source"},
                 flags->verbose);
        verb.Add({.name = "--every-sdk",
                  .words = "Every row and constraint of every SDK and arch, as JSON"},
                 flags->every_sdk);
        verb.Footer(
            "Examples:\n"
            "  quantgate query Conv2d --soc SM8550\n"
            "  quantgate query Conv2d --backend lpai\n"
            "  quantgate query MatMul --arch v68 --sdk 2.25 --format html -o matmul.html\n"
            "  quantgate query --arch v68");
      });
}

}  // namespace quantgate::cli
