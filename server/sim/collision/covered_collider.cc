#include <array>
#include <memory>
#include <utility>

#include "server/sim/collision/collider.h"

namespace tryon::sim {

namespace {

class CoveredCollider : public Collider {
 public:
  CoveredCollider(const Collider& body, TriangleMesh cloth, double thickness)
      : body_(body), cloth_(make_mesh_collider(std::move(cloth))), thickness_(thickness) {}
  using Collider::query;
  Contact query(const Eigen::Vector3d& point, double max_distance) const override {
    const Contact body = body_.query(point, max_distance);
    Contact cloth = cloth_->query(point, max_distance + thickness_);
    cloth.distance -= thickness_;
    return cloth.distance < body.distance ? cloth : body;
  }

 private:
  const Collider& body_;
  const std::unique_ptr<Collider> cloth_;
  const double thickness_;
};

class SheathedCollider : public Collider {
 public:
  SheathedCollider(const Collider& body, const TriangleMesh& cloth, double thickness)
      : body_(body), cloth_(cloth), index_(cloth_, SideRule::kPseudoNormal), thickness_(thickness) {
    on_rim_.assign(cloth_.triangles.size(), {});
    for (const EdgeUse& edge : mesh_edges(cloth_)) {
      if (edge.right >= 0) continue;
      const Triangle& t = cloth_.triangles[edge.left];
      for (int k = 0; k < 3; ++k) {
        if (t[k] != edge.a && t[k] != edge.b) on_rim_[edge.left][k] = true;
      }
    }
  }
  using Collider::query;
  Contact query(const Eigen::Vector3d& point, double max_distance) const override {
    const Contact body = body_.query(point, max_distance);
    const ClosestPoint found = index_.query(point, kReach);
    if (found.triangle < 0 || at_rim(found)) return body;
    const Contact cloth{-found.signed_distance - thickness_, -index_.smooth_normal(found)};
    return cloth.distance < body.distance ? cloth : body;
  }

 private:
  static constexpr double kReach = 0.02;  // m: what lies farther out belongs elsewhere

  bool at_rim(const ClosestPoint& found) const {
    const Triangle& t = cloth_.triangles[found.triangle];
    const auto& rim = on_rim_[found.triangle];
    for (int k = 0; k < 3; ++k) {
      if (!rim[k]) continue;
      const Vec3 &a = cloth_.positions[t[(k + 1) % 3]], &b = cloth_.positions[t[(k + 2) % 3]];
      if ((b - a).cross(found.point - a).norm() <= 1e-6 * (b - a).norm()) return true;
    }
    return false;
  }

  const Collider& body_;
  const TriangleMesh cloth_;
  const ClosestPointIndex index_;
  const double thickness_;
  std::vector<std::array<bool, 3>>
      on_rim_;  // [triangle_count] whether the side across from a corner is an edge of the cloth
};

}  // namespace

std::unique_ptr<Collider> make_covered_collider(const Collider& body, TriangleMesh cloth, double thickness) {
  return std::make_unique<CoveredCollider>(body, std::move(cloth), thickness);
}

std::unique_ptr<Collider> make_sheathed_collider(const Collider& body, const TriangleMesh& cloth, double thickness) {
  return std::make_unique<SheathedCollider>(body, cloth, thickness);
}

}  // namespace tryon::sim
