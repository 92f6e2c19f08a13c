// What a backend library said about ops, to be handed on: each op as the backend gets it, without
// names of the model and without weights (docs/schemas/record.schema.json).
//
//   quantgate::verify::Recorder recorder;
//   for (const Comparison& compared : …) recorder.Add(compared);   // of a verifier with `record`
//   file << recorder.Json();
#ifndef QUANTGATE_RECORD_H_
#define QUANTGATE_RECORD_H_

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "quantgate/export.h"
#include "quantgate/model.h"
#include "quantgate/verify.h"

namespace QUANTGATE_EXPORT quantgate {
namespace QUANTGATE_EXPORT verify {

// Collects what comparisons of one target hold; what is equal is one entry with a count.
class Recorder {
 public:
  // Of nodes that the library could be asked about.
  void Add(const Comparison& comparison);
  bool empty() const { return head_.empty(); }
  // One op a line; ends with a line feed.
  std::string Json() const;

 private:
  std::string head_;
  std::vector<std::string> ops_;         // in the order in which they came
  std::map<std::string, size_t> counts_;
};

struct RecordedOp {
  Model model;  // a single node
  Answer answer;
  Judgement judgement;
  size_t count = 1;
};

struct Record {
  std::string backend, sdk, arch, soc, library, build_id;
  std::vector<Stage> queried;
  std::vector<RecordedOp> ops;
};

// InvalidArgument with "PLACE: reason" or "reason"; of a file of 64 MiB at most.
absl::StatusOr<Record> ParseRecord(std::string_view json);
absl::StatusOr<Record> ReadRecord(const std::string& path);
// Whether a file claims to be a record: it is a JSON object whose `kind` says so, near its begin.
bool LooksLikeRecord(std::string_view bytes);

}  // namespace verify
}  // namespace quantgate

#endif  // QUANTGATE_RECORD_H_
