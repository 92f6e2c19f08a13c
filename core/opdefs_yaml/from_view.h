// A compiled database back in memory, to put overlays on.
#ifndef QUANTGATE_CORE_OPDEFS_YAML_FROM_VIEW_H_
#define QUANTGATE_CORE_OPDEFS_YAML_FROM_VIEW_H_

#include "core/opdb/view.h"
#include "core/opdefs_yaml/ir.h"

namespace quantgate::opdefs {

// BuildImage(FromView(view)) gives the image of `view`.
Ir FromView(const opdb::View& view);

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_CORE_OPDEFS_YAML_FROM_VIEW_H_
