#include "core/database/image_check.h"

#include <algorithm>
#include <cmath>

#include "core/database/fields.h"
#include "core/database/image.h"
#include "core/database/kinds.h"

namespace quantgate::opdb {
namespace {

bool Within(uint64_t begin, uint64_t count, uint64_t size) {
  return begin <= size && count <= size - begin;
}

bool IsConsequence(Consequence value) { return static_cast<int>(value) < kConsequenceCount; }

// Slices of these rows are handed out one after the other, so that a walk over all of them is
// bounded by the size of the image.
bool Follows(uint64_t begin, uint64_t count, uint64_t& next) {
  if (count == 0) return true;
  if (begin < next) return false;
  next = begin + count;
  return true;
}

}  // namespace

bool ImageCheck::Fail(const char* what) {
  if (error_.empty()) error_ = what;
  return false;
}

template <typename Row>
bool ImageCheck::RowsOf(std::span<const Row> rows) {
  bool sound = true;
  const auto check = [&]<typename T>(const T& field) {
    if constexpr (std::is_same_v<T, Str>) {
      sound = sound && Within(field.offset, field.size, view_.strings_.size());
    } else if constexpr (std::is_same_v<T, Slice<ConstraintRow>> && std::is_same_v<Row, AltRow>) {
      sound = sound && Within(field.begin, field.count, view_.alternatives_.size());
    } else if constexpr (requires { view_.get(field); }) {
      using Element = std::remove_cvref_t<decltype(view_.get(field)[0])>;
      sound = sound && Within(field.begin, field.count, view_.section<Element>().size());
    }
  };
  for (const Row& row : rows) VisitFields(row, check);
  return sound || Fail("a row refers beyond its section");
}

bool ImageCheck::RowsWithinSections() {
  for (const Str& s : view_.strs_) {
    if (!Within(s.offset, s.size, view_.strings_.size())) return Fail("a string is out of place");
  }
  for (const auto& s : view_.exprs_) {
    if (!Within(s.begin, s.count, view_.expr_ops_.size())) {
      return Fail("an expression is out of place");
    }
  }
  return RowsOf(view_.sources_) && RowsOf(view_.socs_) && RowsOf(view_.enums_) &&
         RowsOf(view_.ports_) && RowsOf(view_.params_) && RowsOf(view_.variants_) &&
         RowsOf(view_.conds_) && RowsOf(view_.args_) && RowsOf(view_.alts_) &&
         RowsOf(view_.constraints_) && RowsOf(view_.alternatives_) && RowsOf(view_.ops_) &&
         RowsOf(view_.backends_) && RowsOf(view_.tree_) && RowsOf(view_.documents_) &&
         RowsOf(view_.renames_);
}

std::string ImageCheck::Run() {
  if (!RowsWithinSections()) return error_;
  size_t archs = kMaxArchs;
  for (const BackendRow& backend : view_.backends_) {
    if (!BackendIsSound(backend)) return error_;
    if (backend.has_socs != 0) archs = std::min(archs, view_.get(backend.archs).size());
  }
  for (const SocRow& soc : view_.socs_) {
    if (soc.arch < -1 || soc.arch >= static_cast<int>(archs)) Fail("arch of a soc");
  }
  TreesAreSound();
  return error_;
}

bool ImageCheck::BackendIsSound(const BackendRow& backend) {
  const auto archs = view_.get(backend.archs);
  if (archs.size() > kMaxArchs || backend.default_arch < 0 ||
      static_cast<size_t>(backend.default_arch) >= std::max<size_t>(1, archs.size())) {
    return Fail("archs of a backend");
  }
  if (backend.features.count > kMaxFeatures) return Fail("features of a backend");
  const auto sdks = view_.get(backend.sdks);
  if (sdks.empty() || !std::is_sorted(sdks.begin(), sdks.end())) {
    return Fail("SDK versions of a backend");
  }
  if (!Follows(backend.ops.begin, backend.ops.count, next_op_)) return Fail("ops of a backend");
  const auto ops = view_.get(backend.ops);
  for (size_t i = 0; i < ops.size(); ++i) {
    if (i > 0 && view_.str(ops[i - 1].name) >= view_.str(ops[i].name)) return Fail("order of ops");
    if (!OpIsSound(ops[i], backend)) return false;
  }
  return true;
}

bool ImageCheck::SourcesAreKnown(Slice<uint16_t> sources) {
  // Rows that stand together mostly share them.
  if (sources.begin == known_sources_.begin && sources.count == known_sources_.count) return true;
  known_sources_ = sources;
  const auto rows = view_.get(sources);
  return std::all_of(rows.begin(), rows.end(),
                     [&](uint16_t i) { return i < view_.sources_.size(); }) ||
         Fail("an unknown source");
}

bool ImageCheck::OpIsSound(const OpRow& op, const BackendRow& backend) {
  const size_t ports = view_.get(op.ports).size();
  if (ports > kMaxPorts || ports != size_t{op.input_count} + op.output_count) {
    return Fail("ports of an op");
  }
  if (op.params.count > kMaxParams) return Fail("params of an op");
  for (const ParamRow& param : view_.get(op.params)) {
    if (static_cast<int>(param.dtype) >= kDtypeCount) return Fail("dtype of a param");
  }
  if (op.groups.count > kMaxGroups) return Fail("groups of an op");
  for (const VariantRow& variant : view_.get(op.variants)) {
    const auto dtypes = view_.get(variant.dtypes);
    if (dtypes.size() != ports ||
        std::any_of(dtypes.begin(), dtypes.end(), [](DtypeMask m) { return m >> kDtypeCount; })) {
      return Fail("dtypes of a variant");
    }
    if (variant.needs >> backend.features.count != 0) return Fail("features of a variant");
    if (variant.group >= op.groups.count) return Fail("group of a variant");
    if (!IsConsequence(variant.consequence)) return Fail("consequence of a variant");
    if (!SourcesAreKnown(variant.sources)) return false;
  }
  if (!Follows(op.constraints.begin, op.constraints.count, next_constraint_)) {
    return Fail("constraints of an op");
  }
  for (const ConstraintRow& row : view_.get(op.constraints)) {
    if (!ConstraintIsSound(row, op, backend) || !AlternativesAreSound(row, op, backend)) {
      return false;
    }
  }
  if (op.examples != ~0u && op.examples >= view_.tree_.size()) return Fail("examples of an op");
  return SourcesAreKnown(op.sources);
}

bool ImageCheck::ConstraintIsSound(const ConstraintRow& row, const OpRow& op,
                                   const BackendRow& backend) {
  if (static_cast<int>(row.kind) >= kKindCount) return Fail("kind of a constraint");
  if (row.port < kPortAll || row.port >= static_cast<int>(op.ports.count) || row.param < -1 ||
      row.param >= static_cast<int>(op.params.count)) {
    return Fail("port of a constraint");
  }
  const SubjectBits subject = SubjectOf(row.port);
  if ((RowOf(row.kind).subjects & subject) == 0 || (subject == kOnParam && row.param < 0)) {
    return Fail("what a constraint is about");
  }
  if (row.element < -1) return Fail("element of a constraint");
  if (!IsConsequence(row.consequence) || !IsConsequence(row.measured_consequence)) {
    return Fail("consequence of a constraint");
  }
  for (const CondRow& cond : view_.get(row.when)) {
    if (!CondIsSound(cond, op)) return false;
  }
  for (const ArgRow& arg : view_.get(row.args)) {
    if (!ArgIsSound(arg, op, backend)) return false;
  }
  return SourcesAreKnown(row.sources);
}

bool ImageCheck::AlternativesAreSound(const ConstraintRow& row, const OpRow& op,
                                      const BackendRow& backend) {
  if (!Follows(row.alternatives.begin, row.alternatives.count, next_alt_)) {
    return Fail("alternatives of a constraint");
  }
  for (const AltRow& alt : view_.get(row.alternatives)) {
    if (!Follows(alt.all_of.begin, alt.all_of.count, next_alternative_)) {
      return Fail("constraints of an alternative");
    }
    for (const ConstraintRow& inner : view_.all_of(alt)) {
      if (inner.alternatives.count != 0) return Fail("alternatives within alternatives");
      if (inner.port == kPortAll) return Fail("all ports within alternatives");
      if (!ConstraintIsSound(inner, op, backend)) return false;
    }
  }
  return true;
}

bool ImageCheck::CondIsSound(const CondRow& row, const OpRow& op) {
  if (row.key > CondKey::kGraphInput || row.port < -1 || row.port >= static_cast<int>(op.ports.count) ||
      row.element < 0 || row.param < -1 || row.param >= static_cast<int>(op.params.count)) {
    return Fail("a condition");
  }
  switch (row.key) {
    case CondKey::kDtype:
    case CondKey::kDtypeNot:
    case CondKey::kEncoding:
      return true;
    case CondKey::kParam:
    case CondKey::kParamNot:
    case CondKey::kAxesInclude:
      if (row.param < 0) return Fail("param of a condition");
      break;
    default:
      break;
  }
  return row.ints.count > 0 || Fail("values of a condition");
}

bool ImageCheck::ArgIsSound(const ArgRow& row, const OpRow& op, const BackendRow& backend) {
  if (static_cast<int>(row.key) >= kArgKeyCount) return Fail("key of an argument");
  switch (row.type) {
    case ArgType::kFlag:
    case ArgType::kInt:
      break;
    case ArgType::kReal:
      if (!std::isfinite(row.v.d)) return Fail("number of an argument");
      break;
    case ArgType::kString:
      if (row.a >= view_.strs_.size()) return Fail("text of an argument");
      break;
    case ArgType::kPort:
      if (row.v.i < 0 || row.v.i >= static_cast<int64_t>(op.ports.count)) {
        return Fail("port of an argument");
      }
      break;
    case ArgType::kDtypeMask:
    case ArgType::kEncMask:
      break;
    case ArgType::kInts:
      if (!Within(row.a, row.b, view_.ints_.size())) return Fail("numbers of an argument");
      break;
    case ArgType::kReals:
      if (!Within(row.a, row.b, view_.reals_.size())) return Fail("numbers of an argument");
      break;
    case ArgType::kStrings:
      if (!Within(row.a, row.b, view_.strs_.size())) return Fail("texts of an argument");
      break;
    case ArgType::kExpr:
      if (!Within(row.a, row.b, view_.expr_ops_.size())) return Fail("expression of an argument");
      return ExprIsSound({row.a, row.b}, op);
    case ArgType::kExprs:
      if (!Within(row.a, row.b, view_.exprs_.size())) return Fail("expressions of an argument");
      for (const auto& expr : view_.get(Slice<Slice<ExprOp>>{row.a, row.b})) {
        if (!ExprIsSound(expr, op)) return false;
      }
      break;
    default:
      return Fail("type of an argument");
  }
  // These two are used as numbers of a dtype and an arch.
  if (row.key == ArgKey::kDtype && (row.v.i < 0 || row.v.i >= kDtypeCount)) {
    return Fail("dtype of an argument");
  }
  if (row.key == ArgKey::kArch &&
      (row.v.i < 0 || row.v.i >= static_cast<int64_t>(backend.archs.count))) {
    return Fail("arch of an argument");
  }
  return true;
}

bool ImageCheck::ExprIsSound(Slice<ExprOp> expr, const OpRow& op) {
  uint32_t depth = 0;
  for (const ExprOp& step : view_.get(expr)) {
    const bool port = step.port >= 0 && step.port < static_cast<int>(op.ports.count);
    const bool param = step.param >= 0 && step.param < static_cast<int>(op.params.count);
    switch (step.code) {
      case ExprCode::kConst:
        ++depth;
        break;
      case ExprCode::kRank:
      case ExprCode::kDimConst:
      case ExprCode::kElements:
        if (!port) return Fail("port of an expression");
        ++depth;
        break;
      case ExprCode::kDimParam:
      case ExprCode::kTotal:
        if (!port || !param) return Fail("port or param of an expression");
        ++depth;
        break;
      case ExprCode::kParam:
      case ExprCode::kCount:
        if (!param) return Fail("param of an expression");
        ++depth;
        break;
      case ExprCode::kNeg:
        if (depth < 1) return Fail("an expression");
        break;
      case ExprCode::kAdd:
      case ExprCode::kSub:
      case ExprCode::kMul:
      case ExprCode::kDiv:
      case ExprCode::kMax:
      case ExprCode::kMin:
        if (depth < 2) return Fail("an expression");
        --depth;
        break;
      default:
        return Fail("code of an expression");
    }
    if (depth > kMaxExprDepth) return Fail("depth of an expression");
  }
  return depth == 1 || Fail("an expression");
}

bool ImageCheck::TreesAreSound() {
  // Children come after their parent and belong to it alone: no cycles, no shared branches.
  uint64_t next = 0;
  for (size_t i = 0; i < view_.tree_.size(); ++i) {
    const TreeRow& row = view_.tree_[i];
    if (row.type > TreeType::kMap) return Fail("type of a tree row");
    const bool nested = row.type == TreeType::kList || row.type == TreeType::kMap;
    if (row.children.count == 0) continue;
    if (!nested || row.children.begin <= i ||
        !Follows(row.children.begin, row.children.count, next)) {
      return Fail("children of a tree row");
    }
    if (row.type != TreeType::kMap) continue;
    const auto children = view_.get(row.children);
    for (size_t c = 1; c < children.size(); ++c) {
      if (view_.str(children[c - 1].key) >= view_.str(children[c].key)) {
        return Fail("order of a map");
      }
    }
  }
  for (size_t i = 0; i < view_.documents_.size(); ++i) {
    if (view_.documents_[i].root >= view_.tree_.size()) return Fail("root of a document");
    if (i > 0 && view_.str(view_.documents_[i - 1].name) >= view_.str(view_.documents_[i].name)) {
      return Fail("order of documents");
    }
  }
  return true;
}

}  // namespace quantgate::opdb
