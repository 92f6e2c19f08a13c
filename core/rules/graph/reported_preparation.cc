#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/ir/element_count.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/encoding_facts.h"
#include "core/rules/support/expr.h"
#include "core/rules/support/format.h"
#include "core/rules/support/graph_view.h"
#include "quantgate/dtype.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace reported_preparation {

// -1 or empty: whatever it is.
struct Pattern {
  SetMask ops = 0;
  int64_t rank = -1;
  std::vector<int64_t> bits;                           // of the output, fixed-point
  std::vector<std::string_view> dtypes, input_dtypes;  // of the output, of the first input
  std::string_view innermost;  // a param that has the first input's last axis
  int64_t weight_bits = -1;                            // that carry values, of the second input
  int64_t absent = -1;                                 // an input that is not given
  int64_t computed = -1;                               // an input that is no constant
  int64_t constant = -1;                               // an input that is one
  int64_t graph_input = -1;                            // an input that is one of the graph
  int64_t per_channel = -1;  // an input with a scale for each channel, of more than one matrix
  int64_t channels = -1;     // the last dimension of the first input
  int64_t min_elements = -1;  // of the first input
  int64_t widens = -1;       // a dimension of which the output has more than the first input
  std::vector<std::string_view> backends, routes;
  Archs archs;
  Sdk since = {0}, until = {kSdkOpen};
  std::string_view breach, message, fix;

  static bool Lists(const std::vector<std::string_view>& names, std::string_view name) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
  }
  bool IsFor(const Target& target) const {
    return since.key <= target.sdk_key() && target.sdk_key() < until.key &&
           Lists(backends, target.backend()) && Lists(archs.names, target.arch());
  }
  bool Fits(const GraphView& g, int32_t op) const {
    const Tensor* out = g.Is(op, ops) ? g.output(op) : nullptr;
    if (out == nullptr || (rank >= 0 && out->rank() != rank)) return false;
    return FitsDtypes(g, op, *out) && FitsInputs(g, op) && FitsFirst(g.input(op, 0), *out) &&
           (innermost.empty() || HasLastAxis(g.op(op).FindParam(innermost), g.input(op, 0)));
  }
  bool FitsDtypes(const GraphView& g, int32_t op, const Tensor& out) const {
    if (!bits.empty() && (!IsFixedPoint(out.dtype) ||
                          std::find(bits.begin(), bits.end(), BitsOf(out.dtype)) == bits.end())) {
      return false;
    }
    const Tensor *in = g.input(op, 0), *weight = g.input(op, 1);
    return Lists(dtypes, DtypeName(out.dtype)) &&
           (input_dtypes.empty() || (in != nullptr && Lists(input_dtypes, DtypeName(in->dtype)))) &&
           (weight_bits < 0 ||
            (weight != nullptr && weight->is_static && IsFixedPoint(weight->dtype) &&
             EffectiveBits(*weight) == weight_bits));
  }
  static bool HasLastAxis(const Param* param, const Tensor* in) {
    const auto axes = param != nullptr ? IntsOf(param->value) : std::nullopt;
    return axes && in != nullptr && std::any_of(axes->begin(), axes->end(), [&](int64_t axis) {
             return axis == -1 || axis == in->rank() - 1;
           });
  }
  bool Widens(const Tensor& in, const Tensor& out) const {
    const auto before = DimOf(in, widens), after = DimOf(out, widens);
    return before && after && *after > *before;
  }
  bool FitsFirst(const Tensor* in, const Tensor& out) const {
    if (channels < 0 && widens < 0 && min_elements < 0) return true;
    return in != nullptr &&
           (min_elements < 0 ||
            ElementCount(in->dims.data(), in->dims.size()).value_or(0) >= min_elements) &&
           (channels < 0 || (in->rank() > 0 && in->dims.back() == channels)) &&
           (widens < 0 || Widens(*in, out));
  }
  bool FitsInputs(const GraphView& g, int32_t op) const {
    const auto input = [&](int64_t port) { return g.input(op, static_cast<size_t>(port)); };
    if (absent >= 0 && input(absent) != nullptr) return false;
    if (computed >= 0 && (input(computed) == nullptr || input(computed)->is_static)) return false;
    if (constant >= 0 && (input(constant) == nullptr || !input(constant)->is_static)) return false;
    if (graph_input >= 0 &&
        (input(graph_input) == nullptr ||
         !g.IsGraphInput(g.op(op).inputs[static_cast<size_t>(graph_input)]))) {
      return false;
    }
    return per_channel < 0 ||
           (input(per_channel) != nullptr && IsUnusualPerChannel(*input(per_channel)));
  }
  // Scales per channel are usual in a matrix, not in a vector (a bias) or in a batch of matrices.
  static bool IsUnusualPerChannel(const Tensor& t) {
    if (t.encoding->kind != EncodingKind::kPerChannel) return false;
    return t.rank() == 1 || (t.rank() > 2 && std::any_of(t.dims.begin(), t.dims.end() - 2,
                                                         [](int64_t dim) { return dim > 1; }));
  }
};

