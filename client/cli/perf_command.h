// What it is: `tryon perf`: loads a server with drapes, or with calls that answer at once, and prints how long they
// took, and what of that the server itself spent. How it fails: as commands.h. Thread rules: the main thread.
#pragma once

#include "client/cli/options.h"
#include "client/lib/client.h"

namespace tryon::cli {

int perf(const Options& options, client::Client* client);

}  // namespace tryon::cli
