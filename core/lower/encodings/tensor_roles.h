// What a tensor of the file is to the nodes around it.
#ifndef QUANTGATE_CORE_LOWER_ENCODINGS_TENSOR_ROLES_H_
#define QUANTGATE_CORE_LOWER_ENCODINGS_TENSOR_ROLES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "core/lower/resolve/encodings.h"
#include "core/lower/resolve/mapping.h"
#include "quantgate/model.h"

namespace quantgate {

struct FileTensorRole {
  int32_t producer = -1;              // node; -1 = none
  int32_t reader = -1;                // the first
  int32_t weight_of = -1;             // node that reads it as its weight
  bool is_bias = false;               // of some node
  int32_t quantizer = -1;             // Q or DQ node next to it
  TensorId quantized_by = kNoTensor;  // the quantized tensor of that node
};

class TensorRoles {
 public:
  TensorRoles(const Model& model, mapping::Mapping& mapping);

  const FileTensorRole& of(TensorId id) const { return roles_[static_cast<size_t>(id)]; }
  // The node a finding on the tensor belongs to: its producer, else its first reader.
  int32_t NodeOf(TensorId id) const {
    const FileTensorRole& role = of(id);
    return role.producer >= 0 ? role.producer : role.reader;
  }
  // What Q or DQ says; nullopt where there is none or its constants are not known.
  std::optional<NodeEncoding> EncodingAround(TensorId id) const;
  // Axes of a weight by its operator; nullopt where nothing is known.
  std::optional<int64_t> ChannelAxis(TensorId id) const;
  std::optional<int64_t> BlockAxis(TensorId id) const;

 private:
  std::optional<int64_t> Axis(TensorId id, bool block) const;

  const Model& model_;
  mapping::Mapping& mapping_;
  std::vector<FileTensorRole> roles_;
};

}  // namespace quantgate

#endif  // QUANTGATE_CORE_LOWER_ENCODINGS_TENSOR_ROLES_H_
