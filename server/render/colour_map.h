// What it is: the colour scales of heat maps, readable by colour-blind eyes and in grey: viridis for amounts from 0
// (Smith and van der Walt 2015, CC0), purple to orange for values about 0 (Brewer's PuOr).
// Units: a share 0 .. 1 of the scale, clamped; colours sRGB bytes or linear RGB. How it fails: it does not; NaN is
// grey. Thread rules: pure functions.
#pragma once

#include <array>
#include <cstdint>

#include "server/mesh/triangle_mesh.h"

namespace tryon {

enum class ColourMap { kViridis, kAboutZero };

using Rgb8 = std::array<uint8_t, 3>;
Rgb8 map_srgb(ColourMap map, double share);
Vec3 map_linear(ColourMap map, double share);
double linear_of_srgb(double srgb);  // both 0 .. 1

}  // namespace tryon
