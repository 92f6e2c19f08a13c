// A model while it is fixed: what its tensors are encoded as, and the few changes that are known
// to be safe. Each kind of container has an editor of its own; all change the in-memory Model, so
// that it can be checked before anything is written.
#ifndef QUANTGATE_CORE_FIX_EDITOR_H_
#define QUANTGATE_CORE_FIX_EDITOR_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/database/view.h"
#include "core/safety/coding.h"
#include "core/safety/value_range.h"
#include "quantgate/model.h"

namespace quantgate::fix {

// Why something isn't done, a reason that is shown as it is.
inline absl::Status Refuse(std::string reason) {
  return absl::FailedPreconditionError(std::move(reason));
}

// The integers of constants, which the Model does not hold.
class StoredValues {
 public:
  // A part of the values in order, and the element it begins with.
  using Use = std::function<void(std::span<const int64_t> values, int64_t first)>;
  virtual ~StoredValues() = default;
  virtual absl::Status Read(std::string_view tensor, const Use& use) const = 0;
};

// Of one tensor, from what the file says to what it says after all changes.
struct Recoding {
  Coding from, to;
  bool is_static = false;
  double error = 0;   // the largest change of a real value
  int64_t moved = 0;  // stored integers that change
  // Smallest and largest of the new integers; nullopt where none were looked at.
  std::optional<std::pair<int64_t, int64_t>> range{};
  // The integers, not only what they mean, change.
  bool rewritten() const { return moved > 0 || from.dtype != to.dtype; }
};

// A quantized copy put between a tensor and its reader, or after its producer.
struct Insertion {
  std::string node, port;  // "add_1", "in[1]"
  std::string tensor;      // the one in float
  std::string quantized;   // the new one
  Coding coding;
};

enum class Rounding : uint8_t {
  kNone,     // values of constants stay equal, or are written finer than before
  kAllowed,  // they may move by half a new step
};

class Editor {
 public:
  virtual ~Editor() = default;
  virtual std::unique_ptr<Editor> Clone() const = 0;

  const Model& model() const { return model_; }
  // The node of the file; -1 = an inserted one.
  int32_t OriginOf(size_t node) const { return origin_[node]; }
  TensorId Find(std::string_view tensor) const;

  // Fails, with the reason, for tensors that are not quantized, or not in one way only.
  virtual absl::StatusOr<Coding> CodingOf(TensorId tensor) const = 0;
  // Real values stay what they are: integers of a constant are written anew; those of a tensor
  // computed at run time come out on the new grid. Fails, and changes nothing, where that can't be
  // or isn't seen to be (core/safety/safe_edit.h).
  virtual absl::Status Encode(TensorId tensor, const Coding& to, Rounding rounding) = 0;
  // Quantizes what the port of a node reads or writes; fails as Encode() does.
  virtual absl::Status Quantize(size_t node, bool input, size_t port, const Coding& coding) = 0;
  // The quantized type that a tensor in float has elsewhere in the model.
  virtual absl::StatusOr<Coding> CodingElsewhere(TensorId tensor) const = 0;
  // The quantized tensor of what a node's port reads or writes; kNoTensor = there is none.
  virtual TensorId QuantizedAt(size_t node, bool input, size_t port) const = 0;
  // Calls `use` with all integers of a constant.
  virtual absl::Status Values(TensorId tensor, const StoredValues::Use& use) const = 0;
  // What runs at run time and is the model's own: not read or written raw by its caller.
  virtual bool IsInner(TensorId tensor) const = 0;

  const std::map<std::string, Recoding>& recoded() const { return recoded_; }
  const std::vector<Insertion>& inserted() const { return insertions_; }
  bool changed() const { return !recoded_.empty() || !insertions_.empty(); }

 protected:
  // `database` must outlive the editor and its clones.
  Editor(Model model, const opdb::View& database);
  Editor(const Editor&) = default;

  // What becomes of the integers of a constant; fails where they don't fit or would be rounded
  // without leave.
  absl::StatusOr<Recoding> Plan(TensorId tensor, const Coding& from, const Coding& to,
                                Rounding rounding) const;

  // Fails where it isn't seen that this encoding instead of `now` keeps what the model computes.
  absl::Status CheckKeepsValues(TensorId tensor, const Coding& now, const Coding& to) const;
  const opdb::View& database() const { return *database_; }

  // The name, or with a number where a tensor has it.
  std::string Unused(std::string name) const;
  TensorId AddTensor(std::string name);
  void InsertNode(size_t at, Node node);

  Model model_;
  std::vector<int32_t> origin_;  // per node
  std::map<std::string, Recoding> recoded_;
  std::vector<Insertion> insertions_;

 private:
  const opdb::View* database_;
};

}  // namespace quantgate::fix

#endif  // QUANTGATE_CORE_FIX_EDITOR_H_
