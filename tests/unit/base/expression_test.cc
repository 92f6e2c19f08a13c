#include "core/base/expression.h"

#include <gtest/gtest.h>

#include <string>

namespace quantgate::expression {
namespace {

// The syntax with every bracket written out: "(+ a (* 2 b))".
std::string Written(const Syntax& syntax, const Node& node) {
  static constexpr const char* kNames[] = {"", "", "", "",  "",   "",  "list", "",  "?",  "or",
                                           "and", "not", "==", "!=", "<", "<=", ">", ">=", "??",
                                           "+", "-", "*", "/", "%", "neg", "[]"};
  switch (node.code) {
    case Code::kInteger:
      return std::to_string(node.integer);
    case Code::kReal:
      return std::to_string(node.real);
    case Code::kText:
      return "'" + std::string(node.text) + "'";
    case Code::kName:
      return std::string(node.text);
    case Code::kParam:
      return "param:" + std::string(node.text);
    case Code::kPort:
      return node.integer < 0 ? "out" + std::to_string(-1 - node.integer)
                              : "in" + std::to_string(node.integer);
    default:
      break;
  }
  std::string text = "(";
  text += node.code == Code::kCall ? node.text : kNames[static_cast<size_t>(node.code)];
  for (size_t i = 0; i < node.args.size(); ++i) text += " " + Written(syntax, syntax.arg(node, i));
  return text + ")";
}

std::string Parsed(std::string_view text) {
  const auto syntax = Parse(text);
  return syntax.ok() ? Written(*syntax, syntax->root()) : std::string(syntax.status().message());
}

TEST(Expression, OperatorsBindAsTheHeaderSays) {
  EXPECT_EQ(Parsed("1 + 2 * -a - b"), "(- (+ 1 (* 2 (neg a))) b)");
  EXPECT_EQ(Parsed("a ?? b + 1 == 2 and not c or d"),
            "(or (and (== (?? a (+ b 1)) 2) (not c)) d)");
  EXPECT_EQ(Parsed("not not a == b"), "(not (not (== a b)))");
  EXPECT_EQ(Parsed("a ? b : c ? d : e"), "(? a b (? c d e))");
  EXPECT_EQ(Parsed("-a[1][-1] % 2"), "(% (neg ([] ([] a 1) (neg 1))) 2)");
  EXPECT_EQ(Parsed("(a - (b - c)) / 1.5e-1"), "(/ (- a (- b c)) 0.150000)");
  EXPECT_EQ(Parsed("a <= b"), "(<= a b)");
  EXPECT_EQ(Parsed("a < b"), "(< a b)");
}

TEST(Expression, ValuesAreNamesPortsListsAndCalls) {
  EXPECT_EQ(Parsed("f()"), "(f)");
  EXPECT_EQ(Parsed("f(in[0], out[2], 'SAME UPPER', [1, []])"),
            "(f in0 out2 'SAME UPPER' (list 1 (list)))");
  EXPECT_EQ(Parsed("dim(in0..m, param:axis[1]) * INT32_MAX"),
            "(* (dim in0..m ([] param:axis 1)) INT32_MAX)");
  EXPECT_EQ(Parsed("android or notion"), "(or android notion)");
  EXPECT_EQ(Parsed("in_place ? param : input"), "(? in_place param input)");
}

TEST(Expression, AMistakeHasAPlace) {
  EXPECT_EQ(Parsed("1 +"), "expression \"1 +\": expected a value at character 4");
  EXPECT_EQ(Parsed("f(1"), "expression \"f(1\": expected ')' at character 4");
  EXPECT_EQ(Parsed("a ? 1"), "expression \"a ? 1\": expected ':' at character 6");
  EXPECT_EQ(Parsed("a == b == c"), "expression \"a == b == c\": unexpected text at character 8");
  EXPECT_EQ(Parsed("'open"), "expression \"'open\": the text has no end at character 1");
  EXPECT_EQ(Parsed("in[x]"), "expression \"in[x]\": expected the number of a port at character 4");
  EXPECT_EQ(Parsed("param: a"),
            "expression \"param: a\": expected the name of a param at character 7");
  EXPECT_EQ(Parsed("1 + 9999999999999999999"),
            "expression \"1 + 9999999999999999999\": number is out of range at character 5");
  EXPECT_EQ(Parsed("1.2.3"), "expression \"1.2.3\": not a number at character 1");
  EXPECT_EQ(Parsed(""), "expression \"\": expected a value at character 1");
}

TEST(Expression, DepthAndLengthAreBounded) {
  for (const char* open : {"(", "-", "[", "f(", "not ", "1 ? ", "a[", "1 + ("}) {
    std::string text;
    while (text.size() < 900) text += open;
    EXPECT_NE(Parsed(text).find("nested too deep"), std::string::npos) << text;
  }
  EXPECT_NE(Parsed(std::string(1025, '1')).find("too long"), std::string::npos);
  EXPECT_EQ(Parsed(std::string(60, '(') + "1" + std::string(60, ')')), "1");
}

}  // namespace
}  // namespace quantgate::expression
