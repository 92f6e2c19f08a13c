// What the vendor-shaped BackendOpInfo needs besides a query: QNN's numbers, facts of a route.
#include <string>

#include "bindings/python/src/bind.h"
#include "bindings/python/src/text.h"
#include "quantgate/database.h"
#include "quantgate/dtype.h"
#include "quantgate/encoding.h"

namespace quantgate::python {
namespace {

namespace py = pybind11;

// Qnn_DataType_t by name.
py::dict DtypeNumbers() {
  py::dict numbers;
  for (int i = 0; i < kDtypeCount; ++i) {
    const auto dtype = static_cast<Dtype>(i);
    numbers[Text(DtypeName(dtype))] = QnnValue(dtype);
  }
  return numbers;
}

// Qnn_QuantizationEncoding_t by name (QnnTypes.h, SDK 2.25).
py::dict EncodingNumbers() {
  py::dict numbers;
  const auto add = [&](QnnEncoding encoding, int number) {
    numbers[Text(QnnEncodingName(encoding))] = number;
  };
  add(QnnEncoding::kScaleOffset, 0);
  add(QnnEncoding::kAxisScaleOffset, 1);
  add(QnnEncoding::kBwScaleOffset, 2);
  add(QnnEncoding::kBwAxisScaleOffset, 3);
  add(QnnEncoding::kBlock, 4);
  add(QnnEncoding::kBlockwiseExpansion, 5);
  return numbers;
}

// The texts of a list in a document of the database.
py::tuple DocumentList(const std::string& document, const std::string& key) {
  return Texts(Database::Embedded().TextsOf(document, key));
}

}  // namespace

void BindBackendOpInfo(py::module_& module) {
  module.def("dtype_numbers", &DtypeNumbers);
  module.def("encoding_numbers", &EncodingNumbers);
  module.def("document_list", &DocumentList, py::arg("document"), py::arg("key"));
}

}  // namespace quantgate::python
