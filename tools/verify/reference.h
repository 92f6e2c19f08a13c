// The float reference: a Python program (tools/verify/reference) that judges what a library
// computed.
#ifndef QUANTGATE_TOOLS_VERIFY_REFERENCE_H_
#define QUANTGATE_TOOLS_VERIFY_REFERENCE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "quantgate/model.h"
#include "tools/verify/answer.h"
#include "tools/verify/comparison.h"

namespace quantgate::verify {

class Reference {
 public:
  // `python` empty = .venv/bin/python of the source tree this program was built in, else
  // python3. NotFound where the program does not lie beside this one.
  static absl::StatusOr<Reference> Find(const std::string& python);

  struct Executed {
    const Model* model = nullptr;
    const Node* node = nullptr;
    const Answer* answer = nullptr;  // with data
  };
  // One judgement each, in order. An error says what the program said.
  absl::StatusOr<std::vector<Judgement>> Judge(const std::vector<Executed>& executed) const;

 private:
  std::string python_, folder_;
};

}  // namespace quantgate::verify

#endif  // QUANTGATE_TOOLS_VERIFY_REFERENCE_H_
