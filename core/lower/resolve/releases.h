// Which releases of a client's code a model may meet on a route: `releases` of its document.
#ifndef QUANTGATE_CORE_LOWER_RESOLVE_RELEASES_H_
#define QUANTGATE_CORE_LOWER_RESOLVE_RELEASES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/database/view.h"
#include "quantgate/target.h"

namespace quantgate {

class Releases {
 public:
  // `releases` is the document's list, oldest first, or no tree. The model meets `release` ("1.5.1"), or the
  // newest listed before it. If that is empty it may meet all that come with `sdk`; where none does, the newest that
  // comes with an older SDK. Before the first one it is the first.
  Releases(opdb::Tree releases, SdkKey sdk, std::string_view release);

  enum class Share : uint8_t { kNone, kSome, kAll };
  // How many of these are in a range: from the release `first` to the one before `end`, which both
  // may be empty for no bound.
  Share In(std::string_view first, std::string_view end) const;
  // "0.7 to 1.3", "before 1.4", "from 1.0"; empty without a bound.
  std::string Range(std::string_view first, std::string_view end) const;

 private:
  size_t Find(std::string_view name, size_t otherwise) const;

  opdb::Tree releases_;
  size_t first_ = 0, end_ = 0;  // in the list
};

}  // namespace quantgate

#endif  // QUANTGATE_CORE_LOWER_RESOLVE_RELEASES_H_
