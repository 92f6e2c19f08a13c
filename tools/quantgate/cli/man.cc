// quantgate man: the manual page, made from the help of all verbs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <string_view>

#include "quantgate/version.h"
#include "tools/quantgate/cli/command_line.h"
#include "tools/quantgate/cli/common.h"
#include "tools/quantgate/cli/output.h"
#include "tools/quantgate/cli/verbs.h"

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

std::string Options(const VerbWords& verb) {
  std::string text;
  for (const FlagWords& flag : verb.flags) {
    text += ".TP\n\\fB" + Roff(fmt::format("{}", fmt::join(flag.names, ", "))) + "\\fR";
    if (flag.takes_value) text += " \\fI" + Roff(flag.type) + "\\fR";
    text += "\n" + Roff(flag.words);
    if (!flag.default_value.empty()) text += Roff(" (default " + flag.default_value + ")");
    text += "\n";
  }
  return text;
}

std::string ManPage(CommandLine& line) {
  std::string text = fmt::format(
      ".\\\" Made by `quantgate man`.\n"
      ".TH QUANTGATE 1 \"\" \"quantgate {}\" \"User Commands\"\n"
      ".SH NAME\nquantgate \\- {}\n"
      ".SH SYNOPSIS\n.B quantgate\n\\fIVERB\\fR [\\fIFLAGS\\fR]\n"
      ".SH DESCRIPTION\n{}\n",
      QUANTGATE_VERSION, "says whether a quantized model fits an NPU backend", Roff(line.words()));
  text += ".SH VERBS\n";
  for (const VerbWords& verb : line.Verbs()) {
    text += fmt::format(".SS {}\n{}\n", Roff(verb.name), Roff(verb.words + "."));
    text += Options(verb);
    if (!verb.footer.empty()) text += ".PP\n.nf\n" + Roff(verb.footer) + "\n.fi\n";
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

void AddMan(CommandLine& line) {
  line.AddVerb(
      "man", "Print the manual page",
      [&line] {
        absl::StatusOr<Output> output = Output::Open("");
        output->Write(ManPage(line));
        const absl::Status status = output->Commit();
        return status.ok() ? kFine : Fail(status);
      },
      [](VerbFlags verb) {
        verb.Footer(
            "Examples:\n"
            "  quantgate man | man -l -");
      });
}

}  // namespace quantgate::cli
