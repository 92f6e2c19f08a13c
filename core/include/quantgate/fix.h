// Fixes what a check found, as far as that is known to keep what the model computes, and writes the
// file again.
//
//   absl::StatusOr<quantgate::FixableFile> file = quantgate::FixableFile::Open("model.onnx");
//   if (!file.ok()) return file.status();
//   const quantgate::FixResult result = file->Fix(validator);
//   if (result.changed()) return file->Write([&](std::string_view part) { out << part; });
#ifndef QUANTGATE_FIX_H_
#define QUANTGATE_FIX_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "quantgate/consequence.h"
#include "quantgate/database.h"
#include "quantgate/dtype.h"
#include "quantgate/encoding.h"
#include "quantgate/export.h"
#include "quantgate/model.h"
#include "quantgate/reader.h"
#include "quantgate/report.h"
#include "quantgate/validator.h"

namespace QUANTGATE_EXPORT quantgate {

// What the stored integers of a tensor mean: a fixed-point type and its encoding.
struct QuantizedType {
  Dtype dtype = Dtype::kUndefined;
  Encoding encoding;  // per-tensor or per-channel
};
// "UFIXED_POINT_8, scale 0.02, zero_point 128"
std::string QuantizedTypeText(const QuantizedType& type);

// Of one tensor, from what the file says to what it says after all edits.
struct TensorChange {
  std::string tensor;
  QuantizedType from, to;
  bool is_static = false;  // a constant: the next two are of its values
  int64_t moved = 0;       // stored integers that change
  double error = 0;        // the largest change of a real value
};

// A quantized copy inserted between a tensor and its reader, or after its producer.
struct InsertedTensor {
  std::string node, port;  // "add_1", "in[1]"
  std::string tensor;      // the one in float
  std::string quantized;   // the new one
  QuantizedType type;
};

// What became of one finding.
struct FixOutcome {
  Finding finding;
  std::string reason;  // what fixed it, or why it is left
};

struct FixOptions {
  // Constants may also be written with a larger scale: their real values move by half a step at
  // most. Otherwise they stay equal.
  bool allow_rounding = false;
  // Findings less severe than this are left alone.
  Consequence at_least = Consequence::kAdvice;
};

struct FixResult {
  Report before, after;
  std::vector<FixOutcome> fixed;  // of `before`, gone
  std::vector<FixOutcome> left;   // of `after`
  std::vector<TensorChange> changes;  // by name of tensor
  std::vector<InsertedTensor> insertions;

  bool changed() const { return !changes.empty() || !insertions.empty(); }
};

// A file that can be written again: an ONNX model in QDQ form, a TFLite model, Model JSON of a QNN
// graph, or the encodings file of a model, which itself stays as it is. Order, unknown fields and
// all that is not changed stay; weights are never held in memory. Not for use by several threads at
// once.
//
// Errors are InvalidArgument with "PLACE: reason" or "reason", as those of reader.h, without the
// file's name.
class FixableFile {
 public:
  // `database` must outlive the file. "-" = standard input.
  static absl::StatusOr<FixableFile> Open(const std::string& path, const ReadOptions& options = {},
                                          const Database& database = Database::Embedded());
  // The encodings file at `path`, of this model.
  static absl::StatusOr<FixableFile> OpenEncodings(const std::string& path, Model model,
                                                   const Database& database = Database::Embedded());
  FixableFile(FixableFile&&) noexcept;
  FixableFile& operator=(FixableFile&&) noexcept;
  ~FixableFile();

  // Plans edits: after each step the model is checked again, and a step stays only if its findings
  // are gone and no node is worse off. Nothing is written. To be called once.
  FixResult Fix(const Validator& validator, const FixOptions& options = {});

  // The file with the edits of Fix(), part by part; the bytes as they were where there are none.
  absl::Status Write(const std::function<void(std::string_view)>& sink) const;

  // What has been written, read again and checked: from a file, or from bytes.
  absl::StatusOr<Report> CheckFile(const Validator& validator, const std::string& path) const;
  absl::StatusOr<Report> CheckBytes(const Validator& validator, std::string_view bytes) const;

  // The model as it is in an ONNX file; null for other files, which nothing runs.
  const Model* onnx_model() const;
  // The name of a file next to the model that holds data of it, and must lie next to what is
  // written too; empty = there is none.
  std::string external_data() const;

  // A kind of file; defined inside.
  class Container;

 private:
  explicit FixableFile(std::unique_ptr<Container> container);

  std::unique_ptr<Container> container_;
};

}  // namespace quantgate

#endif  // QUANTGATE_FIX_H_
