// What it is: T2 (lateral buckling) and T4 (stick and slip of a compressed strip) of validation.md, measured.
// Units: SI. Shapes: as in meshes.h. How it fails: an unsolved step ends the test. Thread rules: pure functions.
#pragma once

#include "server/sim/constraints/elastic.h"
#include "tests/validation/layer_scenes.h"
#include "tests/validation/strips.h"

namespace tryon::sim::validation {

// T2: a strip clamped with its width upright, pushed a little aside: does it stay there?
struct Upright {
  double gamma = 20, aspect = 0.2;
  int elements = 40;
  MeshKind mesh = MeshKind::kM1;
  BendLaw bend = BendLaw::kShape;
};
inline Strip strip_of(const Upright& u, double length) {
  Strip s;
  s.mesh = u.mesh;
  s.cell = length / (u.elements + 0.5);
  s.start = -s.cell;
  s.columns = u.elements + 1;
  s.rows = std::max(4, static_cast<int>(std::round(u.aspect * u.elements)));
  s.width = u.aspect * length;
  return s;
}
inline ClothInput upright_cloth(const Upright& u, const Strip& s, double length) {
  ClothInput cloth = make_strip(s);
  cloth.layout = SpringLayout::kMembrane;
  cloth.bend = u.bend;
  const double w = cloth.fabric.areal_density * kGravity;
  cloth.fabric.bend_warp = cloth.fabric.bend_weft = w * std::pow(length, 3) / u.gamma;
  cloth.fabric.stretch_warp = cloth.fabric.stretch_weft = 2e4;
  cloth.fabric.shear = 1e4;
  clamp_first(s, &cloth);
  for (Vec3& p : cloth.positions) p = Vec3(p.x(), -p.z(), 0);
  return cloth;
}
inline bool buckles(const Upright& u, const std::string& solver = "newton", int iterations = 30) {
  const double length = 0.30;
  const Strip s = strip_of(u, length);
  const ClothInput cloth = upright_cloth(u, s, length);
  const DrapeModel model = build_model(cloth).value();
  DrapeState state = start_state(cloth);
  for (size_t i = 2 * (s.rows + 1); i < state.x.size(); ++i) {
    // Aside and twisted, as the mode is.
    const double t = static_cast<double>(state.x[i].x()) / length, up = static_cast<double>(state.x[i].y()) / length;
    state.x[i].z() = Real(length * (0.02 * t * t + 0.05 * up * t));
  }
  SolverSettings settings;
  settings.time_step = 0.1;
  settings.velocity_keep = 0;
  settings.iterations = iterations;
  settings.tolerance = 1e-6;
  auto solve = make_solver(solver, model, settings).value();
  double residual = 1, aside = 0;
  // Near the load it moves slowly: dead below 0.3 % of the length, gone above 6 %.
  for (int i = 0; i < 600 && residual > 1e-5; ++i) {
    const auto report = solve->step({}, vacuum(), &state);
    if (!report.ok()) {
      ADD_FAILURE() << report.status();
      return false;
    }
    residual = report->residual_max;
    aside = std::abs(mean_of_column(s, state, s.columns).z()) / length;
    if (i > 5 && (aside < 0.003 || aside > 0.06)) break;
  }
  return aside > 0.02;
}

// T2 as the specification begins it: a lateral force of a thousandth of the weight on the tip, rest, the force away,
// rest. The force is that of seam springs to held particles so far aside that it does not turn. Lateral displacement of
// the tip over the length at both rests.
struct TipForce {
  double pushed = 0, left = 0;
  double residual = 1;
};
inline TipForce push_tip(const Upright& u, const std::string& solver = "newton") {
  const double length = 0.30, far = 100;
  const Strip s = strip_of(u, length);
  ClothInput cloth = upright_cloth(u, s, length);
  const double weight = cloth.fabric.areal_density * kGravity * length * s.width;
  const int held = static_cast<int>(cloth.positions.size());
  append(make_strip(s), &cloth);  // another strip, all held
  for (size_t i = held; i < cloth.positions.size(); ++i) {
    cloth.positions[i] = cloth.positions[i - held] + Vec3(0, 0, far);
    cloth.pinned.push_back(static_cast<int>(i));
  }
  for (int j = 0; j <= s.rows; ++j) cloth.ties.emplace_back(s.at(s.columns, j), held + s.at(s.columns, j));
  const DrapeModel model = build_model(cloth).value();
  DrapeState state = start_state(cloth);
  state.tie_rest_ratio = 0;
  TipForce out;
  SolverSettings settings;
  settings.time_step = 1;
  settings.velocity_keep = 0;
  settings.iterations = 30;
  settings.tolerance = 1e-6;
  for (const double force : {1e-3 * weight, 0.0}) {
    settings.tie_stiffness = force / (far * (s.rows + 1));
    auto solve = make_solver(solver, model, settings).value();
    out.residual = 1;
    for (int i = 0; i < 100 && out.residual > 1e-5; ++i) {
      const auto report = solve->step({}, vacuum(), &state);
      if (!report.ok()) {
        ADD_FAILURE() << report.status();
        return {};
      }
      out.residual = report->residual_max;
    }
    (force > 0 ? out.pushed : out.left) = mean_of_column(s, state, s.columns).z() / length;
  }
  return out;
}

// T4: pressed down on a plane, quasi-statically.
struct Pressed {
  double compression = 0;  // epsilon
  double normal = 0;       // N L^2 / B per width
  double ratio = 0;        // T / N
  double slip = 0;         // m of the tip
};
// Then held still for `hold` seconds, its last entry.
inline std::vector<Pressed> press_strip(const std::string& solver, double mu, int elements, double step_m, double until,
                                        int iterations = 40, double hold = 0) {
  const double length = 0.2, bend = 1e-3;
  Strip s;
  s.cell = length / (elements + 0.5);
  s.start = -s.cell;
  s.columns = elements + 1;
  s.rows = 1;
  s.width = 0.02;
  ClothInput cloth = make_strip(s);
  cloth.layout = SpringLayout::kMembrane;
  cloth.bend = BendLaw::kShape;
  cloth.fabric.bend_warp = cloth.fabric.bend_weft = bend;
  cloth.fabric.stretch_warp = cloth.fabric.stretch_weft = 2e4;
  cloth.fabric.shear = 1e4;
  cloth.fabric.friction_static = cloth.fabric.friction_kinetic = mu;
  clamp_first(s, &cloth);
  Scene scene = vacuum();
  scene.gravity.setZero();
  const auto plane = make_plane_collider(Vec3::Zero(), Vec3::UnitY());
  scene.collider = plane.get();
  const double tip = s.start + s.columns * s.cell;
  for (Vec3& p : cloth.positions) {
    const double t = std::max(0.0, p.x() / tip);
    p = Vec3(1e-4 * std::sin(kPi * t) * t, scene.contact_offset + tip - p.x(), p.z());
  }
  const DrapeModel model = build_model(cloth).value();
  DrapeState state = start_state(cloth);
  SolverSettings settings;
  settings.time_step = 0.1;
  settings.velocity_keep = 0;
  settings.iterations = iterations;
  settings.tolerance = 1e-3;
  auto solve = make_solver(solver, model, settings).value();
  ElasticEnergy elastic(model, 0);
  std::vector<RVec3> gradient(state.x.size());
  std::vector<Pressed> out;
  const double start = mean_of_column(s, state, s.columns).x();
  double down = 0;
  const auto measure = [&] {
    elastic.evaluate({}, state.x.data(), 1, gradient.data());
    Vec3 reaction = Vec3::Zero();
    for (int j = 0; j <= s.rows; ++j) reaction += gradient[s.at(s.columns, j)].cast<double>();
    out.push_back({down / length, reaction.y() / s.width * length * length / bend,
                   std::abs(reaction.x()) / reaction.y(), std::abs(mean_of_column(s, state, s.columns).x() - start)});
  };
  // The buckle grows with the root of the compression: slow at first, or it is a jump that takes the edge along.
  for (double pace = 1e-7; down < until * length - 1e-9; pace *= 1.5) {
    const double by = std::min(step_m, pace);
    down += by;
    for (int k = 0; k < 2 * (s.rows + 1); ++k) state.x[k].y() -= Real(by);
    double residual = 1;
    for (int i = 0; i < 100 && residual > 0.005; ++i) {
      const auto report = solve->step({}, scene, &state);
      if (!report.ok()) {
        ADD_FAILURE() << report.status();
        return out;
      }
      residual = report->residual_max;
    }
    measure();
  }
  for (int i = 0; i < hold / settings.time_step; ++i)
    if (!solve->step({}, scene, &state).ok()) return out;
  if (hold > 0) measure();
  return out;
}

}  // namespace tryon::sim::validation
