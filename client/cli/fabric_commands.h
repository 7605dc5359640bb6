// What it is: the commands about fabrics: fabric check and fit (files), create, list, get and delete (what the server
// keeps), and the fabric that a drape is asked with.
// How it fails: as commands.h. Thread rules: the main thread.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "client/cli/options.h"
#include "client/lib/client.h"

namespace tryon::cli {

// A name of the library or of a kept fabric as it is; a file (a path that is there) as the tryon.fabric.v1 document
// that it holds.
absl::StatusOr<std::string> fabric_order(const std::string& fabric);

int fabric_check(const Options& options, client::Client* client);
int fabric_fit(const Options& options, client::Client* client);
int fabric_create(const Options& options, client::Client* client);
int fabric_list(const Options& options, client::Client* client);
int fabric_get(const Options& options, client::Client* client);
int fabric_delete(const Options& options, client::Client* client);

}  // namespace tryon::cli
