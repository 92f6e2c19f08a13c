#include "tools/opdefc/layout.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "core/base/absl_view.h"

namespace quantgate::opdefs {
namespace {

// Texts up to this width are not broken.
constexpr size_t kShortText = 50;

bool OneOf(char c, std::string_view set) { return set.find(c) != set.npos; }

// Words that YAML 1.1 or 1.2 reads as something else than text.
bool Reserved(std::string_view text) {
  constexpr std::array<std::string_view, 14> kWords = {"true", "false", "null", "yes", "no",
                                                       "on",   "off",   "y",    "n",   "~",
                                                       "nan",  "inf",   ".nan", ".inf"};
  const std::string lower = absl::AsciiStrToLower(Absl(text));
  return std::find(kWords.begin(), kWords.end(), lower) != kWords.end();
}

// What some reader of YAML takes for a number, a version or a date: "2.25", "0x10", "1e5".
bool LooksLikeNumber(std::string_view text) {
  if (text.find("..") != text.npos) return false;  // a range
  Node plain;
  plain.kind = Node::Kind::kScalar;
  plain.text = text;
  return plain.real().has_value() ||
         std::all_of(text.begin(), text.end(),
                     [](char c) { return absl::ascii_isdigit(c) || OneOf(c, "._+-"); });
}

bool PlainText(std::string_view text, std::string_view also) {
  if (text.empty() || Reserved(text)) return false;
  if (!absl::ascii_isalnum(text[0]) && !OneOf(text[0], "_.<>=/+-(")) return false;
  if (OneOf(text[0], "-.") && text.find_first_not_of("-. ") == text.npos) return false;
  if (text[0] == '-' && text[1] == ' ') return false;
  if (text.back() == ' ') return false;
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return absl::ascii_isalnum(c) || OneOf(c, "_+./|<>=()*%; -") || OneOf(c, also);
  });
}

std::string Quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      std::array<char, 8> code{};
      std::snprintf(code.data(), code.size(), "\\x%02X", static_cast<unsigned>(c));
      out += code.data();
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string ScalarText(const Node& node) {
  const bool number = LooksLikeNumber(node.text);
  if (!node.quoted && (number || node.flag())) return node.text;
  return !number && PlainText(node.text, "") ? node.text : Quotes(node.text);
}

// Keys are text for every reader of these files; whole numbers need no quotes to be one.
std::string KeyText(const std::string& key, std::string_view also) {
  const bool whole = std::all_of(key.begin(), key.end(), absl::ascii_isdigit);
  const bool plain = whole ? !key.empty() : !LooksLikeNumber(key) && PlainText(key, also);
  return plain ? key : Quotes(key);
}

// Text that may be broken at its single blanks, as a reader of YAML folds it.
std::vector<std::string> Words(const std::string& text) {
  const bool quoted = text[0] == '"';
  std::vector<std::string> words(1);
  for (size_t i = 0; i < text.size(); ++i) {
    // Never next to a quotation mark: a blank that begins or ends the text stays what it is.
    const bool inner = i > 1 && i + 2 < text.size() && text[i] == ' ';
    const char next = inner ? text[i + 1] : 0;
    const bool breaks = inner && text[i - 1] != ' ' && text[i - 1] != '\\' && next != ' ' &&
                        (quoted || absl::ascii_isalnum(next) || next == '(');
    if (breaks) {
      words.emplace_back();
    } else {
      words.back() += text[i];
    }
  }
  return words;
}

// The value as pieces that a line break may follow.
std::vector<std::string> Pieces(const Node& node) {
  if (!(node.is_map() || node.is_list()) || node.children.empty()) {
    std::string text = FlowText(node);
    return Width(text) > kShortText ? Words(text) : std::vector{std::move(text)};
  }
  std::vector<std::string> out;
  for (const Node& child : node.children) {
    std::vector<std::string> pieces = Pieces(child);
    if (node.is_map()) pieces[0].insert(0, FlowKey(child) + ": ");
    if (&child == &node.children.front()) pieces[0].insert(0, node.is_map() ? "{" : "[");
    pieces.back() += &child != &node.children.back() ? "," : node.is_map() ? "}" : "]";
    out.insert(out.end(), std::make_move_iterator(pieces.begin()),
               std::make_move_iterator(pieces.end()));
  }
  return out;
}

}  // namespace

size_t Width(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

std::string FlowKey(const Node& node) { return KeyText(node.key, ""); }
std::string BlockKey(const Node& node) { return KeyText(node.key, ",[]"); }

std::string FlowText(const Node& node) {
  if (node.is_null()) return "~";
  if (node.is_scalar()) return ScalarText(node);
  std::string out = node.is_map() ? "{" : "[";
  for (const Node& child : node.children) {
    if (out.size() > 1) out += ", ";
    if (node.is_map()) absl::StrAppend(&out, FlowKey(child), ": ");
    out += FlowText(child);
  }
  return out + (node.is_map() ? "}" : "]");
}

bool Fits(std::string_view prefix, const Node& node) {
  return Width(prefix) + Width(FlowText(node)) <= kColumns;
}

std::vector<std::string> Filled(std::string_view prefix, const Node& node, size_t indent) {
  if (Fits(prefix, node)) return {absl::StrCat(Absl(prefix), FlowText(node))};
  std::vector<std::string> lines = {std::string(prefix)};
  const std::vector<std::string> pieces = Pieces(node);
  if (prefix.ends_with(": ") && Width(prefix) + Width(pieces[0]) > kColumns) {
    lines[0].pop_back();
    lines.emplace_back(indent, ' ');  // a long key has a line of its own
  }
  for (const std::string& piece : pieces) {
    if (&piece == &pieces.front()) {
      lines.back() += piece;
    } else if (Width(lines.back()) + 1 + Width(piece) > kColumns) {
      lines.push_back(std::string(indent, ' ') + piece);
    } else {
      absl::StrAppend(&lines.back(), " ", piece);
    }
  }
  return lines;
}

bool SameValue(const Node& a, const Node& b) {
  if (a.kind != b.kind || a.key != b.key || a.text != b.text) return false;
  const bool typed = LooksLikeNumber(a.text) || a.text == "true" || a.text == "false";
  if (a.is_scalar() && a.quoted != b.quoted && typed) return false;
  return std::equal(a.children.begin(), a.children.end(), b.children.begin(), b.children.end(),
                    SameValue);
}

}  // namespace quantgate::opdefs
