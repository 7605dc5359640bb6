#include "server/drape/leave_body.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "server/drape/layer_places.h"
#include "server/drape/stage.h"
#include "server/sim/collision/collider.h"

namespace tryon {
namespace {

constexpr double kNoWay = 0.3, kClearDepth = 1e-3;
constexpr double kLimb = 0.15;   // m from its bone, within which a limb is left away from it
constexpr double kDetour = 4.0;  // times the shortest way, that this may take
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

// Past a bone no triangle may go: away from it all its corners stay on the side on which they are.
std::optional<Vec3> exit_off_bones(const sim::Collider& collider, const std::vector<sim::Bone>& bones,
                                   const Vec3& point, const sim::Contact& here, double room) {
  double least = kLimb;
  Vec3 off = Vec3::Zero();
  for (const sim::Bone& bone : bones) {
    const Vec3 along = bone.to - bone.from, from = point - bone.from;
    const double share = std::clamp(from.dot(along) / std::max(along.squaredNorm(), 1e-12), 0.0, 1.0);
    const Vec3 away = from - share * along;
    if (away.norm() < least) least = away.norm(), off = away;
  }
  if (least == kLimb || least < kClearDepth) return std::nullopt;
  const double farthest = kDetour * (room - here.distance);
  const double way = way_out(collider, point, off / least, room, farthest);
  if (way == farthest) return std::nullopt;
  return Vec3(point + way * off / least);
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
    const auto beside_bones = exit_off_bones(*scene.collider, scene.bones, x[i], nearest[i], scene.contact_offset);
    const Vec3 exit =
        beside_bones ? *beside_bones : nearest_exit(*scene.collider, x[i], nearest[i], scene.contact_offset);
    state->x[i] = exit.cast<sim::Real>();
  });
  return static_cast<int>(leaving.size());
}

}  // namespace tryon
