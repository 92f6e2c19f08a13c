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
#include "tools/quantgate/log/log_answer.h"
#include "tools/quantgate/log/log_table.h"
#include "tools/quantgate/log/unknown_lines.h"

namespace quantgate::cli {

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
  bool Line(std::string_view line, bool failure);
  bool HasEnoughOf(const LogEntry& entry) const;
  void LeaveOut(const LogEntry& entry);
  void Take(LogFinding finding, const LogEntry& entry, std::string_view text);
  void TakeVerdict(LogFinding finding, const LogEntry& entry, std::string_view text);
  void TakeEffect(LogFinding finding, const LogEntry& entry, std::string_view text);
  void GiveSubject(LogFinding& finding);
  void Add(LogFinding finding, const LogEntry& entry, size_t line, std::string_view text);
  bool Replace(LogFinding& finding, const LogEntry& entry, std::string_view text);
  void DropEchoes(std::string_view about);
  void Settle(const Pending& pending);
  void SettleBefore(size_t line);
  void TakeSubject(LogFinding finding, const LogEntry& entry, std::string_view text);
  Last* Near(std::string_view about, size_t lines);

  const LogTable& table_;
  size_t line_ = 0;
  LogAnswer answer_;
  UnknownLines unknown_{table_};
  std::deque<Pending> pending_;
  std::optional<Pending> subject_;
  absl::flat_hash_map<std::string, Last> last_;
  absl::flat_hash_map<std::string, size_t> known_;
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
