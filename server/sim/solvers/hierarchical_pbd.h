// What it is: position based dynamics on several meshes of the same cloth, so that slow, long errors go on coarse ones.
// hpbd (Mueller 2008): the prediction is taken to every level, the coarsest is swept first and its motion is carried to
// the next finer one, once a step. qem_hpbd (Ma 2023): V-cycles on a hierarchy of half-edge collapses, an over-relaxed
// (SOR) sweep on the way to the coarsest level and Gauss-Seidel sweeps on the way back, motions carried by inverse
// distances. Contact acts on the finest level, after its sweeps. Units: SI. Shapes: [particle_count] of each level.
// How it fails: see solver.h; as quadric_levels() where no hierarchy can be built. Thread rules: see solver.h.
#pragma once

#include "server/sim/solvers/levels.h"
#include "server/sim/solvers/solver.h"

namespace tryon::sim {

enum class Smoother : uint8_t { kJacobi, kGaussSeidel };

struct CycleOptions {
  Smoother before = Smoother::kGaussSeidel, after = Smoother::kGaussSeidel;
  double relax_before = 1.1, relax_after = 1.0;  // kGaussSeidel with relax_before != 1 is SOR
  int sweeps_before = 1, sweeps_after = 1, coarsest_sweeps = 4;
};

absl::StatusOr<std::unique_ptr<Solver>> make_hpbd(const DrapeModel& model, const SolverSettings& settings);
// The pre-smoothing takes the larger of 1.1 (Ma 2023, section 4) and SolverSettings::relaxation.
absl::StatusOr<std::unique_ptr<Solver>> make_qem_hpbd(const DrapeModel& model, const SolverSettings& settings);
absl::StatusOr<std::unique_ptr<Solver>> make_qem_hpbd(const DrapeModel& model, const SolverSettings& settings,
                                                      const CycleOptions& options);

}  // namespace tryon::sim
