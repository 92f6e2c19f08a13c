#include "quantgate/verify.h"

#include <cstring>

#include "absl/strings/str_cat.h"

namespace quantgate::verify {

std::string_view StageName(Stage stage) {
  switch (stage) {
    case Stage::kValidate:
      return "validate";
    case Stage::kPrepare:
      return "prepare";
    case Stage::kExecute:
      return "execute";
  }
  return "";
}

std::string OutcomeText(Stage stage, const StageAnswer& answer) {
  switch (answer.outcome) {
    case Outcome::kNotQueried:
      return "not queried";
    case Outcome::kOk:
      return stage == Stage::kValidate ? "accepted" : "ok";
    case Outcome::kFails:
      return stage == Stage::kValidate ? "rejected" : "fails";
    case Outcome::kCrash: {
      if (answer.signal == 0) return absl::StrCat("crash exit ", answer.code);
      const char* name = sigabbrev_np(answer.signal);
      return name ? absl::StrCat("crash SIG", name) : absl::StrCat("crash signal ", answer.signal);
    }
    case Outcome::kHang:
      return "hang";
  }
  return "";
}

}  // namespace quantgate::verify
