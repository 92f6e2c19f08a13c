// What the messages of a log of QNN, ONNX Runtime, ExecuTorch and other tools mean.
#ifndef QUANTGATE_TOOLS_QUANTGATE_LOG_LOG_MESSAGES_H_
#define QUANTGATE_TOOLS_QUANTGATE_LOG_LOG_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "quantgate/rule.h"
#include "tools/quantgate/log/log_table.h"

namespace quantgate::cli {

// A node of the model that a message is about, and what a check says of it.
struct MeantNode {
  std::string node, verdict;
  std::string says;  // of the worst finding: "QG301 …"; empty = none
};

// One thing that went wrong; lines that say the same of the same node are one.
struct LogFinding {
  size_t line = 0;   // of the log, from 1
  size_t count = 1;  // lines that say so
  std::string node;  // as the log calls it; may be empty
  std::string op;
  std::string message;               // the log's own line, printable and cut
  std::string means;                 // in our words
  std::string action;                // what to do
  std::string alone;                 // said as well if no cause comes
  std::vector<std::string> causes;   // what lines near it said of the same thing
  std::vector<std::string> effects;  // what lines after it said, which is nothing new
  std::vector<std::string> names;    // codes, chips and versions in the lines, in words
  const Rule* rule = nullptr;
  bool by_words = false;  // the message is unknown, what its words are about is not
  std::vector<MeantNode> meant;  // where a model was given
};

// A line that looks like the message of a failure and that nobody knows.
struct UnknownLine {
  size_t line = 0;
  size_t count = 1;  // lines that differ in numbers only
  std::string message;
};

struct LogAnswer {
  std::vector<LogFinding> findings;  // in the order of the log
  size_t left_out = 0;               // known lines about findings beyond the most that are kept
  std::vector<UnknownLine> unknown;  // the first ones
  size_t unknown_lines = 0;          // all
};

// Takes a log piece by piece, in memory that doesn't grow with it.
class LogReader {
 public:
  explicit LogReader(const LogTable& table = LogTable::Get()) : table_(table) {}

  // Whole lines: the last one may lack its line feed. What is beyond the first 4096 bytes of a line
  // isn't read: no message is as long.
  void Read(std::string_view lines);
  LogAnswer Finish() &&;

 private:
  // Something said that waits for the lines around it.
  struct Pending {
    size_t line;
    const LogEntry* entry;
    LogFinding finding;
    std::string text;   // of the line
    bool used = false;  // a subject whose node another line has got
  };
  // The latest finding about a thing, and the line that last said something of it.
  struct Last {
    size_t finding, line;
    LogRole role;
  };
  struct Described {
    const LogEntry* entry;
    LogFinding finding;
  };

  void KeepIfFew(std::string_view lines);
  void LookAtFew();
  bool DescribedBefore(std::string_view line);
  bool Line(std::string_view line);
  bool HasEnoughOf(const LogEntry& entry) const;
  void LeaveOut(const LogEntry& entry);
  void Take(LogFinding finding, const LogEntry& entry, std::string_view text);
  LogFinding Describe(std::string_view line, const LogEntry& entry,
                      const LogPattern::Captures& captures) const;
  void TakeVerdict(LogFinding finding, const LogEntry& entry, std::string_view text);
  void TakeEffect(LogFinding finding, const LogEntry& entry, std::string_view text);
  void GiveSubject(LogFinding& finding);
  void Add(LogFinding finding, const LogEntry& entry, size_t line, std::string_view text);
  bool Replace(LogFinding& finding, const LogEntry& entry, std::string_view text);
  void DropEchoes(std::string_view about);
  void Settle(const Pending& pending);
  void SettleBefore(size_t line);
  void Unknown(std::string_view line, bool sign, bool traceback);
  void AddUnknown(std::string_view line);
  LogFinding WhoSpeaks(std::string_view line) const;
  void AddCodes(std::string_view line, LogFinding& finding) const;
  std::optional<size_t> LookAt(std::string_view line, bool sign);
  std::optional<size_t> AddUnknownNames(LogFinding finding);
  std::optional<size_t> AddStage(LogFinding finding);
  void SettleStages();
  void AddFacts(std::string_view line, LogFinding& finding) const;
  void TakeSubject(LogFinding finding, const LogEntry& entry, std::string_view text);
  Last* Near(std::string_view about, size_t lines);

  const LogTable& table_;
  size_t line_ = 0;
  // Unknown lines without their time that were read for what they name, and the stage they became.
  absl::flat_hash_map<std::string, size_t> looked_at_;
  LogAnswer answer_;
  std::deque<Pending> pending_;
  std::optional<Pending> subject_;
  std::vector<LogFinding> stages_;  // lines of which only the speaker is known
  absl::flat_hash_map<std::string, Last> last_;
  absl::flat_hash_map<std::string, size_t> known_, known_unknown_;
  std::vector<uint32_t> candidates_;
  absl::flat_hash_map<const LogEntry*, size_t> findings_of_;
  // By line without its time: a log repeats itself.
  absl::flat_hash_map<std::string, Described> described_;
  std::optional<std::vector<std::string>> few_{std::in_place};  // all lines, of a log that has few
};

// A whole log.
LogAnswer ExplainLog(std::string_view log);

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_LOG_LOG_MESSAGES_H_
