// What it is: implicit Euler by Newton's method on the incremental potential (Yong 2021, section 3), with the true
// Hessian where it is positive definite and a convex one (each spring's compression clamped) where it is not. newton
// iterates to the tolerance with a line search; baraff_witkin takes one undamped convex step from x_n, which is the
// linear system of Baraff and Witkin 1998. Units: SI. Shapes: [particle_count]. How it fails: see solver.h.
// Thread rules: see solver.h; matrices are assembled in one fixed order, the same bytes for any number of threads.
#pragma once

#include "server/sim/solvers/solver.h"

namespace tryon::sim {

std::unique_ptr<Solver> make_newton(const DrapeModel& model, const SolverSettings& settings);
std::unique_ptr<Solver> make_baraff_witkin(const DrapeModel& model, const SolverSettings& settings);

}  // namespace tryon::sim
