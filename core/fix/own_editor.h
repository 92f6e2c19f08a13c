// The editor of models whose tensors carry their encodings themselves: QNN graphs, and models with
// their encodings file.
#ifndef QUANTGATE_CORE_FIX_OWN_EDITOR_H_
#define QUANTGATE_CORE_FIX_OWN_EDITOR_H_

#include <memory>

#include "core/fix/editor.h"

namespace quantgate::fix {

class OwnEditor : public Editor {
 public:
  enum class Constants : uint8_t {
    kStored,  // integers, which the encoding must go on to fit
    kFloat,   // in float: a tool quantizes them by the encoding
  };
  OwnEditor(Model model, Constants constants, const opdb::View& database);

  std::unique_ptr<Editor> Clone() const override;
  absl::StatusOr<Coding> CodingOf(TensorId tensor) const override;
  absl::Status Encode(TensorId tensor, const Coding& to, Rounding rounding) override;
  absl::Status Quantize(size_t node, bool input, size_t port, const Coding& coding) override;
  absl::StatusOr<Coding> CodingElsewhere(TensorId tensor) const override;
  TensorId QuantizedAt(size_t node, bool input, size_t port) const override;
  absl::Status Values(TensorId tensor, const StoredValues::Use& use) const override;
  bool IsInner(TensorId tensor) const override;

 protected:
  OwnEditor(const OwnEditor&) = default;

 private:
  Constants constants_;
  std::shared_ptr<const Model> file_;  // as read
};

}  // namespace quantgate::fix

#endif  // QUANTGATE_CORE_FIX_OWN_EDITOR_H_
