#include "server/sim/forces/outer.h"

#include <algorithm>

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
    : force(particle_count, RVec3::Zero()), drag(particle_count, Real(0)), normal(particle_count, RVec3::Zero()) {}

// Lift is taken at the step's start.
void OuterForces::gather(const DrapeModel& model, const Scene& scene, const DrapeState& state) {
  const RVec3 g = scene.gravity.cast<Real>();
  air = scene.wind.velocity.cast<Real>();
  for (int i = 0; i < model.particle_count; ++i) {
    force[i] = gravity::force(model.mass[i], g);
    drag[i] = 0;
  }
  if (scene.wind.drag == 0 && scene.wind.lift == 0) return;
  vertex_normals_into(model, state, &normal);
  for (int i = 0; i < model.particle_count; ++i) {
    const double length = static_cast<double>(normal[i].norm());
    if (length == 0) continue;
    const Eigen::Vector3d unit = normal[i].cast<double>() / length;
    const double area = static_cast<double>(model.mass[i]) / model.fabric.areal_density;
    const WindParts parts = wind_parts(scene.wind, state.v[i].cast<double>() - scene.wind.velocity, unit, area);
    force[i] += parts.lift.cast<Real>();
    drag[i] = static_cast<Real>(parts.drag_rate);
  }
}

}  // namespace tryon::sim
