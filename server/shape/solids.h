// What it is: the analytic solids that bound a body: sphere and oblique elliptic frustum (Ji 2004, section 2.1-2.2).
// A cylinder and a right or circular frustum are frusta with equal numbers. Units: metres, any frame.
// The frustum's two end ellipses lie in parallel planes with normal `axis`; u, v are unit, orthogonal and span them.
// distance(): signed, negative inside, with the outward unit normal. How it fails: never; degenerate sizes are clamped,
// and a query that is no number or beyond 1e9 m is infinitely far from everything.
// Thread rules: plain values, pure functions.
//
// Open ends. Solids of a chain share end discs, and a disc that lies inside the chain is not a wall:
//
//        ___________            a point at x is 2 mm from the shared disc and 30 mm from the flank; pushed to the
//       |     x     |           disc it would never leave the chain. open_top / open_bottom say "the chain goes on
//     --+-----------+--  disc   here": the disc still decides what is inside, but distance and normal come from the
//      /             \          flank (and the other end, if that one is closed).
#pragma once

#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "Eigen/Core"
#include "Eigen/Geometry"
#include "server/base/surface_query.h"

namespace tryon {

struct Sphere {
  Eigen::Vector3d center = Eigen::Vector3d::Zero();
  double radius = 0.0;
};

struct Frustum {
  Eigen::Vector3d bottom = Eigen::Vector3d::Zero(), top = Eigen::Vector3d::UnitY();  // centres of the end ellipses
  Eigen::Vector3d axis = Eigen::Vector3d::UnitY();  // unit normal of the end planes; (top - bottom).dot(axis) > 0
  Eigen::Vector3d u = Eigen::Vector3d::UnitX();     // direction of the first semi-axis
  Eigen::Vector3d v = Eigen::Vector3d::UnitZ();     // direction of the second
  Eigen::Vector2d bottom_radii = Eigen::Vector2d::Zero(), top_radii = Eigen::Vector2d::Zero();  // along u, v
  bool open_bottom = false, open_top = false;  // joined there to a neighbour with the same end ellipse
};

using Solid = std::variant<Sphere, Frustum>;

struct SurfacePoint {
  double distance = 0.0;                              // signed: positive outside
  Eigen::Vector3d normal = Eigen::Vector3d::UnitY();  // outward unit normal at the closest surface point
};

// Exact (1e-9 m) for spheres and circular sections; elliptic sections by Newton's method in the angle, to 1e-6 m.
SurfacePoint distance(const Sphere& sphere, const Eigen::Vector3d& point);
SurfacePoint distance(const Frustum& frustum, const Eigen::Vector3d& point);
SurfacePoint distance(const Solid& solid, const Eigen::Vector3d& point);
// Where on the surface that distance ends.
inline Eigen::Vector3d closest_point(const Eigen::Vector3d& query, const SurfacePoint& surface) {
  return query - surface.distance * surface.normal;
}
Eigen::AlignedBox3d bounds(const Solid& solid);

// Ji's own four-step test of a moving particle against an oblique circular frustum (2004, section 2.2, figure 3). The
// first radius of each end is taken. Bands of |Q1 P| - |Q1 M| at the particle's height: below -alpha*delta it has
// passed through, within +-delta it may touch; then N is the foot of the perpendicular from P on the generator that
// lies in the plane of P, the axis and the apex, and it is a contact where the velocity points against N -> P.
//   Two remarks on the print. It calls |NP| the shortest distance to the cone: true of a right cone, or in the oblique
// cone's plane of symmetry; elsewhere it is an upper bound (see the tests), which is why the simulator asks
// distance() instead. And between -alpha*delta and -delta (alpha > 1) the print names no case; it is inside, and is
// treated as the near band. For a particle inside, N -> P points inward and is turned outward here.
struct JiContact {
  enum class Band { kBeyond, kOutside, kNear, kPenetrating } band = Band::kBeyond;  // kBeyond: not between the ends
  bool contact = false;                                                             // near, and moving inward
  double gap = 0.0;                                                                 // signed |NP|
  Eigen::Vector3d normal = Eigen::Vector3d::UnitY();                                // outward unit normal along NP
};
JiContact ji_contact(const Frustum& frustum, const Eigen::Vector3d& point, const Eigen::Vector3d& velocity,
                     double delta, double alpha);

class SolidBatch;

// The union of many solids. Solids that share an end ellipse, open on both sides, form a chain, and a chain is one
// body: its distance is that to its nearest flank. nearest() gives the smallest signed distance of all chains: outside,
// the true distance to the union; inside, the *deepest* chain. A point inside two must leave both, so the deepest gives
// the largest lower bound on the way out, is continuous, and is <= 0 exactly where some solid holds the point. (The
// shallowest would push a point back and forth across surfaces that are buried in others.)
//   An open end without a neighbour is taken to be buried in another solid: it limits the distance, which so remains
// continuous (it changes by no more than the point moves), but a point inside is still shown the way to the flank.
//   Ties go to the lower index. Solids are culled by a tree of boxes; batches by eight solids at once.
class SolidSet : public SurfaceQuery {
 public:
  explicit SolidSet(std::vector<Solid> solids = {});
  const std::vector<Solid>& solids() const { return solids_; }
  struct Hit {
    int solid = -1;  // -1: nothing within max_distance
    SurfacePoint surface;
  };
  Hit nearest(const Eigen::Vector3d& point, double max_distance) const;

  // The union with its creases rounded: d = -w log(sum exp(-d_i / w)) over the solids within 8 w of the nearest, and
  // the normal is the weighted mean. Never larger than nearest() (at most w log n smaller, n solids meeting), so
  // outside it is outside all; its normal turns smoothly across creases, which one contact plane a particle needs.
  SurfacePoint rounded(const Eigen::Vector3d& point, double max_distance, double width) const;

  // The same for many points [point_count], several times faster; equal to the above to 1e-9 m within 0.1 m of the
  // surface, and the same bytes however the points are split into batches and whatever the processor.
  void nearest(std::span<const Eigen::Vector3d> points, double max_distance, std::span<Hit> hits) const;
  void rounded(std::span<const Eigen::Vector3d> points, double max_distance, double width,
               std::span<SurfacePoint> surfaces) const;

  SurfaceAnswer surface(const Eigen::Vector3d& point, double max_distance) const override;
  void surface(std::span<const Eigen::Vector3d> points, double max_distance,
               std::span<SurfaceAnswer> answers) const override;

 private:
  struct Node {
    Eigen::AlignedBox3d box;
    int begin = 0, end = 0;  // a leaf's range in order_; empty for an inner node
    int right = -1;          // second child; the first is the next node
  };
  void build(int begin, int end);
  Hit deepest(const Eigen::Vector3d& point, double max_distance) const;  // of the solids, each for itself
  template <typename Visit>
  void visit_within(const Eigen::Vector3d& point, const double* reach, Visit visit) const;  // visit(solid)
  Hit chain_depth(const Eigen::Vector3d& point, const Hit& holder) const;
  std::vector<Solid> solids_;
  std::vector<Eigen::AlignedBox3d> boxes_;
  std::vector<int> order_;
  std::vector<Node> nodes_;
  std::shared_ptr<const SolidBatch> batch_;  // what batches need, made once; also knows the chains
};

}  // namespace tryon
