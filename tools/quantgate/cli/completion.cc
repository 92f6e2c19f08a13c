// quantgate completion SHELL: a script that completes verbs, flags and their values. All of it
// comes from the parser, the rule table and the database.
#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "quantgate/quantgate.h"
#include "quantgate/report_formats.h"
#include "tools/quantgate/cli/command_line.h"
#include "tools/quantgate/cli/common.h"
#include "tools/quantgate/cli/output.h"
#include "tools/quantgate/cli/verbs.h"

namespace quantgate::cli {
namespace {

using Words = std::vector<std::string>;

Words ToWords(const auto& names) { return Words(names.begin(), names.end()); }

Words RuleWords() {
  Words words;
  for (const Rule* rule : AllRules()) {
    words.emplace_back(rule->code);
    words.emplace_back(rule->slug);
  }
  return words;
}

Words SocWords() {
  Words words;
  for (const SocInfo& soc : Database::Embedded().Socs()) words.push_back(soc.name);
  return words;
}

Words OfEveryBackend(const std::function<Words(const std::string&)>& list) {
  Words words;
  for (const std::string& backend : Database::Embedded().Backends()) {
    for (std::string& word : list(backend)) {
      if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
    }
  }
  return words;
}

Words OpWords() {
  const absl::StatusOr<Target> target = Target::Parse({});
  return target.ok() ? Database::Embedded().Ops(*target) : Words();
}

// Values of a flag, or of the arguments of a verb; empty = files.
Words ValuesOf(const std::string& verb, const std::string& name) {
  const Database& database = Database::Embedded();
  static const std::map<std::string, std::function<Words()>> values = {
      {"--mode",
       [] {
         return Words{"strict", "warn"};
       }},
      {"--color",
       [] {
         return Words{"auto", "always", "never"};
       }},
      {"--route", [] { return Database::Embedded().Routes(); }},
      {"--fail-on", [] { return ToWords(FailOnNames()); }},
      {"--select", RuleWords},
      {"--ignore", RuleWords},
      {"--soc", SocWords},
      {"RULE", RuleWords},
      {"OP", OpWords},
      {"SHELL",
       [] {
         return Words{"bash", "zsh", "fish"};
       }},
  };
  if (name == "--format") {
    return verb == "check" ? ToWords(ReportFormatNames()) : Words{"text", "json", "html"};
  }
  if (name == "--by") return {"arch", "sdk", "backend", "soc"};
  if (name == "--backend") return database.Backends();
  if (name == "--sdk" || name == "--from" || name == "--to") {
    return OfEveryBackend([&](const std::string& backend) { return database.Sdks(backend); });
  }
  if (name == "--arch") {
    return OfEveryBackend([&](const std::string& backend) { return database.Archs(backend); });
  }
  if (name == "--input-format") return {"onnx", "model", "jsonl", "binpb", "qnn", "layers", "pt2", "tflite"};
  const auto at = values.find(name);
  return at == values.end() ? Words() : at->second();
}

struct Flag {
  Words names;  // "-o", "--output"
  std::string words;
  bool takes_value = false;
  Words values;  // empty = files, where it takes one
};

struct CompletedVerb {
  std::string name, words;
  std::vector<Flag> flags;
  Words arguments;
};

std::vector<CompletedVerb> Describe(CommandLine& line) {
  std::vector<CompletedVerb> verbs;
  for (const VerbWords& verb : line.Verbs()) {
    CompletedVerb described{verb.name, verb.words, {}, {}};
    for (const FlagWords& flag : verb.flags) {
      const std::string& name = flag.names.back();
      if (flag.argument) {
        described.arguments = ValuesOf(verb.name, name);
        continue;
      }
      described.flags.push_back({flag.names, flag.words, flag.takes_value,
                                 flag.takes_value ? ValuesOf(verb.name, name) : Words()});
    }
    verbs.push_back(std::move(described));
  }
  return verbs;
}

std::string Joined(const Words& words, std::string_view separator = " ") {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += separator;
    text += word;
  }
  return text;
}

Words NamesOf(const std::vector<CompletedVerb>& verbs) {
  Words names;
  for (const CompletedVerb& verb : verbs) names.push_back(verb.name);
  return names;
}

Words AllFlags(const CompletedVerb& verb) {
  Words names;
  for (const Flag& flag : verb.flags)
    names.insert(names.end(), flag.names.begin(), flag.names.end());
  return names;
}

// `case "$verb $previous" in` of bash and zsh: sets `values` where the flag has some, `files`
// where it takes a file.
std::string ValueCases(const std::vector<CompletedVerb>& verbs) {
  std::string text;
  for (const CompletedVerb& verb : verbs) {
    for (const Flag& flag : verb.flags) {
      if (!flag.takes_value) continue;
      Words patterns;
      for (const std::string& name : flag.names) {
        patterns.push_back(fmt::format("\"{} {}\"", verb.name, name));
      }
      text += fmt::format("    {}) ", Joined(patterns, " | "));
      text += flag.values.empty() ? "files=1" : fmt::format("values=\"{}\"", Joined(flag.values));
      text += " ;;\n";
    }
  }
  return text;
}

std::string VerbCases(const std::vector<CompletedVerb>& verbs) {
  std::string text;
  for (const CompletedVerb& verb : verbs) {
    text += fmt::format("    {}) flags=\"{}\" arguments=\"{}\" ;;\n", verb.name,
                        Joined(AllFlags(verb)), Joined(verb.arguments));
  }
  return text;
}

std::string Bash(const std::vector<CompletedVerb>& verbs) {
  return fmt::format(R"(# quantgate completion bash
# Put this into ~/.bashrc:  source <(quantgate completion bash)
_quantgate() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} verb=${{COMP_WORDS[1]}}
  local values= files= flags= arguments=
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "{} --help --version" -- "$word"))
    return
  fi
  case "$verb $previous" in
{}  esac
  case "$verb" in
{}  esac
  if [[ -n $values ]]; then
    COMPREPLY=($(compgen -W "$values" -- "$word"))
  elif [[ -n $files ]]; then
    compopt -o filenames; COMPREPLY=($(compgen -f -- "$word"))
  elif [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$word"))
  elif [[ -n $arguments ]]; then
    COMPREPLY=($(compgen -W "$arguments" -- "$word"))
  else
    compopt -o filenames; COMPREPLY=($(compgen -f -- "$word"))
  fi
}}
complete -F _quantgate quantgate
)",
                     Joined(NamesOf(verbs)), ValueCases(verbs), VerbCases(verbs));
}

