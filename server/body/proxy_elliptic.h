// What it is: the elliptic fit: strands of ellipses, some side by side, whose union hugs a body; as oblique frusta.
//
//       .-----------.        a section of the trunk is a rounded oblong, hollow at spine and breastbone: one strand in
//      ( o   .o.   o )       the middle and one a side; each bone of arm and leg has two, for calf and shin bulge at
//       '-----------'        different heights
//
// Dense strands are fitted first; dynamic programming then keeps the levels that matter, and what is left is fitted
// again with more and more weight on what stays outside. Units and frame: metres, the body's. Shapes: see Strand.
// How it fails: it does not; parts that the body lacks have no strand. Thread rules: pure functions.
#pragma once

#include "server/body/proxy_anatomy.h"
#include "server/body/proxy_strand.h"

namespace tryon {

// At most `budget` frusta in all.
std::vector<Strand> fit_strands(const ProxyAnatomy& anatomy, int budget);

// Grows all radii alike until at most `allowed` of the vertices stay more than 0.5 mm outside. `gaps` [vertex_count]:
// signed, of strands and spheres together. Growth stops at 4 mm: what is farther out is no fault of the radii.
void grow_strands(std::vector<double> gaps, size_t allowed, std::vector<Strand>* strands);

}  // namespace tryon
