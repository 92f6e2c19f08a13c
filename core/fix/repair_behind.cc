#include <fmt/core.h>

#include <utility>

#include "core/fix/repair.h"
#include "core/safety/wanted_coding.h"

namespace quantgate::fix {

void RepairBehind(const Case& c, std::vector<Proposal>& proposals) {
  const TensorId id = c.tensor();
  if (id == kNoTensor || c.finding.node_index < 0 ||
      !c.finding.port.view().starts_with("out[")) {
    return;
  }
  const auto index = static_cast<size_t>(c.finding.node_index);
  const Node& node = c.editor.model().nodes[index];
  const absl::StatusOr<Coding> now = c.editor.CodingOf(id);
  if (!now.ok()) return;
  for (size_t port = 0; port < node.outputs.size(); ++port) {
    if (c.editor.QuantizedAt(index, /*input=*/false, port) != id) continue;
    for (const Fix& fix : c.finding.fixes) {
      std::optional<Coding> wanted = WantedCoding(fix, c.finding.tensor, *now);
      if (!wanted || wanted->encoding->kind != EncodingKind::kPerTensor) continue;
      Proposal proposal;
      proposal.is_attempt = true;
      proposal.what = fmt::format("write out[{}] with {} and convert it to \"{}\" behind the op",
                                  port, Describe(*wanted), c.finding.tensor);
      proposal.apply = [index, port, coding = *std::move(wanted)](Editor& editor) {
        return editor.Quantize(index, /*input=*/false, port, coding);
      };
      proposals.push_back(std::move(proposal));
    }
    return;
  }
}

}  // namespace quantgate::fix
