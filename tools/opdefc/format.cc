#include "tools/opdefc/format.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/database/compile/document/yaml.h"
#include "core/database/compile/section.h"
#include "tools/opdefc/comments.h"
#include "tools/opdefc/layout.h"
#include "tools/opdefc/long_lines.h"

namespace quantgate::opdefs {
namespace {

// A map of rows is filled up to so many lines, params up to so many.
constexpr size_t kFilledRows = 6;
constexpr size_t kFilledParams = 3;

std::string Indent(size_t columns) { return std::string(columns, ' '); }

int FirstLine(const Node& node) { return node.key_line > 0 ? node.key_line : node.line; }

bool HasChildren(const Node& node) { return !node.children.empty(); }
bool IsMap(const Node& node) { return node.is_map() && HasChildren(node); }

enum class Form : uint8_t { kOp, kProfiles, kEntries };

Form FormOf(const Node& root) {
  if (root.find("op") != nullptr) return Form::kOp;
  const bool sections = std::all_of(root.children.begin(), root.children.end(), [](const Node& n) {
    return n.key == "profiles" || IsSection(n.key);
  });
  return sections ? Form::kProfiles : Form::kEntries;
}

// Where a key of an op stands.
size_t RankOf(std::string_view key) {
  constexpr std::array<std::string_view, 15> kOrder = {
      "op",  "extends", "sources",    "sdk",      "arch",  "inputs",    "outputs", "params",
      "rows", "use",    "except", "documented", "measured", "cases", "revisions"};
  const std::string_view word = IsSection(key) ? key.substr(0, key.find(' ')) : key;
  return static_cast<size_t>(std::find(kOrder.begin(), kOrder.end(), word) - kOrder.begin());
}

// The parts of one entry of the file, as blocks of lines.
class FormattedSection {
 public:
  std::vector<Block> OfOp(const Node& node) {
    const std::string_view key = node.key;
    if (key == "rows" && IsMap(node)) {
      Rows(node);
    } else if (key == "cases" && node.is_list() && HasChildren(node)) {
      Head(node, "cases:", 0);
      for (const Node& one : node.children) Case(one);
    } else if ((key == "use" || key == "except" || IsSection(key)) && IsMap(node)) {
      Lines(node, "", 0);
    } else if (key == "examples" && node.is_list() && HasChildren(node)) {
      if (!Fits("examples: ", node)) {
        Divided(node, 0);
      } else {
        Whole(node, KeyOf(node), 0);
      }
    } else if (key == "params" && IsMap(node)) {
      Params(node);
    } else if (key == "revisions" && IsMap(node) && !Fits("revisions: ", node)) {
      Divided(node, 0);
    } else {
      Whole(node, KeyOf(node), 0);
    }
    return std::move(blocks_);
  }

  std::vector<Block> OfProfiles(const Node& node) {
    if (!IsMap(node)) {
      Whole(node, KeyOf(node), 0);
    } else if (IsSection(node.key)) {
      Entries(node, 0);
    } else {
      Head(node, BlockKey(node) + ":", 0);
      for (const Node& profile : node.children) {
        const std::string head = Indent(2) + KeyOf(profile);
        if (IsMap(profile) && !Fits(head, profile)) {
          Divided(profile, 2);
        } else {
          Whole(profile, head, 2);
        }
      }
    }
    return std::move(blocks_);
  }

  // Lists and maps of maps: one a line.
  std::vector<Block> OfEntries(const Node& node) {
    const bool entries =
        HasChildren(node) && std::all_of(node.children.begin(), node.children.end(),
                                         [](const Node& child) { return child.is_map(); });
    if (entries) {
      Entries(node, 0);
    } else {
      Whole(node, KeyOf(node), 0);
    }
    return std::move(blocks_);
  }

 private:
  static std::string KeyOf(const Node& node) { return BlockKey(node) + ": "; }

  void Put(int first, int last, size_t indent, std::vector<std::string> lines) {
    blocks_.push_back({first, last, indent, std::move(lines)});
  }
  void Head(const Node& node, std::string line, size_t indent) {
    Put(FirstLine(node), FirstLine(node), indent, {std::move(line)});
  }
  void Whole(const Node& node, const std::string& head, size_t indent) {
    Put(FirstLine(node), LastLine(node), indent, Filled(head, node, indent + 2));
  }

  // Whether the one child takes fewer lines beside the key than below it.
  static bool ShorterFilled(const std::string& head, const Node& node, size_t indent) {
    if (node.children.size() != 1) return false;
    const Node& child = node.children.front();
    const std::string below = Indent(indent + 2) + (node.is_map() ? KeyOf(child) : "- ");
    return Filled(head, node, indent + 2).size() < 1 + Filled(below, child, indent + 4).size();
  }

  // A child a line, below the key.
  void Divided(const Node& node, size_t indent) {
    const std::string head = Indent(indent) + KeyOf(node);
    if (ShorterFilled(head, node, indent)) {
      Whole(node, head, indent);
      return;
    }
    Entries(node, indent);
  }
  void Entries(const Node& node, size_t indent) {
    Head(node, absl::StrCat(Indent(indent), BlockKey(node), ":"), indent);
    for (const Node& child : node.children) {
      Whole(child, Indent(indent + 2) + (node.is_map() ? KeyOf(child) : "- "), indent + 2);
    }
  }

