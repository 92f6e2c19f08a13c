// What is in a file of its own next to the model: encodings, as AIMET writes them and QNN's
// converter reads them (--quantization_overrides), or a quantization recipe of mllm.
#ifndef QUANTGATE_ENCODINGS_FILE_H_
#define QUANTGATE_ENCODINGS_FILE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "quantgate/database.h"
#include "quantgate/dtype.h"
#include "quantgate/encoding.h"
#include "quantgate/shared.h"
#include "quantgate/export.h"
#include "quantgate/model.h"
#include "quantgate/report.h"

namespace QUANTGATE_EXPORT quantgate {

enum class EncodingsSection : uint8_t { kAny, kActivations, kParams };
std::string_view EncodingsSectionName(EncodingsSection section);  // "activation_encodings", ...

// The entry of one tensor. Zero points are ONNX's whatever the file counts from:
// real = scale * (q - zero_point).
struct EncodingsEntry {
  std::string name;
  EncodingsSection section = EncodingsSection::kAny;
  // The backend's type: UFIXED_POINT_8, FLOAT_16.
  Dtype dtype = Dtype::kUndefined;
  // kNone for floats. `axis` counts only with `has_axis`; `block_size` and `num_blocks` are not
  // set: they follow from `block` and the tensor's shape. Factors and scales in file order.
  Shared<Encoding> encoding;
  bool has_axis = false;
  int64_t block = 0;                             // values in a block; 0 = no blocks
  std::optional<int32_t> block_axis;             // absent = the input channels
  absl::InlinedVector<int64_t, 4> factors_dims;  // shape of LPBQ factors; empty = channel-major
  int64_t line = 0;                              // in the file, from 1
};

// Something in the file that contradicts itself or its version.
struct EncodingsProblem {
  enum class Kind : uint8_t { kSchema, kNoVersion, kOffsetSign, kInconsistent };
  Kind kind = Kind::kSchema;
  int64_t entry = -1;  // index into entries; -1 = the file as a whole
  std::string found, allowed, message;
};

// How the layers whose names a pattern fits are to be quantized. What is not given is absent.
struct RecipeEntry {
  std::string section;  // "linear"
  std::string pattern;  // a regular expression for the whole name, or "fallback"
  std::optional<std::string> method, precision;
  std::optional<bool> sym;
  std::optional<int64_t> block_size;
  int64_t line = 0;  // in the file, from 1
};

struct Recipe {
  std::string tool;  // whose it is, and what becomes of it: opdefs/recipes/<tool>.yaml
  std::vector<RecipeEntry> entries;
  std::string machine;  // the chip it was written for: "SM8650, V75"; may be empty
};

struct EncodingsFile {
  std::string source;    // the file's path, for messages
  std::string version;   // by content: "0.6.1", "1.0.0", "2.0.0", "2.1.0"
  std::string declared;  // what it says of itself; may be empty
  std::vector<EncodingsEntry> entries;
  std::vector<EncodingsProblem> problems;
  std::vector<std::string> notes;  // fields that are not known
  std::optional<Recipe> recipe;    // then it holds no entries and has no version
};

// InvalidArgument with "PLACE: reason" where the file can't be used. "-" = standard input.
absl::StatusOr<EncodingsFile> ReadEncodingsFile(const std::string& path);
// The same of its bytes; `source` stays empty.
absl::StatusOr<EncodingsFile> ReadEncodings(std::string_view json);

// Puts the encodings on the model's tensors and reports what does not fit (QG7xx). What the model
// has itself, by Q and DQ nodes or encodings of its own, stays. Adds a note about the file.
//
// A recipe turns the model into QNN's dialect: its linear layers become what mllm builds of them,
// all other nodes are unchecked.
std::vector<Finding> ApplyEncodings(const EncodingsFile& file, Model& model,
                                    const Database& database = Database::Embedded());

}  // namespace quantgate

#endif  // QUANTGATE_ENCODINGS_FILE_H_
