// What it is: the person among the points of a scan: floor, walls, props and strays left out, in the body's frame.
// Units and frame: in: any; out: metres, +Y up, facing +Z, floor at y = 0. Shapes: normals kept where there are any.
// How it fails: as find_placement; BODY_TOO_FEW_POINTS, BODY_SEVERAL_PERSONS, BODY_PARTIAL (a head and shoulders only).
// Thread rules: pure functions; equal input gives equal bytes.
#pragma once

#include "absl/status/statusor.h"
#include "server/base/run_context.h"
#include "server/body/body.h"

namespace tryon {

struct CloudPerson {
  PointCloud cloud;
  ScanSource source;
  bool on_floor = false;  // a floor was seen; the soles were closed against it
};
absl::StatusOr<CloudPerson> find_person_in_cloud(const RunContext& run, const ScanOptions& options,
                                                 const PointCloud& scan);

// A head above shoulders along some axis, and little below them.
bool is_head_and_shoulders(const std::vector<Vec3>& points);

}  // namespace tryon
