#include <algorithm>

#include "server/sim/collision/collider.h"

namespace tryon::sim {

namespace {

class PlaneCollider : public Collider {
 public:
  PlaneCollider(const Eigen::Vector3d& point, const Eigen::Vector3d& normal)
      : normal_(normal.normalized()), level_(normal_.dot(point)) {}
  using Collider::query;
  Contact query(const Eigen::Vector3d& point, double max_distance) const override {
    const double distance = normal_.dot(point) - level_;
    return {std::min(distance, max_distance), normal_};
  }

 private:
  Eigen::Vector3d normal_;
  double level_;
};

}  // namespace

std::unique_ptr<Collider> make_plane_collider(const Eigen::Vector3d& point, const Eigen::Vector3d& normal) {
  return std::make_unique<PlaneCollider>(point, normal);
}

}  // namespace tryon::sim
