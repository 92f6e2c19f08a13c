#include "core/database/compile/op_reader.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/absl_view.h"
#include "core/base/nearest.h"
#include "core/database/compile/op_constraints.h"
#include "core/database/compile/rows_reader.h"
#include "core/database/compile/symbols.h"
#include "core/database/image.h"

namespace quantgate::opdefs {
namespace {

bool Overlap(const opdb::Range& a, const opdb::Range& b) {
  return std::max(a.since, b.since) < std::min(a.until, b.until) && (a.archs & b.archs) != 0;
}

class OpReader {
 public:
  OpReader(const Reporter& reporter, const Ir& ir, std::string_view backend, Profiles& profiles)
      : reporter_(reporter),
        evidence_(ir, backend),
        symbols_(ir, ir.backends.find(std::string(backend))->second, op_),
        profiles_(profiles),
        errors_before_(reporter.errors->count()) {}

  // `known`: the op of the database below, for a file that extends it; null = there is none.
  Op Read(MapReader& map, const Op* known) {
    if (const Node* extends = map.find("extends"); map.flag("extends").value_or(false)) {
      if (known == nullptr) {
        reporter_.At(*extends, "there is no such op to extend");
        return std::move(op_);
      }
      op_ = *known;
      sources_ = symbols_.Sources(map, false);
    } else {
      sources_ = symbols_.Sources(map, false);
      ReadRange(map);
      ReadPorts(map, "inputs", true);
      ReadPorts(map, "outputs", false);
      ReadParams(map);
    }
    ReadRows(map);
    OpConstraints constraints(symbols_, evidence_, sources_, profiles_, reporter_);
    constraints.Read(map, op_.constraints);
    if (map.find("extends") == nullptr) ReadExamples(map);
    map.Finish();
    op_.sources = SourcesOfOp();
    return std::move(op_);
  }

 private:
  void ReadRange(MapReader& map) {
    if (const Node* sdk = map.find("sdk")) {
      const auto range = SdkRange(sdk->text, *sdk, symbols_.ir(), symbols_.backend(), reporter_);
      if (range) {
        op_.range.since = range->first;
        op_.range.until = range->second;
      }
    }
    op_.range.archs = symbols_.ArchsOf(map);
  }

  // Roles by position: `activation`, or {role: bias, optional: true}; one activation where the file
  // has no such list.
  void ReadPorts(MapReader& map, std::string_view key, bool inputs) {
    if (map.find(key) == nullptr) {
      AddPort({.name = {}, .role = "activation"}, 0, inputs);
      return;
    }
    bool variadic = false;
    int next = 0;
    for (const Node* node : map.list(key)) {
      if (variadic) {
        reporter_.At(*node, "a variadic port must be the last one");
        return;
      }
      if (op_.ports.size() >= opdb::kMaxPorts) {
        reporter_.At(*node, absl::StrCat("more than ", opdb::kMaxPorts, " ports"));
        return;
      }
      Port port;
      if (node->is_scalar()) {
        port.role = node->text;
      } else {
        MapReader entry(*node, "a port", reporter_);
        port.role = entry.text("role").value_or("");
        variadic = entry.flag("variadic").value_or(false);
        if (entry.flag("optional").value_or(false)) port.flags |= opdb::kPortOptional;
        port.channel_axis =
            static_cast<int8_t>(entry.integer("channel_axis", -8, 7).value_or(-128));
        entry.Finish();
      }
      if (variadic) port.flags |= opdb::kPortVariadic;
      AddPort(std::move(port), next++, inputs);
    }
  }

  void AddPort(Port port, int first, bool input) {
    port.first = first;
    port.name = absl::StrCat(input ? "in[" : "out[", first,
                             (port.flags & opdb::kPortVariadic) != 0 ? "..m]" : "]");
    op_.ports.push_back(std::move(port));
    ++(input ? op_.input_count : op_.output_count);
  }

