// The YAML that the tool carries (data/) as a tree of texts that know their lines.
#ifndef QUANTGATE_TOOLS_QUANTGATE_CLI_YAML_TREE_H_
#define QUANTGATE_TOOLS_QUANTGATE_CLI_YAML_TREE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quantgate::cli {

struct YamlTree {
  enum class Kind : uint8_t { kScalar, kList, kMap };
  Kind kind = Kind::kScalar;
  int line = 0;      // from 1
  std::string text;  // kScalar; "" for null
  std::string key;   // where it is an entry of a map
  std::vector<YamlTree> children;

  bool is_scalar() const { return kind == Kind::kScalar; }
  bool is_list() const { return kind == Kind::kList; }
  bool is_map() const { return kind == Kind::kMap; }
  const YamlTree* find(std::string_view name) const;
  std::optional<int64_t> integer() const;  // decimal
};

// One document; nullopt where it is no YAML, says a key twice or refers to other parts of itself.
std::optional<YamlTree> ParseYaml(std::string_view text);

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_CLI_YAML_TREE_H_
