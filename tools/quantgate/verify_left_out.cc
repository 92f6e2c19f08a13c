// `quantgate verify` where no library can be loaded: in a browser.
#include "tools/quantgate/verify.h"

namespace quantgate::cli {

int RunVerify(const VerifyFlags& /*flags*/) {
  return Fail(
      "verify: loads a backend library, which can't be done here; use the command line tool");
}

}  // namespace quantgate::cli
