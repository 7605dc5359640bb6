#include "server/sim/collision/collider.h"

#include <utility>

namespace tryon::sim {

namespace {

constexpr double kCreaseWidth = 3e-3;  // m

class SolidCollider : public Collider {
 public:
  explicit SolidCollider(std::vector<Solid> solids) : solids_(std::move(solids)) {}
  Contact query(const Eigen::Vector3d& point, double max_distance) const override {
    // Rounded: a particle in a crease between two solids needs one plane that balances it, and one that turns smoothly.
    const SurfacePoint surface = solids_.rounded(point, max_distance, kCreaseWidth);
    return {surface.distance, surface.normal};
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

class UnionCollider : public Collider {
 public:
  explicit UnionCollider(std::vector<std::unique_ptr<Collider>> parts) : parts_(std::move(parts)) {}
  Contact query(const Eigen::Vector3d& point, double max_distance) const override {
    Contact nearest{max_distance, Eigen::Vector3d::UnitY()};
    for (const auto& part : parts_) {
      const Contact contact = part->query(point, max_distance);
      if (contact.distance < nearest.distance) nearest = contact;
    }
    return nearest;
  }

 private:
  std::vector<std::unique_ptr<Collider>> parts_;
};

}  // namespace

std::unique_ptr<Collider> make_union_collider(std::vector<std::unique_ptr<Collider>> parts) {
  return std::make_unique<UnionCollider>(std::move(parts));
}
std::unique_ptr<Collider> make_solid_collider(std::vector<Solid> solids) {
  return std::make_unique<SolidCollider>(std::move(solids));
}
std::unique_ptr<Collider> make_mesh_collider(TriangleMesh mesh) { return std::make_unique<MeshCollider>(mesh); }

}  // namespace tryon::sim
