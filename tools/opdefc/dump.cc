#include "tools/opdefc/dump.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/type_resolver_util.h>

#include <memory>

#include "absl/strings/str_cat.h"
#include "core/database/describe.h"
#include "core/database/kinds.h"
#include "tools/opdefc/opdefs.pb.h"

namespace quantgate::opdefs {
namespace {

namespace pb = google::protobuf;
using opdb::ArgType;
using opdb::Slice;
using opdb::View;

class Dumper {
 public:
  explicit Dumper(const View& view) : view_(view) {}

  v1::Database Run() {
    v1::Database out;
    for (const auto& row : view_.sources()) {
      auto* source = out.add_sources();
      source->set_id(Text(row.id));
      source->set_title(Text(row.title));
      source->set_sdk(SdkName(row.sdk));
      source->set_measured(row.measured());
      source->set_kind(std::string(opdb::SourceKindName(row.kind)));
      source->set_partial(row.partial != 0);
      for (const opdb::Str backend : view_.get(row.backends)) source->add_backends(Text(backend));
    }
    for (const auto& row : view_.socs()) {
      auto* soc = out.add_socs();
      soc->set_id(row.id);
      soc->set_name(Text(row.name));
      for (const opdb::Str s : view_.get(row.aliases)) soc->add_aliases(Text(s));
      soc->set_arch(Text(row.arch_name));
      soc->set_vtcm_mb(row.vtcm_mb);
      if (const opdb::BackendRow* const of = view_.BackendOfSocs()) {
        for (std::string& name : Features(*of, row.lacks)) soc->add_lacks(std::move(name));
      }
    }
    for (const auto& row : view_.backends()) Backend(row, *out.add_backends());
    for (const auto& row : view_.documents()) {
      Value(view_.TreeAt(row.root), (*out.mutable_documents())[Text(row.name)]);
    }
    return out;
  }

 private:
  std::string Text(opdb::Str s) const { return std::string(view_.str(s)); }

  void Value(const opdb::Tree& tree, pb::Value& out) const {
    switch (tree.type()) {
      case opdb::TreeType::kNull:
        out.set_null_value(pb::NULL_VALUE);
        break;
      case opdb::TreeType::kBool:
        out.set_bool_value(*tree.flag());
        break;
      case opdb::TreeType::kInt:
      case opdb::TreeType::kReal:
        out.set_number_value(*tree.real());
        break;
      case opdb::TreeType::kString:
        out.set_string_value(std::string(tree.str()));
        break;
      case opdb::TreeType::kList:
        out.mutable_list_value();
        for (size_t i = 0; i < tree.size(); ++i) {
          Value(tree.at(i), *out.mutable_list_value()->add_values());
        }
        break;
      case opdb::TreeType::kMap:
        out.mutable_struct_value();
        for (size_t i = 0; i < tree.size(); ++i) {
          const opdb::Tree child = tree.at(i);
          Value(child, (*out.mutable_struct_value()->mutable_fields())[std::string(child.key())]);
        }
        break;
    }
  }

  std::vector<std::string> Features(const opdb::BackendRow& backend,
                                    opdb::FeatureMask mask) const {
    std::vector<std::string> names;
    const auto all = view_.get(backend.features);
    for (size_t i = 0; i < all.size(); ++i) {
      if ((mask >> i & 1) != 0) names.push_back(Text(all[i]));
    }
    return names;
  }

  void Backend(const opdb::BackendRow& row, v1::Backend& out) {
    out.set_name(Text(row.name));
    archs_.clear();
    for (const opdb::Str s : view_.get(row.archs)) archs_.push_back(Text(s));
    for (const std::string& arch : archs_) out.add_archs(arch);
    if (!archs_.empty()) out.set_default_arch(archs_[static_cast<size_t>(row.default_arch)]);
    for (const SdkKey sdk : view_.get(row.sdks)) out.add_sdks(SdkName(sdk));
    if (row.first_measured != kSdkOpen) out.set_first_measured(SdkName(row.first_measured));
    if (row.tuples_since != kSdkOpen) out.set_tuples_since(SdkName(row.tuples_since));
    out.set_dialect(Text(row.dialect));
    out.set_route(Text(row.route));
    out.set_unlisted(Text(row.unlisted));
    if (row.unlisted_since != 0) out.set_unlisted_since(SdkName(row.unlisted_since));
    out.set_measured_by(Text(row.measured_by));
    out.set_no_op_validation(row.has_op_validation == 0);
    out.set_has_socs(row.has_socs != 0);
    for (std::string& name : Features(row, 0xFF)) out.add_features(std::move(name));
    for (const auto& op : view_.get(row.ops)) Op(row, op, *out.add_ops());
  }

