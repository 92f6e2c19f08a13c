#include "core/validate/accepted_forms.h"

#include <utility>

#include "absl/strings/string_view.h"

namespace quantgate {

const AcceptedForm* AcceptedForms::Find(std::string_view form) {
  ++lookups_;
  const auto it = forms_.find(absl::string_view(form.data(), form.size()));
  if (it == forms_.end()) return nullptr;
  ++hits_;
  return &it->second;
}

void AcceptedForms::Insert(std::string_view form, AcceptedForm accepted) {
  if (forms_.size() < kMaxForms) forms_.emplace(std::string(form), std::move(accepted));
}

}  // namespace quantgate
