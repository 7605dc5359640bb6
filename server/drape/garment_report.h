// What it is: what is told of a garment before anybody wears it: its pieces, seams and sizes, what a tailor would
// remark on, the seams that a pattern without any probably has, and pictures of the flat pieces. Units: as the keys of
// garment.json ("tryon.garment.v1") say. How it fails: first_error holds the first fault that keeps the garment from
// being draped. Thread rules: as RunContext.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "server/base/run_context.h"
#include "server/drape/garment_source.h"
#include "server/drape/pipeline.h"

namespace tryon {

struct GarmentReport {
  std::string json;
  absl::Status first_error;
};

absl::StatusOr<GarmentReport> inspect_garment(const RunContext& run, const LoadedGarment& garment, bool suggest);
// garment.json; of a sound pattern also pattern.json, pattern.svg, pattern.png
absl::StatusOr<Artifacts> garment_artifacts(const RunContext& run, const LoadedGarment& garment,
                                            const GarmentReport& report);

}  // namespace tryon
