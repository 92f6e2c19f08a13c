// Words for values in messages: names before numbers, both signs of an offset.
#ifndef QUANTGATE_CORE_RULES_SUPPORT_FORMAT_H_
#define QUANTGATE_CORE_RULES_SUPPORT_FORMAT_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/rules/rule_entry.h"
#include "core/rules/support/node_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {

std::string Number(double value);           // shortest: "0.02", "1.5259e-05"
std::string Dims(const Tensor& tensor);     // "[1, 8, 8, ?]"
std::string ZeroPoint(int64_t zero_point);  // "zero_point 3 (offset -3)"
std::string DescribeEncoding(
    const Tensor& tensor);  // "per-channel axis 3, scales 0.01 … 0.02, zero_point 0"
std::string DescribeTensor(const Tensor& tensor);  // dtype + encoding
std::string DtypeList(DtypeMask mask);             // "UFIXED_POINT_8 or SFIXED_POINT_8"
std::string EncodingList(EncodingMask mask);
std::string Join(std::span<const std::string> items, std::string_view last = " or ");
std::string NumberList(std::span<const int64_t> numbers, std::string_view last = " or ");
// "in[2]" also for a tensor of a variadic port.
std::string PortName(const NodeView& node, int port, int element = 0);
std::string ParamName(const NodeView& node, int param);
// Value of a param with the names of its numbers: "ADD (0)".
std::string ParamText(const NodeView& node, int param);
std::string ParamValueName(const NodeView& node, int param, int64_t value);
// Whether the param's numbers have names: each is another function.
bool ParamIsEnum(const NodeView& node, int param);
// "-2 to 3", "up to 3", "from -2 on"
std::string RangeText(std::optional<int64_t> min, std::optional<int64_t> max);
// The dtype that is nearest to `given`: same class, then same width; kUndefined for none.
Dtype NearestDtype(DtypeMask mask, Dtype given);
std::string_view OpName(const NodeView& node);

// Edits that set an encoding's value: "tensors/<name>/encoding/perTensor/zeroPoint".
std::string EncodingPath(const Tensor& tensor, std::string_view field);
// Sets every zero point to the middle.
Fix SymmetricFix(const Tensor& tensor);
Fix UnsafeFix(std::string summary);

}  // namespace quantgate::rules

#endif  // QUANTGATE_CORE_RULES_SUPPORT_FORMAT_H_
