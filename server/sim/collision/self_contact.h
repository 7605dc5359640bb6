// What it is: contact of the cloth with itself: vertex-triangle and edge-edge pairs within a contact radius repel
// (push.h: a barrier, even below steep_share of the radius). Between two searches a vertex may go
// as far as a bound that keeps every pair apart, and farther where all its pairs stay apart along their normals, as
// layers do that move alike: so what starts clean stays clean without continuous collision tests. Pairs that start
// crossed are drawn apart along their intersection contour until they are clean. Friction: layer_friction.h. Units: m,
// N, J. Shapes: arrays [particle_count]. How it fails: never. Thread rules: one object, one calling thread; loops run
// on the context's executor, the same bytes for any number of threads. Cites: Chen 2025 (offset geometric contact:
// energies and displacement bounds); Volino and Magnenat-Thalmann 2006 (intersection contour minimisation).
#pragma once

#include <cstdint>
#include <vector>

#include "server/base/run_context.h"
#include "server/sim/collision/cloth_elements.h"
#include "server/sim/collision/layer_friction.h"

namespace tryon::sim {

class SelfContact {
 public:
  // radius: m, at which layers begin to touch; friction [particle_count] coefficients, of a pair their mean; stiffness
  // [particle_count] N/m; of: as ClothElements', who alone is kept apart.
  SelfContact(const DrapeModel& model, Real radius, std::vector<Real> friction, std::vector<Real> stiffness,
              Real steep_share, std::vector<uint8_t> of = {});

  // A new step from x: bounds, friction anchors, contours to open.
  void begin_step(const RunContext& run, const std::vector<RVec3>& x);
  // New bounds from x if many vertices have used up theirs, or some have for long; true if the energy may have changed.
  bool refresh(const RunContext& run, const std::vector<RVec3>& x);
  // The same at once, if any limit() since the last search stopped a vertex.
  bool renew(const RunContext& run, const std::vector<RVec3>& x);
  // Energy at x; adds its gradient.
  double add(const RunContext& run, const std::vector<RVec3>& x, std::vector<RVec3>* gradient) const;
  // By how much friction at a vertex is more than what presses there now may carry, where that is most: N. Of the x of
  // the last add(): the limits of friction are those of the step's start.
  Real overheld(const std::vector<RVec3>& x);
  // Its curvature at x, pair by pair: blocks w_i w_j k between the particles of each, N/m; positive semidefinite.
  struct Curvature {
    std::array<int, 4> v;
    std::array<Real, 4> w;
    Eigen::Matrix3d k;
  };
  void curvature(const std::vector<RVec3>& x, std::vector<Curvature>* pairs) const;
  // Takes vertices back on their ways until every pair stays apart all along; true if any was taken.
  bool limit(const RunContext& run, std::vector<RVec3>* x);
  // Another one of the same cloth, kept apart elsewhere: its next step goes on from the friction that pairs held there.
  void go_on_from(const SelfContact& before) { friction_between_ = before.friction_between_; }
  // A part of a cloth (model_part.h) goes on from the friction that the whole's pairs held at its x, and the whole's
  // next step from the part's at its own: `at` [particle_count of the part] are the whole's particles. What does not
  // move stays where it is as long as the part lives.
  void take_held(const SelfContact& whole, const std::vector<RVec3>& whole_x, const std::vector<int>& at,
                 const std::vector<uint8_t>& moves);
  void give_held(const std::vector<RVec3>& x, const std::vector<int>& at, const std::vector<RVec3>& whole_x,
                 SelfContact* whole) const;
  // Crossed pairs of edge and triangle at the last search.
  int crossings() const { return crossing_count_; }
  Real radius() const { return radius_; }
  Real steep_share() const { return steep_share_; }
  const std::vector<uint8_t>& of() const { return of_; }

 private:
  struct Pair {  // corners and weights: sum of w x = vector from the second element to the first
    std::array<int, 4> v;
    bool edges;   // edge-edge (v0 v1 against v2 v3), else vertex v0 against triangle v1 v2 v3
    Real radius;  // smaller between neighbours of neighbours
    Real stiffness;
    Real distance;  // at the last search
    Real least;     // where the bounds are taken, at the least
  };
  struct Facing {  // of a pair: from the second element to the first, where the bounds were taken
    RVec3 normal;
    Real distance;  // below zero: not asked yet
  };
  struct Gap {
    std::array<Real, 4> w;
    RVec3 apart;
    Real distance;
  };
  struct Pressed {  // what a pair of touching_ does that presses now
    std::array<int, 4> v;
    std::array<Real, 4> w;
    RVec3 force;
    double energy;
  };

