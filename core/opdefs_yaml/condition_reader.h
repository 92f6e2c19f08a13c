// `when` of a constraint.
#ifndef QUANTGATE_CORE_OPDEFS_YAML_CONDITION_READER_H_
#define QUANTGATE_CORE_OPDEFS_YAML_CONDITION_READER_H_

#include <string_view>
#include <vector>

#include "core/opdefs_yaml/symbols.h"

namespace quantgate::opdefs {

class ConditionReader {
 public:
  ConditionReader(const Symbols& symbols, const Reporter& reporter)
      : symbols_(symbols), reporter_(reporter) {}

  // `own_port`: the constraint's; conditions on "the port itself" need one.
  // All keys of `when`, for the schema of the YAML.
  static std::vector<std::string_view> KeyNames();
  std::vector<Cond> Read(const Node& when, int own_port);

 private:
  struct Key;
  static const Key kKeys[];

  void ReadOwn(const Node& node, const Key& key, int own_port);
  void ReadPorts(const Node& node, const Key& key);
  void ReadParams(const Node& node, opdb::CondKey key);
  void ReadAxes(const Node& node);
  // The values of one condition: a mask, flags, numbers or pairs.
  bool ReadValues(const Node& node, const Key& key, Cond& cond);
  bool ReadPairs(const Node& node, Cond& cond);

  const Symbols& symbols_;
  const Reporter& reporter_;
  std::vector<Cond> out_;
};

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_CORE_OPDEFS_YAML_CONDITION_READER_H_
