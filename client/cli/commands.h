// What it is: one function a command: asks the service, writes files, prints; returns the exit code.
// How it fails: prints reason, place and remedy on standard error. Thread rules: the main thread.
#pragma once

#include "client/cli/options.h"
#include "client/lib/client.h"

namespace tryon::cli {

int run_command(const Options& options, client::Client* client);
int report_error(const absl::Status& status, bool json);

}  // namespace tryon::cli
