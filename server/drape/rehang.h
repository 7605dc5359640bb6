// What it is: where a smaller size begins that hangs by its waist and starts from a larger one. The larger one may have
// slid down; nobody puts the smaller one on down there, and friction would hold it: it begins as high as the waist was
// arranged. Other garments, and larger sizes, which slide on from there, begin where the first lies. Units and frame:
// metres, +Y up. Shapes: flat_before [garment.vertex_count()], the same vertices in the size that lies there, as
// `lies`, whose welded vertices the result is of. How it fails: never. Thread rules: pure function.
#pragma once

#include <vector>

#include "server/garment/garment.h"

namespace tryon {

std::vector<Vec3> rehung(const GarmentMesh& garment, const std::vector<Vec2>& flat_before, const WeldedMesh& lies);

}  // namespace tryon
