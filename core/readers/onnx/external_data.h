// Small constants that an ONNX file keeps in other files.
#ifndef QUANTGATE_CORE_READERS_ONNX_EXTERNAL_DATA_H_
#define QUANTGATE_CORE_READERS_ONNX_EXTERNAL_DATA_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace quantgate {

// Where external data may be. A location is looked up in the model's folder; what it leads to,
// links followed, must lie in one of these folders.
struct ExternalData {
  std::string directory{};    // the model's; empty = nothing is looked up
  std::string behind_link{};  // the folder that the model's own link leads to; empty = no link
  std::string given{};        // by the user; then locations may be absolute or climb with ".."
};

// Of a model file; "-" = stdin.
ExternalData ExternalDataOf(const std::string& path, const std::string& given);

// What is wrong with a location, or "": it must be a relative path that stays inside the model's
// directory, unless it may leave it.
std::string CheckExternalLocation(std::string_view location, bool may_leave);

// `size` bytes at `offset` of `location`. nullopt, and the reason in `*problem`, when there is no
// such file, it is too short, or a link leads out of the folders. The location has been checked.
std::optional<std::string> ReadExternal(const ExternalData& data, std::string_view location,
                                        int64_t offset, size_t size, std::string* problem);

// The same bytes, a window after the other, without keeping them. False where there are none.
bool VisitExternal(const ExternalData& data, std::string_view location, int64_t offset, size_t size,
                   const std::function<void(std::string_view)>& visit);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_READERS_ONNX_EXTERNAL_DATA_H_
