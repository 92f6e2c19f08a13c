// Any bytes as one YAML file of a small database: lines of "FILE:LINE:COLUMN: reason", or an image
// that opens. The first byte says which file it is.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/database/compile/compile.h"
#include "quantgate/database.h"
#include "tests/fuzz/round_trip.h"
#include "tests/fuzz/scratch_folder.h"

namespace {

// New ones at the end: the corpus names files by their place.
constexpr std::array<const char*, 11> kFiles = {
    "htp/Relu.yaml",     "targets.yaml",         "sources.yaml",
    "resolve/onnx.yaml", "waivers.yaml",         "routes/onnxruntime.yaml",
    "precisions.yaml",   "htp/profiles.yaml",    "op_sets.yaml",
    "recipes/mllm.yaml", "rules/mask-range.yaml"};

// tests/fixtures/opdefs/small, with one file replaced.
class Folder {
 public:
  Folder() {
    namespace fs = std::filesystem;
    fs::copy(QUANTGATE_SOURCE_DIR "/tests/fixtures/opdefs/small", small_.path(),
             fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  }
  std::vector<std::string> With(const char* file, std::string_view content) {
    namespace fs = std::filesystem;
    // The fuzzer's clock may interrupt a copy.
    std::error_code error;
    do {
      fs::remove_all(changed_.path() + "/changed");
      error.clear();
      fs::copy(small_.path(), changed_.path() + "/changed", fs::copy_options::recursive, error);
    } while (error == std::errc::interrupted);
    if (error) std::abort();
    changed_.Write(std::string("changed/") + file, content);
    return {changed_.path() + "/changed"};
  }

 private:
  quantgate::fuzz::ScratchFolder small_{"small"}, changed_{"changed"};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  static Folder folder;
  const std::string_view content(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto image =
      quantgate::opdefs::CompileOpdefs(folder.With(kFiles[data[0] % kFiles.size()], content));
  if (!image.ok()) {
    quantgate::fuzz::Require(!image.status().message().empty(), "an error without words", "");
    return 0;
  }
  const auto database = quantgate::Database::FromImage(*image);
  quantgate::fuzz::Require(database.ok(), "the image compiled can't be opened",
                           database.status().ToString());
  return 0;
}
