// quantgate man: the manual page, made from the help of all verbs.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "quantgate/version.h"
#include "tools/quantgate/common.h"
#include "tools/quantgate/output.h"
#include "tools/quantgate/verbs.h"

namespace quantgate::cli {
namespace {

// Text of roff (groff_man(7)): no request may begin a line, hyphens stay hyphens.
std::string Roff(std::string_view text) {
  std::string roff;
  bool begins = true;
  for (const char c : text) {
    if (begins && (c == '.' || c == '\'')) roff += "\\&";
    begins = c == '\n';
    if (c == '\\') {
      roff += "\\e";
    } else if (c == '-') {
      roff += "\\-";
    } else {
      roff += c;
    }
  }
  return roff;
}

std::string Options(const CLI::App& verb) {
  std::string text;
  for (const CLI::Option* option : verb.get_options()) {
    std::string name;
    if (!option->nonpositional()) {
      name = option->get_name();
    } else {
      for (const std::string& part : option->get_snames()) name += "-" + part + ", ";
      for (const std::string& part : option->get_lnames()) name += "--" + part + ", ";
      name.resize(name.size() - 2);
    }
    const bool takes_value = option->get_expected_max() > 0 && option->nonpositional();
    text += ".TP\n\\fB" + Roff(name) + "\\fR";
    if (takes_value) text += " \\fI" + Roff(option->get_type_name()) + "\\fR";
    text += "\n" + Roff(option->get_description());
    if (!option->get_default_str().empty()) {
      text += Roff(" (default " + option->get_default_str() + ")");
    }
    text += "\n";
  }
  return text;
}

std::string Page(const CLI::App& app) {
  std::string text = fmt::format(
      ".\\\" Made by `quantgate man`.\n"
      ".TH QUANTGATE 1 \"\" \"quantgate {}\" \"User Commands\"\n"
      ".SH NAME\nquantgate \\- {}\n"
      ".SH SYNOPSIS\n.B quantgate\n\\fIVERB\\fR [\\fIFLAGS\\fR]\n"
      ".SH DESCRIPTION\n{}\n",
      QUANTGATE_VERSION, "says whether a quantized model fits an NPU backend",
      Roff(app.get_description()));
  text += ".SH VERBS\n";
  for (const CLI::App* verb : app.get_subcommands({})) {
    text +=
        fmt::format(".SS {}\n{}\n", Roff(verb->get_name()), Roff(verb->get_description() + "."));
    text += Options(*verb);
    if (!verb->get_footer().empty()) {
      text += ".PP\n.nf\n" + Roff(verb->get_footer()) + "\n.fi\n";
    }
  }
  text +=
      ".SH EXIT STATUS\n"
      ".TP\n0\nnothing that fails was found\n"
      ".TP\n1\nfindings that fail the mode\n"
      ".TP\n2\nunusable input or arguments; one line on standard error says where and why\n"
      ".SH ENVIRONMENT\n"
      ".TP\n\\fBNO_COLOR\\fR\nno colours; \\fBCLICOLOR_FORCE\\fR asks for them also in pipes\n"
      ".SH FILES\n"
      ".TP\n\\fBquantgate.yaml\\fR, \\fBpyproject.toml\\fR\n"
      "the configuration, looked for upwards from the model\n";
  return text;
}

}  // namespace

Verb AddMan(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("man", "Print the manual page");
  verb->footer(
      "Examples:\n"
      "  quantgate man | man -l -");
  return {verb, [&app] {
            absl::StatusOr<Output> output = Output::Open("");
            output->Write(Page(app));
            const absl::Status status = output->Commit();
            return status.ok() ? kFine : Fail(status);
          }};
}

}  // namespace quantgate::cli
