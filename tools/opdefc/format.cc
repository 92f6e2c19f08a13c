#include "tools/opdefc/format.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "core/opdefs_yaml/yaml.h"

namespace quantgate::opdefs {
namespace {

absl::string_view Absl(std::string_view s) { return {s.data(), s.size()}; }

// Words that YAML 1.1 or 1.2 reads as something else than text.
bool Reserved(std::string_view text) {
  constexpr std::array<std::string_view, 12> kWords = {
      "true", "false", "null", "yes", "no", "on", "off", "y", "n", "~", "nan", "inf"};
  const std::string lower = absl::AsciiStrToLower(Absl(text));
  return std::find(kWords.begin(), kWords.end(), lower) != kWords.end();
}

bool FitsPlain(std::string_view text) {
  if (text.empty() || Reserved(text)) return false;
  if (!absl::ascii_isalpha(text[0]) && text[0] != '_') return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_isalnum(c) || c == '_' || c == '+' || c == '.' || c == '/' || c == '-';
  });
}

std::string Escaped(std::string_view text) {
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

std::string Scalar(const Node& node) {
  if (FitsPlain(node.text)) return node.text;
  const bool plain = !node.quoted && (node.integer() || node.real() || node.flag());
  return plain ? node.text : Escaped(node.text);
}

std::string Key(const std::string& key) {
  const bool number = !key.empty() && key.find_first_not_of("0123456789-") == std::string::npos;
  return FitsPlain(key) || number ? key : Escaped(key);
}

std::string Flow(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kNull:
      return "~";
    case Node::Kind::kScalar:
      return Scalar(node);
    case Node::Kind::kList:
    case Node::Kind::kMap:
      break;
  }
  std::string out = node.is_map() ? "{" : "[";
  for (const Node& child : node.children) {
    if (out.size() > 1) out += ", ";
    if (node.is_map()) absl::StrAppend(&out, Key(child.key), ": ");
    out += Flow(child);
  }
  return out + (node.is_map() ? "}" : "]");
}

struct Comments {
  // By line: whole-line comments, and those behind something.
  std::map<int, std::string> own, behind;
};

// The '#' that begins a comment of this line, or npos. `quote` goes on over lines.
size_t CommentAt(std::string_view line, char& quote) {
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote == '"' && c == '\\') {
      ++i;
    } else if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '#' && (i == 0 || absl::ascii_isspace(line[i - 1]))) {
      return i;
    } else if ((c == '"' || c == '\'') &&
               (i == 0 || absl::ascii_isspace(line[i - 1]) || line[i - 1] == '[' ||
                line[i - 1] == '{' || line[i - 1] == ',')) {
      quote = c;
    }
  }
  return std::string_view::npos;
}

bool EndsWithBlockMark(std::string_view line) {
  std::string_view text = line.substr(0, line.find_last_not_of(" \t\r") + 1);
  while (!text.empty() && (text.back() == '+' || text.back() == '-')) text.remove_suffix(1);
  return text.ends_with(": |") || text.ends_with(": >") || text.ends_with("- |") ||
         text.ends_with("- >");
}

class Formatter {
 public:
  Formatter(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  absl::StatusOr<std::string> Run() {
    const auto root = ParseYaml(text_, file_, errors_);
    if (!root) return errors_.status();
    if (!root->is_map()) {
      errors_.Add(file_, root->line, root->column, "must be a map");
      return errors_.status();
    }
    ReadComments();
    if (!errors_.empty()) return errors_.status();
    for (const Node& section : root->children) Section(section);
    Before(INT32_MAX, "");
    // Nothing but the layout may have changed.
    const auto again = ParseYaml(out_, file_, errors_);
    if (!again || Flow(*again) != Flow(*root)) {
      errors_.Add(file_, 0, 0, "can't be laid out without changing what it says");
      return errors_.status();
    }
    return std::move(out_);
  }

 private:
  void ReadComments() {
    char quote = 0;
    int number = 0;
    for (size_t at = 0; at < text_.size();) {
      const size_t end = std::min(text_.find('\n', at), text_.size());
      std::string_view line = text_.substr(at, end - at);
      at = end + 1;
      ++number;
      const size_t comment = CommentAt(line, quote);
      if (EndsWithBlockMark(line.substr(0, comment))) {
        errors_.Add(file_, number, 1, "block scalars are not laid out: write the text in quotes");
      }
      if (comment == line.npos) continue;
      const std::string_view said =
          line.substr(comment, line.find_last_not_of(" \t\r") + 1 - comment);
      const bool alone = line.find_first_not_of(" \t") == comment;
      (alone ? comments_.own : comments_.behind)[number] = std::string(said);
    }
  }

  // Comments of their own line above `line`.
  void Before(int line, std::string_view indent) {
    auto& own = comments_.own;
    while (!own.empty() && own.begin()->first < line) {
      absl::StrAppend(&out_, Absl(indent), own.begin()->second, "\n");
      own.erase(own.begin());
    }
  }

  // One line; comments behind the lines it came from go to its end.
  void Line(const Node& node, int last, const std::string& line, std::string_view indent) {
    const int first = node.key_line > 0 ? node.key_line : node.line;
    Before(first, indent);
    std::string behind;
    auto& rest = comments_.behind;
    for (auto it = rest.lower_bound(first); it != rest.end() && it->first <= last;) {
      absl::StrAppend(&behind, "  ", it->second);
      it = rest.erase(it);
    }
    Before(last + 1, indent);
    absl::StrAppend(&out_, Absl(indent), line, behind, "\n");
  }

  static int LastLine(const Node& node) {
    int last = node.line;
    for (const Node& child : node.children) last = std::max(last, LastLine(child));
    return last;
  }

  void Section(const Node& section) {
    const auto maps = [](const Node& child) { return child.is_map(); };
    const bool entries = !section.children.empty() &&
                         std::all_of(section.children.begin(), section.children.end(), maps);
    if (!entries) {
      Line(section, LastLine(section), absl::StrCat(Key(section.key), ": ", Flow(section)), "");
      return;
    }
    Line(section, section.key_line, absl::StrCat(Key(section.key), ":"), "");
    for (const Node& child : section.children) {
      const std::string head = section.is_map() ? absl::StrCat(Key(child.key), ": ") : "- ";
      Line(child, LastLine(child), head + Flow(child), "  ");
    }
  }

  const std::string_view text_, file_;
  Errors errors_;
  Comments comments_;
  std::string out_;
};

}  // namespace

absl::StatusOr<std::string> Formatted(std::string_view text, std::string_view file) {
  return Formatter(text, file).Run();
}

}  // namespace quantgate::opdefs
