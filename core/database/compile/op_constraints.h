// The constraints of an op: those of the profiles it uses and its own, of all its cases.
#ifndef QUANTGATE_CORE_DATABASE_COMPILE_OP_CONSTRAINTS_H_
#define QUANTGATE_CORE_DATABASE_COMPILE_OP_CONSTRAINTS_H_

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/database/compile/constraint_reader.h"
#include "core/database/compile/profiles.h"

namespace quantgate::opdefs {

class OpConstraints {
 public:
  OpConstraints(Symbols& symbols, const Evidence& evidence,
                const std::vector<std::string>& sources, Profiles& profiles,
                const Reporter& reporter)
      : symbols_(symbols),
        evidence_(evidence),
        sources_(sources),
        profiles_(profiles),
        reporter_(reporter) {}

  // Adds to `out`, in the order of ports, then what is about all of them, then params.
  void Read(MapReader& map, std::vector<Constraint>& out);

 private:
  // One that was read, with the conditions of its case apart.
  struct Entry {
    Constraint constraint;
    std::vector<Cond> when;  // of the case; empty = everywhere
    const Node* place;  // null = of the op that a file extends
    bool shared = false;  // of the profiles: two cases may bring it
  };
  using Excluded = std::map<std::pair<std::string, std::string>, const Node*>;  // (port, name)

  // The keys that an op and each of its cases have: use, except, sections.
  void ReadPart(MapReader& map, const std::vector<Cond>& when);
  void ReadCases(MapReader& map);
  void ReadUse(const Node& use, Excluded& excluded, const std::vector<Cond>& when);
  void Use(const Used& used, const Node& place, const std::vector<Cond>& when);
  Excluded ReadExcept(MapReader& map);
  void ReadOwn(const Node& section_node, const std::vector<Cond>& when);
  void ReadRevisions(MapReader& map);

  Constraint ReadOne(const Node& node, std::string_view name, const std::string& port,
                     const Section& section, const Reporter& reporter);
  void Add(Entry entry);
  // The same constraint in two cases: one with the values of both. False where the cases differ
  // in more than the values of one param.
  static bool Join(std::vector<Cond>& into, const std::vector<Cond>& when);
  // Narrows a shared constraint to the dtypes that a row gives its port; false = none is left.
  bool Narrow(Constraint& constraint) const;

  Symbols& symbols_;
  const Evidence& evidence_;
  const std::vector<std::string>& sources_;
  Profiles& profiles_;
  const Reporter& reporter_;
  std::vector<Entry> entries_;
  std::map<std::string, size_t> by_id_;
};

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_CORE_DATABASE_COMPILE_OP_CONSTRAINTS_H_
