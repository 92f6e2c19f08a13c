// Small constants that an ONNX file keeps in files beside it.
#ifndef QUANTGATE_CORE_READERS_EXTERNAL_DATA_H_
#define QUANTGATE_CORE_READERS_EXTERNAL_DATA_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace quantgate {

// What is wrong with a location, or "": it must be a relative path that stays inside the model's
// directory.
std::string CheckExternalLocation(std::string_view location);

// `size` bytes at `offset` of `directory`/`location`. nullopt, and the reason in `*problem`, when
// there is no such file or it is too short. The location has been checked.
std::optional<std::string> ReadExternal(std::string_view directory, std::string_view location,
                                        int64_t offset, size_t size, std::string* problem);

// The same bytes, a window after the other, without keeping them. False where there are none.
bool VisitExternal(std::string_view directory, std::string_view location, int64_t offset,
                   size_t size, const std::function<void(std::string_view)>& visit);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_READERS_EXTERNAL_DATA_H_
