// The keys of Model JSON, as they are written and in snake case; their meaning: proto/quantgate/v1/model.proto.
#ifndef QUANTGATE_CORE_READERS_MODEL_MODEL_JSON_KEYS_H_
#define QUANTGATE_CORE_READERS_MODEL_MODEL_JSON_KEYS_H_

#include <array>
#include <cstdint>
#include <initializer_list>

#include "core/base/json_cursor.h"

namespace quantgate::model_json {

enum ModelKey { kName, kDialect, kOpset, kInputs, kOutputs, kTensors, kNodes, kNotes };
inline constexpr std::array<JsonKey, 8> kModelKeys = {{{"name", "name"},
                                                {"dialect", "dialect"},
                                                {"opset", "opset"},
                                                {"inputs", "inputs"},
                                                {"outputs", "outputs"},
                                                {"tensors", "tensors"},
                                                {"nodes", "nodes"},
                                                {"notes", "notes"}}};

enum TensorKey {
  kTensorName,
  kTensorDtype,
  kTensorDims,
  kUnknownRank,
  kIsStatic,
  kEncoding,
  kValues,
  kRealValues,
  kSparse,
  kValueRange
};
inline constexpr std::array<JsonKey, 10> kTensorKeys = {{{"name", "name"},
                                                  {"dtype", "dtype"},
                                                  {"dims", "dims"},
                                                  {"unknownRank", "unknown_rank"},
                                                  {"isStatic", "is_static"},
                                                  {"encoding", "encoding"},
                                                  {"values", "values"},
                                                  {"realValues", "real_values"},
                                                  {"sparse", "sparse"},
                                                  {"valueRange", "value_range"}}};

inline constexpr std::array<JsonKey, 4> kEncodingKinds = {{{"perTensor", "per_tensor"},
                                                    {"perChannel", "per_channel"},
                                                    {"block", "block"},
                                                    {"lpbq", "lpbq"}}};

// The fields of all kinds; which kind has which is in kKindFields.
enum EncodingKey {
  kScale,
  kZeroPoint,
  kScales,
  kZeroPoints,
  kBitwidth,
  kAxis,
  kBlockSize,
  kNumBlocks,
  kBlockScales,
  kBlockScaleBitwidth,
  kBlockScaleStorageBits
};
inline constexpr std::array<JsonKey, 11> kEncodingKeys = {
    {{"scale", "scale"},
     {"zeroPoint", "zero_point"},
     {"scales", "scales"},
     {"zeroPoints", "zero_points"},
     {"bitwidth", "bitwidth"},
     {"axis", "axis"},
     {"blockSize", "block_size"},
     {"numBlocks", "num_blocks"},
     {"blockScales", "block_scales"},
     {"blockScaleBitwidth", "block_scale_bitwidth"},
     {"blockScaleStorageBits", "block_scale_storage_bits"}}};
constexpr uint32_t Bits(std::initializer_list<int> keys) {
  uint32_t bits = 0;
  for (const int key : keys) bits |= 1u << key;
  return bits;
}
inline constexpr std::array<uint32_t, 4> kKindFields = {
    Bits({kScale, kZeroPoint, kBitwidth}), Bits({kScales, kZeroPoints, kBitwidth, kAxis}),
    Bits({kScales, kZeroPoints, kBitwidth, kBlockSize}),
    Bits({kScales, kZeroPoints, kBitwidth, kAxis, kNumBlocks, kBlockScales, kBlockScaleBitwidth,
          kBlockScaleStorageBits})};

enum NodeKey {
  kNodeName,
  kNodeOp,
  kNodeInputs,
  kNodeOutputs,
  kParams,
  kNodeDialect,
  kDomain,
  kLocation,
  kUncheckedReason
};
inline constexpr std::array<JsonKey, 9> kNodeKeys = {{{"name", "name"},
                                               {"op", "op"},
                                               {"inputs", "inputs"},
                                               {"outputs", "outputs"},
                                               {"params", "params"},
                                               {"dialect", "dialect"},
                                               {"domain", "domain"},
                                               {"location", "location"},
                                               {"uncheckedReason", "unchecked_reason"}}};

enum ParamKey { kInt, kUint, kReal, kFlag, kTensorValue, kText, kTexts, kInts, kReals };
inline constexpr std::array<JsonKey, 9> kParamKeys = {{{"int", "int"},
                                                {"uint", "uint"},
                                                {"real", "real"},
                                                {"flag", "flag"},
                                                {"tensor", "tensor"},
                                                {"text", "text"},
                                                {"texts", "texts"},
                                                {"ints", "ints"},
                                                {"reals", "reals"}}};

inline constexpr std::array<JsonKey, 4> kTensorParamKeys = {
    {{"dtype", "dtype"}, {"dims", "dims"}, {"ints", "ints"}, {"reals", "reals"}}};
inline constexpr std::array<JsonKey, 2> kRangeKeys = {{{"min", "min"}, {"max", "max"}}};

}  // namespace quantgate::model_json

#endif  // QUANTGATE_CORE_READERS_MODEL_MODEL_JSON_KEYS_H_
