// What it is: what every implicit solver here minimises in a step, and what surrounds that: g(x) / h^2 = 1/(2 h^2)
// |x - y|^2_M + E(x) - x . f + drag + contact, with y = x_n + h v_n (methods.md). begin() predicts and asks the
// contacts, evaluate() gives value and gradient, finish() takes the new positions: velocities, contact, residual.
// Units: J, N, m. Shapes: all arrays [particle_count]. How it fails: begin() INTERNAL with phase and particle where a
// number is not finite. Thread rules: one object, one calling thread; loops run on the context's executor, the same
// bytes for any number of threads. No allocation after the constructor.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "Eigen/Sparse"
#include "server/base/run_context.h"
#include "server/sim/collision/bone_contact.h"
#include "server/sim/collision/contact.h"
#include "server/sim/collision/self_contact.h"
#include "server/sim/constraints/bend_damping.h"
#include "server/sim/constraints/elastic.h"
#include "server/sim/constraints/shear_damping.h"
#include "server/sim/forces/outer.h"
#include "server/sim/model.h"
#include "server/sim/solvers/solver.h"

namespace tryon::sim {

class IncrementalPotential {
 public:
  IncrementalPotential(const DrapeModel& model, const SolverSettings& settings);

  absl::Status begin(const RunContext& run, const Scene& scene, const DrapeState& state, StepReport* report);
  // g / h^2 up to a constant of the step; sets the gradient (zero at pinned particles).
  double evaluate(const RunContext& run, const std::vector<RVec3>& x, std::vector<RVec3>* gradient);
  // Of the last evaluation: the sum of the absolute values of its parts, for judging rounding.
  double scale() const { return scale_; }
  // Follows the body where particles moved; true if any contact plane changed and the potential with it.
  bool refresh_contacts(const RunContext& run, const Scene& scene, const std::vector<RVec3>& x);
  // Takes positions back to where layers of the cloth cannot have passed each other, nor cloth a bone, since the last
  // search; true if any had to go.
  bool limit(const RunContext& run, std::vector<RVec3>* x);
  // After a search along a line that ended at such limits: new ones from x; true if there were any.
  bool free_limited(const RunContext& run, const std::vector<RVec3>& x);
  void finish(const RunContext& run, const Scene& scene, const std::vector<RVec3>& x, DrapeState* state,
              StepReport* report);
  absl::Status not_finite(std::string_view phase, const std::vector<RVec3>& values) const;

  // A part of a cloth (model_part.h), `at` of its particles in the whole's, goes on from the whole's contacts as its
  // last step left them at x, before its own first step; and the whole from the part's, at its x, of what moved there.
  void take_contacts(const IncrementalPotential& whole, const Scene& scene, const std::vector<RVec3>& whole_x,
                     const std::vector<int>& at);
  void give_contacts(const std::vector<RVec3>& x, const std::vector<RVec3>& whole_x, const std::vector<int>& at,
                     IncrementalPotential* whole) const;

  // Where Wan 2020 starts (x = y), and the same with the outer forces' flight, pushed out of the body.
  const std::vector<RVec3>& inertial() const { return y_; }
  RVec3 flight(int i) const;
  // Where the outer forces alone would carry it, drag taken at the step's end.
  RVec3 ballistic(int i) const;
  const std::vector<RVec3>& old() const { return old_; }
  bool pinned(int i) const { return model_.inverse_mass[i] == 0; }
  bool any_pinned() const { return any_pinned_; }
  Real inertia(int i) const { return model_.mass[i] * inverse_h2_; }  // N/m
  const OuterForces& outer() const { return outer_; }
  Real tie_rest_ratio() const { return tie_ratio_; }
  const DrapeModel& model() const { return model_; }
  const ElasticEnergy& elastic() const { return elastic_; }
  const ShearDamping& shear_damping() const { return shear_damping_; }
  ContactSet& contact() { return contact_; }
  const ContactSet& contact() const { return contact_; }
  const SelfContact* layers() const { return self_contact_.get(); }  // null where the scene has none
  const BoneContact* bones() const { return bones_.get(); }          // the same
  // M/h^2 + L of Wan 2020 (eq. 15) and the damping's, pinned rows and columns cleared to the identity: [particle_count,
  // particle_count].
  Eigen::SparseMatrix<double> constant_matrix(BendInMatrix bend = BendInMatrix::kWhole) const;

 private:
  absl::Status check_state(const DrapeState& state) const;
  std::vector<uint8_t> moving() const;
  std::vector<Real> first_stiffness() const;
  void make_self_contact(const Scene& scene);
  void begin_self_contact(const RunContext& run, const Scene& scene, const std::vector<RVec3>& x);
  void begin_bones(const Scene& scene, const std::vector<RVec3>& x);
  void predict(const Scene& scene, const DrapeState& state);
  void evaluate_particles(int begin, int end, double* energy);
  void report_residual(const RunContext& run, const DrapeState& state, StepReport* report);

  const DrapeModel& model_;
  const SolverSettings settings_;
  const Real inverse_h2_;
  ElasticEnergy elastic_;
  BendDamping bend_damping_;
  ShearDamping shear_damping_;
  ContactSet contact_;
  std::unique_ptr<SelfContact> self_contact_;  // made when a scene first asks for it
  std::unique_ptr<BoneContact> bones_;         // the same
  bool any_pinned_ = false;
  OuterForces outer_;
  std::vector<RVec3> y_, old_, internal_;  // [particle_count]
  std::vector<double> partials_;
  Real tie_ratio_ = 1;
  double scale_ = 0;
  const std::vector<RVec3>* eval_x_ = nullptr;  // of the evaluation in progress
  std::vector<RVec3>* eval_gradient_ = nullptr;
};

}  // namespace tryon::sim
