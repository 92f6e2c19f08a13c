// Edits of the values of an op file, in the words of `opdefc propose`.
#ifndef QUANTGATE_TOOLS_OPDEFC_OP_EDITOR_H_
#define QUANTGATE_TOOLS_OPDEFC_OP_EDITOR_H_

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "core/database/compile/document/map_reader.h"
#include "core/database/view.h"

namespace quantgate::opdefs {

class OpEditor {
 public:
  // `profiles`: those of the backend, null where it has none. `op`: what `root` was compiled to.
  OpEditor(Node& root, const Node* profiles, const opdb::View& view, const opdb::OpRow& op,
           const Reporter& reporter);

  // {section, id or group, row, arch, verdict, untested, sources}. With `group` alone the row gets
  // the next number of it.
  void AddRow(const Node& edit);
  // {section, port, name, body}. Without `name` it is called like its kind.
  void AddConstraint(const Node& edit);
  // "in[0]/rank" or "#INT8.1". What a profile brings is excepted.
  void Remove(const Node& id);
  // {id, sdk}: what it names ends, or begins, with that version; "" = it does not end.
  void Until(const Node& edit);
  void Since(const Node& edit);

 private:
  // A constraint or the entries of one key of `rows`, out of its section.
  struct Taken {
    std::string section, key;
    Node body;
  };

  // What the edit names, into a section of its basis and the range that `range` makes of the old one.
  void Move(const Node& edit, std::string_view what,
            const std::function<void(std::string& since, std::string& until, const std::string& sdk)>& range);
  std::optional<Taken> Take(const Node& id);
  std::optional<Taken> TakeRow(std::string_view id, const Node& place);
  std::optional<Taken> TakeOwn(Node& part, std::string_view port, std::string_view name);
  // Out of the names that the part uses; the body stands in the profiles.
  bool TakeUsed(Node& part, std::string_view port, std::string_view name);
  void Except(std::string_view port, std::string_view name);
  std::optional<Taken> Shared(std::string_view port, std::string_view name) const;

  // The section `name` of `map`; a new one stands after the last on the same
  // evidence, else after the first.
  static Node& SectionOf(Node& map, const std::string& name);
  static void Append(Node& map, std::string key, Node value);
  Node& Rows();
  std::string RowText(const Node& row) const;

  Node& root_;
  const Node* profiles_;
  const Reporter& reporter_;
  std::set<std::string, std::less<>> ids_, row_ids_, brought_;
};

// The last line of a node; and all of it at a line, so that comments stay where they are.
int LastLine(const Node& node);
void Place(Node& node, int line);
// The entry of a map; null where it has none of that key.
Node* FindEntry(Node& map, std::string_view key);

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_TOOLS_OPDEFC_OP_EDITOR_H_
