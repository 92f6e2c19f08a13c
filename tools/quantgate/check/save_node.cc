#include "tools/quantgate/check/save_node.h"

#include <utility>
#include <vector>

#include "quantgate/extract.h"
#include "quantgate/lower.h"
#include "quantgate/reader.h"
#include "quantgate/text.h"
#include "tools/quantgate/cli/common.h"

namespace quantgate::cli {
namespace {

int32_t FindNode(const Model& model, const std::string& name) {
  for (size_t n = 0; n < model.nodes.size(); ++n) {
    if (model.nodes[n].name == name) return static_cast<int32_t>(n);
  }
  return -1;
}

}  // namespace

int WriteSmallest(const SaveNode& flags, const Target& target, ValidatorOptions options,
                  const Database& database, Model model, const std::string& source,
                  Output& output) {
  const int32_t node = FindNode(model, flags.node);
  if (node < 0) {
    std::vector<std::string_view> known;
    for (const Node& n : model.nodes) known.emplace_back(n.name);
    return Fail(source + ": --save-node: no node is named '" + flags.node + "'" +
                DidYouMean(flags.node, known));
  }
  if (flags.encodings != nullptr) {
    ApplyEncodings(*flags.encodings, model, database);
    if (options.route.empty()) options.route = UsualRoute(model.dialect, target, /*with_encodings=*/true, database);
  }
  const Validator validator(target, options, database);
  Model part = SmallestAround(validator, model, node);
  std::string note = "cut out of " + source + " around node '" + flags.node + "'";
  if (!options.route.empty()) {
    note += "; check it with --route " + options.route;
  }
  part.notes.push_back(std::move(note));
  const bool binary = flags.output.ends_with(".binpb") || flags.output.ends_with(".pb");
  output.Write(binary ? WriteModelBinpb(part) : WriteModelJson(part) + "\n");
  return validator.Check(model).ExitCode();
}

}  // namespace quantgate::cli
