#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/opdb/conditions.h"
#include "core/rules/encoding_facts.h"
#include "core/rules/format.h"
#include "core/rules/graph_view.h"
#include "core/rules/kv_pairs.h"
#include "core/rules/rule_entry.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace {

class Caches {
 public:
  explicit Caches(const GraphView& g)
      : g_(g),
        s_(g.settings()),
        joins_(g.sets().Bits(s_["joins"])),
        scatters_(g.sets().Bits(s_["scatters"])),
        products_(g.sets().Bits(s_["products"])) {
    const std::string_view arch = g.target().arch();
    if (opdb::Lists(s_["not_archs"], arch)) reasons_.insert(fmt::format("arch {}", arch));
    wide_ = opdb::Lists(s_["wide_archs"], arch);
  }

  void Look(const KvPair& pair) {
    const Tensor& in = g_.tensor(pair.in_graph);
    const Tensor& out = g_.tensor(pair.out_graph);
    quantized_ |= IsFixedPoint(in.dtype);
    LookAtType(in);
    LookAtType(out);
    // The cache as attention reads it: joined with the new entries, or as it came in.
    TensorId read = pair.in_graph;
    for (const int32_t reader : g_.Readers(pair.in_graph)) {
      if (g_.Is(reader, scatters_)) {
        reasons_.insert(fmt::format("written by {} inside of the graph", g_.op(reader).op));
      } else if (g_.Is(reader, joins_) && g_.output(reader) != nullptr) {
        read = g_.op(reader).outputs[0];
      }
    }
    LookAtDims(g_.tensor(read));
    if (wide_) LookAtReaders(read);
  }

  // A float model has no such choice to make.
  bool told() const { return quantized_ && !reasons_.empty(); }
  const std::set<std::string>& reasons() const { return reasons_; }

 private:
  void LookAtType(const Tensor& t) {
    if (DtypeName(t.dtype) != s_["dtype"].str()) {
      reasons_.insert(fmt::format("{} instead of {}", DtypeName(t.dtype), s_["dtype"].str()));
    } else if (ZeroPointAt(t.encoding, 0) != s_["zero_point"].integer().value_or(0)) {
      reasons_.insert(fmt::format("zero_point {} instead of {}", ZeroPointAt(t.encoding, 0),
                                  s_["zero_point"].str()));
    }
  }

  void LookAtDims(const Tensor& t) {
    const size_t rank = t.dims.size();
    if (rank < 2) return;
    const int64_t multiple = s_["context_multiple"].integer().value_or(1);
    const int64_t least = s_["context_least"].integer().value_or(1);
    const int64_t head = s_["head_multiple"].integer().value_or(1);
    // Keys may be stored transposed: [.., head, context].
    const int64_t a = t.dims[rank - 2], b = t.dims[rank - 1];
    const auto fits = [&](int64_t c, int64_t h) {
      return c % multiple == 0 && c >= least && h % head == 0;
    };
    if (fits(a, b) || fits(b, a)) return;
    reasons_.insert(fmt::format("dimensions {}", Dims(t)));
  }

  // What the cache is multiplied with.
  void LookAtReaders(TensorId cache) {
    for (const int32_t reader : g_.Readers(cache)) {
      const Tensor* other = g_.Is(reader, products_) ? g_.input(reader, 0) : nullptr;
      if (other != nullptr && IsFixedPoint(other->dtype) && BitsOf(other->dtype) < 16) {
        reasons_.insert(
            fmt::format("activations of {} bits on {}", BitsOf(other->dtype), g_.target().arch()));
      }
    }
  }

  const GraphView& g_;
  const opdb::Tree s_;
  const SetMask joins_, scatters_, products_;
  std::set<std::string> reasons_;
  bool quantized_ = false, wide_ = false;
};

void Walk(const GraphView& g, GraphFindings& findings) {
  const std::vector<KvPair> pairs = KvPairs(g);
  if (pairs.empty()) return;
  Caches caches(g);
  for (const KvPair& pair : pairs) caches.Look(pair);
  if (!caches.told()) return;
  Finding& f = findings.Add(-1, Consequence::kAdvice);
  f.tensor = g.tensor(pairs[0].input).name;
  f.message =
      fmt::format("{} can't be kept in the matrix unit's layout: each token lays {} out again",
                  pairs.size() == 1 ? "the cache" : fmt::format("the {} caches", pairs.size()),
                  pairs.size() == 1 ? "it" : "them");
  f.found = fmt::format("{}", fmt::join(caches.reasons(), "; "));
  const opdb::Tree wanted = g.settings();
  f.allowed = fmt::format(
      "{} and symmetric, equal in and out, read or joined by Concat; a context in multiples of {} "
      "from {} on, heads in multiples of {}",
      wanted["dtype"].str(), wanted["context_multiple"].str(), wanted["context_least"].str(),
      wanted["head_multiple"].str());
  f.fixes.push_back(UnsafeFix("change what stands against it, or keep the caches flat"));
}

constexpr RuleEntry kEntry = {
    .rule = About(kNativeKvCache,
                  {.summary = "the caches can't be kept in the matrix unit's own layout",
                   .explanation = R"(## What it checks
Models with caches (see QG610): whether they could be kept native, in the layout of the matrix unit
(HMX_WEIGHT_LAYOUT): all caches 8 bits unsigned and symmetric (equal in and out: QG610), context a
multiple of 256 and more than one such block, head size a multiple of 64, an arch newer than v68 (on
v69 activations of 16 bits), and the cache read as it is or joined with the new entries by Concat.
One finding for the model, with everything that stands against it.

## Why
A native cache is read by the matrix unit as it is; a flat one is laid out again for every token.
Graphs with native caches that break the type, the zero point, the arch or the way of joining fail
at finalization. Other sizes of context and head are prepared, but then the cache is not laid out in
the whole tiles of 256 positions and 64 elements that runtimes fill.

## Fix
Change what the finding lists, or keep the cache flat: that is slower, and right.

## References
The evidence and what the real library or provider said are listed below.
)",
                   .status = RuleStatus::kStable}),
    .walk = Walk,
    .needs_all = MayHaveKvPairs};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace

const RuleEntry kNativeKvCacheEntry = kEntry;

}  // namespace quantgate::rules
