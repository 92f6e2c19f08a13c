// What operators do to the real values that they read, as the database has it: the keys `values`,
// `low` and `high` of opdefs/op_sets.yaml, and the mappings from source operators to QNN ops.
#ifndef QUANTGATE_CORE_SAFETY_OP_VALUES_H_
#define QUANTGATE_CORE_SAFETY_OP_VALUES_H_

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/database/view.h"
#include "core/lower/resolve/mapping.h"
#include "quantgate/model.h"

namespace quantgate::fix {

struct ValueEffect {
  enum class Kind : uint8_t {
    kUnknown,
    kMoved,     // each value written is one that was read, or 0
    kAveraged,  // they lie between those that were read and 0
    kCut,       // those that were read, cut at `low` and `high`
    kBounded,   // they lie from `low` to `high`, whatever was read
  };
  Kind kind = Kind::kUnknown;
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
};

class OpValues {
 public:
  // `database` must outlive it.
  OpValues(const opdb::View& database, Dialect dialect);

  // Of a node of a model in the dialect. Quantize and dequantize nodes are the caller's to follow.
  ValueEffect Of(const Model& model, const Node& node) const;
  mapping::Role RoleOf(const Node& node) const;
  // Whether nodes of the dialect can have a role of their own: no QNN op has.
  bool HasRoles() const { return mapping_ != nullptr; }

 private:
  // The value of a param: a number, or the name of one; neither where it is not known.
  struct Setting {
    std::optional<double> number;
    std::string_view name;
  };
  using Settings = std::function<Setting(std::string_view param)>;
  // A number, or the param that says it.
  struct End {
    double number = 0;
    std::string_view param;
  };
  struct Member {
    ValueEffect::Kind kind;
    std::optional<End> low, high;
    std::string_view param = {};  // empty = whatever its params
    std::vector<std::string_view> names = {};
    std::vector<int64_t> numbers = {};  // the same
  };

  static std::optional<End> ReadEnd(opdb::Tree value);

  ValueEffect OfOp(std::string_view op, const Settings& settings) const;
  ValueEffect OfMapped(const Model& model, const Node& node, const mapping::OpMapping& op) const;

  std::unique_ptr<mapping::Mapping> mapping_;  // null: the nodes are QNN ops
  absl::flat_hash_map<std::string_view, std::vector<Member>> members_;
};

}  // namespace quantgate::fix

#endif  // QUANTGATE_CORE_SAFETY_OP_VALUES_H_
