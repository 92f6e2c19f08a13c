// What the graph rules know of each op of a target: the sets of opdefs/op_sets.yaml it is in and
// where its weight and bias stand. Made once per target.
#ifndef QUANTGATE_CORE_RULES_SUPPORT_OP_SETS_H_
#define QUANTGATE_CORE_RULES_SUPPORT_OP_SETS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/database/view.h"
#include "quantgate/model.h"
#include "quantgate/target.h"

namespace quantgate::rules {

// A bit for each set.
__extension__ typedef unsigned __int128 SetMask;
inline constexpr size_t kMostSets = 128;

struct OpInfo {
  const opdb::OpRow* row = nullptr;  // null: the backend has no such op
  SetMask sets = 0;                  // whatever its params
  // Members of further sets by the value of a param (an ElementWiseNeuron that is a RELU).
  struct Member {
    SetMask set;
    std::string_view param;
    int64_t value;
  };
  std::vector<Member> by_param;
  int8_t weight = -1, bias = -1;  // ports by their role
  bool quantized = false;         // some row of the target accepts a fixed-point in[0]
};

class OpSets {
 public:
  // `backend` by name; null sets where the database has no op_sets.yaml.
  OpSets(const opdb::View& db, const Target& target);

  // The set's bit; 0 = no such set.
  SetMask Bit(std::string_view set) const;
  SetMask Bits(opdb::Tree names) const;
  const OpInfo& Of(std::string_view op) const;
  SetMask SetsOf(const OpInfo& info, const Node& node) const;

 private:
  std::vector<std::string_view> names_;
  absl::flat_hash_map<std::string_view, OpInfo> ops_;
};

}  // namespace quantgate::rules

#endif  // QUANTGATE_CORE_RULES_SUPPORT_OP_SETS_H_
