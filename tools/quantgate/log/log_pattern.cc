#include "tools/quantgate/log/log_pattern.h"

#include <algorithm>
#include <array>
#include <utility>

namespace quantgate::cli {
namespace {

// A hole at the beginning of a pattern catches no more.
constexpr size_t kMostFirstBytes = 200;
constexpr std::string_view kDigits = "0123456789";

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

size_t FirstNotOf(std::string_view text, std::string_view allowed) {
  return std::min(text.find_first_not_of(allowed), text.size());
}

}  // namespace

std::optional<LogPattern::Type> LogPattern::TypeOf(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, Type>, 5> kTypes = {{{"", Type::kText},
                                                                        {"int", Type::kInt},
                                                                        {"code", Type::kCode},
                                                                        {"word", Type::kWord},
                                                                        {"rest", Type::kRest}}};
  for (const auto& [type, value] : kTypes) {
    if (type == name) return value;
  }
  return std::nullopt;
}

// How many characters a hole of this type may catch at the beginning of `text`.
size_t LogPattern::Reach(Type type, std::string_view text) {
  switch (type) {
    case Type::kInt:
      return FirstNotOf(text, kDigits);
    case Type::kCode:
      if (text.starts_with("0x") || text.starts_with("0X")) {
        const size_t digits = FirstNotOf(text.substr(2), "0123456789abcdefABCDEF");
        return digits == 0 ? 0 : digits + 2;
      }
      if (text.starts_with("QNN_")) return FirstNotOf(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
      return FirstNotOf(text, kDigits);
    case Type::kWord:
      return std::min(text.find_first_of(" \t\r\n\"'`,;()[]{}<>"), text.size());
    default:
      return text.size();
  }
}

LogPattern::LogPattern(std::string_view pattern) {
  while (!pattern.empty() && wrong_.empty()) {
    const size_t open = pattern.find('{');
    const size_t close = pattern.find('}', open);
    if (open == std::string_view::npos || close == std::string_view::npos) {
      parts_.push_back({Type::kWords, std::string(pattern)});
      break;
    }
    if (open > 0) parts_.push_back({Type::kWords, std::string(pattern.substr(0, open))});
    AddHole(pattern.substr(open + 1, close - open - 1));
    pattern.remove_prefix(close + 1);
  }
  for (size_t i = 0; i + 1 < parts_.size() && wrong_.empty(); ++i) {
    if (parts_[i].type == Type::kRest) wrong_ = "{" + parts_[i].text + "} is not at the end";
  }
  if (wrong_.empty() && Literal().empty()) wrong_ = "there are no words in it";
  if (!wrong_.empty()) parts_.clear();
}

void LogPattern::AddHole(std::string_view hole) {
  const size_t colon = hole.find(':');
  const bool typed = colon != std::string_view::npos;
  const auto type = TypeOf(typed ? hole.substr(colon + 1) : std::string_view());
  if (!type || (typed && colon + 1 == hole.size()) || colon == 0 || hole.empty()) {
    wrong_ = "no hole: {" + std::string(hole) + "}";
  } else if (!parts_.empty() && parts_.back().type != Type::kWords) {
    wrong_ = "no words before {" + std::string(hole) + "}";
  } else {
    parts_.push_back({*type, std::string(hole.substr(0, colon))});
  }
}

std::string_view LogPattern::Literal() const {
  std::string_view longest;
  for (const Part& part : parts_) {
    if (part.type == Type::kWords && part.text.size() > longest.size()) longest = part.text;
  }
  return longest;
}

bool LogPattern::Catches(std::string_view name) const {
  return std::any_of(parts_.begin(), parts_.end(), [&](const Part& part) {
    return part.type != Type::kWords && part.text == name;
  });
}

std::optional<LogPattern::Captures> LogPattern::Match(std::string_view line) const {
  if (parts_.empty()) return std::nullopt;
  if (parts_.front().type == Type::kWords) {
    const std::string& words = parts_.front().text;
    for (size_t at = line.find(words); at != std::string_view::npos;
         at = line.find(words, at + 1)) {
      if (auto captures = MatchAt(line, at)) return captures;
    }
    return std::nullopt;
  }
  // A hole at the beginning catches the word before the first words of the pattern.
  const std::string& first = parts_[1].text;
  for (size_t words = line.find(first); words != std::string_view::npos;
       words = line.find(first, words + 1)) {
    size_t begin = words;
    while (begin > 0 && words - begin < kMostFirstBytes && !IsBlank(line[begin - 1])) --begin;
    if (begin == words) continue;
    if (auto captures = MatchAt(line, begin)) return captures;
  }
  return std::nullopt;
}

// How much of `rest` the hole `part` catches; none where the line doesn't go on as the pattern.
std::optional<size_t> LogPattern::Caught(size_t part, std::string_view rest) const {
  const Type type = parts_[part].type;
  if (type == Type::kRest) {
    while (!rest.empty() && IsBlank(rest.back())) rest.remove_suffix(1);
    return rest.size();
  }
  const size_t reach = Reach(type, rest);
  size_t size = 0;
  if (part + 1 < parts_.size()) {
    // What lies beyond the hole's reach is not looked at.
    const std::string_view next = parts_[part + 1].text;
    size = rest.substr(0, std::min(reach, rest.size()) + next.size()).find(next, 1);
    if (size == std::string_view::npos) return std::nullopt;
  } else {
    while (size < reach && !IsBlank(rest[size])) ++size;
    const auto stop = [&] { return rest[size - 1] == '.' || rest[size - 1] == ','; };
    while (size > 0 && (type == Type::kText || type == Type::kWord) && stop()) --size;
  }
  return size == 0 ? std::nullopt : std::optional<size_t>(size);
}

std::optional<LogPattern::Captures> LogPattern::MatchAt(std::string_view line, size_t begin) const {
  Captures captures;
  size_t at = begin;
  for (size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    if (part.type == Type::kWords) {
      if (line.substr(at, part.text.size()) != part.text) return std::nullopt;
      at += part.text.size();
      continue;
    }
    const std::optional<size_t> size = Caught(i, line.substr(at));
    if (!size) return std::nullopt;
    captures.emplace(part.text, line.substr(at, *size));
    at += *size;
  }
  return captures;
}

}  // namespace quantgate::cli
