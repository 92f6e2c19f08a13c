// Answers as JSON lines.
#ifndef QUANTGATE_CORE_ORACLE_ANSWER_JSON_H_
#define QUANTGATE_CORE_ORACLE_ANSWER_JSON_H_

#include <string>
#include <string_view>

#include "quantgate/verify.h"
#include "quantgate/model.h"

namespace quantgate::verify {

// One line without its end: {"model", "node", "op", "validate", "code"?, "message"?,
// "prepare"?, "execute"?, "tensors"?}. `source` is the file, or FILE:LINE.
std::string AnswerLine(std::string_view source, const Model& model, const Node& node,
                       const Answer& answer);

}  // namespace quantgate::verify

#endif  // QUANTGATE_CORE_ORACLE_ANSWER_JSON_H_
