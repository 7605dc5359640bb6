#include "server/drape/layers_go_alike.h"

#include <algorithm>

#include "server/drape/layer_places.h"
#include "server/mesh/within_reach.h"
#include "server/metrics/metrics.h"

namespace tryon {
namespace {

constexpr int kRounds = 3;        // what goes another way may meet what did not
constexpr double kAround = 0.08;  // m round what would cross: who goes alike
constexpr double kNear = 0.05;    // m, of whose ways the mean is taken

TriangleMesh moved(const TriangleMesh& cloth, const std::vector<Vec3>& way) {
  TriangleMesh out = cloth;
  for (size_t v = 0; v < way.size(); ++v) out.positions[v] += way[v];
  return out;
}

// Round `places` the mean of the ways there, farther off the way itself, and between them by the share of those near
// who lie round the places.
std::vector<Vec3> alike(const std::vector<Vec3>& from, const std::vector<Vec3>& way, const std::vector<Vec3>& places) {
  const std::vector<uint8_t> there = within_reach(from, places, kAround);
  const std::vector<uint8_t> touched = within_reach(from, places, kAround + kNear);
  const PointGrid<Vec3> grid(from, kNear);
  std::vector<Vec3> out = way;
  for (size_t v = 0; v < from.size(); ++v) {
    if (!touched[v]) continue;
    Vec3 sum = Vec3::Zero();
    double all = 0.0, share = 0.0;
    grid.any_round(from[v], [&](size_t other) {
      const double left = std::max(0.0, 1.0 - (from[other] - from[v]).squaredNorm() / (kNear * kNear));
      const double weight = left * left;  // the farther the lighter
      sum += weight * way[other];
      all += weight;
      share += there[other] ? weight : 0.0;
      return false;  // all of them
    });
    out[v] += share / all * (sum / all - way[v]);
  }
  return out;
}

}  // namespace

std::optional<std::vector<Vec3>> layers_go_alike(const RunContext& run, const TriangleMesh& cloth,
                                                 const std::vector<Vec3>& way, int already) {
  std::vector<Vec3> out = way;
  std::vector<Triangle> would_cross;
  for (int round = 0;; ++round) {
    const auto crossed = self_intersections(moved(cloth, out), run);
    if (static_cast<int>(crossed.size()) <= already) return out;
    if (round == kRounds) return std::nullopt;
    for (const auto& [first, second] : crossed)
      would_cross.insert(would_cross.end(), {cloth.triangles[first], cloth.triangles[second]});
    out = alike(cloth.positions, way, middles_of(cloth, would_cross));
  }
}

}  // namespace tryon
