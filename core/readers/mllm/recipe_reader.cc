#include "core/readers/mllm/recipe_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/json_cursor.h"
#include "core/base/json_walker.h"
#include "core/base/text.h"
#include "core/readers/unknown_fields.h"

namespace quantgate {
namespace {

using Value = JsonCursor::Value;

// What says nothing about a layer's quantization.
constexpr std::array<std::string_view, 3> kTopKeys = {"graph_on_qnn", "op_on_qnn", "split_graph"};
constexpr std::array<std::string_view, 2> kRecipeKeys = {"llm_recipe", "layers"};
// Sections whose members are patterns of layers.
constexpr std::array<std::string_view, 2> kLayerSections = {"linear", "lm_head"};
constexpr std::array<std::string_view, 2> kOtherSections = {"model", "kv_cache"};

template <typename List>
bool Has(const List& list, std::string_view key) {
  return std::find(list.begin(), list.end(), key) != list.end();
}

class RecipeReader {
 public:
  explicit RecipeReader(std::string_view json) : text_(json), json_(json) {}

  absl::StatusOr<EncodingsFile> Read() {
    bool found = false;
    const bool ok = json_.Document([&](Value root) {
      return Members(root, [&](std::string_view key, Value value) {
        if (key == "target_machine") return ReadMachine(value);
        if (key != "quant_recipe") return Pass(kTopKeys, "", key);
        found = true;
        return ReadRecipe(value);
      });
    });
    if (!ok) return json_.status();
    if (!found) return Invalid("there is no quant_recipe in it");
    if (!has_pass_) return Invalid("there is no quant_recipe.builtin_llm_pass in it");
    if (recipe_.entries.empty()) {
      return Invalid("quant_recipe.builtin_llm_pass.linear holds no pattern and no fallback");
    }
    unknown_.AddNote(file_.notes);
    recipe_.tool = "mllm";
    file_.recipe = std::move(recipe_);
    return std::move(file_);
  }

 private:
  // A free object none of whose keys stands twice.
  template <typename Use>
  bool Members(Value value, Use use) {
    std::set<std::string, std::less<>> seen;
    return json_.Map(value, [&](std::string_view key, Value member, size_t offset) {
      if (!seen.emplace(key).second) return json_.FailAt(offset, "given twice");
      offset_ = offset;
      return use(key, member);
    });
  }

  template <typename Known>
  bool Pass(const Known& known, std::string_view where, std::string_view key) {
    if (!Has(known, key)) {
      unknown_.Add(fmt::format("{}{}{}", where, where.empty() ? "" : ".", key));
    }
    return true;
  }

  bool ReadMachine(Value value) {
    std::string soc, arch;
    const bool ok = Members(value, [&](std::string_view key, Value member) {
      std::string* out = key == "htp_chipset" ? &soc : key == "htp_arch" ? &arch : nullptr;
      std::string_view text;
      if (out == nullptr) return true;
      if (!json_.String(member, &text)) return false;
      *out = Utf8(text.substr(0, 40));
      return true;
    });
    recipe_.machine = soc.empty() || arch.empty() ? soc + arch : soc + ", " + arch;
    return ok;
  }

  bool ReadRecipe(Value value) {
    return Members(value, [&](std::string_view key, Value member) {
      if (key != "builtin_llm_pass") return Pass(kRecipeKeys, "quant_recipe", key);
      has_pass_ = true;
      return Members(member, [&](std::string_view section, Value patterns) {
        if (!Has(kLayerSections, section)) {
          return Pass(kOtherSections, "builtin_llm_pass", section);
        }
        const std::string name(section);
        return Members(patterns, [&](std::string_view pattern, Value spec) {
          return ReadEntry(name, pattern, spec);
        });
      });
    });
  }

  bool ReadEntry(const std::string& section, std::string_view pattern, Value spec) {
    RecipeEntry entry;
    entry.section = section;
    entry.pattern = Utf8(pattern);
    entry.line = LineOf(offset_);
    const bool ok = Members(spec, [&](std::string_view key, Value value) {
      std::string_view text;
      if (key == "method" || key == "precision") {
        if (!json_.String(value, &text)) return false;
        (key == "method" ? entry.method : entry.precision) = Utf8(text);
        return true;
      }
      if (key == "sym") {
        bool sym = false;
        if (!json_.Bool(value, &sym)) return false;
        entry.sym = sym;
        return true;
      }
      if (key == "block_size") {
        int64_t size = 0;
        if (!json_.Int(value, 1, kInt32Max, &size)) return false;
        entry.block_size = size;
        return true;
      }
      return Pass(std::array<std::string_view, 0>(), section + "." + entry.pattern, key);
    });
    if (ok) recipe_.entries.push_back(std::move(entry));
    return ok;
  }

  int64_t LineOf(size_t offset) const {
    const auto begin = text_.begin();
    return 1 + std::count(begin, begin + static_cast<ptrdiff_t>(offset), '\n');
  }

  std::string_view text_;
  JsonCursor json_;
  EncodingsFile file_;
  Recipe recipe_;
  UnknownFields unknown_;
  size_t offset_ = 0;  // of the key visited last
  bool has_pass_ = false;
};

}  // namespace

bool IsRecipe(std::string_view json) {
  JsonWalker walker(json);
  if (!walker.EnterObject()) return false;
  for (;;) {
    bool more = false;
    JsonSpan key, value;
    if (!walker.NextMember(&more, &key) || !more) return false;
    const std::string_view name = json.substr(key.begin + 1, key.size - 2);
    if (name == "quant_recipe") return true;
    if (name.ends_with("encodings") || !walker.Skip(&value)) return false;
  }
}

absl::StatusOr<EncodingsFile> ReadRecipe(std::string_view json) { return RecipeReader(json).Read(); }

}  // namespace quantgate
