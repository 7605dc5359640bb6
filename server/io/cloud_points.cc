#include "server/io/cloud_points.h"

#include <algorithm>

namespace tryon::mesh_inspect {
namespace {
constexpr double kMostWithoutNormal = 0.1;  // of the points
bool has_direction(const Vec3& n) { return n.allFinite() && n.cwiseAbs().maxCoeff() > 1e-12 && n.norm() < 1e12; }
}  // namespace

void CloudBuilder::reserve(int64_t count) {
  points_.reserve(static_cast<size_t>(count));
  if (with_normals_) normals_.reserve(static_cast<size_t>(count));
}

void CloudBuilder::settle_normals(std::vector<std::string>* healed) {
  const auto bad = static_cast<int64_t>(
      std::count_if(normals_.begin(), normals_.end(), [](const Vec3& n) { return !has_direction(n); }));
  if (bad > kMostWithoutNormal * static_cast<double>(kept())) {
    healed->push_back(cat("ignored the normals of the file: ", bad, " of ", kept(), " are no directions"));
    normals_.clear();
    return;
  }
  if (bad > 0) healed->push_back(cat("dropped ", bad, " points whose normal is no direction"));
  size_t to = 0;
  for (size_t i = 0; i < points_.size(); ++i) {
    if (!has_direction(normals_[i])) continue;
    points_[to] = points_[i];
    normals_[to++] = normals_[i].normalized();
  }
  points_.resize(to);
  normals_.resize(to);
}

absl::Status CloudBuilder::finish(const MeshSource& source, ParsedMesh* out) {
  if (kept() == 0) return source.empty(cat("has ", stored_, " points, but none with a usable position"));
  if (kept() < stored_) out->healed.push_back(cat("dropped ", stored_ - kept(), " points without a position"));
  if (with_normals_) settle_normals(&out->healed);
  out->cloud.positions = std::move(points_);
  out->cloud.normals = std::move(normals_);
  return absl::OkStatus();
}

}  // namespace tryon::mesh_inspect
