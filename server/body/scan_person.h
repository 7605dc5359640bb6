// What it is: the whole way from what a file held to one clean, closed person in the body's frame.
// Units and frame: in: any; out: metres, +Y up, facing +Z, floor at y = 0. Shapes: see Person.
// How it fails: as find_person; BODY_PARTIAL names the region that the scan does not show; BODY_NEEDS_RECONSTRUCTION
// where there is no reconstructor for points. Thread rules: pure functions but for the reconstructor.
#pragma once

#include "absl/status/statusor.h"
#include "server/base/run_context.h"
#include "server/body/candidate.h"

namespace tryon {

absl::StatusOr<Person> person_of_mesh(const RunContext& run, const TriangleMesh& scan, const ScanOptions& options,
                                      const Reconstructor& reconstruct);
absl::StatusOr<Person> person_of_cloud(const RunContext& run, const PointCloud& scan, const ScanOptions& options,
                                       const Reconstructor& reconstruct);

}  // namespace tryon
