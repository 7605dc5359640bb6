// What it is: the parts of a factor's elimination tree that threads may take up on their own: subtrees small enough to
// be shared among a few, as large as they can be for that; then, above these, what branches once more; and where each
// adds up what it does to the rest. Units: none. Shapes: fills `order`, `part`, `subtree_count`, `top`, `row_in_part`,
// `sum_goes_to`, `length` and the needs of a pattern that has its panels. How it fails: never. Thread rules: a pure
// function; its answer depends on the pattern alone, never on how many threads there are. Cites: Geist, Ng 1989
// (subtrees to processors).
#pragma once

#include "server/sim/solvers/cholesky_pattern.h"

namespace tryon::sim {

void find_subtrees(CholeskyPattern* pattern);

}  // namespace tryon::sim
