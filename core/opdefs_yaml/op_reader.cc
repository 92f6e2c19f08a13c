#include "core/opdefs_yaml/op_reader.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/opdb/image.h"
#include "core/opdefs_yaml/constraint_reader.h"
#include "core/opdefs_yaml/symbols.h"
#include "core/types/nearest.h"

namespace quantgate::opdefs {
namespace {

absl::string_view Absl(std::string_view s) { return {s.data(), s.size()}; }

bool Overlap(const opdb::Range& a, const opdb::Range& b) {
  return std::max(a.since, b.since) < std::min(a.until, b.until) && (a.archs & b.archs) != 0;
}

class OpReader {
 public:
  OpReader(const Reporter& reporter, const Ir& ir, const Backend& backend)
      : reporter_(reporter), symbols_(ir, backend, op_) {}

  // `known`: the op of the database below, for a file that extends it; null = there is none.
  Op Read(MapReader& map, const Op* known) {
    if (const Node* extends = map.find("extends"); map.flag("extends").value_or(false)) {
      if (known == nullptr) {
        reporter_.At(*extends, "there is no such op to extend");
        return std::move(op_);
      }
      op_ = *known;
      for (std::string& source : symbols_.Sources(map, true)) {
        if (std::find(op_.sources.begin(), op_.sources.end(), source) == op_.sources.end()) {
          op_.sources.push_back(std::move(source));
        }
      }
      ReadVariants(map);
      ReadConstraints(map);
      map.Finish();
      return std::move(op_);
    }
    op_.sources = symbols_.Sources(map, true);
    op_.range = symbols_.Range(map);
    ReadPorts(map, "inputs", true);
    ReadPorts(map, "outputs", false);
    ReadParams(map);
    ReadVariants(map);
    ReadConstraints(map);
    ReadExamples(map);
    map.Finish();
    return std::move(op_);
  }

 private:
  void ReadPorts(MapReader& map, std::string_view key, bool inputs) {
    map.need(key);
    bool variadic = false;
    int next = 0;
    for (const Node* node : map.list(key)) {
      MapReader entry(*node, "a port", reporter_);
      if (!entry.ok()) continue;
      Port port;
      const Node* name = entry.need("port");
      port.role = entry.text("role").value_or("");
      if (entry.flag("optional").value_or(false)) port.flags |= opdb::kPortOptional;
      port.channel_axis = static_cast<int8_t>(entry.integer("channel_axis", -8, 7).value_or(-128));
      entry.Finish();
      if (name == nullptr) continue;
      PortName given{.first = -1};
      if (const auto parsed = ParsePortName(name->text)) given = *parsed;
      const std::string expected = absl::StrCat(inputs ? "in[" : "out[", next, "]");
      if (given.input != inputs || given.first != next) {
        reporter_.At(*name,
                     absl::StrCat("port ", Quoted(name->text), ": expected ", expected, " here"));
        continue;
      }
      if (variadic) reporter_.At(*name, "a variadic port must be the last one");
      if (op_.ports.size() >= opdb::kMaxPorts) {
        reporter_.At(*name, absl::StrCat("more than ", opdb::kMaxPorts, " ports"));
        return;
      }
      variadic = given.variadic;
      if (variadic) port.flags |= opdb::kPortVariadic;
      port.first = given.first;
      port.name = name->text;
      ++next;
      op_.ports.push_back(std::move(port));
      ++(inputs ? op_.input_count : op_.output_count);
    }
  }

  void ReadParams(MapReader& map) {
    for (const Node* node : map.list("params")) {
      MapReader entry(*node, "a param", reporter_);
      if (!entry.ok()) continue;
      Param param;
      if (entry.need("name") != nullptr) param.name = entry.text("name").value_or("");
      if (const Node* dtype = entry.need("dtype")) {
        // UNDEFINED: the dtype follows a tensor of the op.
        param.dtype = dtype->text == "UNDEFINED"
                          ? Dtype::kUndefined
                          : OneDtype(*dtype, reporter_).value_or(Dtype::kUndefined);
      }
      param.rank = static_cast<int8_t>(entry.integer("rank", 0, 8).value_or(-1));
      param.required = entry.flag("required").value_or(false);
      ReadValueNames(entry, param);
      if (const Node* value = entry.find("default"); value != nullptr && !value->is_null()) {
        ReadDefault(*value, param);
        if (param.required) reporter_.At(*value, "a required param has no default");
      }
      entry.Finish();
      if (param.name.find('[') != std::string::npos || param.name == "all") {
        reporter_.At(*node, absl::StrCat(Quoted(param.name), " is no name of a param"));
      }
      if (symbols_.FindParam(param.name)) {
        reporter_.At(*node, absl::StrCat("duplicate param ", Quoted(param.name)));
        continue;
      }
      if (op_.params.size() >= opdb::kMaxParams) {
        reporter_.At(*node, absl::StrCat("more than ", opdb::kMaxParams, " params"));
        return;
      }
      op_.params.push_back(std::move(param));
    }
  }

