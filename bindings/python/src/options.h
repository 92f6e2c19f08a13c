// Words of Python's arguments as options of a validator.
#ifndef QUANTGATE_BINDINGS_PYTHON_SRC_OPTIONS_H_
#define QUANTGATE_BINDINGS_PYTHON_SRC_OPTIONS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quantgate/validator.h"

namespace quantgate::python {

// The index of `value`; ValueError with the known ones where it is none of them.
size_t OneOf(std::string_view argument, const std::string& value,
             const std::vector<std::string_view>& values);

// A route as it is, if it names one of opdefs/routes, maybe with a release. Throws ValueError.
std::string RouteOf(const std::string& route);

// Throws ValueError.
ValidatorOptions OptionsOf(const std::optional<std::string>& route, const std::string& mode,
                           const std::string& fail_on);

}  // namespace quantgate::python

#endif  // QUANTGATE_BINDINGS_PYTHON_SRC_OPTIONS_H_
