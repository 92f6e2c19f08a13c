// A step of the build: compile_messages FILES OUT writes the trees of files of messages as bytes.
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "tools/quantgate/log/message_files.h"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::stringstream files;
  files << std::ifstream(argv[1], std::ios::binary).rdbuf();
  const std::string bytes = quantgate::cli::ToBytes(quantgate::cli::ParseMessageFiles(files.str()));
  std::ofstream out(argv[2], std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.flush();
  if (!out) std::cerr << "error: " << argv[2] << " can't be written\n";
  return out ? 0 : 1;
}
