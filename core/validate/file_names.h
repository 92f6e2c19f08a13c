// Findings in the words of the file that was checked: QNN's names stay, those of the user stand
// next to them.
#ifndef QUANTGATE_CORE_VALIDATE_FILE_NAMES_H_
#define QUANTGATE_CORE_VALIDATE_FILE_NAMES_H_

#include "core/database/view.h"
#include "quantgate/model.h"
#include "quantgate/report.h"
#include "quantgate/target.h"

namespace quantgate {

// "UFIXED_POINT_8 (uint8)" in what was found, is allowed and is proposed; and behind a fix that
// changes an encoding, the constants of the file that hold its scale and zero point. Nothing for a
// QNN model, whose names they are.
void NameAsInFile(const Model& model, const Target& target, const opdb::View& database,
                  Report& report);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_VALIDATE_FILE_NAMES_H_
