#include "core/lower/encodings/recipe.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <regex>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "core/base/nearest.h"
#include "core/database/conditions.h"
#include "core/ir/graph_ends.h"
#include "core/lower/encodings/tensor_roles.h"
#include "core/lower/resolve/mapping.h"
#include "core/rules/raise.h"
#include "core/rules/support/format.h"
#include "quantgate/dtype.h"
#include "quantgate/rule.h"

namespace quantgate {
namespace {

constexpr std::string_view kFallback = "fallback";
// Longer ones are nobody's names, and matching takes time in proportion to both; of a pattern its
// length when counted repeats are written out.
constexpr size_t kLongestPattern = 512;
constexpr size_t kLongestWrittenOut = 2048;
constexpr size_t kLongestName = 512;
constexpr size_t kHintedNames = 10000;

#ifdef __GLIBCXX__
// Without it libstdc++ matches by trying all ways, which may take for ever.
constexpr auto kSyntax = std::regex::ECMAScript | std::regex_constants::__polynomial;
#else
constexpr auto kSyntax = std::regex::ECMAScript;
#endif

// At most, and no further than the longest: every count as if it stood for the whole pattern.
// "a{2}b{,3}" is 9 * 2 * 3. Of a pattern without huge numbers, which from_chars would pass over.
size_t LengthWrittenOut(std::string_view pattern) {
  constexpr size_t kTooLong = kLongestWrittenOut + 1;
  const char* const end = pattern.data() + pattern.size();
  size_t length = std::min(pattern.size(), kTooLong);
  for (const char* at = pattern.data(); (at = std::find(at, end, '{')) != end;) {
    do {
      size_t count = 0;
      at = std::from_chars(at + 1, end, count).ptr;
      length = std::min(length * std::clamp<size_t>(count, 1, kTooLong), kTooLong);
    } while (at != end && *at == ',');
  }
  return length;
}

// std::regex reads the number of a back reference without looking at its size.
bool HasHugeNumber(std::string_view pattern) {
  constexpr size_t kLongestNumber = 9;  // digits
  size_t digits = 0;
  for (const char c : pattern) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits > kLongestNumber) return true;
  }
  return false;
}

std::optional<std::regex> Compile(const std::string& pattern) {
  if (pattern.size() > kLongestPattern || HasHugeNumber(pattern) ||
      LengthWrittenOut(pattern) > kLongestWrittenOut) {
    return std::nullopt;
  }
  try {
    return std::regex(pattern, kSyntax);
  } catch (const std::regex_error&) {
    return std::nullopt;
  }
}

bool Fits(const std::regex& pattern, const std::string& name) {
  try {
    return name.size() <= kLongestName && std::regex_match(name, pattern);
  } catch (const std::regex_error&) {
    return false;
  }
}

// A linear layer of the model.
struct Layer {
  size_t node = 0;
  opdb::Tree form;
  int64_t in = kDynamicDim, out = kDynamicDim;
};

struct Pattern {
  const RecipeEntry* entry = nullptr;
  std::optional<std::regex> regex;  // absent: no regular expression
  bool fallback = false, used = false;
};

class Applying {
 public:
  Applying(const EncodingsFile& file, Model& model, const Database& database)
      : file_(file),
        recipe_(*file.recipe),
        model_(model),
        document_(database.view().Document("recipes/mllm")),
        mapping_(database.view(), absl::StrCat("resolve/", std::string(DialectName(model.dialect))),
                 nullptr),
        roles_(model, mapping_) {}

  std::vector<Finding> Run() {
    Sort();
    FindLayers();
    ReportUnread();
    SetOthersAside();
    size_t built = 0;
    for (const Layer& layer : layers_) built += Visit(layer) ? 1 : 0;
    DropTensors();
    FillGraphEnds(model_);
    ReportUnmatched();
    AddNotes(built);
    return std::move(findings_);
  }

 private:
  // In the order of mllm's map: by pattern.
  void Sort() {
    for (const RecipeEntry& entry : recipe_.entries) {
      if (!opdb::Lists(document_["sections"], entry.section)) continue;
      Pattern& pattern = patterns_.emplace_back();
      pattern.entry = &entry;
      pattern.fallback = entry.pattern == kFallback;
      if (!pattern.fallback) pattern.regex = Compile(entry.pattern);
    }
    std::stable_sort(patterns_.begin(), patterns_.end(), [](const Pattern& a, const Pattern& b) {
      return a.entry->pattern < b.entry->pattern;
    });
  }

  // ---- layers of the model -------------------------------------------------------------------

