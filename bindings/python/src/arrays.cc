#include "bindings/python/src/arrays.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <type_traits>

#include "quantgate/text.h"

namespace quantgate::python {
namespace {

namespace py = pybind11;

// Elements from which on a scan releases the GIL: taking it back may cost a thread switch.
constexpr Py_ssize_t kWorthUnlocking = 1 << 16;

// The most numbers of an encoding or shape: numpy makes arrays of any size without memory behind
// them (broadcast_to), and a copy would have it.
constexpr Py_ssize_t kMaxNumbers = 1 << 27;

// struct.pack's codes of one native number each.
constexpr std::string_view kIntegerCodes = "bBhHiIlLqQn?";
constexpr std::string_view kRealCodes = "efd";

struct Half {
  char bytes[2];
};

// A buffer of the caller's, held for as long as this lives.
class Buffer {
 public:
  // False: `object` has none (the Python error is cleared).
  bool Open(py::handle object) {
    if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_RECORDS_RO) != 0) {
      PyErr_Clear();
      view_.obj = nullptr;
      return false;
    }
    return true;
  }
  Buffer() = default;
  ~Buffer() {
    if (view_.obj != nullptr) PyBuffer_Release(&view_);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  const Py_buffer& view() const { return view_; }
  Py_ssize_t count() const { return view_.itemsize > 0 ? view_.len / view_.itemsize : 0; }
  std::string_view format() const { return view_.format != nullptr ? view_.format : "B"; }
  // The code of its elements; TypeError where they are no native numbers.
  char Code(std::string_view what) const {
    std::string_view format = this->format();
    // numpy marks native order of standard sizes so; the sizes of these codes are the same.
    if (format.size() == 2 && (format[0] == '@' || format[0] == '=' || format[0] == '<')) {
      format.remove_prefix(1);
    }
    if (format.size() == 1 && (kIntegerCodes.find(format[0]) != std::string_view::npos ||
                               kRealCodes.find(format[0]) != std::string_view::npos)) {
      return format[0];
    }
    throw py::type_error(std::string(what) + ": an array of format '" +
                         Printable(this->format(), 20) +
                         "'; give integers or floats of native byte order");
  }

 private:
  Py_buffer view_ = {};
};

// `Repeats`: elements that lie in the same place (stride 0) are used each time, else once.
template <typename T, bool Repeats, typename Use>
void Walk(const Py_buffer& view, int dim, const char* at, const Use& use) {
  if (dim == view.ndim) {
    T value;
    std::memcpy(&value, at, sizeof(value));
    use(value);
    return;
  }
  const Py_ssize_t stride = view.strides[dim];
  const Py_ssize_t size =
      !Repeats && stride == 0 ? std::min<Py_ssize_t>(view.shape[dim], 1) : view.shape[dim];
  for (Py_ssize_t i = 0; i < size; ++i, at += stride) {
    if (dim + 1 == view.ndim) {
      T value;
      std::memcpy(&value, at, sizeof(value));
      use(value);
    } else {
      Walk<T, Repeats>(view, dim + 1, at, use);
    }
  }
}

template <typename T, bool Repeats, typename Use>
void WalkAs(const Buffer& buffer, std::string_view what, const Use& use) {
  const Py_buffer& view = buffer.view();
  if (view.itemsize != static_cast<Py_ssize_t>(sizeof(T))) {
    ThrowValue(what, "an array whose items have " + std::to_string(view.itemsize) + " bytes");
  }
  const auto* data = static_cast<const char*>(view.buf);
  if (view.ndim > 0 && view.strides == nullptr) {
    for (Py_ssize_t i = 0; i < buffer.count(); ++i) {
      T value;
      std::memcpy(&value, data + i * view.itemsize, sizeof(value));
      use(value);
    }
    return;
  }
  Walk<T, Repeats>(view, 0, data, use);
}

// Calls `use` with every element, as the C++ type that it has.
template <bool Repeats = true, typename Use>
void ForEach(const Buffer& buffer, std::string_view what, const Use& use) {
  switch (buffer.Code(what)) {
    case '?':
      return WalkAs<bool, Repeats>(buffer, what,
                                   [&](bool value) { use(static_cast<uint8_t>(value)); });
    case 'b':
      return WalkAs<signed char, Repeats>(buffer, what, use);
    case 'B':
      return WalkAs<unsigned char, Repeats>(buffer, what, use);
    case 'h':
      return WalkAs<short, Repeats>(buffer, what, use);
    case 'H':
      return WalkAs<unsigned short, Repeats>(buffer, what, use);
    case 'i':
      return WalkAs<int, Repeats>(buffer, what, use);
    case 'I':
      return WalkAs<unsigned int, Repeats>(buffer, what, use);
    case 'l':
      return WalkAs<long, Repeats>(buffer, what, use);
    case 'L':
      return WalkAs<unsigned long, Repeats>(buffer, what, use);
    case 'q':
    case 'n':
      return WalkAs<long long, Repeats>(buffer, what, use);
    case 'Q':
      return WalkAs<unsigned long long, Repeats>(buffer, what, use);
    case 'f':
      return WalkAs<float, Repeats>(buffer, what, use);
    case 'd':
      return WalkAs<double, Repeats>(buffer, what, use);
    default:
      return WalkAs<Half, Repeats>(buffer, what,
                                   [&](Half half) { use(PyFloat_Unpack2(half.bytes, /*le=*/1)); });
  }
}

bool IsReal(char code) { return kRealCodes.find(code) != std::string_view::npos; }

std::string Item(std::string_view what, Py_ssize_t i) {
  return std::string(what) + "[" + std::to_string(i) + "]";
}

bool IsText(py::handle object) {
  return PyUnicode_Check(object.ptr()) || PyBytes_Check(object.ptr()) ||
         PyByteArray_Check(object.ptr());
}

// Calls `use(item, name of it)` for the items of a sequence, whatever their conversion does to it.
template <typename Use>
void ForEachItem(py::handle object, std::string_view what, std::string_view expected,
                 const Use& use) {
  if (IsText(object) || !PySequence_Check(object.ptr()) || PyDict_Check(object.ptr())) {
    ThrowType(what, expected, object);
  }
  const auto fast = py::reinterpret_steal<py::object>(PySequence_Fast(object.ptr(), ""));
  if (!fast) throw py::error_already_set();
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(fast.ptr()); ++i) {
    const auto item = py::reinterpret_borrow<py::object>(PySequence_Fast_GET_ITEM(fast.ptr(), i));
    use(item, i);
  }
}

