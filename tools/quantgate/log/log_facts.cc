// What a line of a log names besides what it says (log_table.h).
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <span>

#include "tools/quantgate/log/log_numbers.h"
#include "tools/quantgate/log/log_table.h"

namespace quantgate::cli {
namespace {

constexpr int64_t kFirstDspError = 0x80000400, kLastDspError = 0x800006ff;
constexpr int64_t kLastDatatype = 0x1000;
constexpr int64_t kLeastShownSize = int64_t{1} << 20, kMostShownSize = int64_t{1} << 40;

}  // namespace

std::vector<LogFact> LogTable::Facts(std::string_view line) const {
  std::vector<LogFact> facts;
  const auto add = [&](LogFact fact) {
    const bool known = std::any_of(facts.begin(), facts.end(),
                                   [&](const LogFact& other) { return other.key == fact.key; });
    if (!known) facts.push_back(std::move(fact));
  };
  for (const LogPattern& pattern : names_.errors) {
    const auto captures = pattern.Match(line);
    if (!captures) continue;
    const std::string& code = captures->at("code");
    const LogError* error = ErrorOf(code);
    if (error != nullptr) add({std::to_string(error->code), Filtered(code, "error")});
  }
  // What FastRPC returns, errors of the DSP's system.
  constexpr std::string_view kFirst = "0x8000";
  for (size_t at = line.find(kFirst); at != std::string_view::npos;
       at = line.find(kFirst, at + 1)) {
    const std::string code(line.substr(at, kFirst.size() + 4));
    std::string words = Filtered(code, "fastrpc");
    if (words != code) add({code + " (", std::move(words)});
  }
  for (LogFact& fact : FindChipsAndVersions(names_, line)) add(std::move(fact));
  for (LogFact& fact : FindTerms(names_, line)) add(std::move(fact));
  return facts;
}

namespace {

// A number of a line and the signs beside it.
struct Number {
  std::string_view word;
  int64_t value;
  bool negative;
};

// The numbers of a line that stand alone, but not the lines of source files ("graph.cc:42").
std::vector<Number> NumbersIn(std::string_view line) {
  const auto in_word = [&](size_t at) {
    return at < line.size() && (std::isalnum(static_cast<unsigned char>(line[at])) != 0 ||
                                line[at] == '_' || line[at] == '.');
  };
  std::vector<Number> numbers;
  for (size_t at = 0; at < line.size(); ++at) {
    const size_t begin = at;
    while (in_word(at)) ++at;
    std::string_view word = line.substr(begin, at - begin);
    while (word.ends_with('.')) word.remove_suffix(1);
    const char before = begin > 0 ? line[begin - 1] : ' ';
    const bool of_file = before == ':' && begin > 1 &&
                         std::isalpha(static_cast<unsigned char>(line[begin - 2])) != 0;
    const std::optional<int64_t> value = of_file ? std::nullopt : NumberOf(word);
    if (value) numbers.push_back({word, *value, before == '-'});
  }
  return numbers;
}

bool HasOne(std::string_view line, std::span<const std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return line.find(word) != std::string_view::npos;
  });
}

bool OfSizes(std::string_view line) {
  constexpr std::array<std::string_view, 8> kWords = {"ize",  "ength", "ytes",   "lloc",
                                                      "emor", "uffer", "VTCM ", "TCM "};
  return HasOne(line, kWords);
}

bool OfDatatypes(std::string_view line) {
  constexpr std::array<std::string_view, 5> kWords = {"atatype", "ata type", "ata_type", "dtype",
                                                      "ataType"};
  return HasOne(line, kWords);
}

}  // namespace

std::vector<LogFact> LogTable::NumberFacts(std::string_view line) const {
  const bool of_sizes = OfSizes(line), of_datatypes = OfDatatypes(line);
  std::vector<LogFact> facts;
  for (const Number& number : NumbersIn(line)) {
    const auto& [word, value, negative] = number;
    const bool hex = word.starts_with("0x") || word.starts_with("0X");
    if (of_datatypes && hex && value > 0 && value < kLastDatatype) {
      const std::string words = Filtered(word, "dtype");
      if (words != word) facts.push_back({words, fmt::format("{} is {}", word, words)});
      continue;
    }
    const LogError* error = word.size() > 3 ? ErrorOf(word) : nullptr;
    if (error != nullptr) facts.push_back({std::to_string(error->code), Filtered(word, "error")});
    // The DSP's errors as numbers of 32 bits with a sign, -2147482611 = 0x8000040d.
    const int64_t code = (negative ? -value : value) & 0xffffffff;
    if (code >= kFirstDspError && code <= kLastDspError && !hex) {
      const std::string code_text = fmt::format("{:#x}", code);
      facts.push_back({code_text, fmt::format("{}{} = {}", negative ? "-" : "", word,
                                              Filtered(code_text, "fastrpc"))});
    } else if (of_sizes && value >= kLeastShownSize && value <= kMostShownSize) {
      const std::string size = SizeText(static_cast<double>(value));
      facts.push_back({size, fmt::format("{} bytes are {}", word, size)});
    }
  }
  return facts;
}

}  // namespace quantgate::cli
