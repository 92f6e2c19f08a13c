#include "tests/fuzz/reference_evaluator.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "core/rules/rule_entry.h"
#include "core/rules/support/conditions.h"
#include "core/validate/same_breach.h"

namespace quantgate::fuzz {
namespace {

using rules::NodeView;

bool InRange(const opdb::Range& range, const Target& target) {
  const SdkKey sdk = target.knowledge_key();
  return sdk >= range.since && sdk < range.until &&
         ((range.archs >> target.arch_index()) & 1u) != 0;
}

Consequence Of(const opdb::VariantRow& row, const Target& target) {
  return target.knowledge_key() < row.undocumented_until ? Consequence::kUndocumented
                                                         : row.consequence;
}

Consequence Of(const opdb::ConstraintRow& row, const Target& target) {
  return target.knowledge_key() >= row.measured_since ? row.measured_consequence : row.consequence;
}

// Every tensor's datatype is among those of its port; a tensor without one is not known to differ.
bool Matches(const opdb::View& db, const NodeView& node, const opdb::VariantRow& row) {
  const auto masks = db.get(row.dtypes);
  for (int port = 0; port < node.port_count(); ++port) {
    for (int i = 0; i < node.tensors(port).count; ++i) {
      const Tensor* tensor = node.tensor(port, i);
      if (tensor == nullptr || tensor->dtype == Dtype::kUndefined) continue;
      if ((masks[static_cast<size_t>(port)] & MaskOf(tensor->dtype)) == 0) return false;
    }
  }
  return true;
}

// Whether every number stored in `from` is right when it is read with `to`, as docs/guide/verify.md says
// of data that is moved: a step off at most, 2 of 16 bits, 1,000 of 32.
bool MovesRight(const Tensor& from, const Tensor& to) {
  const Encoding &x = from.encoding, &y = to.encoding;
  if (from.dtype != to.dtype || x.kind != EncodingKind::kPerTensor || y.kind != x.kind ||
      x.bitwidth != y.bitwidth || x.scales.empty() || y.scales.empty() || !(x.scales[0] > 0) ||
      !(y.scales[0] > 0)) {
    return false;
  }
  const int bits = BitsOf(from.dtype);
  const double steps = bits == 32 ? 1000 : bits == 16 ? 2 : 1;
  const double zero_from = x.zero_points.empty() ? 0 : x.zero_points[0];
  const double zero_to = y.zero_points.empty() ? 0 : y.zero_points[0];
  const int64_t first = StoredMin(from.dtype), last = StoredMax(from.dtype);
  // 32 bits: some of them.
  const int64_t stride = bits == 32 ? (last - first) / 255 : 1;
  for (int64_t stored = first; stored <= last; stored += stride) {
    const double real = (static_cast<double>(stored) - zero_from) * double{x.scales[0]};
    const double wanted = real / double{y.scales[0]} + zero_to;
    if (!(std::abs(static_cast<double>(stored) - wanted) < steps + 0.5)) return false;
  }
  return true;
}

// A constraint that the node breaks: what it counts as, and what is reported of it.
struct Breach {
  Consequence counted, reported;
  std::string id;
  const opdb::ConstraintRow* row = nullptr;
  const Tensor* tensor = nullptr;
  int element = 0;
};

// Of constraints that one value breaks the most severe is reported; equal ones once.
bool IsReported(const opdb::View& db, const std::vector<Breach>& all, const Breach& breach) {
  for (const Breach& other : all) {
    if (&other == &breach || other.tensor != breach.tensor || other.element != breach.element ||
        !SameBreach(db, *breach.row, *other.row)) {
      continue;
    }
    if (other.counted > breach.counted) return false;
    const auto args = db.get(breach.row->args), same = db.get(other.row->args);
    if (other.counted == breach.counted && &other < &breach && args.data() == same.data() &&
        args.size() == same.size()) {
      return false;
    }
  }
  return true;
}

// Every breach of one constraint; `breach` without what is reported.
std::vector<Breach> Breaches(const NodeView& node, const opdb::ConstraintRow& row,
                             const rules::RuleEntry& entry, const Breach& breach) {
  std::vector<Breach> breaches;
  const auto look = [&](const opdb::ConstraintRow& at, const Tensor* tensor, int element) {
    if (entry.holds({node, at, tensor, element})) return;
    breaches.push_back(breach);
    breaches.back().row = &row;
    breaches.back().tensor = tensor;
    breaches.back().element = element;
    if (row.kind != opdb::Kind::kSameEncoding || breach.counted != Consequence::kWrongValues)
      return;
    for (const opdb::ArgRow& arg : node.db().get(row.args)) {
      if (arg.key != opdb::ArgKey::kAs) continue;
      const Tensor* other = node.tensor(static_cast<int>(arg.v.i));
      if (MovesRight(*other, *tensor)) breaches.back().reported = Consequence::kUndocumented;
    }
  };
  const auto look_at_port = [&](const opdb::ConstraintRow& at, int port, bool absent_too) {
    bool given = false;
    for (int i = 0; i < node.tensors(port).count; ++i) {
      const Tensor* tensor = node.tensor(port, i);
      if (tensor == nullptr) continue;
      given = true;
      if (at.element < 0 || at.element == i) look(at, tensor, i);
    }
    if (!given && absent_too && at.element <= 0) look(at, nullptr, 0);
  };
  if (row.port == opdb::kPortAll) {
    for (int port = 0; port < node.port_count(); ++port) {
      opdb::ConstraintRow at = row;
      at.port = static_cast<int16_t>(port);
      if (node.present(port) && rules::Applies(node, at)) look_at_port(at, port, false);
    }
  } else if (rules::Applies(node, row)) {
    if (row.port < 0) {
      look(row, nullptr, 0);
    } else {
      look_at_port(row, row.port, entry.wants_absent);
    }
  }
  return breaches;
}

std::string Line(const std::string& what, Consequence consequence) {
  return what + " " + std::string(ConsequenceName(consequence));
}

}  // namespace

std::vector<std::string> BrokenBy(const opdb::View& db, const Target& target, const Model& graph,
                                  const Node& written) {
  const opdb::BackendRow& backend = db.backends()[static_cast<size_t>(target.backend_index())];
  const auto ops = db.get(backend.ops);
  const auto op = std::find_if(ops.begin(), ops.end(),
                               [&](const auto& row) { return db.str(row.name) == written.op; });
  if (op == ops.end() || !InRange(op->range, target)) return {};
  const NodeView node(db, *op, graph, written, target.arch_index());

  // The least bad row of each group that the node's datatypes are in.
  std::map<int, Consequence> row_of_group;
  for (const opdb::VariantRow& row : db.get(op->variants)) {
    if (!InRange(row.range, target) || !Matches(db, node, row)) continue;
    const Consequence consequence = Of(row, target);
    const auto [at, added] = row_of_group.emplace(row.group, consequence);
    if (!added) at->second = std::min(at->second, consequence);
  }

  // What each group would find, the best of them: worst consequence first, then how many.
  const auto broken_in = [&](std::optional<int> group) {
    std::vector<Breach> broken;
    for (const opdb::ConstraintRow& row : db.get(op->constraints)) {
      if (!InRange(row.range, target)) continue;
      if (group ? ((row.groups >> *group) & 1u) == 0 : row.groups != ~uint64_t{0}) continue;
      const rules::RuleEntry* entry = rules::EntryOf(row.kind);
      const Consequence consequence = Of(row, target);
      if (entry == nullptr || consequence == Consequence::kAccepted) continue;
      const std::string id =
          std::string(db.str(backend.name)) + "/" + written.op + "/" + std::string(db.str(row.id));
      for (Breach& breach : Breaches(node, row, *entry, {.counted = consequence, .reported = consequence, .id = id})) {
        broken.push_back(std::move(breach));
      }
    }
    return broken;
  };
  std::vector<std::string> lines;
  const auto tell = [&](const std::vector<Breach>& broken) {
    for (const Breach& breach : broken) {
      if (IsReported(db, broken, breach)) lines.push_back(Line(breach.id, breach.reported));
    }
  };
  if (row_of_group.empty()) {
    tell(broken_in(std::nullopt));
  } else {
    std::optional<std::pair<Consequence, size_t>> best_score;
    std::vector<Breach> best;
    for (const auto& [group, row] : row_of_group) {
      auto broken = broken_in(group);
      std::pair<Consequence, size_t> score(row, broken.size());
      for (const Breach& breach : broken) score.first = std::max(score.first, breach.counted);
      if (best_score && score >= *best_score) continue;
      best_score = score;
      best = std::move(broken);
    }
    tell(best);
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace quantgate::fuzz
