// A compiled database back in memory, to put overlays on.
#ifndef QUANTGATE_CORE_DATABASE_COMPILE_FROM_VIEW_H_
#define QUANTGATE_CORE_DATABASE_COMPILE_FROM_VIEW_H_

#include "core/database/compile/ir.h"
#include "core/database/view.h"

namespace quantgate::opdefs {

// BuildImage(FromView(view)) gives the image of `view`.
Ir FromView(const opdb::View& view);

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_CORE_DATABASE_COMPILE_FROM_VIEW_H_
