// A folder for what is only read from files, in memory where there is a place for that.
#ifndef QUANTGATE_TESTS_FUZZ_SCRATCH_FOLDER_H_
#define QUANTGATE_TESTS_FUZZ_SCRATCH_FOLDER_H_

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace quantgate::fuzz {

class ScratchFolder {
 public:
  explicit ScratchFolder(const std::string& name = "fuzz") {
    std::error_code error;
    const bool memory = std::filesystem::is_directory("/dev/shm", error);
    path_ = (memory ? "/dev/shm/quantgate-" : "/tmp/quantgate-") + name + "-" +
            std::to_string(::getpid());
    std::filesystem::create_directories(path_);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }

  const std::string& path() const { return path_; }
  std::string Write(const std::string& name, std::string_view content) const {
    const std::filesystem::path file = std::filesystem::path(path_) / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary)
        .write(content.data(), static_cast<std::streamsize>(content.size()));
    return file.string();
  }

 private:
  std::string path_;
};

}  // namespace quantgate::fuzz

#endif  // QUANTGATE_TESTS_FUZZ_SCRATCH_FOLDER_H_
