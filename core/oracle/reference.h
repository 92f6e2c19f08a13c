// The float reference: a Python program (tools/quantgate/python/reference) that evaluates what a
// library computed.
#ifndef QUANTGATE_CORE_ORACLE_REFERENCE_H_
#define QUANTGATE_CORE_ORACLE_REFERENCE_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "quantgate/verify.h"
#include "core/oracle/comparison.h"
#include "core/oracle/python_module.h"
#include "quantgate/model.h"

namespace quantgate::verify {

class Reference {
 public:
  // `python` as in PythonModule::Find(). NotFound where the program does not lie beside this one.
  static absl::StatusOr<Reference> Find(const std::string& python);

  struct Executed {
    const Model* model = nullptr;
    const Node* node = nullptr;
    const Answer* answer = nullptr;  // with data
  };
  // One evaluation each, in order. An error has the message of the program.
  absl::StatusOr<std::vector<Judgement>> Judge(const std::vector<Executed>& executed) const;

 private:
  explicit Reference(PythonModule module) : module_(std::move(module)) {}

  PythonModule module_;
};

}  // namespace quantgate::verify

#endif  // QUANTGATE_CORE_ORACLE_REFERENCE_H_
