// What it is: projective dynamics (Bouaziz 2014; Yong 2021, section 4): each triangle's four threads, every seam and
// edge spring are projected to their rest length alone (local step), then one linear system with a constant matrix
// brings them together (global step): directly, by Chebyshev-accelerated Jacobi (Wang 2015), by coloured Gauss-Seidel
// sweeps (Fratarcangeli 2016), or by multigrid-preconditioned conjugate gradients. A local and a global step together
// are x - A^-1 grad g(x): the same minimum as the other implicit solvers, reached at the rate of A, without a line
// search. Units: SI. Shapes: [particle_count]. How it fails: see solver.h. Thread rules: see solver.h.
#pragma once

#include "server/sim/solvers/solver.h"

namespace tryon::sim {

std::unique_ptr<Solver> make_pd_direct(const DrapeModel& model, const SolverSettings& settings);
std::unique_ptr<Solver> make_pd_chebyshev(const DrapeModel& model, const SolverSettings& settings);
std::unique_ptr<Solver> make_pd_gauss_seidel(const DrapeModel& model, const SolverSettings& settings);
std::unique_ptr<Solver> make_pd_multigrid(const DrapeModel& model, const SolverSettings& settings);

}  // namespace tryon::sim
