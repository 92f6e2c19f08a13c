// What a line of a log names, whatever it says: a node and its op, error codes, chips, versions.
#ifndef QUANTGATE_TOOLS_QUANTGATE_LOG_LOG_DETAILS_H_
#define QUANTGATE_TOOLS_QUANTGATE_LOG_LOG_DETAILS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/quantgate/log/literal_index.h"
#include "tools/quantgate/log/log_pattern.h"

namespace quantgate::cli {

// How messages call things, from data/log_messages/names.yaml.
struct LogNames {
  std::vector<LogPattern> nodes;    // with {node}, {op} or both; the first that fits counts
  std::vector<LogPattern> errors;   // with {code}
  std::vector<LogPattern> soc_ids;  // with {id}
  std::vector<LogPattern> archs;    // with {arch}, a number
  // Words that begin so are names of nodes, where the line names none otherwise; but not where a
  // slash and one of `folders` are the beginning of a file's path.
  std::vector<std::string> node_beginnings, folders;
  std::vector<std::string> path_parts;  // a word with one of them is no node
  struct Term {
    std::vector<std::string> words;
    std::string means;
  };
  std::vector<Term> terms;  // files, variables and other things with a name, and what they are
  // All their words in that order: looked for at once, as they are, and the term of each.
  std::optional<LiteralIndex> words;
  std::vector<std::string_view> word_texts;
  std::vector<size_t> term_of;

  void MakeIndex();
};

// The node and op that a line names; empty where it names none.
struct NamedNode {
  std::string node, op;
};
NamedNode FindNode(const LogNames& names, std::string_view line);

// A chip, arch or SDK version that a line names, and the words that say so.
struct LogFact {
  std::string key;    // "SM8650"; an explanation with it needs no fact
  std::string words;  // "SM8650 is a chip with Hexagon v75"
};
std::vector<LogFact> FindChipsAndVersions(const LogNames& names, std::string_view line);

// The first terms that it holds.
std::vector<LogFact> FindTerms(const LogNames& names, std::string_view line);

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_LOG_LOG_DETAILS_H_
