#include "tools/quantgate/log_pattern.h"

#include <algorithm>

namespace quantgate::cli {
namespace {

// A hole at the beginning of a pattern catches no more.
constexpr size_t kMostFirstBytes = 200;

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// How many characters a hole of this name may catch at the beginning of `text`.
size_t Reach(std::string_view hole, std::string_view text) {
  std::string_view allowed;
  if (hole == "number" || hole == "index" || hole == "expected") allowed = "0123456789";
  if (hole == "code") allowed = "0123456789abcdefxABCDEFX";
  if (allowed.empty()) return text.size();
  return std::min(text.find_first_not_of(allowed), text.size());
}

}  // namespace

LogPattern::LogPattern(std::string_view pattern) {
  while (!pattern.empty()) {
    const size_t open = pattern.find('{');
    const size_t close = pattern.find('}', open);
    if (open == std::string_view::npos || close == std::string_view::npos) {
      parts_.push_back({std::string(pattern), ""});
      return;
    }
    if (open > 0) parts_.push_back({std::string(pattern.substr(0, open)), ""});
    parts_.push_back({"", std::string(pattern.substr(open + 1, close - open - 1))});
    pattern.remove_prefix(close + 1);
  }
}

std::optional<LogPattern::Captures> LogPattern::Match(std::string_view line) const {
  if (parts_.empty()) return std::nullopt;
  if (!parts_.front().text.empty()) {
    for (size_t at = line.find(parts_.front().text); at != std::string_view::npos;
         at = line.find(parts_.front().text, at + 1)) {
      if (auto captures = MatchAt(line, at)) return captures;
    }
    return std::nullopt;
  }
  // A hole at the beginning catches the word before the first words of the pattern.
  if (parts_.size() < 2) return std::nullopt;
  for (size_t words = line.find(parts_[1].text); words != std::string_view::npos;
       words = line.find(parts_[1].text, words + 1)) {
    size_t begin = words;
    while (begin > 0 && words - begin < kMostFirstBytes && !IsBlank(line[begin - 1])) --begin;
    if (begin == words) continue;
    if (auto captures = MatchAt(line, begin)) return captures;
  }
  return std::nullopt;
}

std::optional<LogPattern::Captures> LogPattern::MatchAt(std::string_view line, size_t begin) const {
  Captures captures;
  size_t at = begin;
  for (size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    if (part.hole.empty()) {
      if (line.substr(at, part.text.size()) != part.text) return std::nullopt;
      at += part.text.size();
      continue;
    }
    const std::string_view rest = line.substr(at);
    const size_t reach = Reach(part.hole, rest);
    size_t size = 0;
    if (i + 1 == parts_.size()) {
      while (size < reach && !IsBlank(rest[size])) ++size;
      while (size > 0 && reach == rest.size() && (rest[size - 1] == '.' || rest[size - 1] == ',')) {
        --size;
      }
    } else {
      // What lies beyond the hole's reach is not looked at.
      const std::string_view next = parts_[i + 1].text;
      size = rest.substr(0, reach + next.size()).find(next, 1);
      if (size == std::string_view::npos) return std::nullopt;
    }
    if (size == 0) return std::nullopt;
    captures.emplace(part.hole, rest.substr(0, size));
    at += size;
  }
  return captures;
}

std::string Filled(std::string_view text, const LogPattern::Captures& captures) {
  std::string filled;
  while (!text.empty()) {
    const size_t open = text.find('{');
    const size_t close = open == std::string_view::npos ? open : text.find('}', open);
    filled += text.substr(0, close == std::string_view::npos ? text.size() : open);
    if (close == std::string_view::npos) break;
    const auto at = captures.find(text.substr(open + 1, close - open - 1));
    filled += at == captures.end() ? "?" : at->second;
    text.remove_prefix(close + 1);
  }
  return filled;
}

}  // namespace quantgate::cli
