#include "tools/quantgate/log/literal_index.h"

#include <algorithm>
#include <utility>

namespace quantgate::cli {
namespace {

constexpr uint32_t kMultiplier = 0x9E3779B1;  // 2^32 by the golden ratio (Knuth)

uint32_t WithByte(uint32_t key, char byte) { return key << 8 | static_cast<unsigned char>(byte); }
uint32_t BucketOf(uint32_t key) { return key * kMultiplier >> 16; }

}  // namespace

LiteralIndex::LiteralIndex(std::span<const std::string_view> texts) : begin_(kBuckets + 1, 0) {
  const auto each_key = [](std::string_view text, const auto& see) {
    uint32_t key = 0;
    for (size_t i = 0; i < text.size(); ++i) {
      key = WithByte(key, text[i]);
      if (i + 1 >= kKeyBytes) see(BucketOf(key), static_cast<uint32_t>(i + 1));
    }
  };
  std::vector<uint32_t> count(kBuckets, 0);
  for (const std::string_view text : texts) {
    each_key(text, [&](uint32_t bucket, uint32_t) { ++count[bucket]; });
  }
  std::vector<std::pair<uint32_t, Text>> found;  // with the bucket
  for (uint32_t i = 0; i < texts.size(); ++i) {
    Text text = {texts[i], i, 0};
    uint32_t rarest = 0;
    each_key(texts[i], [&](uint32_t bucket, uint32_t end) {
      if (text.key_end > 0 && count[bucket] >= count[rarest]) return;
      rarest = bucket;
      text.key_end = end;
    });
    if (text.key_end > 0) {
      found.emplace_back(rarest, text);
    } else if (!texts[i].empty()) {
      short_.push_back(text);
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [bucket, text] : found) {
    texts_.push_back(text);
    used_[bucket] = true;
    ++begin_[bucket + 1];
  }
  for (size_t b = 0; b < kBuckets; ++b) begin_[b + 1] += begin_[b];
}

template <typename See>
void LiteralIndex::Each(std::string_view in, size_t from, const See& see) const {
  uint32_t key = 0;
  for (size_t i = from; i < in.size(); ++i) {
    key = WithByte(key, in[i]);
    const uint32_t bucket = BucketOf(key);
    if (!used_[bucket]) continue;
    for (uint32_t at = begin_[bucket]; at < begin_[bucket + 1]; ++at) {
      const Text& text = texts_[at];
      const size_t end = i + 1;
      if (text.key_end > end || !in.substr(end - text.key_end).starts_with(text.text)) continue;
      if (!see(text, i)) return;
    }
  }
}

size_t LiteralIndex::First(std::string_view in, size_t from) const {
  size_t first = std::string_view::npos;
  Each(in, from, [&](const Text&, size_t at) {
    first = at;
    return false;
  });
  for (const Text& text : short_) {
    first = std::min(first, in.substr(0, first).find(text.text, from));
  }
  return first;
}

void LiteralIndex::FindAll(std::string_view in, std::vector<uint32_t>& found) const {
  Each(in, 0, [&](const Text& text, size_t) {
    found.push_back(text.number);
    return true;
  });
  for (const Text& text : short_) {
    if (in.find(text.text) != std::string_view::npos) found.push_back(text.number);
  }
}

}  // namespace quantgate::cli
