#include "server/drape/leave_body.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "server/drape/layer_places.h"
#include "server/drape/stage.h"
#include "server/sim/collision/collider.h"

namespace tryon {
namespace {

constexpr double kNoWay = 0.3, kClearDepth = 1e-3;
constexpr double kNearly = 0.99;  // of the room: who leaves along the normal of round skin is given so much by facets

// The way from a point along a direction to where `room` is free on all sides: metres; `farthest`, where it is not
// shorter.
double way_out(const sim::Collider& collider, const Vec3& point, const Vec3& direction, double room, double farthest) {
  double way = 0.0;
  while (way < farthest) {
    const double lacking = room - collider.query(point + way * direction, sim::kDeepestInside).distance;
    if (lacking <= 0.0) return way;
    way += std::max(lacking, 5e-4);  // nothing within this ball has room
  }
  return farthest;
}

// From where `here` is nearest. No way can be shorter than what is lacking: mostly the one along the normal is no
// longer.
Vec3 nearest_exit(const sim::Collider& collider, const Vec3& point, const sim::Contact& here, double room) {
  const Vec3 straight = point + (room - here.distance) * here.normal;
  if (collider.query(straight, sim::kDeepestInside).distance >= kNearly * room) return straight;
  double best = kNoWay;
  Vec3 exit = point;
  for (int k = 0; k < 27; ++k) {
    const Vec3 raw(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
    if (raw.isZero()) continue;
    const Vec3 direction = raw.normalized();
    const double way = way_out(collider, point, direction, room, best);
    if (way < best) best = way, exit = point + way * direction;
  }
  return exit;
}

// [point_count]
std::vector<sim::Contact> contacts_of(const RunContext& run, const sim::Collider& collider,
                                      const std::vector<Vec3>& points) {
  constexpr int64_t kGrain = 256;
  std::vector<sim::Contact> out(points.size());
  run.parallel_for(static_cast<int64_t>(points.size()), kGrain, [&](int64_t begin, int64_t end) {
    const auto first = static_cast<size_t>(begin), count = static_cast<size_t>(end - begin);
    collider.query(std::span(points).subspan(first, count), sim::kDeepestInside, std::span(out).subspan(first, count));
  });
  return out;
}

}  // namespace

int leave_body(const RunContext& run, const sim::DrapeModel& model, const sim::Scene& scene, sim::DrapeState* state) {
  const std::vector<Vec3> x = positions_of(*state);
  const std::vector<sim::Contact> nearest = contacts_of(run, *scene.collider, x);
  std::vector<size_t> leaving;
  for (size_t i = 0; i < nearest.size(); ++i)
    if (nearest[i].distance < -kClearDepth) leaving.push_back(i);
  if (!leaving.empty() && scene.self_contact > 0) {
    const std::vector<uint8_t> held = beside_layers(model, state->x);
    std::erase_if(leaving, [&held](size_t i) { return held[i] != 0; });
  }
  for_each(run, leaving.size(), [&](size_t k) {
    const size_t i = leaving[k];
    state->x[i] = nearest_exit(*scene.collider, x[i], nearest[i], scene.contact_offset).cast<sim::Real>();
  });
  return static_cast<int>(leaving.size());
}

}  // namespace tryon
