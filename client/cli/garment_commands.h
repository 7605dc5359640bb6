// What it is: the commands about garments: garment check, garments list|get|delete, templates; and the garment that a
// drape begins with. How it fails: as commands.h. Thread rules: the main thread.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "client/cli/options.h"
#include "client/lib/client.h"

namespace tryon::cli {

// Of a pattern file (uploaded here), or of "template:NAME" or "sample:NAME".
absl::StatusOr<v1::CreateGarmentRequest> garment_order(const Options& options, const std::string& garment,
                                                       client::Client* client);

int garment_check(const Options& options, client::Client* client);
int garment_create(const Options& options, client::Client* client);
int garments_list(const Options& options, client::Client* client);
int garments_get(const Options& options, client::Client* client);
int garments_delete(const Options& options, client::Client* client);
int templates(const Options& options, client::Client* client);

}  // namespace tryon::cli