  void FindLayers() {
    for (size_t n = 0; n < model_.nodes.size(); ++n) {
      const Node& node = model_.nodes[n];
      const opdb::Tree known =
          node.domain.empty() && node.unchecked_reason.empty()
              ? document_["layers"][DialectName(model_.DialectOf(node))][node.op]
              : opdb::Tree();
      if (known) AddLayer(n, known);
    }
  }

  void AddLayer(size_t n, opdb::Tree known) {
    const Node& node = model_.nodes[n];
    const auto port = static_cast<size_t>(known["weight"].integer().value_or(0));
    if (port >= node.inputs.size() || node.inputs[port] == kNoTensor) return;
    TensorId id = node.inputs[port];
    // The weight may come through the DequantizeLinear that the file has for it.
    const FileTensorRole& role = roles_.of(id);
    if (role.producer >= 0 && role.producer == role.quantizer) id = role.quantized_by;
    const Tensor& weight = model_.tensors[static_cast<size_t>(id)];
    if (!weight.is_static) return;
    Layer layer{n, document_["forms"][known["form"].str()]};
    if (!weight.unknown_rank) {
      const opdb::Tree ones = known["unit_axes"];
      for (size_t i = 0; i < ones.size(); ++i) {
        if (Dim(weight, ones.at(i)) != 1) return;
      }
      layer.in = Dim(weight, known["input_axis"]);
      layer.out = Dim(weight, known["output_axis"]);
      if (Swapped(node, known["swapped_by"].str())) std::swap(layer.in, layer.out);
    }
    layers_.push_back(layer);
  }

  static int64_t Dim(const Tensor& tensor, opdb::Tree axis) {
    const int64_t rank = tensor.rank();
    int64_t at = axis.integer().value_or(rank);
    if (at < 0) at += rank;
    return at < 0 || at >= rank ? kDynamicDim : tensor.dims[static_cast<size_t>(at)];
  }

  static bool Swapped(const Node& node, std::string_view attribute) {
    const Param* param = attribute.empty() ? nullptr : node.FindParam(attribute);
    const auto values = param == nullptr ? std::nullopt : IntsOf(param->value);
    return values && !values->empty() && values->front() != 0;
  }

  // All other nodes are unchecked, and a layer takes nothing from them.
  void SetOthersAside() {
    std::vector<bool> is_layer(model_.nodes.size());
    for (const Layer& layer : layers_) is_layer[layer.node] = true;
    for (size_t n = 0; n < model_.nodes.size(); ++n) {
      Node& node = model_.nodes[n];
      node.dialect.reset();
      node.domain = {};
      if (is_layer[n]) {
        node.inputs.clear();
        node.outputs.clear();
        continue;
      }
      node.unchecked_reason = "no linear layer: the recipe says nothing of it";
      const auto keep = [&](TensorId id) {
        if (id != kNoTensor) names_.insert(model_.tensors[static_cast<size_t>(id)].name);
      };
      std::for_each(node.inputs.begin(), node.inputs.end(), keep);
      std::for_each(node.outputs.begin(), node.outputs.end(), keep);
    }
    model_.dialect = Dialect::kQnn;
    model_.inputs.clear();
    model_.outputs.clear();
  }

  // Those of the file that no node has any more.
  void DropTensors() {
    std::vector<TensorId> now(model_.tensors.size(), kNoTensor);
    std::vector<Tensor> kept;
    const auto move = [&](TensorId& id) {
      if (id == kNoTensor) return;
      const auto old = static_cast<size_t>(id);
      if (now[old] == kNoTensor) {
        now[old] = static_cast<TensorId>(kept.size());
        kept.push_back(std::move(model_.tensors[old]));
      }
      id = now[old];
    };
    for (Node& node : model_.nodes) {
      std::for_each(node.inputs.begin(), node.inputs.end(), move);
      std::for_each(node.outputs.begin(), node.outputs.end(), move);
    }
    std::for_each(model_.inputs.begin(), model_.inputs.end(), move);
    std::for_each(model_.outputs.begin(), model_.outputs.end(), move);
    model_.tensors = std::move(kept);
  }

  // ---- findings ------------------------------------------------------------------------------

  Finding& Add(RuleId rule, Consequence consequence, std::string message, std::string found,
               std::string allowed, std::string fix) {
    Finding& finding = findings_.emplace_back(rules::Raise(rule, consequence, std::move(message)));
    finding.found = std::move(found);
    finding.allowed = std::move(allowed);
    finding.fixes.push_back(rules::UnsafeFix(std::move(fix)));
    return finding;
  }

