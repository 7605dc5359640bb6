// What it is: the solution at rest of the validation tests' sheets, and the clamped strips that several tests bend.
// Units: SI, +Y up. Shapes: as in meshes.h. How it fails: an unsolved step ends the test. Thread rules: pure functions.
#pragma once

#include "gtest/gtest.h"
#include "server/sim/constraints/elastic.h"
#include "server/sim/solvers/solver.h"
#include "tests/validation/meshes.h"

namespace tryon::sim::validation {

inline Scene vacuum() {
  Scene scene;
  scene.wind.drag = scene.wind.lift = 0;
  return scene;
}

struct Rest {
  DrapeState state;
  double residual = 1;
};

// J, elastic and weight; of the weight's, that of the particles from `first` on.
inline double potential_energy(const DrapeModel& model, const DrapeState& state, int first = 0) {
  ElasticEnergy elastic(model, 0);
  std::vector<RVec3> gradient(state.x.size());
  double sum = elastic.evaluate({}, state.x.data(), 1, gradient.data());
  for (int i = first; i < model.particle_count; ++i)
    sum += static_cast<double>(model.mass[i]) * kGravity * static_cast<double>(state.x[i].y());
  return sum;
}

// Without memory of speed until the residual is small: the state at rest.
inline Rest bring_to_rest(const std::string& solver, const DrapeModel& model, const Scene& scene, DrapeState start,
                          double residual = 1e-6, int steps = 400, double h = 0.1, int iterations = 50) {
  SolverSettings settings;
  settings.time_step = h;
  settings.velocity_keep = 0;
  settings.iterations = iterations;
  settings.tolerance = residual / 10;
  auto solve = make_solver(solver, model, settings).value();
  Rest rest{std::move(start), 1};
  for (int i = 0; i < steps && rest.residual > residual; ++i) {
    const auto report = solve->step({}, scene, &rest.state);
    if (!report.ok()) {
      ADD_FAILURE() << report.status();
      return rest;
    }
    rest.residual = report->residual_max;
  }
  return rest;
}

// T1: a heavy elastica, clamped at half a cell before its first free column (0.4); on M4, whose ends are zigzags, at
// their mean.
struct Cantilever {
  double gamma = 8, length = 0.2, aspect = 0.1;  // width over length
  int elements = 20;
  MeshKind mesh = MeshKind::kM1;
  BendLaw bend = BendLaw::kShape;
  double stiffness_factor = 1;  // of the right bending constant
  uint32_t seed = 0;
};
struct Bent {
  double slope = 0;  // H / W_x
  double residual = 0;
  DrapeState state;
};

inline Strip strip_of(const Cantilever& c) {
  Strip s;
  s.cell = c.length / (c.elements + (c.mesh == MeshKind::kM4 ? 0.0 : 0.5));
  s.start = -s.cell;
  s.columns = c.elements + 1;
  s.mesh = c.mesh;
  s.seed = c.seed;
  s.rows = 1;
  while (even_width(s) < 0.9 * c.aspect * c.length || (c.mesh == MeshKind::kM5 && s.rows < 2)) ++s.rows;
  s.width = even_width(s);
  return s;
}

// Where the clamp acts, from the strip's origin: half a column's distance before the last held column. M4's columns are
// half a cell apart and hold every other row; its last held one stands at half a cell.
inline double clamp_place(const Strip& s) { return s.mesh == MeshKind::kM4 ? s.cell / 4 : -s.cell / 2; }

inline void clamp_first(const Strip& s, ClothInput* cloth) {
  for (int k = 0; k < 2 * (s.rows + 1); ++k) cloth->pinned.push_back(k);
}

// Stretch and shear so stiff that they do not count (1.1).
inline void stiffen(double length, ClothInput* cloth) {
  const double weight = cloth->fabric.areal_density * kGravity * length;
  const double bend = 1e4 * std::max(cloth->fabric.bend_warp, cloth->fabric.bend_weft) / (length * length);
  cloth->fabric.stretch_warp = cloth->fabric.stretch_weft = std::max(2e4 * weight, bend);
  cloth->fabric.shear = cloth->fabric.stretch_warp / 2;
}

inline Vec3 mean_of_column(const Strip& s, const DrapeState& state, int column) {
  Vec3 sum = Vec3::Zero();
  for (int j = 0; j <= s.rows; ++j) sum += state.x[s.at(column, j)].cast<double>() / (s.rows + 1);
  return sum;
}

inline Bent bend_cantilever(const Cantilever& c, const std::string& solver = "newton", double h = 0.1,
                            int iterations = 50, int steps = 400) {
  const Strip strip = strip_of(c);
  ClothInput cloth = make_strip(strip);
  const double w = cloth.fabric.areal_density * kGravity;
  cloth.bend = c.bend;
  cloth.fabric.bend_warp = cloth.fabric.bend_weft = c.stiffness_factor * w * std::pow(c.length, 3) / c.gamma;
  stiffen(c.length, &cloth);
  cloth.layout = SpringLayout::kMembrane;
  if (solver != "newton" && solver != "lbfgs") cloth.layout = SpringLayout::kThreads;
  clamp_first(strip, &cloth);
  const DrapeModel model = build_model(cloth).value();
  Rest rest = bring_to_rest(solver, model, vacuum(), start_state(cloth), 1e-5, steps, h, iterations);
  const Vec3 tip = mean_of_column(strip, rest.state, strip.columns);
  return {-tip.y() / (tip.x() - clamp_place(strip)), rest.residual, std::move(rest.state)};
}

// T3: a strip with rest curvature hung from its clamped end: tip aside and below the clamp, over its length.
struct CurvedTip {
  double aside = 0, drop = 0, residual = 0;
};
inline CurvedTip hang_curved(const std::string& solver, double curvature, double gamma, int elements) {
  const double length = 0.2;
  Strip s;
  s.cell = length / (elements + 0.5);
  s.start = -s.cell;
  s.columns = elements + 1;
  s.rows = 1;
  s.width = s.cell;
  ClothInput cloth = make_strip(s);
  cloth.bend = BendLaw::kShape;
  cloth.layout = SpringLayout::kMembrane;
  cloth.rest_angles = true;
  const double w = cloth.fabric.areal_density * kGravity;
  cloth.fabric.bend_warp = cloth.fabric.bend_weft = w * std::pow(length, 3) / gamma;
  stiffen(length, &cloth);
  clamp_first(s, &cloth);
  // Its shape without weight: folds of the same angle from the clamp on. Hung straight to begin with.
  std::vector<RVec3> straight;
  Vec2 at(0, s.cell / 2);
  for (int i = 0; i <= s.columns; ++i) {
    for (int j = 0; j <= s.rows; ++j) {
      Vec3& p = cloth.positions[s.at(i, j)];
      straight.push_back(Vec3(0, s.cell / 2 - i * s.cell, p.z()).cast<Real>());
      p = Vec3(at.x(), at.y(), p.z());
    }
    const double angle = curvature / length * s.cell * i;
    at += s.cell * Vec2(std::sin(angle), -std::cos(angle));
  }
  const DrapeModel model = build_model(cloth).value();
  DrapeState state = start_state(cloth);
  state.x = straight;
  const Rest rest = bring_to_rest(solver, model, vacuum(), state, 1e-5, 800);
  const Vec3 tip = mean_of_column(s, rest.state, s.columns);
  return {tip.x() / length, -tip.y() / length, rest.residual};
}

// validation.md 1.1, H / W_x against Gamma.
inline constexpr std::pair<double, double> kMasterCurve[] = {{0.1, 0.01249955}, {1, 0.12456177},  {2, 0.24667321},
                                                             {5, 0.58572118},   {8, 0.88433027},  {10, 1.06680232},
                                                             {20, 1.86393014},  {30, 2.54721393}, {100, 5.88810462}};
inline double exact_slope(double gamma) {
  for (const auto& [g, slope] : kMasterCurve)
    if (g == gamma) return slope;
  return std::nan("");
}

}  // namespace tryon::sim::validation
