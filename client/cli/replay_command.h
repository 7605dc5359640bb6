// What it is: `tryon replay FILE`: the failed steps of a drape run again on this machine, without a server or the body.
// Units: none. How it fails: FILE_UNREADABLE; REPLAY_UNREADABLE for what is no bundle of this version. Exit code 0 when
// the failure was seen again, 4 when it was not. Thread rules: the main thread.
#pragma once

#include "client/cli/options.h"

namespace tryon::cli {

int replay(const Options& options);

}  // namespace tryon::cli
