#include "core/database/compile/image_builder.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/database/fields.h"
#include "core/database/image.h"

namespace quantgate::opdefs {
namespace {

using opdb::SectionId;
using opdb::Slice;
using opdb::Str;

template <typename T>
Slice<T> Append(std::vector<T>& rows, const std::vector<T>& more) {
  if (more.empty()) return {};
  const Slice<T> slice{static_cast<uint32_t>(rows.size()), static_cast<uint32_t>(more.size())};
  rows.insert(rows.end(), more.begin(), more.end());
  return slice;
}

// Field by field into zeros, so that padding is zero and equal rows are equal bytes.
template <typename T>
void CopyRow(const T& row, char* out) {
  if constexpr (requires { opdb::VisitFields(row, [](const auto&) {}); }) {
    const char* const begin = reinterpret_cast<const char*>(&row);
    opdb::VisitFields(row, [&](const auto& field) {
      std::memcpy(out + (reinterpret_cast<const char*>(&field) - begin), &field, sizeof field);
    });
  } else {
    static_assert(std::has_unique_object_representations_v<T> || std::is_same_v<T, double>);
    std::memcpy(out, &row, sizeof row);
  }
}

opdb::FeatureMask FeatureBits(const std::vector<std::string>& some,
                              const std::vector<std::string>& all) {
  opdb::FeatureMask mask = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    if (std::find(some.begin(), some.end(), all[i]) != some.end()) {
      mask |= static_cast<opdb::FeatureMask>(1u << i);
    }
  }
  return mask;
}

// Rows of one type, each slice of them once: ops that share a constraint share what it says.
template <typename T>
class Pool {
 public:
  Slice<T> Add(const std::vector<T>& rows) {
    if (rows.empty()) return {};
    std::string bytes(rows.size() * sizeof(T), '\0');
    for (size_t i = 0; i < rows.size(); ++i) CopyRow(rows[i], bytes.data() + i * sizeof(T));
    const auto [it, fresh] = seen_.try_emplace(std::move(bytes), rows_.size());
    if (fresh) rows_.insert(rows_.end(), rows.begin(), rows.end());
    return {static_cast<uint32_t>(it->second), static_cast<uint32_t>(rows.size())};
  }
  const std::vector<T>& rows() const { return rows_; }

 private:
  std::vector<T> rows_;
  std::map<std::string, size_t> seen_;
};

class ImageWriter {
 public:
  ImageWriter()
      : bytes_(sizeof(opdb::ImageHeader) + opdb::kSectionCount * sizeof(opdb::SectionEntry), '\0') {
  }

  template <typename T>
  void Section(SectionId id, const std::vector<T>& rows) {
    bytes_.resize((bytes_.size() + opdb::kImageAlign - 1) / opdb::kImageAlign * opdb::kImageAlign);
    opdb::SectionEntry& entry = entries_[static_cast<size_t>(id)];
    entry = {bytes_.size(), static_cast<uint32_t>(rows.size()), sizeof(T)};
    too_large_ = too_large_ || rows.size() > std::numeric_limits<uint32_t>::max();
    const size_t begin = bytes_.size();
    bytes_.resize(begin + rows.size() * sizeof(T));
    for (size_t i = 0; i < rows.size(); ++i)
      CopyRow(rows[i], bytes_.data() + begin + i * sizeof(T));
  }

  absl::StatusOr<std::string> Finish() {
    if (too_large_) return absl::ResourceExhaustedError("the database is too large for an image");
    opdb::ImageHeader header;
    header.magic = opdb::kImageMagic;
    header.version = opdb::kImageVersion;
    header.sections = opdb::kSectionCount;
    header.size = bytes_.size();
    std::memcpy(bytes_.data(), &header, sizeof header);
    std::memcpy(bytes_.data() + sizeof header, entries_.data(),
                entries_.size() * sizeof(opdb::SectionEntry));
    return std::move(bytes_);
  }

