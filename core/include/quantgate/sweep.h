// Many models on many targets: tables with a row for each pair, each finding and each node.
#ifndef QUANTGATE_SWEEP_H_
#define QUANTGATE_SWEEP_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "quantgate/arrow_c.h"
#include "quantgate/database.h"
#include "quantgate/export.h"
#include "quantgate/model.h"
#include "quantgate/target_list.h"
#include "quantgate/validator.h"

namespace QUANTGATE_EXPORT quantgate {

enum class SweepTable : uint8_t { kModels, kFindings, kNodes };

// Where a model comes from: a file; one line of a .jsonl; bytes, as a file called `path` would hold
// them; what was read already; or why it can't be read.
struct SweepInput {
  std::string path;
  // The line `line` (from 1) of a .jsonl lies in the file at [offset, offset + length).
  int64_t line = 0, offset = 0, length = 0;
  std::optional<std::string_view> bytes;  // owned by the caller
  std::shared_ptr<const Model> model;
  std::string error;  // empty = none is known yet
};

struct SweepOptions {
  int threads = 1;
  bool findings = true, nodes = false;  // the tables that are filled next to kModels
};

// Tables as batches of columns, in the order of inputs and, for each, of targets.
class SweepResult {
 public:
  struct Batches;
  explicit SweepResult(std::shared_ptr<const Batches> batches) : batches_(std::move(batches)) {}

  int64_t rows(SweepTable table) const;
  // A stream that holds the batches as long as it or one of its arrays lives; columns aren't
  // copied. Text is UTF-8: bytes of names that aren't become U+FFFD. The caller releases `out`.
  void Export(SweepTable table, ArrowArrayStream* out) const;

 private:
  std::shared_ptr<const Batches> batches_;
};

// Immutable; may be shared by threads.
class Sweeper {
 public:
  // The database must outlive it. `options.threads` and `as_run` don't count.
  Sweeper(std::vector<ListedTarget> targets, const ValidatorOptions& options,
          const Database& database);
  ~Sweeper();
  Sweeper(Sweeper&&) noexcept;
  Sweeper& operator=(Sweeper&&) noexcept;

  // Never fails: an input that can't be read is a row for each target with its `error`. A model is
  // read once, and what is the same for all targets of a backend is done once.
  SweepResult Run(std::span<const SweepInput> inputs, const SweepOptions& options) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace quantgate

#endif  // QUANTGATE_SWEEP_H_