  // Of a layer; nothing is built of it.
  void Refuse(const Layer& layer, RuleId rule, Consequence consequence, std::string message,
              std::string found, std::string allowed, std::string fix) {
    Node& node = model_.nodes[layer.node];
    Finding& finding = Add(rule, consequence, std::move(message), std::move(found),
                           std::move(allowed), std::move(fix));
    finding.node_index = static_cast<int32_t>(layer.node);
    finding.node = node.name;
    finding.op = node.op;
    node.unchecked_reason = "nothing is built of it by the recipe";
  }

  std::string At(const RecipeEntry& entry) const {
    const std::string where =
        entry.line > 1 ? fmt::format("{}:{}", file_.source, entry.line) : file_.source;
    return fmt::format("{}: {} \"{}\"", where, entry.section, entry.pattern);
  }

  // ---- one layer -----------------------------------------------------------------------------

  // The first pattern that fits, else the fallback.
  const RecipeEntry* EntryFor(const std::string& name) {
    Pattern* fallback = nullptr;
    for (Pattern& pattern : patterns_) {
      if (pattern.fallback) {
        fallback = &pattern;
      } else if (pattern.regex && Fits(*pattern.regex, name)) {
        pattern.used = true;
        return pattern.entry;
      }
    }
    if (fallback != nullptr) fallback->used = true;
    return fallback == nullptr ? nullptr : fallback->entry;
  }

  bool Visit(const Layer& layer) {
    const RecipeEntry* entry = EntryFor(model_.nodes[layer.node].name);
    if (entry == nullptr) {
      Refuse(layer, rules::kNoRecipe, Consequence::kRejected,
             fmt::format("{}: no pattern fits the layer, and there is no fallback", file_.source),
             "a layer without a recipe", "a pattern that fits, or a fallback",
             "add \"fallback\" to the section");
      return false;
    }
    const opdb::Tree precision = PrecisionOf(layer, *entry);
    if (!precision || !CheckGroup(layer, *entry)) return false;
    Build(layer, *entry, precision);
    return true;
  }

  void RefuseValue(const Layer& layer, const RecipeEntry& entry, std::string_view field,
                   const std::optional<std::string>& value, opdb::Tree known) {
    std::vector<std::string> names;
    for (size_t i = 0; i < known.size(); ++i) names.emplace_back(known.at(i).key());
    std::string hint;
    if (value) hint = DidYouMeanOf(*value, names);
    Refuse(layer, rules::kUnknownRecipe, Consequence::kRejected,
           value ? fmt::format("{}: {} \"{}\" is not known{}", At(entry), field, *value, hint)
                 : fmt::format("{}: {} is missing", At(entry), field),
           value ? fmt::format("{} {}", field, *value) : fmt::format("no {}", field),
           rules::Join(names), fmt::format("use {} {}", field, rules::Join(names)));
  }

  // Null where the layer is refused.
  opdb::Tree PrecisionOf(const Layer& layer, const RecipeEntry& entry) {
    const opdb::Tree methods = document_["methods"];
    const opdb::Tree method = entry.method ? methods[*entry.method] : opdb::Tree();
    if (!method) {
      RefuseValue(layer, entry, "method", entry.method, methods);
      return {};
    }
    const opdb::Tree precision = entry.precision ? method[*entry.precision] : opdb::Tree();
    if (!precision) {
      RefuseValue(layer, entry, "precision", entry.precision, method);
      return {};
    }
    if (!entry.sym.value_or(false)) {
      Refuse(layer, rules::kUnknownRecipe, Consequence::kRejected,
             fmt::format("{}: {}; only symmetric weights are built", At(entry),
                         entry.sym ? "sym is false" : "sym is missing"),
             entry.sym ? "sym false" : "no sym", "sym true", "set sym to true");
      return {};
    }
    return precision;
  }

  bool CheckGroup(const Layer& layer, const RecipeEntry& entry) {
    if (!entry.block_size) {
      RefuseGroup(layer, entry, "block_size is missing", "no block_size");
      return false;
    }
    const int64_t block = *entry.block_size;
    if (layer.in <= 0 || layer.out <= 0) {
      Refuse(layer, rules::kRecipeShape, Consequence::kUnchecked,
             fmt::format("{}: the shape of the layer's weight is not known", At(entry)),
             fmt::format("in {}, out {}", Size(layer.in), Size(layer.out)),
             "fixed numbers of input and output channels", "give the weight's shape");
      return false;
    }
    if (layer.in % block != 0) {
      RefuseGroup(
          layer, entry,
          fmt::format("groups of {} do not divide the layer's {} input channels", block, layer.in),
          fmt::format("block_size {}", block), layer.in);
      return false;
    }
    const std::vector<int64_t> groups = Numbers(layer.form["groups"]);
    if (std::find(groups.begin(), groups.end(), block) == groups.end()) {
      RefuseGroup(layer, entry, fmt::format("no layer kind has groups of {}", block),
                  fmt::format("block_size {}", block));
      return false;
    }
    return true;
  }

