#include "core/rules/support/kv_pairs.h"

#include <algorithm>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "core/base/absl_view.h"

namespace quantgate::rules {
namespace {

bool HoldsOneOf(std::string_view name, const std::vector<std::string_view>& words) {
  if (words.empty()) return true;
  const std::string lower = absl::AsciiStrToLower(Absl(name));
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

// Where the name of a pair's input holds what the output's has something else for; npos = it is
// none.
size_t PartIn(std::string_view name, const NamePair& pair) {
  const size_t at = name.find(pair.input);
  return at != std::string::npos && HoldsOneOf(name, pair.words) ? at : std::string::npos;
}

}  // namespace

std::vector<KvPair> KvPairs(const GraphView& view) {
  const Model& graph = view.graph();
  const auto& settings = view.settings<CacheSettings>();
  const SetMask converters = settings.converters;
  absl::flat_hash_map<SharedString, TensorId> outputs;
  std::vector<KvPair> found;
  const auto behind = [&](TensorId id) {
    const auto readers = view.Readers(id);
    if (!IsFloat(view.tensor(id).dtype) || readers.size() != 1 ||
        !view.Is(readers[0], converters)) {
      return id;
    }
    const auto& made = view.op(readers[0]).outputs;
    return made.empty() || made[0] == kNoTensor ? id : made[0];
  };
  const auto before = [&](TensorId id) {
    const int32_t maker = view.Producer(id);
    if (!IsFloat(view.tensor(id).dtype) || maker < 0 || !view.Is(maker, converters)) return id;
    const auto& read = view.op(maker).inputs;
    return read.empty() || read[0] == kNoTensor ? id : read[0];
  };
  for (const TensorId input : graph.inputs) {
    const std::string name = view.EndName(input).str();
    for (const NamePair& pair : settings.name_pairs) {
      const size_t at = PartIn(name, pair);
      if (at == std::string::npos) continue;
      if (outputs.empty()) {
        // A cache that the graph reads before writing it is no end of the resolved graph.
        for (const Node& node : graph.nodes) {
          for (const TensorId id : node.outputs) {
            if (id != kNoTensor) outputs.emplace(view.EndName(id), id);
          }
        }
      }
      std::string wanted = name;
      wanted.replace(at, pair.input.size(), pair.output);
      const auto output = outputs.find(SharedString(wanted));
      if (output == outputs.end()) continue;
      found.push_back({input, output->second, behind(input), before(output->second)});
      break;
    }
  }
  return found;
}

}  // namespace quantgate::rules
