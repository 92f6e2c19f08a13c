#include "core/opdb/kinds.h"

#include <array>

namespace quantgate::opdb {
namespace {

struct KindText {
  std::string_view name, rule;
};

// In the order of Kind.
constexpr std::array<KindText, kKindCount> kKinds = {{
    {"rank", "QG501"},
    {"dim", "QG502"},
    {"dim_product", "QG502"},
    {"same_rank", "QG403"},
    {"same_shape", "QG403"},
    {"same_dims", "QG403"},
    {"broadcast", "QG404"},
    {"scale_ratio", ""},
    {"dynamic_dims", "QG503"},
    {"dtypes", "QG206"},
    {"same_dtype", "QG405"},
    {"peer_dtype", "QG405"},
    {"bit_width", "QG309"},
    {"storage_dtype", "QG312"},
    {"encodings", "QG304"},
    {"encoding_defined", "QG305"},
    {"quant_axis", "QG303"},
    {"signed", "QG302"},
    {"symmetric", "QG301"},
    {"asymmetric", "QG317"},
    {"same_encoding", "QG401"},
    {"fixed_encoding", "QG306"},
    {"updatable_quant", ""},
    {"static", "QG313"},
    {"value_range", "QG314"},
    {"unique_values", "QG318"},
    {"min_arch", "QG316"},
    {"param_value", "QG504"},
    {"default_only", "QG506"},
    {"param_ignored", ""},
    {"param_required", "QG507"},
    {"param_count", ""},
    {"equal_elements", ""},
    {"pad_axes", ""},
    {"port_unsupported", "QG506"},
    {"port_optional", "QG505"},
    {"input_count", "QG508"},
    {"any_of", "QG509"},
    {"note", ""},
    {"valid_scale", "QG307"},
    {"offset_range", "QG308"},
    {"output_range", ""},
    {"scale_range", "QG310"},
    {"block_size", "QG311"},
    {"bias_scale", "QG402"},
}};

// In the order of ArgKey.
constexpr std::array<std::string_view, static_cast<size_t>(ArgKey::kExact) + 1> kArgKeys = {
    "min",       "max",       "eq",     "min_exclusive", "max_exclusive", "multiple_of",
    "allowed",   "denied",    "as",     "dim",           "dims",          "axis",
    "index",     "scale",     "offset", "aspect",        "bits",          "dtype",
    "dtypes",    "peer",      "level",  "arch",          "sparse",        "squeezable_to",
    "broadcast", "absent_ok", "mixed",  "required",      "integer",       "uniform",
    "default",   "unset",     "groups", "axes",          "layout",        "min_m",
    "topic",     "text",      "count",  "tolerance",     "exact"};

// In the order of CondKey; without the `_of` that names another port.
constexpr std::array<std::string_view, static_cast<size_t>(CondKey::kNoop) + 1> kCondKeys = {
    "dtype",     "dtype_not", "bits",     "encoding",      "param",
    "param_not", "rank",      "rank_min", "any_dim_above", "any_dim_not_multiple",
    "m",         "m_min",     "static",   "present",       "axes_include",
    "symmetric", "dim_eq",    "noop"};

}  // namespace

std::string_view KindName(Kind kind) { return kKinds[static_cast<size_t>(kind)].name; }
std::string_view KindRule(Kind kind) { return kKinds[static_cast<size_t>(kind)].rule; }
std::string_view ArgKeyName(ArgKey key) { return kArgKeys[static_cast<size_t>(key)]; }
std::string_view CondKeyName(CondKey key) { return kCondKeys[static_cast<size_t>(key)]; }

}  // namespace quantgate::opdb
