// What it is: implicit Euler by the alternating direction method of multipliers (Overby 2017; Yong 2021, section 3):
// every spring gets its own copy z of its vector e, minimised alone in closed form, and a multiplier u that pulls
// copies and cloth together; the global step is one solve with a constant prefactored matrix whose weights are the
// stiffnesses. Bending is quadratic and stays whole in the matrix. Stiffness does not depend on the iterations; early
// iterations are as good as projective dynamics', and forces (the multipliers) come for free. Units: SI. Shapes: copies
// [element_count]. How it fails: see solver.h. Thread rules: see solver.h.
#pragma once

#include "server/sim/solvers/solver.h"

namespace tryon::sim {

std::unique_ptr<Solver> make_admm(const DrapeModel& model, const SolverSettings& settings);

}  // namespace tryon::sim
