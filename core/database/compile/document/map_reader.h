// Reads a YAML map key by key and complains about all that it holds beyond.
#ifndef QUANTGATE_CORE_DATABASE_COMPILE_DOCUMENT_MAP_READER_H_
#define QUANTGATE_CORE_DATABASE_COMPILE_DOCUMENT_MAP_READER_H_

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/database/compile/document/yaml.h"

namespace quantgate::opdefs {

// Where errors of one file go.
struct Reporter {
  std::string file;
  Errors* errors;

  void At(const Node& node, std::string reason) const {
    errors->Add(file, node.line, node.column, std::move(reason));
  }
  void Warn(const Node& node, std::string reason) const {
    errors->Warn(file, node.line, node.column, std::move(reason));
  }
  void AtKey(const Node& node, std::string reason) const {
    if (node.key_line == 0) return At(node, std::move(reason));
    errors->Add(file, node.key_line, node.key_column, std::move(reason));
  }
};

class MapReader {
 public:
  // `what` names the map in errors: "a variant". A node that is no map is an error; it then
  // reads as an empty one, without further complaints.
  MapReader(const Node& node, std::string_view what, const Reporter& reporter);

  bool ok() const { return ok_; }
  const Node& node() const { return node_; }
  const Reporter& reporter() const { return reporter_; }
  // Null when absent. A value of null (`~`) counts as given.
  const Node* find(std::string_view key);
  const Node* need(std::string_view key);  // error when absent
  // Typed reads; nothing when absent or wrong (wrong is an error).
  std::optional<std::string> text(std::string_view key);
  std::optional<int64_t> integer(std::string_view key, int64_t min, int64_t max);
  std::optional<bool> flag(std::string_view key);
  std::vector<const Node*> list(std::string_view key);
  void Has(std::string_view key) { known_.push_back(key); }
  // Errors for every key that was not looked up, with the nearest of those that were.
  void Finish();

 private:
  const Node& node_;
  std::string what_;
  const Reporter& reporter_;
  bool ok_;
  std::vector<std::string_view> known_;
};

// A non-empty plain or quoted scalar.
std::optional<std::string> TextOf(const Node& node, std::string_view what,
                                  const Reporter& reporter);
// The list's items, or the node itself where one value stands for a list.
std::vector<const Node*> OneOrMany(const Node& node);

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_CORE_DATABASE_COMPILE_DOCUMENT_MAP_READER_H_
