// The rows of the database that hold for one target, picked once.
#ifndef QUANTGATE_CORE_VALIDATE_TARGET_TABLE_H_
#define QUANTGATE_CORE_VALIDATE_TARGET_TABLE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/database/view.h"
#include "core/rules/rule_entry.h"
#include "core/validate/constraint_texts.h"
#include "quantgate/report.h"
#include "quantgate/target.h"

namespace quantgate {

struct ActiveVariant {
  const opdb::VariantRow* row;
  const DtypeMask* masks;   // one per port of the op
  Consequence consequence;  // kAccepted or kUndocumented
  Basis basis;
};

// What a port must look like for a constraint to be worth a closer look: a conservative sieve
// made of the constraint's `when`, two ANDs instead of a walk over conditions.
struct Guard {
  int16_t port = -1;  // -1 = always
  DtypeMask dtypes = ~DtypeMask{0};
  EncodingMask encodings = ~EncodingMask{0};
};

// A constraint that facts of its port can prove to hold.
struct Shortcut {
  bool usable = false;
  uint8_t facts = 0;  // PortFact bits that must be there
  DtypeMask dtypes = ~DtypeMask{0};
  EncodingMask encodings = ~EncodingMask{0};
  int8_t min_rank = 0, max_rank = 127;
};

struct ActiveConstraint {
  const opdb::ConstraintRow* row;
  const rules::RuleEntry* entry;
  Consequence consequence;
  uint64_t groups;  // the row's, here so that skipping a constraint touches nothing else
  Guard own, peer;
  Shortcut shortcut;
};

struct ActiveOp {
  const opdb::OpRow* row = nullptr;
  bool in_target = false;  // false = the op exists for other SDKs or archs only
  std::span<const ActiveVariant> variants;
  std::span<const ActiveConstraint> constraints;
};

// Safe to share between threads: an op's rows are picked when it first occurs, once.
class TargetTable {
 public:
  TargetTable(const opdb::View& db, const Target& target);

  // Null when the backend has no such op at all.
  const ActiveOp* Find(std::string_view op) const;

  const opdb::View& db() const { return *db_; }
  const opdb::BackendRow& backend() const { return *backend_; }
  SdkKey sdk() const { return sdk_; }  // whose facts are used
  // Whether a row is one accepted combination; else its ports' lists stand alone.
  bool tuple_rows() const { return sdk_ >= backend_->tuples_since; }
  int arch_index() const { return arch_; }
  // Features of the backend that the soc lacks.
  opdb::FeatureMask lacks() const { return lacks_; }
  const std::string& soc() const { return soc_; }
  // Of a constraint of `op`.
  const ConstraintTexts& TextsOf(std::string_view op, const opdb::ConstraintRow& row) const {
    return texts_.Of(*db_, db_->str(backend_->name), op, row);
  }

 private:
  struct Entry {
    std::atomic<bool> is_picked = false;
    ActiveOp op;
    std::vector<ActiveVariant> variants;
    std::vector<ActiveConstraint> constraints;
  };
  void Pick(const opdb::OpRow& row, Entry& entry) const;

  const opdb::View* db_;
  const opdb::BackendRow* backend_;
  SdkKey sdk_, wanted_sdk_;
  int arch_;
  opdb::FeatureMask lacks_;
  std::string soc_;
  mutable std::mutex picking_;
  mutable ConstraintTextsMade texts_;
  std::unique_ptr<Entry[]> entries_;  // one per op of the backend
};

}  // namespace quantgate

#endif  // QUANTGATE_CORE_VALIDATE_TARGET_TABLE_H_
