// The form of a node: all that a rule may read of it except its numbers. Two nodes of the same
// form differ in scales, zero points, block factors and stored values only; networks are many
// nodes of few forms.
#ifndef QUANTGATE_CORE_VALIDATE_NODE_FORM_H_
#define QUANTGATE_CORE_VALIDATE_NODE_FORM_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "quantgate/model.h"

namespace quantgate {

class NodeForm {
 public:
  // Op, params, and of each tensor dtype, shape, kind and sizes of its encoding, as bytes that
  // are equal exactly where the forms are. Valid until the next call. Empty: a form too long to
  // be worth comparing.
  std::string_view Of(const Model& graph, const Node& node);

 private:
  // A Conv2d takes 60 words; what is far longer (a Concat of hundreds, long lists in params)
  // seldom comes twice.
  static constexpr size_t kMaxWords = 1024;
  std::array<uint64_t, kMaxWords> words_;
};

}  // namespace quantgate

#endif  // QUANTGATE_CORE_VALIDATE_NODE_FORM_H_
