#include "server/sim/cloth_forces.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "server/sim/collision/points_under.h"
#include "server/sim/constraints/threads.h"

namespace tryon::sim {
namespace {

constexpr double kFar = 0.05;          // m, how far the collider is asked
constexpr double kAnywhere = 1.0;      // m, how far off the body garments may still press on each other
constexpr double kMiddleReach = 5e-4;  // m beyond its room within which a triangle's middle counts as touching
constexpr double kReach = 5e-4;        // m beyond the offset within which a particle may be held by the body

struct Shape {
  Eigen::Matrix<double, 3, 2> deformation;
  double rest_area = 0.0, area = 0.0;
};

Shape shape_of(const DrapeModel& model, const DrapeState& state, int t) {
  const Triangle& c = model.triangles[t];
  const auto& flat = model.corner_flat[t];
  Eigen::Matrix2d rest;
  rest << flat[1] - flat[0], flat[2] - flat[0];
  Eigen::Matrix<double, 3, 2> edges;
  edges.col(0) = (state.x[c[1]] - state.x[c[0]]).cast<double>();
  edges.col(1) = (state.x[c[2]] - state.x[c[0]]).cast<double>();
  return {edges * rest.inverse(), 0.5 * std::abs(rest.determinant()), 0.5 * edges.col(0).cross(edges.col(1)).norm()};
}

// A fibre's force times its image, summed over fibres: the integral of stress over the rest area.
Eigen::Matrix3d tension_of(const Eigen::Matrix<Real, 6, 1>& gradient, const Eigen::Matrix<double, 3, 2>& f) {
  return (gradient.head<3>() * f.col(0).cast<Real>().transpose() +
          gradient.tail<3>() * f.col(1).cast<Real>().transpose())
      .cast<double>();
}

Eigen::Matrix3d thread_tension(const DrapeModel& model, int t, const Eigen::Matrix<double, 3, 2>& f) {
  const Threads& all = model.threads;
  thread::Stiffness k{all.weft[t], all.warp[t], all.bias[t]};
  if (!all.limit_weft.empty()) k.limit_weft = all.limit_weft[t], k.limit_warp = all.limit_warp[t];
  return tension_of(thread::gradient(k, f.col(0).cast<Real>(), f.col(1).cast<Real>()), f);
}

Eigen::Matrix3d membrane_tension(const DrapeModel& model, int t, const Eigen::Matrix<double, 3, 2>& f) {
  const membrane::Stiffness& k = model.membranes.stiffness[t];
  return tension_of(membrane::gradient(k, f.col(0).cast<Real>(), f.col(1).cast<Real>()), f);
}

// A spring along an edge of the mesh pulls in the triangles beside it, half in each (the virial of the pair).
void add_spring_tension(const DrapeModel& model, const DrapeState& state, std::vector<Eigen::Matrix3d>* sums) {
  std::map<std::pair<int, int>, std::vector<int>> beside;
  for (int t = 0; t < static_cast<int>(model.triangles.size()); ++t) {
    for (int k = 0; k < 3; ++k) {
      const int a = model.triangles[t][k], b = model.triangles[t][(k + 1) % 3];
      beside[{std::min(a, b), std::max(a, b)}].push_back(t);
    }
  }
  const Springs& s = model.springs;
  for (int i = 0; i < s.count(); ++i) {
    if (s.kind[i] != SpringKind::kStructural && s.kind[i] != SpringKind::kShear) continue;
    const auto found = beside.find({std::min(s.a[i], s.b[i]), std::max(s.a[i], s.b[i])});
    if (found == beside.end()) continue;
    const Vec3 apart = (state.x[s.b[i]] - state.x[s.a[i]]).cast<double>();
    const double length = apart.norm();
    if (length <= 0) continue;
    const double pull = double(s.stiffness[i]) * (length - double(s.rest[i]));
    const double share = 1.0 / static_cast<double>(found->second.size());
    for (int t : found->second) (*sums)[t] += share * pull / length * apart * apart.transpose();
  }
}

// What lies beneath presses away from the body; what lies above is in the body's reaction already. Friction with them
// carries what is left, as far as it can.
void add_pressing_garments(const Collider& body, const DrapeState& state, const NetForces& net, ClothForces* out) {
  const std::vector<Vec3>& between = net.layers.between;
  for (size_t i = 0; i < between.size(); ++i) {
    if (between[i].isZero()) continue;
    const Contact contact = body.query(state.x[i].cast<double>(), kAnywhere);
    const Vec3 left = net.force[i] + out->reaction[i];
    const double most = net.layers.friction_between[i], size = left.norm();
    out->reaction[i] += between[i] - (size > most ? most / size : 1.0) * left;
    out->press[i] += std::max(0.0, between[i].dot(contact.normal));
  }
}

}  // namespace

std::vector<double> contact_reach(const DrapeModel& model, const Scene& scene, const DrapeState& state,
                                  const RunContext& run) {
  std::vector<double> out(model.particle_count, scene.contact_offset);
  if (scene.collider == nullptr || scene.middle_room <= 0) return out;
  const double touching = scene.middle_room + kMiddleReach;
  const PointsUnder sharp(scene.collider->sharp_points(), PointsUnder::reach_of(model));
  std::vector<uint8_t> raised(model.triangles.size(), 0);
  for_each(run, raised.size(), [&](size_t k) {
    const Triangle& t = model.triangles[k];
    const RVec3 middle = (state.x[t[0]] + state.x[t[1]] + state.x[t[2]]) / 3;
    const double distance = scene.collider->query(middle.cast<double>(), kFar).distance;
    const double lowest = scene.middle_room - kMostBulge;
    const double height = double(sharp.least_height(state.x[t[0]], state.x[t[1]], state.x[t[2]], Real(lowest)));
    raised[k] = (distance <= touching && distance >= lowest) || height <= touching;
  });
  for (size_t k = 0; k < raised.size(); ++k) {
    if (!raised[k]) continue;
    for (const int i : model.triangles[k]) out[i] = scene.contact_offset + kMostLift;
  }
  return out;
}

ClothForces cloth_forces(const DrapeModel& model, const Scene& scene, const DrapeState& state, const NetForces& net,
                         const RunContext& run) {
  ClothForces out;
  out.press.assign(model.particle_count, 0.0);
  out.reaction.assign(model.particle_count, Vec3::Zero());
  out.tension.assign(model.triangles.size(), Eigen::Matrix3d::Zero());
  if (model.springs.count() > 0) add_spring_tension(model, state, &out.tension);
  for_each(run, out.tension.size(), [&](size_t k) {
    const int t = static_cast<int>(k);
    const Shape shape = shape_of(model, state, t);
    if (model.threads.count() > 0) out.tension[t] += thread_tension(model, t, shape.deformation);
    if (model.membranes.count() > 0) out.tension[t] += membrane_tension(model, t, shape.deformation);
    out.tension[t] = shape.area > 0 ? Eigen::Matrix3d(out.tension[t] / shape.area) : Eigen::Matrix3d::Zero();
  });
  if (scene.collider == nullptr) return out;
  for_each(run, out.press.size(), [&](size_t i) {
    if (model.inverse_mass[i] == 0) return;
    const Contact contact = scene.collider->query(state.x[i].cast<double>(), net.reach[i] + 2 * kReach);
    if (contact.distance > net.reach[i] + kReach) return;
    const double mu = model.fabric_of(static_cast<int>(i)).sticking_friction();
    out.reaction[i] = reaction_to(net.force[i], contact.normal, mu);
    out.press[i] = std::max(0.0, out.reaction[i].dot(contact.normal));
  });
  add_pressing_garments(*scene.collider, state, net, &out);
  return out;
}

}  // namespace tryon::sim
