#include "core/rules/kv_pairs.h"

#include <algorithm>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"

namespace quantgate::rules {
namespace {

bool HoldsOneOf(const std::string& name, opdb::Tree words) {
  if (!words) return true;
  const std::string lower = absl::AsciiStrToLower(name);
  for (size_t i = 0; i < words.size(); ++i) {
    if (lower.find(words.at(i).str()) != std::string::npos) return true;
  }
  return false;
}

// Where the name of a pair's input holds what the output's has something else for; npos = it is
// none.
size_t PartIn(const std::string& name, opdb::Tree pair) {
  const size_t at = name.find(pair["in"].str());
  return at != std::string::npos && HoldsOneOf(name, pair["with"]) ? at : std::string::npos;
}

}  // namespace

bool MayHaveKvPairs(opdb::Tree settings, const Model& file) {
  const opdb::Tree pairs = settings["pairs"];
  const auto is_cache = [&](const Tensor& tensor) {
    for (size_t i = 0; i < pairs.size(); ++i) {
      if (PartIn(tensor.name, pairs.at(i)) != std::string::npos) return true;
    }
    return false;
  };
  if (file.inputs.empty()) return std::any_of(file.tensors.begin(), file.tensors.end(), is_cache);
  return std::any_of(file.inputs.begin(), file.inputs.end(),
                     [&](TensorId id) { return is_cache(file.tensors[static_cast<size_t>(id)]); });
}

std::vector<KvPair> KvPairs(const GraphView& view) {
  const Model& graph = view.graph();
  const opdb::Tree pairs = view.settings()["pairs"];
  const SetMask converters = view.sets().Bits(view.settings()["converters"]);
  absl::flat_hash_map<std::string, TensorId> outputs;
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
    const std::string& name = view.EndName(input);
    for (size_t i = 0; i < pairs.size(); ++i) {
      const size_t at = PartIn(name, pairs.at(i));
      if (at == std::string::npos) continue;
      if (outputs.empty()) {
        // A cache that the graph reads on its way out is no end of the resolved graph.
        for (const Node& node : graph.nodes) {
          for (const TensorId id : node.outputs) {
            if (id != kNoTensor) outputs.emplace(view.EndName(id), id);
          }
        }
      }
      std::string wanted = name;
      wanted.replace(at, pairs.at(i)["in"].str().size(), pairs.at(i)["out"].str());
      const auto output = outputs.find(wanted);
      if (output == outputs.end()) continue;
      found.push_back({input, output->second, behind(input), before(output->second)});
      break;
    }
  }
  return found;
}

}  // namespace quantgate::rules
