// Tensors and nodes of a Model, for those who want to look.
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "bindings/python/src/bind.h"
#include "bindings/python/src/model.h"
#include "bindings/python/src/text.h"
#include "quantgate/dtype.h"

namespace quantgate::python {
namespace {

namespace py = pybind11;

template <typename T>
using Data = py::class_<T, std::shared_ptr<T>>;

template <typename Dims>
py::tuple Shape(const Dims& dims) {
  py::tuple shape(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) shape[i] = dims[i];
  return shape;
}

// Numbers of tensors; None: absent.
template <typename Ids>
py::tuple Numbers(const Ids& ids) {
  py::tuple numbers(ids.size());
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] == kNoTensor) {
      numbers[i] = py::none();
    } else {
      numbers[i] = ids[i];
    }
  }
  return numbers;
}

py::object ValueOf(const ParamValue& param) {
  return std::visit(
      [](const auto& value) -> py::object {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, IntParam> || std::is_same_v<T, UintParam>) {
          return py::int_(value.value);
        } else if constexpr (std::is_same_v<T, TensorParam>) {
          return value.reals.empty() ? Shape(value.ints) : Shape(value.reals);
        } else if constexpr (std::is_same_v<T, std::string>) {
          return Text(value);
        } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
          return Texts(value);
        } else if constexpr (std::is_same_v<T, std::vector<int64_t>> ||
                             std::is_same_v<T, std::vector<double>>) {
          return Shape(value);
        } else {
          return py::cast(value);
        }
      },
      param);
}

py::dict Params(const Node& self) {
  py::dict params;
  for (const Param& param : self.params) params[Text(param.name)] = ValueOf(param.value);
  return params;
}

void BindTensor(py::module_& module) {
  Immutable(
      Data<Tensor>(module, "Tensor", py::module_local(), py::is_final(), "A tensor of a Model.")
          .def_property_readonly("name", Text(&Tensor::name), "Unlike all others.")
          .def_property_readonly(
              "dtype", [](const Tensor& self) { return Text(DtypeName(self.dtype)); },
              "QNN's name: 'UFIXED_POINT_8'; that of the file's type where nothing is resolved "
              "yet.")
          .def_property_readonly(
              "shape",
              [](const Tensor& self) -> py::object {
                if (self.unknown_rank) return py::none();
                return Shape(self.dims);
              },
              "Sizes, -1: dynamic; None: unknown rank.")
          .def_readonly("static", &Tensor::is_static, "A constant.")
          .def_property_readonly(
              "values",
              [](const Tensor& self) -> py::object {
                if (self.values == nullptr) return py::none();
                return self.values->reals.empty() ? Shape(self.values->ints)
                                                  : Shape(self.values->reals);
              },
              "Those of a small constant, as stored and row-major, one for all or all; else None.")
          .def_property_readonly(
              "encoding",
              [](const std::shared_ptr<Tensor>& self) -> py::object {
                if (self->encoding->kind == EncodingKind::kNone) return py::none();
                auto* const encoding = const_cast<Encoding*>(&*self->encoding);
                return py::cast(std::shared_ptr<Encoding>(self, encoding));
              },
              "Its Encoding, or None.")
          .def("__repr__", [](const Tensor& self) {
            return Text("<Tensor '" + self.name + "' " + std::string(DtypeName(self.dtype)) + ">");
          }));
}

void BindNode(py::module_& module) {
  Immutable(Data<Node>(module, "Node", py::module_local(), py::is_final(), "A node of a Model.")
                .def_property_readonly("name", Text(&Node::name), "'conv1', or its op and number.")
                .def_property_readonly("op", Text(&Node::op), "As in the file: 'Conv'")
                .def_property_readonly(
                    "inputs", [](const Node& self) { return Numbers(self.inputs); },
                    "Indexes into Model.tensors, None: not given.")
                .def_property_readonly(
                    "outputs", [](const Node& self) { return Numbers(self.outputs); },
                    "Indexes into Model.tensors, None: not used.")
                .def_property_readonly("params", &Params, "By name; of tensors their values, flat.")
                .def_property_readonly("location", Text(&Node::location),
                                       "Where the user wrote it, or ''.")
                .def("__repr__", [](const Node& self) {
                  return Text("<Node '" + self.name + "' (" + self.op + ")>");
                }));
}

}  // namespace

void BindGraph(py::module_& module) {
  BindTensor(module);
  BindNode(module);
}

}  // namespace quantgate::python