  void Range(const opdb::Range& range, v1::Range& out) const {
    if (range.since != 0) out.set_since(SdkName(range.since));
    if (range.until != kSdkOpen) out.set_until(SdkName(range.until));
    uint32_t mask = 0;
    for (size_t i = 0; i < archs_.size(); ++i) mask |= range.archs & 1u << i;
    const uint32_t all = archs_.size() >= 32 ? ~0u : (1u << archs_.size()) - 1;
    if (mask == all) return;
    for (size_t i = 0; i < archs_.size(); ++i) {
      if (mask >> i & 1) out.add_archs(archs_[i]);
    }
  }

  template <typename Message>
  void Sources(Slice<uint16_t> slice, Message& out) const {
    for (const uint16_t i : view_.get(slice)) out.add_sources(Text(view_.sources()[i].id));
  }

  void Op(const opdb::BackendRow& backend, const opdb::OpRow& row, v1::Op& out) const {
    const opdb::Describer describe(view_, backend, row);
    out.set_name(Text(row.name));
    Range(row.range, *out.mutable_range());
    const auto ports = view_.get(row.ports);
    for (size_t i = 0; i < ports.size(); ++i) {
      auto* port = i < row.input_count ? out.add_inputs() : out.add_outputs();
      port->set_port(Text(ports[i].name));
      port->set_role(Text(ports[i].role));
      port->set_optional((ports[i].flags & opdb::kPortOptional) != 0);
      port->set_variadic((ports[i].flags & opdb::kPortVariadic) != 0);
      if (ports[i].channel_axis != -128) port->set_channel_axis(ports[i].channel_axis);
    }
    for (const auto& param : view_.get(row.params)) {
      auto* p = out.add_params();
      p->set_name(Text(param.name));
      p->set_dtype(std::string(DtypeName(param.dtype)));
      p->set_required(param.required != 0);
      if (param.rank >= 0) p->set_rank(param.rank);
      for (const auto& value : view_.get(param.values)) {
        (*p->mutable_values())[Text(value.name)] = value.value;
      }
      for (const int64_t v : view_.get(param.default_ints)) {
        p->add_default_(static_cast<double>(v));
      }
      for (const double v : view_.get(param.default_reals)) p->add_default_(v);
    }
    const auto groups = view_.get(row.groups);
    for (const opdb::Str s : groups) out.add_groups(Text(s));
    for (const auto& variant : view_.get(row.variants)) {
      auto* v = out.add_variants();
      v->set_id(Text(variant.id));
      v->set_group(Text(groups[variant.group]));
      v->set_consequence(std::string(ConsequenceName(variant.consequence)));
      if (variant.undocumented_until != 0) {
        v->set_undocumented_until(SdkName(variant.undocumented_until));
      }
      Range(variant.range, *v->mutable_range());
      for (const DtypeMask mask : view_.get(variant.dtypes)) {
        auto* dtypes = v->add_dtypes();
        for (const std::string& name : opdb::DtypeNames(mask)) dtypes->add_names(name);
      }
      Sources(variant.sources, *v);
      for (std::string& name : Features(backend, variant.needs)) v->add_needs(std::move(name));
    }
    for (const auto& c : view_.get(row.constraints)) {
      Constraint(describe, row, c, *out.add_constraints());
    }
    Sources(row.sources, out);
    if (row.examples != ~0u) Value(view_.TreeAt(row.examples), *out.mutable_examples());
  }

  void Constraint(const opdb::Describer& describe, const opdb::OpRow& op,
                  const opdb::ConstraintRow& row, v1::Constraint& out) const {
    out.set_id(Text(row.id));
    out.set_kind(std::string(opdb::RowOf(row.kind).name));
    out.set_rule(std::string(opdb::RowOf(row.kind).rule_code()));
    out.set_port(describe.Subject(row));
    out.set_consequence(std::string(ConsequenceName(row.consequence)));
    if (row.measured_since != kSdkOpen) {
      out.set_measured_since(SdkName(row.measured_since));
      out.set_measured_consequence(std::string(ConsequenceName(row.measured_consequence)));
    }
    const auto groups = view_.get(op.groups);
    for (size_t i = 0; row.groups != ~0ull && i < groups.size(); ++i) {
      if (row.groups >> i & 1) out.add_groups(Text(groups[i]));
    }
    Range(row.range, *out.mutable_range());
    for (const auto& cond : view_.get(row.when)) {
      auto* c = out.add_when();
      c->set_key(std::string(opdb::CondKeyName(cond.key)));
      if (cond.port >= 0) c->set_port(describe.Port(cond.port, cond.element));
      if (cond.param >= 0) {
        c->set_param(Text(view_.get(op.params)[static_cast<size_t>(cond.param)].name));
      }
      const auto names = cond.key == opdb::CondKey::kEncoding ? opdb::EncodingNames(cond.mask)
                                                              : opdb::DtypeNames(cond.mask);
      for (const std::string& name : names) c->add_names(name);
      for (const int64_t v : view_.get(cond.ints)) c->add_numbers(v);
    }
    for (const auto& arg : view_.get(row.args)) {
      Arg(describe, row, arg,
          (*out.mutable_args()->mutable_fields())[std::string(opdb::ArgKeyName(arg.key))]);
    }
    for (const auto& alt : view_.get(row.alternatives)) {
      auto* alternative = out.add_any_of();
      for (const auto& inner : view_.all_of(alt)) {
        Constraint(describe, op, inner, *alternative->add_all_of());
      }
    }
    Sources(row.sources, out);
    out.set_note(Text(row.note));
    out.set_profile(Text(row.profile));
    out.set_text(describe.Constraint(row));
  }