  static std::string Size(int64_t size) {
    return size <= 0 ? std::string("not known") : fmt::format("{}", size);
  }

  // `divided`: what the groups have to divide, if it comes to that.
  void RefuseGroup(const Layer& layer, const RecipeEntry& entry, std::string message,
                   std::string found, int64_t divided = 0) {
    std::vector<int64_t> groups = Numbers(layer.form["groups"]);
    if (divided > 0) std::erase_if(groups, [&](int64_t group) { return divided % group != 0; });
    const std::string allowed = groups.empty()
                                    ? std::string("none of the known group sizes divides them")
                                    : rules::NumberList(groups);
    Refuse(layer, rules::kRecipeGroup, Consequence::kRejected,
           fmt::format("{}: {}", At(entry), message), std::move(found), allowed,
           groups.empty() ? "pad the input channels, or leave the layer out"
                          : fmt::format("use block_size {}", allowed));
  }

  static std::vector<int64_t> Numbers(opdb::Tree list) {
    std::vector<int64_t> numbers;
    for (size_t i = 0; i < list.size(); ++i) numbers.push_back(list.at(i).integer().value_or(0));
    return numbers;
  }

  // ---- what is built -------------------------------------------------------------------------

  Tensor& AddTensor(const Layer& layer, std::string_view port, opdb::Tree shape) {
    const std::string base =
        absl::StrCat(model_.nodes[layer.node].name.str(), ".", std::string(port));
    std::string name = base;
    for (int i = 2; !names_.insert(name).second; ++i) name = absl::StrCat(base, "#", i);
    Tensor& tensor = model_.tensors.emplace_back();
    tensor.name = std::move(name);
    for (size_t i = 0; i < shape.size(); ++i) {
      const std::string_view size = shape.at(i).str();
      tensor.dims.push_back(size == "in"       ? layer.in
                            : size == "out"    ? layer.out
                            : size == "tokens" ? document_["tokens"].integer().value_or(1)
                                               : shape.at(i).integer().value_or(1));
    }
    return tensor;
  }

  TensorId AddActivation(const Layer& layer, std::string_view port, opdb::Tree shape,
                         opdb::Tree form) {
    Tensor& tensor = AddTensor(layer, port, shape);
    tensor.dtype = DtypeFromName(form["dtype"].str()).value_or(Dtype::kUndefined);
    tensor.encoding.Edit().kind = EncodingKind::kPerTensor;
    tensor.encoding.Edit().scales = {Scale()};
    tensor.encoding.Edit().zero_points = {Int(form["zero_point"])};
    return Last();
  }

  TensorId AddWeight(const Layer& layer, int64_t block, opdb::Tree form) {
    Tensor& tensor = AddTensor(layer, "weight", layer.form["weight"]);
    tensor.dtype = DtypeFromName(form["dtype"].str()).value_or(Dtype::kUndefined);
    tensor.is_static = true;
    Encoding& e = tensor.encoding.Edit();
    e.kind = EncodingKind::kLpbq;
    e.axis = Int(layer.form["channel_axis"]);
    e.bitwidth = Int(form["bitwidth"]);
    e.scales = {Scale()};
    e.zero_points = {0};
    e.num_blocks = static_cast<int32_t>(layer.in / block);
    e.block_scales = {1};
    e.block_scale_bitwidth = Int(form["factor_bits"]);
    e.block_scale_storage_bits = Int(form["factor_storage_bits"]);
    return Last();
  }

  TensorId Last() const { return static_cast<TensorId>(model_.tensors.size() - 1); }
  float Scale() const { return static_cast<float>(document_["scale"].real().value_or(1)); }
  static int32_t Int(opdb::Tree tree) { return static_cast<int32_t>(tree.integer().value_or(0)); }

