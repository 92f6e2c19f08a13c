#include <fmt/core.h>

#include <utility>

#include "core/fix/repair.h"
#include "core/safety/wanted_coding.h"

namespace quantgate::fix {
namespace {

// At each port of the finding's node that has its tensor: one proposal for each encoding that a fix asks for.
void Propose(const Case& c, bool input, std::vector<Proposal>& proposals) {
  const TensorId id = c.tensor();
  if (id == kNoTensor || c.finding.node_index < 0) return;
  const auto index = static_cast<size_t>(c.finding.node_index);
  const Node& node = c.editor.model().nodes[index];
  const absl::StatusOr<Coding> now = c.editor.CodingOf(id);
  if (!now.ok()) return;
  const size_t ports = input ? node.inputs.size() : node.outputs.size();
  for (size_t port = 0; port < ports; ++port) {
    if (c.editor.QuantizedAt(index, input, port) != id) continue;
    for (const Fix& fix : c.finding.fixes) {
      std::optional<Coding> wanted = WantedCoding(fix, c.finding.tensor, *now);
      if (!wanted || wanted->encoding->kind != EncodingKind::kPerTensor) continue;
      Proposal proposal;
      proposal.is_attempt = true;
      proposal.what = input ? fmt::format("convert \"{}\" to {} before in[{}] of the op", c.finding.tensor,
                                          Describe(*wanted), port)
                            : fmt::format("write out[{}] with {} and convert it to \"{}\" behind the op", port,
                                          Describe(*wanted), c.finding.tensor);
      proposal.apply = [index, input, port, coding = *std::move(wanted)](Editor& editor) {
        return editor.Quantize(index, input, port, coding);
      };
      proposals.push_back(std::move(proposal));
    }
  }
}

}  // namespace

void RepairBefore(const Case& c, std::vector<Proposal>& proposals) { Propose(c, /*input=*/true, proposals); }

void RepairBehind(const Case& c, std::vector<Proposal>& proposals) {
  if (c.finding.port.view().starts_with("out[")) Propose(c, /*input=*/false, proposals);
}

}  // namespace quantgate::fix
