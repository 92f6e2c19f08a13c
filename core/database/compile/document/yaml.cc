#include "core/database/compile/document/yaml.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <istream>
#include <streambuf>
#include <unordered_set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace quantgate::opdefs {
namespace {

// Thrown through the YAML library to stop it; never leaves this file.
struct Refused {
  YAML::Mark mark;
  std::string reason;
};

class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(std::string_view file, Errors& errors) : file_(file), errors_(errors) {}

  Node Take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    throw Refused{mark, "aliases are not supported"};
  }
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Place(mark, "", anchor, Node::Kind::kNull);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    // The library gives "!" for quoted scalars, "?" for plain ones.
    const bool quoted = tag == "!";
    if (Node* node = Place(mark, tag, anchor, Node::Kind::kScalar, &value, quoted)) {
      node->text = value;
      node->quoted = quoted;
    }
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    Open(mark, tag, anchor, Node::Kind::kList);
  }
  void OnSequenceEnd() override { open_.pop_back(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    Open(mark, tag, anchor, Node::Kind::kMap);
  }
  void OnMapEnd() override { open_.pop_back(); }

 private:
  struct Level {
    Node* node;
    bool has_key = false;
    std::string key;
    YAML::Mark key_mark;
    std::unordered_set<std::string> keys;
  };

  void Open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
            Node::Kind kind) {
    if (open_.size() >= static_cast<size_t>(kMaxDepth)) {
      throw Refused{mark, absl::StrCat("nested deeper than ", kMaxDepth, " levels")};
    }
    Node* node = Place(mark, tag, anchor, kind);
    open_.push_back({node, false, {}, {}, {}});
  }

  // Puts a node into the innermost open list or map; null when it was the key of an entry.
  Node* Place(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
              Node::Kind kind, const std::string* scalar = nullptr, bool = false) {
    if (anchor != 0) throw Refused{mark, "anchors are not supported"};
    if (!tag.empty() && tag != "?" && tag != "!") throw Refused{mark, "tags are not supported"};
    if (++count_ > kMaxNodes) throw Refused{mark, absl::StrCat("more than ", kMaxNodes, " values")};
    Node fresh;
    fresh.kind = kind;
    fresh.line = mark.line + 1;
    fresh.column = mark.column + 1;
    if (open_.empty()) {
      root_ = std::move(fresh);
      return &root_;
    }
    Level& level = open_.back();
    if (level.node->is_map()) {
      if (!level.has_key) {
        if (scalar == nullptr) throw Refused{mark, "the key of a map must be plain text"};
        if (!level.keys.insert(*scalar).second) {
          errors_.Add(file_, mark.line + 1, mark.column + 1,
                      absl::StrCat("duplicate key ", Quoted(*scalar)));
        }
        level.has_key = true;
        level.key = *scalar;
        level.key_mark = mark;
        return nullptr;
      }
      fresh.key = std::move(level.key);
      fresh.key_line = level.key_mark.line + 1;
      fresh.key_column = level.key_mark.column + 1;
      level.has_key = false;
    }
    // Pointers to `level.node` stay valid: only the innermost open node's children grow.
    level.node->children.push_back(std::move(fresh));
    return &level.node->children.back();
  }

  std::string_view file_;
  Errors& errors_;
  Node root_;
  std::vector<Level> open_;
  size_t count_ = 0;
};

// Reads a string_view without copying it.
class ViewBuffer : public std::streambuf {
 public:
  explicit ViewBuffer(std::string_view text) {
    char* begin = const_cast<char*>(text.data());  // streambuf's interface; never written
    setg(begin, begin, begin + text.size());
  }
};

bool WantsText(const Node& node) { return !node.is_scalar() || node.quoted; }

}  // namespace

int LastLine(const Node& node) {
  int last = node.line;
  for (const Node& child : node.children) last = std::max(last, LastLine(child));
  return last;
}

std::optional<int64_t> WholeNumber(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Node ScalarNode(const Node& place, std::string_view text, std::string_view key) {
  Node node;
  node.kind = Node::Kind::kScalar;
  node.text = text;
  node.key = key;
  node.line = place.line;
  node.column = place.column;
  if (!key.empty()) {
    node.key_line = place.line;
    node.key_column = place.column;
  }
  return node;
}

const Node* Node::find(std::string_view name) const {
  const auto it = std::find_if(children.begin(), children.end(),
                               [&](const Node& child) { return child.key == name; });
  return is_map() && it != children.end() ? &*it : nullptr;
}

std::optional<int64_t> Node::integer() const {
  if (WantsText(*this)) return std::nullopt;
  std::string_view digits = text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  int base = 10;
  if (digits.starts_with("0x")) {
    digits.remove_prefix(2);
    base = 16;
  }
  if (digits.starts_with('+') || (base == 16 && digits.starts_with('-'))) return std::nullopt;
  int64_t value = 0;
  const char* const last = digits.data() + digits.size();
  const auto [end, error] = std::from_chars(digits.data(), last, value, base);
  if (error != std::errc() || end != last) return std::nullopt;
  return value;
}

std::optional<double> Node::real() const {
  if (WantsText(*this)) return std::nullopt;
  if (const auto whole = integer()) return static_cast<double>(*whole);
  double value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (error != std::errc() || end != last || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<bool> Node::flag() const {
  if (WantsText(*this)) return std::nullopt;
  if (text == "true") return true;
  if (text == "false") return false;
  return std::nullopt;
}

std::optional<Node> ParseYaml(std::string_view text, std::string_view file, Errors& errors) {
  if (text.size() > kMaxFileBytes) {
    errors.Add(file, 0, 0, absl::StrCat("larger than ", kMaxFileBytes >> 20, " MiB"));
    return std::nullopt;
  }
  const size_t before = errors.count();
  const auto refuse = [&](const YAML::Mark& mark, std::string reason) {
    errors.Add(file, std::max(mark.line, 0) + 1, std::max(mark.column, 0) + 1, std::move(reason));
  };
  // The library throws; nothing above this function sees it.
  try {
    ViewBuffer buffer(text);
    std::istream stream(&buffer);
    YAML::Parser parser(stream);
    TreeBuilder tree(file, errors);
    if (!parser.HandleNextDocument(tree)) return Node();
    TreeBuilder second(file, errors);
    if (parser.HandleNextDocument(second)) {
      errors.Add(file, 0, 0, "more than one YAML document");
    }
    if (errors.count() != before) return std::nullopt;
    return tree.Take();
  } catch (const Refused& refused) {
    refuse(refused.mark, refused.reason);
  } catch (const YAML::Exception& e) {
    std::string reason = e.msg;  // may hold bytes of the file
    std::replace_if(
        reason.begin(), reason.end(), [](char c) { return !absl::ascii_isprint(c); }, '?');
    refuse(e.mark, absl::StrCat("not valid YAML: ", reason));
  }
  return std::nullopt;
}

}  // namespace quantgate::opdefs
