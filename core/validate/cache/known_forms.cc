#include "core/validate/cache/known_forms.h"

#include <utility>

#include "core/validate/cache/node_form.h"

namespace quantgate {

const KnownForm* KnownForms::Find(const Node& node) {
  ++lookups_;
  const auto is_of = [&](int32_t entry) {
    return SameForm(graph_, *entries_[static_cast<size_t>(entry)].first, node);
  };
  // Blocks of a network repeat themselves: what came behind the last form before, else a search.
  const int32_t expected = last_ >= 0 ? entries_[static_cast<size_t>(last_)].next : -1;
  if (expected >= 0 && is_of(expected)) return Found(expected);
  const auto bucket = by_hash_.find(HashOfForm(graph_, node));
  if (bucket == by_hash_.end()) return nullptr;
  for (const int32_t entry : bucket->second) {
    if (entry != expected && is_of(entry)) return Found(entry);
  }
  return nullptr;
}

const KnownForm* KnownForms::Found(int32_t entry) {
  ++hits_;
  if (last_ >= 0) entries_[static_cast<size_t>(last_)].next = entry;
  last_ = entry;
  return &entries_[static_cast<size_t>(entry)].form;
}

void KnownForms::Insert(const Node& node, KnownForm form) {
  if (entries_.size() >= kMaxForms) return;
  auto& alike = by_hash_[HashOfForm(graph_, node)];
  if (alike.size() >= kMaxAlike) return;
  alike.push_back(static_cast<int32_t>(entries_.size()));
  entries_.push_back({&node, std::move(form)});
}

}  // namespace quantgate
