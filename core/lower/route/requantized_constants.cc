#include "core/lower/route/requantized_constants.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/rules/raise.h"
#include "core/rules/support/format.h"
#include "quantgate/rule.h"

namespace quantgate {
namespace {

void ReportRow(opdb::Tree document, opdb::Tree row, Resolved& resolved) {
  const Model& graph = *resolved.owned;
  const auto at = static_cast<size_t>(row["input"].integer().value_or(0));
  const std::string_view op = row["op"].str();
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    if (node.op != op || at >= node.inputs.size() || node.inputs[at] == kNoTensor) {
      continue;
    }
    const Tensor& constant = graph.tensors[static_cast<size_t>(node.inputs[at])];
    if (!constant.is_static || !IsFixedPoint(constant.dtype)) continue;
    Finding& f = resolved.findings.emplace_back(
        rules::Raise(rules::kReplacedEncoding, Consequence::kAltered,
                     absl::StrCat("in ", node.op.str(), " ", std::string(row["reason"].str()))));
    f.node_index = resolved.op_source[i];
    f.op = node.op;
    f.port = absl::StrFormat("in[%d]", at);
    f.tensor = constant.name;
    f.found = rules::DescribeTensor(constant);
    f.allowed = std::string(row["becomes"].str());
    f.note = std::string(document["source"].str());
    resolved.changes.push_back(
        {ChangeKind::kEncoding, f.node_index, f.port, f.tensor, f.found, f.allowed});
  }
}

}  // namespace

void ReportRequantizedConstants(opdb::Tree document, Resolved& resolved) {
  const opdb::Tree rows = document["requantized_constants"];
  for (size_t i = 0; i < rows.size(); ++i) ReportRow(document, rows.at(i), resolved);
}

std::shared_ptr<const TensorValues> RequantizedValues(const Tensor& bias, const Encoding& to) {
  if (bias.values == nullptr || bias.values->ints.empty() || to.scales.empty()) return nullptr;
  const Encoding& from = bias.encoding;
  const std::vector<int64_t>& stored = bias.values->ints;
  const auto at = [](const auto& list, size_t i) { return list[list.size() == 1 ? 0 : i]; };
  const size_t count = std::max({stored.size(), to.scales.size(), from.scales.size()});
  for (const size_t size : {stored.size(), to.scales.size(), from.scales.size()}) {
    if (size != 1 && size != count) return nullptr;
  }
  constexpr double kLowest = std::numeric_limits<int32_t>::min();
  constexpr double kHighest = std::numeric_limits<int32_t>::max();
  auto values = std::make_shared<TensorValues>();
  values->ints.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    const double zero = from.zero_points.size() == count ? from.zero_points[i] : 0;
    const double steps = (static_cast<double>(at(stored, i)) - zero) *
                         double{at(from.scales, i)} / double{at(to.scales, i)};
    if (std::isnan(steps)) return nullptr;
    values->ints.push_back(static_cast<int64_t>(std::round(std::clamp(steps, kLowest, kHighest))));
  }
  return values;
}

}  // namespace quantgate
