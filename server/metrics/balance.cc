#include "server/metrics/balance.h"

#include <algorithm>

namespace tryon {

double unbalanced_moment(const std::vector<Vec3>& positions, const std::vector<double>& weight,
                         const std::vector<Vec3>& reaction) {
  Vec3 centroid = Vec3::Zero(), moment = Vec3::Zero();
  double whole = 0.0, low = 1e300, high = -1e300;
  for (size_t v = 0; v < positions.size(); ++v) {
    whole += weight[v], centroid += weight[v] * positions[v];
    low = std::min(low, positions[v].y()), high = std::max(high, positions[v].y());
  }
  if (whole <= 0.0 || high <= low) return 0.0;
  centroid /= whole;
  for (size_t v = 0; v < positions.size(); ++v) moment += (positions[v] - centroid).cross(reaction[v]);
  return moment.norm() / (whole * (high - low));
}

}  // namespace tryon
