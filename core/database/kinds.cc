#include "core/database/kinds.h"

#include <array>

namespace quantgate::opdb {
namespace {

constexpr uint8_t kTensor = kOnPort | kOnAll;

struct KindRow {
  std::string_view name, rule;
  uint8_t subjects;
};

// In the order of Kind.
constexpr std::array<KindRow, kKindCount> kKinds = {{
    {"rank", "QG501", kTensor},
    {"dim", "QG502", kTensor},
    {"dim_product", "QG502", kTensor},
    {"same_rank", "QG403", kTensor},
    {"same_shape", "QG403", kTensor},
    {"same_dims", "QG403", kTensor},
    {"broadcast", "QG404", kTensor},
    {"dynamic_dims", "QG503", kTensor},
    {"dtypes", "QG206", kTensor},
    {"same_dtype", "QG405", kTensor},
    {"peer_dtype", "QG405", kTensor},
    {"bit_width", "QG309", kTensor},
    {"storage_dtype", "QG312", kOnParam},
    {"encodings", "QG304", kTensor},
    {"encoding_defined", "QG305", kTensor},
    {"quant_axis", "QG303", kTensor},
    {"signed", "QG302", kTensor},
    {"symmetric", "QG301", kTensor},
    {"asymmetric", "QG317", kTensor},
    {"same_encoding", "QG401", kTensor},
    {"fixed_encoding", "QG306", kTensor},
    {"static", "QG313", kTensor},
    {"value_range", "QG314", kTensor},
    {"unique_values", "QG318", kTensor},
    {"min_arch", "QG316", kTensor | kOnParam},
    {"param_value", "QG504", kOnParam},
    {"default_only", "QG506", kOnPort | kOnParam},
    {"param_required", "QG507", kOnParam},
    {"port_unsupported", "QG506", kOnPort | kOnParam},
    {"port_optional", "QG505", kOnPort},
    {"input_count", "QG508", kTensor},
    {"any_of", "QG509", kTensor | kOnParam},
    {"note", "", kTensor | kOnParam},
    {"valid_scale", "QG307", kTensor},
    {"offset_range", "QG308", kTensor},
    {"scale_range", "QG310", kTensor},
    {"block_size", "QG311", kTensor},
    {"bias_scale", "QG402", kOnPort},
}};

// In the order of ArgKey.
constexpr std::array<std::string_view, static_cast<size_t>(ArgKey::kExact) + 1> kArgKeys = {
    "min", "max", "eq", "min_exclusive", "max_exclusive", "multiple_of", "allowed", "denied", "as",
    "dim", "dims", "axis", "index", "scale", "offset", "aspect", "bits", "dtype", "dtypes", "peer",
    "level", "arch", "sparse", "squeezable_to", "broadcast", "mixed", "required", "default",
    "unset", "min_m", "topic", "text", "tolerance", "exact"};

// In the order of CondKey; without the `_of` that names another port.
constexpr std::array<std::string_view, static_cast<size_t>(CondKey::kNoop) + 1> kCondKeys = {
    "dtype",     "dtype_not", "bits",     "encoding",      "param",
    "param_not", "rank",      "rank_min", "any_dim_above", "any_dim_not_multiple",
    "m",         "m_min",     "static",   "present",       "axes_include",
    "symmetric", "dim_eq",    "noop"};

constexpr std::string_view kSourceKinds[] = {"documents", "revision", "measured"};

}  // namespace

uint8_t KindSubjects(Kind kind) { return kKinds[static_cast<size_t>(kind)].subjects; }
std::string_view KindName(Kind kind) { return kKinds[static_cast<size_t>(kind)].name; }
std::string_view KindRule(Kind kind) { return kKinds[static_cast<size_t>(kind)].rule; }
std::string_view ArgKeyName(ArgKey key) { return kArgKeys[static_cast<size_t>(key)]; }
std::string_view CondKeyName(CondKey key) { return kCondKeys[static_cast<size_t>(key)]; }
std::span<const std::string_view> SourceKindNames() { return kSourceKinds; }
std::string_view SourceKindName(SourceKind kind) { return kSourceKinds[static_cast<size_t>(kind)]; }

}  // namespace quantgate::opdb
