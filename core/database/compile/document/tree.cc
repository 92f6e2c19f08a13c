#include <algorithm>

#include "core/database/compile/op_reader.h"

namespace quantgate::opdefs {

Tree TreeOf(const Node& node) {
  Tree tree;
  tree.key = node.key;
  tree.line = static_cast<uint32_t>(node.line);
  tree.column = static_cast<uint32_t>(node.column);
  switch (node.kind) {
    case Node::Kind::kNull:
      break;
    case Node::Kind::kScalar:
      tree.text = node.text;
      tree.type = opdb::TreeType::kString;
      if (const auto flag = node.flag()) {
        tree.type = opdb::TreeType::kBool;
        tree.i = *flag ? 1 : 0;
      } else if (const auto integer = node.integer()) {
        tree.type = opdb::TreeType::kInt;
        tree.i = *integer;
      } else if (const auto real = node.real()) {
        tree.type = opdb::TreeType::kReal;
        tree.d = *real;
      }
      break;
    case Node::Kind::kList:
    case Node::Kind::kMap:
      tree.type = node.is_list() ? opdb::TreeType::kList : opdb::TreeType::kMap;
      for (const Node& child : node.children) tree.children.push_back(TreeOf(child));
      if (node.is_map()) {
        std::sort(tree.children.begin(), tree.children.end(),
                  [](const Tree& a, const Tree& b) { return a.key < b.key; });
      }
      break;
  }
  return tree;
}

}  // namespace quantgate::opdefs
