// What a backend library said about one node.
#ifndef QUANTGATE_CORE_ORACLE_ANSWER_H_
#define QUANTGATE_CORE_ORACLE_ANSWER_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "quantgate/model.h"

namespace quantgate::verify {

enum class Outcome : uint8_t {
  kNotAsked,
  kOk,
  kFails,
  kCrash,  // the process died: `signal`, or an exit status in `code` where signal is 0
  kHang,   // ran into the time limit
};

enum class Stage : uint8_t { kValidate, kPrepare, kExecute };
inline constexpr int kStageCount = 3;
std::string_view StageName(Stage stage);  // "validate"

struct StageAnswer {
  Outcome outcome = Outcome::kNotAsked;
  int32_t signal = 0;
  uint64_t code = 0;    // the library's error code
  std::string step;     // the call that failed: "create tensor in[1]", "finalize"
  std::string message;  // first telling line of the library's log
};

struct Answer {
  StageAnswer stages[kStageCount];
  // Why the node could not be put to the library; then nothing was asked.
  std::string not_asked;
  // With `dump`: stored bytes of constants, inputs and outputs, by tensor.
  std::map<TensorId, std::vector<uint8_t>> data;

  StageAnswer& operator[](Stage stage) { return stages[static_cast<size_t>(stage)]; }
  const StageAnswer& operator[](Stage stage) const { return stages[static_cast<size_t>(stage)]; }
};

// "accepted", "rejected", "crash SIGFPE", "hang", "not asked" for op validation; "ok",
// "fails", ... for the other stages.
std::string OutcomeText(Stage stage, const StageAnswer& answer);

}  // namespace quantgate::verify

#endif  // QUANTGATE_CORE_ORACLE_ANSWER_H_
