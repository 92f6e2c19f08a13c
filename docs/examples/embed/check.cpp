// Checks an ONNX model for one chip and prints the report, from a program that links nothing of
// quantgate but libquantgate_c:
//
//   c++ -std=c++17 check.cpp -lquantgate_c -o check && ./check SM8550 model.onnx
//
// Exit status: 0 the model fits, 1 it does not, 2 it can't be read.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "quantgate/quantgate.hpp"

namespace {

int Fail(const std::string& message) {
  std::fprintf(stderr, "error: %s\n", message.c_str());
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return Fail("usage: check SOC MODEL.onnx");
  quantgate::c::Options options;
  options.soc = argv[1];
  const quantgate::c::Validator validator(options);  // shared by threads freely
  if (!validator.ok()) return Fail(validator.error());

  std::ifstream file(argv[2], std::ios::binary);
  if (!file) return Fail(std::string(argv[2]) + ": can't be opened");
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const quantgate::c::Result result =
      validator.Check(bytes, quantgate::c::Format::kOnnx, argv[2]);
  if (result.status == quantgate::c::Status::kUnusable) {
    return Fail(std::string(argv[2]) + ": " + result.text);
  }
  std::printf("%s\n", result.text.c_str());
  return result.status == quantgate::c::Status::kPassed ? 0 : 1;
}
