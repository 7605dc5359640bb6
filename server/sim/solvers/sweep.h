// What it is: the constraint sweeps of PBD and XPBD over Elements, and the position-level contact that goes with them;
// hierarchical solvers use the same sweeps on every level. Units: SI. Shapes: x [particle_count], multipliers
// [element_count]. How it fails: never. Thread rules: colours run on the context's executor, the same bytes for any
// number of threads. Cites: Mueller 2006 (eqs. 8-9); Macklin 2016 (eqs. 17-18); Ma 2023 (SOR).
#pragma once

#include <vector>

#include "server/base/run_context.h"
#include "server/sim/collision/contact.h"
#include "server/sim/constraints/elements.h"

namespace tryon::sim {

enum class SweepKind : uint8_t { kPbd, kXpbd };
// kLongerOnly leaves springs shorter than their rest length alone: a coarse mesh must not iron out finer folds.
enum class Stretch : uint8_t { kBothWays, kLongerOnly };

class Sweep {
 public:
  Sweep(const DrapeModel& model, Elements elements, SweepKind kind, double time_step,
        Stretch stretch = Stretch::kBothWays);
  void begin_step() { std::fill(multiplier_.begin(), multiplier_.end(), RVec3::Zero()); }
  // One Gauss-Seidel sweep, over-relaxed.
  void run(const RunContext& run, Real tie_rest_ratio, Real relaxation, std::vector<RVec3>* x);
  // One sweep in which all elements see the same x; moves are averaged at each particle.
  void run_jacobi(Real tie_rest_ratio, Real relaxation, std::vector<RVec3>* x);
  const Elements& elements() const { return elements_; }

 private:
  RVec3 correction(int i, const RVec3* x, Real tie_rest_ratio);  // along e, per unit of inverse mass times weight

  const DrapeModel& model_;
  Elements elements_;
  SweepKind kind_;
  Stretch stretch_;
  std::vector<Real> share_;        // PBD: of the error taken out at once, 0 .. 1
  std::vector<Real> compliance_;   // XPBD: 1 / (k h^2)
  std::vector<RVec3> multiplier_;  // XPBD: of a spring in x(), of a hinge all three
  std::vector<RVec3> move_;        // Jacobi
  std::vector<int> touched_;
};

// Moves x out of the body; of its tangential move since `from` friction takes what Coulomb allows.
void push_out(const ContactSet& contact, int particle, const RVec3& from, RVec3* x);

}  // namespace tryon::sim