  void ReadValueNames(MapReader& entry, Param& param) {
    const Node* values = entry.find("values");
    if (values == nullptr) return;
    if (!values->is_map()) {
      reporter_.At(*values, "`values` must be a map {NAME: number}");
      return;
    }
    for (const Node& child : values->children) {
      const auto number = child.integer();
      if (!number) {
        reporter_.At(child, "the value of a name must be a whole number");
        continue;
      }
      param.values.emplace_back(child.key, *number);
    }
  }

  // A number, name or nested list of them, row-major.
  void ReadDefault(const Node& node, Param& param) {
    if (node.is_list()) {
      for (const Node& child : node.children) ReadDefault(child, param);
      return;
    }
    if (IsFloat(param.dtype) || (param.dtype == Dtype::kUndefined && !node.integer())) {
      if (const auto real = node.real()) {
        param.default_reals.push_back(*real);
      } else {
        reporter_.At(node, "a default must be a number");
      }
      return;
    }
    if (const auto number = ParamNumber(node, param)) {
      param.default_ints.push_back(*number);
    } else {
      reporter_.At(node, ParamNumberError(node, param));
    }
  }

  void ReadVariants(MapReader& map) {
    std::set<std::string> ids;
    std::map<std::pair<uint8_t, std::vector<DtypeMask>>, std::vector<opdb::Range>> rows;
    std::vector<const Node*> places(op_.variants.size(), nullptr);
    for (const Variant& known : op_.variants) {
      ids.insert(known.id);
      rows[{known.group, known.dtypes}].push_back(known.range);
    }
    for (const Node* node : map.list("variants")) {
      MapReader entry(*node, "a variant", reporter_);
      if (!entry.ok()) continue;
      Variant variant;
      if (entry.need("id") != nullptr) variant.id = entry.text("id").value_or("");
      if (!variant.id.empty() && !ids.insert(variant.id).second) {
        reporter_.At(*node, absl::StrCat("duplicate variant id ", Quoted(variant.id)));
      }
      if (entry.need("group") != nullptr)
        variant.group = Group(*node, entry.text("group").value_or(""));
      variant.range = symbols_.Range(entry);
      variant.sources = symbols_.Sources(entry, true);
      ReadVariantConsequence(entry, variant);
      const bool complete = ReadDtypes(entry, variant);
      entry.Finish();
      auto& same = rows[{variant.group, variant.dtypes}];
      if (complete && std::any_of(same.begin(), same.end(), [&](const opdb::Range& other) {
            return Overlap(other, variant.range);
          })) {
        reporter_.At(*node, absl::StrCat("variant ", Quoted(variant.id),
                                         " repeats the dtypes of another of its group and range"));
      }
      same.push_back(variant.range);
      places.push_back(node);
      op_.variants.push_back(std::move(variant));
    }
    WarnOfUnreachable(places);
    CheckPortsAreCovered(map);
  }

