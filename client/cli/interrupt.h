// What it is: Ctrl-C as a flag: the first sets it, the second ends this program. How it fails: it does not.
// Thread rules: call from the main thread.
#pragma once

#include "server/base/run_context.h"

namespace tryon::cli {

CancelFlag cancelled_by_interrupt();

}  // namespace tryon::cli
