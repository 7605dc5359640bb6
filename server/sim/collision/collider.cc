#include "server/sim/collision/collider.h"

#include <utility>

namespace tryon::sim {

namespace {

class SolidCollider : public Collider {
 public:
  explicit SolidCollider(std::vector<Solid> solids) : solids_(std::move(solids)) {}
  Contact query(const Eigen::Vector3d& point, double max_distance) const override {
    const SolidSet::Hit hit = solids_.nearest(point, max_distance);
    if (hit.solid < 0) return {max_distance, Eigen::Vector3d::UnitY()};
    return {hit.surface.distance, hit.surface.normal};
  }

 private:
  SolidSet solids_;
};

class MeshCollider : public Collider {
 public:
  explicit MeshCollider(const TriangleMesh& mesh) : index_(mesh) {}
  Contact query(const Eigen::Vector3d& point, double max_distance) const override {
    const ClosestPoint closest = index_.query(point, max_distance);
    if (closest.triangle < 0) return {max_distance, Eigen::Vector3d::UnitY()};
    return {closest.signed_distance, closest.normal};
  }

 private:
  ClosestPointIndex index_;
};

}  // namespace

std::unique_ptr<Collider> make_solid_collider(std::vector<Solid> solids) {
  return std::make_unique<SolidCollider>(std::move(solids));
}
std::unique_ptr<Collider> make_mesh_collider(TriangleMesh mesh) { return std::make_unique<MeshCollider>(mesh); }

}  // namespace tryon::sim
