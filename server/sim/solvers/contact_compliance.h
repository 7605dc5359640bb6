// What it is: what body contacts that changed since the factor H was taken do to a direction -H^-1 g. A particle that
// is in contact now, or would be at the direction's end, adds its push to the quadratic model that H stands for: u = q
// - C r(u), where u are the ways along the normals, q those of H alone, C = N^T H^-1 N their compliance and r what the
// pushes differ from what H knows; solved by a damped semismooth Newton method. Columns of C cost little
// (path_columns.h). Units: m, N, m/N. Shapes: vectors [particle_count]. How it fails: never; without an answer the
// direction stays as it was. Thread rules: one object, one calling thread. Cites: Qi and Sun 1993 (semismooth Newton);
// Yeung 2018 (low-rank changes).
#pragma once

#include <vector>

#include "Eigen/Core"
#include "server/sim/solvers/hessian.h"
#include "server/sim/solvers/incremental_potential.h"
#include "server/sim/solvers/path_columns.h"

namespace tryon::sim {

class ContactCompliance {
 public:
  static constexpr int kMost = 96;  // contacts with columns between two factors

  ContactCompliance(const IncrementalPotential& potential, PotentialHessian* hessian);
  // The Hessian has been factorised at x.
  void renew(const std::vector<RVec3>& x);
  // `way` is H^-1 right but for the contacts, and with them; may be the same vector. False once there are more of them
  // than kMost.
  bool solve(const RunContext& run, const std::vector<RVec3>& x, const std::vector<RVec3>& right,
             std::vector<RVec3>* way);

 private:
  struct Change {
    double energy, force, slope;  // J, N, N/m
  };
  struct Balance {  // [contact_count] both
    Eigen::VectorXd out, force;
  };
  Change mismatch(const std::vector<RVec3>& x, int i, double out) const;
  std::vector<int> choose(const RunContext& run, const std::vector<RVec3>& x, const std::vector<RVec3>& way,
                          double least);
  void add_columns(const RunContext& run, const std::vector<int>& chosen);
  double energy(const std::vector<RVec3>& x, const Balance& at) const;
  bool improve(const std::vector<RVec3>& x, Balance* at) const;
  Balance balance(const std::vector<RVec3>& x) const;

  const IncrementalPotential& potential_;
  std::vector<double> known_;    // [particle_count] N/m along the normal, in the factor
  std::vector<uint8_t> member_;  // [particle_count] has a column
  std::vector<double> wrong_;    // [particle_count] N, by which a way's end is out of balance
  std::vector<int> contact_;     // those that have, in the order they came
  std::vector<RVec3> normal_;    // of each
  Eigen::MatrixXd compliance_;   // [contact_count, contact_count]
  PathColumns columns_;          // of the normals
};

}  // namespace tryon::sim
