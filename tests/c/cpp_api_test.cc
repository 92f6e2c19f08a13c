// The C++ wrapper of the C interface, in a program of C++17 without exceptions that links
// libquantgate_c alone.
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include "quantgate/quantgate.hpp"

namespace {

int failures = 0;

#define EXPECT(condition)                                                          \
  do {                                                                             \
    if (!(condition)) {                                                            \
      std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      ++failures;                                                                  \
    }                                                                              \
  } while (0)

using quantgate::c::Format;
using quantgate::c::Options;
using quantgate::c::Result;
using quantgate::c::Status;
using quantgate::c::Validator;

// A Relu whose output has the given scale: with 0 all values are lost.
std::string ReluWithScale(const std::string& scale) {
  return R"({"tensors": [
    {"name": "x", "dtype": "UFIXED_POINT_8", "dims": [1, 8],
     "encoding": {"perTensor": {"scale": 0.02, "zeroPoint": 0}}},
    {"name": "y", "dtype": "UFIXED_POINT_8", "dims": [1, 8],
     "encoding": {"perTensor": {"scale": )" +
         scale + R"(, "zeroPoint": 0}}}],
    "nodes": [{"name": "n0", "op": "Relu", "inputs": ["x"], "outputs": ["y"]}]})";
}

bool Has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

Options For(std::string soc) {
  Options options;
  options.soc = std::move(soc);
  return options;
}

void TestChecks() {
  const Validator validator(For("sm8550"));
  EXPECT(validator.ok());
  EXPECT(validator.error().empty());
  const Result good = validator.Check(ReluWithScale("0.02"), Format::kModelJson, "m.json");
  EXPECT(good.status == Status::kPassed);
  EXPECT(Has(good.text, R"("verdict":"accepted")"));
  EXPECT(Has(good.text, R"("model":"m.json")"));
  EXPECT(Has(good.text, R"("soc":"SM8550")"));
  const Result bad = validator.Check(ReluWithScale("0"), Format::kModelJson);
  EXPECT(bad.status == Status::kFailed);
  EXPECT(Has(bad.text, "\"QG"));
}

void TestUnusable() {
  const Validator validator;
  EXPECT(validator.ok());
  const Result cut = validator.Check("{", Format::kModelJson);
  EXPECT(cut.status == Status::kUnusable);
  EXPECT(!cut.text.empty());
  EXPECT(validator.Check({}, Format::kOnnx).status == Status::kUnusable);

  const Validator unknown(For("SM85500"));
  EXPECT(!unknown.ok());
  EXPECT(Has(unknown.error(), "SM8550"));
  const Result result = unknown.Check(ReluWithScale("0.02"), Format::kModelJson);
  EXPECT(result.status == Status::kUnusable);
  EXPECT(result.text == unknown.error());
}

void TestOptions() {
  Options options = For("SM8550");
  options.mode = "warn";
  const Validator warns(options);
  EXPECT(warns.Check(ReluWithScale("0"), Format::kModelJson).status == Status::kPassed);
  options.mode = "strickt";
  EXPECT(Has(Validator(options).error(), "strickt"));
}

void TestMoves() {
  Validator first(For("SM8550"));
  const Validator second = std::move(first);
  EXPECT(second.ok());
  EXPECT(second.Check(ReluWithScale("0.02"), Format::kModelJson).status == Status::kPassed);
  EXPECT(!first.ok());  // NOLINT: what a moved one says is part of the interface
  EXPECT(first.Check("{}", Format::kModelJson).status == Status::kUnusable);
}

}  // namespace

int main() {
  EXPECT(Has(std::string(quantgate::c::Version()), "."));
  TestChecks();
  TestUnusable();
  TestOptions();
  TestMoves();
  return failures == 0 ? 0 : 1;
}
