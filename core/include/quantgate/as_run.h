// What runs of a model, in contrast to what was written: `check --as-run`. Plain data.
#ifndef QUANTGATE_AS_RUN_H_
#define QUANTGATE_AS_RUN_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "quantgate/export.h"

namespace QUANTGATE_EXPORT quantgate {

// Where a node of the file runs.
enum class Placement : uint8_t {
  kQuantized,  // on the NPU, its first result is fixed-point
  kFloat,      // on the NPU, in the route's float type
  kInteger,    // on the NPU, on plain integers
  kCpu,        // the route leaves it to the CPU
  kRefused,    // the route has no fallback: the graph can't be built with it
  kInto,       // part of another node: an encoding, a constant, a fused activation
  kOutside,    // at an end of the graph: the caller (de)quantizes
  kUnknown,    // unchecked
};
inline constexpr int kPlacementCount = 8;
// "npu_quantized", "npu_float", "npu_integer", "cpu", "refused", "into", "outside", "unknown"
std::string_view PlacementName(Placement placement);

enum class ChangeKind : uint8_t {
  kFloat,     // written quantized, runs in float
  kEncoding,  // another encoding than the written one
  kDtype,     // an operand of another datatype
  kBias,      // a bias with another encoding or datatype
  kConvert,   // an op is inserted that converts values
  kFolded,    // part of the op before it
  kHalf,      // written in single precision, runs in half
  kRead,      // arrives as written, and the backend reads it with another encoding
};
inline constexpr int kChangeKindCount = 8;
// "float", "encoding", "dtype", "bias", "convert", "folded", "half", "read"
std::string_view ChangeKindName(ChangeKind kind);

struct Change {
  ChangeKind kind = ChangeKind::kEncoding;
  int32_t node_index = -1;  // into Report::nodes
  std::string port;         // of the op that runs; may be empty
  std::string tensor;
  std::string written, runs;  // the datatype or encoding, in words
};

struct RunNode {
  Placement placement = Placement::kUnknown;
  std::vector<std::string> ops;  // that run for it, with what was inserted
  int32_t partition = -1;            // into AsRun::partitions; -1 = in none
};

// A graph that goes to the NPU as one.
struct Partition {
  int32_t nodes = 0;              // of the file that became ops of it
  int32_t first = -1, last = -1;  // the first and the last of them, into Report::nodes
};

struct AsRun {
  std::vector<RunNode> nodes;   // as Report::nodes
  std::vector<Change> changes;  // in the order of the nodes
  std::vector<Partition> partitions;
  std::array<int64_t, kPlacementCount> placements{};  // number of nodes
  std::string float_dtype;  // what float nodes on the NPU compute in: "FLOAT_16"; may be empty
  // Why no session is built, and the nodes (into Report::nodes) that prevent it. Empty = one is.
  std::string session_fails;
  std::vector<int32_t> session_killers;
};

}  // namespace quantgate

#endif  // QUANTGATE_AS_RUN_H_
