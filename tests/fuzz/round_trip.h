// What must hold for whatever a reader returns.
#ifndef QUANTGATE_TESTS_FUZZ_ROUND_TRIP_H_
#define QUANTGATE_TESTS_FUZZ_ROUND_TRIP_H_

#include <cstdio>
#include <cstdlib>
#include <string>

#include "absl/status/statusor.h"
#include "quantgate/reader.h"

namespace quantgate::fuzz {

inline void Require(bool condition, const char* what, const std::string& detail) {
  if (condition) return;
  std::fprintf(stderr, "%s\n%s\n", what, detail.c_str());
  std::abort();
}

inline void CheckRoundTrip(const absl::StatusOr<Model>& model) {
  if (!model.ok()) {
    const std::string error(model.status().message());
    Require(!error.empty() && error.find('\n') == std::string::npos, "not a one-line error", error);
    return;
  }
  const std::string json = WriteModelJson(*model);
  const auto from_json = ReadModelJson(json, "fuzz");
  Require(from_json.ok(), "the JSON written can't be read",
          from_json.status().ToString() + "\n" + json);
  Require(WriteModelJson(*from_json) == json, "the JSON changes when written again", json);
  const auto from_binary = ReadModelBinpb(WriteModelBinpb(*model), "fuzz");
  Require(from_binary.ok(), "the .binpb written can't be read", from_binary.status().ToString());
  Require(WriteModelBinpb(*from_binary) == WriteModelBinpb(*model),
          "the .binpb changes when written again", json);
}

}  // namespace quantgate::fuzz

#endif  // QUANTGATE_TESTS_FUZZ_ROUND_TRIP_H_
