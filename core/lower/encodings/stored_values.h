// The numbers of a float constant in the steps of the encoding that a file gives it.
#ifndef QUANTGATE_CORE_LOWER_ENCODINGS_STORED_VALUES_H_
#define QUANTGATE_CORE_LOWER_ENCODINGS_STORED_VALUES_H_

#include <cstddef>
#include <memory>

#include "quantgate/model.h"

namespace quantgate {

struct StoredValues {
  std::shared_ptr<const TensorValues> values;  // integers; null = no numbers are kept, or the encoding has blocks
  size_t cut = 0;    // of them, that lie beyond what the encoding holds
  double sqnr = 0;   // in dB, of all; infinite where nothing is lost
};

// `constant` has its encoding already, and its kept numbers are real.
StoredValues StoreInSteps(const Tensor& constant);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_LOWER_ENCODINGS_STORED_VALUES_H_
