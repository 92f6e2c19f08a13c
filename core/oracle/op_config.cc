#include "core/oracle/op_config.h"

#include <sys/mman.h>

#include <algorithm>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/oracle/tensor_data.h"

namespace quantgate::verify {
namespace {

// Largest tensor that is put to a library: sizes of buffers are 32 bits wide.
constexpr size_t kMaxElements = size_t{1} << 29;

absl::Status Bad(std::string_view what, std::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(absl::string_view(what.data(), what.size()), " ",
                                                 absl::string_view(why.data(), why.size())));
}

// Zeros for any number of constants: pages of a private mapping that are never written take
// no memory. Grows by a new mapping; old ones stay, since something may point into them.
uint8_t* SharedZeros(size_t size) {
  static uint8_t* zeros = nullptr;
  static size_t capacity = 0;
  if (size > capacity) {
    const size_t wanted = std::max(size, size_t{1} << 24);
    void* mapped = mmap(nullptr, wanted, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) return nullptr;
    zeros = static_cast<uint8_t*>(mapped);
    capacity = wanted;
  }
  return zeros;
}

}  // namespace

class OpConfig::Builder {
 public:
  Builder(OpConfig& config, const Model& model, ConstantData data, uint64_t seed)
      : config_(config), model_(model), data_(data), seed_(seed) {}

  absl::StatusOr<qnn::Tensor> MakeTensor(TensorId id) {
    qnn::Tensor made = Empty();
    if (id == kNoTensor) {
      made.body.type = qnn::kNull;
      return made;
    }
    const Tensor& tensor = model_.tensors[static_cast<size_t>(id)];
    if (tensor.unknown_rank) return Bad(tensor.name, "has no known rank");
    if (tensor.dtype == Dtype::kUndefined) return Bad(tensor.name, "has no dtype");
    const auto count = ElementCount(tensor, kMaxElements);
    if (!count) return Bad(tensor.name, "is too large or has a negative dimension");
    made.body.name = tensor.name.c_str();
    made.body.type = tensor.is_static ? qnn::kStatic : qnn::kNative;
    made.body.dtype = QnnValue(tensor.dtype);
    SetDims(made, tensor);
    if (tensor.is_static) {
      if (auto status = SetConstant(made, tensor, id, *count); !status.ok()) return status;
    }
    if (auto status = SetEncoding(made, tensor); !status.ok()) return status;
    return made;
  }

  absl::StatusOr<qnn::Param> MakeParam(const Param& param) {
    qnn::Param made{};
    made.name = param.name.c_str();
    made.type = qnn::kScalarParam;
    qnn::Scalar& scalar = made.scalar;
    scalar.wide = 0;
    if (const auto* sint = std::get_if<IntParam>(&param.value)) {
      scalar.dtype = QnnValue(Dtype::kInt32);
      scalar.sint = static_cast<int32_t>(sint->value);
    } else if (const auto* uint = std::get_if<UintParam>(&param.value)) {
      scalar.dtype = QnnValue(Dtype::kUint32);
      scalar.uint = static_cast<uint32_t>(uint->value);
    } else if (const auto* real = std::get_if<double>(&param.value)) {
      scalar.dtype = QnnValue(Dtype::kFloat32);
      scalar.real = static_cast<float>(*real);
    } else if (const auto* flag = std::get_if<bool>(&param.value)) {
      scalar.dtype = QnnValue(Dtype::kBool8);
      scalar.flag = *flag ? 1 : 0;
    } else if (const auto* tensor = std::get_if<TensorParam>(&param.value)) {
      Tensor shape;
      shape.name = param.name;
      shape.dtype = tensor->dtype;
      shape.dims.assign(tensor->dims.begin(), tensor->dims.end());
      const auto count = ElementCount(shape, size_t{1} << 20);
      if (!count || ElementBytes(shape.dtype) == 0)
        return Bad(param.name, "has no usable shape or dtype");
      qnn::Tensor body = Empty();
      body.body.name = param.name.c_str();
      body.body.type = qnn::kStatic;
      body.body.dtype = QnnValue(tensor->dtype);
      SetDims(body, shape);
      config_.bytes_.push_back(PackValues({tensor->ints, tensor->reals}, shape.dtype, *count));
      SetBuffer(body, config_.bytes_.back());
      made.type = qnn::kTensorParam;
      made.tensor = body;
    } else {
      return Bad(param.name, "has a value that QNN params do not have");
    }
    return made;
  }

 private:
  static qnn::Tensor Empty() {
    qnn::Tensor tensor{};
    tensor.version = qnn::kTensorVersion1;
    tensor.body.dtype = qnn::kUndefined;
    tensor.body.quantization.definition = qnn::kUndefined;
    tensor.body.quantization.encoding = qnn::kUndefined;
    return tensor;
  }

  static void SetBuffer(qnn::Tensor& made, std::vector<uint8_t>& bytes) {
    static uint8_t nothing = 0;  // a constant without elements still needs an address
    made.body.buffer.data = bytes.empty() ? &nothing : bytes.data();
    made.body.buffer.size = static_cast<uint32_t>(bytes.size());
  }

