// The editor of TFLite models.
#ifndef QUANTGATE_CORE_FIX_TFLITE_EDITOR_H_
#define QUANTGATE_CORE_FIX_TFLITE_EDITOR_H_

#include <memory>
#include <utility>

#include "core/fix/own_editor.h"
#include "core/fix/tflite_file.h"

namespace quantgate::fix {

// OwnEditor, held to what the file has room for.
class TfliteEditor : public OwnEditor {
 public:
  TfliteEditor(Model model, const opdb::View& database, const TfliteFile& file)
      : OwnEditor(std::move(model), Constants::kStored, database), tables_(&file) {}

  std::unique_ptr<Editor> Clone() const override {
    return std::unique_ptr<Editor>(new TfliteEditor(*this));
  }
  absl::Status Encode(TensorId tensor, const Coding& to, Rounding rounding) override;
  // An operator that requantizes what the port reads, or writes.
  absl::Status Quantize(size_t node, bool input, size_t port, const Coding& coding) override;

 private:
  TfliteEditor(const TfliteEditor&) = default;

  absl::Status CheckValues(const Node& node, TensorId tensor, bool input, const Coding& now,
                           const Coding& coding) const;
  // What an inserted operator made of this tensor before; kNoTensor = nothing in this encoding.
  TensorId KnownCopy(TensorId tensor, size_t before, const Coding& coding) const;

  const TfliteFile* tables_;
};

}  // namespace quantgate::fix

#endif  // QUANTGATE_CORE_FIX_TFLITE_EDITOR_H_
