// Lines of a log whose message nobody knows.
#ifndef QUANTGATE_TOOLS_QUANTGATE_LOG_UNKNOWN_LINES_H_
#define QUANTGATE_TOOLS_QUANTGATE_LOG_UNKNOWN_LINES_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tools/quantgate/log/log_answer.h"
#include "tools/quantgate/log/log_table.h"

namespace quantgate::cli {

class UnknownLines {
 public:
  explicit UnknownLines(const LogTable& table) : table_(table) {}

  struct Line {
    std::string_view text;
    size_t number;
    bool sign;  // that it tells of a failure
    bool few;   // of a log of so few lines that each is meant
  };

  // Counts lines that tell of a failure, and keeps what is known of any line that comes here: who
  // speaks, what it names, what its words are about.
  void Take(const Line& line);

  // Whether nothing is known of any of them.
  bool empty() const { return stages_.empty(); }

  // Adds what is worth saying beside what is known of other lines.
  void AddTo(LogAnswer& answer, bool few) &&;

 private:
  void Count(const Line& line);
  std::optional<size_t> LookAt(const Line& line);
  LogFinding WhoSpeaks(const Line& line) const;
  std::optional<size_t> AddNames(LogFinding finding);
  std::optional<size_t> AddStage(LogFinding finding);

  const LogTable& table_;
  std::vector<UnknownLine> shown_;
  size_t count_ = 0;
  absl::flat_hash_map<std::string, size_t> kinds_;  // the place in shown_, or beyond it
  std::vector<LogFinding> stages_;  // lines of which who speaks is known, or what they name
  // Without their time, and where in stages_ what is known of them is.
  absl::flat_hash_map<std::string, size_t> looked_at_;
};

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_LOG_UNKNOWN_LINES_H_
