#include "core/config/toml.h"

#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
// The parser assumes of "[,key]" that a key begins behind the bracket, and refuses it a line later:
// the assumption ends debug builds and lets optimizers drop the refusal (toml++ 3.3).
#include <toml++/impl/preprocessor.h>
#undef TOML_ASSERT_ASSUME
#define TOML_ASSERT_ASSUME(expr) static_assert(true)
#include <toml++/toml.h>

#include <string>
#include <utility>

#include "core/report/layout.h"

namespace quantgate {
namespace {

using opdefs::Node;

void Place(const toml::source_region& source, Node& node) {
  node.line = static_cast<int>(source.begin.line);
  node.column = static_cast<int>(source.begin.column);
}

// A date or a number keeps the characters that YAML would have: 2027-01-31, 3, true.
template <typename T>
std::string Text(const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_arithmetic_v<T>) {
    return std::to_string(value);
  } else if constexpr (std::is_same_v<T, toml::date>) {
    char text[16];
    std::snprintf(text, sizeof text, "%04u-%02u-%02u", unsigned{value.year}, unsigned{value.month},
                  unsigned{value.day});
    return text;
  } else {
    return "a time";
  }
}

Node ToNode(const toml::node& value) {
  Node node;
  Place(value.source(), node);
  if (const toml::table* table = value.as_table()) {
    node.kind = Node::Kind::kMap;
    for (const auto& [key, child] : *table) {
      Node entry = ToNode(child);
      entry.key = std::string(key.str());
      entry.key_line = static_cast<int>(key.source().begin.line);
      entry.key_column = static_cast<int>(key.source().begin.column);
      node.children.push_back(std::move(entry));
    }
    return node;
  }
  if (const toml::array* array = value.as_array()) {
    node.kind = Node::Kind::kList;
    for (const toml::node& child : *array) node.children.push_back(ToNode(child));
    return node;
  }
  node.kind = Node::Kind::kScalar;
  if (const auto* text = value.as_string()) {
    node.text = text->get();
    node.quoted = true;
    return node;
  }
  value.visit([&](const auto& scalar) {
    if constexpr (toml::is_value<decltype(scalar)> && !toml::is_string<decltype(scalar)>) {
      node.text = Text(scalar.get());
    }
  });
  return node;
}

}  // namespace

std::optional<Node> ParseToolTable(std::string_view text, std::string_view file,
                                   opdefs::Errors& errors) {
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    errors.Add(file, static_cast<int>(error.source().begin.line),
               static_cast<int>(error.source().begin.column), Printable(error.description(), 300));
    return std::nullopt;
  }
  const toml::node_view<const toml::node> table = parsed.table()["tool"]["quantgate"];
  if (!table) return std::nullopt;
  return ToNode(*table.node());
}

}  // namespace quantgate
