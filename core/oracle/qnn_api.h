// The part of the public QNN C interface that quantgate asks a backend library through.
//
// Own declarations: names are quantgate's, layouts and numbers are those of the interface
// (QNN core API 2.x, x86-64 and AArch64 ABI). A library exports one symbol,
// `QnnInterface_getProviders`, that gives tables of function pointers.
#ifndef QUANTGATE_CORE_ORACLE_QNN_API_H_
#define QUANTGATE_CORE_ORACLE_QNN_API_H_

#include <cstdarg>
#include <cstddef>
#include <cstdint>

namespace quantgate::qnn {

using Error = uint64_t;  // 0 = success
using Handle = void*;    // every handle of the interface
inline constexpr uint32_t kUndefined = 0x7FFFFFFF;

enum TensorType : uint32_t {
  kAppWrite = 0,
  kAppRead = 1,
  kNative = 3,
  kStatic = 4,
  kNull = 5,  // an absent optional input
};
// kHmxWeight: as the matrix unit reads its weights.
enum DataFormat : uint32_t { kDense = 0, kSparse = 1, kHmxWeight = 8 };
enum EncodingId : uint32_t {
  kScaleOffset = 0,
  kAxisScaleOffset = 1,
  kBwScaleOffset = 2,
  kBwAxisScaleOffset = 3,
  kBlock = 4,
  kBlockwiseExpansion = 5,
};
inline constexpr uint32_t kDefined = 1;  // quantization parameters are given
inline constexpr uint32_t kBlockScaleStorage8 = 0;
inline constexpr uint32_t kBlockScaleStorage16 = 1;
inline constexpr uint32_t kHybridCoo = 0;  // the only sparse layout
inline constexpr uint32_t kTensorVersion1 = 1;
inline constexpr uint32_t kTensorVersion2 = 2;  // version 1 + dynamic dims and sparse layout
inline constexpr uint32_t kScalarParam = 0;
inline constexpr uint32_t kTensorParam = 1;
inline constexpr uint32_t kOpConfigVersion1 = 1;

struct ScaleOffset {
  float scale;
  int32_t offset;  // real = scale * (q + offset)
};
struct AxisScaleOffset {
  int32_t axis;
  uint32_t count;
  ScaleOffset* items;
};
struct BwScaleOffset {
  uint32_t bitwidth;
  float scale;
  int32_t offset;
};
struct BwAxisScaleOffset {
  uint32_t bitwidth;
  int32_t axis;
  uint32_t count;
  float* scales;
  int32_t* offsets;
};
struct Block {
  uint32_t* block_size;  // one per dimension
  ScaleOffset* items;    // one per block, row-major
};
struct BlockwiseExpansion {
  int32_t axis;
  ScaleOffset* items;  // one per channel
  uint32_t blocks_per_axis;
  uint32_t block_scale_bitwidth;
  uint32_t block_scale_storage;
  void* block_scales;  // uint8_t or uint16_t
};
struct Quantization {
  uint32_t definition;
  uint32_t encoding;
  union {
    ScaleOffset scale_offset;
    AxisScaleOffset axis;
    BwScaleOffset bw;
    BwAxisScaleOffset bw_axis;
    Block block;
    BlockwiseExpansion* expansion;
  };
};
struct ClientBuffer {
  void* data;
  uint32_t size;  // bytes
};
struct Sparse {
  uint32_t layout;
  uint32_t specified_elements;
  uint32_t sparse_dimensions;
};
// Version 1 ends after `buffer`; the library reads on only where Tensor::version is 2.
struct TensorBody {
  uint32_t id;  // set by the library when a graph tensor is created
  const char* name;
  uint32_t type;
  uint32_t data_format;
  uint32_t dtype;
  Quantization quantization;
  uint32_t rank;
  uint32_t* dims;
  uint32_t memory_type;  // 0 = client buffer
  ClientBuffer buffer;
  uint8_t* dynamic_dims;  // one flag per dimension
  Sparse sparse;
  uint8_t produced;
};
struct Tensor {
  uint32_t version;
  TensorBody body;
};
struct Scalar {
  uint32_t dtype;
  union {
    float real;
    double wide;  // makes the union 8-aligned, as the interface has it
    uint32_t uint;
    int32_t sint;
    uint8_t flag;
  };
};
struct Param {
  uint32_t type;
  const char* name;
  union {
    Scalar scalar;
    Tensor tensor;
  };
};
struct OpConfig {  // passed by value
  uint32_t version;
  const char* name;
  const char* package;
  const char* type;
  uint32_t param_count;
  Param* params;
  uint32_t input_count;
  Tensor* inputs;
  uint32_t output_count;
  Tensor* outputs;
};
static_assert(sizeof(Quantization) == 40 && sizeof(Tensor) == 144 && sizeof(Param) == 160 &&
              sizeof(OpConfig) == 80 && offsetof(TensorBody, dynamic_dims) == 112);

// `option` 0 = backend specific, `custom` points at that backend's own structure.
struct DeviceConfig {
  uint32_t option;
  void* custom;
};

using LogCallback = void (*)(const char* format, uint32_t level, uint64_t timestamp, va_list args);
inline constexpr uint32_t kLogError = 1;

// Functions in the order of the table; those never called stand as Unused.
using Unused = void*;
struct Functions {
  Unused property_has_capability;
  Error (*backend_create)(Handle logger, const void** config, Handle* backend);
  Unused backend_set_config;
  Unused backend_get_api_version;
  Error (*backend_get_build_id)(const char** id);
  Unused backend_register_op_package;
  Unused backend_get_supported_operations;
  Error (*backend_validate_op_config)(Handle backend, OpConfig op);
  Error (*backend_free)(Handle backend);
  Error (*context_create)(Handle backend, Handle device, const void** config, Handle* context);
  Unused context_set_config;
  Unused context_get_binary_size;
  Unused context_get_binary;
  Unused context_create_from_binary;
  Error (*context_free)(Handle context, Handle profile);
  Error (*graph_create)(Handle context, const char* name, const void** config, Handle* graph);
  Unused graph_create_subgraph;
  Unused graph_set_config;
  Error (*graph_add_node)(Handle graph, OpConfig op);
  Error (*graph_finalize)(Handle graph, Handle profile, Handle signal);
  Unused graph_retrieve;
  Error (*graph_execute)(Handle graph, const Tensor* inputs, uint32_t input_count, Tensor* outputs,
                         uint32_t output_count, Handle profile, Handle signal);
  Unused graph_execute_async;
  Unused tensor_create_context_tensor;
  Error (*tensor_create_graph_tensor)(Handle graph, Tensor* tensor);
  Error (*log_create)(LogCallback callback, uint32_t max_level, Handle* logger);
  Unused log_set_level;
  Error (*log_free)(Handle logger);
  Unused profile_functions[7];
  Unused memory_functions[2];
  Unused device_get_platform_info;
  Unused device_free_platform_info;
  Unused device_get_infrastructure;
  Error (*device_create)(Handle logger, const DeviceConfig** config, Handle* device);
  Unused device_set_config;
  Unused device_get_info;
  Error (*device_free)(Handle device);
};

struct ApiVersion {
  uint32_t major, minor, patch;
};
struct Provider {
  uint32_t backend_id;
  const char* name;
  ApiVersion core;
  ApiVersion backend;
  Functions functions;
};
using GetProviders = Error (*)(const Provider*** providers, uint32_t* count);
inline constexpr char kGetProvidersSymbol[] = "QnnInterface_getProviders";
inline constexpr char kBuiltinPackage[] = "qti.aisw";
inline constexpr uint32_t kHtpBackendId = 6;

}  // namespace quantgate::qnn

#endif  // QUANTGATE_CORE_ORACLE_QNN_API_H_
