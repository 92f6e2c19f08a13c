#include "tests/fuzz/random_model.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace quantgate::fuzz {
namespace {

constexpr std::array<int64_t, 12> kDims = {1, 2, 3, 4, 8, 16, 32, 33, 64, 0, kDynamicDim, 1 << 20};

class Maker {
 public:
  Maker(const opdb::View& db, ByteSource& bytes) : db_(db), bytes_(bytes) {}

  Model Make(const opdb::OpRow& op) {
    Node node;
    node.name = "n0";
    node.op = db_.str(op.name);
    const auto variants = db_.get(op.variants);
    const auto masks = variants.empty() || bytes_.OneIn(8) ? std::span<const DtypeMask>()
                                                           : db_.get(bytes_.Pick(variants).dtypes);
    const auto ports = db_.get(op.ports);
    for (size_t port = 0; port < ports.size(); ++port) {
      const DtypeMask mask = port < masks.size() ? masks[port] : ~DtypeMask{0};
      const bool is_input = port < op.input_count;
      int count =
          (ports[port].flags & opdb::kPortVariadic) != 0 ? static_cast<int>(bytes_.Int(0, 4)) : 1;
      if ((ports[port].flags & opdb::kPortOptional) != 0 && bytes_.Flag()) count = 0;
      if (mask == 0 && !bytes_.OneIn(8)) count = 0;
      if (count == 0 && port + 1 < ports.size()) Put(node, is_input, kNoTensor);
      for (; count > 0; --count) Put(node, is_input, AddTensor(mask, is_input));
    }
    for (const opdb::ParamRow& param : db_.get(op.params)) {
      if (param.required != 0 ? !bytes_.OneIn(16) : bytes_.Flag()) AddParam(param, node);
    }
    model_.nodes.push_back(std::move(node));
    for (int64_t again = bytes_.Int(0, 4); again > 0; --again) Repeat();
    return std::move(model_);
  }

 private:
  static void Put(Node& node, bool is_input, TensorId id) {
    if (is_input) {
      node.inputs.push_back(id);
    } else {
      node.outputs.push_back(id);
    }
  }

  TensorId Add(Tensor tensor) {
    const auto id = static_cast<TensorId>(model_.tensors.size());
    tensor.name = "t" + std::to_string(id);
    model_.tensors.push_back(std::move(tensor));
    return id;
  }

  TensorId AddTensor(DtypeMask mask, bool is_input) {
    Tensor tensor;
    tensor.dtype = ADtype(mask);
    tensor.is_static = is_input && bytes_.Flag();
    tensor.unknown_rank = bytes_.OneIn(32);
    const int64_t rank = tensor.unknown_rank ? 0 : bytes_.Int(0, 6);
    for (int64_t i = 0; i < rank; ++i) {
      tensor.dims.push_back(bytes_.OneIn(3) || dims_.empty() ? bytes_.Pick(kDims)
                                                             : bytes_.Pick(dims_));
      dims_.push_back(tensor.dims.back());
    }
    if (IsFixedPoint(tensor.dtype) ? !bytes_.OneIn(12) : bytes_.OneIn(12)) {
      tensor.encoding = AnEncoding(tensor);
    }
    if (tensor.is_static && bytes_.OneIn(4)) tensor.values = Values(tensor);
    return Add(std::move(tensor));
  }

  Dtype ADtype(DtypeMask mask) {
    if (mask == 0 || bytes_.OneIn(12)) return static_cast<Dtype>(bytes_.Int(0, kDtypeCount - 1));
    std::vector<Dtype> dtypes;
    for (int i = 0; i < kDtypeCount; ++i) {
      if ((mask >> i & 1u) != 0) dtypes.push_back(static_cast<Dtype>(i));
    }
    return dtypes.empty() ? Dtype::kUndefined : bytes_.Pick(dtypes);
  }

  float AScale() {
    constexpr std::array<float, 8> kScales = {1.0F / 256, 1.0F / 65536, 0.02F,  1.0F,
                                              0.0F,       -1.0F,        1e-30F, 1e20F};
    const int64_t which = bytes_.Int(0, 15);
    if (which < 15) return which < 8 ? kScales[static_cast<size_t>(which)] : 0.01F;
    // A subnormal one stands for a scale that is not known yet, of which no rule about numbers speaks.
    const float any = bytes_.Bits();
    return std::fpclassify(any) == FP_SUBNORMAL ? 0.01F : any;
  }

  int32_t AZeroPoint(const Tensor& tensor) {
    const int64_t symmetric = SymmetricZeroPoint(tensor.dtype);
    constexpr std::array<int32_t, 7> kZeroPoints = {0, 1, 128, -128, 255, 32768, -70000};
    return bytes_.Flag() ? static_cast<int32_t>(symmetric) : bytes_.Pick(kZeroPoints);
  }

