// How --help looks.
#ifndef QUANTGATE_TOOLS_QUANTGATE_CLI_HELP_H_
#define QUANTGATE_TOOLS_QUANTGATE_CLI_HELP_H_

#include <CLI/CLI.hpp>
#include <string>

namespace quantgate::cli {

// One line of names and one wrapped column of words per flag.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
  std::string make_usage(const CLI::App* app, std::string name) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* verb) const override;
  std::string make_description(const CLI::App* app) const override;
};

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_CLI_HELP_H_