 private:
  std::string bytes_;
  std::array<opdb::SectionEntry, opdb::kSectionCount> entries_{};
  bool too_large_ = false;
};

class Builder {
 public:
  explicit Builder(const Ir& ir) : ir_(ir) {}

  absl::StatusOr<std::string> Build() {
    for (const auto& [id, source] : ir_.sources) {
      source_index_[id] = static_cast<uint16_t>(sources_.size());
      sources_.push_back({Text(id), Text(source.title), source.sdk, source.kind,
                          static_cast<uint8_t>(source.partial ? 1 : 0), Texts(source.backends)});
    }
    if (sources_.size() > std::numeric_limits<uint16_t>::max()) {
      return absl::ResourceExhaustedError("more than 65535 sources");
    }
    for (const auto& [id, soc] : ir_.socs) AddSoc(id, soc);
    for (const auto& [name, backend] : ir_.backends) AddBackend(name, backend);
    for (const auto& [name, tree] : ir_.documents) {
      documents_.push_back({Text(name), AddTree(tree)});
    }
    for (const Rename& one : ir_.renames) {
      renames_.push_back({Text(one.since), Text(one.backend), Text(one.was), Texts(one.places),
                          Texts(one.now), Text(one.gone)});
    }
    ImageWriter out;
    out.Section(SectionId::kStrings, strings_);
    out.Section(SectionId::kStrs, strs_.rows());
    out.Section(SectionId::kInts, ints_.rows());
    out.Section(SectionId::kReals, reals_.rows());
    out.Section(SectionId::kU16s, u16s_.rows());
    out.Section(SectionId::kMasks, masks_.rows());
    out.Section(SectionId::kExprOps, expr_ops_.rows());
    out.Section(SectionId::kExprs, exprs_.rows());
    out.Section(SectionId::kSources, sources_);
    out.Section(SectionId::kSocs, socs_);
    out.Section(SectionId::kEnums, enums_);
    out.Section(SectionId::kPorts, ports_);
    out.Section(SectionId::kParams, params_);
    out.Section(SectionId::kVariants, variants_);
    out.Section(SectionId::kConds, conds_.rows());
    out.Section(SectionId::kArgs, args_.rows());
    out.Section(SectionId::kAlts, alts_);
    out.Section(SectionId::kConstraints, constraints_);
    out.Section(SectionId::kAlternatives, alternatives_);
    out.Section(SectionId::kOps, ops_);
    out.Section(SectionId::kBackends, backends_);
    out.Section(SectionId::kTree, tree_);
    out.Section(SectionId::kDocuments, documents_);
    out.Section(SectionId::kRenames, renames_);
    return out.Finish();
  }

 private:
  Str Text(const std::string& text) {
    if (text.empty()) return {};
    const auto [it, fresh] = texts_.try_emplace(text, Str{});
    if (fresh) {
      it->second = {static_cast<uint32_t>(strings_.size()), static_cast<uint32_t>(text.size())};
      strings_.insert(strings_.end(), text.begin(), text.end());
    }
    return it->second;
  }
  Slice<Str> Texts(const std::vector<std::string>& texts) {
    std::vector<Str> rows;
    for (const std::string& text : texts) rows.push_back(Text(text));
    return strs_.Add(rows);
  }
  Slice<uint16_t> Sources(const std::vector<std::string>& ids) {
    std::vector<uint16_t> rows;
    for (const std::string& id : ids) rows.push_back(source_index_.at(id));
    return u16s_.Add(rows);
  }

  void AddSoc(int32_t id, const Soc& soc) {
    opdb::SocRow row;
    row.name = Text(soc.name);
    row.aliases = Texts(soc.aliases);
    row.id = id;
    row.vtcm_mb = soc.vtcm_mb;
    row.arch_name = Text(soc.arch);
    if (const Backend* const backend = ir_.BackendOfSocs()) {
      const auto& archs = backend->archs;
      const auto it = std::find(archs.begin(), archs.end(), soc.arch);
      if (it != archs.end()) row.arch = static_cast<int16_t>(it - archs.begin());
      row.lacks = FeatureBits(soc.lacks, backend->features);
    }
    socs_.push_back(row);
  }

