#include <fmt/core.h>

#include <utility>

#include "core/fix/repair.h"
#include "core/safety/wanted_coding.h"

namespace quantgate::fix {

void RepairBefore(const Case& c, std::vector<Proposal>& proposals) {
  const TensorId id = c.tensor();
  if (id == kNoTensor || c.finding.node_index < 0) return;
  const auto index = static_cast<size_t>(c.finding.node_index);
  const Node& node = c.editor.model().nodes[index];
  const absl::StatusOr<Coding> now = c.editor.CodingOf(id);
  if (!now.ok()) return;
  for (size_t port = 0; port < node.inputs.size(); ++port) {
    if (c.editor.QuantizedAt(index, /*input=*/true, port) != id) continue;
    for (const Fix& fix : c.finding.fixes) {
      std::optional<Coding> wanted = WantedCoding(fix, c.finding.tensor, *now);
      if (!wanted || wanted->encoding->kind != EncodingKind::kPerTensor) continue;
      Proposal proposal;
      proposal.is_attempt = true;
      proposal.what = fmt::format("convert \"{}\" to {} before in[{}] of the op", c.finding.tensor,
                                  Describe(*wanted), port);
      proposal.apply = [index, port, coding = *std::move(wanted)](Editor& editor) {
        return editor.Quantize(index, /*input=*/true, port, coding);
      };
      proposals.push_back(std::move(proposal));
    }
  }
}

}  // namespace quantgate::fix
