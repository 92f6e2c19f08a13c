// quantgate diff
#include "quantgate/diff.h"

#include <memory>
#include <string>
#include <vector>

#include "tools/quantgate/cli/command_line.h"
#include "tools/quantgate/cli/common.h"
#include "tools/quantgate/cli/verbs.h"
#include "tools/quantgate/cli/view_flags.h"
#include "tools/quantgate/show/diff_text.h"

namespace quantgate::cli {
namespace {

struct DiffFlags {
  DiffSpec spec;
  bool verbose = false;
  ViewFlags view;
};

std::string_view WhatName(Diff::What what) {
  switch (what) {
    case Diff::What::kAdded:
      return "added";
    case Diff::What::kRemoved:
      return "removed";
    case Diff::What::kChanged:
      return "changed";
  }
  return "";
}

std::string_view EffectName(Diff::Effect effect) {
  switch (effect) {
    case Diff::Effect::kNone:
      return "none";
    case Diff::Effect::kLoosened:
      return "loosened";
    case Diff::Effect::kTightened:
      return "tightened";
  }
  return "";
}

Json ChangeJson(const Diff::Change& change) {
  Json json = {{"what", WhatName(change.what)},
               {"effect", EffectName(change.effect)},
               {"kind", change.is_row ? "row" : "constraint"},
               {"id", change.id},
               {"text", change.text}};
  if (!change.is_row) {
    json["port"] = change.port;
    json["rule"] = change.rule;
  }
  if (change.what != Diff::What::kAdded) json["before"] = ConsequenceName(change.before);
  if (change.what != Diff::What::kRemoved) json["after"] = ConsequenceName(change.after);
  json["archs"] = change.archs;
  if (!change.archs_before.empty()) json["archsBefore"] = change.archs_before;
  json["measuredOnly"] = change.measured;
  json["sources"] = change.sources;
  json["note"] = change.note;
  return json;
}

Json OpJson(const Diff::Op& op) {
  Json json = {{"op", op.name}, {"what", WhatName(op.what)}, {"measuredOnly", op.measured}};
  json["precisions"] = Json::array();
  for (const Diff::Gain& gain : op.gains) {
    json["precisions"].push_back({{"precision", gain.precision},
                                  {"what", gain.lost ? "lost" : "gained"},
                                  {"verdict", ConsequenceName(gain.verdict)},
                                  {"measured", gain.measured},
                                  {"archs", gain.archs}});
  }
  json["changes"] = Json::array();
  for (const Diff::Change& change : op.changes) json["changes"].push_back(ChangeJson(change));
  return json;
}

Json DiffJson(const Diff& diff) {
  const DiffCounts n = Count(diff);
  Json json = JsonHead();
  json["by"] = DiffByName(diff.by);
  for (const auto& [key, target] : {std::pair{"from", &diff.from}, {"to", &diff.to}}) {
    json[key] = TargetJson(*target);
    if (diff.every_arch) json[key].erase("arch");
    json[key]["knowledge"] = KnowledgeJson(*target);
  }
  json["everyArch"] = diff.every_arch;
  json["notes"] = diff.notes;
  json["summary"] = {{"opsAdded", n.ops_added},          {"opsRemoved", n.ops_removed},
                     {"opsChanged", n.ops_changed},      {"precisionsGained", n.gained},
                     {"precisionsLost", n.lost},         {"rowsAdded", n.rows_added},
                     {"rowsRemoved", n.rows_removed},    {"constraintsTightened", n.tightened},
                     {"constraintsLoosened", n.loosened}};
  json["ops"] = Json::array();
  for (const Diff::Op& op : diff.ops) json["ops"].push_back(OpJson(op));
  return json;
}

int RunDiff(const DiffFlags& flags) {
  if (const absl::Status format = flags.view.CheckFormat(); !format.ok()) return Fail(format);
  const absl::StatusOr<const Database*> database = flags.view.opdefs.Load();
  if (!database.ok()) return Fail(database.status());
  const absl::StatusOr<Diff> diff = MakeDiff(**database, flags.spec);
  if (!diff.ok()) return Fail(diff.status());
  // Whoever names ops wants all that is known of them.
  const bool full = flags.verbose || !flags.spec.ops.empty();
  return flags.view.Write({.text = [&](const Paper& paper) { return DiffText(*diff, full, paper); },
                           .json = [&] { return DiffJson(*diff); },
                           .html = [&] { return DiffHtml(*diff); },
                           .markdown = [&] { return DiffMarkdown(*diff, full); }});
}

}  // namespace

void AddDiff(CommandLine& line) {
  const auto flags = std::make_shared<DiffFlags>();
  flags->view.has_markdown = true;
  line.AddVerb(
      "diff", "What changed between two SDKs, archs, backends or chips",
      [flags] { return RunDiff(*flags); },
      [flags](VerbFlags verb) {
        verb.Add({.name = "OP", .words = "Ops of the backend; all if none is given"},
                 flags->spec.ops);
        verb.Add({.name = "--from",
                  .type = "WHAT",
                  .words = "SDK version, arch, backend or chip",
                  .required = true},
                 flags->spec.from);
        verb.Add(
            {.name = "--to", .type = "WHAT", .words = "The same kind of thing", .required = true},
            flags->spec.to);
        verb.Add({.name = "-v,--verbose", .words = "Also each entry that only measuring found"},
                 flags->verbose);
        AddTargetFlags(verb, flags->spec.shared);
        flags->view.Add(verb);
        verb.Footer(
            "Examples:\n"
            "  quantgate diff --from 2.25 --to 2.51\n"
            "  quantgate diff MatMul --from 2.25 --to 2.51 --arch v73\n"
            "  quantgate diff --from v69 --to v73 --format markdown -o changes.md\n"
            "  quantgate diff --from SM8350 --to SM8750\n"
            "  quantgate diff --from 2.13 --to 2.25 --backend gpu");
      });
}

}  // namespace quantgate::cli
