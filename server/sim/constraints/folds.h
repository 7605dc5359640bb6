// What it is: bending by the dihedral angle theta of each interior edge, E = 1/2 (theta - rest)^T B (theta - rest).
// hinge: B is diagonal, B_e |e|^2 / (A0 + A1) with B_e the bending stiffness across the edge (validation 1.2).
// shape: each triangle's shape operator S = sum theta_e |e| / (2 A) n_e n_e^T, n_e the edge's normal in the flat, with
// A/2 (B_1 S_11^2 + B_2 S_22^2 + 4 D_66 S_12^2): exact for every quadratic shape on regular meshes. B then couples the
// edges of a triangle. Units: rad, N m, m. Shapes: x of four particles: edge ends, opposite vertices left and right of
// it; theta > 0 where the opposite vertices rise towards the left-hand triangle's normal.
// How it fails: never; a triangle without area has no angle and pulls nowhere. Thread rules: pure functions.
// Cites: Bridson 2003 (gradient of the angle); Tamstorf and Grinspun 2013 (its Hessian, local_folds_impl.h); Grinspun
// 2006 (triangle-averaged shape operator).
#pragma once

#include <array>

#include "server/sim/constraints/local_step.h"
#include "server/sim/model.h"

namespace tryon::sim::fold {

using Corners = std::array<RVec3, 4>;

// The slow twins of local_step's fold_angles.
Real angle(const Corners& x);
Corners angle_gradient(const Corners& x);

local_step::FoldView view(const DrapeModel& model);

// Fills model->folds from the cloth's interior edges.
void build(const ClothInput& cloth, DrapeModel* model);

}  // namespace tryon::sim::fold
