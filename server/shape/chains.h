// What it is: which frusta continue each other: chains of solids that share end ellipses where both ends are open.
// Units: metres. Shapes: arrays [solid_count] in the order of the solids. How it fails: never; an open end whose
// ellipse no other open end has is called buried. Thread rules: pure function, plain value.
#pragma once

#include <vector>

#include "server/shape/local_frustum.h"

namespace tryon {

struct Chains {
  std::vector<Ends> ends;                 // [solid_count]
  std::vector<int> of;                    // [solid_count] -> chain
  std::vector<std::vector<int>> members;  // [chain_count], ascending
};
Chains find_chains(const std::vector<Solid>& solids);

// The distance to one solid as a member of its chain.
SurfacePoint member_distance(const Solid& solid, Ends ends, const Eigen::Vector3d& point);

}  // namespace tryon
