// Checks every index of an image before anything is read through it.
#ifndef QUANTGATE_CORE_DATABASE_IMAGE_CHECK_H_
#define QUANTGATE_CORE_DATABASE_IMAGE_CHECK_H_

#include <string>

#include "core/database/view.h"

namespace quantgate::opdb {

class ImageCheck {
 public:
  explicit ImageCheck(const View& view) : view_(view) {}
  // Empty when the image is sound, else what is wrong with it.
  std::string Run();

 private:
  bool Fail(const char* what);
  // Every slice and string of every row stays within its section.
  bool RowsWithinSections();
  template <typename Row>
  bool RowsOf(std::span<const Row> rows);
  bool BackendIsSound(const BackendRow& backend);
  bool OpIsSound(const OpRow& op, const BackendRow& backend);
  bool ConstraintIsSound(const ConstraintRow& row, const OpRow& op, const BackendRow& backend);
  bool AlternativesAreSound(const ConstraintRow& row, const OpRow& op, const BackendRow& backend);
  bool CondIsSound(const CondRow& row, const OpRow& op);
  bool ArgIsSound(const ArgRow& row, const OpRow& op, const BackendRow& backend);
  bool ExprIsSound(Slice<ExprOp> expr, const OpRow& op);
  bool SourcesAreKnown(Slice<uint16_t> sources);
  bool TreesAreSound();

  const View& view_;
  std::string error_;
  Slice<uint16_t> known_sources_ = {};
  uint64_t next_op_ = 0, next_constraint_ = 0, next_alt_ = 0, next_alternative_ = 0;
};

}  // namespace quantgate::opdb

#endif  // QUANTGATE_CORE_DATABASE_IMAGE_CHECK_H_
