#include "server/sim/collision/bone_contact.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "server/sim/collision/element_distance.h"
#include "server/sim/collision/push.h"
#include "server/sim/collision/tangle.h"

namespace tryon::sim {

namespace {

constexpr Real kRoom = static_cast<Real>(kBoneRoom);
constexpr Real kReach = 3 * kRoom;      // nearer triangles are pairs
constexpr Real kShare = Real(0.9);      // of the way to the bone that a particle may go between two looks
constexpr Real kLookAgain = Real(0.5);  // of what it may go
constexpr Real kThrough = Real(1e-6);   // m

Real to_segment(const RVec3& p, const RVec3& a, const RVec3& b) {
  const RVec3 ab = b - a;
  const Real share = std::clamp((p - a).dot(ab) / std::max(ab.squaredNorm(), Real(1e-30)), Real(0), Real(1));
  return (p - a - share * ab).norm();
}

}  // namespace

int bones_through(const std::vector<Bone>& bones, const std::vector<Triangle>& triangles, const std::vector<RVec3>& x) {
  return static_cast<int>(std::count_if(bones.begin(), bones.end(), [&](const Bone& bone) {
    const RVec3 a = bone.from.cast<Real>(), b = bone.to.cast<Real>();
    return std::any_of(triangles.begin(), triangles.end(),
                       [&](const Triangle& t) { return crossing_of(a, b, x[t[0]], x[t[1]], x[t[2]]).has_value(); });
  }));
}

BoneContact::BoneContact(const DrapeModel& model, std::vector<Real> stiffness)
    : stiffness_(std::move(stiffness)), cloth_(model.triangles.size()), triangles_(model.triangles) {
  const auto n = static_cast<size_t>(model.particle_count);
  looked_.assign(n, RVec3::Zero());
  for (auto* values : {&may_go_, &to_bone_}) values->assign(n, 0);
}

void BoneContact::begin_step(const Scene& scene, const std::vector<RVec3>& x) {
  if (bones_ != scene.bones || triangles_.size() != cloth_ + scene.bridges.size()) {
    bones_ = scene.bones;
    triangles_.resize(cloth_);
    triangles_.insert(triangles_.end(), scene.bridges.begin(), scene.bridges.end());
    name_seams();
    let_go_.assign(bones_.size() * static_cast<size_t>(seams_), 0);
  }
  look(x);
}

// Bridges of one seam share their sides.
void BoneContact::name_seams() {
  seam_.assign(triangles_.size(), 0);
  seams_ = 1;
  for (size_t k = cloth_; k < triangles_.size(); ++k) {
    int shared = 0;
    for (const int i : triangles_[k])
      for (int c = 0; k > cloth_ && c < 3; ++c) shared += triangles_[k - 1][c] == i;
    seam_[k] = shared < 2 ? seams_++ : seams_ - 1;
  }
}

BoneContact::Near BoneContact::near(const Bone& bone, const Triangle& t, const std::vector<RVec3>& x) const {
  const RVec3 a = bone.from.cast<Real>(), b = bone.to.cast<Real>();
  const RVec3 &p = x[t[0]], &q = x[t[1]], &r = x[t[2]];
  Near out{{0, 0, 0}, RVec3::Zero(), std::numeric_limits<Real>::max()};
  const auto take = [&](const RVec3& on_bone, const std::array<Real, 3>& w) {
    const RVec3 off = w[0] * p + w[1] * q + w[2] * r - on_bone;
    const Real distance = off.norm();
    if (distance < out.distance) out = {w, off, distance};
  };
  if (crossing_of(a, b, p, q, r)) return {{0, 0, 0}, RVec3::Zero(), 0};
  for (const RVec3& end : {a, b}) take(end, nearest_on_triangle(end, p, q, r));
  for (int k = 0; k < 3; ++k) {
    const int next = (k + 1) % 3;
    const auto at = nearest_on_segments(a, b, x[t[k]], x[t[next]]);
    std::array<Real, 3> w = {0, 0, 0};
    w[k] = 1 - at[1], w[next] = at[1];
    take(a + at[0] * (b - a), w);
  }
  return out;
}

void BoneContact::stay_within(const Triangle& t, Real way) {
  for (const int i : t) may_go_[i] = std::min(may_go_[i], way);
}

void BoneContact::look_at(int bone, const std::vector<RVec3>& x) {
  const RVec3 a = bones_[bone].from.cast<Real>(), b = bones_[bone].to.cast<Real>();
  for (size_t i = 0; i < x.size(); ++i) to_bone_[i] = to_segment(x[i], a, b);
  const auto let_go = [&](size_t k) -> uint8_t& {
    return let_go_[static_cast<size_t>(bone) * static_cast<size_t>(seams_) + static_cast<size_t>(seam_[k])];
  };
  for (size_t k = 0; k < triangles_.size(); ++k) {
    if (let_go(k)) continue;
    const Triangle& t = triangles_[k];
    const Real corner = std::min({to_bone_[t[0]], to_bone_[t[1]], to_bone_[t[2]]});
    const Real longest = std::sqrt(std::max(
        {(x[t[0]] - x[t[1]]).squaredNorm(), (x[t[1]] - x[t[2]]).squaredNorm(), (x[t[2]] - x[t[0]]).squaredNorm()}));
    const Real least = corner - longest / std::sqrt(Real(3));  // no point of it is farther from a corner
    if (least >= kReach) {
      stay_within(t, least - kRoom);
      continue;
    }
    const Real distance = near(bones_[bone], t, x).distance;
    let_go(k) = distance < kThrough;
    stay_within(t, distance < kReach ? kShare * distance : distance - kRoom);
    if (distance < kReach) pairs_.push_back({bone, static_cast<int>(k)});
  }
}

void BoneContact::look(const std::vector<RVec3>& x) {
  limited_ = false;
  looked_ = x;
  for (auto before = let_go_;; before = let_go_) {
    pairs_.clear();
    std::fill(may_go_.begin(), may_go_.end(), std::numeric_limits<Real>::max());
    for (size_t bone = 0; bone < bones_.size(); ++bone) look_at(static_cast<int>(bone), x);
    if (let_go_ == before) return;  // else without what was let go
  }
}

bool BoneContact::refresh(const std::vector<RVec3>& x) {
  for (size_t i = 0; i < x.size(); ++i) {
    if ((x[i] - looked_[i]).norm() <= kLookAgain * may_go_[i]) continue;
    look(x);
    return true;
  }
  return false;
}

bool BoneContact::limit(std::vector<RVec3>* x) {
  bool any = false;
  for (size_t i = 0; i < x->size(); ++i) {
    const RVec3 way = (*x)[i] - looked_[i];
    const Real gone = way.norm();
    if (gone <= may_go_[i]) continue;
    (*x)[i] = looked_[i] + may_go_[i] / gone * way;
    any = true;
  }
  limited_ = limited_ || any;
  return any;
}

bool BoneContact::renew(const std::vector<RVec3>& x) {
  if (!limited_) return false;
  look(x);
  return true;
}

template <typename Visit>
void BoneContact::visit(const std::vector<RVec3>& x, Visit visit) const {
  for (const Pair& pair : pairs_) {
    const Triangle& t = triangles_[pair.triangle];
    const Near there = near(bones_[pair.bone], t, x);
    if (there.distance <= 0 || there.distance >= kRoom) continue;
    visit(t, there, push_below(kRoom - there.distance, kRoom));
  }
}

double BoneContact::add(const std::vector<RVec3>& x, std::vector<RVec3>* gradient) const {
  double energy = 0;
  visit(x, [&](const Triangle& t, const Near& near, const Push& push) {
    const Real stiffness = stiffness_of(t);
    energy += static_cast<double>(stiffness * push.energy);
    const RVec3 force = stiffness * push.force / near.distance * near.off;
    for (int k = 0; k < 3; ++k) (*gradient)[t[k]] -= near.weight[k] * force;
  });
  return energy;
}

void BoneContact::add_hessian(const std::vector<RVec3>& x, std::vector<Eigen::Matrix3d>* blocks) const {
  visit(x, [&](const Triangle& t, const Near& near, const Push& push) {
    const RVec3 n = near.off / near.distance;
    const Eigen::Matrix3d along = (stiffness_of(t) * push.curvature * n * n.transpose()).template cast<double>();
    for (int k = 0; k < 3; ++k) (*blocks)[t[k]] += static_cast<double>(near.weight[k]) * along;
  });
}

}  // namespace tryon::sim
