// Apart from validator.cc, so that opdefc, which makes the embedded database, can validate without it.
#include <utility>

#include "quantgate/validator.h"

namespace quantgate {

Validator::Validator(Target target, ValidatorOptions options)
    : Validator(std::move(target), std::move(options), Database::Embedded()) {}

}  // namespace quantgate
