#include "tools/quantgate/log/log_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "quantgate/dtype.h"
#include "quantgate/text.h"
#include "tools/quantgate/cli/yaml_tree.h"
#include "tools/quantgate/log/log_numbers.h"
#include "tools/quantgate/log/message_files.h"

namespace quantgate::cli {
namespace {

constexpr std::array<std::pair<std::string_view, LogRole>, 10> kRoles = {
    {{"cause", LogRole::kCause},
     {"verdict", LogRole::kVerdict},
     {"note", LogRole::kNote},
     {"effect", LogRole::kEffect},
     {"echo", LogRole::kEcho},
     {"subject", LogRole::kSubject},
     {"stage", LogRole::kStage},
     {"topic", LogRole::kTopic},
     {"hint", LogRole::kHint},
     {"quiet", LogRole::kQuiet}}};
constexpr std::array<std::string_view, 9> kKeys = {
    "pattern", "patterns", "in failures", "role", "means", "do", "alone", "rule", "when"};
constexpr size_t kShown = 80;  // columns of a user's text
constexpr std::array<std::string_view, 5> kFilters = {"dtype", "error", "do", "bytes", "kib"};
constexpr std::string_view kTraceback = "File \"";
// A line with one of these that no entry is about is counted as unknown.
constexpr std::array<std::string_view, 17> kSigns = {
    "rror:",    "rror ",  "ERROR",     "failed",      "Failed",        "AILED", "ailure", "xception",
    "annot ",   "[E:",    "nable to ", "nsupported ", "not supported", "FATAL", "Fatal ", "ould not ",
    "<E>"};

// Calls `see(name, filter)` for each hole of a text.
template <typename See>
void EachHole(std::string_view text, const See& see) {
  for (size_t open = text.find('{'); open != std::string_view::npos; open = text.find('{')) {
    const size_t close = text.find('}', open);
    if (close == std::string_view::npos) return;
    const std::string_view hole = text.substr(open + 1, close - open - 1);
    const size_t bar = hole.find('|');
    see(hole.substr(0, bar), bar == std::string_view::npos ? "" : hole.substr(bar + 1));
    text.remove_prefix(close + 1);
  }
}

// One of the prefixes, then a digit: "SM8550" begins with "SM".
bool BeginsWithOne(std::string_view text, const std::vector<std::string>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](const std::string& prefix) {
    return text.starts_with(prefix) && text.size() > prefix.size() && text[prefix.size()] >= '0' &&
           text[prefix.size()] <= '9';
  });
}

std::vector<const YamlTree*> Scalars(const YamlTree* node) {
  std::vector<const YamlTree*> list;
  if (node == nullptr) return list;
  if (node->is_scalar()) return {node};
  for (const YamlTree& child : node->children) list.push_back(&child);
  return list;
}

}  // namespace

const LogTable& LogTable::Get() {
  static const LogTable table(MessageFilesOfProgram());
  return table;
}

std::unique_ptr<const LogTable> LogTable::With(std::string_view document, std::string_view name) {
  YamlTree own = ParseYaml(document).value_or(YamlTree());
  own.key = name;
  YamlTree files = MessageFilesOfProgram();
  // Phrases and errors, the first file, are known before whatever uses them.
  files.children.insert(files.children.begin() + 1, std::move(own));
  return std::make_unique<const LogTable>(files);
}

LogTable::LogTable(const YamlTree& files) {
  for (const YamlTree& file : files.children) Load(file);
  const auto phrase = [&](std::string_view name) {
    const auto at = phrases_.find(name);
    return at == phrases_.end() ? std::string() : at->second;
  };
  unknown_line_ = phrase("unknown line");
  unknown_line_action_ = phrase("unknown action");
  unknown_message_ = phrase("unknown message");
  MakeIndex();
}

void LogTable::Load(const YamlTree& file) {
  const std::string& name = file.key;
  if (!file.is_map()) {
    wrong_.push_back(fmt::format("{}: not YAML, or no mapping", name));
    return;
  }
  for (const YamlTree& part : file.children) {
    if (part.key == "phrases") {
      for (const YamlTree& phrase : part.children) phrases_[phrase.key] = phrase.text;
    } else if (part.key == "tables") {
      LoadTables(name, part);
    } else if (part.key == "errors") {
      LoadErrors(name, part);
    } else if (part.key == "names") {
      LoadNames(name, part);
    } else if (part.key.starts_with("about ")) {
      for (const YamlTree& node : part.children) {
        const size_t before = entries_.size();
        LoadEntry(fmt::format("{}:{}", name, node.line), node);
        if (entries_.size() > before) entries_.back().about = part.key.substr(6);
      }
    } else {
      wrong_.push_back(fmt::format("{}: unknown key '{}'; messages stand under 'about THING'", name,
                                   Printable(part.key, kShown)));
    }
  }
}

