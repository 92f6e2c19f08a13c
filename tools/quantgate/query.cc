// quantgate query OP
#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/report/layout.h"
#include "quantgate/quantgate.h"
#include "tools/quantgate/common.h"
#include "tools/quantgate/output.h"
#include "tools/quantgate/overlay.h"
#include "tools/quantgate/table.h"
#include "tools/quantgate/verbs.h"

namespace quantgate::cli {
namespace {

using Json = nlohmann::ordered_json;

struct QueryFlags {
  OpdefsFlag opdefs;
  std::string op, format = "text";
  TargetSpec target;
  ColorFlag color;
};

// OpInfo::Port::channel_axis of a port without one.
constexpr int kNoAxis = -128;

std::string Join(const std::vector<std::string>& items, std::string_view separator) {
  std::string text;
  for (const std::string& item : items) {
    if (!text.empty()) text += separator;
    text += item;
  }
  return text;
}

// "2.25 and later", "before 2.47", "" = always.
std::string RangeText(const std::string& since, const std::string& until,
                      const std::string& archs) {
  std::vector<std::string> parts;
  if (!since.empty() && !until.empty()) {
    parts.push_back("SDK " + since + " to below " + until);
  } else if (!since.empty()) {
    parts.push_back("SDK " + since + "+");
  } else if (!until.empty()) {
    parts.push_back("SDK below " + until);
  }
  if (!archs.empty()) parts.push_back(archs);
  return Join(parts, ", ");
}

Json PortJson(const OpInfo::Port& port) {
  Json json = {{"port", port.name},
               {"role", port.role},
               {"optional", port.optional},
               {"variadic", port.variadic}};
  if (port.channel_axis != kNoAxis) json["channelAxis"] = port.channel_axis;
  return json;
}

Json OpJson(const OpInfo& op) {
  Json json = {{"op", op.name}, {"backend", op.backend}, {"listsPerPort", op.lists_per_port}};
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
                              {"required", param.required},
                              {"values", std::move(values)}});
  }
  json["variants"] = Json::array();
  for (const OpInfo::Variant& variant : op.variants) {
    json["variants"].push_back({{"id", variant.id},
                                {"group", variant.group},
                                {"dtypes", variant.dtypes},
                                {"consequence", ConsequenceName(variant.consequence)},
                                {"since", variant.since},
                                {"until", variant.until},
                                {"archs", variant.archs},
                                {"sources", variant.sources}});
  }
  json["constraints"] = Json::array();
  for (const OpInfo::Constraint& constraint : op.constraints) {
    json["constraints"].push_back({{"id", constraint.id},
                                   {"port", constraint.port},
                                   {"kind", constraint.kind},
                                   {"rule", constraint.rule},
                                   {"text", constraint.text},
                                   {"consequence", ConsequenceName(constraint.consequence)},
                                   {"since", constraint.since},
                                   {"until", constraint.until},
                                   {"archs", constraint.archs},
                                   {"groups", constraint.groups},
                                   {"sources", constraint.sources},
                                   {"note", constraint.note}});
  }
  return json;
}