  void AddBackend(const std::string& name, const Backend& backend) {
    opdb::BackendRow row;
    row.name = Text(name);
    row.archs = Texts(backend.archs);
    row.default_arch = backend.default_arch;
    row.first_measured = backend.first_measured;
    row.tuples_since = backend.tuples_since;
    row.dialect = Text(backend.dialect);
    row.route = Text(backend.route);
    row.unlisted = Text(backend.unlisted);
    row.unlisted_since = backend.unlisted_since;
    row.measured_by = Text(backend.measured_by);
    row.has_op_validation = backend.has_op_validation ? 1 : 0;
    row.has_socs = backend.has_socs ? 1 : 0;
    row.sdks = u16s_.Add(backend.sdks);
    row.features = Texts(backend.features);
    std::vector<opdb::EnumRow> group_needs;
    for (const auto& [group, needs] : backend.group_needs) {
      group_needs.push_back({Text(group), needs});
    }
    row.group_needs = Append(enums_, group_needs);
    std::vector<opdb::OpRow> ops;
    for (const auto& [op_name, op] : backend.ops) ops.push_back(AddOp(op_name, op));
    row.ops = Append(ops_, ops);
    backends_.push_back(row);
  }

  opdb::OpRow AddOp(const std::string& name, const Op& op) {
    opdb::OpRow row;
    row.name = Text(name);
    row.input_count = op.input_count;
    row.output_count = op.output_count;
    row.range = op.range;
    std::vector<opdb::PortRow> ports;
    for (const Port& port : op.ports) {
      ports.push_back({Text(port.name), Text(port.role), port.flags, port.channel_axis});
    }
    row.ports = Append(ports_, ports);
    std::vector<opdb::ParamRow> params;
    for (const Param& param : op.params) params.push_back(ParamRow(param));
    row.params = Append(params_, params);
    row.groups = Texts(op.groups);
    std::vector<opdb::VariantRow> variants;
    for (const Variant& variant : op.variants) {
      variants.push_back({Text(variant.id), variant.group, variant.consequence,
                          variant.undocumented_until, variant.range, variant.needs,
                          masks_.Add(variant.dtypes), Sources(variant.sources)});
    }
    row.variants = Append(variants_, variants);
    std::vector<opdb::ConstraintRow> constraints;
    for (const Constraint& c : op.constraints) constraints.push_back(ConstraintRow(c));
    row.constraints = Append(constraints_, constraints);
    row.sources = Sources(op.sources);
    if (op.examples.type != opdb::TreeType::kNull) row.examples = AddTree(op.examples);
    return row;
  }

  opdb::ParamRow ParamRow(const Param& param) {
    opdb::ParamRow row;
    row.name = Text(param.name);
    row.dtype = param.dtype;
    row.required = param.required;
    row.rank = param.rank;
    std::vector<opdb::EnumRow> values;
    for (const auto& [name, value] : param.values) values.push_back({Text(name), value});
    row.values = Append(enums_, values);
    row.default_ints = ints_.Add(param.default_ints);
    row.default_reals = reals_.Add(param.default_reals);
    return row;
  }

  opdb::ConstraintRow ConstraintRow(const Constraint& c) {
    opdb::ConstraintRow row;
    row.id = Text(c.id);
    row.kind = c.kind;
    row.port = c.port;
    row.element = c.element;
    row.param = c.param;
    row.consequence = c.consequence;
    row.measured_since = c.measured_since;
    row.measured_consequence = c.measured_consequence;
    row.groups = c.groups;
    row.range = c.range;
    std::vector<opdb::CondRow> when;
    for (const Cond& cond : c.when) {
      when.push_back(
          {cond.key, cond.port, cond.element, cond.param, cond.mask, ints_.Add(cond.ints)});
    }
    row.when = conds_.Add(when);
    std::vector<opdb::ArgRow> args;
    for (const Arg& arg : c.args) args.push_back(ArgRow(arg));
    row.args = args_.Add(args);
    std::vector<opdb::AltRow> alts;
    for (const auto& all : c.alternatives) {
      std::vector<opdb::ConstraintRow> rows;
      for (const Constraint& inner : all) rows.push_back(ConstraintRow(inner));
      alts.push_back({Append(alternatives_, rows)});
    }
    row.alternatives = Append(alts_, alts);
    row.sources = Sources(c.sources);
    row.note = Text(c.note);
    row.profile = Text(c.profile);
    return row;
  }

