// Shapes that the tables of several documents use.
#ifndef QUANTGATE_CORE_DATABASE_COMPILE_DOCUMENT_DOCUMENT_TYPES_H_
#define QUANTGATE_CORE_DATABASE_COMPILE_DOCUMENT_DOCUMENT_TYPES_H_

#include <cstdint>

#include "core/database/document_shape.h"

namespace quantgate::opdefs::shapes {

using opdb::DocumentKey;
using opdb::DocumentShape;
using enum opdb::ValueType;

inline constexpr DocumentShape kAnyText = {kText};
inline constexpr DocumentShape kTexts = {.type = kList, .item = &kAnyText};
inline constexpr DocumentShape kAnyScalar = {kScalar};
inline constexpr DocumentShape kAnyFlag = {kFlag};
inline constexpr DocumentShape kAnyNumber = {kNumber};
inline constexpr DocumentShape kAnInteger = {.type = kInteger, .min = INT32_MIN, .max = INT32_MAX};
inline constexpr DocumentShape kIntegers = {.type = kList, .item = &kAnInteger};
inline constexpr DocumentShape kPortNumber = {.type = kInteger, .min = 0, .max = 255};
inline constexpr DocumentShape kAPort = {kPort};
inline constexpr DocumentShape kAnOp = {kOp};
inline constexpr DocumentShape kOps = {.type = kList, .item = &kAnOp};
inline constexpr DocumentShape kAnOpSet = {kOpSet};
inline constexpr DocumentShape kOpSets = {.type = kList, .item = &kAnOpSet};
inline constexpr DocumentShape kADtype = {kDtype};
inline constexpr DocumentShape kDtypes = {.type = kList, .item = &kADtype};
inline constexpr DocumentShape kAnArch = {kArch};
inline constexpr DocumentShape kArchs = {.type = kList, .item = &kAnArch};
inline constexpr DocumentShape kABackend = {kBackend};
inline constexpr DocumentShape kBackends = {.type = kList, .item = &kABackend};
inline constexpr DocumentShape kAnSdk = {kSdk};
inline constexpr DocumentShape kARule = {kRule};
inline constexpr DocumentShape kRules = {.type = kList, .item = &kARule};

}  // namespace quantgate::opdefs::shapes

#endif  // QUANTGATE_CORE_DATABASE_COMPILE_DOCUMENT_DOCUMENT_TYPES_H_
