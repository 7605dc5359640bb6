#include "server/body/scan_planes.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "Eigen/Eigenvalues"
#include "server/body/scan_points.h"

namespace tryon {
namespace {

constexpr int kMostPlanes = 6;
constexpr int kHypotheses = 400;
// Shares of the robust diagonal of all points.
constexpr double kCell = 0.008, kThickness = 0.004;
constexpr double kFlatNormal = 0.92;  // cosine of a point's own normal to the plane's
constexpr double kFewest = 0.01;      // of the thinned points
constexpr double kBeyond = 0.04;      // share of all others that may lie on the far side
constexpr double kAsWide = 0.6;       // of the rest's extents in the plane, and so much of its own outline filled
constexpr double kLeast = 0.05;       // of all points must be left

struct Frame {
  Vec3 normal, u, v;
};

// Smallest, middle and largest axis of the points' spread.
Frame frame_of(const std::vector<Vec3>& p, const std::vector<int>& of, Vec3* mean, Vec3* deviation) {
  *mean = Vec3::Zero();
  for (int i : of) *mean += p[i] / static_cast<double>(of.size());
  Eigen::Matrix3d spread = Eigen::Matrix3d::Zero();
  for (int i : of) spread += (p[i] - *mean) * (p[i] - *mean).transpose();
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(spread);
  *deviation = (solver.eigenvalues() / static_cast<double>(of.size())).cwiseMax(0.0).cwiseSqrt();
  return {solver.eigenvectors().col(0), solver.eigenvectors().col(1), solver.eigenvectors().col(2)};
}

struct Thinned {
  std::vector<Vec3> at, normal;  // zero where the neighbourhood is not flat
  std::vector<char> used;
  double cell = 0.0, thickness = 0.0;
};

Thinned thin(const std::vector<Vec3>& points) {
  Thinned out;
  Vec3 low, high;  // without the outermost hundredth
  for (int k = 0; k < 3; ++k) {
    std::vector<double> along(points.size());
    for (size_t i = 0; i < points.size(); ++i) along[i] = points[i][k];
    const auto cut = static_cast<std::ptrdiff_t>(points.size() / 100);
    std::nth_element(along.begin(), along.begin() + cut, along.end());
    low[k] = along[static_cast<size_t>(cut)];
    std::nth_element(along.begin(), along.end() - 1 - cut, along.end());
    high[k] = *(along.end() - 1 - cut);
  }
  out.cell = kCell * (high - low).norm();
  out.thickness = kThickness * (high - low).norm();
  if (!(out.cell > 0.0)) return out;
  for (int i : thin_points(points, out.cell)) out.at.push_back(points[i]);
  out.normal.assign(out.at.size(), Vec3::Zero());
  out.used.assign(out.at.size(), 0);
  const PointGrid grid(out.at, 3.0 * out.cell);
  std::vector<int> near;
  for (size_t i = 0; i < out.at.size(); ++i) {
    near.clear();
    grid.for_near(out.at[i], 3.0 * out.cell, [&](int n) { near.push_back(n); });
    if (near.size() < 8) continue;
    Vec3 mean, deviation;
    const Frame frame = frame_of(out.at, near, &mean, &deviation);
    if (deviation[0] < 0.35 * deviation[1]) out.normal[i] = frame.normal;
  }
  return out;
}

std::vector<int> near_plane(const Thinned& t, const Vec3& normal, double offset) {
  std::vector<int> out;
  for (size_t i = 0; i < t.at.size(); ++i) {
    if (t.used[i] || std::abs(t.at[i].dot(normal) - offset) > t.thickness) continue;
    if (std::abs(t.normal[i].dot(normal)) > kFlatNormal) out.push_back(static_cast<int>(i));
  }
  return out;
}

// The largest connected patch of the plane: a wall is one thing, belly and toes that touch one plane are not.
std::vector<int> largest_patch(const Thinned& t, const std::vector<int>& inliers) {
  std::vector<Vec3> at;
  for (int i : inliers) at.push_back(t.at[i]);
  const PointGroups groups = group_points(at, 2.0 * t.cell, 1);
  std::vector<int> out;
  for (size_t i = 0; i < at.size(); ++i) {
    if (groups.group[i] == 0) out.push_back(inliers[i]);
  }
  return out;
}

Vec2 extents(const std::vector<Vec3>& p, const std::vector<char>& skip, const Frame& frame) {
  std::vector<double> along[2];
  for (size_t i = 0; i < p.size(); ++i) {
    if (skip[i]) continue;
    along[0].push_back(p[i].dot(frame.u));
    along[1].push_back(p[i].dot(frame.v));
  }
  Vec2 out = Vec2::Zero();
  for (int k = 0; k < 2; ++k) {
    if (along[k].empty()) continue;
    std::sort(along[k].begin(), along[k].end());
    const size_t cut = along[k].size() / 100;
    out[k] = along[k][along[k].size() - 1 - cut] - along[k][cut];
  }
  return out;
}

// A floor or wall: wide, filled, and nearly all else on one side of it.
std::optional<FlatThing> judge(const Thinned& t, const std::vector<int>& patch) {
  Vec3 mean, deviation;
  Frame frame = frame_of(t.at, patch, &mean, &deviation);
  std::vector<char> others(t.at.size(), 0), own(t.at.size(), 1);
  for (int i : patch) others[i] = 1, own[i] = 0;
  double above = 0.0, below = 0.0;
  const double offset = mean.dot(frame.normal);
  for (size_t i = 0; i < t.at.size(); ++i) {
    const double d = t.at[i].dot(frame.normal) - offset;
    if (std::abs(d) <= 2.0 * t.thickness || t.used[i]) {
      others[i] = 1;
      continue;
    }
    (d > 0 ? above : below) += 1.0;
  }
  if (std::min(above, below) > kBeyond * (above + below)) return std::nullopt;
  const Vec2 mine = extents(t.at, own, frame), rest = extents(t.at, others, frame);
  if (mine.x() < kAsWide * rest.x() || mine.y() < kAsWide * rest.y()) return std::nullopt;
  const double filled = static_cast<double>(patch.size()) * t.cell * t.cell;
  if (filled < 0.4 * mine.x() * mine.y()) return std::nullopt;
  if (below > above) frame.normal = -frame.normal;
  return FlatThing{frame.normal, mean.dot(frame.normal)};
}

std::vector<int> best_patch(const Thinned& t) {
  std::vector<int> seeds;
  for (size_t i = 0; i < t.at.size(); ++i) {
    if (!t.used[i] && t.normal[i] != Vec3::Zero()) seeds.push_back(static_cast<int>(i));
  }
  std::vector<int> best;
  const size_t stride = std::max<size_t>(1, seeds.size() / kHypotheses);
  for (size_t s = 0; s < seeds.size(); s += stride) {
    const Vec3& normal = t.normal[seeds[s]];
    std::vector<int> inliers = near_plane(t, normal, t.at[seeds[s]].dot(normal));
    if (inliers.size() > best.size()) best = std::move(inliers);
  }
  for (int round = 0; round < 2 && best.size() >= 3; ++round) {
    Vec3 mean, deviation;
    const Frame frame = frame_of(t.at, best, &mean, &deviation);
    best = near_plane(t, frame.normal, mean.dot(frame.normal));
  }
  return largest_patch(t, best);
}

}  // namespace

FlatThings find_flat_things(const std::vector<Vec3>& points) {
  FlatThings out;
  out.on_plane.assign(points.size(), 0);
  if (points.size() < 100) return out;
  Thinned t = thin(points);
  if (t.at.empty()) return out;
  out.thickness = 1.5 * t.thickness;
  for (int k = 0; k < kMostPlanes; ++k) {
    const std::vector<int> patch = best_patch(t);
    if (static_cast<double>(patch.size()) < kFewest * static_cast<double>(t.at.size())) break;
    const auto plane = judge(t, patch);
    for (int i : patch) t.used[i] = 1;
    if (plane) out.planes.push_back(*plane);
  }
  size_t left = points.size();
  for (size_t i = 0; i < points.size(); ++i) {
    for (const FlatThing& plane : out.planes) {
      if (std::abs(points[i].dot(plane.normal) - plane.offset) <= out.thickness) out.on_plane[i] = 1;
    }
    left -= out.on_plane[i];
  }
  if (static_cast<double>(left) >= kLeast * static_cast<double>(points.size())) return out;
  out.planes.clear();
  out.on_plane.assign(points.size(), 0);
  return out;
}

}  // namespace tryon
