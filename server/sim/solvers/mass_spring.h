// What it is: the explicit mass-spring method (Ji 2004, sections 1.2-1.3; notes on mass-spring): semi-implicit Euler
// in equal substeps below the stability limit, contact by stopping the inward velocity with Coulomb friction, and the
// internal-force correction: beyond strain_threshold (stretched or shrunk) a spring's tension grows correction_gain
// times as steeply, which pulls its ends back without moving them. Bending is linear and is not corrected.
// Units: SI. Shapes: [particle_count]. How it fails: STEP_TOO_STIFF where more than 20,000 substeps would be needed;
// see solver.h. Thread rules: see solver.h; forces are summed in one fixed order.
#pragma once

#include "server/sim/solvers/solver.h"

namespace tryon::sim {

std::unique_ptr<Solver> make_mass_spring(const DrapeModel& model, const SolverSettings& settings);

// The longest stable substep in seconds: 2 / the highest eigenfrequency, by Gershgorin's bound.
double stable_substep(const DrapeModel& model, const SolverSettings& settings);

}  // namespace tryon::sim
