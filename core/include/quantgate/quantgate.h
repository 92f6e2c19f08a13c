// Checking models: readers, Model, Target, Validator, Report. Everything else has a header of its
// own; docs/guide/embedding.md lists them.
#ifndef QUANTGATE_QUANTGATE_H_
#define QUANTGATE_QUANTGATE_H_

#include "quantgate/consequence.h"
#include "quantgate/dtype.h"
#include "quantgate/encoding.h"
#include "quantgate/encodings_file.h"
#include "quantgate/model.h"
#include "quantgate/reader.h"
#include "quantgate/report.h"
#include "quantgate/report_text.h"
#include "quantgate/rule.h"
#include "quantgate/target.h"
#include "quantgate/validator.h"
#include "quantgate/version.h"

#endif  // QUANTGATE_QUANTGATE_H_
