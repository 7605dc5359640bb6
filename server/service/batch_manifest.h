// What it is: one line of a manifest, JSON Lines or CSV, to a block of a batch.
// How it fails: MANIFEST_MALFORMED, RESOURCE_NAME; the caller adds the place. Thread rules: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "server/service/batch_plan.h"

namespace tryon {

// `defaults` holds where the line says nothing else.
absl::StatusOr<BatchBlock> block_of_json(std::string_view line, const v1::CreateDrapeRequest& defaults);
absl::StatusOr<BatchBlock> block_of_csv(std::string_view line, const std::vector<std::string>& columns,
                                        const v1::CreateDrapeRequest& defaults);
// The cells of a line (RFC 4180; no line breaks inside cells).
absl::StatusOr<std::vector<std::string>> csv_cells(std::string_view line);

}  // namespace tryon