  Encoding AnEncoding(const Tensor& tensor) {
    Encoding encoding;
    encoding.kind = static_cast<EncodingKind>(bytes_.OneIn(3) ? bytes_.Int(1, 4) : 1);
    if (bytes_.OneIn(4)) {
      constexpr std::array<int32_t, 5> kBits = {2, 4, 8, 16, 32};
      encoding.bitwidth = bytes_.Pick(kBits);
    }
    const auto rank = static_cast<int64_t>(tensor.dims.size());
    encoding.axis = static_cast<int32_t>(bytes_.Int(-1, rank));
    size_t count = 1;
    if (encoding.kind == EncodingKind::kBlock) {
      for (const int64_t dim : tensor.dims) {
        encoding.block_size.push_back(bytes_.Flag() ? dim : bytes_.Int(0, 8));
      }
    } else if (encoding.kind != EncodingKind::kPerTensor && encoding.axis >= 0 &&
               encoding.axis < rank) {
      const int64_t dim = tensor.dims[static_cast<size_t>(encoding.axis)];
      if (dim > 0 && dim <= 64 && bytes_.Flag()) count = static_cast<size_t>(dim);
    }
    if (encoding.kind == EncodingKind::kLpbq) {
      encoding.num_blocks = static_cast<int32_t>(bytes_.Int(0, 5));
      encoding.block_scales = {static_cast<int32_t>(bytes_.Int(0, 17))};
      encoding.block_scale_bitwidth = static_cast<int32_t>(bytes_.Int(3, 5));
      encoding.block_scale_storage_bits = 8;
    }
    for (size_t i = 0; i < count; ++i) encoding.scales.push_back(AScale());
    if (bytes_.Flag()) {
      for (size_t i = 0; i < count; ++i) encoding.zero_points.push_back(AZeroPoint(tensor));
    }
    return encoding;
  }

  std::shared_ptr<const TensorValues> Values(const Tensor& tensor) {
    auto values = std::make_shared<TensorValues>();
    int64_t count = 1;
    for (const int64_t dim : tensor.dims) {
      if (dim < 0 || dim > 64 || (count *= dim) > 64) return nullptr;
    }
    for (int64_t i = 0; i < count; ++i) {
      if (IsFloat(tensor.dtype)) {
        values->reals.push_back(bytes_.Int(-4, 4));
      } else {
        values->ints.push_back(bytes_.Int(-4, 300));
      }
    }
    return values;
  }

  void AddParam(const opdb::ParamRow& param, Node& node) {
    Param& added = node.params.Edit().emplace_back();
    added.name = db_.str(param.name);
    const auto named = db_.get(param.values);
    const auto number = [&] {
      return !named.empty() && !bytes_.OneIn(8) ? bytes_.Pick(named).value : bytes_.Int(-2, 8);
    };
    if (param.rank >= 0) {
      TensorParam tensor;
      tensor.dtype = param.dtype;
      int64_t count = 1;
      constexpr int kMostRank = 8;  // a hostile database says any
      for (int i = 0; i < std::min<int>(param.rank, kMostRank); ++i) {
        tensor.dims.push_back(i == 0 ? bytes_.Int(0, 5) : 2);
        count *= tensor.dims.back();
      }
      for (int64_t i = 0; i < count; ++i) {
        if (IsFloat(param.dtype)) {
          tensor.reals.push_back(static_cast<double>(bytes_.Int(-2, 8)) / 2);
        } else {
          tensor.ints.push_back(number());
        }
      }
      added.value = std::move(tensor);
    } else if (param.dtype == Dtype::kBool8) {
      added.value = bytes_.Flag();
    } else if (IsFloat(param.dtype)) {
      added.value = static_cast<double>(bytes_.Int(-2, 8)) / 4;
    } else if (ClassOf(param.dtype) == DtypeClass::kInt) {
      added.value = IntParam{number()};
    } else {
      added.value = UintParam{static_cast<uint64_t>(number())};
    }
  }

  // The first node again, on tensors of the same form with other numbers here and there.
  void Repeat() {
    Node node = model_.nodes.front();
    node.name = "n" + std::to_string(model_.nodes.size());
    const auto renew = [&](TensorId& id) {
      if (id == kNoTensor) return;
      Tensor tensor = model_.tensors[static_cast<size_t>(id)];
      for (float& scale : tensor.encoding.Edit().scales) {
        if (bytes_.OneIn(3)) scale = AScale();
      }
      for (int32_t& zero_point : tensor.encoding.Edit().zero_points) {
        if (bytes_.OneIn(3)) zero_point = AZeroPoint(tensor);
      }
      if (tensor.values && bytes_.OneIn(3)) tensor.values = Values(tensor);
      id = Add(std::move(tensor));
    };
    for (TensorId& id : node.inputs) renew(id);
    for (TensorId& id : node.outputs) renew(id);
    model_.nodes.push_back(std::move(node));
  }

  const opdb::View& db_;
  ByteSource& bytes_;
  Model model_;
  std::vector<int64_t> dims_;
};

}  // namespace

Model RandomModel(const opdb::View& db, const opdb::BackendRow& backend, ByteSource& bytes) {
  return Maker(db, bytes).Make(bytes.Pick(db.get(backend.ops)));
}

}  // namespace quantgate::fuzz
