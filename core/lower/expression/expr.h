// The expressions of source-operator mappings: "norm(axis, rank(in[0]))".
//
// The grammar is that of core/base/expression.h. A name is an attribute of the node; ports are
// arguments of functions, which are listed in expr_functions.cc.
#ifndef QUANTGATE_CORE_LOWER_EXPRESSION_EXPR_H_
#define QUANTGATE_CORE_LOWER_EXPRESSION_EXPR_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/expression.h"
#include "core/database/view.h"
#include "core/lower/expression/value.h"
#include "quantgate/model.h"

namespace quantgate::mapping {

struct PortFacts {
  bool given = false, known_rank = false;
  bool quantized = false;  // a Q or DQ gives it an encoding
  // Of one that is quantized: how, and as which fixed-point type it is stored.
  const Encoding* encoding = nullptr;
  Dtype stored = Dtype::kUndefined;
  // Of a constant that is stored so, or of the floats that a Q makes it of: what is known of it.
  const TensorValues* values = nullptr;
  const std::pair<double, double>* value_range = nullptr;
  Dtype dtype = Dtype::kUndefined;
  std::span<const int64_t> dims;
};

// What an expression may ask of a node. Implemented by the resolver.
class Scope {
 public:
  virtual ~Scope() = default;
  // The attribute, or its default, or null.
  virtual Value Attribute(std::string_view name) const = 0;
  // Of the file's tensor. Port numbers as in Value::kPort.
  virtual PortFacts Port(int64_t port) const = 0;
  // The constant a port holds.
  virtual Value Constant(int64_t port) const = 0;
  virtual bool IsStatic(int64_t port) const = 0;
  // Whether the file holds the constant itself, or what is dequantized to it; not what is computed from some.
  virtual bool IsStored(int64_t port) const = 0;
  // Whether a port is an input or an output of the whole model.
  virtual bool IsAtEdge(int64_t port) const = 0;
  // The next seven need the whole graph, and find nothing where it isn't known.
  // Whether a node reads the tensor of a port.
  virtual bool IsRead(int64_t /*port*/) const { return false; }
  // Whether an earlier node reads what a port reads.
  virtual bool IsReadBefore(int64_t /*port*/) const { return false; }
  // The operator of the file that makes an input for nobody else, or that alone reads an output;
  // empty = there is none.
  virtual std::string_view Neighbour(int64_t /*port*/) const { return {}; }
  // The operator of the file that makes an input, whatever else reads it; empty = there is none.
  virtual std::string_view MakerOf(int64_t /*port*/) const { return {}; }
  // Whether nodes read the tensor of a port, and all of them are this operator.
  virtual bool IsReadOnlyBy(int64_t /*port*/, std::string_view /*op*/) const { return false; }
  // Whether a node that runs in float reads the tensor of a port.
  virtual bool IsReadInFloat(int64_t /*port*/) const { return false; }
  // Whether `end` makes or alone reads what is behind these operators, in a row from an input or an output.
  virtual bool EndsAt(int64_t /*port*/, std::string_view /*operators*/, std::string_view /*end*/) const {
    return false;
  }
  virtual int64_t InputCount() const = 0;
  virtual int64_t OutputCount() const = 0;
  virtual int64_t Opset() const = 0;
};

using Function = Value (*)(const Scope& scope, std::span<const Value> args);
struct FunctionRow {
  std::string_view name;
  int8_t min_args, max_args;
  Function call;
};
std::span<const FunctionRow> Functions();
// Null when unknown.
const FunctionRow* FindFunction(std::string_view name);

class Expr {
 public:
  Expr() = default;  // empty: null
  // A scalar or list of a mapping document. Errors carry "line:column: reason".
  static absl::StatusOr<Expr> Compile(opdb::Tree tree);
  static absl::StatusOr<Expr> Parse(std::string_view text);

  bool empty() const { return nodes_.empty(); }
  Value Eval(const Scope& scope) const;
  // As Eval().True().
  bool Holds(const Scope& scope) const;

 private:
  struct Item {
    expression::Code code = expression::Code::kInteger;
    Value value;       // kInteger, kReal, kPort
    std::string name;  // kText, kName
    const FunctionRow* function = nullptr;
    expression::Args args;  // indexes into nodes_
  };
  const Item& At(int32_t index) const { return nodes_[static_cast<size_t>(index)]; }
  Value Eval(const Item& item, const Scope& scope) const;
  bool Holds(const Item& item, const Scope& scope) const;
  Value Call(const Item& item, const Scope& scope) const;
  // Whether both operands are equal.
  bool AreEqual(const Item& item, const Scope& scope) const;
  // What `compute` makes of both operands; a literal is not copied.
  template <typename Compute>
  auto OfBoth(const Item& item, const Scope& scope, Compute&& compute) const;

  std::vector<Item> nodes_;  // the last is the root
};

// What a row of a document asks, which holds where the row asks nothing. Most rows of a document are never asked:
// the expression, which the compiler of the database has parsed, is compiled by the first question.
class Condition {
 public:
  Condition() = default;
  explicit Condition(opdb::Tree text) : text_(text) {}

  bool Holds(const Scope& scope);

 private:
  opdb::Tree text_;
  Expr compiled_;
};

}  // namespace quantgate::mapping

#endif  // QUANTGATE_CORE_LOWER_EXPRESSION_EXPR_H_
