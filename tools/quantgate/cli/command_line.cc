#include "tools/quantgate/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "quantgate/text.h"
#include "tools/quantgate/cli/common.h"
#include "tools/quantgate/cli/help.h"
#include "tools/quantgate/cli/output.h"

namespace quantgate::cli {
namespace {

CLI::Option* Describe(CLI::Option* option, const FlagSpec& spec) {
  if (!spec.type.empty()) option->type_name(spec.type);
  return option->group(spec.group)->required(spec.required);
}

template <typename Value>
CLI::Option* AddValue(CLI::App& app, const FlagSpec& spec, Value& value) {
  CLI::Option* option = Describe(app.add_option(spec.name, value, spec.words), spec);
  if (value != Value()) option->capture_default_str();
  return option;
}

std::vector<std::string> NamesOf(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

FlagWords WordsOf(const CLI::Option& option) {
  FlagWords flag;
  flag.argument = !option.nonpositional();
  flag.names = flag.argument ? std::vector<std::string>{option.get_name()} : NamesOf(option);
  flag.type = option.get_type_name();
  flag.words = option.get_description();
  flag.default_value = option.get_default_str();
  flag.takes_value = option.get_expected_max() > 0 && !flag.argument;
  return flag;
}

int Print(const std::string& text) {
  absl::StatusOr<Output> output = Output::Open("");
  output->Write(text);
  const absl::Status status = output->Commit();
  return status.ok() ? kFine : Fail(status);
}

// What the parser didn't expect, with the nearest thing that it knows.
int FailUnexpected(const CLI::App& parser, std::string_view argument, bool verb_expected) {
  std::vector<std::string> known;
  const bool flag = argument.starts_with('-') && argument != "-";
  if (flag) {
    argument = argument.substr(0, argument.find('='));
    for (const CLI::Option* option : parser.get_options()) {
      for (std::string& name : NamesOf(*option)) known.push_back(std::move(name));
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

}  // namespace

void VerbFlags::Add(const FlagSpec& spec, bool& value) {
  Describe(app_->add_flag(spec.name, value, spec.words), spec);
}

void VerbFlags::Add(const FlagSpec& spec, int& value) {
  AddValue(*app_, spec, value)->check(CLI::Range(spec.least, spec.most));
}

void VerbFlags::Add(const FlagSpec& spec, uint64_t& value) { AddValue(*app_, spec, value); }

void VerbFlags::Add(const FlagSpec& spec, std::string& value) { AddValue(*app_, spec, value); }

void VerbFlags::Add(const FlagSpec& spec, std::vector<std::string>& values) {
  CLI::Option* option = Describe(app_->add_option(spec.name, values, spec.words), spec);
  if (!option->nonpositional()) return;
  option->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void VerbFlags::AddList(const FlagSpec& spec, std::vector<std::string>& values) {
  Describe(app_->add_option(spec.name, values, spec.words), spec)
      ->delimiter(',')
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void VerbFlags::Footer(std::string_view text) { app_->footer(std::string(text)); }

bool VerbFlags::Given(std::string_view name) const { return app_->count(std::string(name)) > 0; }

CommandLine::CommandLine(const std::string& words, const std::string& footer,
                         std::function<std::string()> version)
    : app_(std::make_unique<CLI::App>(words)), version_(std::move(version)) {
  app_->name("quantgate");
  app_->formatter(std::make_shared<HelpFormatter>());
  app_->get_formatter()->label("Positionals", "Arguments");
  app_->option_defaults()->group("Flags");
  app_->set_help_flag("-h,--help", "This help");
  app_->allow_extras();
  app_->footer(footer);
}

CommandLine::~CommandLine() = default;

void CommandLine::AddVerb(const std::string& name, const std::string& words,
                          std::function<int()> run, std::function<void(VerbFlags)> declare) {
  CLI::App* verb = app_->add_subcommand(name, words);
  verb->allow_extras()->group("Verbs");
  verb->get_help_ptr()->group("Flags");
  verbs_.push_back({verb, std::move(run), std::move(declare)});
}

void CommandLine::Declare(Verb& verb) {
  if (verb.declare) std::exchange(verb.declare, nullptr)(VerbFlags(*verb.parser));
}

std::string CommandLine::words() const { return app_->get_description(); }

std::vector<VerbWords> CommandLine::Verbs() {
  std::vector<VerbWords> verbs;
  for (Verb& verb : verbs_) {
    Declare(verb);
    VerbWords& words = verbs.emplace_back();
    words.name = verb.parser->get_name();
    words.words = verb.parser->get_description();
    words.footer = verb.parser->get_footer();
    for (const CLI::Option* option : verb.parser->get_options()) {
      words.flags.push_back(WordsOf(*option));
    }
  }
  return verbs;
}

int CommandLine::RunChosen(bool version) {
  if (version) return Print(version_());
  for (const Verb& verb : verbs_) {
    if (!app_->got_subcommand(verb.parser)) continue;
    const std::vector<std::string> extras = verb.parser->remaining();
    if (!extras.empty()) return FailUnexpected(*verb.parser, extras.front(), false);
    return verb.run();
  }
  const std::vector<std::string> extras = app_->remaining();
  if (!extras.empty()) return FailUnexpected(*app_, extras.front(), true);
  return Fail("no verb given; see quantgate --help");
}

int CommandLine::Run(int argc, const char* const* argv) {
  bool version = false;
  app_->add_flag("--version", version, "Version of the tool and of its knowledge");
  for (Verb& verb : verbs_) {
    const auto names = [&](const char* argument) { return verb.parser->get_name() == argument; };
    if (std::any_of(argv, argv + argc, names)) Declare(verb);
  }
  try {
    app_->parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    for (const Verb& verb : verbs_) {
      if (app_->got_subcommand(verb.parser)) return Print(verb.parser->help("quantgate"));
    }
    return Print(app_->help());
  } catch (const CLI::ParseError& error) {
    for (const Verb& verb : verbs_) {
      if (!app_->got_subcommand(verb.parser)) continue;
      const std::vector<std::string> extras = verb.parser->remaining();
      if (!extras.empty()) return FailUnexpected(*verb.parser, extras.front(), false);
      return Fail(verb.parser->get_name() + ": " + error.what());
    }
    return Fail(error.what());
  }
  return RunChosen(version);
}

}  // namespace quantgate::cli
