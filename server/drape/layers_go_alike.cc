#include "server/drape/layers_go_alike.h"

#include <unordered_map>
#include <utility>

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

// Points by the cells of a grid.
class Neighbours {
 public:
  explicit Neighbours(const std::vector<Vec3>& points) : points_(points) {
    for (size_t v = 0; v < points.size(); ++v) cells_[cell_key(points[v], kNear)].push_back(v);
  }
  // visit(index, weight) of those within kNear of a point, the farther the lighter.
  template <typename Visit>
  void of(const Vec3& point, const Visit& visit) const {
    for (int k = 0; k < 27; ++k) {
      const auto cell = cells_.find(cell_key(point, kNear, k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1));
      if (cell == cells_.end()) continue;
      for (const size_t v : cell->second) {
        const double left = 1.0 - (points_[v] - point).squaredNorm() / (kNear * kNear);
        if (left > 0.0) visit(v, left * left);
      }
    }
  }

 private:
  const std::vector<Vec3>& points_;
  std::unordered_map<int64_t, std::vector<size_t>> cells_;
};

// Round `places` the mean of the ways there, farther off the way itself, and between them by the share of those near
// who lie round the places.
std::vector<Vec3> alike(const std::vector<Vec3>& from, const std::vector<Vec3>& way, const std::vector<Vec3>& places) {
  const std::vector<uint8_t> there = within_reach(from, places, kAround);
  const std::vector<uint8_t> touched = within_reach(from, places, kAround + kNear);
  const Neighbours neighbours(from);
  std::vector<Vec3> out = way;
  for (size_t v = 0; v < from.size(); ++v) {
    if (!touched[v]) continue;
    Vec3 sum = Vec3::Zero();
    double all = 0.0, share = 0.0;
    neighbours.of(from[v], [&](size_t other, double weight) {
      sum += weight * way[other];
      all += weight;
      share += there[other] ? weight : 0.0;
    });
    out[v] += share / all * (sum / all - way[v]);
  }
  return out;
}

}  // namespace

std::vector<Vec3> layers_go_alike(const RunContext& run, const TriangleMesh& cloth, const std::vector<Vec3>& way,
                                  int already) {
  std::vector<Vec3> out = way;
  std::vector<Triangle> would_cross;
  for (int round = 0; round < kRounds; ++round) {
    const auto crossed = self_intersections(moved(cloth, out), run);
    if (static_cast<int>(crossed.size()) <= already) break;
    for (const auto& [first, second] : crossed)
      would_cross.insert(would_cross.end(), {cloth.triangles[first], cloth.triangles[second]});
    out = alike(cloth.positions, way, middles_of(cloth, would_cross));
  }
  return out;
}

}  // namespace tryon