// Elements of `object` as T, by way of `one` for those of sequences.
template <typename T, typename One>
std::vector<T> Numbers(py::handle object, std::string_view what, std::string_view expected,
                       bool reals, const One& one) {
  std::vector<T> numbers;
  if (PyFloat_Check(object.ptr()) || PyLong_Check(object.ptr())) {
    numbers.push_back(one(object, what));
    return numbers;
  }
  Buffer buffer;
  if (!IsText(object) && buffer.Open(object)) {
    if (IsReal(buffer.Code(what)) && !reals) ThrowType(what, expected, object);
    if (buffer.count() > kMaxNumbers) {
      ThrowValue(what, std::to_string(buffer.count()) + " numbers; at most " +
                           std::to_string(kMaxNumbers) + " are taken");
    }
    numbers.reserve(static_cast<size_t>(buffer.count()));
    ForEach(buffer, what, [&](auto value) {
      if constexpr (std::is_integral_v<T>) {
        bool fits = false;
        if constexpr (std::is_integral_v<decltype(value)>) fits = std::in_range<T>(value);
        if (!fits) {
          ThrowValue(
              Item(what, static_cast<Py_ssize_t>(numbers.size())),
              std::to_string(value) + " is beyond " + std::to_string(sizeof(T) * 8) + " bits");
        }
      }
      numbers.push_back(static_cast<T>(value));
    });
    return numbers;
  }
  ForEachItem(object, what, expected, [&](const py::object& item, Py_ssize_t i) {
    numbers.push_back(one(item, Item(what, i)));
  });
  return numbers;
}

Dtype DtypeOfCode(char code, Py_ssize_t itemsize) {
  const bool is_unsigned = code >= 'A' && code <= 'Z';
  if (code == '?') return Dtype::kBool8;
  if (IsReal(code)) {
    return itemsize == 2 ? Dtype::kFloat16 : itemsize == 4 ? Dtype::kFloat32 : Dtype::kFloat64;
  }
  switch (itemsize) {
    case 1:
      return is_unsigned ? Dtype::kUint8 : Dtype::kInt8;
    case 2:
      return is_unsigned ? Dtype::kUint16 : Dtype::kInt16;
    case 4:
      return is_unsigned ? Dtype::kUint32 : Dtype::kInt32;
    default:
      return is_unsigned ? Dtype::kUint64 : Dtype::kInt64;
  }
}

// Smallest and largest of some numbers; NaN is neither.
class Range {
 public:
  void Add(double value) {
    if (value < low_) low_ = value;
    if (value > high_) high_ = value;
  }
  std::optional<std::pair<double, double>> get() const {
    if (low_ > high_) return std::nullopt;
    return std::pair(low_, high_);
  }

 private:
  double low_ = std::numeric_limits<double>::infinity();
  double high_ = -std::numeric_limits<double>::infinity();
};

void KeepAll(const Buffer& buffer, std::string_view what, std::vector<int64_t>* ints,
             std::vector<double>* reals) {
  const bool is_real = IsReal(buffer.Code(what));
  ForEach(buffer, what, [&](auto value) {
    if (is_real) {
      reals->push_back(static_cast<double>(value));
    } else {
      ints->push_back(static_cast<int64_t>(value));
    }
  });
}

