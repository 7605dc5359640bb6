// What it is: position based dynamics (Mueller 2006; notes on mass-spring and PBD) and XPBD (Macklin 2016) over the
// model's elements: predict, collide, sweep the constraints in order (Gauss-Seidel, colour by colour), velocities from
// positions. PBD moves an element by the share `strength / strength of the stretch springs` (1 for warp and weft) of
// its error; XPBD has compliance 1 / (k h^2) and multipliers. Contact pushes out along the normal with Coulomb friction
// of the tangential move. SolverSettings::relaxation is the sweeps' over-relaxation. Units: SI. Shapes:
// [particle_count]. How it fails: see solver.h. Thread rules: see solver.h; colours run in parallel.
#pragma once

#include "server/sim/solvers/solver.h"

namespace tryon::sim {

std::unique_ptr<Solver> make_pbd(const DrapeModel& model, const SolverSettings& settings);
std::unique_ptr<Solver> make_xpbd(const DrapeModel& model, const SolverSettings& settings);

}  // namespace tryon::sim
