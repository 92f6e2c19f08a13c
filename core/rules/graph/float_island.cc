#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/rules/rule_entry.h"
#include "core/rules/support/graph_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace float_island {

struct Own : Settings {
  SetMask value_movements = 0;
  SetMask boundaries = 0;  // ops between float and fixed point
};

using F = Fields<Own>;
constexpr SettingField kFields[] = {F::Bind<&Own::value_movements>("value_movements"),
                                    F::Bind<&Own::boundaries>("boundaries")};

bool InFloat(const GraphView& g, int32_t op) {
  const Tensor* out = g.output(op);
  return out != nullptr && IsFloat(out->dtype);
}

struct Island {
  std::vector<int32_t> ops;
  int32_t enters = 0, leaves = 0;  // borders
  double bytes = 0;                // read and written at the borders
};

class Islands {
 public:
  explicit Islands(const GraphView& g)
      : g_(g), borders_(g.settings<Own>().boundaries), seen_(static_cast<size_t>(g.op_count())) {}

  // The island after a border that leads into float; no ops where it was seen before.
  Island From(int32_t border) {
    Island island;
    Into(g_.op(border).outputs[0]);
    while (!todo_.empty()) {
      const int32_t op = todo_.back();
      todo_.pop_back();
      if (IsBorder(op)) {
        const Tensor* in = g_.input(op, 0);
        const Tensor* out = g_.output(op);
        ++(IsFloat(out->dtype) ? island.enters : island.leaves);
        island.bytes += BytesOf(*in) + BytesOf(*out);
        continue;
      }
      island.ops.push_back(op);
      for (const TensorId id : g_.op(op).outputs) Into(id);
      for (const TensorId id : g_.op(op).inputs) Into(id);
    }
    std::sort(island.ops.begin(), island.ops.end());
    return island;
  }

  // Between float on one side and fixed point on the other.
  bool IsBorder(int32_t op) const {
    if (!g_.Is(op, borders_)) return false;
    const Tensor* in = g_.input(op, 0);
    const Tensor* out = g_.output(op);
    return in != nullptr && out != nullptr &&
           ((IsFloat(in->dtype) && IsFixedPoint(out->dtype)) ||
            (IsFixedPoint(in->dtype) && IsFloat(out->dtype)));
  }

 private:
  void Visit(int32_t op) {
    if (op < 0 || seen_[static_cast<size_t>(op)]) return;
    if (!IsBorder(op) && !InFloat(g_, op)) return;
    seen_[static_cast<size_t>(op)] = true;
    todo_.push_back(op);
  }
  // All that makes or reads a float tensor belongs together.
  void Into(TensorId id) {
    if (id == kNoTensor || g_.tensor(id).is_static || !IsFloat(g_.tensor(id).dtype)) return;
    Visit(g_.Producer(id));
    for (const int32_t reader : g_.Readers(id)) Visit(reader);
  }

  const GraphView& g_;
  const SetMask borders_;
  std::vector<bool> seen_;
  std::vector<int32_t> todo_;
};

// Names of the file's nodes, each once.
std::vector<std::string> NamesOf(const GraphView& g, const std::vector<int32_t>& ops) {
  std::vector<std::string> names;
  for (const int32_t op : ops) {
    if (names.empty() || names.back() != g.NameOf(op)) names.push_back(g.NameOf(op).str());
  }
  return names;
}

// The tensors between the ops of an island: without a Q and DQ of their own.
std::vector<std::string> Unquantized(const GraphView& g, const std::vector<int32_t>& ops) {
  std::vector<std::string> names;
  for (const int32_t op : ops) {
    for (const TensorId id : g.op(op).outputs) {
      if (id == kNoTensor) continue;
      const auto readers = g.Readers(id);
      if (std::any_of(readers.begin(), readers.end(), [&](int32_t reader) {
            // Between two steps of one node of the file there is nothing to write.
            return g.SourceOf(reader) != g.SourceOf(op) &&
                   std::binary_search(ops.begin(), ops.end(), reader);
          })) {
        names.push_back(g.tensor(id).name.str());
      }
    }
  }
  return names;
}

// What an island is made of: what was written in float, by what could be done about it, and what became float with it.
struct Parts {
  std::vector<int32_t> movers, quantizable, floats, dragged;
};