  void Build(const Layer& layer, const RecipeEntry& entry, opdb::Tree precision) {
    const TensorId x =
        AddActivation(layer, "input", layer.form["activation"], precision["activation"]);
    const TensorId w = AddWeight(layer, *entry.block_size, precision["weight"]);
    const TensorId y =
        AddActivation(layer, "output", layer.form["output"], precision["activation"]);
    model_.inputs.push_back(x);
    model_.outputs.push_back(y);
    Node& node = model_.nodes[layer.node];
    node.op = std::string(layer.form["op"].str());
    node.inputs = {x, w};
    node.outputs = {y};
    node.params.clear();
    const opdb::Tree params = layer.form["params"];
    for (size_t i = 0; i < params.size(); ++i) {
      node.params.push_back({std::string(params.at(i).key()), ValueOf(params.at(i))});
    }
  }

  static ParamValue ValueOf(opdb::Tree tree) {
    if (const auto flag = tree.flag()) return *flag;
    if (tree["ints"]) {
      TensorParam param;
      param.dtype = DtypeFromName(tree["dtype"].str()).value_or(Dtype::kUndefined);
      const std::vector<int64_t> dims = Numbers(tree["dims"]);
      param.dims.assign(dims.begin(), dims.end());
      param.ints = Numbers(tree["ints"]);
      return param;
    }
    return UintParam{static_cast<uint64_t>(tree.integer().value_or(0))};
  }

  // ---- the recipe as a whole -----------------------------------------------------------------

  void ReportUnmatched() {
    std::vector<std::string_view> names;
    for (const Layer& layer : layers_) names.push_back(model_.nodes[layer.node].name);
    for (const Pattern& pattern : patterns_) {
      if (pattern.used) continue;
      if (pattern.fallback) continue;  // it is for what may come
      const RecipeEntry& entry = *pattern.entry;
      if (!pattern.regex) {
        Add(rules::kUnmatchedRecipe, Consequence::kAltered,
            fmt::format("{}: is no regular expression; it is passed over", At(entry)),
            fmt::format("\"{}\"", entry.pattern.substr(0, kLongestPattern)),
            "an ECMAScript regular expression without back references or many repeats",
            "write a pattern");
        continue;
      }
      const std::string hint =
          names.size() <= kHintedNames ? DidYouMean(entry.pattern, names) : std::string();
      Add(rules::kUnmatchedRecipe, Consequence::kAltered,
          fmt::format("{}: fits the name of no linear layer{}", At(entry), hint),
          "a pattern that nothing uses",
          names.empty() ? "a layer's whole name"
                        : fmt::format("a layer's whole name, as in \"{}\"", names.front()),
          "correct or remove the pattern");
    }
  }

  static bool SameRecipe(const RecipeEntry& a, const RecipeEntry& b) {
    return a.method == b.method && a.precision == b.precision && a.sym == b.sym &&
           a.block_size == b.block_size;
  }

  // A section that mllm does not read, where it says something else than what counts.
  void ReportUnread() {
    for (const RecipeEntry& entry : recipe_.entries) {
      if (!opdb::Lists(document_["unread_sections"], entry.section)) continue;
      const bool said = std::any_of(patterns_.begin(), patterns_.end(), [&](const Pattern& p) {
        return p.fallback && SameRecipe(*p.entry, entry);
      });
      if (said) continue;
      const std::string read =
          rules::Join(std::vector<std::string>{std::string(document_["sections"].at(0).str())});
      Add(rules::kUnmatchedRecipe, Consequence::kAltered,
          fmt::format("{}: the section {} is not read; its layers get what {} says", At(entry),
                      entry.section, read),
          fmt::format("a recipe in {}", entry.section), fmt::format("a pattern in {}", read),
          fmt::format("move it to {}, with a pattern for the layer's name", read));
    }
  }

  void AddNotes(size_t built) {
    model_.notes.push_back(fmt::format(
        "recipe: {}: {} of {} linear layers built as mllm builds them, {} other nodes unchecked; "
        "every scale is {}",
        file_.source, built, layers_.size(), model_.nodes.size() - layers_.size(),
        document_["scale"].str()));
    if (!recipe_.machine.empty()) {
      model_.notes.push_back(fmt::format("recipe: written for {}", recipe_.machine));
    }
    for (const std::string& text : file_.notes) {
      model_.notes.push_back(fmt::format("recipe: {}", text));
    }
  }

  const EncodingsFile& file_;
  const Recipe& recipe_;
  Model& model_;
  const opdb::Tree document_;
  mapping::Mapping mapping_;
  TensorRoles roles_;
  std::vector<Pattern> patterns_;
  std::vector<Layer> layers_;
  absl::flat_hash_set<std::string> names_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> ApplyRecipe(const EncodingsFile& file, Model& model,
                                 const Database& database) {
  return Applying(file, model, database).Run();
}

}  // namespace quantgate
