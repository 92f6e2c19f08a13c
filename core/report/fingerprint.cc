#include "core/report/fingerprint.h"

#include <fmt/core.h>

#include <string_view>

namespace quantgate {
namespace {

// FNV-1a, 64 bits (http://www.isthe.com/chongo/tech/comp/fnv/): the same on every machine and in
// every version, which std::hash doesn't promise.
constexpr uint64_t kOffset = 0xcbf29ce484222325;
constexpr uint64_t kPrime = 0x100000001b3;

void Mix(uint64_t& hash, std::string_view text) {
  for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * kPrime;
  hash = (hash ^ 0xFF) * kPrime;  // ends the field
}

}  // namespace

std::string Fingerprints::Next(const Finding& finding) {
  uint64_t hash = kOffset;
  Mix(hash, finding.rule->code);
  Mix(hash, finding.op);
  Mix(hash, finding.port);
  // A finding about no tensor is one about its node.
  Mix(hash, finding.tensor.empty() ? finding.node : finding.tensor);
  return fmt::format("{:016x}:{}", hash, ++seen_[hash]);
}

}  // namespace quantgate
