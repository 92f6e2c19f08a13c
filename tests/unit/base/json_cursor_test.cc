// The characters of JSON, and values read where they stand.
#include "core/base/json_cursor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/json_text.h"
#include "core/base/text.h"

namespace quantgate {
namespace {

using Value = JsonCursor::Value;

TEST(JsonText, NumbersAreThoseOfJsonAlone) {
  for (const std::string_view bad :
       {"",   "-",  "+1",  "01",       "-01",  "1.",  ".5",    "1e",    "1e+",   "0x10",  "1_0",
        "1 ", " 1", "nan", "Infinity", "1.5f", "--1", "1.2.3", "1e5.0", "1e400", "-1e400"}) {
    EXPECT_FALSE(json::ParseDouble(bad)) << bad;
    EXPECT_TRUE(std::holds_alternative<std::monostate>(json::ParseNumber(bad))) << bad;
  }
  const std::pair<std::string_view, double> good[] = {
      {"0", 0},
      {"-0", -0.0},
      {"10", 10},
      {"0.5", 0.5},
      {"1e2", 100},
      {"1E-2", 0.01},
      {"1.5e+1", 15},
      {"123456789012345678901234567890", 123456789012345678901234567890.0},
      {"0.922337203685477580802", 0.922337203685477580802},
      {"4.9e-324", 4.9e-324},
      {"1e-400", 0},
      {"-1e-400", -0.0},
      {"1.7976931348623157e308", std::numeric_limits<double>::max()}};
  for (const auto& [text, number] : good) {
    ASSERT_TRUE(json::ParseDouble(text)) << text;
    EXPECT_EQ(*json::ParseDouble(text), number) << text;
    EXPECT_EQ(std::signbit(*json::ParseDouble(text)), std::signbit(number)) << text;
  }
}

TEST(JsonText, IntegersAreThoseWrittenAsIntegers) {
  EXPECT_EQ(json::ParseNumber("-9223372036854775808"),
            json::Number(std::numeric_limits<int64_t>::min()));
  EXPECT_EQ(json::ParseNumber("9223372036854775807"),
            json::Number(std::numeric_limits<int64_t>::max()));
  EXPECT_EQ(json::ParseNumber("9223372036854775808"), json::Number(uint64_t{1} << 63));
  EXPECT_EQ(json::ParseNumber("18446744073709551615"), json::Number(~uint64_t{0}));
  EXPECT_EQ(json::ParseNumber("1.0"), json::Number(1.0));
  EXPECT_EQ(json::ParseNumber("1e2"), json::Number(100.0));
  for (const std::string_view long_one : {"18446744073709551616", "-9223372036854775809"}) {
    EXPECT_EQ(json::ParseNumber(long_one), json::Number());
  }
}

TEST(JsonText, Escapes) {
  const auto unescaped = [](std::string_view text) {
    std::string out;
    return json::Unescape(text, &out) ? out : "bad";
  };
  EXPECT_EQ(unescaped(R"(a\"\\\/\b\f\n\r\tz)"), "a\"\\/\b\f\n\r\tz");
  EXPECT_EQ(unescaped(R"(\u0041\u00e9\u20ac)"), "A\u00e9\u20ac");
  EXPECT_EQ(unescaped(R"(\uD83D\uDE00!)"), "\U0001F600!");
  EXPECT_EQ(unescaped(R"(\uD800\uDC00\uDBFF\uDFFF)"), "\U00010000\U0010FFFF");
  EXPECT_EQ(unescaped(R"(\u0000)"), std::string(1, '\0'));
  for (const std::string_view bad : {R"(\x41)", R"(\u12)", R"(\u12g4)", R"(\u+123)", R"(\ud800)",
                                     R"(\ud800\n)", R"(\ud800\u0041)", R"(\udc00)", R"(\U0041)"}) {
    EXPECT_EQ(unescaped(bad), "bad") << bad;
  }
}

TEST(JsonText, BrokenCharactersHaveAPlace) {
  const auto broken = [](std::string_view text) {
    const json::Broken found = json::FindBroken(text);
    return std::pair(std::string(found.reason), found.at);
  };
  using Place = std::pair<std::string, size_t>;
  EXPECT_EQ(broken(R"({"a": "\""})").first, "");
  EXPECT_EQ(broken(" \n\t"), Place("no JSON value", 3));
  EXPECT_EQ(broken(R"({"a": "b)"), Place("the string is not closed", 6));
  EXPECT_EQ(broken("{\"a\": \"b\\"), Place("the string is not closed", 6));
  EXPECT_EQ(broken("{\"a\": \"\n\"}"), Place("control character in a string", 7));
  EXPECT_EQ(broken("{\n\"a\xff\": 1}"), Place("not UTF-8", 2));
}

// Unicode's table 3-7, its edges and one beyond each.
TEST(Text, Utf8) {
  for (const std::string_view good :
       {"", "plain, and longer than eight bytes", "\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80",
        "\xec\xbf\xbf", "\xed\x80\x80", "\xed\x9f\xbf", "\xee\x80\x80", "\xef\xbf\xbf",
        "\xf0\x90\x80\x80", "\xf3\xbf\xbf\xbf", "\xf4\x8f\xbf\xbf", "12345678\xc3\xa9z12345678"}) {
    EXPECT_TRUE(IsUtf8(good)) << good;
  }
  for (const std::string_view bad :
       {"\x80", "\xbf", "\xc0\xaf", "\xc1\xbf", "\xc2", "\xc2\x7f", "\xc2\xc0", "\xe0\x9f\xbf",
        "\xe1\x80", "\xe1\x80\x7f", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf0\x90\x80",
        "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "12345678\xc3",
        "1234567\xff"
        "12345678"}) {
    EXPECT_FALSE(IsUtf8(bad)) << bad;
  }
  EXPECT_EQ(Utf8("a\xff\xc3\xa9\xe1\x80z"), "a\uFFFD\u00e9\uFFFD\uFFFDz");
}

// The error of reading a text as {"list": [strings], anything else}.
std::string ErrorOf(std::string_view text) {
  JsonCursor json(text);
  std::vector<TextAt> list;
  json.Document([&](Value root) {
    return json.Map(root, [&](std::string_view key, Value value, size_t) {
      return key == "list" ? json.Strings(value, &list) : json.Pass(value);
    });
  });
  return std::string(json.status().message());
}

TEST(JsonCursor, ErrorsHaveAPlaceAndAPath) {
  EXPECT_EQ(ErrorOf(R"({"list": ["a", "b"], "x": [1, {"y": null}, true, -1.5e3]})"), "");
  const std::pair<std::string_view, std::string_view> errors[] = {
      {"{\"x\": 1\n \"y\": 2}", "2:2: not valid JSON"},
      {R"({"x" 1})", "1:6: not valid JSON"},
      {R"({x: 1})", "1:2: not valid JSON"},
      {R"({"x": })", "1:7: x: not valid JSON"},
      {R"({"x": 1,})", "1:9: not valid JSON"},
      {R"({"x": [1,]})", "1:10: x[1]: not valid JSON"},
      {R"({"x": [1 2]})", "1:10: x[1]: not valid JSON"},
      {R"({"x": [1})", "1:9: x[1]: not valid JSON"},
      {R"({"x": [1)", "1:9: x[1]: an object or array is not closed"},
      {R"({"x": 1)", "1:8: an object or array is not closed"},
      {R"({"x": 1} {})", "1:10: something follows the JSON value"},
      {"1", "1:1: must be an object"},
      {"[1]", "1:1: must be an object, not an array"},
      {R"({"x": nul})", "1:7: x: bad literal"},
      {R"({"x": [nul]})", "1:8: x[0]: bad literal"},
      {R"({"x": truest})", "1:7: x: must be true or false"},
      {R"({"x": 01})", "1:7: x: \"01\" is not a number of 64 bits"},
      {R"({"x": "\q"})", "1:7: x: the string has a bad escape"},
      {R"({"\q": 1})", "1:2: bad string"},
      {R"({"list": ["a", 1]})", "1:16: list[1]: must be a string, not a number"},
  };
  for (const auto& [text, error] : errors) EXPECT_EQ(ErrorOf(text), error) << text;
  const std::string deep = "{\"x\": " + std::string(70, '[') + std::string(70, ']') + "}";
  EXPECT_NE(ErrorOf(deep).find("nested too deep"), std::string::npos);
}

TEST(JsonCursor, WhatIsNotVisitedIsPassedOver) {
  constexpr std::string_view kText =
      R"({"skip": {"a": ["]}", {"b": [1, 2]}], "c\"}": 3}, "list": ["x"], "n": -1, "e": []})";
  JsonCursor json(kText);
  std::vector<TextAt> list;
  ASSERT_TRUE(json.Document([&](Value root) {
    return json.Map(root, [&](std::string_view key, Value value, size_t) {
      return key != "list" || json.Strings(value, &list);
    });
  })) << json.status();
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].text, "x");
  EXPECT_EQ(list[0].offset, kText.find("\"x\""));
}

TEST(JsonCursor, AnIntegerIsVisitedOnlyWhereItIsOne) {
  JsonCursor json("[1, 1.0, \"1\"]");
  std::vector<double> numbers;
  ASSERT_TRUE(json.Document([&](Value root) {
    return json.Array(root, [&](Value value) {
      int64_t integer = 0;
      if (json.IsInt(value, &integer)) {
        numbers.push_back(static_cast<double>(integer));
        return true;
      }
      numbers.emplace_back();
      return json.Double(value, &numbers.back());
    });
  })) << json.status();
  EXPECT_EQ(numbers, (std::vector<double>{1, 1, 1}));
}

TEST(JsonCursor, PartsHavePlacesInTheWhole) {
  constexpr std::string_view kText = "{\n \"a\": {\"b\": tru}}";
  JsonCursor json(kText);
  json.SetPath("a");
  const size_t begin = kText.find("{\"b\"");
  EXPECT_FALSE(json.Slice(begin, kText.size() - 1 - begin, [&](Value root) {
    return json.Map(root, [&](std::string_view, Value value, size_t) { return json.Pass(value); });
  }));
  EXPECT_EQ(json.status().message(), "2:13: a.b: must be true or false");
}

}  // namespace
}  // namespace quantgate
