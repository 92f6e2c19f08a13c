// Any bytes as quantgate.yaml and as pyproject.toml: one clear line, or a configuration that means
// the same when what --show-config prints is read again.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "quantgate/config.h"
#include "tests/fuzz/round_trip.h"
#include "tests/fuzz/scratch_folder.h"

namespace {

void Try(const quantgate::fuzz::ScratchFolder& folder, const char* name, std::string_view bytes) {
  auto config = quantgate::LoadConfig(folder.Write(name, bytes));
  if (!config.ok()) {
    const std::string error(config.status().message());
    quantgate::fuzz::Require(!error.empty() && error.find('\n') == std::string::npos,
                             "not a one-line error", error);
    return;
  }
  config->file.clear();
  const std::string shown = quantgate::ShowConfig(*config, false);
  auto again = quantgate::LoadConfig(folder.Write("quantgate.yaml", shown));
  quantgate::fuzz::Require(again.ok(), "what is shown can't be read",
                           again.status().ToString() + "\n" + shown);
  again->file.clear();
  quantgate::fuzz::Require(
      quantgate::ShowConfig(*again, true) == quantgate::ShowConfig(*config, true),
      "what is shown means something else", shown);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const quantgate::fuzz::ScratchFolder folder("config");
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  Try(folder, "quantgate.yaml", bytes);
  Try(folder, "pyproject.toml", bytes);
  return 0;
}
