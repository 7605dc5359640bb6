// What it is: T1b of validation.md: a flat sheet of one of its meshes under a bending law, asked for the energy that a
// quadratic shape stores and the forces that stand on it, linear in the height. Units: SI; B = 1 N m, nu = 0.
// Shapes: 25 x 25 particles. How it fails: it does not. Thread rules: const queries.
#pragma once

#include <string>
#include <vector>

#include "tests/validation/meshes.h"

namespace tryon::sim::validation {

struct Quadratic {
  std::string name;
  Eigen::Matrix2d shape;
};
inline Eigen::Matrix2d cylinder(double degrees) {
  const Vec2 d(std::cos(degrees * kPi / 180), std::sin(degrees * kPi / 180));
  return d * d.transpose();
}
inline Eigen::Matrix2d twist() {
  Eigen::Matrix2d out;
  out << 0, 1, 1, 0;
  return out;
}
inline std::vector<Quadratic> quadratics() {
  std::vector<Quadratic> out;
  for (int degrees = 0; degrees < 180; degrees += 15)
    out.push_back({"cylinder " + std::to_string(degrees), cylinder(degrees)});
  out.push_back({"twist", twist()});
  out.push_back({"sphere", Eigen::Matrix2d::Identity()});
  Eigen::Matrix2d saddle;
  saddle << 1, 0, 0, -1;
  out.push_back({"saddle", saddle});
  return out;
}

class Patch {
 public:
  Patch(MeshKind mesh, BendLaw bend, uint32_t seed = 0) {
    Strip s;
    s.columns = s.rows = 24;
    s.mesh = mesh;
    s.seed = seed;
    s.width = even_width(s);
    s.start = -s.cell * s.columns / 2;
    cloth_ = make_strip(s);
    cloth_.bend = bend;
    cloth_.fabric.bend_warp = cloth_.fabric.bend_weft = 1;
    model_ = build_model(cloth_).value();
    for (const EdgeUse& edge : mesh_edges(TriangleMesh{cloth_.positions, cloth_.triangles}))
      if (edge.right >= 0) sign_.push_back(runs_along(cloth_.triangles[edge.left], edge) ? 1 : -1);
    // Whole lattice periods, the border between the rows of edges' middles.
    half_ = Vec2(6 * s.cell, 6 * s.width / s.rows);
    shift_ = Vec2(0.13 * s.cell, 0.13 * s.width / s.rows);
  }

  // Over the exact energy in a window away from the border: half angle times moment, fold by fold.
  double energy_ratio(const Eigen::Matrix2d& shape) const {
    const std::vector<double> angle = angles(heights(shape)), moment = moments(angle);
    double sum = 0;
    for (int f = 0; f < model_.folds.count(); ++f) {
      const auto& p = model_.folds.particle[f];
      if (inside(0.5 * (flat(p[0]) + flat(p[1])) - shift_)) sum += 0.5 * moment[f] * angle[f];
    }
    const double trace = shape.trace();
    return sum / (0.5 * (trace * trace - 2 * shape.determinant()) * 4 * half_.x() * half_.y());
  }

  // N over B kappa, on particles within the window.
  double largest_force(const Eigen::Matrix2d& shape) const {
    const std::vector<double> moment = moments(angles(heights(shape)));
    std::vector<double> force(cloth_.positions.size());
    for (int f = 0; f < model_.folds.count(); ++f)
      for (int k = 0; k < 4; ++k)
        force[model_.folds.particle[f][k]] +=
            sign_[f] * moment[f] * static_cast<double>(model_.folds.weight[f][k] / model_.folds.edge_length[f]);
    double most = 0;
    for (size_t i = 0; i < force.size(); ++i)
      if (inside(flat(static_cast<int>(i)))) most = std::max(most, std::abs(force[i]));
    return most;
  }

 private:
  Vec2 flat(int i) const { return Vec2(cloth_.positions[i].x(), -cloth_.positions[i].z()); }
  bool inside(const Vec2& p) const {
    return p.x() >= -half_.x() && p.x() < half_.x() && p.y() >= -half_.y() && p.y() < half_.y();
  }
  std::vector<double> heights(const Eigen::Matrix2d& shape) const {
    std::vector<double> out;
    for (size_t i = 0; i < cloth_.positions.size(); ++i) {
      const Vec2 p = flat(static_cast<int>(i));
      out.push_back(0.5 * p.dot(shape * p));
    }
    return out;
  }
  std::vector<double> angles(const std::vector<double>& z) const {
    std::vector<double> out;
    for (int f = 0; f < model_.folds.count(); ++f) {
      double bend = 0;
      for (int k = 0; k < 4; ++k)
        bend += static_cast<double>(model_.folds.weight[f][k]) * z[model_.folds.particle[f][k]];
      out.push_back(-sign_[f] * bend / static_cast<double>(model_.folds.edge_length[f]));
    }
    return out;
  }
  std::vector<double> moments(const std::vector<double>& angle) const {
    std::vector<double> out;
    for (int f = 0; f < model_.folds.count(); ++f) {
      double sum = 0;
      for (int k = model_.folds.row_begin[f]; k < model_.folds.row_begin[f + 1]; ++k)
        sum += static_cast<double>(model_.folds.stiffness[k]) * angle[model_.folds.column[k]];
      out.push_back(sum);
    }
    return out;
  }

  static bool runs_along(const Triangle& t, const EdgeUse& edge) {
    for (int k = 0; k < 3; ++k)
      if (t[k] == edge.a && t[(k + 1) % 3] == edge.b) return true;
    return false;
  }

  ClothInput cloth_;
  DrapeModel model_;
  std::vector<double> sign_;  // of the angle, against that of sum w z
  Vec2 half_, shift_;
};

}  // namespace tryon::sim::validation
