#include "server/body/scan_levels.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "server/body/bounding.h"
#include "server/body/scan_points.h"

namespace tryon {
namespace {

// Shares of the height.
constexpr double kHalfBand = 0.010;
constexpr size_t kSlabs = 256;
constexpr double kCell = 0.007;  // points of one band nearer than one to two cells hang together

double hull_area(const std::vector<Vec2>& hull, Vec2* centroid) {
  double twice = 0.0;
  Vec2 moment = Vec2::Zero(), mean = Vec2::Zero();
  for (size_t i = 0; i < hull.size(); ++i) {
    const Vec2 a = hull[i] - hull[0], b = hull[(i + 1) % hull.size()] - hull[0];
    const double cross = a.x() * b.y() - b.x() * a.y();
    twice += cross;
    moment += cross * (a + b);
    mean += a / static_cast<double>(hull.size());
  }
  *centroid = hull[0] + (twice > 1e-300 ? Vec2(moment / (3.0 * twice)) : mean);
  return 0.5 * twice;
}

}  // namespace

PointLevels::PointLevels(const std::vector<Vec3>& points, const Vec3& up) : points_(points), up_(up.normalized()) {
  const Vec3 seed = std::abs(up_.z()) < 0.9 ? Vec3::UnitZ() : Vec3::UnitX();
  side_ = up_.cross(seed).normalized();
  ahead_ = side_.cross(up_);
  if (points.empty()) return;
  std::vector<double> heights;
  heights.reserve(points.size());
  for (const Vec3& p : points) heights.push_back(p.dot(up_));
  const auto [lowest, highest] = std::minmax_element(heights.begin(), heights.end());
  low_ = *lowest, high_ = *highest;
  // A counting sort by slab: only the few bands that are asked for are ever sorted through.
  slab_begin_.assign(kSlabs + 1, 0);
  for (const double h : heights) ++slab_begin_[slab_of(h) + 1];
  std::partial_sum(slab_begin_.begin(), slab_begin_.end(), slab_begin_.begin());
  std::vector<size_t> next(slab_begin_.begin(), slab_begin_.end() - 1);
  by_slab_.resize(points.size());
  for (size_t i = 0; i < points.size(); ++i) by_slab_[next[slab_of(heights[i])]++] = {heights[i], static_cast<int>(i)};
}

// Never falls as the height rises.
size_t PointLevels::slab_of(double height) const {
  const double share = high_ > low_ ? (height - low_) / (high_ - low_) : 0.0;
  return static_cast<size_t>(std::clamp(share, 0.0, 1.0) * (kSlabs - 1));
}

std::vector<int> PointLevels::between(double from, double to) const {
  std::vector<int> out;
  if (by_slab_.empty() || !(from < to)) return out;
  std::vector<std::pair<double, int>> band;
  for (size_t i = slab_begin_[slab_of(from)]; i < slab_begin_[slab_of(to) + 1]; ++i) {
    if (by_slab_[i].first >= from && by_slab_[i].first < to) band.push_back(by_slab_[i]);
  }
  std::sort(band.begin(), band.end());
  out.reserve(band.size());
  for (const auto& [height, point] : band) out.push_back(point);
  return out;
}

std::vector<LevelPatch> PointLevels::at(double offset) const {
  const std::vector<int> band = between(offset - kHalfBand * height(), offset + kHalfBand * height());
  std::vector<Vec3> flat;
  flat.reserve(band.size());
  for (int i : band) flat.emplace_back(points_[i].dot(side_), points_[i].dot(ahead_), 0.0);
  const PointGroups groups = group_points(flat, kCell * height(), 1);
  std::vector<std::vector<Vec2>> member(groups.size.size());
  std::vector<LevelPatch> patches(groups.size.size());
  for (size_t i = 0; i < band.size(); ++i) {
    member[groups.group[i]].push_back(flat[i].head<2>());
    patches[groups.group[i]].points.push_back(band[i]);
  }
  for (size_t g = 0; g < patches.size(); ++g) {
    LevelPatch& patch = patches[g];
    patch.low = patch.high = member[g][0];
    for (const Vec2& p : member[g]) {
      patch.low = patch.low.cwiseMin(p);
      patch.high = patch.high.cwiseMax(p);
    }
    Vec2 middle;
    patch.area = hull_area(convex_hull(std::move(member[g])), &middle);
    patch.centroid = offset * up_ + middle.x() * side_ + middle.y() * ahead_;
  }
  std::stable_sort(patches.begin(), patches.end(),
                   [](const LevelPatch& a, const LevelPatch& b) { return a.area > b.area; });
  return patches;
}

Stance judge_stance(const PointLevels& levels, const Vec3& up) {
  const double height = levels.height();
  Stance stance;
  stance.up = up;
  for (double ratio : {0.10, 0.14, 0.18, 0.22, 0.26, 0.30}) {
    const auto patches = levels.at(levels.low() + ratio * height);
    if (patches.size() < 2 || patches[1].area < 0.4 * patches[0].area) continue;
    if (patches.size() > 2 && patches[2].area > 0.3 * patches[0].area) continue;
    const double size = std::sqrt(patches[0].area);
    if (size > 0.15 * height || size < 0.02 * height) continue;
    Vec3 between = patches[1].centroid - patches[0].centroid;
    if (between.norm() > 0.4 * height) continue;
    if (between.dot(stance.across) < 0) between = -between;
    stance.across += between;
    if (stance.leg_levels++ == 0) stance.ankles = 0.5 * (patches[0].centroid + patches[1].centroid);
  }
  for (double ratio : {0.90, 0.93, 0.96}) {
    const auto patches = levels.at(levels.low() + ratio * height);
    if (patches.empty()) continue;
    const double size = std::sqrt(patches[0].area);
    if (size > 0.16 * height || size < 0.03 * height) continue;
    if (patches.size() > 1 && patches[1].area >= 0.2 * patches[0].area) continue;
    ++stance.head_levels;
    stance.crown = patches[0].centroid;
  }
  return stance;
}

double widest_area(const PointLevels& levels, double from_ratio, double to_ratio) {
  double widest = 0.0;
  for (double ratio = from_ratio; ratio <= to_ratio + 1e-9; ratio += 0.02) {
    const auto patches = levels.at(levels.low() + ratio * levels.height());
    if (!patches.empty()) widest = std::max(widest, patches[0].area);
  }
  return widest;
}

}  // namespace tryon