  void SetDims(qnn::Tensor& made, const Tensor& tensor) {
    auto& dims = config_.words_.emplace_back();
    for (const int64_t dim : tensor.dims) dims.push_back(static_cast<uint32_t>(dim < 0 ? 1 : dim));
    made.body.rank = static_cast<uint32_t>(dims.size());
    made.body.dims = dims.data();
    const bool dynamic =
        std::find(tensor.dims.begin(), tensor.dims.end(), kDynamicDim) != tensor.dims.end();
    if (!dynamic && tensor.sparse < 0) return;
    made.version = qnn::kTensorVersion2;
    auto& flags = config_.bytes_.emplace_back();
    for (const int64_t dim : tensor.dims) flags.push_back(dim == kDynamicDim ? 1 : 0);
    made.body.dynamic_dims = flags.data();
    if (tensor.sparse < 0) return;
    made.body.data_format = qnn::kSparse;
    made.body.sparse = {qnn::kHybridCoo, static_cast<uint32_t>(tensor.sparse), made.body.rank};
  }

  absl::Status SetConstant(qnn::Tensor& made, const Tensor& tensor, TensorId id, size_t count) {
    const size_t element = ElementBytes(tensor.dtype);
    if (element == 0) return Bad(tensor.name, "has a dtype constants can't have");
    if (!tensor.values && data_ == ConstantData::kZeros) {
      made.body.buffer.data = SharedZeros(std::max<size_t>(count * element, 1));
      made.body.buffer.size = static_cast<uint32_t>(count * element);
      return made.body.buffer.data ? absl::OkStatus() : Bad(tensor.name, "does not fit in memory");
    }
    auto [it, added] = config_.constants_.try_emplace(id);
    if (added) {
      it->second = tensor.values ? PackValues(*tensor.values, tensor.dtype, count)
                                 : RandomValues(tensor, count, seed_ + static_cast<uint64_t>(id));
    }
    SetBuffer(made, it->second);
    return absl::OkStatus();
  }

  // `count` entries, a single scale or zero point standing for all.
  std::vector<qnn::ScaleOffset>& ScaleOffsets(const Encoding& encoding, size_t count) {
    auto& items = config_.scale_offsets_.emplace_back(std::max<size_t>(count, 1));
    for (size_t i = 0; i < count; ++i) {
      items[i] = {ScaleAt(encoding, i), ToQnnOffset(ZeroPointAt(encoding, i))};
    }
    return items;
  }
  static float ScaleAt(const Encoding& encoding, size_t i) {
    if (encoding.scales.empty()) return 0;
    return encoding.scales[std::min(i, encoding.scales.size() - 1)];
  }
  static int32_t ZeroPointAt(const Encoding& encoding, size_t i) {
    if (encoding.zero_points.empty()) return 0;
    return encoding.zero_points[std::min(i, encoding.zero_points.size() - 1)];
  }
  // Size of the encoding's axis; 1 where the tensor has no such axis.
  static size_t AxisSize(const Tensor& tensor) {
    const auto rank = static_cast<int64_t>(tensor.dims.size());
    const int64_t axis = tensor.encoding->axis + (tensor.encoding->axis < 0 ? rank : 0);
    if (axis < 0 || axis >= rank) return 1;
    return static_cast<size_t>(std::max<int64_t>(tensor.dims[static_cast<size_t>(axis)], 1));
  }

  absl::Status SetEncoding(qnn::Tensor& made, const Tensor& tensor) {
    const Encoding& encoding = tensor.encoding;
    if (encoding.kind == EncodingKind::kNone) return absl::OkStatus();
    qnn::Quantization& q = made.body.quantization;
    q.definition = qnn::kDefined;
    const auto bitwidth = static_cast<uint32_t>(encoding.bitwidth);
    const size_t axis_size = AxisSize(tensor);
    const size_t channels = encoding.scales.size() == 1 ? axis_size : encoding.scales.size();
    switch (encoding.kind) {
      case EncodingKind::kNone:
        break;
      case EncodingKind::kPerTensor: {
        const int32_t offset = ToQnnOffset(ZeroPointAt(encoding, 0));
        if (bitwidth) {
          q.encoding = qnn::kBwScaleOffset;
          q.bw = {bitwidth, ScaleAt(encoding, 0), offset};
        } else {
          q.encoding = qnn::kScaleOffset;
          q.scale_offset = {ScaleAt(encoding, 0), offset};
        }
        break;
      }
      case EncodingKind::kPerChannel: {
        if (!bitwidth) {
          q.encoding = qnn::kAxisScaleOffset;
          q.axis = {encoding.axis, static_cast<uint32_t>(channels),
                    ScaleOffsets(encoding, channels).data()};
          break;
        }
        auto& scales = config_.floats_.emplace_back();
        auto& offsets = config_.ints_.emplace_back();
        for (size_t i = 0; i < std::max<size_t>(channels, 1); ++i) {
          scales.push_back(ScaleAt(encoding, i));
          offsets.push_back(ToQnnOffset(ZeroPointAt(encoding, i)));
        }
        q.encoding = qnn::kBwAxisScaleOffset;
        q.bw_axis = {bitwidth, encoding.axis, static_cast<uint32_t>(channels), scales.data(),
                     offsets.data()};
        break;
      }
      case EncodingKind::kBlock:
        return SetBlock(q, tensor);
      case EncodingKind::kLpbq:
        return SetExpansion(q, tensor, axis_size);
    }
    return absl::OkStatus();
  }

