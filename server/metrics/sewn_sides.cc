#include "server/metrics/sewn_sides.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "server/metrics/fit.h"

namespace tryon {

SeamStrain seam_strain(const std::vector<SewnSide>& sides) {
  SeamStrain out;
  std::vector<std::pair<double, double>> edges;  // strain, rest length
  for (const SewnSide& side : sides) {
    double rest = 0.0, length = 0.0;
    for (size_t k = 0; k < side.rest.size(); ++k) {
      rest += side.rest[k], length += side.length[k];
      if (side.rest[k] > 0.0) edges.emplace_back(std::abs(side.length[k] / side.rest[k] - 1.0), side.rest[k]);
    }
    if (rest > 0.0) out.side_max = std::max(out.side_max, std::abs(length / rest - 1.0));
    out.length += rest;
  }
  const Distribution all = distribution(std::move(edges));
  out.p95 = all.p95, out.max = all.max;
  return out;
}

}  // namespace tryon
