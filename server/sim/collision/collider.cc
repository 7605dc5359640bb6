#include "server/sim/collision/collider.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tryon::sim {

namespace {

constexpr double kCreaseWidth = 3e-3;                        // m
constexpr double kRoundCosine = 0.866, kEdgeCosine = 0.643;  // 30 and 50 degrees
constexpr size_t kAtOnce = 64;

class SolidCollider : public Collider {
 public:
  explicit SolidCollider(std::vector<Solid> solids) : solids_(std::move(solids)) {}
  // Rounded: a particle in a crease between two solids needs one plane that balances it, and one that turns smoothly.
  Contact query(const Eigen::Vector3d& point, double max_distance) const override {
    const SurfacePoint surface = solids_.rounded(point, max_distance, kCreaseWidth);
    return {surface.distance, surface.normal};
  }
  void query(std::span<const Eigen::Vector3d> points, double max_distance, std::span<Contact> contacts) const override {
    std::array<SurfacePoint, kAtOnce> found;
    for (size_t first = 0; first < points.size(); first += kAtOnce) {
      const size_t count = std::min(kAtOnce, points.size() - first);
      solids_.rounded(points.subspan(first, count), max_distance, kCreaseWidth, std::span(found).first(count));
      for (size_t i = 0; i < count; ++i) contacts[first + i] = {found[i].distance, found[i].normal};
    }
  }

 private:
  SolidSet solids_;
};

// A scan is facets of something round. The distance is to the facets; the normal is that of the round thing, or pressed
// cloth would find no rest where the facets' normals jump. At true edges (a cut) the two are far apart: there the
// distance's own normal holds.
class SurfaceCollider : public Collider {
 public:
  SurfaceCollider(std::shared_ptr<const ClosestPointIndex> surface, std::vector<SharpPoint> sharp)
      : surface_(std::move(surface)), sharp_(std::move(sharp)) {}
  Contact query(const Eigen::Vector3d& point, double max_distance) const override {
    return contact_at(surface_->query(point, max_distance), max_distance);
  }
  void query(std::span<const Eigen::Vector3d> points, double max_distance, std::span<Contact> contacts) const override {
    std::array<ClosestPoint, kAtOnce> found;
    for (size_t first = 0; first < points.size(); first += kAtOnce) {
      const size_t count = std::min(kAtOnce, points.size() - first);
      surface_->query(points.subspan(first, count), max_distance, std::span(found).first(count));
      for (size_t i = 0; i < count; ++i) contacts[first + i] = contact_at(found[i], max_distance);
    }
  }
  std::span<const SharpPoint> sharp_points() const override { return sharp_; }

 private:
  Contact contact_at(const ClosestPoint& found, double max_distance) const {
    if (found.triangle < 0) return {max_distance, Eigen::Vector3d::UnitY()};
    const Vec3 smooth = surface_->smooth_normal(found);
    const double share = std::clamp((found.normal.dot(smooth) - kEdgeCosine) / (kRoundCosine - kEdgeCosine), 0.0, 1.0);
    return {found.signed_distance, (found.normal + share * (smooth - found.normal)).normalized()};
  }

  std::shared_ptr<const ClosestPointIndex> surface_;
  std::vector<SharpPoint> sharp_;
};

class UnionCollider : public Collider {
 public:
  explicit UnionCollider(std::vector<std::unique_ptr<Collider>> parts) : parts_(std::move(parts)) {
    for (const auto& part : parts_) {
      const std::span<const SharpPoint> sharp = part->sharp_points();
      sharp_.insert(sharp_.end(), sharp.begin(), sharp.end());
    }
  }
  Contact query(const Eigen::Vector3d& point, double max_distance) const override {
    Contact nearest{max_distance, Eigen::Vector3d::UnitY()};
    for (const auto& part : parts_) keep_nearer(part->query(point, max_distance), &nearest);
    return nearest;
  }
  void query(std::span<const Eigen::Vector3d> points, double max_distance, std::span<Contact> contacts) const override {
    std::fill(contacts.begin(), contacts.end(), Contact{max_distance, Eigen::Vector3d::UnitY()});
    std::array<Contact, kAtOnce> found;
    for (size_t first = 0; first < points.size(); first += kAtOnce) {
      const size_t count = std::min(kAtOnce, points.size() - first);
      for (const auto& part : parts_) {
        part->query(points.subspan(first, count), max_distance, std::span(found).first(count));
        for (size_t i = 0; i < count; ++i) keep_nearer(found[i], &contacts[first + i]);
      }
    }
  }
  std::span<const SharpPoint> sharp_points() const override { return sharp_; }

 private:
  static void keep_nearer(const Contact& contact, Contact* nearest) {
    if (contact.distance < nearest->distance) *nearest = contact;
  }
  std::vector<std::unique_ptr<Collider>> parts_;
  std::vector<SharpPoint> sharp_;  // of all parts
};

}  // namespace

void Collider::query(std::span<const Eigen::Vector3d> points, double max_distance, std::span<Contact> contacts) const {
  for (size_t i = 0; i < points.size(); ++i) contacts[i] = query(points[i], max_distance);
}

std::unique_ptr<Collider> make_union_collider(std::vector<std::unique_ptr<Collider>> parts) {
  return std::make_unique<UnionCollider>(std::move(parts));
}
std::unique_ptr<Collider> make_solid_collider(std::vector<Solid> solids) {
  return std::make_unique<SolidCollider>(std::move(solids));
}
std::unique_ptr<Collider> make_mesh_collider(TriangleMesh mesh) {
  return make_surface_collider(std::make_shared<const ClosestPointIndex>(mesh));
}
std::unique_ptr<Collider> make_surface_collider(std::shared_ptr<const ClosestPointIndex> surface,
                                                std::vector<SharpPoint> sharp) {
  return std::make_unique<SurfaceCollider>(std::move(surface), std::move(sharp));
}

}  // namespace tryon::sim
