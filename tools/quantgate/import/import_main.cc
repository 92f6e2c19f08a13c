// quantgate-import DOCS SDK OUT: run by `quantgate import`, which has read the flags.
#include <exception>

#include "tools/quantgate/cli/common.h"
#include "tools/quantgate/cli/signals.h"
#include "tools/quantgate/import/import.h"

int main(int argc, char** argv) {
  quantgate::cli::PrepareProcess();
  if (argc != 4) return quantgate::cli::Fail("a part of quantgate; see quantgate import --help");
  try {
    return quantgate::cli::Import({.docs = argv[1], .sdk = argv[2], .out = argv[3]});
  } catch (const std::exception& error) {  // no memory
    return quantgate::cli::Fail(error.what());
  }
}