  opdb::ArgRow ArgRow(const Arg& arg) {
    opdb::ArgRow row;
    row.key = arg.key;
    row.type = arg.type;
    const auto refer = [&row](const auto& slice) {
      row.a = slice.begin;
      row.b = slice.count;
    };
    switch (arg.type) {
      case opdb::ArgType::kReal:
        row.v.d = arg.d;
        break;
      case opdb::ArgType::kString:
        refer(Texts({arg.text}));
        break;
      case opdb::ArgType::kInts:
        refer(ints_.Add(arg.ints));
        break;
      case opdb::ArgType::kExpr:
        refer(expr_ops_.Add(arg.exprs.at(0)));
        break;
      case opdb::ArgType::kExprs: {
        std::vector<Slice<opdb::ExprOp>> exprs;
        for (const Expr& expr : arg.exprs) exprs.push_back(expr_ops_.Add(expr));
        refer(exprs_.Add(exprs));
        break;
      }
      default:
        row.v.i = arg.i;
        break;
    }
    return row;
  }

  // Breadth first: the children of a node stand together, after it.
  uint32_t AddTree(const Tree& root) {
    const auto first = static_cast<uint32_t>(tree_.size());
    std::vector<const Tree*> nodes = {&root};
    for (size_t i = 0; i < nodes.size(); ++i) {
      const Tree& tree = *nodes[i];
      opdb::TreeRow row;
      row.type = tree.type;
      row.key = Text(tree.key);
      row.text = Text(tree.text);
      if (!tree.children.empty()) {
        row.children = {static_cast<uint32_t>(first + nodes.size()),
                        static_cast<uint32_t>(tree.children.size())};
      }
      if (tree.type == opdb::TreeType::kReal) {
        row.v.d = tree.d;
      } else {
        row.v.i = tree.i;
      }
      row.line = tree.line;
      row.column = tree.column;
      for (const Tree& child : tree.children) nodes.push_back(&child);
      tree_.push_back(row);
    }
    return first;
  }

  const Ir& ir_;
  std::vector<char> strings_;
  std::map<std::string, Str> texts_;
  std::map<std::string, uint16_t> source_index_;
  Pool<Str> strs_;
  Pool<int64_t> ints_;
  Pool<double> reals_;
  Pool<uint16_t> u16s_;
  Pool<DtypeMask> masks_;
  Pool<opdb::ExprOp> expr_ops_;
  Pool<Slice<opdb::ExprOp>> exprs_;
  std::vector<opdb::SourceRow> sources_;
  std::vector<opdb::SocRow> socs_;
  std::vector<opdb::EnumRow> enums_;
  std::vector<opdb::PortRow> ports_;
  std::vector<opdb::ParamRow> params_;
  std::vector<opdb::VariantRow> variants_;
  Pool<opdb::CondRow> conds_;
  Pool<opdb::ArgRow> args_;
  std::vector<opdb::AltRow> alts_;
  // The check of an image wants each alternative once, in order.
  std::vector<opdb::ConstraintRow> constraints_, alternatives_;
  std::vector<opdb::OpRow> ops_;
  std::vector<opdb::BackendRow> backends_;
  std::vector<opdb::TreeRow> tree_;
  std::vector<opdb::DocumentRow> documents_;
  std::vector<opdb::RenameRow> renames_;
};

}  // namespace

absl::StatusOr<std::string> BuildImage(const Ir& ir) { return Builder(ir).Build(); }

}  // namespace quantgate::opdefs
