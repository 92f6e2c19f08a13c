#include "core/database/compile/document/schema.h"

#include <algorithm>
#include <array>

#include "core/database/kinds.h"

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
constexpr Field kDynamic[] = {{"allowed", ArgKey::kAllowed, kFlag}, {"from", ArgKey::kMin, kInt}};
constexpr Field kGiven[] = {{"allowed", ArgKey::kAllowed, kFlag},
                            {"listed", ArgKey::kExact, kFlag}};
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
constexpr Field kAxis[] = {{"axis", ArgKey::kAxis, kInt}, {"exact", ArgKey::kExact, kFlag}};
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
constexpr Field kValueBounds[] = {{"min", ArgKey::kMin, kExpr},
                                  {"max", ArgKey::kMax, kExpr},
                                  {"index", ArgKey::kIndex, kInt},
                                  {"known", ArgKey::kRequired, kFlag}};
constexpr Field kScales[] = {
    {"min", ArgKey::kMin, kReal}, {"max", ArgKey::kMax, kReal}, {"as", ArgKey::kAs, kPorts}};
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
                                 {"multiple_of", ArgKey::kMultipleOf, kInt}};
constexpr Field kBias[] = {{"as", ArgKey::kAs, kPortPair, true},
                           {"peer", ArgKey::kPeer, kPort},
                           {"tolerance", ArgKey::kTolerance, kReal},
                           {"max", ArgKey::kMax, kReal}};

constexpr KindSchema kKinds[] = {
    {Kind::kRank, kRank, 1, "eq", true},
    {Kind::kDim, kDim, 2},
    {Kind::kDimProduct, kDim, 2},
    {Kind::kSameRank, kAs, 0, "as"},
    {Kind::kSameShape, kAs, 0, "as"},
    {Kind::kSameDims, kSameDims},
    {Kind::kBroadcast, kBroadcast, 1},
    {Kind::kDynamicDims, kDynamic, 1, "allowed"},
    {Kind::kDtypes, kDtypeLists, 1},
    {Kind::kSameDtype, kAs, 0, "as"},
    {Kind::kPeerDtype, kPeerDtype, 2},
    {Kind::kBitWidth, kNumberLists, 1},
    {Kind::kStorageDtype, kStorage, 0, "dtype"},
    {Kind::kEncodings, kEncodingLists, 1},
    {Kind::kEncodingDefined, {}},
    {Kind::kQuantAxis, kAxis, 1, "axis"},
    {Kind::kSigned, {}},
    {Kind::kSymmetric, {}},
    {Kind::kAsymmetric, {}},
    {Kind::kSameEncoding, kSameEncoding, 0, "as"},
    {Kind::kFixedEncoding, kFixed, 1},
    {Kind::kStatic, kStaticLevel, 0, "level"},
    {Kind::kValueRange, kValueBounds, 1, "", true},
    {Kind::kUniqueValues, {}},
    {Kind::kMinArch, kMinArch, 0, "min"},
    {Kind::kParamValue, kParamValue, 1},
    {Kind::kDefaultOnly, {}},
    {Kind::kParamRequired, {}},
    {Kind::kPortUnsupported, {}},
    {Kind::kPortOptional, kGiven, 1, "allowed"},
    {Kind::kInputCount, kMinM, 0, "min_m"},
    {Kind::kAnyOf, {}, 0, "of"},
    {Kind::kNote, kNoteText, 0, "text"},
    {Kind::kValidScale, kScaleAspect, 0, "aspect"},
    {Kind::kOffsetRange, kRange, 1, "", true},
    {Kind::kScaleRange, kScales, 1, "", true},
    {Kind::kBlockSize, kBlockSizes, 1},
    {Kind::kBiasScale, kBias},
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
