#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/rules/rule_entry.h"
#include "core/rules/support/encoding_facts.h"
#include "core/rules/support/format.h"
#include "core/rules/support/graph_view.h"
#include "core/rules/support/kv_pairs.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace native_kv_cache {

struct Own : CacheSettings {
  SetMask joins = 0, scatters = 0, matrix_products = 0;
  Dtype dtype = Dtype::kUndefined;
  int64_t zero_point = 0, context_multiple = 1, min_context = 1, head_multiple = 1;
  Archs unsupported_archs;
  Archs archs_of_16_bit_activations;  // 8-bit ones fail there
};

using F = Fields<Own>;
constexpr SettingField kFields[] = {
    kNamePairs<Own>,
    kConverters<Own>,
    F::Bind<&Own::joins>("joins"),
    F::Bind<&Own::scatters>("scatters"),
    F::Bind<&Own::matrix_products>("matrix_products"),
    F::Bind<&Own::dtype>("dtype"),
    F::Bind<&Own::zero_point>("zero_point"),
    F::Bind<&Own::context_multiple>("context_multiple"),
    F::Bind<&Own::min_context>("min_context"),
    F::Bind<&Own::head_multiple>("head_multiple"),
    F::Bind<&Own::unsupported_archs>("unsupported_archs"),
    F::Bind<&Own::archs_of_16_bit_activations>("archs_of_16_bit_activations")};

class Caches {
 public:
  explicit Caches(const GraphView& g) : g_(g), s_(g.settings<Own>()) {
    const std::string_view arch = g.target().arch();
    if (s_.unsupported_archs.Lists(arch)) reasons_.insert(fmt::format("arch {}", arch));
    wide_ = s_.archs_of_16_bit_activations.Lists(arch);
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
      if (g_.Is(reader, s_.scatters)) {
        reasons_.insert(fmt::format("written by {} inside of the graph", g_.op(reader).op));
      } else if (g_.Is(reader, s_.joins) && g_.output(reader) != nullptr) {
        read = g_.op(reader).outputs[0];
      }
    }
    LookAtDims(g_.tensor(read));
    if (wide_) LookAtReaders(read);
  }

  // A float model has no such choice to make.
  bool reported() const { return quantized_ && !reasons_.empty(); }
  const std::set<std::string>& reasons() const { return reasons_; }

 private:
  void LookAtType(const Tensor& t) {
    if (t.dtype != s_.dtype) {
      reasons_.insert(fmt::format("{} instead of {}", DtypeName(t.dtype), DtypeName(s_.dtype)));
    } else if (ZeroPointAt(t.encoding, 0) != s_.zero_point) {
      reasons_.insert(
          fmt::format("zero_point {} instead of {}", ZeroPointAt(t.encoding, 0), s_.zero_point));
    }
  }

  void LookAtDims(const Tensor& t) {
    const size_t rank = t.dims.size();
    if (rank < 2) return;
    // Keys may be stored transposed: [.., head, context].
    const int64_t a = t.dims[rank - 2], b = t.dims[rank - 1];
    const auto fits = [&](int64_t c, int64_t h) {
      return c % s_.context_multiple == 0 && c >= s_.min_context && h % s_.head_multiple == 0;
    };
    if (fits(a, b) || fits(b, a)) return;
    reasons_.insert(fmt::format("dimensions {}", Dims(t)));
  }

  // What the cache is multiplied with.
  void LookAtReaders(TensorId cache) {
    for (const int32_t reader : g_.Readers(cache)) {
      const Tensor* other = g_.Is(reader, s_.matrix_products) ? g_.input(reader, 0) : nullptr;
      if (other != nullptr && IsFixedPoint(other->dtype) && BitsOf(other->dtype) < 16) {
        reasons_.insert(
            fmt::format("activations of {} bits on {}", BitsOf(other->dtype), g_.target().arch()));
      }
    }
  }

  const GraphView& g_;
  const Own& s_;
  std::set<std::string> reasons_;
  bool quantized_ = false, wide_ = false;
};

void Walk(const GraphView& g, GraphFindings& findings) {
  const std::vector<KvPair> pairs = KvPairs(g);
  if (pairs.empty()) return;
  Caches caches(g);
  for (const KvPair& pair : pairs) caches.Look(pair);
  if (!caches.reported()) return;
  Finding& f = findings.Add(-1, Consequence::kAdvice);
  f.tensor = g.tensor(pairs[0].input).name;
  f.message =
      fmt::format("{} can't be kept in the matrix unit's layout: each token lays {} out again",
                  pairs.size() == 1 ? "the cache" : fmt::format("the {} caches", pairs.size()),
                  pairs.size() == 1 ? "it" : "them");
  f.found = fmt::format("{}", fmt::join(caches.reasons(), "; "));
  const Own& wanted = g.settings<Own>();
  f.allowed = fmt::format(
      "{} and symmetric, equal in and out, read or joined by Concat; a context in multiples of {} "
      "from {} on, heads in multiples of {}",
      DtypeName(wanted.dtype), wanted.context_multiple, wanted.min_context, wanted.head_multiple);
  f.fixes.push_back(UnsafeFix("change what `found` lists; the caches work as they are, slower"));
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
    .settings = &kFormOf<Own, kFields>};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace native_kv_cache

const RuleEntry kNativeKvCacheEntry = native_kv_cache::kEntry;

}  // namespace quantgate::rules
