#include "tools/quantgate/log/literal_index.h"

#include <algorithm>

namespace quantgate::cli {
namespace {

constexpr uint32_t kNone = UINT32_MAX;

struct Trie {
  size_t classes;
  std::vector<uint32_t> next;               // [node][class]
  std::vector<std::vector<uint32_t>> ends;  // [node]

  uint32_t Add() {
    next.resize(next.size() + classes, kNone);
    ends.emplace_back();
    return static_cast<uint32_t>(ends.size() - 1);
  }
};

// Every edge that is missing leads where the longest shorter beginning leads, breadth first.
void Complete(Trie& trie) {
  std::vector<uint32_t> fail(trie.ends.size(), 0), queue = {0};
  for (size_t at = 0; at < queue.size(); ++at) {
    const uint32_t node = queue[at];
    for (size_t c = 0; c < trie.classes; ++c) {
      uint32_t& edge = trie.next[node * trie.classes + c];
      const uint32_t shorter = node == 0 ? 0 : trie.next[fail[node] * trie.classes + c];
      if (edge == kNone) {
        edge = shorter;
        continue;
      }
      fail[edge] = shorter;
      const std::vector<uint32_t>& more = trie.ends[shorter];
      trie.ends[edge].insert(trie.ends[edge].end(), more.begin(), more.end());
      queue.push_back(edge);
    }
  }
}

}  // namespace

LiteralIndex::LiteralIndex(std::span<const std::string_view> texts) {
  for (const std::string_view text : texts) {
    for (const char c : text) {
      uint8_t& known = class_[static_cast<unsigned char>(c)];
      if (known == 0) known = static_cast<uint8_t>(classes_++);
    }
  }
  Trie trie{classes_, {}, {}};
  size_t most = 1;
  for (const std::string_view text : texts) most += text.size();
  trie.next.reserve(most * classes_);
  trie.ends.reserve(most);
  trie.Add();
  for (size_t i = 0; i < texts.size(); ++i) {
    uint32_t node = 0;
    for (const char c : texts[i]) {
      const size_t edge = node * classes_ + class_[static_cast<unsigned char>(c)];
      if (trie.next[edge] == kNone) {
        const uint32_t added = trie.Add();
        trie.next[edge] = added;
      }
      node = trie.next[edge];
    }
    if (node != 0) trie.ends[node].push_back(static_cast<uint32_t>(i));
  }
  Complete(trie);

  std::vector<uint32_t> order(trie.ends.size()), place(trie.ends.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto plain = std::stable_partition(order.begin(), order.end(),
                                           [&](uint32_t node) { return trie.ends[node].empty(); });
  first_hit_ = static_cast<State>(plain - order.begin());
  for (uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  next_.resize(trie.next.size());
  begin_.push_back(0);
  for (uint32_t i = 0; i < order.size(); ++i) {
    for (size_t c = 0; c < classes_; ++c) {
      next_[i * classes_ + c] = place[trie.next[order[i] * classes_ + c]];
    }
    if (i < first_hit_) continue;
    const std::vector<uint32_t>& ends = trie.ends[order[i]];
    ends_.insert(ends_.end(), ends.begin(), ends.end());
    begin_.push_back(static_cast<uint32_t>(ends_.size()));
  }
}

std::span<const uint32_t> LiteralIndex::Ends(State state) const {
  if (!Hit(state)) return {};
  const size_t hit = state - first_hit_;
  return std::span(ends_).subspan(begin_[hit], begin_[hit + 1] - begin_[hit]);
}

}  // namespace quantgate::cli
