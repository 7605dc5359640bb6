// What it is: contact of cloth with bones, the middles of limbs, past which none of its triangles may go. Body contact
// knows particles, and a limb that is thinner than a coarse triangle goes between them: into the air beside its sleeve.
// Triangles, and those that bridge open seams, are pushed off a bone that comes nearer than kBoneRoom, and between two
// looks no particle goes farther than the triangles beside it are from the nearest bone. A bone that goes through the
// cloth is let go, one that goes through an open seam's bridge may pass that seam. Units: m, N, J. Shapes: arrays
// [particle_count]. How it fails: never. Thread rules: one object, one calling thread.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "server/sim/model.h"

namespace tryon::sim {

constexpr double kBoneRoom = 8e-3;  // m

// How many of them go through any of the triangles.
int bones_through(const std::vector<Bone>& bones, const std::vector<Triangle>& triangles, const std::vector<RVec3>& x);

class BoneContact {
 public:
  BoneContact(const DrapeModel& model, std::vector<Real> stiffness);  // [particle_count] N/m

  void begin_step(const Scene& scene, const std::vector<RVec3>& x);
  // Looks again where particles have gone half as far as they may; true if they had.
  bool refresh(const std::vector<RVec3>& x);
  // Takes particles back that went too far since the last look; true if any had to go.
  bool limit(std::vector<RVec3>* x);
  // After a search along a line that ended at such limits: new ones from x; true if there were any.
  bool renew(const std::vector<RVec3>& x);
  double add(const std::vector<RVec3>& x, std::vector<RVec3>* gradient) const;
  // What a particle feels of its contacts as all else stands still, summed over the corners: no less than the Hessian.
  void add_hessian(const std::vector<RVec3>& x, std::vector<Eigen::Matrix3d>* blocks) const;

 private:
  struct Near {
    std::array<Real, 3> weight;  // of the triangle's corners
    RVec3 off;                   // from the bone to the triangle
    Real distance;               // 0: the bone goes through it
  };
  struct Pair {
    int bone, triangle;
  };
  Near near(const Bone& bone, const Triangle& t, const std::vector<RVec3>& x) const;
  void look(const std::vector<RVec3>& x);
  void look_at(int bone, const std::vector<RVec3>& x);
  void name_seams();
  void stay_within(const Triangle& t, Real way);
  Real stiffness_of(const Triangle& t) const { return (stiffness_[t[0]] + stiffness_[t[1]] + stiffness_[t[2]]) / 3; }
  template <typename Visit>
  void visit(const std::vector<RVec3>& x, Visit visit) const;  // visit(triangle, near, push)

  const std::vector<Real> stiffness_;
  const size_t cloth_;  // triangles of the model; bridges come after them
  std::vector<Triangle> triangles_;
  std::vector<Bone> bones_;
  std::vector<int> seam_;        // [triangles_] 0: none, of the cloth
  int seams_ = 1;                // with 0
  std::vector<uint8_t> let_go_;  // [bones x seams_]
  std::vector<Pair> pairs_;      // that may come to touch before the next look
  std::vector<RVec3> looked_;    // where it was looked
  std::vector<Real> may_go_, to_bone_;
  bool limited_ = false;  // since the last look
};

}  // namespace tryon::sim
