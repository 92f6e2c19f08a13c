// YAML values as text: on one line, or filled over lines of at most kColumns.
#ifndef QUANTGATE_TOOLS_OPDEFC_LAYOUT_H_
#define QUANTGATE_TOOLS_OPDEFC_LAYOUT_H_

#include <string>
#include <string_view>
#include <vector>

#include "core/database/compile/document/yaml.h"

namespace quantgate::opdefs {

inline constexpr size_t kColumns = 120;

// Characters, not bytes.
size_t Width(std::string_view text);

// A value in flow style on one line: {a: 1, b: [x, y]}.
std::string FlowText(const Node& node);
// A key within flow style, and one that begins a line: "in0, in1 rank" needs quotes in the first
// only.
std::string FlowKey(const Node& node);
std::string BlockKey(const Node& node);

// Whether the value fits on the line that `prefix` begins.
bool Fits(std::string_view prefix, const Node& node);

// `prefix` and the value in as few lines as possible; those after the first begin with `indent`
// blanks. Breaks stand after commas, and at blanks within long texts.
std::vector<std::string> Filled(std::string_view prefix, const Node& node, size_t indent);

// Same keys, values and types, whatever the quotes and places.
bool SameValue(const Node& a, const Node& b);

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_TOOLS_OPDEFC_LAYOUT_H_
