// Which precisions an op supports: rows matched against the classes of opdefs/precisions.yaml, then
// held to the constraints that surely apply.
#ifndef QUANTGATE_CORE_KNOWLEDGE_PRECISION_H_
#define QUANTGATE_CORE_KNOWLEDGE_PRECISION_H_

#include <string>
#include <vector>

#include "core/database/view.h"
#include "quantgate/matrix.h"

namespace quantgate::views {

struct PrecisionClass {
  DtypeMask data = 0, weight = 0;
  std::vector<QnnEncoding> encodings;  // of the weights; empty = per-tensor or per-channel
  int bits = 0;                        // of the weights; 0 = those of the dtype
};

class PrecisionTable {
 public:
  explicit PrecisionTable(const opdb::View& db);

  const std::vector<Precision>& precisions() const { return precisions_; }
  const PrecisionClass& at(size_t precision) const { return classes_[precision]; }
  bool IsData(const opdb::PortRow& port) const;
  bool IsWeight(const opdb::PortRow& port) const;
  // Dtypes that go with every precision: indices, conditions, shapes.
  DtypeMask plain() const { return plain_; }

 private:
  const opdb::View& db_;
  std::vector<std::string> data_roles_, weight_roles_;
  std::vector<Precision> precisions_;
  std::vector<PrecisionClass> classes_;
  DtypeMask plain_ = 0;
};

struct TakenPrecision {
  size_t precision = 0;
  Consequence verdict = Consequence::kAccepted;
  bool measured = false;
  std::vector<size_t> variants;  // indexes into the op's variants
};

// What `op` supports on `sdk` and `arch`, best first; on a chip that lacks some features.
std::vector<TakenPrecision> TakenBy(const PrecisionTable& table, const opdb::View& db,
                                    const opdb::BackendRow& backend, const opdb::OpRow& op,
                                    SdkKey sdk, int arch, opdb::FeatureMask lacks = 0);
bool HasWeight(const PrecisionTable& table, const opdb::View& db, const opdb::OpRow& op);

}  // namespace quantgate::views

#endif  // QUANTGATE_CORE_KNOWLEDGE_PRECISION_H_