  // An earlier row of its group that takes all it takes, for all its targets, and is no worse.
  // Rows that are lists per port are left alone: a shorter list states what goes together.
  void WarnOfUnreachable(const std::vector<const Node*>& places) {
    const auto& all = op_.variants;
    for (size_t i = 0; i < all.size(); ++i) {
      const auto hides = [&](const Variant& other) {
        return other.group == all[i].group && other.range.since <= all[i].range.since &&
               other.range.until >= all[i].range.until &&
               (all[i].range.archs & ~other.range.archs) == 0 &&
               other.consequence <= all[i].consequence &&
               other.undocumented_until <=
                   std::max(all[i].undocumented_until, all[i].range.since) &&
               std::equal(all[i].dtypes.begin(), all[i].dtypes.end(), other.dtypes.begin(),
                          other.dtypes.end(),
                          [](DtypeMask mine, DtypeMask theirs) { return (mine & ~theirs) == 0; });
      };
      if (places[i] == nullptr || all[i].range.since < symbols_.backend().tuples_since) continue;
      const auto end = all.begin() + static_cast<std::ptrdiff_t>(i);
      const auto it = std::find_if(all.begin(), end, hides);
      if (it == end) continue;
      reporter_.Warn(*places[i], absl::StrCat("variant ", Quoted(all[i].id), " is never chosen: ",
                                              Quoted(it->id), " above takes all that it takes"));
    }
  }

  // A port that must be given and that no row takes would refuse every node. `~` for an optional
  // one is a statement: the backend has no use for it.
  void CheckPortsAreCovered(MapReader& map) {
    if (op_.variants.empty()) return;
    for (size_t i = 0; i < op_.ports.size(); ++i) {
      const bool taken =
          std::any_of(op_.variants.begin(), op_.variants.end(), [&](const Variant& variant) {
            return i < variant.dtypes.size() && variant.dtypes[i] != 0;
          });
      if (taken || (op_.ports[i].flags & opdb::kPortOptional) != 0) continue;
      reporter_.At(*map.node().find("variants"),
                   absl::StrCat("no variant takes the required port ", Quoted(op_.ports[i].name),
                                ": list its dtypes, or declare it optional: true"));
    }
  }

  uint8_t Group(const Node& node, const std::string& name) {
    const auto it = std::find(op_.groups.begin(), op_.groups.end(), name);
    if (it != op_.groups.end()) return static_cast<uint8_t>(it - op_.groups.begin());
    if (op_.groups.size() >= opdb::kMaxGroups) {
      reporter_.At(node, absl::StrCat("more than ", opdb::kMaxGroups, " groups"));
      return 0;
    }
    op_.groups.push_back(name);
    return static_cast<uint8_t>(op_.groups.size() - 1);
  }

  void ReadVariantConsequence(MapReader& entry, Variant& variant) {
    if (const Node* node = entry.find("consequence")) {
      if (node->is_scalar() && node->text == "undocumented") {
        variant.consequence = Consequence::kUndocumented;
      } else {
        reporter_.At(*node, "the consequence of a variant can only be undocumented");
      }
    }
    if (const Node* node = entry.find("undocumented_until")) {
      variant.undocumented_until = symbols_.Sdk(*node, reporter_).value_or(0);
      if (variant.undocumented_until != 0 && variant.undocumented_until <= variant.range.since) {
        reporter_.At(*node, "undocumented_until must be above since");
      }
    }
  }

  bool ReadDtypes(MapReader& entry, Variant& variant) {
    const Node* node = entry.need("dtypes");
    if (node == nullptr) return false;
    if (!node->is_list() || node->children.size() != op_.ports.size()) {
      reporter_.At(
          *node,
          absl::StrCat("`dtypes` must be a list of ", op_.ports.size(),
                       " entries, one per declared port, inputs then outputs",
                       node->is_list() ? absl::StrCat("; it has ", node->children.size()) : ""));
      variant.dtypes.assign(op_.ports.size(), 0);
      return false;
    }
    bool good = true;
    for (const Node& child : node->children) {
      if (child.is_null()) {
        variant.dtypes.push_back(0);
        continue;
      }
      const auto mask = DtypeSet(child, reporter_);
      good = good && mask.has_value();
      variant.dtypes.push_back(mask.value_or(0));
    }
    return good;
  }

  void ReadConstraints(MapReader& map) {
    std::set<std::string> ids;
    for (const Constraint& known : op_.constraints) ids.insert(known.id);
    for (const Node* node : map.list("constraints")) {
      Constraint constraint = ConstraintReader(symbols_, reporter_).Read(*node);
      if (!constraint.id.empty() && !ids.insert(constraint.id).second) {
        reporter_.At(*node, absl::StrCat("duplicate constraint id ", Quoted(constraint.id)));
      }
      op_.constraints.push_back(std::move(constraint));
    }
  }

