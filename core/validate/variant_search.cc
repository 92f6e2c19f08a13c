#include "core/validate/variant_search.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/rules/raise.h"
#include "core/rules/support/args.h"
#include "core/rules/support/format.h"
#include "core/validate/constraint_texts.h"

namespace quantgate {
namespace {

using rules::NodeView;

// How far a row's port is from the given dtype: another signedness is nearer than another width,
// another class farthest.
int PortDistance(DtypeMask row, DtypeMask given) {
  if ((given & ~row) == 0) return 0;
  int best = 16;
  for (int g = 0; g < kDtypeCount; ++g) {
    if (((given >> g) & 1u) == 0) continue;
    for (int r = 0; r < kDtypeCount; ++r) {
      if (((row >> r) & 1u) == 0) continue;
      const auto a = static_cast<Dtype>(g);
      const auto b = static_cast<Dtype>(r);
      int distance = ClassOf(a) == ClassOf(b) ? 1 : 2;
      if (BitsOf(a) != BitsOf(b)) distance += 2;
      if (IsFixedPoint(a) != IsFixedPoint(b) || IsFloat(a) != IsFloat(b)) distance += 4;
      best = std::min(best, distance);
    }
  }
  return 8 + best;  // the number of differing ports counts first
}

// A condition is rather a truth value than a number of another width.
int Distance(const NodeView& node, const DtypeMask* row, const PortFacts& dtypes) {
  int sum = 0;
  const auto ports = node.db().get(node.op().ports);
  for (int i = 0; i < dtypes.count; ++i) {
    const int distance = PortDistance(row[i], dtypes.dtypes[i]);
    const bool condition = node.db().str(ports[static_cast<size_t>(i)].role) == "condition";
    const bool truth = (row[i] & MaskOf(Dtype::kBool8)) != 0;
    sum += distance > 0 && condition && truth ? std::min(distance, 9) : distance;
  }
  return sum;
}

std::string TupleText(const NodeView& node, const DtypeMask* masks, const PortFacts& given) {
  std::string text;
  for (int i = 0; i < given.count; ++i) {
    if (given.dtypes[i] == 0) continue;
    if (!text.empty()) text += ", ";
    text += fmt::format("{} {}", rules::PortName(node, i), rules::DtypeList(masks[i]));
  }
  return text;
}

// How far a row is from a target of this SDK: another chip is nearer than a later SDK, the first
// one that has the row, and that nearer than an earlier one.
std::pair<int, SdkKey> Away(const opdb::VariantRow& row, SdkKey sdk) {
  if (sdk < row.range.since) return {1, row.range.since};
  return {sdk < row.range.until ? 0 : 2, SdkKey{}};
}

std::string RangeText(const TargetTable& table, const opdb::Range& range) {
  std::vector<std::string> parts;
  const auto archs = table.db().get(table.backend().archs);
  if (((range.archs >> table.arch_index()) & 1u) == 0) {
    std::vector<std::string> names;
    for (size_t i = 0; i < archs.size(); ++i) {
      if (((range.archs >> i) & 1u) != 0) names.emplace_back(table.db().str(archs[i]));
    }
    parts.push_back(rules::Join(names));
  }
  if (table.sdk() < range.since)
    parts.push_back(fmt::format("SDK {} and later", SdkName(range.since)));
  if (table.sdk() >= range.until)
    parts.push_back(fmt::format("SDKs before {}", SdkName(range.until)));
  return rules::Join(parts, " with ");
}

// The dtypes that a constraint on dtypes leaves.
DtypeMask AllowedDtypes(const rules::Subject& s) {
  const rules::Args args(s.node, s.constraint);
  if (const auto allowed = args.number(opdb::ArgKey::kAllowed)) {
    return static_cast<DtypeMask>(*allowed);
  }
  return ~static_cast<DtypeMask>(args.number(opdb::ArgKey::kDenied).value_or(0));
}

Fix DtypeFix(const NodeView& node, const DtypeMask* row, const PortFacts& dtypes,
             std::string_view row_id) {
  Fix fix;
  std::vector<std::string> made, steps;
  for (int i = 0; i < dtypes.count; ++i) {
    if ((dtypes.dtypes[i] & ~row[i]) == 0) continue;
    const Tensor* tensor = node.tensor(i);
    if (tensor == nullptr) continue;
    if (row[i] == 0) {
      steps.push_back(fmt::format("leave out {}", rules::PortName(node, i)));
      continue;
    }
    const std::string_view dtype = DtypeName(rules::NearestDtype(row[i], tensor->dtype));
    made.push_back(fmt::format("{} {}", rules::PortName(node, i), dtype));
    fix.edits.push_back({"set", fmt::format("tensors/{}/dtype", tensor->name),
                         fmt::format("\"{}\"", dtype)});
  }
  if (!made.empty()) steps.insert(steps.begin(), "make " + rules::Join(made, " and "));
  fix.summary = fmt::format("{} (row {})", rules::Join(steps, " and "), row_id);
  return fix;
}

// The row that the chip lacks a feature for.
void ExplainLackingChip(const TargetTable& table, const opdb::VariantRow& row, Finding& f) {
  const opdb::View& db = table.db();
  std::vector<std::string> features;
  const auto names = db.get(table.backend().features);
  for (size_t i = 0; i < names.size(); ++i) {
    if (((row.needs & table.lacks()) >> i & 1u) != 0) features.emplace_back(db.str(names[i]));
  }
  const std::string lacking = rules::Join(features);
  f.rule = &rules::RuleOf(rules::kChipLacksFeature);
  f.sources = SourceIds(db, row.sources);
  f.message = fmt::format("{} supports these datatypes on chips with {} only, which {} does not have", f.op,
                          lacking, table.soc());
  f.allowed = fmt::format("a chip with {} (row {})", lacking, db.str(row.id));
  f.fixes.push_back(rules::UnsafeFix(fmt::format("target a chip with {}", lacking)));
}

// The row that has to change least to match.
const ActiveVariant* NearestRow(const ActiveOp& op, const NodeView& node, const PortFacts& dtypes) {
  const ActiveVariant* nearest = nullptr;
  int nearest_distance = std::numeric_limits<int>::max();
  for (const ActiveVariant& variant : op.variants) {
    const int distance = Distance(node, variant.masks, dtypes);
    if (distance < nearest_distance) {
      nearest = &variant;
      nearest_distance = distance;
    }
  }
  return nearest;
}

// The same datatypes on another chip of this arch; null = on none.
const opdb::VariantRow* RowOfOtherChip(const TargetTable& table, const ActiveOp& op, const PortFacts& dtypes) {
  const opdb::View& db = table.db();
  for (const opdb::VariantRow& row : db.get(op.row->variants)) {
    if ((row.needs & table.lacks()) != 0 && opdb::Covers(row.range, table.sdk(), table.arch_index()) &&
        Matches(db.get(row.dtypes).data(), dtypes)) {
      return &row;
    }
  }
  return nullptr;
}

// The same datatypes in the nearest other arch or SDK; null = in none.
const opdb::VariantRow* RowElsewhere(const TargetTable& table, const ActiveOp& op, const PortFacts& dtypes) {
  const opdb::View& db = table.db();
  const opdb::VariantRow* elsewhere = nullptr;
  for (const opdb::VariantRow& row : db.get(op.row->variants)) {
    // Lists per port of older SDKs don't say that the datatypes went together there.
    if (table.tuple_rows() && row.range.until <= table.backend().tuples_since) continue;
    if (opdb::Covers(row.range, table.sdk(), table.arch_index()) || !Matches(db.get(row.dtypes).data(), dtypes)) {
      continue;
    }
    if (elsewhere == nullptr || Away(row, table.sdk()) < Away(*elsewhere, table.sdk())) elsewhere = &row;
  }
  return elsewhere;
}

void ExplainRowElsewhere(const TargetTable& table, const opdb::VariantRow& row, Finding& f) {
  const opdb::View& db = table.db();
  const bool arch_gate = ((row.range.archs >> table.arch_index()) & 1u) == 0;
  f.rule = &rules::RuleOf(arch_gate ? rules::kArchGatedRow : rules::kSdkGatedRow);
  f.sources = SourceIds(db, row.sources);
  const std::string where = RangeText(table, row.range);
  f.message = fmt::format("{} supports these datatypes on {} only", f.op, where);
  f.allowed = fmt::format("{} (row {})", where, db.str(row.id));
  f.fixes.push_back(rules::UnsafeFix(fmt::format("target {}", where)));
}

// `port`: the first that the nearest row does not match.
void ExplainNearestRow(const opdb::View& db, const ActiveOp& op, const NodeView& node, const ActiveVariant* nearest,
                       int port, const PortFacts& dtypes, Finding& f) {
  f.rule = &rules::RuleOf(rules::kDtypeRow);
  if (nearest == nullptr) {
    f.message = fmt::format("{} has no dtype rows on this target", f.op);
    return;
  }
  const Tensor* const tensor = node.tensor(port);
  const bool in_blocks = tensor != nullptr && tensor->encoding->kind == EncodingKind::kBlock;
  f.message = fmt::format(
      "{} does not support these datatypes together: {} is {}{}, the nearest row, {}{}, has {}", f.op, f.port,
      rules::DtypeList(dtypes.dtypes[static_cast<size_t>(port)]), in_blocks ? " in blocks with a scale each" : "",
      db.str(nearest->row->id),
      op.variants.size() > 1 ? fmt::format(" of {}", op.variants.size()) : "",
      rules::DtypeList(nearest->masks[port]));
}

// Since when rows of this arch say whether these datatypes go together; empty = they never do.
std::string TogetherLater(const TargetTable& table, const ActiveOp& op, const PortFacts& dtypes) {
  const opdb::View& db = table.db();
  SdkKey stated = kSdkOpen, together = kSdkOpen;
  for (const opdb::VariantRow& row : db.get(op.row->variants)) {
    const SdkKey since = std::max(row.range.since, table.backend().tuples_since);
    if (since >= row.range.until || ((row.range.archs >> table.arch_index()) & 1u) == 0) continue;
    stated = std::min(stated, since);
    if (Matches(db.get(row.dtypes).data(), dtypes)) together = std::min(together, since);
  }
  if (together != kSdkOpen) return fmt::format("; with SDK {} they do", SdkName(together));
  if (stated != kSdkOpen) return fmt::format("; from SDK {} on they do not", SdkName(stated));
  return "";
}

}  // namespace

Finding ExplainMix(const TargetTable& table, const ActiveOp& op, const NodeView& node, const PortFacts& dtypes) {
  const opdb::View& db = table.db();
  Finding f = rules::Raise(rules::kUndocumentedRow, Consequence::kUndocumented);
  f.op = rules::OpName(node);
  f.constraint = fmt::format("{}/{}/rows", db.str(table.backend().name), f.op);
  f.found = TupleText(node, dtypes.dtypes.data(), dtypes);
  f.allowed = "datatypes that the documents say go together";
  f.sources = SourceIds(db, node.op().sources);
  f.message = fmt::format("the documents list these datatypes of {} for each port, and don't say whether they go together{}",
                          f.op, TogetherLater(table, op, dtypes));
  return f;
}

std::optional<Fix> NearestRowFix(const TargetTable& table, const ActiveOp& op,
                                 const rules::Subject& broken, const PortFacts& dtypes) {
  if (broken.constraint.kind != opdb::Kind::kDtypes || broken.constraint.port < 0) {
    return std::nullopt;
  }
  const auto port = static_cast<size_t>(broken.constraint.port);
  const DtypeMask allowed = AllowedDtypes(broken);
  std::vector<DtypeMask> best;
  const ActiveVariant* nearest = nullptr;
  int nearest_distance = std::numeric_limits<int>::max();
  for (const ActiveVariant& variant : op.variants) {
    std::vector<DtypeMask> masks(variant.masks, variant.masks + dtypes.count);
    masks[port] &= allowed;
    if (masks[port] == 0) continue;
    const int distance = Distance(broken.node, masks.data(), dtypes);
    if (distance >= nearest_distance) continue;
    nearest_distance = distance;
    nearest = &variant;
    best = std::move(masks);
  }
  if (nearest == nullptr) return std::nullopt;
  return DtypeFix(broken.node, best.data(), dtypes, table.db().str(nearest->row->id));
}

Finding ExplainNoRow(const TargetTable& table, const ActiveOp& op, const NodeView& node,
                     const PortFacts& dtypes) {
  const opdb::View& db = table.db();
  Finding f;
  f.op = rules::OpName(node);
  f.consequence = Consequence::kRejected;
  f.constraint = fmt::format("{}/{}/rows", db.str(table.backend().name), f.op);
  f.found = TupleText(node, dtypes.dtypes.data(), dtypes);

  const ActiveVariant* const nearest = NearestRow(op, node, dtypes);
  int first_port = -1;
  if (nearest != nullptr) {
    for (int i = dtypes.count - 1; i >= 0; --i) {
      if ((dtypes.dtypes[i] & ~nearest->masks[i]) != 0) first_port = i;
    }
    f.allowed = TupleText(node, nearest->masks, dtypes);
    f.sources = SourceIds(db, nearest->row->sources);
  }
  if (first_port >= 0) {
    f.port = rules::PortName(node, first_port);
    if (const Tensor* tensor = node.tensor(first_port)) f.tensor = tensor->name;
  }
  if (const opdb::VariantRow* row = RowOfOtherChip(table, op, dtypes)) {
    ExplainLackingChip(table, *row, f);
  } else if (const opdb::VariantRow* elsewhere = RowElsewhere(table, op, dtypes)) {
    ExplainRowElsewhere(table, *elsewhere, f);
  } else {
    ExplainNearestRow(db, op, node, nearest, std::max(first_port, 0), dtypes, f);
  }
  if (nearest != nullptr) {
    f.fixes.push_back(DtypeFix(node, nearest->masks, dtypes, db.str(nearest->row->id)));
  }
  return f;
}

}  // namespace quantgate