  absl::Status SetBlock(qnn::Quantization& q, const Tensor& tensor) {
    const Encoding& encoding = tensor.encoding;
    // The interface passes no lengths here: arrays that don't fit would be read beyond their end.
    if (encoding.block_size.size() != tensor.dims.size()) {
      return Bad(tensor.name, "has a block size of another rank");
    }
    auto& sizes = config_.words_.emplace_back();
    size_t blocks = 1;
    for (size_t i = 0; i < tensor.dims.size(); ++i) {
      const int64_t size = encoding.block_size[i];
      if (size < 1 || size > INT32_MAX)
        return Bad(tensor.name, "has a block size below 1 or too large");
      sizes.push_back(static_cast<uint32_t>(size));
      blocks *= static_cast<size_t>((std::max<int64_t>(tensor.dims[i], 1) + size - 1) / size);
    }
    q.encoding = qnn::kBlock;
    q.block = {sizes.data(), ScaleOffsets(encoding, blocks).data()};
    return absl::OkStatus();
  }

  absl::Status SetExpansion(qnn::Quantization& q, const Tensor& tensor, size_t channels) {
    const Encoding& encoding = tensor.encoding;
    if (encoding.num_blocks < 0 || encoding.num_blocks > (1 << 20) ||
        channels > (size_t{1} << 24)) {
      return Bad(tensor.name, "has an unusable number of blocks");
    }
    const size_t count = channels * static_cast<size_t>(encoding.num_blocks);
    if (count > kMaxElements) return Bad(tensor.name, "has an unusable number of blocks");
    const bool wide = encoding.block_scale_storage_bits == 16;
    auto& factors = config_.bytes_.emplace_back(std::max<size_t>(count, 1) * (wide ? 2 : 1));
    for (size_t i = 0; i < count; ++i) {
      // Unknown factors are 1, the neutral one.
      const auto& given = encoding.block_scales;
      const int32_t factor = given.empty() ? 1 : given[std::min(i, given.size() - 1)];
      factors[wide ? 2 * i : i] = static_cast<uint8_t>(factor);
      if (wide) factors[2 * i + 1] = static_cast<uint8_t>(factor >> 8);
    }
    q.encoding = qnn::kBlockwiseExpansion;
    q.expansion = &config_.expansions_.emplace_back(qnn::BlockwiseExpansion{
        encoding.axis, ScaleOffsets(encoding, channels).data(),
        static_cast<uint32_t>(encoding.num_blocks),
        static_cast<uint32_t>(encoding.block_scale_bitwidth),
        wide ? qnn::kBlockScaleStorage16 : qnn::kBlockScaleStorage8, factors.data()});
    return absl::OkStatus();
  }

  OpConfig& config_;
  const Model& model_;
  ConstantData data_;
  uint64_t seed_;
};

absl::StatusOr<OpConfig> OpConfig::Build(const Model& model, const Node& node, ConstantData data,
                                         uint64_t seed) {
  if (model.DialectOf(node) != Dialect::kQnn) {
    return absl::InvalidArgumentError("only nodes of QNN models can be put to a library");
  }
  OpConfig config;
  config.node_ = &node;
  Builder builder(config, model, data, seed);
  size_t inputs = node.inputs.size();
  while (inputs > 0 && node.inputs[inputs - 1] == kNoTensor) --inputs;
  for (size_t i = 0; i < inputs; ++i) {
    auto tensor = builder.MakeTensor(node.inputs[i]);
    if (!tensor.ok()) return tensor.status();
    config.inputs_.push_back(*tensor);
    config.input_ids_.push_back(node.inputs[i]);
  }
  for (const TensorId id : node.outputs) {
    auto tensor = builder.MakeTensor(id);
    if (!tensor.ok()) return tensor.status();
    config.outputs_.push_back(*tensor);
    config.output_ids_.push_back(id);
  }
  for (const Param& param : node.params) {
    auto made = builder.MakeParam(param);
    if (!made.ok()) return made.status();
    config.params_.push_back(*made);
  }
  return config;
}

qnn::OpConfig OpConfig::View() {
  return {qnn::kOpConfigVersion1,
          node_->name.c_str(),
          qnn::kBuiltinPackage,
          node_->op.c_str(),
          static_cast<uint32_t>(params_.size()),
          params_.data(),
          static_cast<uint32_t>(inputs_.size()),
          inputs_.data(),
          static_cast<uint32_t>(outputs_.size()),
          outputs_.data()};
}

}  // namespace quantgate::verify