void LogTable::LoadTables(const std::string& place, const YamlTree& tables) {
  for (const YamlTree& table : tables.children) {
    for (const YamlTree& row : table.children) {
      const auto number = NumberOf(row.key);
      if (!number) wrong_.push_back(fmt::format("{}: {} is no number", place, row.key));
      tables_[table.key][number.value_or(0)] = row.text;
    }
  }
}

void LogTable::LoadNames(const std::string& place, const YamlTree& names) {
  struct Kind {
    std::string_view key;
    std::vector<LogPattern>* patterns;
    std::string_view hole;
  };
  const std::array<Kind, 4> kinds = {{{"nodes", &names_.nodes, "node"},
                                      {"errors", &names_.errors, "code"},
                                      {"soc ids", &names_.soc_ids, "id"},
                                      {"archs", &names_.archs, "arch"}}};
  const std::map<std::string_view, std::vector<std::string>*> lists = {
      {"node beginnings", &names_.node_beginnings},
      {"folders", &names_.folders},
      {"path parts", &names_.path_parts}};
  for (const YamlTree& part : names.children) {
    if (part.key == "terms") {
      LoadTerms(place, part);
      continue;
    }
    const auto list = lists.find(part.key);
    if (list != lists.end()) {
      for (const YamlTree* text : Scalars(&part)) list->second->push_back(text->text);
      continue;
    }
    const auto kind = std::find_if(kinds.begin(), kinds.end(),
                                   [&](const Kind& known) { return known.key == part.key; });
    if (kind == kinds.end()) {
      wrong_.push_back(fmt::format("{}:{}: unknown key '{}'", place, part.line, part.key));
      continue;
    }
    for (const YamlTree* text : Scalars(&part)) {
      LogPattern pattern(text->text);
      const bool caught = pattern.Catches(kind->hole) ||
                          (kind->key == "nodes" && pattern.Catches("op"));
      if (!caught) {
        wrong_.push_back(fmt::format("{}:{}: no {{{}}} in it", place, text->line, kind->hole));
      }
      kind->patterns->push_back(std::move(pattern));
    }
  }
}

void LogTable::LoadTerms(const std::string& place, const YamlTree& terms) {
  for (const YamlTree& node : terms.children) {
    LogNames::Term term;
    for (const YamlTree* word : Scalars(node.find("words"))) term.words.push_back(word->text);
    term.means = Phrase(place, node.find("means"));
    if (term.words.empty() || term.means.empty()) {
      wrong_.push_back(fmt::format("{}:{}: a term has words and means", place, node.line));
    }
    names_.terms.push_back(std::move(term));
  }
}

void LogTable::LoadErrors(const std::string& place, const YamlTree& errors) {
  for (const YamlTree& node : errors.children) {
    LogError error;
    const std::string where = fmt::format("{}:{}", place, node.line);
    for (const YamlTree& field : node.children) {
      if (field.key == "code")
        error.code = field.integer().value_or(-1);
      else if (field.key == "name")
        error.name = field.text;
      else if (field.key == "means")
        error.means = field.text;
      else if (field.key == "do")
        error.action = Phrase(where, &field);
      else
        wrong_.push_back(fmt::format("{}: unknown key '{}'", where, field.key));
    }
    if (error.code <= 0 || error.name.empty() || error.means.empty() || error.action.empty()) {
      wrong_.push_back(where + ": an error has code, name, means and do");
    }
    errors_.push_back(std::move(error));
  }
}

// A text, or "$name" for one of the phrases.
std::string LogTable::Phrase(const std::string& place, const YamlTree* node) {
  if (node == nullptr) return "";
  if (!node->text.starts_with('$')) return node->text;
  const auto at = phrases_.find(node->text.substr(1));
  if (at != phrases_.end()) return at->second;
  wrong_.push_back(fmt::format("{}: there is no phrase {}", place, node->text));
  return "";
}

