// A document of opdefs/resolve, compiled op by op when first needed.
#ifndef QUANTGATE_CORE_LOWER_RESOLVE_MAPPING_H_
#define QUANTGATE_CORE_LOWER_RESOLVE_MAPPING_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "core/database/view.h"
#include "core/lower/expression/expr.h"

namespace quantgate::mapping {

// How a tensor of the file is seen by a port of a QNN op.
enum class Layout : uint8_t { kFile, kChannelsLast, kExpr };

struct PortSpec {
  enum class Source : uint8_t {
    kFile,   // an input or output of the node
    kRest,   // all inputs or outputs from `index` on
    kTemp,   // a tensor between two steps
    kConst,  // a new constant
    kAdded,  // what the fused addition after the node adds; absent without one
  };
  Source source = Source::kFile;
  int32_t index = 0;  // port number, or number of the temp
  Layout layout = Layout::kFile;
  Expr perm;                        // kExpr: dims[i] = file dims[perm[i]]
  int8_t unsqueeze = -1;            // then a dimension of size 1 is put here
  Expr dims;                        // kTemp, kConst, or other dims than those of the file
  int16_t like = 0;                 // kTemp, kConst: dtype and encoding as this port of the node
  Expr number;                      // kConst: what all of it is, where that is one number
  Dtype dtype = Dtype::kUndefined;  // instead of that of `like`
  std::string_view name;            // kTemp
  // A quantized constant arrives in this type, whatever it has in the file.
  Dtype requantize = Dtype::kUndefined;
  // Only from this type, keeping its values; kUndefined = from any, symmetric.
  Dtype requantize_from = Dtype::kUndefined;
  // Added to negative values of a constant: indices that count from the end.
  Expr wrap;
  // kTemp: so many ports in a row, all of this tensor.
  Expr times;
};

struct ParamSpec {
  std::string_view name;
  bool optional = false;  // left out where the value is null
  Expr value;
  // As the database has it; kUndefined where it does not know the op or the param.
  Dtype dtype = Dtype::kUndefined;
  bool tensor = false;
  std::span<const opdb::EnumRow> values;
};

struct Step {
  std::string_view op;
  bool all_inputs = true, all_outputs = true;  // every port as it stands; else the lists
  std::vector<PortSpec> inputs, outputs;
  std::vector<ParamSpec> params;
};

struct Case {
  Expr when;  // empty = always
  std::vector<Step> steps;
  std::string_view refused;    // why no QNN op stands for it
  std::string_view unchecked;  // why nothing is known
  int32_t temps = 0;
};

// What an operator is for the forming of units.
enum class Role : uint8_t { kOp, kQuantize, kDequantize, kConstant, kIdentity };

struct OpMapping {
  std::string error;  // "line:column: reason" of a faulty entry; nothing else is set then
  Role role = Role::kOp;
  std::string_view convert;  // kQuantize: the op between two encodings
  // Moves values only, and the tool passes a Q or DQ through it where one side lacks it.
  bool passes = false;
  // Never a quantized unit: runs in float whatever Q and DQ are around.
  bool float_only = false;
  // Why nothing is known of it with encodings from a file: a tool quantizes what is inside of it.
  std::string_view unknown_inside;
  // A quantized unit also where no Q comes after it: its result is then float.
  bool open = false;
  // All quantized inputs of a unit have the dtype of the first, not only the outputs.
  bool same_inputs = false;
  // Input that is a bias: int32, or a float constant that the tool quantizes itself; -1 = none.
  int16_t bias = -1;
  // The tool quantizes a float constant of rank 0 that stands for an input, by an encoding of its own.
  bool quantized_scalars = false;
  // No quantized unit where an input besides the first is dequantized too.
  bool single_input = false;
  // The tool quantizes no constant for it: a bias is int32.
  bool stored_bias = false;
  // Input whose type must be signed where that of input 0 is; -1 = none.
  int16_t weight = -1;
  // Axes of the weight: of its output channels, and along which blocks of input channels lie.
  Expr weight_channel_axis, weight_block_axis;
  // The operator after this one that is merged into it as a bias, where that makes a quantized
  // unit.
  std::string_view adds;
  // An activation that a following Q may make redundant: its bounds; empty = unbounded.
  bool clamp = false;
  Expr clamp_min, clamp_max;
  // Where it has a value the node is a constant.
  Expr fold;
  // Where it is true, the node gives its first input on as it is.
  Expr unchanged;
  std::vector<std::pair<std::string_view, Expr>> attributes;  // defaults
  std::vector<Case> cases;  // the first whose condition holds counts

  const Expr* Default(std::string_view attribute) const;
  // Whether some form of it is translated.
  bool IsTranslated() const;
};

class Mapping {
 public:
  // `document`: "resolve/onnx". `ops`: the backend whose params give dtypes; may be null.
  Mapping(const opdb::View& database, std::string_view document, const opdb::BackendRow* ops);

  const opdb::View& database() const { return *database_; }
  bool known() const { return static_cast<bool>(ops_); }
  // Null when the operator has no entry. Stays valid as long as this object.
  const OpMapping* Find(std::string_view domain, std::string_view op);
  // What an operator is for units, without compiling the rest of its entry; kOp where it has none.
  Role RoleOf(std::string_view domain, std::string_view op) const;
  // The op that the first operator with this role becomes, else what `boundary_ops` says of it.
  std::string_view OpOfRole(std::string_view role) const;
  // What an identity between two encodings is: "convert" where both sides have one, "quantize"
  // where the result alone has. Null: the dialect says nothing of it.
  const OpMapping* IdentityConversion(std::string_view kind);
  // The names of all entries, for tests and documentation.
  std::vector<std::string_view> Names() const;

 private:
  std::unique_ptr<OpMapping> Compile(opdb::Tree tree) const;
  absl::Status CompileOp(opdb::Tree tree, OpMapping& out) const;
  absl::Status CompileCase(opdb::Tree tree, Case& out) const;
  absl::Status CompileStep(opdb::Tree tree, std::vector<std::string_view>& temps, Step& out) const;

  const opdb::View* database_;
  const opdb::BackendRow* backend_;
  opdb::Tree ops_, borders_, identities_;
  absl::flat_hash_map<std::string, std::unique_ptr<OpMapping>> compiled_;
};

}  // namespace quantgate::mapping

#endif  // QUANTGATE_CORE_LOWER_RESOLVE_MAPPING_H_
