// What it is: the square sheet on which solvers and kernels are timed, and its system matrix. Units: SI, 1 m a side.
// Shapes: side x side particles, row by row; two triangles a cell. How it fails: it does not. Thread rules: pure
// functions.
#pragma once

#include <cmath>

#include "Eigen/Sparse"
#include "server/sim/constraints/elastic.h"
#include "server/sim/model.h"

namespace tryon::study {

// place(u, v): where the particle at u, v of the flat sheet starts.
template <typename Place>
sim::ClothInput square_sheet(int side, const Place& place) {
  sim::ClothInput cloth;
  const double cell = 1.0 / (side - 1);
  const auto flat = [&](int i, int j) -> Vec2 { return Vec2(i * cell, j * cell); };
  for (int j = 0; j < side; ++j)
    for (int i = 0; i < side; ++i) cloth.positions.push_back(place(i * cell, j * cell));
  for (int j = 0; j + 1 < side; ++j)
    for (int i = 0; i + 1 < side; ++i) {
      const int a = j * side + i, b = a + 1, c = b + side, d = a + side;
      cloth.triangles.push_back(Triangle(a, b, c));
      cloth.triangles.push_back(Triangle(a, c, d));
      cloth.corner_flat.push_back({flat(i, j), flat(i + 1, j), flat(i + 1, j + 1)});
      cloth.corner_flat.push_back({flat(i, j), flat(i + 1, j + 1), flat(i, j + 1)});
    }
  return cloth;
}

// Horizontal, in a wave of 5 cm.
inline sim::ClothInput waved_sheet(int side) {
  return square_sheet(side, [](double u, double v) -> Vec3 { return Vec3(u, 0.05 * std::sin(5.0 * u), -v); });
}

// Elastic stiffness and inertia at a thirtieth of a second.
inline Eigen::SparseMatrix<double> step_matrix(const sim::DrapeModel& model) {
  Eigen::SparseMatrix<double> matrix = sim::ElasticEnergy(model, 0).matrix();
  for (int i = 0; i < model.particle_count; ++i) matrix.coeffRef(i, i) += 900.0 * static_cast<double>(model.mass[i]);
  matrix.makeCompressed();
  return matrix;
}

}  // namespace tryon::study
