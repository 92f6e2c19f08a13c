// Verbs, their flags and their help. The parser behind it (CLI11) is a large header that only
// command_line.cc includes.
#ifndef QUANTGATE_TOOLS_QUANTGATE_CLI_COMMAND_LINE_H_
#define QUANTGATE_TOOLS_QUANTGATE_CLI_COMMAND_LINE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace quantgate::cli {

// A flag, or an argument known by its place, as it is declared.
struct FlagSpec {
  std::string name;       // "--sdk", "-o,--output"; in capitals = an argument
  std::string type = {};  // what its value is called: "FILE"
  std::string words;      // what it is for
  std::string group = "Flags";
  bool required = false;
  int least = 1, most = 1 << 30;  // of an int
};

// The flags of one verb. A value other than "" and 0 is shown as the default. What is added must
// outlive the parsing.
class VerbFlags {
 public:
  explicit VerbFlags(CLI::App& app) : app_(&app) {}

  void Add(const FlagSpec& spec, bool& value);
  void Add(const FlagSpec& spec, int& value);
  void Add(const FlagSpec& spec, uint64_t& value);
  void Add(const FlagSpec& spec, std::string& value);
  // A flag may be repeated, with one value each time; an argument takes what there is.
  void Add(const FlagSpec& spec, std::vector<std::string>& values);
  // The same with several values in one text, separated by commas.
  void AddList(const FlagSpec& spec, std::vector<std::string>& values);
  // What stands below the flags in the help: examples and exit statuses.
  void Footer(std::string_view text);

  // Reported after parsing. `name` is one of those of the flag: "--sdk".
  bool Given(std::string_view name) const;

 private:
  CLI::App* app_;
};

// A flag as others print it: the manual page, completions.
struct FlagWords {
  std::vector<std::string> names;  // "-o", "--output"; the one name of an argument
  std::string type, words, default_value;
  bool argument = false;
  bool takes_value = false;
};

struct VerbWords {
  std::string name, words, footer;
  std::vector<FlagWords> flags;
};

// The verbs of the tool.
class CommandLine {
 public:
  // `words` and `footer` stand above and below the verbs in the help; `version` answers --version.
  CommandLine(const std::string& words, const std::string& footer,
              std::function<std::string()> version);
  ~CommandLine();

  // `run` gives the exit status. `declare` adds the flags: called when the verb is given or all of
  // them are to be printed, since declaring those of every verb takes longer than many runs.
  void AddVerb(const std::string& name, const std::string& words, std::function<int()> run,
               std::function<void(VerbFlags)> declare);

  // Parses, then runs the verb, prints what was asked for or says what is wrong; the exit status.
  int Run(int argc, const char* const* argv);

  std::string words() const;
  std::vector<VerbWords> Verbs();

 private:
  struct Verb {
    CLI::App* parser;
    std::function<int()> run;
    std::function<void(VerbFlags)> declare;  // null once it was called
  };
  static void Declare(Verb& verb);
  int RunChosen(bool version);

  std::unique_ptr<CLI::App> app_;
  std::vector<Verb> verbs_;
  std::function<std::string()> version_;
};

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_CLI_COMMAND_LINE_H_
