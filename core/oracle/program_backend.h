// A compiler or an interpreter that installs as a Python package, run by a program of
// tools/quantgate/python/oracles: a model of one operator in, what became of it out. The program
// starts its package in a child of its own, so that a crash or a hang is an answer.
#ifndef QUANTGATE_CORE_ORACLE_PROGRAM_BACKEND_H_
#define QUANTGATE_CORE_ORACLE_PROGRAM_BACKEND_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "core/oracle/python_module.h"
#include "core/oracle/queried_backend.h"
#include "quantgate/verify.h"

namespace quantgate::verify {

class ProgramBackend : public QueriedBackend {
 public:
  // Whether there is a program of this name.
  static bool Knows(std::string_view name);
  // `python` as in PythonModule::Find(). An error says which package it lacks.
  static absl::StatusOr<std::unique_ptr<ProgramBackend>> Open(const std::string& name,
                                                              const std::string& python);

  // `arch` is handed on with each question.
  void set_arch(std::string arch) { arch_ = std::move(arch); }
  absl::StatusOr<std::vector<Answer>> Ask(std::span<const Question> questions,
                                          const AskOptions& options) const override;

 private:
  explicit ProgramBackend(PythonModule module) : module_(std::move(module)) {}

  PythonModule module_;
  std::string arch_;
};

}  // namespace quantgate::verify

#endif  // QUANTGATE_CORE_ORACLE_PROGRAM_BACKEND_H_
