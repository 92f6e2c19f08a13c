// The fields of one entry of an encodings file, in the forms of all versions.
#ifndef QUANTGATE_CORE_READERS_AIMET_ENTRY_FIELDS_H_
#define QUANTGATE_CORE_READERS_AIMET_ENTRY_FIELDS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/json_cursor.h"
#include "core/readers/aimet/aimet_entry.h"
#include "core/readers/unknown_fields.h"

namespace quantgate::aimet {

// Functions return false where something is wrong, which `json` then knows with its place.
class EntryFields {
 public:
  using Value = JsonCursor::Value;

  // Both must outlive it; unknown fields are added to `unknown`.
  EntryFields(JsonCursor& json, UnknownFields& unknown) : json_(json), unknown_(unknown) {}

  // 0.6.1: one channel, added to what `raw` has.
  bool ReadChannel(Value value, RawEntry* raw);
  // Later versions. `form` is the section's, and becomes that of the entry.
  bool ReadEntry(Value value, RawEntry* raw, Version* form);
  // Whether an entry so far had fields of another version's.
  bool mixes_versions() const { return foreign_fields_; }

 private:
  bool ReadListField(std::string_view key, Value v, RawEntry* raw);                  // 1.0.0
  bool ReadPlainField(std::string_view key, Value v, RawEntry* raw, Version* form);  // 2.x
  bool ReadScale(Value v, RawEntry* raw, Version* form);
  // true, "True" or "true".
  bool Flag(Value value, std::optional<bool>* out);
  // A field that each channel repeats.
  bool SameInt(Value value, std::string_view name, std::optional<int64_t>* out);
  bool Axis(Value value, std::optional<int32_t>* out);
  // A number, or a list with one block size a dimension, of which one is not 1 or 0.
  bool BlockSize(Value value, RawEntry* raw);
  bool EncodingType(Value value, std::string* out);
  // Fractions of a step by which the grid is shifted: no backend has any.
  bool Shift(Value value);
  // Zero points of block factors: no backend has any.
  bool ReadZeroes(Value value);

  bool One(Value value, double* out) { return json_.Double(value, out); }
  bool One(Value value, int64_t* out);
  template <typename T>
  bool Number(Value value, Numbers<T>* out);
  // A number, or lists of lists of them; lists of one level are as long as each other.
  template <typename T>
  bool ReadNumbers(Value value, Numbers<T>* out);
  template <typename T>
  bool ReadLevel(Value value, size_t level, Numbers<T>* out);

  JsonCursor& json_;
  UnknownFields& unknown_;
  bool foreign_fields_ = false;
};

}  // namespace quantgate::aimet

#endif  // QUANTGATE_CORE_READERS_AIMET_ENTRY_FIELDS_H_
