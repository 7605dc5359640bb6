// What it is: a drape as the options have it: body, garment and fabric are made known to the service on the way.
// How it fails: USAGE for an option that cannot be read, else as the service says. Thread rules: the main thread.
#pragma once

#include "absl/status/statusor.h"
#include "client/cli/options.h"
#include "client/lib/client.h"

namespace tryon::cli {

absl::StatusOr<v1::CreateDrapeRequest> drape_request(const Options& options, client::Client* client);
v1::LayerContact layers_of(const Options& options);

}  // namespace tryon::cli