void LogTable::LoadEntry(const std::string& place, const YamlTree& node) {
  LogEntry entry;
  for (const YamlTree& field : node.children) {
    if (std::find(kKeys.begin(), kKeys.end(), field.key) == kKeys.end()) {
      wrong_.push_back(fmt::format("{}: unknown key '{}'{}", place, Printable(field.key, kShown),
                                   DidYouMean(field.key, kKeys)));
    }
  }
  for (const std::string_view key : {"pattern", "patterns", "in failures"}) {
    if (key == "in failures") entry.certain = entry.patterns.size();
    for (const YamlTree* pattern : Scalars(node.find(key))) {
      entry.patterns.emplace_back(pattern->text);
      const std::string& wrong = entry.patterns.back().wrong();
      if (!wrong.empty()) wrong_.push_back(fmt::format("{}: {}", place, wrong));
    }
  }
  const YamlTree* role = node.find("role");
  const auto known = std::find_if(kRoles.begin(), kRoles.end(), [&](const auto& row) {
    return row.first == (role == nullptr ? "note" : role->text);
  });
  if (known == kRoles.end()) {
    wrong_.push_back(place + ": unknown role " + role->text);
  } else {
    entry.role = known->second;
  }
  entry.means = Phrase(place, node.find("means"));
  entry.action = Phrase(place, node.find("do"));
  entry.alone = Phrase(place, node.find("alone"));
  if (const YamlTree* rule = node.find("rule")) {
    entry.rule = FindRule(rule->text);
    if (entry.rule == nullptr) wrong_.push_back(place + ": unknown rule " + rule->text);
  }
  if (const YamlTree* when = node.find("when")) LoadConditions(place, *when, entry);
  CheckHoles(place, entry);
  entries_.push_back(std::move(entry));
}

void LogTable::LoadConditions(const std::string& place, const YamlTree& when, LogEntry& entry) {
  for (const YamlTree& hole : when.children) {
    if (hole.is_scalar() && hole.text == "known") {
      entry.known.push_back(hole.key);
    } else if (hole.is_list() && hole.children.size() == 2 && hole.children[0].integer() &&
               hole.children[1].integer()) {
      entry.when.push_back({hole.key, *hole.children[0].integer(), *hole.children[1].integer()});
    } else if (hole.is_list() && !hole.children.empty()) {
      LogEntry::Prefixes prefixes{hole.key, {}};
      for (const YamlTree& prefix : hole.children) prefixes.prefixes.push_back(prefix.text);
      entry.prefixes.push_back(std::move(prefixes));
    } else {
      wrong_.push_back(fmt::format("{}: when: {} is neither [LEAST, MOST], prefixes nor 'known'",
                                   place, hole.key));
    }
  }
}

// A text may only show what every pattern catches.
void LogTable::CheckHoles(const std::string& place, const LogEntry& entry) {
  if (entry.patterns.empty()) wrong_.push_back(place + ": no pattern");
  const bool silent = entry.role == LogRole::kQuiet || entry.role == LogRole::kSubject;
  if (entry.means.empty() && !silent) wrong_.push_back(place + ": no means");
  const bool acts = entry.role == LogRole::kNote || entry.role == LogRole::kVerdict ||
                    entry.role == LogRole::kCause;
  if (entry.action.empty() && acts) wrong_.push_back(place + ": no do");
  for (const std::string* text : {&entry.means, &entry.action, &entry.alone}) {
    EachHole(*text, [&](std::string_view name, std::string_view filter) {
      if (!filter.empty() &&
          std::find(kFilters.begin(), kFilters.end(), filter) == kFilters.end() &&
          !tables_.contains(filter)) {
        wrong_.push_back(fmt::format("{}: unknown filter '{}'", place, filter));
      }
      for (const LogPattern& pattern : entry.patterns) {
        if (!pattern.Catches(name)) {
          wrong_.push_back(fmt::format("{}: not every pattern catches {{{}}}", place, name));
        }
      }
    });
  }
}

void LogTable::MakeIndex() {
  std::vector<std::string_view> texts;
  for (size_t i = 0; i < entries_.size(); ++i) {
    const LogRole role = entries_[i].role;
    if (role == LogRole::kStage) stages_.push_back(&entries_[i]);
    if (role == LogRole::kTopic || role == LogRole::kHint) topics_.push_back(&entries_[i]);
    if (role == LogRole::kStage || role == LogRole::kTopic || role == LogRole::kHint) continue;
    for (size_t j = 0; j < entries_[i].patterns.size(); ++j) {
      const LogPattern& pattern = entries_[i].patterns[j];
      if (!pattern.wrong().empty()) continue;
      texts.push_back(pattern.Literal());
      owners_.push_back({i, j});
    }
  }
  std::stable_partition(topics_.begin(), topics_.end(),
                        [](const LogEntry* entry) { return entry->role == LogRole::kTopic; });
  texts.push_back(kTraceback);
  texts.insert(texts.end(), kSigns.begin(), kSigns.end());
  index_.emplace(texts);
  names_.MakeIndex();
}

