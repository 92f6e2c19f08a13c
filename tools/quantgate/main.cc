// The command line: a thin layer over the library.
#include <CLI/CLI.hpp>
#include <csignal>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "core/report/layout.h"
#include "core/types/nearest.h"
#include "quantgate/quantgate.h"
#include "tools/quantgate/common.h"
#include "tools/quantgate/help.h"
#include "tools/quantgate/output.h"
#include "tools/quantgate/verbs.h"

namespace quantgate::cli {
namespace {

int Print(const std::string& text) {
  absl::StatusOr<Output> output = Output::Open("");
  output->Write(text);
  const absl::Status status = output->Commit();
  return status.ok() ? kFine : Fail(status);
}

std::string VersionText() {
  const Database& database = Database::Embedded();
  std::string text = "quantgate " QUANTGATE_VERSION;
  for (const std::string& backend : database.Backends()) {
    const std::vector<std::string> sdks = database.Sdks(backend);
    if (sdks.empty()) continue;
    text += "\n" + backend + ": SDK " + sdks.front() + " to " + sdks.back();
  }
  return text + "\n";
}

// What the parser didn't expect, with the nearest thing that it knows.
int FailUnexpected(const CLI::App& parser, std::string_view argument, bool verb_expected) {
  std::vector<std::string> known;
  const bool flag = argument.starts_with('-') && argument != "-";
  if (flag) {
    argument = argument.substr(0, argument.find('='));
    for (const CLI::Option* option : parser.get_options()) {
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
      for (const std::string& name : option->get_snames()) known.push_back("-" + name);
    }
  } else if (verb_expected) {
    for (const CLI::App* verb : parser.get_subcommands({})) known.push_back(verb->get_name());
  }
  const std::string help =
      verb_expected ? "quantgate --help" : "quantgate " + parser.get_name() + " --help";
  return Fail(std::string(flag            ? "unknown flag '"
                          : verb_expected ? "unknown verb '"
                                          : "unexpected argument '") +
              Printable(argument, 80) + "'" + DidYouMeanOf(argument, known) + "; see " + help);
}

int Run(int argc, char** argv) {
  CLI::App app("Says whether a quantized model fits an NPU backend, why not, and what to change.");
  app.name("quantgate");
  app.formatter(std::make_shared<HelpFormatter>());
  app.get_formatter()->label("Positionals", "Arguments");
  app.option_defaults()->group("Flags");
  app.set_help_flag("-h,--help", "This help");
  app.allow_extras();
  bool version = false;
  app.add_flag("--version", version, "Version of the tool and of its knowledge");
  app.footer(
      "Examples:\n"
      "  quantgate check model.onnx --soc SM8550\n"
      "  quantgate query Conv2d --arch v73\n"
      "  quantgate explain QG301\n\n"
      "quantgate VERB --help tells more.");
  const std::vector<Verb> verbs = {
      AddCheck(app),   AddQuery(app),   AddMatrix(app), AddDiff(app),   AddTargets(app),
      AddExplain(app), AddConvert(app), AddVerify(app), AddImport(app), AddCompletion(app),
      AddMan(app)};
  for (const Verb& verb : verbs) {
    verb.parser->allow_extras()->group("Verbs");
    verb.parser->get_help_ptr()->group("Flags");
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    for (const Verb& verb : verbs) {
      if (app.got_subcommand(verb.parser)) return Print(verb.parser->help("quantgate"));
    }
    return Print(app.help());
  } catch (const CLI::ParseError& error) {
    for (const Verb& verb : verbs) {
      if (app.got_subcommand(verb.parser)) {
        const std::vector<std::string> extras = verb.parser->remaining();
        if (!extras.empty()) return FailUnexpected(*verb.parser, extras.front(), false);
        return Fail(verb.parser->get_name() + ": " + error.what());
      }
    }
    return Fail(error.what());
  }
  if (version) return Print(VersionText());
  for (const Verb& verb : verbs) {
    if (!app.got_subcommand(verb.parser)) continue;
    const std::vector<std::string> extras = verb.parser->remaining();
    if (!extras.empty()) return FailUnexpected(*verb.parser, extras.front(), false);
    return verb.run();
  }
  const std::vector<std::string> extras = app.remaining();
  if (!extras.empty()) return FailUnexpected(app, extras.front(), true);
  return Fail("no verb given; see quantgate --help");
}

}  // namespace
}  // namespace quantgate::cli

int main(int argc, char** argv) {
  // A closed pipe is told by write().
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return quantgate::cli::Run(argc, argv);
  } catch (const std::exception& error) {  // of the argument parser, or no memory
    return quantgate::cli::Fail(error.what());
  }
}
