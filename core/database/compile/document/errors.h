// What is wrong with the YAML: several places at once, one line each.
#ifndef QUANTGATE_CORE_DATABASE_COMPILE_DOCUMENT_ERRORS_H_
#define QUANTGATE_CORE_DATABASE_COMPILE_DOCUMENT_ERRORS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace quantgate::opdefs {

// Text from a file, fit for one line of an error message: quoted, cut, printable.
std::string Quoted(std::string_view text);

class Errors {
 public:
  static constexpr size_t kMax = 20;

  // Lines and columns count from 1; 0 = the file as a whole. The same line is reported once; later
  // ones than kMax are counted only.
  void Add(std::string_view file, int line, int column, std::string reason);
  // What is legal and yet no use: the database is made all the same.
  void Warn(std::string_view file, int line, int column, std::string reason);
  const std::vector<std::string>& warnings() const { return warnings_; }
  bool empty() const { return count_ == 0; }
  size_t count() const { return count_; }
  bool full() const { return count_ >= kMax; }
  // InvalidArgument: one line "FILE:LINE:COLUMN: reason" each.
  absl::Status status() const;

 private:
  std::vector<std::string> lines_, warnings_;
  size_t count_ = 0;
};

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_CORE_DATABASE_COMPILE_DOCUMENT_ERRORS_H_