std::optional<LogPattern::Captures> LogTable::Match(uint32_t text, std::string_view line,
                                                    bool failure) const {
  const LogEntry& entry = EntryOf(text);
  if (owners_[text].pattern >= entry.certain && !failure) return std::nullopt;
  std::optional<LogPattern::Captures> captures = entry.patterns[owners_[text].pattern].Match(line);
  if (!captures) return std::nullopt;
  const auto caught = [&](const std::string& hole) {
    const auto at = captures->find(hole);
    return at == captures->end() ? std::string_view() : std::string_view(at->second);
  };
  for (const LogEntry::Range& range : entry.when) {
    const auto value = NumberOf(caught(range.hole));
    if (!value || *value < range.least || *value > range.most) return std::nullopt;
  }
  for (const std::string& hole : entry.known) {
    if (ErrorOf(caught(hole)) == nullptr) return std::nullopt;
  }
  for (const LogEntry::Prefixes& wanted : entry.prefixes) {
    if (!BeginsWithOne(caught(wanted.hole), wanted.prefixes)) return std::nullopt;
  }
  return captures;
}

const LogError* LogTable::ErrorOf(std::string_view code) const {
  const auto find = [&](const auto& is) -> const LogError* {
    const auto at = std::find_if(errors_.begin(), errors_.end(), is);
    return at == errors_.end() ? nullptr : &*at;
  };
  if (const auto number = NumberOf(code)) {
    return find([&](const LogError& error) { return error.code == *number; });
  }
  constexpr std::string_view kOwn = "QNN_", kKind = "_ERROR_";
  if (code.starts_with(kOwn)) code.remove_prefix(kOwn.size());
  while (code.ends_with('_')) code.remove_suffix(1);
  const LogError* exact = find([&](const LogError& error) { return error.name == code; });
  const size_t kind = code.find(kKind);
  if (exact != nullptr || kind == std::string_view::npos) return exact;
  // Components have names of their own for the common errors: QNN_GRAPH_ERROR_MEM_ALLOC is 1002.
  const std::string common = "COMMON" + std::string(code.substr(kind));
  return find([&](const LogError& error) { return error.name == common; });
}

std::string LogTable::Filtered(std::string_view value, std::string_view filter) const {
  const std::optional<int64_t> number = NumberOf(value);
  if (filter == "dtype") {
    const auto dtype =
        number ? DtypeFromQnnValue(static_cast<uint32_t>(*number)) : std::optional<Dtype>();
    return dtype ? fmt::format("{} ({})", DtypeName(*dtype), value) : std::string(value);
  }
  if (filter == "bytes" || filter == "kib") {
    if (!number) return std::string(value);
    return SizeText(static_cast<double>(*number) * (filter == "kib" ? 1024.0 : 1.0));
  }
  if (const auto table = tables_.find(filter); table != tables_.end()) {
    const auto row = number ? table->second.find(*number) : table->second.end();
    return row == table->second.end() ? std::string(value)
                                      : fmt::format("{} ({})", value, row->second);
  }
  const LogError* error = ErrorOf(value);
  if (filter == "do") {
    const auto unknown = phrases_.find("unknown error");
    return error != nullptr ? error->action : unknown == phrases_.end() ? "" : unknown->second;
  }
  const bool decimal = number && !value.starts_with("0x") && !value.starts_with("0X");
  std::string text(value);
  if (!decimal && error != nullptr) text += fmt::format(" = {}", error->code);
  if (!decimal && error == nullptr && number) text += fmt::format(" = {}", *number);
  if (number && error != nullptr) text += fmt::format(" = QNN_{}", error->name);
  return error == nullptr ? text : fmt::format("{} ({})", text, error->means);
}

std::string LogTable::Fill(std::string_view text, const LogPattern::Captures& captures) const {
  std::string filled;
  while (!text.empty()) {
    const size_t open = text.find('{');
    const size_t close = open == std::string_view::npos ? open : text.find('}', open);
    filled += text.substr(0, close == std::string_view::npos ? text.size() : open);
    if (close == std::string_view::npos) break;
    const std::string_view hole = text.substr(open + 1, close - open - 1);
    const size_t bar = hole.find('|');
    const auto at = captures.find(hole.substr(0, bar));
    if (at != captures.end()) {
      filled +=
          bar == std::string_view::npos ? at->second : Filtered(at->second, hole.substr(bar + 1));
    }
    text.remove_prefix(close + 1);
  }
  return filled;
}

}  // namespace quantgate::cli
