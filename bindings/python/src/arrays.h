// Numbers that come from Python: buffers (numpy arrays) are read in place, sequences item by item.
//
// Everything here throws TypeError or ValueError; `what` names the argument in its message.
#ifndef QUANTGATE_BINDINGS_PYTHON_SRC_ARRAYS_H_
#define QUANTGATE_BINDINGS_PYTHON_SRC_ARRAYS_H_

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quantgate/model.h"

namespace quantgate::python {

[[noreturn]] void ThrowType(std::string_view what, std::string_view expected,
                            pybind11::handle found);
[[noreturn]] void ThrowValue(std::string_view what, const std::string& problem);

// A str as UTF-8; the view lives as long as the object.
std::string_view Utf8(pybind11::handle object, std::string_view what);

// One number. Integers are int or have __index__ (numpy's); bool counts as one.
int64_t Integer(pybind11::handle object, std::string_view what);
int32_t Integer32(pybind11::handle object, std::string_view what);
double Real(pybind11::handle object, std::string_view what);

// Numbers of a buffer of any layout and of native byte order, of a sequence, or a single one.
// Multi-dimensional buffers give their elements in row-major order.
std::vector<int64_t> Integers(pybind11::handle object, std::string_view what);
std::vector<int32_t> Integers32(pybind11::handle object, std::string_view what);
std::vector<float> Floats(pybind11::handle object, std::string_view what);

// The values of a constant: all of them up to kMaxKeptValues; beyond, only the smallest and
// largest are looked for, in place and without the GIL.
struct Constant {
  std::shared_ptr<const TensorValues> values;
  std::optional<std::pair<double, double>> range;
};
Constant ReadConstant(pybind11::handle object, std::string_view what);

// An array as the value of a param: its dtype and shape are the tensor's.
TensorParam ReadTensorParam(pybind11::handle array, std::string_view what);
// Whether it can be read as a buffer of numbers; str and bytes are none.
bool IsArray(pybind11::handle object);

}  // namespace quantgate::python

#endif  // QUANTGATE_BINDINGS_PYTHON_SRC_ARRAYS_H_