  // A section of constraints, or the names of profiles by port. `lead`: what stands before the
  // key, "  - " or as many blanks in a case.
  void Lines(const Node& node, const std::string& lead, size_t indent) {
    const std::string head = absl::StrCat(lead, BlockKey(node), ":");
    const bool one = indent > 0 || node.key == "use";
    if ((one && Fits(head + " ", node)) || ShorterFilled(head + " ", node, indent)) {
      Whole(node, head + " ", indent);
      return;
    }
    Head(node, head, indent);
    for (const Node& child : node.children) {
      Whole(child, Indent(indent + 2) + KeyOf(child), indent + 2);
    }
  }

  void Case(const Node& node) {
    if (!IsMap(node) || Fits("  - ", node)) {
      Whole(node, "  - ", 2);
      return;
    }
    for (const Node& part : node.children) {
      const std::string lead = &part == &node.children.front() ? "  - " : Indent(4);
      if (part.key == "when" || !IsMap(part)) {
        Whole(part, lead + KeyOf(part), 4);
      } else {
        Lines(part, lead, 4);
      }
    }
  }

  void Rows(const Node& node) {
    if (node.children.size() == 1 && Fits("rows: ", node)) {
      Whole(node, "rows: ", 0);
      return;
    }
    Head(node, "rows:", 0);
    for (const Node& section : node.children) {
      const std::string head = Indent(2) + KeyOf(section);
      const size_t lines = Filled(head, section, 4).size();
      const bool filled = lines < section.children.size() && lines <= kFilledRows;
      if (lines == 1 || filled || !IsMap(section)) {
        Whole(section, head, 2);
      } else {
        Divided(section, 2);
      }
    }
  }

  void Params(const Node& node) {
    const size_t lines = Filled("params: ", node, 2).size();
    if (lines == 1 || (lines <= node.children.size() && lines <= kFilledParams)) {
      Whole(node, "params: ", 0);
    } else {
      Divided(node, 0);
    }
  }

  std::vector<Block> blocks_;
};

// One activation is what an op file without such a list has.
void LeaveOutDefaults(Node& root) {
  if (root.find("op") == nullptr || root.find("extends") != nullptr) return;
  std::erase_if(root.children, [](const Node& node) {
    return (node.key == "inputs" || node.key == "outputs") && node.is_list() &&
           node.children.size() == 1 && node.children.front().is_scalar() &&
           node.children.front().text == "activation";
  });
}

class Formatter {
 public:
  Formatter(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  absl::StatusOr<std::string> Run(const std::function<void(Node&)>& edit) {
    auto root = ParseYaml(text_, file_, errors_);
    if (!root) return errors_.status();
    if (edit) edit(*root);
    LeaveOutDefaults(*root);
    if (!root->is_map()) {
      errors_.Add(file_, root->line, root->column, "must be a map");
      return errors_.status();
    }
    Comments comments = ReadComments(text_, file_, errors_);
    if (!errors_.empty()) return errors_.status();
    const Form form = FormOf(*root);
    std::string out = HasAuthorsLayout(file_) ? WithoutLongLines(text_, *root)
                                              : Laid(*root, form, comments);
    // Nothing but the layout may have changed.
    auto again = ParseYaml(out, file_, errors_);
    if (again && form == Form::kOp) *again = InOrder(*again);
    if (!again || !SameValue(*again, form == Form::kOp ? InOrder(*root) : *root)) {
      errors_.Add(file_, 0, 0, "can't be laid out without changing what it says");
      return errors_.status();
    }
    return out;
  }

 private:
  static Node InOrder(Node root) {
    std::stable_sort(root.children.begin(), root.children.end(),
                     [](const Node& a, const Node& b) { return RankOf(a.key) < RankOf(b.key); });
    return root;
  }

  static std::string Laid(const Node& root, Form form, Comments& comments) {
    std::vector<Block> blocks;
    std::vector<std::pair<size_t, size_t>> ends;  // rank, index one past its last block
    for (const Node& node : root.children) {
      auto part = form == Form::kOp         ? FormattedSection().OfOp(node)
                  : form == Form::kProfiles ? FormattedSection().OfProfiles(node)
                                            : FormattedSection().OfEntries(node);
      blocks.insert(blocks.end(), std::make_move_iterator(part.begin()),
                    std::make_move_iterator(part.end()));
      ends.emplace_back(form == Form::kOp ? RankOf(node.key) : 0, blocks.size());
    }
    const int first = blocks.empty() ? 0 : blocks.front().first;
    PlaceComments(comments, blocks);
    std::string out;
    for (const auto& [line, text] : comments.own) {
      if (line < first) absl::StrAppend(&out, text, "\n");
    }
    std::vector<size_t> order(ends.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return ends[a].first < ends[b].first; });
    for (const size_t i : order) {
      for (size_t b = i == 0 ? 0 : ends[i - 1].second; b < ends[i].second; ++b) {
        for (const std::string& line : blocks[b].lines) absl::StrAppend(&out, line, "\n");
      }
    }
    for (const auto& [line, text] : comments.own) {
      if (line >= first) absl::StrAppend(&out, text, "\n");
    }
    return out;
  }

  const std::string_view text_, file_;
  Errors errors_;
};

}  // namespace

absl::StatusOr<std::string> Formatted(std::string_view text, std::string_view file) {
  return Formatter(text, file).Run(nullptr);
}

absl::StatusOr<std::string> Edited(std::string_view text, std::string_view file,
                                   const std::function<void(Node& root)>& edit) {
  return Formatter(text, file).Run(edit);
}

}  // namespace quantgate::opdefs
