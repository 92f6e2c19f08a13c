#include "core/oracle/reference.h"

#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "core/oracle/judgement_json.h"
#include "core/oracle/one_op.h"
#include "core/oracle/tensor_data.h"
#include "nlohmann/json.hpp"
#include "quantgate/reader.h"
#include "quantgate/text.h"

namespace quantgate::verify {
namespace {

using PlainJson = nlohmann::json;

// The node alone, with the stored values of all its tensors.
std::string Request(const Reference::Executed& executed) {
  OneOp one = CutOne(*executed.model, *executed.node);
  for (size_t i = 0; i < one.source.size(); ++i) {
    Tensor& tensor = one.model.tensors[i];
    const auto data = executed.answer->data.find(one.source[i]);
    tensor.values =
        data == executed.answer->data.end()
            ? nullptr
            : std::make_shared<const TensorValues>(UnpackValues(data->second, tensor.dtype));
  }
  return WriteModelJson(one.model, 0);
}

Judgement ParseJudgement(const std::string& line) {
  const PlainJson said = PlainJson::parse(line, nullptr, false);
  if (!said.is_object()) {
    Judgement judgement;
    judgement.reason = "the reference says " + Printable(line, 80);
    return judgement;
  }
  return ReadJudgement(said);
}

}  // namespace

absl::StatusOr<Reference> Reference::Find(const std::string& python) {
  absl::StatusOr<PythonModule> module = PythonModule::Find("reference", python);
  if (!module.ok()) {
    return absl::NotFoundError("the float reference does not lie beside this program");
  }
  return Reference(*std::move(module));
}

absl::StatusOr<std::vector<Judgement>> Reference::Judge(
    const std::vector<Executed>& executed) const {
  if (executed.empty()) return std::vector<Judgement>();
  std::string requests;
  for (const Executed& one : executed) requests += Request(one) + "\n";
  const absl::StatusOr<std::string> text = module_.Run(requests, /*timeout_seconds=*/0);
  if (!text.ok()) return text.status();
  std::vector<Judgement> judgements;
  for (size_t at = 0, end; (end = text->find('\n', at)) != std::string::npos; at = end + 1) {
    judgements.push_back(ParseJudgement(text->substr(at, end - at)));
  }
  if (judgements.size() != executed.size()) {
    return absl::InternalError("the float reference answers another number of nodes");
  }
  return judgements;
}

}  // namespace quantgate::verify
