#include "server/sim/collision/layer_friction.h"

#include <algorithm>
#include <utility>

namespace tryon::sim {

namespace {
constexpr Real kSlipRange = Real(1e-4);  // m of slip over which friction grows to its limit
}  // namespace

void LayerFriction::begin_step(const std::vector<RVec3>& x) {
  if (!std::exchange(told_, false)) hold(x);
  start_ = x;
}

void LayerFriction::grip(const std::array<int, 4>& v, bool edges, const std::array<Real, 4>& w, const RVec3& normal,
                         Real limit) {
  const RVec3 held = held_by(v, edges);
  const RVec3 slip = held * (kSlipRange / std::max(limit, held.norm()));
  grips_.push_back({v, edges, w, normal, limit, slip});
}

// Huber: a spring while it sticks, the limit beyond.
Real LayerFriction::Grip::firmness(Real slipped) const { return limit / std::max(slipped, kSlipRange); }

RVec3 LayerFriction::slip_of(const Grip& grip, const std::vector<RVec3>& x) const {
  RVec3 slip = grip.slip;
  for (int k = 0; k < 4; ++k) slip += grip.w[k] * (x[grip.v[k]] - start_[grip.v[k]]);
  return slip - grip.normal.dot(slip) * grip.normal;
}

RVec3 LayerFriction::force_of(const Grip& grip, const std::vector<RVec3>& x) const {
  const RVec3 slip = slip_of(grip, x);
  return grip.firmness(slip.norm()) * slip;
}

void LayerFriction::add(const std::vector<RVec3>& x, double* energy, std::vector<RVec3>* gradient) const {
  for (const Grip& grip : grips_) {
    const RVec3 slip = slip_of(grip, x);
    const Real length = slip.norm();
    *energy += static_cast<double>(grip.limit * (length > kSlipRange ? length - Real(0.5) * kSlipRange
                                                                     : Real(0.5) * length * length / kSlipRange));
    const RVec3 force = grip.firmness(length) * slip;
    for (int k = 0; k < 4; ++k) (*gradient)[grip.v[k]] += grip.w[k] * force;
  }
}

void LayerFriction::add_forces(const std::vector<RVec3>& x, std::vector<RVec3>* forces) const {
  for (const Grip& grip : grips_) {
    const RVec3 force = force_of(grip, x);
    for (int k = 0; k < 4; ++k) (*forces)[grip.v[k]] += grip.w[k] * force;
  }
}

Eigen::Matrix3d LayerFriction::curvature(const Grip& grip, const std::vector<RVec3>& x) const {
  const Vec3 n = grip.normal.cast<double>();
  const Eigen::Matrix3d along = Eigen::Matrix3d::Identity() - n * n.transpose();
  const Real firmness = grip.firmness(slip_of(grip, x).norm());  // what slides resists by its direction alone
  return static_cast<double>(firmness) * along;
}

// What each pair resists with at the end of a step.
void LayerFriction::hold(const std::vector<RVec3>& x) {
  held_.clear();
  for (const Grip& grip : grips_) held_.push_back({grip.v, grip.edges, force_of(grip, x)});
  std::sort(held_.begin(), held_.end());
}

RVec3 LayerFriction::held_by(const std::array<int, 4>& v, bool edges) const {
  const auto wanted = std::tie(v, edges);
  const auto at = std::lower_bound(held_.begin(), held_.end(), wanted,
                                   [](const Held& held, const auto& other) { return held.pair() < other; });
  return at != held_.end() && at->pair() == wanted ? at->force : RVec3(RVec3::Zero());
}

void LayerFriction::take_from(const LayerFriction& whole, const std::vector<RVec3>& whole_x,
                              const std::vector<int>& at) {
  std::vector<int> index(whole_x.size(), -1);
  for (size_t i = 0; i < at.size(); ++i) index[at[i]] = static_cast<int>(i);
  held_.clear();
  for (const Grip& grip : whole.grips_) {
    Held held{grip.v, grip.edges, whole.force_of(grip, whole_x)};
    for (int& v : held.v) v = index[v];
    if (std::find(held.v.begin(), held.v.end(), -1) == held.v.end()) held_.push_back(held);
  }
  std::sort(held_.begin(), held_.end());
  told_ = true;
}

void LayerFriction::give_to(LayerFriction* whole, const std::vector<RVec3>& x, const std::vector<RVec3>& whole_x,
                            const std::vector<int>& at) const {
  whole->hold(whole_x);
  std::vector<Held> held;
  for (const Grip& grip : grips_) {
    held.push_back({grip.v, grip.edges, force_of(grip, x)});
    for (int& v : held.back().v) v = at[v];
  }
  held.insert(held.end(), whole->held_.begin(), whole->held_.end());
  std::stable_sort(held.begin(), held.end());
  const auto same = [](const Held& a, const Held& b) { return a.pair() == b.pair(); };
  held.erase(std::unique(held.begin(), held.end(), same), held.end());
  whole->held_ = std::move(held);
  whole->told_ = true;
}

}  // namespace tryon::sim
