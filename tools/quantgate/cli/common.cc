#include "tools/quantgate/cli/common.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "quantgate/text.h"
#include "tools/quantgate/cli/command_line.h"
#include "tools/quantgate/show/progress.h"

namespace quantgate::cli {
namespace {

// What a reader puts before ": ": line:column, "byte N", or the path of a field.
bool IsPlace(std::string_view text) {
  if (text.starts_with("byte ")) text.remove_prefix(5);
  if (text.starts_with("line ")) text.remove_prefix(5);
  return !text.empty() && text.find_first_of(" \t'\"") == std::string_view::npos &&
         text.find_first_of("0123456789.[/") != std::string_view::npos;
}

bool IsSet(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && value[0] != '\0';
}

}  // namespace

int Fail(std::string_view message) {
  const std::string line = "error: " + Printable(message) + "\n";
  const auto line_of_its_own = Progress::GiveWay();
  // Nothing can be done where stderr is closed.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
  return kUnusable;
}

int Fail(const absl::Status& status) {
  return Fail(std::string_view(status.message().data(), status.message().size()));
}

void Note(std::string_view message) {
  const std::string line = "note: " + Printable(message) + "\n";
  const auto line_of_its_own = Progress::GiveWay();
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

std::string WorkingDirectory() {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::current_path(error);
  return error ? "" : path.string();
}

std::string ReadError::Text(std::string_view file) const {
  std::string text(file);
  if (!place.empty()) text += ":" + place;
  return text + ": " + reason;
}

ReadError ParseReadError(const absl::Status& status) {
  const std::string_view message(status.message().data(), status.message().size());
  const size_t colon = message.find(": ");
  if (colon != std::string_view::npos && IsPlace(message.substr(0, colon))) {
    return {std::string(message.substr(0, colon)), std::string(message.substr(colon + 2))};
  }
  return {"", std::string(message)};
}

absl::StatusOr<size_t> OneOf(std::string_view flag, std::string_view value,
                             const std::vector<std::string_view>& values) {
  const auto at = std::find(values.begin(), values.end(), value);
  if (at != values.end()) return static_cast<size_t>(at - values.begin());
  std::string known;
  for (const std::string_view name : values) {
    if (!known.empty()) known += ", ";
    known += name;
  }
  std::string text(flag);
  text += ": unknown value '" + Printable(value, 80) + "'" + DidYouMean(value, values) +
          "; known: " + known;
  return absl::InvalidArgumentError(text);
}

void AddTargetFlags(VerbFlags verb, TargetSpec& spec) {
  verb.Add({.name = "--backend", .type = "NAME", .words = "Backend", .group = "Target"},
           spec.backend);
  verb.Add({.name = "--sdk",
            .type = "VERSION",
            .words = "SDK version MAJOR.MINOR; the newest known if not given",
            .group = "Target"},
           spec.sdk);
  verb.Add({.name = "--soc",
            .type = "CHIP",
            .words = "Chip, name in any case or id: SM8550, sm8550, 43",
            .group = "Target"},
           spec.soc);
  verb.Add({.name = "--arch",
            .type = "ARCH",
            .words = "Architecture of the backend: v73",
            .group = "Target"},
           spec.arch);
}

void FailFlags::Add(VerbFlags verb) {
  verb.Add({.name = "--mode",
            .type = "MODE",
            .words = "strict: fail on bad verdicts; warn: only report"},
           mode);
  verb.Add({.name = "--fail-on",
            .type = "VERDICT",
            .words = "Fail on this verdict and worse: advice, undocumented, altered, wrong_values, "
                     "prepare_fails, rejected; or unchecked"},
           fail_on);
}

absl::StatusOr<Mode> ParseMode(std::string_view text) {
  const absl::StatusOr<size_t> index = OneOf("--mode", text, {"strict", "warn"});
  if (!index.ok()) return index.status();
  return *index == 0 ? Mode::kStrict : Mode::kWarn;
}

absl::StatusOr<Consequence> ParseFailOn(std::string_view text) {
  const absl::StatusOr<size_t> index = OneOf("--fail-on", text, FailOnNames());
  if (!index.ok()) return index.status();
  return *ConsequenceFromName(text);
}

void AddOutputFlag(VerbFlags verb, std::string& path) {
  verb.Add({.name = "-o,--output", .type = "FILE", .words = "Write to this file instead"}, path);
}

void AddFormatFlag(VerbFlags verb, std::string& format) {
  verb.Add({.name = "--format", .type = "FORMAT", .words = "text or json"}, format);
}

absl::StatusOr<Format> ParseFormat(std::string_view text) {
  const absl::StatusOr<size_t> index = OneOf("--format", text, {"text", "json"});
  if (!index.ok()) return index.status();
  return *index == 0 ? Format::kText : Format::kJson;
}

void ColorFlag::Add(VerbFlags verb) {
  verb.Add({.name = "--color", .type = "WHEN", .words = "Colours: auto, always or never"}, value);
}

absl::StatusOr<bool> ColorFlag::Decide(const Output& output) const {
  const absl::StatusOr<size_t> index = OneOf("--color", value, {"auto", "always", "never"});
  if (!index.ok()) return index.status();
  if (*index != 0) return *index == 1;
  if (IsSet("NO_COLOR")) return false;
  const char* force = std::getenv("CLICOLOR_FORCE");
  if (IsSet("CLICOLOR_FORCE") && std::string_view(force) != "0") return true;
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  return output.is_terminal() && !dumb;
}

int TextWidth(const Output& output) {
  struct winsize size = {};
  if (output.is_terminal() && ::ioctl(output.descriptor(), TIOCGWINSZ, &size) == 0 &&
      size.ws_col > 0) {
    return std::min<int>(size.ws_col, 120);
  }
  return 100;
}

}  // namespace quantgate::cli
