#include "core/database/compile/from_view.h"

#include <string>

#include "core/database/compile/symbols.h"

namespace quantgate::opdefs {
namespace {

using opdb::Slice;
using opdb::View;

class Reverse {
 public:
  explicit Reverse(const View& view) : view_(view) {}

  Ir Run() {
    Ir ir;
    for (const auto& row : view_.sources()) {
      ir.sources[Text(row.id)] = {Text(row.title), row.sdk, row.kind, row.partial != 0,
                                  Texts(row.backends)};
    }
    for (const auto& row : view_.socs()) {
      ir.socs[row.id] = {Text(row.name), Texts(row.aliases), Text(row.arch_name), row.vtcm_mb,
                         Lacking(row)};
    }
    for (const auto& row : view_.backends()) {
      Backend& backend = ir.backends[Text(row.name)];
      backend.archs = Texts(row.archs);
      backend.default_arch = row.default_arch;
      backend.first_measured = row.first_measured;
      backend.tuples_since = row.tuples_since;
      backend.dialect = Text(row.dialect);
      backend.route = Text(row.route);
      backend.unlisted = Text(row.unlisted);
      backend.unlisted_since = row.unlisted_since;
      backend.measured_by = Text(row.measured_by);
      backend.has_op_validation = row.has_op_validation != 0;
      backend.has_socs = row.has_socs != 0;
      backend.sdks = List(row.sdks);
      backend.features = Texts(row.features);
      for (const auto& needs : view_.get(row.group_needs)) {
        backend.group_needs[Text(needs.name)] = static_cast<opdb::FeatureMask>(needs.value);
      }
      for (const auto& op : view_.get(row.ops)) backend.ops[Text(op.name)] = OpOf(op);
    }
    for (const auto& row : view_.documents()) {
      const std::string name = Text(row.name);
      if (name.starts_with("routes/")) ir.routes.insert(name.substr(name.find('/') + 1));
      ir.documents[name] = TreeOf(*view_.get(Slice<opdb::TreeRow>{row.root, 1}).data());
    }
    for (const auto& row : view_.renames()) {
      ir.renames.push_back({Text(row.since), Text(row.backend), Text(row.was), Texts(row.places),
                            Texts(row.now), Text(row.gone)});
    }
    return ir;
  }

 private:
  std::string Text(opdb::Str s) const { return std::string(view_.str(s)); }
  std::vector<std::string> Texts(Slice<opdb::Str> slice) const {
    std::vector<std::string> out;
    for (const opdb::Str s : view_.get(slice)) out.push_back(Text(s));
    return out;
  }
  template <typename T>
  std::vector<T> List(Slice<T> slice) const {
    const auto rows = view_.get(slice);
    return {rows.begin(), rows.end()};
  }
  std::vector<std::string> Lacking(const opdb::SocRow& soc) const {
    const opdb::BackendRow* const backend = view_.BackendOfSocs();
    if (backend == nullptr) return {};
    std::vector<std::string> lacking;
    const auto names = Texts(backend->features);
    for (size_t i = 0; i < names.size(); ++i) {
      if ((soc.lacks >> i & 1) != 0) lacking.push_back(names[i]);
    }
    return lacking;
  }
  std::vector<std::string> Sources(Slice<uint16_t> slice) const {
    std::vector<std::string> out;
    for (const uint16_t i : view_.get(slice)) out.push_back(Text(view_.sources()[i].id));
    return out;
  }

  Tree TreeOf(const opdb::TreeRow& row) const {
    Tree tree;
    tree.type = row.type;
    tree.key = Text(row.key);
    tree.text = Text(row.text);
    if (row.type == opdb::TreeType::kReal) {
      tree.d = row.v.d;
    } else {
      tree.i = row.v.i;
    }
    tree.line = row.line;
    tree.column = row.column;
    for (const auto& child : view_.get(row.children)) tree.children.push_back(TreeOf(child));
    return tree;
  }

  Op OpOf(const opdb::OpRow& row) const {
    Op op;
    op.input_count = row.input_count;
    op.output_count = row.output_count;
    op.range = row.range;
    for (const auto& port : view_.get(row.ports)) {
      const auto name = ParsePortName(view_.str(port.name));
      op.ports.push_back({Text(port.name), Text(port.role), port.flags, port.channel_axis,
                          name ? name->first : 0});
    }
    for (const auto& param : view_.get(row.params)) {
      Param out{Text(param.name),
                param.dtype,
                param.required != 0,
                param.rank,
                {},
                List(param.default_ints),
                List(param.default_reals)};
      for (const auto& value : view_.get(param.values)) {
        out.values.emplace_back(Text(value.name), value.value);
      }
      op.params.push_back(std::move(out));
    }
    op.groups = Texts(row.groups);
    for (const auto& variant : view_.get(row.variants)) {
      op.variants.push_back({Text(variant.id), variant.group, variant.consequence,
                             variant.undocumented_until, variant.range, variant.needs,
                             List(variant.dtypes), Sources(variant.sources)});
    }
    for (const auto& c : view_.get(row.constraints)) op.constraints.push_back(ConstraintOf(c));
    op.sources = Sources(row.sources);
    if (row.examples != ~0u) {
      op.examples = TreeOf(*view_.get(Slice<opdb::TreeRow>{row.examples, 1}).data());
    }
    return op;
  }

  Constraint ConstraintOf(const opdb::ConstraintRow& row) const {
    Constraint out;
    out.id = Text(row.id);
    out.kind = row.kind;
    out.port = row.port;
    out.element = row.element;
    out.param = row.param;
    out.consequence = row.consequence;
    out.measured_since = row.measured_since;
    out.measured_consequence = row.measured_consequence;
    out.groups = row.groups;
    out.range = row.range;
    for (const auto& cond : view_.get(row.when)) {
      out.when.push_back(
          {cond.key, cond.port, cond.element, cond.param, cond.mask, List(cond.ints)});
    }
    for (const auto& arg : view_.get(row.args)) out.args.push_back(ArgOf(arg));
    for (const auto& alt : view_.get(row.alternatives)) {
      auto& all = out.alternatives.emplace_back();
      for (const auto& inner : view_.all_of(alt)) all.push_back(ConstraintOf(inner));
    }
    out.sources = Sources(row.sources);
    out.note = Text(row.note);
    out.profile = Text(row.profile);
    return out;
  }

  Arg ArgOf(const opdb::ArgRow& row) const {
    Arg arg;
    arg.key = row.key;
    arg.type = row.type;
    switch (row.type) {
      case opdb::ArgType::kReal:
        arg.d = row.v.d;
        break;
      case opdb::ArgType::kString:
        arg.text = Texts({row.a, 1})[0];
        break;
      case opdb::ArgType::kInts:
        arg.ints = List(Slice<int64_t>{row.a, row.b});
        break;
      case opdb::ArgType::kExpr:
        arg.exprs.push_back(List(Slice<opdb::ExprOp>{row.a, row.b}));
        break;
      case opdb::ArgType::kExprs:
        for (const auto& expr : view_.get(Slice<Slice<opdb::ExprOp>>{row.a, row.b})) {
          arg.exprs.push_back(List(expr));
        }
        break;
      default:
        arg.i = row.v.i;
        break;
    }
    return arg;
  }

  const View& view_;
};

}  // namespace

Ir FromView(const View& view) { return Reverse(view).Run(); }

}  // namespace quantgate::opdefs
