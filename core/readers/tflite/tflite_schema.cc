// Generated once from the numbers of the public schema (version 3c), and kept by hand since.
#include "core/readers/tflite/tflite_schema.h"

#include <algorithm>
#include <array>

namespace quantgate::tflite {
namespace {

// By number; the second is the table of options in the union BuiltinOptions, 0 = none.
constexpr std::array<OperatorRow, 208> kOperators = {{
    {"ADD", 11}, {"AVERAGE_POOL_2D", 5}, {"CONCATENATION", 10}, {"CONV_2D", 1},
    {"DEPTHWISE_CONV_2D", 2}, {"DEPTH_TO_SPACE", 94}, {"DEQUANTIZE", 38}, {"EMBEDDING_LOOKUP", 0},
    {"FLOOR", 0}, {"FULLY_CONNECTED", 8}, {"HASHTABLE_LOOKUP", 0}, {"L2_NORMALIZATION", 12},
    {"L2_POOL_2D", 5}, {"LOCAL_RESPONSE_NORMALIZATION", 13}, {"LOGISTIC", 0},
    {"LSH_PROJECTION", 4}, {"LSTM", 14}, {"MAX_POOL_2D", 5}, {"MUL", 21}, {"RELU", 0},
    {"RELU_N1_TO_1", 0}, {"RELU6", 0}, {"RESHAPE", 17}, {"RESIZE_BILINEAR", 15}, {"RNN", 7},
    {"SOFTMAX", 9}, {"SPACE_TO_DEPTH", 19}, {"SVDF", 6}, {"TANH", 0}, {"CONCAT_EMBEDDINGS", 3},
    {"SKIP_GRAM", 18}, {"CALL", 16}, {"CUSTOM", 0}, {"EMBEDDING_LOOKUP_SPARSE", 20}, {"PAD", 22},
    {"UNIDIRECTIONAL_SEQUENCE_RNN", 31}, {"GATHER", 23}, {"BATCH_TO_SPACE_ND", 24},
    {"SPACE_TO_BATCH_ND", 25}, {"TRANSPOSE", 26}, {"MEAN", 27}, {"SUB", 28}, {"DIV", 29},
    {"SQUEEZE", 30}, {"UNIDIRECTIONAL_SEQUENCE_LSTM", 71}, {"STRIDED_SLICE", 32},
    {"BIDIRECTIONAL_SEQUENCE_RNN", 70}, {"EXP", 33}, {"TOPK_V2", 34}, {"SPLIT", 35},
    {"LOG_SOFTMAX", 36}, {"DELEGATE", 0}, {"BIDIRECTIONAL_SEQUENCE_LSTM", 69}, {"CAST", 37},
    {"PRELU", 0}, {"MAXIMUM", 39}, {"ARG_MAX", 40}, {"MINIMUM", 39}, {"LESS", 41}, {"NEG", 42},
    {"PADV2", 43}, {"GREATER", 44}, {"GREATER_EQUAL", 45}, {"LESS_EQUAL", 46}, {"SELECT", 47},
    {"SLICE", 48}, {"SIN", 0}, {"TRANSPOSE_CONV", 49}, {"SPARSE_TO_DENSE", 50}, {"TILE", 51},
    {"EXPAND_DIMS", 52}, {"EQUAL", 53}, {"NOT_EQUAL", 54}, {"LOG", 0}, {"SUM", 27}, {"SQRT", 0},
    {"RSQRT", 0}, {"SHAPE", 55}, {"POW", 56}, {"ARG_MIN", 57}, {"FAKE_QUANT", 58},
    {"REDUCE_PROD", 27}, {"REDUCE_MAX", 27}, {"PACK", 59}, {"LOGICAL_OR", 60}, {"ONE_HOT", 61},
    {"LOGICAL_AND", 62}, {"LOGICAL_NOT", 63}, {"UNPACK", 64}, {"REDUCE_MIN", 27},
    {"FLOOR_DIV", 65}, {"REDUCE_ANY", 27}, {"SQUARE", 66}, {"ZEROS_LIKE", 67}, {"FILL", 68},
    {"FLOOR_MOD", 72}, {"RANGE", 73}, {"RESIZE_NEAREST_NEIGHBOR", 74}, {"LEAKY_RELU", 75},
    {"SQUARED_DIFFERENCE", 76}, {"MIRROR_PAD", 77}, {"ABS", 78}, {"SPLIT_V", 79}, {"UNIQUE", 80},
    {"CEIL", 0}, {"REVERSE_V2", 81}, {"ADD_N", 82}, {"GATHER_ND", 83}, {"COS", 84}, {"WHERE", 85},
    {"RANK", 86}, {"ELU", 0}, {"REVERSE_SEQUENCE", 87}, {"MATRIX_DIAG", 88}, {"QUANTIZE", 89},
    {"MATRIX_SET_DIAG", 90}, {"ROUND", 0}, {"HARD_SWISH", 91}, {"IF", 92}, {"WHILE", 93},
    {"NON_MAX_SUPPRESSION_V4", 95}, {"NON_MAX_SUPPRESSION_V5", 96}, {"SCATTER_ND", 97},
    {"SELECT_V2", 98}, {"DENSIFY", 99}, {"SEGMENT_SUM", 100}, {"BATCH_MATMUL", 101}, {"", 0},
    {"CUMSUM", 102}, {"CALL_ONCE", 103}, {"BROADCAST_TO", 104}, {"RFFT2D", 105}, {"CONV_3D", 106},
    {"IMAG", 0}, {"REAL", 0}, {"COMPLEX_ABS", 0}, {"HASHTABLE", 107}, {"HASHTABLE_FIND", 108},
    {"HASHTABLE_IMPORT", 109}, {"HASHTABLE_SIZE", 110}, {"REDUCE_ALL", 27},
    {"CONV_3D_TRANSPOSE", 106}, {"VAR_HANDLE", 111}, {"READ_VARIABLE", 112},
    {"ASSIGN_VARIABLE", 113}, {"BROADCAST_ARGS", 0}, {"RANDOM_STANDARD_NORMAL", 114},
    {"BUCKETIZE", 115}, {"RANDOM_UNIFORM", 114}, {"MULTINOMIAL", 114}, {"GELU", 116},
    {"DYNAMIC_UPDATE_SLICE", 117}, {"RELU_0_TO_1", 0}, {"UNSORTED_SEGMENT_PROD", 118},
    {"UNSORTED_SEGMENT_MAX", 119}, {"UNSORTED_SEGMENT_SUM", 121}, {"ATAN2", 122},
    {"UNSORTED_SEGMENT_MIN", 120}, {"SIGN", 123}, {"BITCAST", 124}, {"BITWISE_XOR", 125},
    {"RIGHT_SHIFT", 126}, {"STABLEHLO_LOGISTIC", 0}, {"STABLEHLO_ADD", 0},
    {"STABLEHLO_DIVIDE", 0}, {"STABLEHLO_MULTIPLY", 0}, {"STABLEHLO_MAXIMUM", 0},
    {"STABLEHLO_RESHAPE", 0}, {"STABLEHLO_CLAMP", 0}, {"STABLEHLO_CONCATENATE", 0},
    {"STABLEHLO_BROADCAST_IN_DIM", 0}, {"STABLEHLO_CONVOLUTION", 0}, {"STABLEHLO_SLICE", 0},
    {"STABLEHLO_CUSTOM_CALL", 0}, {"STABLEHLO_REDUCE", 0}, {"STABLEHLO_ABS", 0},
    {"STABLEHLO_AND", 0}, {"STABLEHLO_COSINE", 0}, {"STABLEHLO_EXPONENTIAL", 0},
    {"STABLEHLO_FLOOR", 0}, {"STABLEHLO_LOG", 0}, {"STABLEHLO_MINIMUM", 0},
    {"STABLEHLO_NEGATE", 0}, {"STABLEHLO_OR", 0}, {"STABLEHLO_POWER", 0},
    {"STABLEHLO_REMAINDER", 0}, {"STABLEHLO_RSQRT", 0}, {"STABLEHLO_SELECT", 0},
    {"STABLEHLO_SUBTRACT", 0}, {"STABLEHLO_TANH", 0}, {"STABLEHLO_SCATTER", 0},
    {"STABLEHLO_COMPARE", 0}, {"STABLEHLO_CONVERT", 0}, {"STABLEHLO_DYNAMIC_SLICE", 0},
    {"STABLEHLO_DYNAMIC_UPDATE_SLICE", 0}, {"STABLEHLO_PAD", 0}, {"STABLEHLO_IOTA", 0},
    {"STABLEHLO_DOT_GENERAL", 0}, {"STABLEHLO_REDUCE_WINDOW", 0}, {"STABLEHLO_SORT", 0},
    {"STABLEHLO_WHILE", 0}, {"STABLEHLO_GATHER", 0}, {"STABLEHLO_TRANSPOSE", 0}, {"DILATE", 0},
    {"STABLEHLO_RNG_BIT_GENERATOR", 0}, {"REDUCE_WINDOW", 0}, {"STABLEHLO_COMPOSITE", 0},
    {"COMPLEX", 0},
}};

// Sorted by table, then by field.
constexpr std::array<OptionField, 134> kOptions = {{
    {1, 0, Kind::kByte, 0, "padding"}, {1, 1, Kind::kInt, 0, "stride_w"},
    {1, 2, Kind::kInt, 0, "stride_h"}, {1, 3, Kind::kByte, 0, "fused_activation_function"},
    {1, 4, Kind::kInt, 1, "dilation_w_factor"}, {1, 5, Kind::kInt, 1, "dilation_h_factor"},
    {1, 6, Kind::kByte, 0, "quantized_bias_type"}, {2, 0, Kind::kByte, 0, "padding"},
    {2, 1, Kind::kInt, 0, "stride_w"}, {2, 2, Kind::kInt, 0, "stride_h"},
    {2, 3, Kind::kInt, 0, "depth_multiplier"},
    {2, 4, Kind::kByte, 0, "fused_activation_function"},
    {2, 5, Kind::kInt, 1, "dilation_w_factor"}, {2, 6, Kind::kInt, 1, "dilation_h_factor"},
    {5, 0, Kind::kByte, 0, "padding"}, {5, 1, Kind::kInt, 0, "stride_w"},
    {5, 2, Kind::kInt, 0, "stride_h"}, {5, 3, Kind::kInt, 0, "filter_width"},
    {5, 4, Kind::kInt, 0, "filter_height"}, {5, 5, Kind::kByte, 0, "fused_activation_function"},
    {6, 0, Kind::kInt, 0, "rank"}, {6, 1, Kind::kByte, 0, "fused_activation_function"},
    {6, 2, Kind::kBool, 0, "asymmetric_quantize_inputs"},
    {7, 0, Kind::kByte, 0, "fused_activation_function"},
    {7, 1, Kind::kBool, 0, "asymmetric_quantize_inputs"},
    {8, 0, Kind::kByte, 0, "fused_activation_function"}, {8, 1, Kind::kByte, 0, "weights_format"},
    {8, 2, Kind::kBool, 0, "keep_num_dims"}, {8, 3, Kind::kBool, 0, "asymmetric_quantize_inputs"},
    {8, 4, Kind::kByte, 0, "quantized_bias_type"}, {9, 0, Kind::kFloat, 0, "beta"},
    {10, 0, Kind::kInt, 0, "axis"}, {10, 1, Kind::kByte, 0, "fused_activation_function"},
    {11, 0, Kind::kByte, 0, "fused_activation_function"},
    {11, 1, Kind::kBool, 1, "pot_scale_int16"},
    {12, 0, Kind::kByte, 0, "fused_activation_function"}, {13, 0, Kind::kInt, 0, "radius"},
    {13, 1, Kind::kFloat, 0, "bias"}, {13, 2, Kind::kFloat, 0, "alpha"},
    {13, 3, Kind::kFloat, 0, "beta"}, {14, 0, Kind::kByte, 0, "fused_activation_function"},
    {14, 1, Kind::kFloat, 0, "cell_clip"}, {14, 2, Kind::kFloat, 0, "proj_clip"},
    {14, 3, Kind::kByte, 0, "kernel_type"}, {14, 4, Kind::kBool, 0, "asymmetric_quantize_inputs"},
    {15, 2, Kind::kBool, 0, "align_corners"}, {15, 3, Kind::kBool, 0, "half_pixel_centers"},
    {16, 0, Kind::kInt, 0, "subgraph"}, {17, 0, Kind::kInts, 0, "new_shape"},
    {19, 0, Kind::kInt, 0, "block_size"}, {21, 0, Kind::kByte, 0, "fused_activation_function"},
    {23, 0, Kind::kInt, 0, "axis"}, {23, 1, Kind::kInt, 0, "batch_dims"},
    {27, 0, Kind::kBool, 0, "keep_dims"}, {28, 0, Kind::kByte, 0, "fused_activation_function"},
    {28, 1, Kind::kBool, 1, "pot_scale_int16"},
    {29, 0, Kind::kByte, 0, "fused_activation_function"}, {30, 0, Kind::kInts, 0, "squeeze_dims"},
    {31, 0, Kind::kBool, 0, "time_major"}, {31, 1, Kind::kByte, 0, "fused_activation_function"},
    {31, 2, Kind::kBool, 0, "asymmetric_quantize_inputs"}, {32, 0, Kind::kInt, 0, "begin_mask"},
    {32, 1, Kind::kInt, 0, "end_mask"}, {32, 2, Kind::kInt, 0, "ellipsis_mask"},
    {32, 3, Kind::kInt, 0, "new_axis_mask"}, {32, 4, Kind::kInt, 0, "shrink_axis_mask"},
    {32, 5, Kind::kBool, 0, "offset"}, {35, 0, Kind::kInt, 0, "num_splits"},
    {37, 0, Kind::kByte, 0, "in_data_type"}, {37, 1, Kind::kByte, 0, "out_data_type"},
    {40, 0, Kind::kByte, 0, "output_type"}, {49, 0, Kind::kByte, 0, "padding"},
    {49, 1, Kind::kInt, 0, "stride_w"}, {49, 2, Kind::kInt, 0, "stride_h"},
    {49, 3, Kind::kByte, 0, "fused_activation_function"},
    {49, 4, Kind::kByte, 0, "quantized_bias_type"}, {50, 0, Kind::kBool, 0, "validate_indices"},
    {55, 0, Kind::kByte, 0, "out_type"}, {57, 0, Kind::kByte, 0, "output_type"},
    {58, 0, Kind::kFloat, 0, "min"}, {58, 1, Kind::kFloat, 0, "max"},
    {58, 2, Kind::kInt, 0, "num_bits"}, {58, 3, Kind::kBool, 0, "narrow_range"},
    {59, 0, Kind::kInt, 0, "values_count"}, {59, 1, Kind::kInt, 0, "axis"},
    {61, 0, Kind::kInt, 0, "axis"}, {64, 0, Kind::kInt, 0, "num"}, {64, 1, Kind::kInt, 0, "axis"},
    {69, 0, Kind::kByte, 0, "fused_activation_function"}, {69, 1, Kind::kFloat, 0, "cell_clip"},
    {69, 2, Kind::kFloat, 0, "proj_clip"}, {69, 3, Kind::kBool, 0, "merge_outputs"},
    {69, 4, Kind::kBool, 1, "time_major"}, {69, 5, Kind::kBool, 0, "asymmetric_quantize_inputs"},
    {70, 0, Kind::kBool, 0, "time_major"}, {70, 1, Kind::kByte, 0, "fused_activation_function"},
    {70, 2, Kind::kBool, 0, "merge_outputs"},
    {70, 3, Kind::kBool, 0, "asymmetric_quantize_inputs"},
    {71, 0, Kind::kByte, 0, "fused_activation_function"}, {71, 1, Kind::kFloat, 0, "cell_clip"},
    {71, 2, Kind::kFloat, 0, "proj_clip"}, {71, 3, Kind::kBool, 0, "time_major"},
    {71, 4, Kind::kBool, 0, "asymmetric_quantize_inputs"},
    {71, 5, Kind::kBool, 0, "diagonal_recurrent_tensors"},
    {74, 0, Kind::kBool, 0, "align_corners"}, {74, 1, Kind::kBool, 0, "half_pixel_centers"},
    {75, 0, Kind::kFloat, 0, "alpha"}, {77, 0, Kind::kByte, 0, "mode"},
    {79, 0, Kind::kInt, 0, "num_splits"}, {80, 0, Kind::kByte, 2, "idx_out_type"},
    {87, 0, Kind::kInt, 0, "seq_dim"}, {87, 1, Kind::kInt, 0, "batch_dim"},
    {92, 0, Kind::kInt, 0, "then_subgraph_index"}, {92, 1, Kind::kInt, 0, "else_subgraph_index"},
    {93, 0, Kind::kInt, 0, "cond_subgraph_index"}, {93, 1, Kind::kInt, 0, "body_subgraph_index"},
    {94, 0, Kind::kInt, 0, "block_size"}, {101, 0, Kind::kBool, 0, "adj_x"},
    {101, 1, Kind::kBool, 0, "adj_y"}, {101, 2, Kind::kBool, 0, "asymmetric_quantize_inputs"},
    {102, 0, Kind::kBool, 0, "exclusive"}, {102, 1, Kind::kBool, 0, "reverse"},
    {103, 0, Kind::kInt, 0, "init_subgraph_index"}, {106, 0, Kind::kByte, 0, "padding"},
    {106, 1, Kind::kInt, 0, "stride_d"}, {106, 2, Kind::kInt, 0, "stride_w"},
    {106, 3, Kind::kInt, 0, "stride_h"}, {106, 4, Kind::kByte, 0, "fused_activation_function"},
    {106, 5, Kind::kInt, 1, "dilation_d_factor"}, {106, 6, Kind::kInt, 1, "dilation_w_factor"},
    {106, 7, Kind::kInt, 1, "dilation_h_factor"}, {114, 0, Kind::kLong, 0, "seed"},
    {114, 1, Kind::kLong, 0, "seed2"}, {116, 0, Kind::kBool, 0, "approximate"},
}};

struct TypeRow {
  std::string_view name;
  Dtype plain, quantized;
  int bits;
};

// By number. What has no QNN type is kUndefined.
constexpr std::array<TypeRow, 19> kTypes = {{
    {"FLOAT32", Dtype::kFloat32, Dtype::kFloat32, 32},
    {"FLOAT16", Dtype::kFloat16, Dtype::kFloat16, 16},
    {"INT32", Dtype::kInt32, Dtype::kSfixedPoint32, 32},
    {"UINT8", Dtype::kUint8, Dtype::kUfixedPoint8, 8},
    {"INT64", Dtype::kInt64, Dtype::kInt64, 64},
    {"STRING", Dtype::kString, Dtype::kString, 0},
    {"BOOL", Dtype::kBool8, Dtype::kBool8, 8},
    {"INT16", Dtype::kInt16, Dtype::kSfixedPoint16, 16},
    {"COMPLEX64", Dtype::kUndefined, Dtype::kUndefined, 64},
    {"INT8", Dtype::kInt8, Dtype::kSfixedPoint8, 8},
    {"FLOAT64", Dtype::kFloat64, Dtype::kFloat64, 64},
    {"COMPLEX128", Dtype::kUndefined, Dtype::kUndefined, 128},
    {"UINT64", Dtype::kUint64, Dtype::kUint64, 64},
    {"RESOURCE", Dtype::kUndefined, Dtype::kUndefined, 0},
    {"VARIANT", Dtype::kUndefined, Dtype::kUndefined, 0},
    {"UINT32", Dtype::kUint32, Dtype::kUfixedPoint32, 32},
    {"UINT16", Dtype::kUint16, Dtype::kUfixedPoint16, 16},
    {"INT4", Dtype::kSfixedPoint4, Dtype::kSfixedPoint4, 4},
    {"BFLOAT16", Dtype::kUndefined, Dtype::kUndefined, 16},
}};

bool IsKnown(int64_t type) { return type >= 0 && type < static_cast<int64_t>(kTypes.size()); }

}  // namespace

const OperatorRow* FindOperator(int64_t code) {
  if (code < 0 || code >= static_cast<int64_t>(kOperators.size())) return nullptr;
  const OperatorRow& row = kOperators[static_cast<size_t>(code)];
  return row.name.empty() ? nullptr : &row;
}

std::optional<int32_t> OperatorCode(std::string_view name) {
  const auto it = std::find_if(kOperators.begin(), kOperators.end(),
                               [&](const OperatorRow& row) { return row.name == name; });
  if (name.empty() || it == kOperators.end()) return std::nullopt;
  return static_cast<int32_t>(it - kOperators.begin());
}

std::span<const OptionField> OptionsOf(uint8_t table) {
  const auto [begin, end] = std::equal_range(
      kOptions.begin(), kOptions.end(), OptionField{.table = table},
      [](const OptionField& a, const OptionField& b) { return a.table < b.table; });
  return {begin, end};
}

Dtype DtypeOf(int64_t type, bool is_quantized) {
  if (!IsKnown(type)) return Dtype::kUndefined;
  const TypeRow& row = kTypes[static_cast<size_t>(type)];
  return is_quantized ? row.quantized : row.plain;
}

std::optional<int8_t> TypeOf(Dtype dtype) {
  if (dtype == Dtype::kUndefined) return std::nullopt;
  for (size_t i = 0; i < kTypes.size(); ++i) {
    if (kTypes[i].plain == dtype || kTypes[i].quantized == dtype) return static_cast<int8_t>(i);
  }
  return std::nullopt;
}

int BitsOfType(int64_t type) { return IsKnown(type) ? kTypes[static_cast<size_t>(type)].bits : 0; }

}  // namespace quantgate::tflite
