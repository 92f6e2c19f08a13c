// A .tflite whose encodings are changed where they stand: no table moves, so all else stays as it
// was, byte for byte.
#ifndef QUANTGATE_CORE_FIX_TFLITE_FILE_H_
#define QUANTGATE_CORE_FIX_TFLITE_FILE_H_

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/fix/editor.h"
#include "core/fix/own_editor.h"
#include "quantgate/model.h"

namespace quantgate::fix {

class TfliteFile {
 public:
  // `bytes` must outlive the file, and be what `model` was read from.
  static absl::StatusOr<std::unique_ptr<TfliteFile>> Make(std::string_view bytes,
                                                          const Model& model);

  // Fails with the reason where the tables of a tensor have no room for this coding, or another
  // tensor shares them.
  absl::Status CheckRoom(const Model& model, TensorId tensor, const Coding& to) const;
  // The file with all codings of the editor.
  absl::Status Write(const Editor& editor, const std::function<void(std::string_view)>& sink) const;

 private:
  // Where the file keeps what is known of a tensor; 0 = nowhere.
  struct Places {
    uint64_t type = 0, scales = 0, zero_points = 0, data = 0;
    uint32_t scale_count = 0, zero_point_count = 0;
    uint64_t data_bytes = 0;
    bool is_shared = false;
  };
  explicit TfliteFile(std::string_view bytes) : bytes_(bytes) {}

  std::string_view bytes_;
  std::vector<Places> places_;  // by TensorId
};

// OwnEditor, held to what the file has room for.
class TfliteEditor : public OwnEditor {
 public:
  TfliteEditor(Model model, const opdb::View& database, const TfliteFile& file)
      : OwnEditor(std::move(model), Constants::kStored, database), tables_(&file) {}

  std::unique_ptr<Editor> Clone() const override {
    return std::unique_ptr<Editor>(new TfliteEditor(*this));
  }
  absl::Status Encode(TensorId tensor, const Coding& to, Rounding rounding) override {
    if (absl::Status room = tables_->CheckRoom(model_, tensor, to); !room.ok()) return room;
    return OwnEditor::Encode(tensor, to, rounding);
  }

 private:
  TfliteEditor(const TfliteEditor&) = default;

  const TfliteFile* tables_;
};

}  // namespace quantgate::fix

#endif  // QUANTGATE_CORE_FIX_TFLITE_FILE_H_
