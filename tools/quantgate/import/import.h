// quantgate import --sdk-docs DIR [-o OUT]: what the separate program does.
#ifndef QUANTGATE_TOOLS_QUANTGATE_IMPORT_IMPORT_H_
#define QUANTGATE_TOOLS_QUANTGATE_IMPORT_IMPORT_H_

#include <string>

namespace quantgate::cli {

struct ImportFlags {
  std::string docs, sdk, out;  // sdk, out: may be empty
};

// The exit status.
int Import(const ImportFlags& flags);

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_IMPORT_IMPORT_H_
