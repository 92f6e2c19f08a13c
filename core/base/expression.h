// The one grammar of expressions in the YAML of the database, and its parser. What the names and
// functions in them mean is up to the two users: a constraint ("rank(in0)-1", compiled by
// core/database/compile/expr.h) and a mapping of operators ("norm(axis, rank(in[0]))", evaluated
// by core/lower/expression/expr.h).
//
//   loosest  a ? b : c
//            or
//            and
//            not
//            == != < <= > >=        one at most
//            ??                     b where a is null
//            + -
//            * / %
//            -a
//   tightest list[i]
//
// Values are whole and real numbers, 'text', [lists], names (in0, in0..m, axis, INT32_MAX),
// param:NAME, ports in[i] and out[i], functions f(a, b), and (a).
#ifndef QUANTGATE_CORE_BASE_EXPRESSION_H_
#define QUANTGATE_CORE_BASE_EXPRESSION_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace quantgate::expression {

enum class Code : uint8_t {
  kInteger,  // integer
  kReal,     // real
  kText,     // text, without its quotes
  kName,     // text
  kParam,    // text: what follows "param:"
  kPort,     // integer: an input's number, or -1 - an output's
  kList,     // args
  kCall,     // args; text: the function
  kTernary,  // args[0] ? args[1] : args[2]
  // Two arguments each, but for kNot and kNegate.
  kOr,
  kAnd,
  kNot,
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kCoalesce,
  kAdd,
  kSub,
  kMul,
  kDiv,
  kMod,
  kNegate,
  kIndex,
};

using Args = absl::InlinedVector<int32_t, 3>;

struct Node {
  Code code = Code::kInteger;
  uint32_t at = 0;  // where it is written: byte of the text; of an operator the operator itself
  int64_t integer = 0;
  double real = 0;
  std::string_view text;  // of the parsed text
  Args args;              // indexes into Syntax::nodes, all below the node's own
};

// Never without nodes.
struct Syntax {
  std::string_view text;
  std::vector<Node> nodes;  // arguments before what they belong to; the last is the root

  const Node& root() const { return nodes.back(); }
  const Node& arg(const Node& node, size_t i) const {
    return nodes[static_cast<size_t>(node.args[i])];
  }
};

// The result's views are into `text`.
absl::StatusOr<Syntax> Parse(std::string_view text);

// `expression "TEXT": REASON at character N`, counted from 1: how every mistake in an expression
// is reported. Long texts are cut.
absl::Status Mistake(std::string_view text, size_t at, std::string_view reason);

}  // namespace quantgate::expression

#endif  // QUANTGATE_CORE_BASE_EXPRESSION_H_
