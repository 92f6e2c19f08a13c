// Values of mapping expressions.
#ifndef QUANTGATE_CORE_LOWER_EXPRESSION_VALUE_H_
#define QUANTGATE_CORE_LOWER_EXPRESSION_VALUE_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace quantgate::mapping {

using Ints = std::vector<int64_t>;

struct Value {
  enum class Type : uint8_t { kNull, kInt, kReal, kText, kInts, kReals, kPort };
  // Why a value is null: the file has none, it is computed at run time, or it is a constant
  // that the reader did not keep.
  enum class Why : uint8_t { kAbsent, kDynamic, kNotKept };

  Type type = Type::kNull;
  Why why = Why::kAbsent;
  int32_t columns = 0;  // kInts: elements per row of a matrix; 0 = a vector
  int64_t integer = 0;  // kInt; kPort: input number, or -1 - output number
  double real = 0;
  std::string_view text;  // of the model or the mapping, which outlive it
  Ints ints;
  std::vector<double> reals;

  static Value Null(Why why = Why::kAbsent) {
    Value v;
    v.why = why;
    return v;
  }
  static Value Int(int64_t i) {
    Value v;
    v.type = Type::kInt;
    v.integer = i;
    return v;
  }
  static Value Real(double d) {
    Value v;
    v.type = Type::kReal;
    v.real = d;
    return v;
  }
  static Value Text(std::string_view s) {
    Value v;
    v.type = Type::kText;
    v.text = s;
    return v;
  }
  static Value Port(int64_t number) {
    Value v;
    v.type = Type::kPort;
    v.integer = number;
    return v;
  }
  static Value List(Ints list) {
    Value v;
    v.type = Type::kInts;
    v.ints = std::move(list);
    return v;
  }

  bool null() const { return type == Type::kNull; }
  // Null, 0, 0.0, "" and empty lists are false.
  bool True() const;
  std::optional<int64_t> AsInt() const;   // kInt, a whole kReal, a list of one
  std::optional<double> AsReal() const;   // any number, a list of one
  std::optional<Ints> AsInts() const;     // kInts; a number is a list of one
  bool Equals(const Value& other) const;  // numbers by value, lists by element
};

}  // namespace quantgate::mapping

#endif  // QUANTGATE_CORE_LOWER_EXPRESSION_VALUE_H_