  void search(const RunContext& run, const std::vector<RVec3>& x);
  void find_pairs(const RunContext& run, const std::vector<RVec3>& x);
  void rebound(const std::vector<RVec3>& x);
  bool renew_bounds(const RunContext& run, const std::vector<RVec3>& x);
  bool find_ways(const RunContext& run, const std::vector<RVec3>& x);
  void find_roaming(const RunContext& run);
  bool roams(const Pair& pair) const;  // some of its ways lead beyond the bounds that it gave
  void face(int pair);
  bool stays_apart(int pair) const;
  void find_meeting(const RunContext& run, bool all);
  void shorten_ways(const RunContext& run);
  void cover(Real way) const;
  void follow(const RunContext& run, const std::vector<RVec3>& x) const;
  int press(const std::vector<RVec3>& x, int64_t begin, int64_t end) const;
  void press_all(const RunContext& run, const std::vector<RVec3>& x) const;
  template <typename Visit>
  void visit_pressed(Visit visit) const;  // in the order of touching_
  Real moved(const std::array<int, 4>& v, bool edges, const std::vector<Real>& by) const;
  void find_crossings(const std::vector<RVec3>& x);
  void open_contour(const std::vector<RVec3>& x, int edge, int triangle, Real s);
  void add_pair(const std::vector<RVec3>& x, const std::array<int, 4>& v, bool edges, std::vector<Pair>* pairs) const;
  Real friction_of(const std::array<int, 4>& v) const;
  void grip(const std::vector<RVec3>& x);
  Gap gap_of(const Pair& pair, const std::vector<RVec3>& x) const;
  bool neighbours(const std::array<int, 4>& v, bool edges) const;
  bool is_of(size_t particle) const { return of_.empty() || of_[particle] != 0; }

  ClothElements elements_;
  std::vector<uint8_t> of_;  // [particle_count], or empty: all; the others go where they like
  Real radius_, reach_, steep_share_;
  std::vector<Real> friction_, stiffness_;
  std::vector<Pair> pairs_;              // all within reach at the last search
  std::vector<std::vector<Pair>> part_;  // of them, found by a chunk of candidates each
  mutable std::vector<int> touching_;    // those that may come within their radius while no vertex leaves
  mutable std::vector<Real> room_;       // its room: its bound, or covered_ where that is more
  mutable Real covered_ = 0;
  LayerFriction friction_between_;
  std::vector<RVec3> origin_, centre_;    // of the last search; of the bounds
  std::vector<RVec3> pull_;               // N, towards an uncrossed state
  std::vector<Real> bound_, moved_;       // moved_: since the last search
  Real farthest_ = 0;                     // of those
  std::vector<RVec3> way_;                // of the limit() in progress: from centre_
  std::vector<Real> length_, share_;      // of it; how much of it a vertex goes
  std::vector<Facing> facing_;            // [pairs_]
  std::vector<int> roaming_;              // pairs that may go farther than their bounds, if their elements go alike
  std::vector<uint8_t> roams_, meets_;    // [pairs_], [roaming_] of the loop in progress
  std::vector<int> shorter_;              // whose ways are to be shortened
  std::vector<uint8_t> shortened_;        // [particle_count] in the last round
  mutable std::vector<Real> shift_;       // of the evaluation in progress: since the bounds
  mutable std::vector<Pressed> pressed_;  // [touching_] of the last evaluation; a chunk's are at its beginning
  mutable std::vector<int> pressing_;     // [chunks] how many
  std::vector<RVec3> carried_;            // overheld(): N, by friction
  std::vector<Real> bearable_;            // overheld(): N, at most
  std::vector<uint8_t> still_;            // [particle_count] for good: pairs of such are none
  std::vector<uint8_t> crossed_;          // [particle_count] belongs to a crossed pair
  int crossing_count_ = 0;
  bool searched_ = false, ever_stopped_ = false;  // ever; since the last bounds
  int stopped_ = 0, waited_ = 0;  // vertices taken back by the last limit(); refreshes put off since the bounds
};

}  // namespace tryon::sim
