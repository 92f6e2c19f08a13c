// A YAML file as a tree that knows its places. The only door to the YAML library.
#ifndef QUANTGATE_CORE_DATABASE_COMPILE_DOCUMENT_YAML_H_
#define QUANTGATE_CORE_DATABASE_COMPILE_DOCUMENT_YAML_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/database/compile/document/errors.h"

namespace quantgate::opdefs {

struct Node {
  enum class Kind : uint8_t { kNull, kScalar, kList, kMap };
  Kind kind = Kind::kNull;
  bool quoted = false;       // a quoted scalar is text, whatever it looks like
  int line = 0, column = 0;  // from 1
  int key_line = 0, key_column = 0;
  std::string text;  // kScalar
  std::string key;   // where the node is an entry of a map
  std::vector<Node> children;

  bool is_null() const { return kind == Kind::kNull; }
  bool is_scalar() const { return kind == Kind::kScalar; }
  bool is_list() const { return kind == Kind::kList; }
  bool is_map() const { return kind == Kind::kMap; }
  const Node* find(std::string_view name) const;
  // Of unquoted scalars: whole numbers (also 0x…), other numbers, true/false.
  std::optional<int64_t> integer() const;
  std::optional<double> real() const;  // of whole numbers too; never NaN or infinite
  std::optional<bool> flag() const;
};

// Of a node and all below it.
int LastLine(const Node& node);

// "12", "-3"; nothing for other text.
std::optional<int64_t> WholeNumber(std::string_view text);

// Text as if it stood in the file, at the place of another node.
Node ScalarNode(const Node& place, std::string_view text, std::string_view key = {});

inline constexpr size_t kMaxFileBytes = size_t{4} << 20;
inline constexpr int kMaxDepth = 64;
inline constexpr size_t kMaxNodes = 250'000;

// One document of maps, lists and scalars; what is wrong goes to `errors` under the name `file`.
// Refuses anchors, aliases, tags, duplicate keys, keys that are no plain text, and whatever
// exceeds the limits above. An empty file is a null node.
std::optional<Node> ParseYaml(std::string_view text, std::string_view file, Errors& errors);

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_CORE_DATABASE_COMPILE_DOCUMENT_YAML_H_
