// What it is: the strips and sheets of the validation tests (validation.md, 0.3) and their solution at rest. A strip
// lies along world x, its width along z; flat coordinates are (along, across). M1: right triangles, one diagonal; M2:
// alternating diagonals; M3: equilateral, edges across the strip; M5: M3 jittered,
// the shorter diagonal of each cell, seeded. Units: SI, +Y up.
// Shapes: columns + 1 rows of particles along, rows + 1 across; index = along * (rows + 1) + across.
// How it fails: an unsolved step ends the test. Thread rules: pure functions.
#pragma once

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "server/base/units.h"
#include "server/sim/solvers/solver.h"

namespace tryon::sim::validation {

enum class MeshKind { kM1, kM2, kM3, kM5 };
inline const char* name_of(MeshKind kind) {
  switch (kind) {
    case MeshKind::kM1:
      return "M1";
    case MeshKind::kM2:
      return "M2";
    case MeshKind::kM3:
      return "M3";
    default:
      return "M5";
  }
}

struct Strip {
  double start = 0, cell = 0.01, width = 0.02;  // first column's place, spacing along, m
  int columns = 20, rows = 2;
  MeshKind mesh = MeshKind::kM1;
  uint32_t seed = 0;
  int at(int along, int across) const { return along * (rows + 1) + across; }
};

inline ClothInput make_strip(const Strip& s) {
  ClothInput cloth;
  std::mt19937 random(s.seed + 11);
  const auto unit = [&] { return static_cast<double>(random()) / 4294967296.0 - 0.5; };
  const double dy = s.width / s.rows;
  std::vector<Vec2> flat;
  for (int i = 0; i <= s.columns; ++i)
    for (int j = 0; j <= s.rows; ++j) {
      Vec2 p(s.start + i * s.cell, j * dy - s.width / 2);
      const bool inner = i > 1 && i < s.columns && j > 0 && j < s.rows;
      if ((s.mesh == MeshKind::kM3 || s.mesh == MeshKind::kM5) && j > 0 && j < s.rows && i % 2) p.y() += dy / 2;
      if (s.mesh == MeshKind::kM5 && inner) p += 0.3 * Vec2(s.cell * unit(), dy * unit());
      flat.push_back(p);
    }
  const auto add = [&](int a, int b, int c) {
    cloth.triangles.push_back(Triangle(a, b, c));
    cloth.corner_flat.push_back({flat[a], flat[b], flat[c]});
  };
  for (int i = 0; i < s.columns; ++i)
    for (int j = 0; j < s.rows; ++j) {
      const int a = s.at(i, j), b = s.at(i + 1, j), c = s.at(i + 1, j + 1), d = s.at(i, j + 1);
      bool turned = s.mesh == MeshKind::kM2 && (i + j) % 2;
      if (s.mesh == MeshKind::kM3) turned = i % 2 == 0;
      if (s.mesh == MeshKind::kM5) turned = (flat[b] - flat[d]).norm() < (flat[a] - flat[c]).norm();
      if (turned) {
        add(a, b, d);
        add(b, c, d);
      } else {
        add(a, b, c);
        add(a, c, d);
      }
    }
  for (const Vec2& p : flat) cloth.positions.push_back(Vec3(p.x(), 0, -p.y()));
  cloth.fabric.areal_density = 0.2;
  return cloth;
}

inline Scene vacuum() {
  Scene scene;
  scene.wind.drag = scene.wind.lift = 0;
  return scene;
}

// Without memory of speed until the residual is small: the state at rest.
struct Rest {
  DrapeState state;
  double residual = 1;
};
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

// T1: a heavy elastica, clamped at half a cell before its first free column (0.4).
struct Cantilever {
  double gamma = 8, length = 0.2;
  int elements = 20, rows = 2;
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
inline Bent bend_cantilever(const Cantilever& c, const std::string& solver = "newton", double h = 0.1,
                            int iterations = 50, int steps = 400) {
  Strip strip;
  strip.cell = c.length / (c.elements + 0.5);
  strip.start = -strip.cell;
  strip.columns = c.elements + 1;
  strip.rows = c.rows;
  strip.width = c.mesh == MeshKind::kM3 ? 2 / std::sqrt(3.0) * strip.cell * c.rows : 0.1 * c.length;
  strip.mesh = c.mesh;
  strip.seed = c.seed;
  ClothInput cloth = make_strip(strip);
  const double w = cloth.fabric.areal_density * kGravity;
  cloth.bend = c.bend;
  cloth.fabric.bend_warp = cloth.fabric.bend_weft = c.stiffness_factor * w * std::pow(c.length, 3) / c.gamma;
  cloth.fabric.stretch_warp = cloth.fabric.stretch_weft = 2e4 * w * c.length;
  cloth.fabric.shear = 1e4 * w * c.length;
  cloth.layout = SpringLayout::kMembrane;
  if (solver != "newton" && solver != "lbfgs") cloth.layout = SpringLayout::kThreads;
  for (int k = 0; k < 2 * (strip.rows + 1); ++k) cloth.pinned.push_back(k);
  const DrapeModel model = build_model(cloth).value();
  Rest rest = bring_to_rest(solver, model, vacuum(), start_state(cloth), 1e-5, steps, h, iterations);
  double x = 0, y = 0;
  for (int j = 0; j <= strip.rows; ++j) {
    x += static_cast<double>(rest.state.x[strip.at(strip.columns, j)].x()) / (strip.rows + 1);
    y += static_cast<double>(rest.state.x[strip.at(strip.columns, j)].y()) / (strip.rows + 1);
  }
  return {-y / (x + strip.cell / 2), rest.residual, std::move(rest.state)};
}

// validation.md 1.1, H / W_x against Gamma.
inline double exact_slope(double gamma) {
  static const std::vector<std::pair<double, double>> table = {{0.1, 0.01249955}, {1, 0.12456177},  {2, 0.24667321},
                                                               {5, 0.58572118},   {8, 0.88433027},  {10, 1.06680232},
                                                               {20, 1.86393014},  {30, 2.54721393}, {100, 5.88810462}};
  for (const auto& [g, slope] : table)
    if (g == gamma) return slope;
  return std::nan("");
}

}  // namespace tryon::sim::validation
