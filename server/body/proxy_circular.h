// What it is: the circular fit, Ji 2004 section 2.1 to the letter: each part is cut across its own axis into slices; a
// slice's smallest circle, from its lowest to its highest point, is a short cylinder; neighbours are joined by an
// oblique frustum between their facing discs, whose axis joins the centres: 2 l - 1 solids for l slices. The paper's
// slices are rows of measured points; here they are bands 4 mm high of the surface, placed where the outline bends.
// The paper grows nothing to hold what lies between two slices, so neither does this; see proxy_spheres.h for the
// spheres. Units and frame: metres, the body's. How it fails: a part that the body lacks has no solids.
// Thread rules: pure function.
#pragma once

#include "server/body/proxy_anatomy.h"

namespace tryon {

std::vector<Proxy> fit_circular(const ProxyAnatomy& anatomy);

}  // namespace tryon
