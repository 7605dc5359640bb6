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
  std::span<const SharpPoint> sharp_points() const override { return body_.sharp_points(); }

 private:
  const Collider& body_;
  const std::unique_ptr<Collider> cloth_;
  const double thickness_;
};

}  // namespace

std::unique_ptr<Collider> make_covered_collider(const Collider& body, TriangleMesh cloth, double thickness) {
  return std::make_unique<CoveredCollider>(body, std::move(cloth), thickness);
}

}  // namespace tryon::sim
