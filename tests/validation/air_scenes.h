// What it is: T12 of validation.md: a strip hung from its edge in a steady wind, and a sheet that falls edge-on.
// Units: SI. Shapes: as in meshes.h. How it fails: an unsolved step ends the test. Thread rules: pure functions.
#pragma once

#include "server/sim/constraints/elastic.h"
#include "tests/validation/strips.h"

namespace tryon::sim::validation {

struct InWind {
  double degrees = 0;  // from the vertical, of the chord
  double crooked = 0;  // largest distance from the chord, over L
  double tension = 0;  // pull of the held edge over the weight
};
// The wind is that of a step's beginning: in steps of 0.1 s a sheet under the normal law flaps from q = 2 on, and does
// not come to rest. q = K U^2 / (rho_s g); `lift` is K_L / K_D, as facing goes (model J).
inline InWind hang_in_wind(const std::string& solver, WindModel law, double q, double lift, double h = 0.02) {
  Strip s;
  s.columns = 25;
  s.cell = 0.5 / s.columns;
  s.rows = 4;
  s.width = 0.2;
  ClothInput cloth = make_strip(s);
  cloth.fabric.areal_density = 0.12;
  cloth.fabric.stretch_warp = cloth.fabric.stretch_weft = 5000;
  cloth.fabric.bend_warp = cloth.fabric.bend_weft = 0;
  for (Vec3& p : cloth.positions) p = Vec3(0.3 * p.x(), -0.95 * p.x(), p.z());
  for (int j = 0; j <= s.rows; ++j) cloth.pinned.push_back(j);
  const DrapeModel model = build_model(cloth).value();
  Scene scene;
  scene.wind.model = law;
  scene.wind.drag = 0.6;
  scene.wind.lift = 0.6 * lift;
  scene.wind.lift_law = LiftLaw::kFacing;
  scene.wind.velocity = Vec3(std::sqrt(q * 0.12 * kGravity / 0.6), 0, 0);
  const Rest rest = bring_to_rest(solver, model, scene, start_state(cloth), 1e-5, static_cast<int>(60 / h), h);
  const Vec3 top = mean_of_column(s, rest.state, 0), tip = mean_of_column(s, rest.state, s.columns);
  const Vec3 along = (tip - top).normalized();
  InWind out;
  out.degrees = std::atan2(along.x(), -along.y()) * 180 / kPi;
  for (int i = 1; i < s.columns; ++i) {
    const Vec3 p = mean_of_column(s, rest.state, i) - top;
    out.crooked = std::max(out.crooked, (p - p.dot(along) * along).norm() / 0.5);
  }
  ElasticEnergy elastic(model, 0);
  std::vector<RVec3> gradient(rest.state.x.size());
  elastic.evaluate({}, rest.state.x.data(), 1, gradient.data());
  Vec3 pull = Vec3::Zero();
  for (int j = 0; j <= s.rows; ++j) pull += gradient[j].cast<double>();
  // The held row carries half a cell less than the whole.
  out.tension = pull.norm() / (0.12 * kGravity * 0.2 * (0.5 - s.cell / 2));
  return out;
}

// m that a sheet has fallen edge-on after a second of 60 steps, by the law that knows no force along the sheet.
inline double fall_edge_on(const std::string& solver) {
  Strip s;
  s.columns = s.rows = 4;
  s.cell = 0.05;
  s.width = 0.2;
  ClothInput cloth = make_strip(s);
  for (Vec3& p : cloth.positions) p = Vec3(0, -p.x(), p.z());
  const DrapeModel model = build_model(cloth).value();
  DrapeState state = start_state(cloth);
  Scene scene;
  scene.wind.model = WindModel::kTriangle;
  SolverSettings settings;
  settings.time_step = 1.0 / 60;
  settings.velocity_keep = 1;
  auto solve = make_solver(solver, model, settings).value();
  for (int i = 0; i < 60; ++i)
    if (!solve->step({}, scene, &state).ok()) return 0;
  return -static_cast<double>(state.x[0].y());
}

}  // namespace tryon::sim::validation
