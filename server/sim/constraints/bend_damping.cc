#include "server/sim/constraints/bend_damping.h"

#include <utility>

#include "server/sim/constraints/bend.h"
#include "server/sim/constraints/element_sums.h"

namespace tryon::sim {

BendDamping::BendDamping(const DrapeModel& model, double time_step)
    : hinges_(model.viscous),
      particle_count_(model.particle_count),
      inverse_h_(static_cast<Real>(1 / time_step)),
      before_(model.viscous.particle.size(), RVec3::Zero()) {}

RVec3 BendDamping::curvature(int hinge, const std::vector<RVec3>& x) const {
  const auto& p = hinges_.particle[hinge];
  return bend::vector(hinges_.weight[hinge], x[p[0]], x[p[1]], x[p[2]], x[p[3]]);
}

void BendDamping::begin_step(const std::vector<RVec3>& x) {
  for (int h = 0; h < hinges_.count(); ++h) before_[h] = curvature(h, x);
}

double BendDamping::add(const std::vector<RVec3>& x, std::vector<RVec3>* gradient) const {
  double energy = 0;
  for (int h = 0; h < hinges_.count(); ++h) {
    const RVec3 rate = curvature(h, x) - before_[h];
    const Real k = hinges_.stiffness[h] * inverse_h_;
    energy += static_cast<double>(bend::value(k, rate));
    for (int j = 0; j < 4; ++j) (*gradient)[hinges_.particle[h][j]] += hinges_.weight[h][j] * bend::gradient(k, rate);
  }
  return energy;
}

Eigen::SparseMatrix<double> BendDamping::matrix() const {
  ElementSums sums(particle_count_);
  for (int h = 0; h < hinges_.count(); ++h) {
    const auto& p = hinges_.particle[h];
    const auto block = bend::hessian(hinges_.stiffness[h] * inverse_h_, hinges_.weight[h]);
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) sums.add(p[i], p[j], static_cast<double>(block(i, j)));
  }
  return std::move(sums).matrix();
}

}  // namespace tryon::sim
