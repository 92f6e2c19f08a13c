#include "tools/quantgate/cli/help.h"

#include <utility>

#include "quantgate/text.h"
#include "tools/quantgate/show/table.h"

namespace quantgate::cli {
namespace {

constexpr size_t kNameColumns = 26;
constexpr size_t kWidth = 92;

std::string Entry(const std::string& name, const std::string& words) {
  const std::string padded = PadRight(name, kNameColumns - 2);
  return Table({{padded, words}}, 2, kWidth);
}

}  // namespace

// One blank line between paragraphs, none at the end.
std::string HelpFormatter::make_help(const CLI::App* app, std::string name,
                                     CLI::AppFormatMode mode) const {
  std::string help;
  for (const char c : CLI::Formatter::make_help(app, std::move(name), mode)) {
    if (c != '\n' || !help.ends_with("\n\n")) help += c;
  }
  help.erase(help.find_last_not_of('\n') + 1);
  return help + "\n";
}

std::string HelpFormatter::make_usage(const CLI::App* app, std::string name) const {
  std::string usage = "\nUsage: " + name;
  if (!app->get_subcommands({}).empty()) return usage + " VERB [FLAGS]\n\n";
  usage += " [FLAGS]";
  for (const CLI::Option* option : app->get_options()) {
    if (!option->nonpositional()) {
      const bool many = option->get_expected_max() > 1;
      const std::string text = option->get_name() + (many ? "…" : "");
      usage += option->get_required() ? " " + text : " [" + text + "]";
    }
  }
  return usage + "\n\n";
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  std::string name = is_positional ? option->get_name() : option->get_name(false, true);
  if (const size_t comma = name.find(','); comma != std::string::npos) name.insert(comma + 1, " ");
  const bool takes_value = option->get_expected_max() > 0 && !is_positional;
  if (takes_value) name += " " + option->get_type_name();
  std::string words = option->get_description();
  if (!option->get_default_str().empty()) words += " (default " + option->get_default_str() + ")";
  return Entry(name, words);
}

std::string HelpFormatter::make_subcommand(const CLI::App* verb) const {
  return Entry(verb->get_name(), verb->get_description());
}

std::string HelpFormatter::make_description(const CLI::App* app) const {
  std::string text;
  for (const std::string& line : Wrap(app->get_description(), kWidth)) text += line + "\n";
  return text;
}

}  // namespace quantgate::cli
