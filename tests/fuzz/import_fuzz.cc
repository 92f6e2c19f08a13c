// Any bytes as a page of an SDK's op definitions: one clear line, or ops.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tests/fuzz/round_trip.h"
#include "tools/quantgate/import/opdef_page.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto page = quantgate::cli::ReadOpDefPage(bytes);
  if (!page.ok()) {
    const std::string error(page.status().message());
    quantgate::fuzz::Require(!error.empty() && error.find('\n') == std::string::npos,
                             "not a one-line error", error);
    return 0;
  }
  for (const auto& op : page->ops) {
    for (const auto& sentence : op.sentences) (void)quantgate::cli::ConstraintOf(sentence.text);
  }
  return 0;
}
