// Where results go: standard output or a file that appears whole or not at all.
#ifndef QUANTGATE_TOOLS_QUANTGATE_CLI_OUTPUT_H_
#define QUANTGATE_TOOLS_QUANTGATE_CLI_OUTPUT_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/quantgate/cli/signals.h"

namespace quantgate::cli {

// Permissions that new files and folders don't get: the umask, which can't be asked for without
// being set. Not while other threads make files.
unsigned NewFileMask();

// Results are buffered; a file is written under a temporary name beside it and renamed by
// Commit(), so a reader never sees half of it and a run that fails or is ended leaves the old one.
// A closed standard output (`| head`) is no error: what follows is dropped.
class Output {
 public:
  // "" and "-" = standard output. `inputs` are refused as output.
  static absl::StatusOr<Output> Open(const std::string& path,
                                     const std::vector<std::string>& inputs = {});
  Output(Output&& other) noexcept;
  Output& operator=(Output&&) = delete;
  // Without Commit() nothing remains of a file.
  ~Output();

  void Write(std::string_view text);
  // Writes what is buffered; standard output only is visible before Commit().
  absl::Status Flush();
  absl::Status Commit();

  bool is_terminal() const;
  bool is_stdout() const { return path_.empty(); }
  // Where a file is until Commit(), to be read again after Flush(); empty = in no file.
  const std::string& written() const { return temporary_; }
  int descriptor() const { return descriptor_; }

 private:
  Output() = default;

  std::string path_;       // empty = standard output
  std::string temporary_;  // empty = written in place (a device, a pipe)
  Unfinished unfinished_;
  std::string buffer_;
  int descriptor_ = -1;
  bool closed_ = false;  // the reader of the pipe went away
  absl::Status status_;
};

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_CLI_OUTPUT_H_
