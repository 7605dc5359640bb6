#include "server/drape/layer_places.h"

#include <algorithm>

#include "server/drape/worn_model.h"
#include "server/mesh/within_reach.h"
#include "server/metrics/metrics.h"
#include "server/sim/collision/cloth_elements.h"
#include "server/sim/collision/element_distance.h"

namespace tryon {
namespace {

constexpr double kAround = 0.08;    // m round what crosses or lies on another layer: what slides meets beside it too
constexpr double kMostShare = 0.5;  // of the cloth
constexpr auto kLayerNear = static_cast<sim::Real>(2 * kLayerGap);

}  // namespace

std::vector<uint8_t> beside_layers(const sim::DrapeModel& model, const std::vector<sim::RVec3>& x) {
  std::vector<uint8_t> out(x.size(), 0);
  sim::ClothElements elements(model);
  elements.find(x, kLayerNear);
  for (const auto& [vertex, triangle] : elements.vertex_triangles()) {
    const Triangle& t = elements.triangles()[static_cast<size_t>(triangle)];
    const auto w = sim::nearest_on_triangle(x[vertex], x[t[0]], x[t[1]], x[t[2]]);
    const sim::RVec3 apart = x[vertex] - w[0] * x[t[0]] - w[1] * x[t[1]] - w[2] * x[t[2]];
    if (apart.norm() < kLayerNear) out[vertex] = out[t[0]] = out[t[1]] = out[t[2]] = 1;
  }
  return out;
}

std::vector<Vec3> middles_of(const TriangleMesh& cloth, const std::vector<Triangle>& triangles) {
  const auto& at = cloth.positions;
  std::vector<Vec3> out;
  for (const Triangle& t : triangles) out.emplace_back((at[t[0]] + at[t[1]] + at[t[2]]) / 3);
  return out;
}

bool LayerPlaces::keeps(const Triangle& corner) const { return !nowhere() && sim::is_kept_apart(kept_, corner); }

bool LayerPlaces::take_in(const TriangleMesh& cloth, const RunContext& run) {
  if (everywhere_) return false;
  std::vector<Triangle> crossed;
  for (const auto& [first, second] : self_intersections(cloth, run)) {
    const Triangle &one = cloth.triangles[first], &other = cloth.triangles[second];
    if (!keeps(one) || !keeps(other)) crossed.insert(crossed.end(), {one, other});
  }
  if (crossed.empty()) return false;
  if (crossed.size() > cloth.positions.size()) {  // no use in asking what lies round so many
    become_everywhere();
    return true;
  }
  std::vector<uint8_t> more = within_reach(cloth.positions, middles_of(cloth, crossed), kAround);
  for (const Triangle& t : crossed) more[t[0]] = more[t[1]] = more[t[2]] = 1;
  keep(more);
  return true;
}

void LayerPlaces::take_in_layers(const sim::DrapeModel& model, const std::vector<sim::RVec3>& x) {
  if (everywhere_) return;
  const std::vector<uint8_t> beside = beside_layers(model, x);
  std::vector<sim::RVec3> there;
  for (size_t v = 0; v < x.size(); ++v)
    if (beside[v]) there.push_back(x[v]);
  if (!there.empty()) keep(within_reach(x, there, static_cast<sim::Real>(kAround)));
}

void LayerPlaces::keep(const std::vector<uint8_t>& more) {
  kept_.resize(more.size(), 0);
  for (size_t v = 0; v < more.size(); ++v) kept_[v] = kept_[v] || more[v];
  const auto count = static_cast<double>(std::count(kept_.begin(), kept_.end(), 1));
  if (count > kMostShare * static_cast<double>(kept_.size())) become_everywhere();
}

void LayerPlaces::go_down(const ClothLevels& levels, int level) {
  if (kept_.empty()) return;
  std::vector<Vec3> share;
  for (const uint8_t kept : kept_) share.emplace_back(kept, 0.0, 0.0);
  share = levels.finer(level, share);
  kept_.clear();
  for (const Vec3& here : share) kept_.push_back(here.x() >= 0.5);
}

void LayerPlaces::tell(sim::Scene* scene) const {
  scene->self_contact = nowhere() ? 0.0 : kLayerGap;
  scene->kept_apart = kept_;
}

}  // namespace tryon
