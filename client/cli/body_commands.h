// What it is: the commands about bodies: fit, bodies list|get|delete, measurements; and the body that a drape begins
// with. How it fails: as commands.h. Thread rules: the main thread.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "client/cli/options.h"
#include "client/lib/client.h"

namespace tryon::cli {

struct BodyOrder {
  v1::CreateBodyRequest request;
  std::string scan;  // its bytes; empty without one
};
absl::StatusOr<BodyOrder> body_order(const Options& options);
v1::ProxyShape shape_of(const Options& options);

int fit(const Options& options, client::Client* client);
int bodies_list(const Options& options, client::Client* client);
int bodies_get(const Options& options, client::Client* client);
int bodies_delete(const Options& options, client::Client* client);
int measurements(const Options& options, client::Client* client);

}  // namespace tryon::cli
