// What it is: cloths, clocks and sums that the studies of the papers share. Units: SI. Shapes: side x side particles.
// How it fails: an error status ends the program with its message. Thread rules: one thread.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "server/sim/constraints/elements.h"
#include "server/sim/solvers/hierarchical_pbd.h"
#include "server/sim/solvers/incremental_potential.h"
#include "server/sim/solvers/solver.h"
#include "tests/bench/square_sheet.h"

namespace tryon::study {

inline double cpu_s() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

template <typename T>
T need(absl::StatusOr<T> value) {
  if (value.ok()) return *std::move(value);
  std::fprintf(stderr, "study failed: %s\n", std::string(value.status().message()).c_str());
  std::exit(1);
}

// A square sheet of 1 m in edge springs: hung from its top edge in the plane z = 0, or flat and horizontal.
inline sim::ClothInput square_cloth(int side, bool hung, double stiffness) {
  sim::ClothInput cloth =
      square_sheet(side, [hung](double u, double v) -> Vec3 { return hung ? Vec3(u, v - 1, 0) : Vec3(u, 0, -v); });
  cloth.layout = sim::SpringLayout::kEdges;
  cloth.fabric.stretch_warp = cloth.fabric.stretch_weft = stiffness;
  cloth.fabric.areal_density = 0.15;
  return cloth;
}

inline sim::Scene calm(const sim::Collider* collider = nullptr) {
  sim::Scene scene;
  scene.collider = collider;
  scene.wind.drag = scene.wind.lift = 0;
  return scene;
}

// Root of the sum of squared length errors of the stretch springs, m.
inline double stretch_error(const sim::Elements& elements, const std::vector<sim::RVec3>& x) {
  double sum = 0;
  for (int i = 0; i < elements.count(); ++i) {
    if (elements.rest[i] <= 0) continue;
    const double off = static_cast<double>(elements.vector(i, x.data()).norm() - elements.rest[i]);
    sum += off * off;
  }
  return std::sqrt(sum);
}

// The largest elongation of structural and shear springs.
inline double worst_elongation(const sim::DrapeModel& model, const std::vector<sim::RVec3>& x) {
  double worst = 0;
  const sim::Springs& s = model.springs;
  for (int i = 0; i < s.count(); ++i)
    if (s.kind[i] != sim::SpringKind::kBend)
      worst = std::max(worst, static_cast<double>((x[s.a[i]] - x[s.b[i]]).norm() / s.rest[i]) - 1);
  return worst;
}

}  // namespace tryon::study
