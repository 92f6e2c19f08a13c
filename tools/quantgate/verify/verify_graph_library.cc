#include "tools/quantgate/verify/verify_graph_library.h"

#include <optional>
#include <string>
#include <utility>

#include "quantgate/quantgate.h"
#include "quantgate/verify_graph.h"
#include "tools/quantgate/cli/common.h"
#include "tools/quantgate/cli/output.h"
#include "tools/quantgate/show/progress.h"

namespace quantgate::cli {
namespace {

constexpr int kGraphSeconds = 600;

// The one model of the file; errors are whole.
struct Written {
  verify::GraphComparison graph;
  std::string reason;  // why it is not reduced; empty = it is, or need not be
};

absl::StatusOr<Written> CompareAndReduce(const VerifyFlags& flags, Model model,
                                         const Database& database, const std::string& route) {
  std::optional<Progress> line;
  TargetSpec spec = flags.target;
  if (!flags.parser->Given("--backend")) spec.backend.clear();  // the library's
  absl::StatusOr<verify::GraphVerifier> verifier = verify::GraphVerifier::Open(
      flags.library, spec,
      {.route = route,
       .seed = flags.seed,
       .timeout_seconds = flags.parser->Given("--timeout") ? flags.timeout : kGraphSeconds,
       .python = flags.python,
       .progress =
           [&](const std::string& what) {
             line.reset();
             line.emplace(what);
           }},
      database);
  if (!verifier.ok()) return verifier.status();
  const std::string& path = flags.models.front();
  absl::StatusOr<verify::GraphComparison> graph = verifier->Compare(std::move(model), path);
  if (!graph.ok()) {
    return absl::InvalidArgumentError(path + ": " + std::string(graph.status().message()));
  }
  Written written{*std::move(graph), ""};
  if (!flags.reduce) return written;
  absl::StatusOr<verify::ReducedGraph> reduced = verifier->Reduce();
  if (reduced.ok()) {
    written.graph.reduced = *std::move(reduced);
  } else if (absl::IsFailedPrecondition(reduced.status())) {
    written.reason = std::string(reduced.status().message());
  } else {
    return reduced.status();
  }
  return written;
}

}  // namespace

int RunVerifyGraphLibrary(const VerifyFlags& flags) {
  for (const char* name : {"--prepare", "--execute", "--known", "--jobs", "--inputs", "--record"}) {
    if (flags.parser->Given(name)) return Fail(std::string(name) + ": is not for --graph with --backend-lib");
  }
  if (flags.models.size() != 1) return Fail("--graph: takes one model");
  const std::string& path = flags.models.front();
  if (flags.reduce && (flags.output.empty() || flags.output == "-")) {
    return Fail("--reduce: needs -o, the file of the smallest model");
  }
  const absl::StatusOr<Format> format = ParseFormat(flags.format);
  if (!format.ok()) return Fail(format.status());
  const absl::StatusOr<ReadOptions> reading = flags.reading.Parse();
  if (!reading.ok()) return Fail(reading.status());
  const absl::StatusOr<const Database*> database = flags.opdefs.Load();
  if (!database.ok()) return Fail(database.status());
  const absl::StatusOr<std::string> route = flags.route.Parse(**database);
  if (!route.ok()) return Fail(route.status());
  absl::StatusOr<Model> model = ReadOnlyModel(path, *reading);
  if (!model.ok()) return Fail(model.status());
  absl::StatusOr<Output> page = Output::Open(flags.reduce ? "" : flags.output, flags.models);
  if (!page.ok()) return Fail(page.status());
  const absl::StatusOr<bool> color = flags.color.Decide(*page);
  if (!color.ok()) return Fail(color.status());

  const absl::StatusOr<Written> written =
      CompareAndReduce(flags, *std::move(model), **database, *route);
  if (!written.ok()) return Fail(written.status());
  const verify::GraphComparison& graph = written->graph;
  if (graph.reduced) {
    absl::StatusOr<Output> smallest = Output::Open(flags.output, flags.models);
    if (!smallest.ok()) return Fail(smallest.status());
    smallest->Write(WriteModelJson(graph.reduced->model));
    if (const absl::Status status = smallest->Commit(); !status.ok()) return Fail(status);
  }
  if (*format == Format::kJson) {
    page->Write(GraphComparisonJson(graph, flags.output));
  } else {
    page->Write(GraphComparisonText(
        graph, flags.output,
        {.color = *color, .verbose = flags.verbose, .width = TextWidth(*page)}));
    if (!written->reason.empty()) page->Write("nothing to reduce: " + written->reason + "\n");
  }
  if (const absl::Status status = page->Commit(); !status.ok()) return Fail(status);
  return graph.AsPredicted() ? kFine : 1;
}

}  // namespace quantgate::cli
