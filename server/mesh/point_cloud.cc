#include "server/mesh/point_cloud.h"

#include "server/base/status.h"
#include "server/base/text.h"

namespace tryon {

absl::Status validate(const PointCloud& cloud, std::string_view name) {
  if (!cloud.normals.empty() && cloud.normals.size() != cloud.positions.size()) {
    return invalid_input("MESH_MALFORMED", cat(name, ".normals"),
                         cat(cloud.positions.size(), " points but ", cloud.normals.size(), " normals"),
                         "give every point a normal, or none");
  }
  for (int i = 0; i < cloud.point_count(); ++i) {
    const bool finite = cloud.positions[i].allFinite() && (cloud.normals.empty() || cloud.normals[i].allFinite());
    if (finite) continue;
    return invalid_input("MESH_NOT_FINITE", cat(name, ".point[", i, "]"), cat("point ", i, " is not finite"),
                         "remove points without a measured depth");
  }
  return absl::OkStatus();
}

}  // namespace tryon
