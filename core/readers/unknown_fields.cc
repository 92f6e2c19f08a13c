#include "core/readers/unknown_fields.h"

#include <fmt/core.h>

#include "core/base/text.h"

namespace quantgate {
namespace {

constexpr size_t kMaxNames = 20;

}  // namespace

void UnknownFields::Add(std::string_view name) {
  std::string key(name);
  if (counts_.size() < kMaxNames || counts_.count(key) > 0) ++counts_[std::move(key)];
}

void UnknownFields::AddNote(std::vector<std::string>& notes) const {
  if (counts_.empty()) return;
  std::string names;
  for (const auto& [name, count] : counts_) {
    names += fmt::format("{}{}{}", names.empty() ? "" : ", ", Quoted(name),
                         count > 1 ? fmt::format(" ({} times)", count) : "");
  }
  notes.push_back(fmt::format("fields that are not known and not used: {}", names));
}

}  // namespace quantgate
