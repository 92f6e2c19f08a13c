#include "core/readers/onnx/outline.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "core/base/pbf.h"
#include "core/base/text.h"
#include "core/base/wire.h"

namespace quantgate::onnx {
namespace {

// Messages of onnx.proto through which the way to a TensorProto leads.
enum class Message : uint8_t { kOther, kModel, kGraph, kNode, kAttribute, kTensor, kSparseTensor };

struct Child {
  Message of;
  uint32_t field;
  Message is;
};
constexpr Child kChildren[] = {{Message::kModel, 7, Message::kGraph},
                               {Message::kGraph, 1, Message::kNode},
                               {Message::kGraph, 5, Message::kTensor},
                               {Message::kGraph, 15, Message::kSparseTensor},
                               {Message::kNode, 5, Message::kAttribute},
                               {Message::kAttribute, 5, Message::kTensor},
                               {Message::kAttribute, 6, Message::kGraph},
                               {Message::kAttribute, 10, Message::kTensor},
                               {Message::kAttribute, 11, Message::kGraph},
                               {Message::kAttribute, 22, Message::kSparseTensor},
                               {Message::kSparseTensor, 1, Message::kTensor},
                               {Message::kSparseTensor, 2, Message::kTensor}};
constexpr uint32_t kRawData = 9, kExternalData = 13, kDataLocation = 14;
constexpr int64_t kExternal = 1;
constexpr size_t kReadBytes = size_t{64} << 10;
constexpr int kDeepest = 64;

Message ChildOf(Message message, uint32_t field) {
  for (const Child& child : kChildren) {
    if (child.of == message && child.field == field) return child.is;
  }
  return Message::kOther;
}

struct Broken : std::runtime_error {
  Broken(uint64_t at, const char* reason) : std::runtime_error(reason), place(at) {}
  uint64_t place;
};

class Outliner {
 public:
  Outliner(uint64_t size, std::string_view location, const ReadAt& read, size_t longest)
      : size_(size), location_(location), read_(read), longest_(longest) {}

  std::string Run() { return Walk(Message::kModel, 0, size_, 0); }

 private:
  // What stands at `begin`, before `end`, of a message.
  std::string Walk(Message message, uint64_t begin, uint64_t end, int depth) {
    if (depth > kDeepest) throw Broken(begin, "messages nested too deeply");
    std::string out;
    uint64_t data_at = 0, data_size = 0;
    size_t data_stood_at = 0;  // in `out`
    bool is_external = false;
    for (uint64_t at = begin; at < end;) {
      const uint64_t field_at = at;
      const uint64_t tag = Varint(&at, end);
      const auto number = static_cast<uint32_t>(tag >> 3);
      switch (static_cast<pbf::Type>(tag & 7)) {
        case pbf::Type::varint: {
          const uint64_t value = Varint(&at, end);
          if (message != Message::kTensor || number != kDataLocation) break;
          is_external = value == uint64_t{kExternal};
          if (!is_external && data_size > 0) continue;  // not any more
          break;
        }
        case pbf::Type::fixed64:
          at += 8;
          break;
        case pbf::Type::fixed32:
          at += 4;
          break;
        case pbf::Type::length_delimited: {
          const uint64_t length = Varint(&at, end);
          if (length > end - at) throw Broken(field_at, "it ends before a field does");
          const uint64_t content_at = std::exchange(at, at + length);
          if (length <= longest_) break;
          if (const Message child = ChildOf(message, number); child != Message::kOther) {
            out += fix::BytesField(number, Walk(child, content_at, at, depth + 1));
            continue;
          }
          if (message != Message::kTensor || number != kRawData) break;
          data_at = content_at;
          data_size = length;
          data_stood_at = out.size();
          continue;
        }
        default:
          throw Broken(field_at, "not a protobuf message");
      }
      if (at > end) throw Broken(field_at, "it ends before a field does");
      Copy(field_at, at, &out);
    }
    if (data_size > 0 && !is_external)
      out.insert(data_stood_at, ExternalFields(data_at, data_size));
    return out;
  }

  std::string ExternalFields(uint64_t at, uint64_t size) const {
    const auto entry = [](std::string_view key, std::string_view value) {
      return fix::BytesField(kExternalData, fix::BytesField(1, key) + fix::BytesField(2, value));
    };
    return entry("location", location_) + entry("offset", std::to_string(at)) +
           entry("length", std::to_string(size)) + fix::VarintField(kDataLocation, kExternal);
  }

  uint64_t Varint(uint64_t* at, uint64_t end) {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (*at >= end) throw Broken(*at, "it ends before a field does");
      const auto byte = static_cast<unsigned char>(Byte((*at)++));
      value |= uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return value;
    }
    throw Broken(*at, "not a protobuf message");
  }

  char Byte(uint64_t at) {
    if (at < window_at_ || at >= window_at_ + window_.size()) Move(at);
    return window_[static_cast<size_t>(at - window_at_)];
  }

  void Move(uint64_t at) {
    window_.resize(static_cast<size_t>(std::min<uint64_t>(kReadBytes, size_ - at)));
    window_at_ = at;
    if (!read_(at, window_.data(), window_.size())) throw Broken(at, "the file can't be read");
  }

  void Copy(uint64_t begin, uint64_t end, std::string* out) {
    if (begin >= window_at_ && end <= window_at_ + window_.size()) {
      out->append(window_, static_cast<size_t>(begin - window_at_),
                  static_cast<size_t>(end - begin));
      return;
    }
    const size_t had = out->size(), more = static_cast<size_t>(end - begin);
    out->resize(had + more);
    if (!read_(begin, out->data() + had, more)) throw Broken(begin, "the file can't be read");
  }

  const uint64_t size_;
  const std::string_view location_;
  const ReadAt& read_;
  const size_t longest_;
  std::string window_;
  uint64_t window_at_ = 0;
};

}  // namespace

absl::StatusOr<std::string> Outline(uint64_t size, std::string_view location, const ReadAt& read,
                                    size_t longest) {
  try {
    return Outliner(size, location, read, longest).Run();
  } catch (const Broken& error) {
    return InvalidAt(fmt::format("byte {}", error.place), error.what());
  }
}

}  // namespace quantgate::onnx