  // {name: dtype} or {name: {dtype: ..., required: true}}.
  void ReadParams(MapReader& map) {
    const Node* params = map.find("params");
    if (params == nullptr) return;
    if (!params->is_map()) {
      reporter_.At(*params, "`params` must be a map {name: dtype}");
      return;
    }
    for (const Node& node : params->children) {
      Param param;
      param.name = node.key;
      if (node.is_scalar()) {
        param.dtype = ParamDtype(node);
      } else {
        MapReader entry(node, "a param", reporter_);
        if (!entry.ok()) continue;
        if (const Node* dtype = entry.need("dtype")) param.dtype = ParamDtype(*dtype);
        param.rank = static_cast<int8_t>(entry.integer("rank", 0, 8).value_or(-1));
        param.required = entry.flag("required").value_or(false);
        ReadValueNames(entry, param);
        if (const Node* value = entry.find("default"); value != nullptr && !value->is_null()) {
          ReadDefault(*value, param);
          if (param.required) reporter_.At(*value, "a required param has no default");
        }
        entry.Finish();
      }
      if (param.name.find('[') != std::string::npos || param.name == "all" || param.name == "op" ||
          !PortNameOf(param.name).empty()) {
        reporter_.AtKey(node, absl::StrCat(Quoted(param.name), " is no name of a param"));
      }
      if (op_.params.size() >= opdb::kMaxParams) {
        reporter_.AtKey(node, absl::StrCat("more than ", opdb::kMaxParams, " params"));
        return;
      }
      op_.params.push_back(std::move(param));
    }
  }

  // UNDEFINED: the dtype follows a tensor of the op.
  Dtype ParamDtype(const Node& node) {
    if (node.is_scalar() && node.text == "UNDEFINED") return Dtype::kUndefined;
    return OneDtype(node, reporter_).value_or(Dtype::kUndefined);
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

  void ReadRows(MapReader& map) {
    std::set<std::string> ids;
    std::map<std::pair<uint8_t, std::vector<DtypeMask>>, std::vector<opdb::Range>> known_rows;
    std::vector<const Node*> places(op_.variants.size(), nullptr);
    for (const Variant& known : op_.variants) {
      ids.insert(known.id);
      known_rows[{known.group, known.dtypes}].push_back(known.range);
    }
    const Node* node = map.find("rows");
    if (node == nullptr) return;
    for (ReadRow& row : RowsReader(symbols_, evidence_, sources_, reporter_).Read(*node)) {
      Variant& variant = row.variant;
      if (!ids.insert(variant.id).second) {
        reporter_.AtKey(*row.place, absl::StrCat("duplicate row ", Quoted(variant.id)));
      }
      variant.group = Group(*row.place, row.group);
      auto& same = known_rows[{variant.group, variant.dtypes}];
      if (std::any_of(same.begin(), same.end(),
                      [&](const opdb::Range& other) { return Overlap(other, variant.range); })) {
        reporter_.AtKey(*row.place,
                        absl::StrCat("row ", Quoted(variant.id),
                                     " repeats the dtypes of another of its group and range"));
      }
      same.push_back(variant.range);
      places.push_back(row.place);
      op_.variants.push_back(std::move(variant));
    }
    SortByGroup(places);
    WarnOfUnreachable(places);
    CheckPortsAreCovered(*node);
  }

  // Rows of a group stand together, groups in the order in which they first appear.
  void SortByGroup(std::vector<const Node*>& places) {
    std::vector<size_t> order(op_.variants.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return op_.variants[a].group < op_.variants[b].group;
    });
    std::vector<Variant> rows;
    std::vector<const Node*> sorted;
    for (const size_t i : order) {
      rows.push_back(std::move(op_.variants[i]));
      sorted.push_back(places[i]);
    }
    op_.variants = std::move(rows);
    places = std::move(sorted);
  }

  // An earlier row of its group that accepts all it accepts, for all its targets, and is no worse.
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
      reporter_.Warn(*places[i],
                     absl::StrCat("row ", Quoted(all[i].id), " is never chosen: ", Quoted(it->id),
                                  " above accepts all that it accepts"));
    }
  }

