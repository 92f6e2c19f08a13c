// The messages that `explain` knows (data/log_messages), compiled in.
#ifndef QUANTGATE_TOOLS_QUANTGATE_LOG_LOG_TABLE_H_
#define QUANTGATE_TOOLS_QUANTGATE_LOG_LOG_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quantgate/rule.h"
#include "tools/quantgate/log/literal_index.h"
#include "tools/quantgate/log/log_details.h"
#include "tools/quantgate/log/log_pattern.h"

namespace quantgate::cli {

struct YamlTree;

// What a message is in the story that a log tells (docs/extending/log_message.md).
enum class LogRole : uint8_t {
  kCause,
  kVerdict,
  kNote,
  kEffect,
  kEcho,
  kSubject,
  kStage,
  kTopic,
  kHint,
  kQuiet
};

struct LogEntry {
  struct Range {
    std::string hole;
    int64_t least, most;
  };
  std::vector<LogPattern> patterns;
  size_t certain = 0;  // of the patterns; the others count on lines that tell of a failure only
  LogRole role = LogRole::kNote;
  std::string about;  // messages about one thing belong together: validation, prepare, device …
  std::string means, action;
  std::string alone;  // said as well where no cause is known
  const Rule* rule = nullptr;
  std::vector<Range> when;
  std::vector<std::string> known;  // holes that must hold a known error
  struct Prefixes {
    std::string hole;
    std::vector<std::string> prefixes;
  };
  std::vector<Prefixes> prefixes;  // holes that must begin with one of these and a digit
};

struct LogError {
  int64_t code;
  std::string name;  // without "QNN_"
  std::string means, action;
};

class LogTable {
 public:
  // The table of the program; `wrong` is empty, or a test fails.
  static const LogTable& Get();

  // That table with the messages of a YAML document before the others. wrong() calls it `name`.
  static std::unique_ptr<const LogTable> With(std::string_view document, std::string_view name);

  // `files`: a map of documents by name (message_files.h).
  explicit LogTable(const YamlTree& files);
  LogTable(const LogTable&) = delete;  // stages() and topics() are its own entries
  LogTable& operator=(const LogTable&) = delete;

  const std::vector<LogEntry>& entries() const { return entries_; }
  const std::vector<std::string>& wrong() const { return wrong_; }

  // The words of all patterns but those of stages and topics, in the order of the table,
  // then those of a place in a traceback, then signs that a line tells of a failure.
  const LiteralIndex& index() const { return *index_; }
  bool IsTraceback(uint32_t text) const { return text == owners_.size(); }
  bool IsSign(uint32_t text) const { return text > owners_.size(); }
  const std::vector<const LogEntry*>& stages() const { return stages_; }
  // Hints come last.
  const std::vector<const LogEntry*>& topics() const { return topics_; }
  const LogEntry& EntryOf(uint32_t text) const { return entries_[owners_[text].entry]; }

  // Whether the pattern with these words is about a line, and what its holes catch. `failure`: the
  // line has a sign of one.
  std::optional<LogPattern::Captures> Match(uint32_t text, std::string_view line,
                                            bool failure) const;

  // "3110", "0xc26", "QNN_OP_PACKAGE_ERROR_VALIDATION_FAILURE".
  const LogError* ErrorOf(std::string_view code) const;

  // `text` with its holes filled: {name}, or {name|filter} with the filters
  //   dtype   the datatype of a QNN number
  //   error   an error code with its meaning; `do`: what to do about it
  //   bytes   a number of bytes in KiB, MiB or GiB; `kib`: of a number of KiB
  // or the name of a table of numbers and their meaning
  std::string Fill(std::string_view text, const LogPattern::Captures& captures) const;

  // How messages call nodes, codes and chips; what a line names besides what it says.
  const LogNames& names() const { return names_; }
  std::vector<LogFact> Facts(std::string_view line) const;
  // What numbers in it are, wherever they stand: known error codes, datatypes, sizes. For lines
  // whose message is unknown.
  std::vector<LogFact> NumberFacts(std::string_view line) const;
  // Said of a line that nobody knows, where it names something.
  const std::string& unknown_line() const { return unknown_line_; }
  // Said of a line of which only topics are known.
  const std::string& unknown_message() const { return unknown_message_; }
  const std::string& unknown_line_action() const { return unknown_line_action_; }

 private:
  struct Owner {
    size_t entry, pattern;
  };

  void Load(const YamlTree& file);
  void LoadErrors(const std::string& place, const YamlTree& errors);
  void LoadTables(const std::string& place, const YamlTree& tables);
  void LoadNames(const std::string& place, const YamlTree& names);
  void LoadTerms(const std::string& place, const YamlTree& terms);
  void LoadEntry(const std::string& place, const YamlTree& node);
  void LoadConditions(const std::string& place, const YamlTree& when, LogEntry& entry);
  void CheckHoles(const std::string& place, const LogEntry& entry);
  std::string Phrase(const std::string& place, const YamlTree* node);
  std::string Filtered(std::string_view value, std::string_view filter) const;
  void MakeIndex();

  std::vector<LogEntry> entries_;
  std::vector<LogError> errors_;
  std::map<std::string, std::string, std::less<>> phrases_;
  std::map<std::string, std::map<int64_t, std::string>, std::less<>> tables_;
  LogNames names_;
  std::string unknown_line_, unknown_line_action_, unknown_message_;
  std::vector<std::string> wrong_;
  std::vector<Owner> owners_;
  std::vector<const LogEntry*> stages_;  // entries that say who speaks
  std::vector<const LogEntry*> topics_;  // entries that say what words are about
  std::optional<LiteralIndex> index_;
};

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_LOG_LOG_TABLE_H_
