// What the verbs share: errors, flags with a fixed set of values, target flags, colours.
#ifndef QUANTGATE_TOOLS_QUANTGATE_CLI_COMMON_H_
#define QUANTGATE_TOOLS_QUANTGATE_CLI_COMMON_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "quantgate/consequence.h"
#include "quantgate/target.h"
#include "quantgate/validator.h"
#include "tools/quantgate/cli/output.h"

namespace quantgate::cli {

class VerbFlags;

// Exit statuses. 1 = findings that fail the mode.
inline constexpr int kFine = 0;
inline constexpr int kUnusable = 2;

// `error: MESSAGE` on stderr, one line whatever MESSAGE holds; returns kUnusable.
int Fail(std::string_view message);
int Fail(const absl::Status& status);

// `note: MESSAGE` on stderr, one line.
void Note(std::string_view message);

// Without a '/' at its end; "" where it can't be determined.
std::string WorkingDirectory();

// "FILE:PLACE: reason" of a reader's "PLACE: reason", "FILE: reason" where there is no place.
struct ReadError {
  std::string place;  // may be empty
  std::string reason;
  std::string Text(std::string_view file) const;
};
ReadError ParseReadError(const absl::Status& status);

// InvalidArgument with did-you-mean when `value` isn't one of `values`.
absl::StatusOr<size_t> OneOf(std::string_view flag, std::string_view value,
                             const std::vector<std::string_view>& values);

// --backend --sdk --soc --arch.
void AddTargetFlags(VerbFlags verb, TargetSpec& spec);
// --mode and --fail-on: which verdicts make the exit status 1.
struct FailFlags {
  std::string mode = "strict", fail_on = "wrong_values";
  void Add(VerbFlags verb);
};
// The mode of that name.
absl::StatusOr<Mode> ParseMode(std::string_view text);
absl::StatusOr<Consequence> ParseFailOn(std::string_view text);

// -o, --output.
void AddOutputFlag(VerbFlags verb, std::string& path);

// The two formats that every verb which prints something knows.
enum class Format { kText, kJson };
void AddFormatFlag(VerbFlags verb, std::string& format);
absl::StatusOr<Format> ParseFormat(std::string_view text);

struct ColorFlag {
  std::string value = "auto";
  void Add(VerbFlags verb);
  // `auto`: a terminal without NO_COLOR (https://no-color.org) or anything with CLICOLOR_FORCE.
  absl::StatusOr<bool> Decide(const Output& output) const;
};

// Columns of the terminal behind `output`, 100 where there is none, at most 120.
int TextWidth(const Output& output);

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_CLI_COMMON_H_
