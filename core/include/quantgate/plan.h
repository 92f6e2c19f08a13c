// A quantization plan for a float model: what each tensor may be quantized as so that the target
// accepts every op and computes right, and what stands in the way where the wish can't be had.
//
//   auto planner = quantgate::Planner::Make(target, {.precision = "16a8w"});
//   auto plan = planner->Plan(model);
//   std::cout << quantgate::PlanText(*plan);
#ifndef QUANTGATE_PLAN_H_
#define QUANTGATE_PLAN_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "quantgate/consequence.h"
#include "quantgate/database.h"
#include "quantgate/dtype.h"
#include "quantgate/encoding.h"
#include "quantgate/export.h"
#include "quantgate/model.h"
#include "quantgate/shared_string.h"
#include "quantgate/target.h"
#include "quantgate/validator.h"

namespace QUANTGATE_EXPORT quantgate {

// Which of several rows that are equally near to the wish.
enum class PlanGoal : uint8_t {
  kConverts,  // the one with the fewest Converts to its neighbours
  kBits,      // the one with the fewest bits
};
std::string_view PlanGoalName(PlanGoal goal);  // "converts"
std::vector<std::string_view> PlanGoalNames();

// Of nodes by name: a name or a pattern (`*` any text, `?` one character), and their precision.
struct PlanOverride {
  std::string nodes;
  std::string precision;
};

struct PlanOptions {
  std::string precision = "8a8w";  // one of PlanPrecisionNames()
  // "per-channel", "per-tensor", "int4", "lpbq:64"; "" = per-channel where the op supports it.
  std::string weights = {};
  std::vector<PlanOverride> overrides = {};
  PlanGoal minimize = PlanGoal::kConverts;
  std::string route = {};
};
std::vector<std::string_view> PlanPrecisionNames();  // "16a16w", "16a8w", ... "fp16"

enum class TensorRole : uint8_t {
  kActivation,
  kConstant,  // a constant that is read like an activation
  kWeight,
  kBias,
  kPlain,  // integers and booleans: never quantized
};
std::string_view TensorRoleName(TensorRole role);  // "activation"

struct PlannedTensor {
  SharedString name;
  TensorRole role = TensorRole::kActivation;
  // Made on the way to the backend: the file has no such tensor.
  bool internal = false;
  Dtype dtype = Dtype::kUndefined;  // a float type: not quantized
  EncodingKind kind = EncodingKind::kNone;
  int32_t bits = 0;        // significant bits where they are fewer than the dtype's; else 0
  int32_t axis = -1;       // of channels, in QNN's layout; -1 = none
  int32_t file_axis = -1;  // the same in the layout of the file
  int32_t block_size = 0;  // along the input channels (LPBQ)
  bool symmetric = false;
  // The op dictates them.
  std::optional<double> scale;
  std::optional<int64_t> zero_point;
  // Below it an op computes wrong, where the range of its values is tiny; 0 = none is known.
  double least_scale = 0;
  SharedString shares_with;   // the tensor whose scale and zero point it has; empty = its own
  SharedString derived_from;  // of a bias: scale = scale of this activation * that of the weight
  std::vector<SharedString> constraints;  // ids of those that say so
};

enum class PlanFit : uint8_t {
  kPlain,  // nothing of it is quantized, and nothing has to be
  kAsWished,
  kNearest,    // another precision: the wish can't be had
  kFloat,      // in float on the target
  kRefused,    // no precision is accepted: on the CPU
  kUnchecked,  // nothing is known of the op
};
inline constexpr int kPlanFitCount = 6;
std::string_view PlanFitName(PlanFit fit);  // "as_wished"

// One QNN op that a node of the file becomes.
struct PlannedOp {
  SharedString op;
  SharedString row;                       // "htp/Conv2d#INT16.1"; empty = none
  SharedString precision;                 // what it gets: "16a8w"
  std::vector<SharedString> constraints;  // ids of those that shaped its encodings
};

struct PlannedNode {
  SharedString name;
  SharedString op;      // as in the file
  SharedString wished;  // the precision of PlanOptions
  PlanFit fit = PlanFit::kPlain;
  SharedString into;  // the node that it becomes part of; it has no ops then
  std::vector<PlannedOp> ops;
  // Why it is not as wished, in words, and the constraint or rows that say so.
  SharedString reason;
  SharedString constraint;
  SharedString rule;     // "QG201"
  int32_t converts = 0;  // at its inputs
};

struct PlannedConvert {
  SharedString tensor;
  SharedString node;  // of the file, that reads it converted
  SharedString port;  // "in[0]"
  Dtype from = Dtype::kUndefined;
  Dtype to = Dtype::kUndefined;
  std::optional<double> scale;
  std::optional<int64_t> zero_point;
  int64_t elements = 0;  // 0 = not known
  SharedString shares_with;  // the tensor whose scale and zero point it has; empty = its own
  SharedString reason;
};

struct Plan {
  std::string model;
  std::string backend, sdk, arch, soc, route;
  std::string precision, weights, minimize;
  std::vector<std::string> notes;
  std::vector<PlannedTensor> tensors;
  std::vector<PlannedNode> nodes;  // every node of the file, in order
  std::vector<PlannedConvert> converts;
  int64_t count(PlanFit fit) const;
};

class Planner {
 public:
  // InvalidArgument for an unknown precision or form of weights, with the nearest.
  static absl::StatusOr<Planner> Make(const Target& target, const PlanOptions& options,
                                      const Database& database = Database::Embedded());
  ~Planner();
  Planner(Planner&&) noexcept;
  Planner& operator=(Planner&&) noexcept;

  // InvalidArgument, one line: the model is quantized already, an override names no node, or two
  // contradict each other.
  absl::StatusOr<Plan> MakePlan(const Model& model) const;

 private:
  struct Impl;
  explicit Planner(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// The JSON of docs/schemas/plan.schema.json, with a line feed at its end.
std::string PlanJson(const Plan& plan);
// For a terminal: counts, what is not as wished, Converts.
std::string PlanText(const Plan& plan, bool color = false, size_t width = 100);
// Body of a page that shows the precision of each node; classes are those of the reports' page.
std::string PlanHtmlBody(const Plan& plan);

}  // namespace quantgate

#endif  // QUANTGATE_PLAN_H_
