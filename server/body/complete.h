// What it is: what a scan does not show of its person, and how far the other side can stand in for it.
// Units and frame: metres, the body's: +Y up, facing +Z, floor at y = 0. Shapes: points close over the skin.
// How it fails: BODY_PARTIAL names what no mirror can give: the back, the front, or both flanks.
// Thread rules: pure functions; equal input gives equal bytes.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "server/mesh/point_cloud.h"

namespace tryon {

// Whether front, back and flanks of the trunk were seen; a flank that only one side shows is left to the mirror.
absl::Status check_all_round(const std::vector<Vec3>& points);

struct Mirrored {
  PointCloud points;                 // to be added; normals where the given cloud has them
  std::vector<std::string> regions;  // "left forearm", ...
  double share = 0.0;                // of the skin's samples afterwards
};
// What one side shows and the other does not, brought over the middle plane of the body.
Mirrored mirror_missing(const PointCloud& person);

// Where on the body a point lies, in words: "the scalp", "the soles", "the left flank".
std::string region_name(const Vec3& p, double height);

}  // namespace tryon
