// What it is: rest where it is wanting: when nearly all of what does not balance is at a few particles (a fold that
// rubs, a rim that sways), those and the cloth round them are brought to rest as a model of their own, with the cloth
// beside them held still, before the whole goes on: iterations that cost a small share of its own. A nonlinear
// elimination before a Newton step. Units: SI. Shapes: gradient and the state [particle_count of the whole]. How it
// fails: as Solver::step(). Thread rules: as Solver. Cites: Cai and Keyes 2002; Yang, Hwang and Cai 2016 (nonlinear
// elimination as a preconditioner).
#pragma once

#include <vector>

#include "server/sim/solvers/cholesky_pattern.h"
#include "server/sim/solvers/incremental_potential.h"

namespace tryon::sim {

// Which particles, by the gradient where the last step ended: [particle_count], or empty where it is no few of them.
std::vector<uint8_t> wanting(const RunContext& run, const DrapeModel& model, const std::vector<RVec3>& gradient);

// Brings them to rest between two steps of the whole, whose potential's contacts go with them; `largest`: the most that
// is wanting, in mean weights; `order`: of the elimination of the whole's Hessian. The report takes iterations and
// time. True if anything moved: not where they would go to where other layers were not looked for.
absl::StatusOr<bool> rest_locally(const RunContext& run, const Scene& scene, const SolverSettings& settings,
                                  const std::vector<uint8_t>& wanting, double largest, const KnownOrder& order,
                                  IncrementalPotential* whole, DrapeState* state, StepReport* report);

}  // namespace tryon::sim