Constant ConstantOf(const Buffer& buffer, std::string_view what) {
  Constant constant;
  buffer.Code(what);
  if (buffer.count() <= kMaxKeptValues) {
    auto values = std::make_shared<TensorValues>();
    KeepAll(buffer, what, &values->ints, &values->reals);
    constant.values = std::move(values);
    return constant;
  }
  Range range;
  const auto scan = [&] {
    ForEach<false>(buffer, what, [&](auto value) { range.Add(static_cast<double>(value)); });
  };
  if (buffer.count() >= kWorthUnlocking) {
    const py::gil_scoped_release unlocked;
    scan();
  } else {
    scan();
  }
  constant.range = range.get();
  return constant;
}

}  // namespace

void ThrowType(std::string_view what, std::string_view expected, py::handle found) {
  throw py::type_error(std::string(what) + ": expected " + std::string(expected) + ", got " +
                       Printable(Py_TYPE(found.ptr())->tp_name, 80));
}

void ThrowValue(std::string_view what, const std::string& problem) {
  throw py::value_error(std::string(what) + ": " + problem);
}

std::string_view Utf8(py::handle object, std::string_view what) {
  if (!PyUnicode_Check(object.ptr())) ThrowType(what, "a str", object);
  Py_ssize_t size = 0;
  const char* data = PyUnicode_AsUTF8AndSize(object.ptr(), &size);
  if (data == nullptr) {
    PyErr_Clear();
    ThrowValue(what, "a str that has no UTF-8 form (an unpaired surrogate)");
  }
  return {data, static_cast<size_t>(size)};
}

int64_t Integer(py::handle object, std::string_view what) {
  if (PyFloat_Check(object.ptr()) || !PyIndex_Check(object.ptr())) {
    ThrowType(what, "an int", object);
  }
  const auto index = py::reinterpret_steal<py::object>(PyNumber_Index(object.ptr()));
  if (!index) throw py::error_already_set();
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  if (overflow != 0) ThrowValue(what, "an integer beyond 64 bits");
  if (value == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
  return value;
}

int32_t Integer32(py::handle object, std::string_view what) {
  const int64_t value = Integer(object, what);
  if (!std::in_range<int32_t>(value)) {
    ThrowValue(what, std::to_string(value) + " is beyond 32 bits");
  }
  return static_cast<int32_t>(value);
}

double Real(py::handle object, std::string_view what) {
  if (IsText(object)) ThrowType(what, "a number", object);
  const double value = PyFloat_AsDouble(object.ptr());
  if (value == -1.0 && PyErr_Occurred() != nullptr) {
    if (PyErr_ExceptionMatches(PyExc_TypeError)) {
      PyErr_Clear();
      ThrowType(what, "a number", object);
    }
    throw py::error_already_set();
  }
  return value;
}

std::vector<int64_t> Integers(py::handle object, std::string_view what) {
  return Numbers<int64_t>(
      object, what, "integers", false,
      [](py::handle item, std::string_view name) { return Integer(item, name); });
}

std::vector<int32_t> Integers32(py::handle object, std::string_view what) {
  return Numbers<int32_t>(
      object, what, "integers", false,
      [](py::handle item, std::string_view name) { return Integer32(item, name); });
}

std::vector<float> Floats(py::handle object, std::string_view what) {
  return Numbers<float>(object, what, "numbers", true, [](py::handle item, std::string_view name) {
    return static_cast<float>(Real(item, name));
  });
}

bool IsArray(py::handle object) {
  return !IsText(object) && PyObject_CheckBuffer(object.ptr()) != 0;
}

Constant ReadConstant(py::handle object, std::string_view what) {
  Buffer buffer;
  if (!IsText(object) && buffer.Open(object)) return ConstantOf(buffer, what);
  auto values = std::make_shared<TensorValues>();
  std::vector<double> reals;
  bool is_real = false;
  ForEachItem(object, what, "an array or a sequence of numbers",
              [&](const py::object& item, Py_ssize_t i) {
                const std::string name = Item(what, i);
                is_real = is_real || PyFloat_Check(item.ptr());
                if (!is_real) values->ints.push_back(Integer(item, name));
                reals.push_back(Real(item, name));
              });
  Constant constant;
  if (static_cast<int64_t>(reals.size()) > kMaxKeptValues) {
    Range range;
    for (const double value : reals) range.Add(value);
    constant.range = range.get();
    return constant;
  }
  if (is_real) {
    values->ints.clear();
    values->reals = std::move(reals);
  }
  constant.values = std::move(values);
  return constant;
}

TensorParam ReadTensorParam(py::handle array, std::string_view what) {
  Buffer buffer;
  if (!buffer.Open(array)) ThrowType(what, "an array", array);
  TensorParam param;
  param.dtype = DtypeOfCode(buffer.Code(what), buffer.view().itemsize);
  for (int i = 0; i < buffer.view().ndim; ++i) param.dims.push_back(buffer.view().shape[i]);
  if (buffer.count() <= kMaxKeptValues) KeepAll(buffer, what, &param.ints, &param.reals);
  return param;
}

}  // namespace quantgate::python
