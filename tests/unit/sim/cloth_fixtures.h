// What it is: small cloths and a sphere for the simulation's tests. Units: SI, +Y up. Shapes: grids of (n+1) x (m+1).
// How it fails: it does not. Thread rules: pure functions.
#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "server/sim/collision/collider.h"
#include "server/sim/model.h"
#include "server/sim/solvers/solver.h"

namespace tryon::sim::testing {

// A bound by the engine's number type: double judges, float is for speed (validation 2.7, 5.5).
inline double bound(double in_double, double in_float) { return sizeof(Real) < sizeof(double) ? in_float : in_double; }

// Steps towards rest, as the end of a drape takes them.
inline SolverSettings long_steps() {
  SolverSettings settings;
  settings.velocity_keep = 0.0;
  settings.time_step = 0.3;
  settings.iterations = 40;
  return settings;
}

inline void take_long_steps(Solver* solver, const Scene& scene, int steps, DrapeState* state) {
  for (int i = 0; i < steps; ++i) {
    for (auto& v : state->v) v.setZero();
    EXPECT_TRUE(solver->step(RunContext(), scene, state).ok());
  }
}

// A flat sheet: rest shape in (x, y) with warp along y; placed horizontally (x, height, -y) unless hung.
// Rows are offset by half a cell (nearly equilateral triangles) and inner points are moved by `jitter` cells.
struct SheetOptions {
  double width = 1.0, length = 1.0;  // along weft (x) and warp (y)
  int columns = 20, rows = 20;
  double jitter = 0.0, height = 0.0;
  bool hung = false;    // placed in the plane z = 0 with warp vertical, top edge at y = height
  bool slanted = true;  // false: plain square grid
};

inline ClothInput make_sheet(const SheetOptions& o) {
  ClothInput cloth;
  std::mt19937 random(7);
  const auto unit = [&] { return static_cast<double>(random()) / 4294967296.0 - 0.5; };
  const double dx = o.width / o.columns, dy = o.length / o.rows;
  std::vector<Vec2> flat;
  for (int j = 0; j <= o.rows; ++j)
    for (int i = 0; i <= o.columns; ++i) {
      const bool inner = i > 0 && i < o.columns && j > 0 && j < o.rows;
      Vec2 p(i * dx, j * dy);
      if (o.slanted && i > 0 && i < o.columns && j % 2) p.x() += dx / 2;
      if (inner && o.jitter > 0) p += o.jitter * Vec2(unit() * dx, unit() * dy);
      flat.push_back(p);
    }
  const auto at = [&](int i, int j) { return j * (o.columns + 1) + i; };
  const auto add = [&](int a, int b, int c) {
    cloth.triangles.push_back(Triangle(a, b, c));
    cloth.corner_flat.push_back({flat[a], flat[b], flat[c]});
  };
  for (int j = 0; j < o.rows; ++j)
    for (int i = 0; i < o.columns; ++i) {
      const int a = at(i, j), b = at(i + 1, j), c = at(i + 1, j + 1), d = at(i, j + 1);
      if (o.slanted && j % 2 == 0) {
        add(a, b, d);
        add(b, c, d);
      } else {
        add(a, b, c);
        add(a, c, d);
      }
    }
  for (const Vec2& p : flat) {
    if (o.hung) {
      cloth.positions.push_back(Vec3(p.x() - o.width / 2, o.height - o.length + p.y(), 0));
    } else {
      cloth.positions.push_back(Vec3(p.x() - o.width / 2, o.height, o.length / 2 - p.y()));
    }
  }
  return cloth;
}

// A soft, uneven sheet of 30 cm, level.
inline ClothInput soft_sheet(int cells = 6, double height = 0) {
  SheetOptions o;
  o.width = o.length = 0.3;
  o.columns = o.rows = cells;
  o.jitter = 0.3;
  o.height = height;
  ClothInput cloth = make_sheet(o);
  cloth.fabric.stretch_warp = cloth.fabric.stretch_weft = 60;
  cloth.fabric.shear = 10;
  return cloth;
}

class SphereCollider : public Collider {
 public:
  SphereCollider(const Eigen::Vector3d& center, double radius) : center_(center), radius_(radius) {}
  Contact query(const Eigen::Vector3d& point, double max_distance) const override {
    const Eigen::Vector3d out = point - center_;
    const double length = out.norm();
    return {std::min(length - radius_, max_distance),
            length > 0 ? Eigen::Vector3d(out / length) : Eigen::Vector3d(0, 1, 0)};
  }

 private:
  Eigen::Vector3d center_;
  double radius_;
};

inline Scene still_scene(const Collider* collider = nullptr) {
  Scene scene;
  scene.collider = collider;
  scene.wind.drag = scene.wind.lift = 0;
  return scene;
}

}  // namespace tryon::sim::testing
