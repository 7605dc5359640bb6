#include "server/shape/chains.h"

#include <algorithm>
#include <numeric>

namespace tryon {
namespace {

using Vec3 = Eigen::Vector3d;

struct OpenEnd {
  int solid;
  bool top;
  Vec3 center, along_u, along_v;  // semi-axes as vectors
};

std::vector<OpenEnd> open_ends(const std::vector<Solid>& solids) {
  std::vector<OpenEnd> out;
  for (size_t i = 0; i < solids.size(); ++i) {
    const auto* f = std::get_if<Frustum>(&solids[i]);
    if (f == nullptr) continue;
    const auto add = [&](bool top, const Vec3& center, const Eigen::Vector2d& radii) {
      out.push_back({static_cast<int>(i), top, center, f->u * clamped_size(radii.x()), f->v * clamped_size(radii.y())});
    };
    if (f->open_bottom) add(false, f->bottom, f->bottom_radii);
    if (f->open_top) add(true, f->top, f->top_radii);
  }
  return out;
}

// One ellipse in space has one projection matrix, whichever axes name it.
bool same_ellipse(const OpenEnd& a, const OpenEnd& b) {
  constexpr double kSame = 1e-6;  // m
  if ((a.center - b.center).norm() > kSame) return false;
  const Eigen::Matrix3d first = a.along_u * a.along_u.transpose() + a.along_v * a.along_v.transpose();
  const Eigen::Matrix3d second = b.along_u * b.along_u.transpose() + b.along_v * b.along_v.transpose();
  return (first - second).norm() <= kSame * std::max(std::sqrt(first.trace()), kSame);
}

int root(std::vector<int>* parent, int i) {
  while ((*parent)[i] != i) i = (*parent)[i] = (*parent)[(*parent)[i]];
  return i;
}

}  // namespace

Chains find_chains(const std::vector<Solid>& solids) {
  Chains out;
  const int count = static_cast<int>(solids.size());
  std::vector<int> parent(count);
  std::iota(parent.begin(), parent.end(), 0);
  for (const Solid& solid : solids) {
    const auto* f = std::get_if<Frustum>(&solid);
    Ends ends;
    if (f != nullptr && f->open_bottom) ends.bottom = End::kBuried;
    if (f != nullptr && f->open_top) ends.top = End::kBuried;
    out.ends.push_back(ends);
  }
  const std::vector<OpenEnd> open = open_ends(solids);
  for (size_t i = 0; i < open.size(); ++i) {
    for (size_t j = i + 1; j < open.size(); ++j) {
      if (open[i].solid == open[j].solid || !same_ellipse(open[i], open[j])) continue;
      for (const OpenEnd& end : {open[i], open[j]}) {
        (end.top ? out.ends[end.solid].top : out.ends[end.solid].bottom) = End::kJoined;
      }
      const int a = root(&parent, open[i].solid), b = root(&parent, open[j].solid);
      parent[std::max(a, b)] = std::min(a, b);
    }
  }
  out.of.resize(count);
  for (int i = 0; i < count; ++i) {
    const int head = root(&parent, i);
    if (head == i) out.of[i] = static_cast<int>(out.members.size()), out.members.emplace_back();
    out.of[i] = out.of[head];
    out.members[out.of[i]].push_back(i);
  }
  return out;
}

SurfacePoint member_distance(const Solid& solid, Ends ends, const Vec3& point) {
  if (const auto* frustum = std::get_if<Frustum>(&solid)) return distance_between(*frustum, ends, point);
  return distance(*std::get_if<Sphere>(&solid), point);
}

}  // namespace tryon
