// What it is: the top of a head that cameras hardly see (hair swallows their light), closed by the ellipsoid that fits
// what they did see of it. Units and frame: metres, the body's. Shapes: points are appended, normals too where present.
// How it fails: a head that no ellipsoid fits within 8 mm is left as it is. Thread rules: pure function.
#pragma once

#include "server/mesh/point_cloud.h"

namespace tryon {

// The area that was closed, m2; 0 where the scalp was well seen.
double close_scalp(PointCloud* person);

}  // namespace tryon