void AddFixes(const GraphView& g, const Island& island, const Parts& parts, bool dragged_alone, Finding& f) {
  const auto& [movers, quantizable, floats, dragged] = parts;
  if (!floats.empty()) {
    f.fixes.push_back(
        {fmt::format("{} {} no quantized form on {}: replace {}, or leave the "
                     "neighbours in float too, for fewer conversions",
                     Quoted(NamesOf(g, floats)), floats.size() == 1 ? "has" : "have",
                     g.target().arch().empty() ? g.target().backend() : g.target().arch(),
                     floats.size() == 1 ? "it" : "them"),
         false,
         {}});
  }
  if (!quantizable.empty()) {
    f.fixes.push_back({fmt::format("quantize {}{}", Quoted(NamesOf(g, quantizable)),
                                   floats.empty() ? ": then nothing of it runs in float" : ""),
                       false,
                       {}});
  }
  if (!movers.empty()) {
    f.fixes.push_back({fmt::format("give {} the encoding of the input: it only moves values",
                                   Quoted(NamesOf(g, movers))),
                       false,
                       {}});
  }
  const std::vector<std::string> bare = Unquantized(g, island.ops);
  if (dragged_alone && !bare.empty()) {
    f.fixes.push_back({fmt::format("add a Q/DQ pair to {}: then nothing of it runs in float",
                                   Quoted(bare)),
                       false,
                       {}});
  }
}

void Explain(const GraphView& g, const Island& island, GraphFindings& findings) {
  const SetMask moves = g.settings<Own>().value_movements;
  Parts parts;
  auto& [movers, quantizable, floats, dragged] = parts;
  int32_t outside = 0;
  for (const int32_t op : island.ops) {
    outside += g.Refused(op) ? 1 : 0;
    if (g.ReportedBefore(op)) {
      dragged.push_back(op);
    } else if (g.Is(op, moves)) {
      movers.push_back(op);
    } else {
      (g.info(op).quantized ? quantizable : floats).push_back(op);
    }
  }
  const auto& seeds = !floats.empty()        ? floats
                      : !quantizable.empty() ? quantizable
                      : !movers.empty()      ? movers
                                             : dragged;
  Finding& f = findings.Add(seeds.front(), Consequence::kAdvice);
  const size_t nodes = NamesOf(g, island.ops).size();
  f.message = fmt::format("{} between quantized ops {} in float: {} and {} around {}, {} a run",
                          nodes == 1 ? "a node" : fmt::format("{} nodes", nodes),
                          nodes == 1 ? "runs" : "run", fmt::format("{} Dequantize", island.enters),
                          fmt::format("{} Quantize", island.leaves), nodes == 1 ? "it" : "them",
                          Bytes(island.bytes));
  f.found = fmt::format("float: {}", Quoted(NamesOf(g, island.ops)));
  if (!dragged.empty() && dragged.size() < island.ops.size()) {
    f.found +=
        fmt::format("; {} of them only because of their neighbours", NamesOf(g, dragged).size());
  }
  if (outside > 0) f.found += fmt::format("; {} on the CPU", outside);
  f.allowed = "quantized as the ops around";
  AddFixes(g, island, parts, &seeds == &dragged, f);
}

void Walk(const GraphView& g, GraphFindings& findings) {
  Islands islands(g);
  for (int32_t op = 0; op < g.op_count(); ++op) {
    if (!islands.IsBorder(op) || !IsFloat(g.output(op)->dtype)) continue;
    const Island island = islands.From(op);
    if (island.ops.empty() || island.enters == 0 || island.leaves == 0) continue;
    // One node that was reported already is no news.
    if (NamesOf(g, island.ops).size() == 1 && (g.ReportedBefore(island.ops[0]) || g.Refused(island.ops[0]))) continue;
    Explain(g, island, findings);
  }
}

constexpr RuleEntry kEntry = {
    .rule = About(kFloatIsland, {.summary = "float ops stand between quantized ones",
                                 .explanation = R"(## What it checks
Connected ops that compute in float and are entered through a Dequantize and left through a
Quantize. The finding stands on the node that was written in float; nodes whose Q or DQ lost its
partner because of it are counted beside it.

## Why
Every border is a pass over a tensor, and the ops between run in half precision: slower than
quantized, and refused where the chip has no float. One node left out of quantization takes its
neighbours with it, and what fails then fails at the borders, far from the cause.

## Fix
Quantize the nodes that the finding names: the island closes. Ops that only move values take the
encoding of their input. Where the backend has no quantized form of an op, replace it, or leave a
larger connected part in float: one island costs less than several.

## References
The evidence and what the real library or provider said are listed below.
)",
                                 .status = RuleStatus::kStable}),
    .walk = Walk,
    .settings = &kFormOf<Own, kFields>};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace float_island

const RuleEntry kFloatIslandEntry = float_island::kEntry;

}  // namespace quantgate::rules
