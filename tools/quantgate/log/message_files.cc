#include "tools/quantgate/log/message_files.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

namespace quantgate::cli {
namespace {

// What stands before key, text and children of a node.
struct Header {
  YamlTree::Kind kind;
  int32_t line;
  uint32_t key, text, children;
};

void Write(const YamlTree& tree, std::string& bytes) {
  const Header header = {tree.kind, tree.line, static_cast<uint32_t>(tree.key.size()),
                         static_cast<uint32_t>(tree.text.size()),
                         static_cast<uint32_t>(tree.children.size())};
  char raw[sizeof header] = {};
  std::memcpy(raw, &header, sizeof header);
  bytes.append(raw, sizeof raw);
  bytes += tree.key;
  bytes += tree.text;
  for (const YamlTree& child : tree.children) Write(child, bytes);
}

std::string_view Take(std::string_view& bytes, size_t size) {
  const std::string_view taken = bytes.substr(0, size);
  bytes.remove_prefix(taken.size());
  return taken;
}

void Read(std::string_view& bytes, YamlTree& tree) {
  Header header;
  std::memcpy(&header, Take(bytes, sizeof header).data(), sizeof header);
  tree.kind = header.kind;
  tree.line = header.line;
  tree.key = Take(bytes, header.key);
  tree.text = Take(bytes, header.text);
  tree.children.resize(header.children);
  for (YamlTree& child : tree.children) Read(bytes, child);
}

}  // namespace

YamlTree ParseMessageFiles(std::string_view text) {
  constexpr std::string_view kMark = "==> ";
  YamlTree files;
  files.kind = YamlTree::Kind::kMap;
  while (text.starts_with(kMark)) {
    const size_t line = std::min(text.find('\n'), text.size());
    const std::string_view name = text.substr(kMark.size(), line - kMark.size());
    const size_t next = text.find("\n==> ", line);
    const size_t end = next == std::string_view::npos ? text.size() : next + 1;
    const size_t begin = std::min(line + 1, end);
    files.children.push_back(ParseYaml(text.substr(begin, end - begin)).value_or(YamlTree()));
    files.children.back().key = name;
    text.remove_prefix(end);
  }
  return files;
}

std::string ToBytes(const YamlTree& tree) {
  std::string bytes;
  Write(tree, bytes);
  return bytes;
}

YamlTree FromBytes(std::string_view bytes) {
  YamlTree tree;
  Read(bytes, tree);
  return tree;
}

}  // namespace quantgate::cli