using P = Fields<Pattern>;
constexpr SettingField kPattern[] = {P::Bind<&Pattern::ops>("ops"),
                                     P::Bind<&Pattern::rank>("rank", false),
                                     P::Bind<&Pattern::bits>("bits", false),
                                     P::Bind<&Pattern::dtypes>("dtypes", false),
                                     P::Bind<&Pattern::input_dtypes>("input_dtypes", false),
                                     P::Bind<&Pattern::innermost>("innermost", false),
                                     P::Bind<&Pattern::weight_bits>("weight_bits", false),
                                     P::Bind<&Pattern::absent>("absent", false),
                                     P::Bind<&Pattern::computed>("computed", false),
                                     P::Bind<&Pattern::constant>("constant", false),
                                     P::Bind<&Pattern::graph_input>("graph_input", false),
                                     P::Bind<&Pattern::per_channel>("per_channel", false),
                                     P::Bind<&Pattern::channels>("channels", false),
                                     P::Bind<&Pattern::widens>("widens", false),
                                     P::Bind<&Pattern::min_elements>("min_elements", false),
                                     P::Bind<&Pattern::backends>("backends", false),
                                     P::Bind<&Pattern::routes>("routes", false),
                                     P::Bind<&Pattern::archs>("archs", false),
                                     P::Bind<&Pattern::since>("since"),
                                     P::Bind<&Pattern::until>("until", false),
                                     P::Bind<&Pattern::breach>("breach", false),
                                     P::Bind<&Pattern::message>("message"),
                                     P::Bind<&Pattern::fix>("fix")};

struct Own : Settings {
  std::vector<Pattern> patterns;

  bool PickFor(const Target& target) override {
    std::erase_if(patterns, [&](const Pattern& pattern) { return !pattern.IsFor(target); });
    return !patterns.empty();
  }
};

constexpr SettingField kFields[] = {Fields<Own>::Rows<&Own::patterns>("patterns", kPattern)};

void Visit(const GraphView& g, int32_t op, GraphFindings& findings) {
  for (const Pattern& pattern : g.settings<Own>().patterns) {
    if (!pattern.Fits(g, op) || !Pattern::Lists(pattern.routes, g.route())) continue;
    const Tensor* out = g.output(op);
    Finding& f = findings.AddOutput(
        op, 0, ConsequenceFromName(pattern.breach).value_or(Consequence::kAdvice));
    f.message = std::string(pattern.message);
    f.found = fmt::format("{} {}", DtypeName(out->dtype), Dims(*out));
    f.fixes.push_back(UnsafeFix(std::string(pattern.fix)));
  }
}

constexpr RuleEntry kEntry = {
    .rule = About(kReportedPreparation,
                  {.summary = "others reported that a library of this version fails at such an op",
                   .explanation = R"(## What it checks
Patterns of op, rank, width, inputs, arch and SDK at which users, or the tests of public tools,
reported that a library fails: at op validation, at graph finalization or in its numbers, and which
no library at hand shows.

## Why
Nobody can ask the library of that version here. One report is an advice, no verdict; what a public
tool works around for the versions that it names has the consequence that it says.

## Fix
What the finding says; or ask your own library: `quantgate verify --prepare`.

## References
The evidence and what the real library or provider said are listed below.
)",
                   .status = RuleStatus::kStable}),
    .visit = Visit,
    .settings = &kFormOf<Own, kFields>};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace reported_preparation

const RuleEntry kReportedPreparationEntry = reported_preparation::kEntry;

}  // namespace quantgate::rules