  void Names(const std::vector<std::string>& names, pb::Value& out) const {
    for (const std::string& name : names) {
      out.mutable_list_value()->add_values()->set_string_value(name);
    }
  }

  void Arg(const opdb::Describer& describe, const opdb::ConstraintRow& of, const opdb::ArgRow& row,
           pb::Value& out) const {
    switch (row.type) {
      case ArgType::kFlag:
        out.set_bool_value(row.v.i != 0);
        break;
      case ArgType::kInt:
        if (row.key == opdb::ArgKey::kDtype) {
          out.set_string_value(std::string(DtypeName(static_cast<Dtype>(row.v.i))));
        } else if (row.key == opdb::ArgKey::kArch) {
          out.set_string_value(archs_[static_cast<size_t>(row.v.i)]);
        } else {
          out.set_number_value(static_cast<double>(row.v.i));
        }
        break;
      case ArgType::kReal:
        out.set_number_value(row.v.d);
        break;
      case ArgType::kString:
        out.set_string_value(Text(view_.get(Slice<opdb::Str>{row.a, 1})[0]));
        break;
      case ArgType::kPort:
        out.set_string_value(describe.Port(static_cast<int>(row.v.i), 0));
        break;
      case ArgType::kDtypeMask:
        Names(opdb::DtypeNames(static_cast<DtypeMask>(row.v.i)), out);
        break;
      case ArgType::kEncMask:
        Names(opdb::EncodingNames(static_cast<EncodingMask>(row.v.i)), out);
        break;
      case ArgType::kInts:
        out.mutable_list_value();
        for (const int64_t v : view_.get(Slice<int64_t>{row.a, row.b})) {
          auto* value = out.mutable_list_value()->add_values();
          if (of.kind == opdb::Kind::kBiasScale && row.key == opdb::ArgKey::kAs) {
            value->set_string_value(describe.Port(static_cast<int>(v)));
          } else {
            value->set_number_value(static_cast<double>(v));
          }
        }
        break;
      case ArgType::kReals:
        for (const double v : view_.get(Slice<double>{row.a, row.b})) {
          out.mutable_list_value()->add_values()->set_number_value(v);
        }
        break;
      case ArgType::kStrings:
        for (const opdb::Str s : view_.get(Slice<opdb::Str>{row.a, row.b})) {
          out.mutable_list_value()->add_values()->set_string_value(Text(s));
        }
        break;
      case ArgType::kExpr:
        out.set_string_value(describe.Expr({row.a, row.b}));
        break;
      case ArgType::kExprs:
        for (const auto& expr : view_.get(Slice<Slice<opdb::ExprOp>>{row.a, row.b})) {
          out.mutable_list_value()->add_values()->set_string_value(describe.Expr(expr));
        }
        break;
    }
  }

  const View& view_;
  std::vector<std::string> archs_;
};

}  // namespace

absl::StatusOr<std::string> DumpBinary(const View& view) {
  const v1::Database database = Dumper(view).Run();
  std::string bytes;
  {
    pb::io::StringOutputStream stream(&bytes);
    pb::io::CodedOutputStream out(&stream);
    out.SetSerializationDeterministic(true);  // maps by key
    if (!database.SerializeToCodedStream(&out)) {
      return absl::InternalError("the database can't be serialized");
    }
  }
  return bytes;
}

absl::StatusOr<std::string> DumpJson(const View& view) {
  // From the bytes, where maps have an order, not from the message, where they have none.
  auto bytes = DumpBinary(view);
  if (!bytes.ok()) return bytes.status();
  const pb::Descriptor* descriptor = v1::Database::descriptor();
  const std::unique_ptr<pb::util::TypeResolver> resolver(pb::util::NewTypeResolverForDescriptorPool(
      "type.googleapis.com", descriptor->file()->pool()));
  pb::util::JsonPrintOptions options;
  options.add_whitespace = true;
  options.preserve_proto_field_names = true;
  std::string json;
  const auto status = pb::util::BinaryToJsonString(
      resolver.get(), absl::StrCat("type.googleapis.com/", descriptor->full_name()), *bytes, &json,
      options);
  if (!status.ok()) return absl::InternalError(status.ToString());
  return json;
}

}  // namespace quantgate::opdefs
