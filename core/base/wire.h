// A protobuf message taken apart into its fields and put together again with some of them changed.
#ifndef QUANTGATE_CORE_BASE_WIRE_H_
#define QUANTGATE_CORE_BASE_WIRE_H_

#include <cstdint>
#include <functional>
#include <protozero/pbf_reader.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace quantgate::fix {

// Text that may be long and is made up of parts of a file, short new texts, and long new ones that
// are made when they are written.
class Rope {
 public:
  using Sink = std::function<void(std::string_view)>;
  using Make = std::function<void(const Sink&)>;

  void Add(std::string_view view);  // must outlive the rope
  void AddOwned(std::string text);
  // `make` gives exactly `size` bytes.
  void AddLater(uint64_t size, Make make);
  void Add(Rope rope);
  uint64_t size() const { return size_; }
  void Write(const Sink& sink) const;

 private:
  struct Piece {
    std::string_view view;
    std::string owned;
    Make make;
  };
  std::vector<Piece> pieces_;
  uint64_t size_ = 0;
};

// One field as it stands in a message.
struct Field {
  uint32_t tag_and_type = 0;
  std::string_view whole;    // with its tag
  std::string_view content;  // of a length-delimited one
};
// Throws protozero::exception.
void ForEachWireField(std::string_view message, const std::function<void(const Field&)>& use);

std::string VarintField(uint32_t field, int64_t value);
std::string BytesField(uint32_t field, std::string_view content);
// A length-delimited field with this content.
Rope MessageField(uint32_t field, Rope content);

}  // namespace quantgate::fix

#endif  // QUANTGATE_CORE_BASE_WIRE_H_
