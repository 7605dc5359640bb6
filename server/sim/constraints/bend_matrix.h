// What it is: the shape operator's bending (folds.h) made quadratic in the positions: each fold's |e| theta n, with n
// the cloth's normal, is the vector sum_k w_k x_k of bend.h, and
//   E = 1/2 sum over triangles A (B_1 |S_11|^2 + B_2 |S_22|^2 + 4 D_66 |S_12|^2) = 1/2 sum_ij Q_ij x_i . x_j
// with S linear in those vectors. Q is constant, so it goes into prefactored matrices whole; it equals the shape
// operator where cloth bends without stretching and by little within a triangle, and like it is free of the mesh's
// bias. Rest is flat. Units: N/m. Shapes: rows [particle_count], without the diagonal. How it fails: never. Thread
// rules: pure functions. Cites: Bergou 2006 (isometric bending); Grinspun 2006 (shape operator).
#pragma once

#include "server/sim/model.h"

namespace tryon::sim::bend_matrix {

// Fills model->bend_matrix from model->bend_elements, triangle by triangle.
void build(DrapeModel* model);

}  // namespace tryon::sim::bend_matrix