  // A port that must be given and that no row accepts would refuse every node. `~` for an optional
  // one is a statement: the backend has no use for it.
  void CheckPortsAreCovered(const Node& rows) {
    if (op_.variants.empty() || reporter_.errors->count() != errors_before_) return;
    for (size_t i = 0; i < op_.ports.size(); ++i) {
      const bool accepted =
          std::any_of(op_.variants.begin(), op_.variants.end(), [&](const Variant& variant) {
            return i < variant.dtypes.size() && variant.dtypes[i] != 0;
          });
      if (accepted || (op_.ports[i].flags & opdb::kPortOptional) != 0) continue;
      reporter_.AtKey(rows,
                      absl::StrCat("no row accepts the required port ", Quoted(op_.ports[i].name),
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

  void ReadExamples(MapReader& map) {
    std::set<std::string> tags;
    Tree all;
    all.type = opdb::TreeType::kList;
    all.key = "examples";
    for (const Node* written : map.list("examples")) {
      for (const Node& example : ExpandValues(*written)) {
        CheckExample(example, tags);
        all.children.push_back(TreeOf(example));
      }
    }
    if (!all.children.empty()) op_.examples = std::move(all);
  }

  // `each: operation`: one example for each value that the param has a name for, tagged by it
  // (FLOOR_DIV: FloorDiv, unless `tags` gives another).
  std::vector<Node> ExpandValues(const Node& node) {
    const Node* each = node.is_map() ? node.find("each") : nullptr;
    if (each == nullptr) return {node};
    const auto index = symbols_.Param(*each, each->text, reporter_);
    if (!index) return {};
    const Param& param = op_.params[static_cast<size_t>(*index)];
    if (param.values.empty()) {
      reporter_.At(*each, absl::StrCat(Quoted(param.name), " has no named values"));
      return {};
    }
    const Node* tags = node.find("tags");
    if (tags != nullptr) CheckTags(*tags, param);
    std::vector<Node> out;
    for (const auto& [name, value] : param.values) {
      Node copy = node;
      std::erase_if(copy.children,
                    [](const Node& child) { return child.key == "each" || child.key == "tags"; });
      const Node* tag = tags == nullptr ? nullptr : tags->find(name);
      copy.children.push_back(
          ScalarNode(copy, tag == nullptr ? CamelCase(name) : tag->text, "tag"));
      auto params = std::find_if(copy.children.begin(), copy.children.end(),
                                 [](const Node& child) { return child.key == "params"; });
      if (params == copy.children.end()) {
        Node& map = copy.children.emplace_back();
        map.kind = Node::Kind::kMap;
        map.key = "params";
        params = copy.children.end() - 1;
      }
      params->children.push_back(ScalarNode(*params, absl::StrCat(value), param.name));
      out.push_back(std::move(copy));
    }
    return out;
  }
  // {VALUE: tag}
  void CheckTags(const Node& tags, const Param& param) {
    if (!tags.is_map()) reporter_.At(tags, "`tags` must be a map {VALUE: tag}");
    std::vector<std::string_view> names;
    for (const auto& [name, value] : param.values) names.push_back(name);
    for (const Node& tag : tags.children) {
      if (std::find(names.begin(), names.end(), tag.key) != names.end()) continue;
      reporter_.AtKey(tag, absl::StrCat("unknown value ", Quoted(tag.key), " of ", param.name,
                                        DidYouMeanOf(tag.key, names)));
    }
  }
  static std::string CamelCase(std::string_view name) {
    std::string out;
    bool first = true;
    for (const char c : name) {
      if (c == '_') {
        first = true;
        continue;
      }
      out += first ? c : static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
      first = false;
    }
    return out;
  }

  void CheckExample(const Node& example, std::set<std::string>& tags) {
    const Node* node = &example;
    {
      MapReader entry(*node, "an example", reporter_);
      if (!entry.ok()) return;
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

  // All that its rows and constraints rest on, in the order of sources.yaml.
  std::vector<std::string> SourcesOfOp() const {
    std::set<std::string> used;
    for (const Variant& row : op_.variants) used.insert(row.sources.begin(), row.sources.end());
    for (const Constraint& one : op_.constraints) {
      used.insert(one.sources.begin(), one.sources.end());
    }
    if (used.empty()) return evidence_.SourcesOf({}, true);
    return {used.begin(), used.end()};
  }

  const Reporter& reporter_;
  const Evidence evidence_;
  Op op_;
  Symbols symbols_;
  Profiles& profiles_;
  std::vector<std::string> sources_;
  const size_t errors_before_;
};

}  // namespace

void ReadOp(const Node& node, std::string_view folder, std::string_view stem,
            const Reporter& reporter, Profiles& profiles, Ir& ir) {
  MapReader map(node, "an op", reporter);
  if (!map.ok()) return;
  const Node* name = map.need("op");
  if (name == nullptr) return;
  if (name->text != stem) {
    reporter.At(*name, absl::StrCat("op ", Quoted(name->text), " in the file of ", Quoted(stem)));
    return;
  }
  const auto it = ir.backends.find(std::string(folder));
  if (it == ir.backends.end()) {
    std::vector<std::string_view> known;
    for (const auto& [id, row] : ir.backends) known.push_back(id);
    reporter.At(node, absl::StrCat("unknown backend ", Quoted(folder),
                                   ": targets.yaml doesn't have it", DidYouMeanOf(folder, known)));
    return;
  }
  const auto known = it->second.ops.find(name->text);
  Op op = OpReader(reporter, ir, folder, profiles)
              .Read(map, known == it->second.ops.end() ? nullptr : &known->second);
  it->second.ops[name->text] = std::move(op);
}

}  // namespace quantgate::opdefs
