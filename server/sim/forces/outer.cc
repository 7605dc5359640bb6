#include "server/sim/forces/outer.h"

#include <algorithm>
#include <cmath>

#include "server/sim/forces/air.h"
#include "server/sim/forces/gravity.h"

namespace tryon::sim {

namespace {

void vertex_normals_into(const DrapeModel& model, const DrapeState& state, std::vector<RVec3>* normal) {
  std::fill(normal->begin(), normal->end(), RVec3::Zero());
  for (const Triangle& c : model.triangles) {
    const RVec3 n = (state.x[c[1]] - state.x[c[0]]).cross(state.x[c[2]] - state.x[c[0]]);
    for (int k = 0; k < 3; ++k) (*normal)[c[k]] += n;
  }
}

}  // namespace

OuterForces::OuterForces(int particle_count)
    : force(particle_count, RVec3::Zero()), drag(particle_count, Real(0)), normal_(particle_count, RVec3::Zero()) {}

void OuterForces::gather(const DrapeModel& model, const Scene& scene, const DrapeState& state) {
  const RVec3 g = scene.gravity.cast<Real>();
  for (int i = 0; i < model.particle_count; ++i) {
    force[i] = gravity::force(model.mass[i], g);
    drag[i] = 0;
  }
  if (scene.pressure != 0) add_pressure(model, scene.pressure, state);
  if (scene.wind.drag == 0 && scene.wind.lift == 0) return;
  if (scene.wind.model == WindModel::kVertex) {
    add_vertex_wind(model, scene, state);
  } else {
    add_triangle_wind(model, scene, state);
  }
}

void OuterForces::add_pressure(const DrapeModel& model, double pressure, const DrapeState& state) {
  for (const Triangle& c : model.triangles) {
    const RVec3 cross = (state.x[c[1]] - state.x[c[0]]).cross(state.x[c[2]] - state.x[c[0]]);
    for (int k = 0; k < 3; ++k) force[c[k]] += Real(pressure / 6) * cross;
  }
}

void OuterForces::add_vertex_wind(const DrapeModel& model, const Scene& scene, const DrapeState& state) {
  const AirField field(scene.wind);
  vertex_normals_into(model, state, &normal_);
  for (int i = 0; i < model.particle_count; ++i) {
    const double length = static_cast<double>(normal_[i].norm());
    if (length == 0) continue;
    const Eigen::Vector3d unit = normal_[i].cast<double>() / length;
    const double area = static_cast<double>(model.mass[i]) / model.fabric_of(i).areal_density;
    const Eigen::Vector3d air = field.velocity(state.x[i].cast<double>(), state.time);
    const WindParts parts = wind_parts(scene.wind, state.v[i].cast<double>() - air, unit, area);
    force[i] += (parts.lift + parts.drag_rate * air).cast<Real>();
    drag[i] = static_cast<Real>(parts.drag_rate);
  }
}

// Each corner takes a third. The rate acts in all directions, which only damps motion that is under way.
void OuterForces::add_triangle_wind(const DrapeModel& model, const Scene& scene, const DrapeState& state) {
  const AirField field(scene.wind);
  for (const Triangle& c : model.triangles) {
    const Vec3 a = state.x[c[0]].cast<double>(), b = state.x[c[1]].cast<double>(), d = state.x[c[2]].cast<double>();
    const Vec3 cross = (b - a).cross(d - a);
    const double twice = cross.norm();
    if (twice == 0) continue;
    const Vec3 normal = cross / twice, middle = (a + b + d) / 3;
    const Vec3 velocity = (state.v[c[0]] + state.v[c[1]] + state.v[c[2]]).cast<double>() / 3;
    const Vec3 relative = velocity - field.velocity(middle, state.time);
    const Vec3 share = triangle_wind_force(scene.wind, relative, normal, twice / 6);
    const Real rate = static_cast<Real>(scene.wind.drag * std::abs(normal.dot(relative)) * twice / 6);
    for (int k = 0; k < 3; ++k) {
      force[c[k]] += share.cast<Real>() + rate * state.v[c[k]];
      drag[c[k]] += rate;
    }
  }
}

}  // namespace tryon::sim
