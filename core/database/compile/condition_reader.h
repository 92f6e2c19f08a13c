// `when` of a constraint.
#ifndef QUANTGATE_CORE_DATABASE_COMPILE_CONDITION_READER_H_
#define QUANTGATE_CORE_DATABASE_COMPILE_CONDITION_READER_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/database/compile/symbols.h"

namespace quantgate::opdefs {

// What a condition is about, and what stands at its key.
enum class CondOf : uint8_t { kOwnPort, kPorts, kParams, kAxes, kNode };
enum class CondValues : uint8_t { kDtypes, kEncodings, kNumbers, kNumber, kFlag, kPairs };

struct ConditionKey {
  std::string_view name;
  opdb::CondKey key;
  CondOf of;
  CondValues values;
};

// All keys of `when`.
std::span<const ConditionKey> ConditionKeys();

class ConditionReader {
 public:
  ConditionReader(const Symbols& symbols, const Reporter& reporter)
      : symbols_(symbols), reporter_(reporter) {}

  // `own_port`: the constraint's; conditions on "the port itself" need one.
  std::vector<Cond> Read(const Node& when, int own_port);

 private:
  void ReadOwn(const Node& node, const ConditionKey& key, int own_port);
  void ReadPorts(const Node& node, const ConditionKey& key);
  void ReadParams(const Node& node, opdb::CondKey key);
  void ReadAxes(const Node& node);
  // The values of one condition: a mask, flags, numbers or pairs.
  bool ReadValues(const Node& node, const ConditionKey& key, Cond& cond);
  bool ReadPairs(const Node& node, Cond& cond);

  const Symbols& symbols_;
  const Reporter& reporter_;
  std::vector<Cond> out_;
};

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_CORE_DATABASE_COMPILE_CONDITION_READER_H_
