// quantgate verify MODEL --graph --backend-lib LIB: the whole model put to a library as one graph.
#ifndef QUANTGATE_TOOLS_QUANTGATE_VERIFY_VERIFY_GRAPH_LIBRARY_H_
#define QUANTGATE_TOOLS_QUANTGATE_VERIFY_VERIFY_GRAPH_LIBRARY_H_

#include "tools/quantgate/verify/verify.h"

namespace quantgate::cli {

// The exit status.
int RunVerifyGraphLibrary(const VerifyFlags& flags);

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_VERIFY_VERIFY_GRAPH_LIBRARY_H_
