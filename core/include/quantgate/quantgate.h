// Everything a client needs: readers, Model, Target, Validator, Report, Database.
#ifndef QUANTGATE_QUANTGATE_H_
#define QUANTGATE_QUANTGATE_H_

#include "quantgate/as_run.h"
#include "quantgate/consequence.h"
#include "quantgate/database.h"
#include "quantgate/diff.h"
#include "quantgate/dtype.h"
#include "quantgate/encoding.h"
#include "quantgate/encodings_file.h"
#include "quantgate/extract.h"
#include "quantgate/matrix.h"
#include "quantgate/model.h"
#include "quantgate/overlay.h"
#include "quantgate/reader.h"
#include "quantgate/report.h"
#include "quantgate/report_text.h"
#include "quantgate/rule.h"
#include "quantgate/survey.h"
#include "quantgate/target.h"
#include "quantgate/validator.h"
#include "quantgate/version.h"

#endif  // QUANTGATE_QUANTGATE_H_
