// What the process does when it is asked to end, and when a file breaks under it.
#ifndef QUANTGATE_TOOLS_QUANTGATE_CLI_SIGNALS_H_
#define QUANTGATE_TOOLS_QUANTGATE_CLI_SIGNALS_H_

#include <string>

namespace quantgate::cli {

// To be called once, before anything is opened.
// - Descriptors 0 to 2 that are closed lead to /dev/null, opened so that writing fails: no file of
//   ours gets the number of standard output.
// - A closed pipe and a file that may not grow are recognised by write().
// - SIGINT, SIGTERM and SIGHUP remove the files of Unfinished, then end the process as they would.
// - SIGBUS, which is how a mapped file that became shorter is reported, is an error and exit status 2.
void PrepareProcess();

// After that time: an error and exit status 2.
void LimitTime(unsigned seconds);

// A file to be removed when a signal ends the process before this does.
class Unfinished {
 public:
  Unfinished() = default;
  explicit Unfinished(const std::string& path);
  Unfinished(Unfinished&& other) noexcept;
  Unfinished& operator=(Unfinished&& other) noexcept;
  ~Unfinished();

 private:
  int slot_ = -1;
};

// Signals that end the process wait until this does.
class SignalsWait {
 public:
  SignalsWait();
  SignalsWait(const SignalsWait&) = delete;
  SignalsWait& operator=(const SignalsWait&) = delete;
  ~SignalsWait();
};

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_CLI_SIGNALS_H_
