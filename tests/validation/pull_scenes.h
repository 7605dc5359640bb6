// What it is: T7 (off-axis tension) of validation.md on strips pulled in the simulator: one end held, a weight spread
// over the other, the strip's own mass a thousandth of it. Units: SI. Shapes: as in meshes.h, along world x.
// How it fails: an unsolved step ends the test. Thread rules: pure functions.
#pragma once

#include "tests/validation/strips.h"

namespace tryon::sim::validation {

struct Pull {
  double degrees = 45;  // of the strip from warp
  MeshKind mesh = MeshKind::kM1;
  SpringLayout layout = SpringLayout::kMembrane;
  double warp = 2000, weft = 1000, poisson = 0.2, shear = 50;  // N/m; nu_12
  int rows = 4;
  double aspect = 10;  // length over width
  uint32_t seed = 0;
};
struct Pulled {
  double modulus = 0;    // N/m: load over strain
  double narrowing = 0;  // minus the strain across over that along
  double coupling = 0;   // shear over the strain along
  double residual = 0;
};

// 1 / E_theta of an orthotropic sheet (2.3).
inline double off_axis_exact(const Pull& p) {
  const double t = p.degrees * kPi / 180, c = std::pow(std::cos(t), 2), s = std::pow(std::sin(t), 2);
  return 1 / (c * c / p.warp + (1 / p.shear - 2 * p.poisson / p.warp) * s * c + s * s / p.weft);
}

// Mean deformation of the triangles in the middle third, [along, across] to world.
inline Eigen::Matrix<double, 3, 2> middle_deformation(const FlatMesh& flat, const DrapeState& state, double from,
                                                      double to) {
  Eigen::Matrix<double, 3, 2> sum = Eigen::Matrix<double, 3, 2>::Zero();
  double area = 0;
  for (const auto& t : flat.triangles) {
    const double middle = (flat.points[t[0]].x() + flat.points[t[1]].x() + flat.points[t[2]].x()) / 3;
    if (middle < from || middle > to) continue;
    Eigen::Matrix2d rest;
    rest << flat.points[t[1]] - flat.points[t[0]], flat.points[t[2]] - flat.points[t[0]];
    Eigen::Matrix<double, 3, 2> now;
    now << (state.x[t[1]] - state.x[t[0]]).cast<double>(), (state.x[t[2]] - state.x[t[0]]).cast<double>();
    const double twice = std::abs(rest.determinant());
    sum += twice * now * rest.inverse();
    area += twice;
  }
  return sum / area;
}

inline Pulled pull_strip(const Pull& p, const std::string& solver = "newton", int iterations = 50) {
  Strip s;
  s.mesh = p.mesh;
  s.seed = p.seed;
  s.rows = p.rows;
  s.cell = 0.05 / p.rows;
  s.width = even_width(s);
  s.columns = static_cast<int>(std::ceil(p.aspect * s.width / s.cell));
  s.turned = kPi / 2 - p.degrees * kPi / 180;  // warp runs along flat y
  const FlatMesh flat = flat_strip(s);
  ClothInput cloth = cloth_of(flat, s.turned);
  cloth.layout = p.layout;
  cloth.fabric.stretch_warp = p.warp;
  cloth.fabric.stretch_weft = p.weft;
  cloth.fabric.shear = p.shear;
  cloth.fabric.poisson = p.layout == SpringLayout::kMembrane ? p.poisson * std::sqrt(p.weft / p.warp) : 0;
  cloth.fabric.bend_warp = cloth.fabric.bend_weft = 0;
  for (int j = 0; j <= s.rows; ++j) cloth.pinned.push_back(j);
  DrapeModel model = build_model(cloth).value();
  const double strain = 1e-4, load = strain * off_axis_exact(p);  // N/m
  double mass = 0;
  for (Real m : model.mass) mass += static_cast<double>(m);
  for (Real& m : model.mass) m *= static_cast<Real>(1e-3 * load * s.width / (kGravity * mass));
  for (int j = 0; j <= s.rows; ++j) {
    const double share = j == 0 || j == s.rows ? 0.5 : 1.0;
    model.mass[s.at(s.columns, j)] += static_cast<Real>(share * load * s.width / (kGravity * s.rows));
  }
  double weight = 0;
  for (int i = 0; i < model.particle_count; ++i) {
    if (model.inverse_mass[i] != 0) model.inverse_mass[i] = 1 / model.mass[i];
    weight += static_cast<double>(model.mass[i]) * kGravity / model.particle_count;
  }
  model.mean_weight = static_cast<Real>(weight);
  Scene scene = vacuum();
  scene.gravity = Vec3(kGravity, 0, 0);
  const Rest rest = bring_to_rest(solver, model, scene, start_state(cloth), 1e-4, 100, 1.0, iterations);
  const double third = s.columns * s.cell / 3;
  const Eigen::Matrix<double, 3, 2> f = middle_deformation(flat, rest.state, third, 2 * third);
  // World z is minus flat y.
  const double along = (f.col(0).squaredNorm() - 1) / 2, across = (f.col(1).squaredNorm() - 1) / 2;
  const double middle = load * (1 + 1e-3 / 2);
  return {middle / along, -across / along, f.col(0).dot(f.col(1)) / along, rest.residual};
}

}  // namespace tryon::sim::validation
