// What it is: the hinges of a cloth: one for each interior edge, as stiff as the fabric across it (bend.h), made from
// the cloth or, for a model that bends by its matrix, from the model. Units: N/m. Shapes: [hinge_count] = interior
// edges, in the order of mesh_edges(). How it fails: never. Thread rules: pure functions.
// Cites: Bergou 2006 (isometric bending).
#pragma once

#include <vector>

#include "server/sim/model.h"

namespace tryon::sim {

// How the isometric shape operator (bend_matrix.h) enters a matrix that is factored: whole, or as hinges about as
// stiff (a tenth off), whose rows have fewer neighbours. Who descends the exact energy by such a matrix needs a fiftieth
// more iterations and, without layers, three quarters of the time (drape_studies.md).
enum class BendInMatrix : uint8_t { kWhole, kLikeHinges };

// As stiff as the fabric, `times` over.
Hinges hinges_of(const ClothInput& cloth, const std::vector<EdgeUse>& edges, double times);
// What stands for model.bend_matrix: none where there is none.
Hinges hinges_like_bend_matrix(const DrapeModel& model);

}  // namespace tryon::sim