std::string QueryJson(const OpInfo& op, const Target& target) {
  Json json = {{"schemaVersion", "1"},
               {"tool", {{"name", "quantgate"}, {"version", QUANTGATE_VERSION}}}};
  json["target"] = {{"backend", target.backend()}, {"sdk", target.sdk()}, {"arch", target.arch()}};
  if (!target.soc().empty()) json["target"]["soc"] = target.soc();
  json["knowledge"] = {{"sdk", target.knowledge_sdk()}, {"measured", target.measured()}};
  json["notes"] = target.notes();
  json.update(OpJson(op));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

class QueryText {
 public:
  QueryText(const OpInfo& op, const Target& target, bool color, size_t width)
      : op_(op), target_(target), paint_(color), width_(width) {}

  std::string Print() && {
    std::string where = target_.backend() + " · SDK " + target_.sdk();
    if (!target_.arch().empty()) where += " · " + target_.arch();
    if (!target_.soc().empty()) where += " · " + target_.soc();
    text_ += paint_(Style::kBold, op_.name) + "  " + where + "\n";
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
      rows.push_back({paint_(Style::kBlue, param.name), param.dtype,
                      param.required ? "required" : "", Join(values, ", ")});
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
    for (const std::string_view title : {"verdict", "range", "sources"})
      rows[0].emplace_back(title);
    for (std::string& cell : rows[0]) cell = paint_(Style::kGrey, cell);
    for (const OpInfo::Variant& variant : op_.variants) {
      std::vector<std::string> row = {variant.id.substr(variant.id.find('#') + 1)};
      for (const auto& dtypes : variant.dtypes) row.push_back(Cell(dtypes));
      row.resize(1 + op_.inputs.size() + op_.outputs.size());
      const bool accepted = variant.consequence == Consequence::kAccepted;
      row.push_back(
          paint_(accepted ? Style::kGreen : Style::kBlue, ConsequenceName(variant.consequence)));
      row.push_back(RangeText(variant.since, variant.until, variant.archs));
      row.push_back(paint_(Style::kGrey, Join(variant.sources, ", ")));
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

  void Constraints() {
    if (op_.constraints.empty()) return;
    Title("constraints");
    std::string port;
    for (const OpInfo::Constraint& constraint : op_.constraints) {
      if (constraint.port != port) {
        port = constraint.port;
        text_ += "  " + paint_(Style::kBlue, port, true) + "\n";
      }
      std::vector<std::string> conditions;
      if (!constraint.groups.empty()) {
        conditions.push_back("rows " + Join(constraint.groups, ", "));
      }
      const std::string range = RangeText(constraint.since, constraint.until, constraint.archs);
      if (!range.empty()) conditions.push_back(range);
      std::string line = constraint.text;
      if (!conditions.empty()) line += " (" + Join(conditions, "; ") + ")";
      if (!constraint.note.empty()) line += "; " + constraint.note;
      const bool severe = constraint.consequence >= Consequence::kWrongValues;
      text_ +=
          Table({{PadRight(constraint.rule, 5),
                  PadRight(paint_(severe ? Style::kRed : Style::kYellow,
                                  ConsequenceName(constraint.consequence)),
                           13),
                  line + " " + paint_(Style::kGrey, "[" + Join(constraint.sources, ", ") + "]")}},
                4, width_);
    }
  }

  const OpInfo& op_;
  const Target& target_;
  const Painter paint_;
  const size_t width_;
  std::map<std::string, std::string, std::less<>> legend_;
  std::string text_;
};

int RunQuery(const QueryFlags& flags) {
  const absl::StatusOr<Format> format = ParseFormat(flags.format);
  if (!format.ok()) return Fail(format.status());
  const absl::StatusOr<const Database*> database = flags.opdefs.Load();
  if (!database.ok()) return Fail(database.status());
  const absl::StatusOr<Target> target = Target::Parse(flags.target, **database);
  if (!target.ok()) return Fail(target.status());
  absl::StatusOr<Output> output = Output::Open("");
  const absl::StatusOr<bool> color = flags.color.Decide(*output);
  if (!color.ok()) return Fail(color.status());
  const absl::StatusOr<OpInfo> op = (*database)->Query(flags.op, *target);
  if (!op.ok()) return Fail(op.status());
  output->Write(
      *format == Format::kJson
          ? QueryJson(*op, *target)
          : QueryText(*op, *target, *color, static_cast<size_t>(TextWidth(*output))).Print());
  if (const absl::Status status = output->Commit(); !status.ok()) return Fail(status);
  return kFine;
}

}  // namespace

Verb AddQuery(CLI::App& app) {
  const auto flags = std::make_shared<QueryFlags>();
  CLI::App* verb = app.add_subcommand("query", "What a target takes for an op");
  verb->add_option("OP", flags->op, "Op of the backend")->required();
  AddTargetFlags(*verb, flags->target);
  flags->opdefs.Add(*verb);
  verb->add_option("--format", flags->format, "text or json")
      ->capture_default_str()
      ->type_name("FORMAT");
  flags->color.Add(*verb);
  verb->footer(
      "Examples:\n"
      "  quantgate query Conv2d --soc SM8550\n"
      "  quantgate query MatMul --arch v68 --sdk 2.25 --format json");
  return {verb, [flags] { return RunQuery(*flags); }};
}

}  // namespace quantgate::cli
