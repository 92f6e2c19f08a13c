#include "core/safety/safe_fixes.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "core/lower/resolve/encodings.h"
#include "core/safety/wanted_coding.h"

namespace quantgate::fix {
namespace {

bool IsGiven(const std::vector<TensorId>& ids, TensorId id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

}  // namespace

Objection ObjectionTo(const Model& model, const ValueRanges& ranges, TensorId id, const Coding& now,
                      const Coding& to) {
  const Tensor& tensor = model.tensors[static_cast<size_t>(id)];
  // A constant in float beside an encodings file is quantized by whoever reads the two.
  const bool stored =
      tensor.is_static && (!HasOwnEncoding(tensor) || model.dialect == Dialect::kQnn);
  const bool moves_axis = tensor.is_static && now.encoding->axis != to.encoding->axis;
  return stored || moves_axis ? ObjectionToConstant(tensor, ranges.Held(id), now, to)
                              : ObjectionTo(ranges.Reaching(id), now, to);
}

void MarkSafeFixes(const Model& model, const opdb::View& database, Report& report) {
  absl::flat_hash_map<std::string_view, TensorId> ids;  // of the tensors that edits are about
  for (const Finding& finding : report.findings) {
    for (const Fix& fix : finding.fixes) {
      if (!fix.edits.empty()) ids.try_emplace(finding.tensor, kNoTensor);
    }
  }
  if (ids.empty()) return;
  for (size_t t = 0; t < model.tensors.size(); ++t) {
    const auto named = ids.find(model.tensors[t].name);
    if (named != ids.end()) named->second = static_cast<TensorId>(t);
  }
  const ValueRanges ranges(model, database);
  for (Finding& finding : report.findings) {
    for (Fix& fix : finding.fixes) {
      if (fix.edits.empty()) continue;
      fix.safe = false;
      const TensorId id = ids.at(finding.tensor);
      const std::optional<Coding> now = id == kNoTensor ? std::nullopt : ranges.CodingOf(id);
      if (!now) continue;
      const std::optional<Coding> to = WantedCoding(fix, finding.tensor, *now);
      if (!to) continue;
      const Tensor& tensor = model.tensors[static_cast<size_t>(id)];
      // Integers that the model's caller reads or writes stay what they are.
      const bool is_native = model.dialect == Dialect::kQnn;
      const bool changes = is_native ? to->dtype != now->dtype : !HasOwnEncoding(tensor);
      const bool raw = changes && (IsGiven(model.inputs, id) || IsGiven(model.outputs, id));
      fix.safe = !raw && !ObjectionTo(model, ranges, id, *now, *to);
    }
  }
}

}  // namespace quantgate::fix