std::string Zsh(const std::vector<CompletedVerb>& verbs) {
  return fmt::format(R"(#compdef quantgate
# quantgate completion zsh
# Put this into ~/.zshrc, after compinit:  source <(quantgate completion zsh)
_quantgate() {{
  local previous=$words[CURRENT-1] verb=$words[2]
  local values= files= flags= arguments=
  if ((CURRENT == 2)); then
    compadd -- {} --help --version
    return
  fi
  case "$verb $previous" in
{}  esac
  case "$verb" in
{}  esac
  if [[ -n $values ]]; then
    compadd -- ${{=values}}
  elif [[ -n $files ]]; then
    _files
  elif [[ $words[CURRENT] == -* ]]; then
    compadd -- ${{=flags}}
  elif [[ -n $arguments ]]; then
    compadd -- ${{=arguments}}
  else
    _files
  fi
}}
if [[ $funcstack[1] == _quantgate ]]; then _quantgate "$@"; else compdef _quantgate quantgate; fi
)",
                     Joined(NamesOf(verbs)), ValueCases(verbs), VerbCases(verbs));
}

// In single quotes of fish.
std::string FishQuoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

std::string Fish(const std::vector<CompletedVerb>& verbs) {
  std::string text =
      "# quantgate completion fish\n"
      "# quantgate completion fish > ~/.config/fish/completions/quantgate.fish\n"
      "complete -c quantgate -n __fish_use_subcommand -f -l help -d 'This help'\n"
      "complete -c quantgate -n __fish_use_subcommand -f -l version\n";
  for (const CompletedVerb& verb : verbs) {
    text += fmt::format("complete -c quantgate -n __fish_use_subcommand -f -a {} -d {}\n",
                        verb.name, FishQuoted(verb.words));
    const std::string seen = fmt::format("'__fish_seen_subcommand_from {}'", verb.name);
    if (!verb.arguments.empty()) {
      text += fmt::format("complete -c quantgate -n {} -f -a {}\n", seen,
                          FishQuoted(Joined(verb.arguments)));
    }
    for (const Flag& flag : verb.flags) {
      text += "complete -c quantgate -n " + seen;
      for (const std::string& name : flag.names) {
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      if (flag.takes_value) {
        text += flag.values.empty() ? " -r" : " -x -a " + FishQuoted(Joined(flag.values));
      }
      text += " -d " + FishQuoted(flag.words) + "\n";
    }
  }
  return text;
}

int RunCompletion(CommandLine& line, const std::string& shell) {
  const absl::StatusOr<size_t> index = OneOf("completion", shell, {"bash", "zsh", "fish"});
  if (!index.ok()) return Fail(index.status());
  const std::vector<CompletedVerb> verbs = Describe(line);
  absl::StatusOr<Output> output = Output::Open("");
  output->Write(*index == 0 ? Bash(verbs) : *index == 1 ? Zsh(verbs) : Fish(verbs));
  if (const absl::Status status = output->Commit(); !status.ok()) return Fail(status);
  return kFine;
}

}  // namespace

void AddCompletion(CommandLine& line) {
  const auto shell = std::make_shared<std::string>();
  line.AddVerb(
      "completion", "A script that completes commands in a shell",
      [shell, &line] { return RunCompletion(line, *shell); },
      [shell](VerbFlags verb) {
        verb.Add({.name = "SHELL", .words = "bash, zsh or fish", .required = true}, *shell);
        verb.Footer(
            "Examples:\n"
            "  source <(quantgate completion bash)\n"
            "  quantgate completion fish > ~/.config/fish/completions/quantgate.fish");
      });
}

}  // namespace quantgate::cli
