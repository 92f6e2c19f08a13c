#include "core/lower/encodings/recipe.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <regex>
#include <string>
#include <utility>

#include "core/base/nearest.h"
#include "core/database/conditions.h"
#include "core/ir/graph_ends.h"
#include "core/lower/encodings/recipe_layers.h"
#include "core/lower/encodings/recipe_pattern.h"
#include "core/rules/raise.h"
#include "core/rules/support/format.h"
#include "quantgate/rule.h"

namespace quantgate {
namespace {

constexpr std::string_view kFallback = "fallback";
constexpr size_t kHintedNames = 10000;

struct Pattern {
  const RecipeEntry* entry = nullptr;
  std::optional<std::regex> regex;  // absent: no regular expression
  bool fallback = false, used = false;
};

class ApplyingRecipe {
 public:
  ApplyingRecipe(const EncodingsFile& file, Model& model, const Database& database)
      : file_(file),
        recipe_(*file.recipe),
        model_(model),
        document_(database.view().Document("recipes/" + file.recipe->tool)),
        layers_(LinearLayersOf(model, document_, database)),
        builder_(model, document_) {}

  std::vector<Finding> Run() {
    Sort();
    ReportUnread();
    SetOthersAside();
    size_t built = 0;
    for (const LinearLayer& layer : layers_) built += Visit(layer) ? 1 : 0;
    DropTensors();
    FillGraphEnds(model_);
    ReportUnmatched();
    AddNotes(built);
    return std::move(findings_);
  }

 private:
  // In the order in which the tool tries them: by pattern.
  void Sort() {
    for (const RecipeEntry& entry : recipe_.entries) {
      if (!opdb::Lists(document_["sections"], entry.section)) continue;
      Pattern& pattern = patterns_.emplace_back();
      pattern.entry = &entry;
      pattern.fallback = entry.pattern == kFallback;
      if (!pattern.fallback) pattern.regex = CompilePattern(entry.pattern);
    }
    std::stable_sort(patterns_.begin(), patterns_.end(), [](const Pattern& a, const Pattern& b) {
      return a.entry->pattern < b.entry->pattern;
    });
  }

  // All other nodes are unchecked, and a layer gets nothing from them.
  void SetOthersAside() {
    std::vector<bool> is_layer(model_.nodes.size());
    for (const LinearLayer& layer : layers_) is_layer[layer.node] = true;
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
        if (id != kNoTensor) builder_.Reserve(model_.tensors[static_cast<size_t>(id)].name);
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
  void Refuse(const LinearLayer& layer, RuleId rule, Consequence consequence, std::string message,
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

  bool Visit(const LinearLayer& layer) {
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
    builder_.Build(layer, *entry->block_size, precision);
    return true;
  }

  void RefuseValue(const LinearLayer& layer, const RecipeEntry& entry, std::string_view field,
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
  opdb::Tree PrecisionOf(const LinearLayer& layer, const RecipeEntry& entry) {
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

  bool CheckGroup(const LinearLayer& layer, const RecipeEntry& entry) {
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
    const std::vector<int64_t> groups = NumbersOf(layer.form["groups"]);
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
  void RefuseGroup(const LinearLayer& layer, const RecipeEntry& entry, std::string message,
                   std::string found, int64_t divided = 0) {
    std::vector<int64_t> groups = NumbersOf(layer.form["groups"]);
    if (divided > 0) std::erase_if(groups, [&](int64_t group) { return divided % group != 0; });
    const std::string allowed = groups.empty()
                                    ? std::string("none of the known group sizes divides them")
                                    : rules::NumberList(groups);
    Refuse(layer, rules::kRecipeGroup, Consequence::kRejected,
           fmt::format("{}: {}", At(entry), message), std::move(found), allowed,
           groups.empty() ? "pad the input channels, or leave the layer out"
                          : fmt::format("use block_size {}", allowed));
  }

  // ---- the recipe as a whole -----------------------------------------------------------------

  void ReportUnmatched() {
    std::vector<std::string_view> names;
    for (const LinearLayer& layer : layers_) names.push_back(model_.nodes[layer.node].name);
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

  // A section that the tool does not read, where it has another recipe than the one that counts.
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
        "recipe: {}: {} of {} linear layers built as {} builds them, {} other nodes unchecked; "
        "every scale is {}",
        file_.source, built, layers_.size(), recipe_.tool, model_.nodes.size() - layers_.size(),
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
  const std::vector<LinearLayer> layers_;
  LayerBuilder builder_;
  std::vector<Pattern> patterns_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> ApplyRecipe(const EncodingsFile& file, Model& model,
                                 const Database& database) {
  return ApplyingRecipe(file, model, database).Run();
}

}  // namespace quantgate
