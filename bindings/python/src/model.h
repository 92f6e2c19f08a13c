// A model as Python holds it.
#ifndef QUANTGATE_BINDINGS_PYTHON_SRC_MODEL_H_
#define QUANTGATE_BINDINGS_PYTHON_SRC_MODEL_H_

#include <string>

#include "quantgate/model.h"

namespace quantgate::python {

struct LoadedModel {
  Model model;
  std::string source;  // the file, or what stands for it in reports
};

}  // namespace quantgate::python

#endif  // QUANTGATE_BINDINGS_PYTHON_SRC_MODEL_H_