  void ReadExamples(MapReader& map) {
    const auto examples = map.list("examples");
    std::set<std::string> tags;
    for (const Node* node : examples) {
      MapReader entry(*node, "an example", reporter_);
      if (!entry.ok()) continue;
      entry.need("inputs");
      entry.need("outputs");
      CheckShapes(entry, "inputs", op_.input_count, 0);
      CheckShapes(entry, "outputs", op_.output_count, op_.input_count);
      CheckNumbers(entry, "static");
      CheckCounts(entry, "sparse_inputs");
      CheckCounts(entry, "sparse_outputs");
      const std::string tag = entry.text("tag").value_or("");
      if (!tags.insert(tag).second) {
        reporter_.At(*node, absl::StrCat("duplicate tag ", Quoted(tag), " of an example"));
      }
      if (const Node* params = entry.find("params")) {
        if (!params->is_map()) reporter_.At(*params, "`params` must be a map");
        for (const Node& child : params->children) symbols_.Param(child, child.key, reporter_);
      }
      entry.Finish();
    }
    if (!examples.empty()) op_.examples = TreeOf(*map.node().find("examples"));
  }

  // Lists of dims; `~` = a tensor that isn't given.
  void CheckShapes(MapReader& entry, std::string_view key, size_t declared, size_t first) {
    const auto shapes = entry.list(key);
    const bool variadic = declared > 0 && first + declared <= op_.ports.size() &&
                          (op_.ports[first + declared - 1].flags & opdb::kPortVariadic) != 0;
    if (shapes.size() > declared && !variadic) {
      reporter_.At(*shapes[declared], absl::StrCat("more ", Absl(key), " than the op declares"));
    }
    for (const Node* shape : shapes) {
      if (shape->is_null()) continue;
      const bool dims = shape->is_list() && std::all_of(shape->children.begin(),
                                                        shape->children.end(), [](const Node& dim) {
                                                          return dim.integer().value_or(-1) >= 0;
                                                        });
      if (!dims) reporter_.At(*shape, "a shape must be a list of whole numbers");
    }
  }

  void CheckNumbers(MapReader& entry, std::string_view key) {
    for (const Node* node : entry.list(key)) {
      if (node->integer().value_or(-1) < 0) {
        reporter_.At(*node, absl::StrCat("`", Absl(key), "` holds numbers of inputs or outputs"));
      }
    }
  }

  // {number of the input or output: specified elements}
  void CheckCounts(MapReader& entry, std::string_view key) {
    const Node* counts = entry.find(key);
    if (counts == nullptr) return;
    const bool good =
        counts->is_map() &&
        std::all_of(counts->children.begin(), counts->children.end(), [](const Node& child) {
          return child.integer().value_or(-1) >= 0 &&
                 child.key.find_first_not_of("0123456789") == std::string::npos;
        });
    if (!good)
      reporter_.At(*counts, absl::StrCat("`", Absl(key), "` must be a map {number: count}"));
  }

  const Reporter& reporter_;
  Op op_;
  Symbols symbols_;
};

}  // namespace

void ReadOp(const Node& node, std::string_view folder, std::string_view stem,
            const Reporter& reporter, Ir& ir) {
  MapReader map(node, "an op", reporter);
  if (!map.ok()) return;
  const Node* name = map.need("op");
  const Node* backend = map.need("backend");
  if (name == nullptr || backend == nullptr) return;
  if (name->text != stem) {
    reporter.At(*name, absl::StrCat("op ", Quoted(name->text), " in the file of ", Quoted(stem)));
    return;
  }
  if (backend->text != folder) {
    reporter.At(*backend, absl::StrCat("backend ", Quoted(backend->text), " in the folder of ",
                                       Quoted(folder)));
    return;
  }
  const auto it = ir.backends.find(backend->text);
  if (it == ir.backends.end()) {
    std::vector<std::string_view> known;
    for (const auto& [id, row] : ir.backends) known.push_back(id);
    reporter.At(*backend,
                absl::StrCat("unknown backend ", Quoted(backend->text),
                             ": targets.yaml doesn't have it", DidYouMeanOf(backend->text, known)));
    return;
  }
  const auto known = it->second.ops.find(name->text);
  Op op = OpReader(reporter, ir, it->second)
              .Read(map, known == it->second.ops.end() ? nullptr : &known->second);
  it->second.ops[name->text] = std::move(op);
}

}  // namespace quantgate::opdefs
