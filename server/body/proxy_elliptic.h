// What it is: the elliptic fit: strands of ellipses, some side by side, whose union hugs a body; as oblique frusta.
//
//       .-----------.        a section of the trunk is a rounded oblong, hollow at spine and breastbone: one strand in
//      ( o   .o.   o )       the middle and one a side; each bone of arm and leg has two, for calf and shin bulge at
//       '-----------'        different heights
//
// Dense strands are fitted first; dynamic programming then keeps the levels that matter, and what is left is fitted
// again with more and more weight on what stays outside, while planes of their own (proxy_girth.h, never those of the
// audit) pull in whatever overstates a girth. Units and frame: metres, the body's. Shapes: see Strand.
// How it fails: it does not; parts that the body lacks have no strand. Thread rules: pure functions.
#pragma once

#include "server/body/proxy_anatomy.h"
#include "server/body/proxy_strand.h"

namespace tryon {

// At most `budget` frusta in all; as far as it goes, at most `allowed` of the vertices stay more than 0.5 mm outside.
std::vector<Strand> fit_strands(const ProxyAnatomy& anatomy, const Skin& vertices, int budget, size_t allowed);

}  // namespace tryon
