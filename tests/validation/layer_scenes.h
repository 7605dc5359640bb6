// What it is: T17 of validation.md: layers of one cloth on each other, measured. lbfgs is the solver that keeps them
// apart. Units: SI. Shapes: as in meshes.h. How it fails: an unsolved step ends the test. Thread rules: pure functions.
#pragma once

#include "server/sim/cloth_forces.h"
#include "server/sim/collision/cloth_elements.h"
#include "server/sim/constraints/elastic.h"
#include "tests/validation/strips.h"

namespace tryon::sim::validation {

inline constexpr double kLayerRadius = 2e-3;

// Edges that go through triangles with which they share no corner, each asked of each.
inline int count_crossings(const DrapeModel& model, const std::vector<RVec3>& x) {
  const std::vector<EdgeUse> edges =
      mesh_edges(TriangleMesh{std::vector<Vec3>(x.size(), Vec3::Zero()), model.triangles});
  const auto volume = [](const RVec3& a, const RVec3& b, const RVec3& c, const RVec3& d) {
    return (b - a).cross(c - a).dot(d - a);
  };
  int count = 0;
  for (const EdgeUse& edge : edges) {
    const RVec3 &p = x[edge.a], &q = x[edge.b];
    const RVec3 low = p.cwiseMin(q), high = p.cwiseMax(q);
    for (const Triangle& t : model.triangles) {
      if (edge.a == t[0] || edge.a == t[1] || edge.a == t[2] || edge.b == t[0] || edge.b == t[1] || edge.b == t[2])
        continue;
      const RVec3 &a = x[t[0]], &b = x[t[1]], &c = x[t[2]];
      if ((a.cwiseMin(b).cwiseMin(c).array() > high.array()).any() ||
          (a.cwiseMax(b).cwiseMax(c).array() < low.array()).any())
        continue;
      if (volume(a, b, c, p) * volume(a, b, c, q) >= 0) continue;
      const Real s = volume(p, q, a, b), t1 = volume(p, q, b, c), u = volume(p, q, c, a);
      count += (s > 0 && t1 > 0 && u > 0) || (s < 0 && t1 < 0 && u < 0);
    }
  }
  return count;
}

inline void append(const ClothInput& part, ClothInput* whole) {
  const int first = static_cast<int>(whole->positions.size());
  whole->positions.insert(whole->positions.end(), part.positions.begin(), part.positions.end());
  for (const Triangle& t : part.triangles) whole->triangles.push_back(Triangle(t.array() + first));
  whole->corner_flat.insert(whole->corner_flat.end(), part.corner_flat.begin(), part.corner_flat.end());
}

inline bool advance(const std::string& solver, const DrapeModel& model, const SolverSettings& settings,
                    const Scene& scene, int steps, DrapeState* state) {
  auto solve = make_solver(solver, model, settings).value();
  for (int i = 0; i < steps; ++i) {
    const auto report = solve->step({}, scene, state);
    if (!report.ok()) {
      ADD_FAILURE() << report.status();
      return false;
    }
  }
  return true;
}

// T17 a: sheets of 0.2 m on a plane, let down from a little apart.
struct Stack {
  double height = 0, expected = 0, support = 0;  // m; m; force on the plane over weight
  int crossings = 0;
};
inline Stack pile_up(int sheets, int cells, int fall = 20, int calm = 15) {
  ClothInput cloth;
  Scene scene = vacuum();
  scene.self_contact = kLayerRadius;
  Strip s;
  s.columns = s.rows = cells;
  s.cell = 0.2 / cells;
  s.width = 0.2;
  for (int k = 0; k < sheets; ++k) {
    ClothInput sheet = make_strip(s);
    const double turn = 0.1 * k;
    for (Vec3& p : sheet.positions) {
      const double x = p.x() - 0.1;
      p = Vec3(std::cos(turn) * x - std::sin(turn) * p.z(), scene.contact_offset + k * 1.2 * kLayerRadius,
               std::sin(turn) * x + std::cos(turn) * p.z());
    }
    append(sheet, &cloth);
  }
  cloth.fabric.areal_density = 0.2;
  const auto plane = make_plane_collider(Vec3::Zero(), Vec3::UnitY());
  scene.collider = plane.get();
  const DrapeModel model = build_model(cloth).value();
  DrapeState state = start_state(cloth);
  SolverSettings settings;
  settings.iterations = 30;
  advance("lbfgs", model, settings, scene, fall, &state);
  settings.time_step = 0.1;
  settings.velocity_keep = 0;
  settings.iterations = 60;
  settings.tolerance = 1e-3;
  advance("lbfgs", model, settings, scene, calm, &state);
  Stack out;
  const int each = (cells + 1) * (cells + 1);
  double top = 0;
  for (int i = (sheets - 1) * each; i < sheets * each; ++i) top += static_cast<double>(state.x[i].y()) / each;
  out.height = top;
  out.expected = scene.contact_offset + (sheets - 1) * kLayerRadius;
  out.crossings = count_crossings(model, state.x);
  // The plane's reaction, by forces that share nothing with the solver's.
  const NetForces net = net_forces(model, scene, state);
  double weight = 0;
  for (int i = 0; i < model.particle_count; ++i) {
    weight += static_cast<double>(model.mass[i]) * kGravity;
    if (static_cast<double>(state.x[i].y()) < scene.contact_offset + 2e-4)
      out.support += reaction_to(net.force[i], Vec3::UnitY(), model.fabrics[0].friction_static).y();
  }
  out.support /= weight;
  return out;
}

// T17 b: how far (m) a layer has gone after `seconds` on a held one, gravity tilted.
inline double slide_of_layer(double mu, double degrees, double seconds) {
  Strip s;
  s.columns = s.rows = 10;
  s.cell = 0.04;
  s.width = 0.4;
  ClothInput cloth = make_strip(s);
  const int held = static_cast<int>(cloth.positions.size());
  Strip top = s;
  top.columns = top.rows = 5;
  top.cell = 0.021;
  top.width = 0.105;
  top.start = 0.05;
  ClothInput upper = make_strip(top);
  for (Vec3& p : upper.positions) p += Vec3(0, kLayerRadius, 0.007);
  append(upper, &cloth);
  for (int i = 0; i < held; ++i) cloth.pinned.push_back(i);
  cloth.fabric.friction_static = cloth.fabric.friction_kinetic = mu;
  const DrapeModel model = build_model(cloth).value();
  DrapeState state = start_state(cloth);
  Scene scene = vacuum();
  scene.self_contact = kLayerRadius;
  SolverSettings settings;
  settings.velocity_keep = 1;
  settings.time_step = 1.0 / 60;
  settings.iterations = 60;
  settings.tolerance = 1e-3;
  advance("lbfgs", model, settings, scene, 10, &state);
  const double angle = degrees * kPi / 180;
  scene.gravity = kGravity * Vec3(std::sin(angle), -std::cos(angle), 0);
  const double start = static_cast<double>(state.x[held].x());
  advance("lbfgs", model, settings, scene, static_cast<int>(60 * seconds), &state);
  return static_cast<double>(state.x[held].x()) - start;
}

// T17 c: a strip of 0.2 x 0.04 m held at both ends, one turned step by step.
struct Twisted {
  double turns = 0;
  int crossings = 0;  // most over all steps
};
inline Twisted twist_strip(double turns, double degrees_a_step) {
  Strip s;
  s.columns = 30;
  s.cell = 0.2 / 30;
  s.rows = 6;
  s.width = 0.04;
  ClothInput cloth = make_strip(s);
  for (int j = 0; j <= s.rows; ++j) cloth.pinned.push_back(s.at(0, j)), cloth.pinned.push_back(s.at(s.columns, j));
  const DrapeModel model = build_model(cloth).value();
  DrapeState state = start_state(cloth);
  Scene scene = vacuum();
  scene.gravity.setZero();
  scene.self_contact = kLayerRadius;
  SolverSettings settings;
  settings.velocity_keep = 0.5;
  settings.iterations = 30;
  auto solve = make_solver("lbfgs", model, settings).value();
  Twisted out;
  const double step = degrees_a_step * kPi / 180;
  const Eigen::AngleAxisd turn(step, Vec3::UnitX());
  const int steps = static_cast<int>(std::round(turns * 360 / degrees_a_step));
  for (int i = 0; i < steps; ++i) {
    for (int j = 0; j <= s.rows; ++j) {
      RVec3& x = state.x[s.at(s.columns, j)];
      // Drawn in as it winds up, or it would stretch.
      const Vec3 moved = turn * x.cast<double>() - Vec3(0.04 / (4 * 360 / degrees_a_step), 0, 0);
      x = moved.cast<Real>();
    }
    if (!solve->step({}, scene, &state).ok()) break;
    out.turns += degrees_a_step / 360;
    out.crossings = std::max(out.crossings, count_crossings(model, state.x));
  }
  return out;
}

}  // namespace tryon::sim::validation
