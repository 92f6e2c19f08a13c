#include "tools/quantgate/log/log_details.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <utility>

#include "quantgate/database.h"

namespace quantgate::cli {
namespace {

constexpr size_t kMostFacts = 6;

bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool IsAlnum(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

std::string Upper(std::string_view text) {
  std::string upper;
  for (const char c : text) upper += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return upper;
}

struct Chips {
  std::map<std::string, const SocInfo*, std::less<>> by_name;
  std::map<std::string, const SocInfo*, std::less<>> by_id;
  std::vector<SocInfo> socs;
};

const Chips& AllChips() {
  static const Chips* const chips = [] {
    auto* all = new Chips;
    all->socs = Database::Embedded().Socs();
    for (const SocInfo& soc : all->socs) {
      all->by_id.emplace(std::to_string(soc.id), &soc);
      all->by_name.emplace(Upper(soc.name), &soc);
      for (const std::string& other : soc.other_names) {
        // "Snapdragon 888" is no word, and "439" is the kernel's number.
        const bool word = std::all_of(other.begin(), other.end(), IsAlnum);
        if (word && !IsDigit(other.front())) all->by_name.emplace(Upper(other), &soc);
      }
    }
    return all;
  }();
  return *chips;
}

std::string ChipWords(const SocInfo& soc) {
  return soc.arch.empty() ? fmt::format("{}, whose Hexagon version is unknown", soc.name)
                          : fmt::format("{}, a chip with Hexagon {}", soc.name, soc.arch);
}

void Add(std::vector<LogFact>& facts, std::string key, std::string words) {
  const bool known = std::any_of(facts.begin(), facts.end(),
                                 [&](const LogFact& fact) { return fact.key == key; });
  if (!known && facts.size() < kMostFacts) facts.push_back({std::move(key), std::move(words)});
}

// "libQnnHtpV79Skel", "HTP_V68", "v73": an arch behind a letter that begins the word, or a sign.
std::optional<std::string> ArchIn(std::string_view word) {
  for (size_t at = 0; at + 2 < word.size(); ++at) {
    if ((word[at] != 'v' && word[at] != 'V') || !IsDigit(word[at + 1]) || !IsDigit(word[at + 2])) {
      continue;
    }
    if (at > 0 && word[at] == 'v' && IsAlnum(word[at - 1])) continue;
    if (at + 3 < word.size() && (IsDigit(word[at + 3]) || word[at + 3] == '.')) continue;
    std::string arch = "v" + std::string(word.substr(at + 1, 2));
    const bool known =
        std::any_of(AllChips().socs.begin(), AllChips().socs.end(),
                    [&](const SocInfo& soc) { return soc.arch == arch; });
    if (known) return arch;
  }
  return std::nullopt;
}

// "2.49.0.260601" and "qnn_2_49_0_": the version of an SDK.
std::optional<std::string> SdkIn(std::string_view word) {
  for (size_t at = word.find('2'); at != std::string_view::npos; at = word.find('2', at + 1)) {
    if (at > 0 && (IsDigit(word[at - 1]) || word[at - 1] == '.')) continue;
    if (at + 4 >= word.size()) break;
    const char sign = word[at + 1];
    if ((sign != '.' && sign != '_') || !IsDigit(word[at + 2]) || !IsDigit(word[at + 3])) continue;
    if (word[at + 4] != sign || at + 5 >= word.size() || !IsDigit(word[at + 5])) continue;
    return "2." + std::string(word.substr(at + 2, 2));
  }
  return std::nullopt;
}

const SocInfo* ChipOfWord(std::string_view word) {
  const auto chip = AllChips().by_name.find(Upper(word));
  return chip == AllChips().by_name.end() ? nullptr : chip->second;
}

bool InWord(char c) { return IsAlnum(c) || c == '_' || c == '.' || c == '-'; }

void LookAtWord(std::string_view word, bool of_sdk, std::vector<LogFact>& facts) {
  for (size_t begin = 0; begin < word.size();) {
    size_t end = begin;
    while (end < word.size() && IsAlnum(word[end])) ++end;
    const SocInfo* chip = end - begin > 4 ? ChipOfWord(word.substr(begin, end - begin)) : nullptr;
    if (chip != nullptr) Add(facts, chip->name, ChipWords(*chip));
    begin = end + 1;
  }
  if (const auto arch = ArchIn(word)) Add(facts, *arch, "Hexagon " + *arch);
  if (const auto sdk = of_sdk ? SdkIn(word) : std::nullopt) {
    Add(facts, *sdk, "SDK version " + *sdk);
  }
}

}  // namespace

// A word that looks like the name of a node: "/model.22/Sigmoid_1", "aten_view_copy_default_17".
std::string NodeByItsLook(const LogNames& names, std::string_view line) {
  constexpr std::string_view kEnds = " \t\r\n\"'`,;:()[]{}<>=";
  for (size_t at = 0; at < line.size();) {
    if (kEnds.find(line[at]) != std::string_view::npos) {
      ++at;
      continue;
    }
    const size_t end = std::min(line.find_first_of(kEnds, at), line.size());
    std::string_view word = line.substr(at, end - at);
    while (word.ends_with('.')) word.remove_suffix(1);
    at = end;
    const auto begins = [&](const std::string& text) { return word.starts_with(text); };
    if (std::none_of(names.node_beginnings.begin(), names.node_beginnings.end(), begins)) continue;
    const auto holds = [&](const std::string& text) { return word.find(text) != word.npos; };
    if (std::any_of(names.path_parts.begin(), names.path_parts.end(), holds)) continue;
    const size_t slash = word.starts_with('/') ? word.find('/', 1) : std::string_view::npos;
    if (word.starts_with('/')) {
      if (slash == std::string_view::npos || slash + 1 == word.size()) continue;
      const std::string_view first = word.substr(1, slash - 1);
      if (std::find(names.folders.begin(), names.folders.end(), first) != names.folders.end()) {
        continue;
      }
    }
    return std::string(word);
  }
  return "";
}

NamedNode FindNode(const LogNames& names, std::string_view line) {
  NamedNode named;
  for (const LogPattern& pattern : names.nodes) {
    const bool has_node = !named.node.empty() || !pattern.Catches("node");
    const bool has_op = !named.op.empty() || !pattern.Catches("op");
    if (has_node && has_op) continue;
    const auto captures = pattern.Match(line);
    if (!captures) continue;
    const auto node = captures->find("node");
    const auto op = captures->find("op");
    if (node != captures->end() && named.node.empty()) named.node = node->second;
    if (op != captures->end() && named.op.empty()) named.op = op->second;
  }
  if (named.node.empty()) named.node = NodeByItsLook(names, line);
  return named;
}

std::vector<LogFact> FindChipsAndVersions(const LogNames& names, std::string_view line) {
  std::vector<LogFact> facts;
  for (const LogPattern& pattern : names.soc_ids) {
    const auto captures = pattern.Match(line);
    if (!captures) continue;
    const std::string& id = captures->at("id");
    const auto chip = AllChips().by_id.find(id);
    if (chip != AllChips().by_id.end()) {
      Add(facts, chip->second->name,
          fmt::format("QNN's SoC id {} is {}", id, ChipWords(*chip->second)));
    }
  }
  for (const LogPattern& pattern : names.archs) {
    const auto captures = pattern.Match(line);
    if (!captures) continue;
    if (const auto arch = ArchIn("v" + captures->at("arch"))) {
      Add(facts, *arch, "Hexagon " + *arch);
    }
  }
  const std::string upper = Upper(line.substr(0, 512));
  const bool of_sdk = upper.find("QNN") != std::string::npos ||
                      upper.find("SDK") != std::string::npos ||
                      upper.find("QAIRT") != std::string::npos ||
                      upper.find("LIB ID") != std::string::npos;
  for (size_t begin = 0; begin < line.size();) {
    if (!InWord(line[begin])) {
      ++begin;
      continue;
    }
    size_t end = begin;
    while (end < line.size() && InWord(line[end])) ++end;
    LookAtWord(line.substr(begin, end - begin), of_sdk, facts);
    begin = end;
  }
  return facts;
}

void LogNames::MakeIndex() {
  for (size_t i = 0; i < terms.size(); ++i) {
    for (const std::string& word : terms[i].words) {
      word_texts.push_back(word);
      term_of.push_back(i);
    }
  }
  words.emplace(word_texts);
}

std::vector<LogFact> FindTerms(const LogNames& names, std::string_view line) {
  constexpr size_t kMostTerms = 3;
  std::vector<uint32_t> found;
  names.words->FindAll(line, found);
  std::sort(found.begin(), found.end());
  std::vector<LogFact> facts;
  size_t last = names.terms.size();
  for (const uint32_t word : found) {
    const size_t term = names.term_of[word];
    if (term == last) continue;
    if (facts.size() == kMostTerms) break;
    last = term;
    std::string name(names.word_texts[word]);
    while (!name.empty() && name.back() == ' ') name.pop_back();
    facts.push_back({name, fmt::format("{}: {}", name, names.terms[term].means)});
  }
  return facts;
}

}  // namespace quantgate::cli
