#include "server/sim/constraints/shear_damping.h"

#include <utility>

#include "server/sim/constraints/element_sums.h"

namespace tryon::sim {
namespace {

RVec3 image(const std::array<Real, 3>& c, const Triangle& t, const std::vector<RVec3>& x) {
  return c[1] * (x[t[1]] - x[t[0]]) + c[2] * (x[t[2]] - x[t[0]]);
}

}  // namespace

ShearDamping::ShearDamping(const DrapeModel& model, double time_step)
    : model_(model), inverse_h_(static_cast<Real>(1 / time_step)), before_(model.shear_viscosity.size(), Real(0)) {}

ShearDamping::Frame ShearDamping::frame(int triangle) const {
  const auto& s = model_.threads.count() > 0 ? model_.threads.shape[triangle] : model_.membranes.shape[triangle];
  return {{-s[0] - s[1], s[0], s[1]}, {-s[2] - s[3], s[2], s[3]}};
}

Real ShearDamping::shear(int triangle, const std::vector<RVec3>& x) const {
  const Frame f = frame(triangle);
  const Triangle& t = model_.triangles[triangle];
  return image(f.cx, t, x).dot(image(f.cy, t, x));
}

void ShearDamping::begin_step(const std::vector<RVec3>& x) {
  for (size_t t = 0; t < before_.size(); ++t) before_[t] = shear(static_cast<int>(t), x);
}

std::array<RVec3, 3> ShearDamping::slopes(int triangle, const std::vector<RVec3>& x) const {
  const Frame f = frame(triangle);
  const Triangle& t = model_.triangles[triangle];
  const RVec3 fx = image(f.cx, t, x), fy = image(f.cy, t, x);
  std::array<RVec3, 3> out;
  for (int i = 0; i < 3; ++i) out[i] = f.cx[i] * fy + f.cy[i] * fx;
  return out;
}

double ShearDamping::add(const std::vector<RVec3>& x, std::vector<RVec3>* gradient) const {
  double energy = 0;
  for (size_t k = 0; k < before_.size(); ++k) {
    const int t = static_cast<int>(k);
    const Real moved = shear(t, x) - before_[k], pull = rate_stiffness(t) * moved;
    energy += 0.5 * static_cast<double>(pull) * static_cast<double>(moved);
    const std::array<RVec3, 3> slope = slopes(t, x);
    for (int i = 0; i < 3; ++i) (*gradient)[model_.triangles[t][i]] += pull * slope[i];
  }
  return energy;
}

// |a . f_y + b . f_x|^2 <= 2 |a|^2 + 2 |b|^2 where both are unit vectors.
Eigen::SparseMatrix<double> ShearDamping::matrix() const {
  ElementSums sums(model_.particle_count);
  for (size_t k = 0; k < before_.size(); ++k) {
    const Frame f = frame(static_cast<int>(k));
    const double stiffness = 2 * static_cast<double>(rate_stiffness(static_cast<int>(k)));
    const Triangle& t = model_.triangles[k];
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        sums.add(t[i], t[j], stiffness * static_cast<double>(f.cx[i] * f.cx[j] + f.cy[i] * f.cy[j]));
  }
  return std::move(sums).matrix();
}

}  // namespace tryon::sim
