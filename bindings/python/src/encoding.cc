// Encodings of tensors that a ModelBuilder accepts.
#include "quantgate/encoding.h"

#include <memory>
#include <string>
#include <vector>

#include "bindings/python/src/arrays.h"
#include "bindings/python/src/bind.h"
#include "bindings/python/src/text.h"
#include "quantgate/calibration.h"

namespace quantgate::python {
namespace {

namespace py = pybind11;

constexpr int kMaxBitwidth = 64;

int32_t Bitwidth(const py::object& object, std::string_view what) {
  const int32_t bits = Integer32(object, what);
  if (bits < 0 || bits > kMaxBitwidth) {
    ThrowValue(what, std::to_string(bits) + " is no number of bits; 0: that of the dtype");
  }
  return bits;
}

// `per_tensor` has one scale, all other kinds at least one.
void FillScales(Encoding& encoding, const py::object& scales, const py::object& zero_points) {
  const std::vector<float> read_scales = Floats(scales, "scales");
  if (read_scales.empty()) ThrowValue("scales", "there is none");
  encoding.scales.assign(read_scales.begin(), read_scales.end());
  if (zero_points.is_none()) return;
  const std::vector<int32_t> read_zero_points = Integers32(zero_points, "zero_points");
  encoding.zero_points.assign(read_zero_points.begin(), read_zero_points.end());
}

Encoding PerTensor(const py::object& scale, const py::object& zero_point,
                   const py::object& bitwidth) {
  Encoding encoding;
  encoding.kind = EncodingKind::kPerTensor;
  encoding.bitwidth = Bitwidth(bitwidth, "bitwidth");
  encoding.scales = {static_cast<float>(Real(scale, "scale"))};
  encoding.zero_points = {Integer32(zero_point, "zero_point")};
  return encoding;
}

Encoding PerChannel(const py::object& axis, const py::object& scales, const py::object& zero_points,
                    const py::object& bitwidth) {
  Encoding encoding;
  encoding.kind = EncodingKind::kPerChannel;
  encoding.axis = Integer32(axis, "axis");
  encoding.bitwidth = Bitwidth(bitwidth, "bitwidth");
  FillScales(encoding, scales, zero_points);
  return encoding;
}

Encoding Block(const py::object& block_size, const py::object& scales,
               const py::object& zero_points, const py::object& bitwidth) {
  Encoding encoding;
  encoding.kind = EncodingKind::kBlock;
  encoding.block_size = Integers(block_size, "block_size");
  encoding.bitwidth = Bitwidth(bitwidth, "bitwidth");
  FillScales(encoding, scales, zero_points);
  return encoding;
}

Encoding Lpbq(const py::object& axis, const py::object& scales, const py::object& num_blocks,
              const py::object& block_scales, const py::object& zero_points,
              const py::object& bitwidth, const py::object& block_scale_bitwidth,
              const py::object& block_scale_storage_bits) {
  Encoding encoding;
  encoding.kind = EncodingKind::kLpbq;
  encoding.axis = Integer32(axis, "axis");
  encoding.bitwidth = Bitwidth(bitwidth, "bitwidth");
  encoding.num_blocks = Integer32(num_blocks, "num_blocks");
  if (encoding.num_blocks < 0) ThrowValue("num_blocks", "is negative");
  if (!block_scales.is_none()) encoding.block_scales = Integers32(block_scales, "block_scales");
  encoding.block_scale_bitwidth = Bitwidth(block_scale_bitwidth, "block_scale_bitwidth");
  encoding.block_scale_storage_bits =
      Bitwidth(block_scale_storage_bits, "block_scale_storage_bits");
  FillScales(encoding, scales, zero_points);
  return encoding;
}

template <typename Numbers>
py::tuple Tuple(const Numbers& numbers) {
  py::tuple tuple(numbers.size());
  for (size_t i = 0; i < numbers.size(); ++i) tuple[i] = numbers[i];
  return tuple;
}

std::string Repr(const Encoding& self) {
  std::string text = "<Encoding " + std::string(EncodingKindName(self.kind));
  const auto number = [&](const char* name, auto value) {
    text += std::string(" ") + name + "=" + std::string(py::str(py::cast(value)));
  };
  if (self.kind == EncodingKind::kPerChannel || self.kind == EncodingKind::kLpbq) {
    number("axis", self.axis);
  }
  if (self.scales.size() == 1) {
    number("scale", self.scales[0]);
  } else {
    number("scales", self.scales.size());
  }
  if (self.zero_points.size() == 1) number("zero_point", self.zero_points[0]);
  if (self.bitwidth != 0) number("bitwidth", self.bitwidth);
  if (self.kind == EncodingKind::kLpbq) number("num_blocks", self.num_blocks);
  return text + ">";
}

using EncodingClass = py::class_<Encoding, std::shared_ptr<Encoding>>;

void DefineKinds(EncodingClass& encoding) {
  encoding
      .def_static("per_tensor", &PerTensor, py::arg("scale"), py::arg("zero_point") = 0,
                  py::kw_only(), py::arg("bitwidth") = 0,
                  "One scale. bitwidth: significant bits where they are fewer than stored.")
      .def_static(
          "per_channel", &PerChannel, py::arg("axis"), py::arg("scales"),
          py::arg("zero_points") = py::none(), py::kw_only(), py::arg("bitwidth") = 0,
          "A scale for each index of dimension `axis` of the tensor as the model has it.")
      .def_static(
          "block", &Block, py::arg("block_size"), py::arg("scales"),
          py::arg("zero_points") = py::none(), py::kw_only(), py::arg("bitwidth") = 0,
          "A scale for each block, row-major over the grid of blocks; block_size: that of\n"
          "a block in each dimension.")
      .def_static(
          "lpbq", &Lpbq, py::arg("axis"), py::arg("scales"), py::kw_only(),
          py::arg("num_blocks"), py::arg("block_scales") = py::none(),
          py::arg("zero_points") = py::none(), py::arg("bitwidth") = 4,
          py::arg("block_scale_bitwidth") = 4, py::arg("block_scale_storage_bits") = 8,
          "scales of the channels along `axis`, each times an integer for each of its\n"
          "num_blocks blocks of input channels: block_scales, channel-major; None: not\n"
          "known.");
}

void DefineFields(EncodingClass& encoding) {
  encoding
      .def_property_readonly(
          "kind", [](const Encoding& self) { return Text(EncodingKindName(self.kind)); },
          "'per-tensor', 'per-channel', 'block' or 'LPBQ'")
      .def_readonly("axis", &Encoding::axis, "The channels' dimension, where it has channels.")
      .def_readonly("bitwidth", &Encoding::bitwidth, "Significant bits; 0: those of the dtype.")
      .def_property_readonly(
          "scales", [](const Encoding& self) { return Tuple(self.scales); }, "As float32.")
      .def_property_readonly(
          "zero_points", [](const Encoding& self) { return Tuple(self.zero_points); },
          "Empty: all 0.")
      .def_property_readonly(
          "block_size", [](const Encoding& self) { return Tuple(self.block_size); },
          "Of kind 'block', for each dimension.")
      .def_readonly("num_blocks", &Encoding::num_blocks, "Of kind 'LPBQ', for each channel.")
      .def_property_readonly(
          "block_scales", [](const Encoding& self) { return Tuple(self.block_scales); },
          "Of kind 'LPBQ', channel-major; empty: not known.")
      .def_property_readonly(
          "uncalibrated", [](const Encoding& self) { return IsUncalibrated(self); },
          "No data was seen yet: the scales are stand-ins, equal where they will be equal.")
      .def_readonly_static("STAND_IN", &kStandInStep,
                           "Small multiples of it stand for scales before calibration: rules "
                           "about numbers wait.");
}

}  // namespace

void BindEncoding(py::module_& module) {
  EncodingClass encoding(
      module, "Encoding", py::module_local(), py::is_final(),
      "How the stored integers q of a tensor become reals: scale * (q - zero_point). Immutable.\n\n"
      "Scales are float32, zero points int32; both may be numpy arrays, of any layout, which are\n"
      "read in place, or sequences, or one number that stands for all. What no backend takes (a\n"
      "NaN, a scale of 0) is kept for the report to tell. All raise TypeError and ValueError\n"
      "that name the argument.");
  DefineKinds(encoding);
  DefineFields(encoding);
  encoding
      .def(
          "__eq__",
          [](const Encoding& self, const py::object& other) {
            return py::isinstance<Encoding>(other) && self == other.cast<const Encoding&>();
          },
          py::arg("value"))
      .def("__repr__", [](const Encoding& self) { return Text(Repr(self)); });
  Immutable(encoding);
}

}  // namespace quantgate::python
