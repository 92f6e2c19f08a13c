// The database that is part of the library: opdefs/CMakeLists.txt makes the image.
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "absl/status/status.h"
#include "core/database/view.h"
#include "quantgate/database.h"

extern "C" {
extern const char quantgate_opdefs_begin[];
extern const char quantgate_opdefs_end[];
}

namespace quantgate {

const Database& Database::Embedded() {
  // Never destroyed: validators may outlive static objects.
  static const Database* const database = [] {
    const std::string_view image(
        quantgate_opdefs_begin, static_cast<size_t>(quantgate_opdefs_end - quantgate_opdefs_begin));
    auto view = opdb::View::OpenChecked(image);  // by opdefc
    if (!view.ok()) {
      // Only a broken build gets here; nothing can be checked without a database.
      std::fprintf(stderr, "quantgate: %s\n", view.status().ToString().c_str());
      std::abort();
    }
    return new Database(std::make_unique<const opdb::View>(*view), std::string());
  }();
  return *database;
}

absl::StatusOr<Target> Target::Parse(const TargetSpec& spec) {
  return Parse(spec, Database::Embedded());
}

}  // namespace quantgate
