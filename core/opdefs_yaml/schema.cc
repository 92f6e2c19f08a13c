#include "core/opdefs_yaml/schema.h"

#include <algorithm>
#include <array>

#include "core/opdb/kinds.h"

namespace quantgate::opdefs {
namespace {

using opdb::ArgKey;
using opdb::Kind;
using enum FieldType;

constexpr Field kRank[] = {{"min", ArgKey::kMin, kExpr},
                           {"max", ArgKey::kMax, kExpr},
                           {"eq", ArgKey::kEq, kExpr},
                           {"squeezable_to", ArgKey::kSqueezableTo, kInt},
                           {"sparse", ArgKey::kSparse, kFlag}};
constexpr Field kDim[] = {{"dim", ArgKey::kDim, kDims, true},
                          {"eq", ArgKey::kEq, kExpr},
                          {"min", ArgKey::kMin, kExpr},
                          {"max", ArgKey::kMax, kExpr},
                          {"max_exclusive", ArgKey::kMaxExclusive, kExpr},
                          {"multiple_of", ArgKey::kMultipleOf, kExpr}};
constexpr Field kAs[] = {{"as", ArgKey::kAs, kPort, true}};
constexpr Field kSameDims[] = {{"as", ArgKey::kAs, kPort, true},
                               {"dims", ArgKey::kDims, kExprs, true},
                               {"broadcast", ArgKey::kBroadcast, kFlag}};
constexpr Field kBroadcast[] = {{"allowed", ArgKey::kAllowed, kFlag},
                                {"mixed", ArgKey::kMixed, kFlag},
                                {"exact", ArgKey::kExact, kFlag}};
constexpr Field kAllowedFlag[] = {{"allowed", ArgKey::kAllowed, kFlag}};
constexpr Field kDtypeLists[] = {{"allowed", ArgKey::kAllowed, kDtypes},
                                 {"denied", ArgKey::kDenied, kDtypes}};
constexpr Field kPeerDtype[] = {{"peer", ArgKey::kPeer, kPort, true},
                                {"bits", ArgKey::kBits, kInt},
                                {"dtypes", ArgKey::kDtypes, kDtypes}};
constexpr Field kNumberLists[] = {{"allowed", ArgKey::kAllowed, kInts},
                                  {"denied", ArgKey::kDenied, kInts}};
constexpr Field kStorage[] = {{"dtype", ArgKey::kDtype, FieldType::kDtype, true}};
constexpr Field kEncodingLists[] = {{"allowed", ArgKey::kAllowed, FieldType::kEncodings},
                                    {"denied", ArgKey::kDenied, FieldType::kEncodings}};
constexpr Field kAxis[] = {{"axis", ArgKey::kAxis, kInt, true}};
constexpr Field kSameEncoding[] = {
    {"as", ArgKey::kAs, kPort, true},
    {"aspect", ArgKey::kAspect, kChoice, false,
     "scale|offset|both|equal_or_smaller_scale|equal_or_larger_scale|as_read|as_read_raw"}};
constexpr Field kFixed[] = {{"scale", ArgKey::kScale, kReal},
                            {"offset", ArgKey::kOffset, kInt},
                            {"max", ArgKey::kMax, kInt},
                            {"aspect", ArgKey::kAspect, kChoice, false, "as_read_raw"}};
constexpr Field kStaticLevel[] = {
    {"level", ArgKey::kLevel, kChoice, false, "tensor|tensor_or_const_chain"}};
constexpr Field kRange[] = {{"min", ArgKey::kMin, kExpr}, {"max", ArgKey::kMax, kExpr}};
constexpr Field kScales[] = {{"min", ArgKey::kMin, kReal},
                             {"max", ArgKey::kMax, kReal},
                             {"as", ArgKey::kAs, kPorts}};
constexpr Field kMinArch[] = {{"min", ArgKey::kArch, FieldType::kArch, true}};
constexpr Field kParamValue[] = {{"eq", ArgKey::kEq, kValues},
                                 {"allowed", ArgKey::kAllowed, kValues},
                                 {"denied", ArgKey::kDenied, kValues},
                                 {"min", ArgKey::kMin, kValue},
                                 {"max", ArgKey::kMax, kValue},
                                 {"min_exclusive", ArgKey::kMinExclusive, kValue},
                                 {"max_exclusive", ArgKey::kMaxExclusive, kValue},
                                 {"default", ArgKey::kDefault, kTrue},
                                 {"index", ArgKey::kIndex, kInts},
                                 {"unset", ArgKey::kUnset, kChoice, false, "same_rule"}};
constexpr Field kMinM[] = {{"min_m", ArgKey::kMinM, kInt, true}};
constexpr Field kNoteText[] = {{"topic", ArgKey::kTopic, kText},
                               {"text", ArgKey::kText, FieldType::kText, true}};
constexpr Field kScaleAspect[] = {
    {"aspect", ArgKey::kAspect, kChoice, false, "positive|finite|nonzero|nonnegative"}};
constexpr Field kBlockSizes[] = {{"allowed", ArgKey::kAllowed, kInts},
                                 {"denied", ArgKey::kDenied, kInts},
                                 {"min", ArgKey::kMin, kInt},
                                 {"max", ArgKey::kMax, kInt},
                                 {"multiple_of", ArgKey::kMultipleOf, kInt},
                                 {"divides", ArgKey::kInteger, kTrue}};
constexpr Field kBias[] = {{"as", ArgKey::kAs, kPortPair, true},
                           {"tolerance", ArgKey::kTolerance, kReal},
                           {"max", ArgKey::kMax, kReal}};

constexpr uint8_t kTensor = kOnPort | kOnAll;

constexpr KindSchema kKinds[] = {
    {Kind::kRank, kTensor, kRank, 1},
    {Kind::kDim, kTensor, kDim, 2},
    {Kind::kDimProduct, kTensor, kDim, 2},
    {Kind::kSameRank, kTensor, kAs},
    {Kind::kSameShape, kTensor, kAs},
    {Kind::kSameDims, kTensor, kSameDims},
    {Kind::kBroadcast, kTensor, kBroadcast, 1},
    {Kind::kDynamicDims, kTensor, kAllowedFlag, 1},
    {Kind::kDtypes, kTensor, kDtypeLists, 1},
    {Kind::kSameDtype, kTensor, kAs},
    {Kind::kPeerDtype, kTensor, kPeerDtype, 2},
    {Kind::kBitWidth, kTensor, kNumberLists, 1},
    {Kind::kStorageDtype, kOnParam, kStorage},
    {Kind::kEncodings, kTensor, kEncodingLists, 1},
    {Kind::kEncodingDefined, kTensor, {}},
    {Kind::kQuantAxis, kTensor, kAxis},
    {Kind::kSigned, kTensor, {}},
    {Kind::kSymmetric, kTensor, {}},
    {Kind::kAsymmetric, kTensor, {}},
    {Kind::kSameEncoding, kTensor, kSameEncoding},
    {Kind::kFixedEncoding, kTensor, kFixed, 1},
    {Kind::kStatic, kTensor, kStaticLevel},
    {Kind::kValueRange, kTensor, kRange, 1},
    {Kind::kUniqueValues, kTensor, {}},
    {Kind::kMinArch, kTensor | kOnParam, kMinArch},
    {Kind::kParamValue, kOnParam, kParamValue, 1},
    {Kind::kDefaultOnly, kOnPort | kOnParam, {}},
    {Kind::kParamRequired, kOnParam, {}},
    {Kind::kPortUnsupported, kOnPort | kOnParam, {}},
    {Kind::kPortOptional, kOnPort, kAllowedFlag, 1},
    {Kind::kInputCount, kTensor, kMinM},
    {Kind::kAnyOf, kTensor | kOnParam, {}},
    {Kind::kNote, kTensor | kOnParam, kNoteText},
    {Kind::kValidScale, kTensor, kScaleAspect},
    {Kind::kOffsetRange, kTensor, kRange, 1},
    {Kind::kScaleRange, kTensor, kScales, 1},
    {Kind::kBlockSize, kTensor, kBlockSizes, 1},
    {Kind::kBiasScale, kOnPort, kBias},
};

}  // namespace

std::span<const KindSchema> Kinds() { return kKinds; }

const KindSchema* FindKind(std::string_view name) {
  const auto* const it =
      std::find_if(std::begin(kKinds), std::end(kKinds),
                   [&](const KindSchema& kind) { return opdb::KindName(kind.kind) == name; });
  return it == std::end(kKinds) ? nullptr : it;
}

}  // namespace quantgate::opdefs
