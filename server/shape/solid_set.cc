#include <algorithm>
#include <array>
#include <cmath>

#include "server/shape/rounding.h"
#include "server/shape/solid_batch.h"

namespace tryon {
namespace {

using Vec3 = Eigen::Vector3d;

constexpr double kRoundOff = 1e-9;  // m: what the distance to a box may be wrong against that to its solid

bool within(const Eigen::AlignedBox3d& box, const Vec3& p, double reach) {
  const double far = std::max(reach, 0.0) + kRoundOff;
  return box.squaredExteriorDistance(p) <= far * far;
}

bool is_nearer(const SolidSet::Hit& a, const SolidSet::Hit& b) {  // ties: the lower index
  if (b.solid < 0) return true;
  return a.surface.distance < b.surface.distance || (a.surface.distance == b.surface.distance && a.solid < b.solid);
}

}  // namespace

SolidSet::SolidSet(std::vector<Solid> solids) : solids_(std::move(solids)) {
  for (size_t i = 0; i < solids_.size(); ++i) {
    boxes_.push_back(bounds(solids_[i]));
    order_.push_back(static_cast<int>(i));
  }
  if (!solids_.empty()) build(0, static_cast<int>(solids_.size()));
  batch_ = std::make_shared<const SolidBatch>(solids_, boxes_, order_);
}

// Splits at the median of the box centres along the widest direction; leaves hold up to two solids.
void SolidSet::build(int begin, int end) {
  const size_t self = nodes_.size();
  nodes_.emplace_back();
  Eigen::AlignedBox3d centers;
  for (int i = begin; i < end; ++i) {
    nodes_[self].box.extend(boxes_[order_[i]]);
    centers.extend(boxes_[order_[i]].center());
  }
  if (end - begin <= 2) {
    nodes_[self].begin = begin, nodes_[self].end = end;
    return;
  }
  int axis = 0;
  centers.sizes().maxCoeff(&axis);
  std::sort(order_.begin() + begin, order_.begin() + end, [&](int a, int b) {
    const double ca = boxes_[a].center()[axis], cb = boxes_[b].center()[axis];
    return ca != cb ? ca < cb : a < b;
  });
  const int middle = (begin + end) / 2;
  build(begin, middle);
  nodes_[self].right = static_cast<int>(nodes_.size());
  build(middle, end);
}

// visit(solid) may shorten *reach.
template <typename Visit>
void SolidSet::visit_within(const Vec3& point, const double* reach, Visit visit) const {
  std::array<int, 64> stack;
  int depth = 0;
  if (!nodes_.empty() && is_somewhere(point)) stack[depth++] = 0;
  while (depth > 0) {
    const int index = stack[--depth];
    const Node& node = nodes_[index];
    if (!within(node.box, point, *reach)) continue;
    if (node.begin == node.end) {
      const int first = index + 1, second = node.right;
      const bool second_nearer =
          nodes_[second].box.squaredExteriorDistance(point) < nodes_[first].box.squaredExteriorDistance(point);
      stack[depth++] = second_nearer ? first : second;
      stack[depth++] = second_nearer ? second : first;
      continue;
    }
    for (int i = node.begin; i < node.end; ++i) {
      if (within(boxes_[order_[i]], point, *reach)) visit(order_[i]);
    }
  }
}

SolidSet::Hit SolidSet::deepest(const Vec3& point, double max_distance) const {
  Hit best;
  double reach = max_distance;
  visit_within(point, &reach, [&](int solid) {
    const Hit hit{solid, distance(solids_[solid], point)};
    if (hit.surface.distance > max_distance || !is_nearer(hit, best)) return;
    best = hit, reach = hit.surface.distance;
  });
  return best;
}

// How deep the point lies in the chain of `holder`, a member that holds it.
SolidSet::Hit SolidSet::chain_depth(const Vec3& point, const Hit& holder) const {
  const Chains& chains = batch_->chains();
  Hit nearest = holder;
  for (const int member : chains.members[chains.of[holder.solid]]) {
    if (member == holder.solid || !within(boxes_[member], point, -nearest.surface.distance)) continue;
    nearest = nearer_member(nearest, {member, member_distance(solids_[member], chains.ends[member], point)});
  }
  return nearest;
}

SolidSet::Hit SolidSet::nearest(const Vec3& point, double max_distance) const {
  const Chains& chains = batch_->chains();
  Hit outside, inside;
  double reach = max_distance;
  visit_within(point, &reach, [&](int solid) {
    const Hit hit{solid, member_distance(solids_[solid], chains.ends[solid], point)};
    if (hit.surface.distance < 0.0) {
      const Hit depth = chain_depth(point, hit);
      if (is_nearer(depth, inside)) inside = depth;
      reach = 0.0;
    } else if (hit.surface.distance <= max_distance && is_nearer(hit, outside)) {
      outside = hit, reach = std::min(reach, hit.surface.distance);
    }
  });
  if (inside.solid < 0) return outside;
  return inside.surface.distance <= max_distance ? inside : Hit{};
}

SurfacePoint SolidSet::rounded(const Vec3& point, double max_distance, double width) const {
  const Hit first = deepest(point, max_distance + rounding_reach(width, solids_.size()));
  if (first.solid < 0) return {max_distance, Vec3::UnitY()};
  RoundedSum sum(first.surface, width);
  const double reach = sum.limit();
  visit_within(point, &reach, [&](int solid) { sum.add(distance(solids_[solid], point)); });
  return sum.within(max_distance);
}

SurfaceAnswer SolidSet::surface(const Vec3& point, double max_distance) const {
  const Hit hit = nearest(point, max_distance);
  if (hit.solid < 0) return {-1, max_distance, Vec3::UnitY()};
  return {hit.solid, hit.surface.distance, hit.surface.normal};
}

void SolidSet::nearest(std::span<const Vec3> points, double max_distance, std::span<Hit> hits) const {
  batch_->nearest(points, max_distance, hits);
}

void SolidSet::rounded(std::span<const Vec3> points, double max_distance, double width,
                       std::span<SurfacePoint> surfaces) const {
  batch_->rounded(points, max_distance, width, surfaces);
}

void SolidSet::surface(std::span<const Vec3> points, double max_distance, std::span<SurfaceAnswer> answers) const {
  std::array<Hit, 256> hits;
  for (size_t first = 0; first < points.size(); first += hits.size()) {
    const size_t count = std::min(hits.size(), points.size() - first);
    batch_->nearest(points.subspan(first, count), max_distance, std::span(hits).first(count));
    for (size_t i = 0; i < count; ++i) {
      const Hit& hit = hits[i];
      answers[first + i] = hit.solid < 0 ? SurfaceAnswer{-1, max_distance, Vec3::UnitY()}
                                         : SurfaceAnswer{hit.solid, hit.surface.distance, hit.surface.normal};
    }
  }
}

}  // namespace tryon
