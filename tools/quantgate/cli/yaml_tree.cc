#include "tools/quantgate/cli/yaml_tree.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <system_error>
#include <utility>

namespace quantgate::cli {
namespace {

constexpr size_t kMostDepth = 32;

class TreeBuilder : public YAML::EventHandler {
 public:
  YamlTree Take() { return std::move(root_); }
  bool good() const { return good_; }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override { good_ = false; }
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { Add(mark, {}); }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                const std::string& value) override {
    if (!open_.empty() && open_.back()->is_map() && !key_) {
      good_ = good_ && open_.back()->find(value) == nullptr;
      key_ = value;
      return;
    }
    Add(mark, value);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    Open(mark, YamlTree::Kind::kList);
  }
  void OnSequenceEnd() override { open_.pop_back(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    Open(mark, YamlTree::Kind::kMap);
  }
  void OnMapEnd() override { open_.pop_back(); }

 private:
  YamlTree* Add(const YAML::Mark& mark, std::string text) {
    YamlTree node;
    node.line = mark.line + 1;
    node.text = std::move(text);
    node.key = std::exchange(key_, std::nullopt).value_or("");
    if (open_.empty()) {
      root_ = std::move(node);
      return &root_;
    }
    // Only the children of the innermost open node grow: pointers to the others stay.
    open_.back()->children.push_back(std::move(node));
    return &open_.back()->children.back();
  }
  void Open(const YAML::Mark& mark, YamlTree::Kind kind) {
    // A key that is a list or map itself: its value has no name.
    good_ = good_ && (open_.empty() || !open_.back()->is_map() || key_);
    if (open_.size() >= kMostDepth) throw YAML::ParserException(mark, "nested too deeply");
    YamlTree* node = Add(mark, {});
    node->kind = kind;
    open_.push_back(node);
  }

  YamlTree root_;
  std::vector<YamlTree*> open_;
  std::optional<std::string> key_;
  bool good_ = true;
};

}  // namespace

const YamlTree* YamlTree::find(std::string_view name) const {
  const auto at = std::find_if(children.begin(), children.end(),
                               [&](const YamlTree& child) { return child.key == name; });
  return is_map() && at != children.end() ? &*at : nullptr;
}

std::optional<int64_t> YamlTree::integer() const {
  int64_t value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (!is_scalar() || text.empty() || error != std::errc() || end != last) return std::nullopt;
  return value;
}

std::optional<YamlTree> ParseYaml(std::string_view text) {
  // The library throws; nothing above this function sees it.
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    TreeBuilder tree;
    if (!parser.HandleNextDocument(tree) || !tree.good()) return std::nullopt;
    return tree.Take();
  } catch (const YAML::Exception&) {
    return std::nullopt;
  }
}

}  // namespace quantgate::cli
