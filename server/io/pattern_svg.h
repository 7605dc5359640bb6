// What it is: a picture of the flat pattern as SVG: pieces laid out side by side, with names, grain, notches, inner
// lines and seams; the two sides of a seam have one colour and one number. Units: one SVG unit is a millimetre.
// How it fails: it does not. Names are escaped: no text of a file becomes markup. Thread rules: pure function.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "server/garment/pattern.h"

namespace tryon {

std::string pattern_svg(const Pattern& pattern);
// The colour of seam s, far from those of its neighbours; the PNG drawing uses the same.
std::array<uint8_t, 3> seam_colour(int seam);

}  // namespace tryon
