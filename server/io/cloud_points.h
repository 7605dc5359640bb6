// What it is: the points of a file on their way into a PointCloud: those without a depth are dropped and counted.
// Units and frame: the file's. Shapes: see PointCloud. How it fails: finish() gives MESH_EMPTY where no point is left,
// add() MESH_NOT_FINITE where a finite coordinate is beyond all bounds. Thread rules: plain value.
#pragma once

#include <string>
#include <vector>

#include "server/io/mesh_file.h"
#include "server/io/mesh_inspect.h"

namespace tryon::mesh_inspect {

class CloudBuilder {
 public:
  explicit CloudBuilder(bool with_normals) : with_normals_(with_normals) {}
  void reserve(int64_t count);
  absl::Status add(const MeshSource& source, const Vec3& position, const Vec3& normal) {
    const int64_t number = stored_++;
    if (!position.allFinite()) return absl::OkStatus();  // how depth cameras write "nothing seen"
    if (!usable(position.cwiseAbs().maxCoeff())) return source.not_finite(cat("point ", number));
    points_.push_back(position);
    if (with_normals_) normals_.push_back(normal);
    return absl::OkStatus();
  }
  int64_t kept() const { return static_cast<int64_t>(points_.size()); }
  // Normals become unit; a few points without one are dropped, many cost all points theirs. Both are told.
  absl::Status finish(const MeshSource& source, ParsedMesh* out);

 private:
  void settle_normals(std::vector<std::string>* healed);
  bool with_normals_;
  int64_t stored_ = 0;
  std::vector<Vec3> points_, normals_;
};

absl::StatusOr<MeshFacts> inspect_pcd(const MeshSource& source, ParsedMesh* keep);

}  // namespace tryon::mesh_inspect
