#include "server/sim/solvers/sweep.h"

#include <algorithm>
#include <utility>

namespace tryon::sim {

namespace {

constexpr int kGrain = 256;

// The median strength of the stretch springs: what PBD calls stiffness 1.
Real stretch_strength(const Elements& elements) {
  std::vector<Real> strength;
  for (int i = 0; i < elements.count(); ++i)
    if (elements.rest[i] > 0 && !elements.seam[i] && !elements.tether[i]) strength.push_back(elements.strength(i));
  if (strength.empty()) return Real(1);
  std::nth_element(strength.begin(), strength.begin() + strength.size() / 2, strength.end());
  return strength[strength.size() / 2];
}

}  // namespace

Sweep::Sweep(const DrapeModel& model, Elements elements, SweepKind kind, double time_step, Stretch stretch)
    : model_(model), elements_(std::move(elements)), kind_(kind), stretch_(stretch) {
  const Real full = stretch_strength(elements_), h2 = static_cast<Real>(time_step * time_step);
  for (int i = 0; i < elements_.count(); ++i) {
    share_.push_back(elements_.seam[i] || elements_.tether[i] ? Real(1)
                                                              : std::min(Real(1), elements_.strength(i) / full));
    compliance_.push_back(1 / (elements_.stiffness[i] * h2));
  }
  multiplier_.assign(elements_.count(), RVec3::Zero());
  move_.assign(model.particle_count, RVec3::Zero());
  touched_.assign(model.particle_count, 0);
}

RVec3 Sweep::correction(int i, const RVec3* x, Real tie_rest_ratio) {
  const Real mobility = elements_.mobility[i];
  if (mobility <= 0) return RVec3::Zero();
  const RVec3 e = elements_.vector(i, x);
  const Real rest = elements_.seam[i] ? elements_.rest[i] * tie_rest_ratio : elements_.rest[i];
  const Real length = e.norm();
  if (rest > 0 && length <= Real(1e-12)) return RVec3::Zero();  // no direction to push in
  const bool one_sided = stretch_ == Stretch::kLongerOnly || elements_.tether[i];
  if (one_sided && rest > 0 && length <= rest && multiplier_[i].x() == 0) return RVec3::Zero();
  if (kind_ == SweepKind::kPbd) {
    if (rest == 0) return (-share_[i] / mobility) * e;
    return (-share_[i] * (length - rest) / (mobility * length)) * e;
  }
  const Real compliance = compliance_[i], scale = 1 / (mobility + compliance);
  RVec3& lambda = multiplier_[i];
  if (rest == 0) {
    const RVec3 change = scale * (-e - compliance * lambda);
    lambda += change;
    return change;
  }
  Real change = scale * (rest - length - compliance * lambda.x());
  if (elements_.tether[i]) change = std::min(change, -lambda.x());  // it never pushes
  lambda.x() += change;
  return (change / length) * e;
}

void Sweep::run(const RunContext& run, Real tie_rest_ratio, Real relaxation, std::vector<RVec3>* x) {
  RVec3* at = x->data();
  for (int c = 0; c < elements_.colour_count(); ++c) {
    const int first = elements_.colour_begin[c];
    run.parallel_for(elements_.colour_begin[c + 1] - first, kGrain, [&, first](int64_t begin, int64_t end) {
      for (int i = first + static_cast<int>(begin); i < first + static_cast<int>(end); ++i) {
        const RVec3 push = relaxation * correction(i, at, tie_rest_ratio);
        for (int k = 0; k < 4; ++k) {
          const int p = elements_.particle[i][k];
          if (elements_.weight[i][k] != 0) at[p] += (model_.inverse_mass[p] * elements_.weight[i][k]) * push;
        }
      }
    });
  }
}

void Sweep::run_jacobi(Real tie_rest_ratio, Real relaxation, std::vector<RVec3>* x) {
  std::fill(move_.begin(), move_.end(), RVec3::Zero());
  std::fill(touched_.begin(), touched_.end(), 0);
  for (int i = 0; i < elements_.count(); ++i) {
    const RVec3 push = correction(i, x->data(), tie_rest_ratio);
    for (int k = 0; k < 4; ++k) {
      if (elements_.weight[i][k] == 0) continue;
      const int p = elements_.particle[i][k];
      move_[p] += (model_.inverse_mass[p] * elements_.weight[i][k]) * push;
      ++touched_[p];
    }
  }
  for (int p = 0; p < model_.particle_count; ++p)
    if (touched_[p] > 0) (*x)[p] += (relaxation / static_cast<Real>(touched_[p])) * move_[p];
}

void push_out(const ContactSet& contact, int particle, const RVec3& from, RVec3* x) {
  const Real depth = contact.depth(particle, *x);
  if (depth <= 0) return;
  const RVec3& normal = contact.normal(particle);
  *x += depth * normal;
  const RVec3 move = *x - from, along = move - normal * normal.dot(move);
  const Real slide = along.norm();
  if (slide <= contact.static_friction(particle) * depth) {
    *x -= along;
  } else if (slide > 0) {
    *x -= std::min(Real(1), contact.kinetic_friction(particle) * depth / slide) * along;
  }
}

}  // namespace tryon::sim
