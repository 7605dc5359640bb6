// What it is: T13 (incline, stopping distance) and the sliding and resting parts of S7 of validation.md, measured: a
// square of 0.2 m on a plane or on large triangles in its place. Units: SI. Shapes: as in meshes.h.
// How it fails: an unsolved step ends the test. Thread rules: pure functions.
#pragma once

#include <memory>

#include "tests/validation/strips.h"

namespace tryon::sim::validation {

struct Block {
  double mu = 0.3, degrees = 0, speed = 0;  // m/s at first, down the slope
  double heading = 0;                       // degrees of the slope's direction about the vertical
  double h = 1.0 / 60, density = 0.2;
  int cells = 4;
  MeshKind mesh = MeshKind::kM1;
  bool triangles = false;
};
struct Slid {
  std::vector<double> distance;  // m down the slope by step, of the middle
  std::vector<double> energy;    // J/kg of motion, by step
  double speed = 0;
};

// A slab of 2.4 m, 0.5 m deep, its upper side the plane in triangles of 0.1 m. Not in two: facets that touch a true
// edge take a share of its corners' normals (see README.md).
inline TriangleMesh slab(const Vec3& down, const Vec3& across, const Vec3& normal) {
  constexpr int kCells = 24;
  TriangleMesh out;
  for (double depth : {0.0, 0.5})
    for (int i = 0; i <= kCells; ++i)
      for (int j = 0; j <= kCells; ++j)
        out.positions.push_back((0.1 * i - 1.2) * down + (0.1 * j - 1.2) * across - depth * normal);
  const auto at = [](int side, int i, int j) { return (side * (kCells + 1) + i) * (kCells + 1) + j; };
  const auto quad = [&](int a, int b, int c, int d) {
    out.triangles.push_back(Triangle(a, b, c));
    out.triangles.push_back(Triangle(a, c, d));
  };
  for (int i = 0; i < kCells; ++i) {
    for (int j = 0; j < kCells; ++j) {
      quad(at(0, i, j), at(0, i, j + 1), at(0, i + 1, j + 1), at(0, i + 1, j));
      quad(at(1, i, j), at(1, i + 1, j), at(1, i + 1, j + 1), at(1, i, j + 1));
    }
    quad(at(0, i, 0), at(0, i + 1, 0), at(1, i + 1, 0), at(1, i, 0));
    quad(at(0, i + 1, kCells), at(0, i, kCells), at(1, i, kCells), at(1, i + 1, kCells));
    quad(at(0, 0, i + 1), at(0, 0, i), at(1, 0, i), at(1, 0, i + 1));
    quad(at(0, kCells, i), at(0, kCells, i + 1), at(1, kCells, i + 1), at(1, kCells, i));
  }
  return out;
}

inline Slid slide_block(const std::string& solver, const Block& b, double seconds) {
  const double a = b.degrees * kPi / 180;
  const Eigen::AngleAxisd turn(b.heading * kPi / 180, Vec3::UnitY());
  const Vec3 normal = turn * Vec3(std::sin(a), std::cos(a), 0), down = turn * Vec3(std::cos(a), -std::sin(a), 0),
             across = turn * Vec3::UnitZ();
  Strip s;
  s.mesh = b.mesh;
  s.columns = s.rows = b.cells;
  s.cell = 0.2 / b.cells;
  s.width = 0.2;
  s.start = -0.1;
  ClothInput cloth = make_strip(s);
  cloth.fabric.areal_density = b.density;
  cloth.fabric.friction_static = cloth.fabric.friction_kinetic = b.mu;
  cloth.fabric.bend_warp = cloth.fabric.bend_weft = 1e-2;  // stiff: friction is judged, not folds
  Scene scene = vacuum();
  for (Vec3& p : cloth.positions) p = p.x() * down + p.z() * across + scene.contact_offset * normal;
  const std::unique_ptr<Collider> plane =
      b.triangles ? make_mesh_collider(slab(down, across, normal)) : make_plane_collider(Vec3::Zero(), normal);
  scene.collider = plane.get();
  const DrapeModel model = build_model(cloth).value();
  DrapeState state = start_state(cloth);
  for (RVec3& v : state.v) v = (b.speed * down).cast<Real>();
  SolverSettings settings;
  settings.velocity_keep = 1;
  settings.time_step = b.h;
  settings.iterations = 60;
  settings.tolerance = 1e-6;
  auto solve = make_solver(solver, model, settings).value();
  const int middle = s.at(b.cells / 2, b.cells / 2);
  const double start = down.dot(state.x[middle].cast<double>());
  double mass = 0;
  for (Real m : model.mass) mass += static_cast<double>(m);
  Slid out;
  for (int i = 0; i < static_cast<int>(std::lround(seconds / b.h)); ++i) {
    const auto report = solve->step({}, scene, &state);
    if (!report.ok()) {
      ADD_FAILURE() << report.status();
      return out;
    }
    double energy = 0;
    for (size_t k = 0; k < state.v.size(); ++k)
      energy += 0.5 * static_cast<double>(model.mass[k] * state.v[k].squaredNorm()) / mass;
    out.distance.push_back(down.dot(state.x[middle].cast<double>()) - start);
    out.energy.push_back(energy);
  }
  out.speed = down.dot(state.v[middle].cast<double>());
  return out;
}

// m/s^2 down the slope by the textbook.
inline double slope_acceleration(const Block& b) {
  const double a = b.degrees * kPi / 180;
  return kGravity * (std::sin(a) - b.mu * std::cos(a));
}
inline double critical_degrees(double mu) { return std::atan(mu) * 180 / kPi; }

}  // namespace tryon::sim::validation
