#include "server/garment/arrange_roles.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/garment/piece_layout.h"
#include "server/garment/separate.h"

namespace tryon {
namespace {

using std::numbers::pi;
constexpr double kClearance = 0.015;                  // m between a panel and the body
constexpr double kLeastDistance = 0.06, kFar = 0.62;  // m from the axis
constexpr double kNearEnough = 0.30;                  // m: a wrap that needs more is opened out
constexpr double kWrap = 0.8 * pi;                    // the most of the way round that a front or a back takes
constexpr double kArmReach = 0.22, kSleeveStep = 0.02, kSleeveMost = 0.26;  // m

// An axis with the direction that angle 0 faces.
struct Axis {
  Vec3 origin, up, front;
  Vec3 side() const { return up.cross(front); }
  Vec3 facing(double angle) const { return std::cos(angle) * front + std::sin(angle) * side(); }
  Vec3 right_of(double angle) const { return std::cos(angle) * side() - std::sin(angle) * front; }
};

struct Wrap {
  double distance = 0.0, bend = 0.0;  // m; bend 0: flat
};

class RolePlacer {
 public:
  RolePlacer(const ArrangeTarget& body, const GarmentLayout& layout, GarmentMesh* garment)
      : body_(body), layout_(layout), garment_(*garment), vertices_(panel_vertices(*garment)) {}
  absl::Status run(const RunContext& context);

 private:
  Axis trunk() const;
  Axis arm(bool left) const;
  void put(int p, const Axis& axis, const Wrap& wrap);
  double gap(int p) const { return panel_gap(*body_.solids, garment_, vertices_[p], Vec3::Zero(), 0.1); }
  double approach(int p, const Axis& axis, double bend);
  double least_distance(int p, const Axis& axis, double bend, bool ring);
  Wrap best_wrap(int p, const Axis& axis, double enough);
  void place_arm(bool left);

  const ArrangeTarget& body_;
  const GarmentLayout& layout_;
  GarmentMesh& garment_;
  std::vector<std::vector<int>> vertices_;
};

Axis RolePlacer::trunk() const {
  double y = body_.waist_height_m;
  if (layout_.has_shoulders) {
    y = body_.shoulder_height_m + 0.015;
  } else if (layout_.upper) {
    y = body_.shoulder_height_m - 0.085 * body_.height_m;  // the chest, under the arms
  }
  const double z = 0.5 * (body_.left_shoulder.z() + body_.right_shoulder.z());
  return {Vec3(0.0, y - layout_.anchor_t, z), Vec3::UnitY(), Vec3::UnitZ()};
}

Axis RolePlacer::arm(bool left) const {
  const Vec3 shoulder = left ? body_.left_shoulder : body_.right_shoulder;
  const Vec3 wrist = left ? body_.left_wrist : body_.right_wrist;
  Axis axis;
  axis.origin = shoulder;
  axis.up = (shoulder - wrist).normalized();
  axis.front = (Vec3::UnitZ() - axis.up.z() * axis.up).normalized();
  return axis;
}

void RolePlacer::put(int p, const Axis& axis, const Wrap& wrap) {
  const PieceLayout& l = layout_.pieces[static_cast<size_t>(p)];
  const Vec3 out = axis.facing(l.facing), right = axis.right_of(l.facing);
  for (const int v : vertices_[p]) {
    const Vec2 at = l.to_surface(garment_.flat[v]);
    double forth = wrap.distance, along = at.x();
    if (wrap.bend > 0.0) {
      forth += wrap.bend * (std::cos(at.x() / wrap.bend) - 1.0);
      along = wrap.bend * std::sin(at.x() / wrap.bend);
    }
    garment_.placed[v] = axis.origin + at.y() * axis.up + forth * out + along * right;
  }
}

// A ring, or a piece on an arm: the smallest distance from the axis at which it clears the body; a ring grows.
double RolePlacer::least_distance(int p, const Axis& axis, double bend, bool ring) {
  double distance = ring ? bend : kLeastDistance;
  for (; distance < kFar; distance += 0.01) {
    put(p, axis, {distance, ring ? distance : bend});
    if (gap(p) >= kClearance) break;
  }
  return distance;
}

// A front or a back comes from afar until it is as near as it may be: it never ends between the legs.
double RolePlacer::approach(int p, const Axis& axis, double bend) {
  const PieceLayout& l = layout_.pieces[static_cast<size_t>(p)];
  const double half = std::max(std::abs(l.low.x() + l.offset.x()), std::abs(l.high.x() + l.offset.x()));
  // Its edges stay on its own side of the axis, so that a front and a back never meet.
  const double depth = bend > 0.0 ? bend * (1.0 - std::cos(half / bend)) : 0.0;
  const double nearest = std::max(kLeastDistance, depth + 0.01);
  double distance = std::max(kFar, nearest);
  for (;;) {
    put(p, axis, {distance, bend});
    const double free = gap(p) - kClearance;
    if (free < 0.0) return distance + 0.01;
    if (distance <= nearest) return distance;
    distance = std::max(nearest, distance - std::max(free, 0.01));
  }
}

// Wrapped if it then lies near, more and more open if not.
Wrap RolePlacer::best_wrap(int p, const Axis& axis, double enough) {
  const PieceLayout& l = layout_.pieces[static_cast<size_t>(p)];
  const double width = l.high.x() - l.low.x();
  const auto distance_of = [&](double bend) {
    return l.tube == PieceTube::kTrunk ? approach(p, axis, bend) : least_distance(p, axis, bend, false);
  };
  if (l.closes_itself) {
    const double radius = std::max(kLeastDistance, width / (1.9 * pi));
    const double distance = least_distance(p, axis, radius, true);
    return {distance, distance};
  }
  if (l.ring_radius > 0.0) {
    const double distance = least_distance(p, axis, l.ring_radius, true);
    return {distance, distance};
  }
  if (l.role.kind != PieceKind::kHood) {
    const double half = std::max(std::abs(l.low.x() + l.offset.x()), std::abs(l.high.x() + l.offset.x()));
    const double tight = std::max(2.0 * half / kWrap, 0.05);
    for (const double open : {1.0, 1.5, 2.5}) {
      const double distance = distance_of(open * tight);
      if (distance <= enough && distance < kFar) return {distance, open * tight};
    }
  }
  return {distance_of(0.0), 0.0};
}

// A sleeve starts as near to the shoulder as it can without touching trunk or arm.
void RolePlacer::place_arm(bool left) {
  std::vector<int> mine;
  for (int p = 0; p < static_cast<int>(layout_.pieces.size()); ++p) {
    if (layout_.pieces[static_cast<size_t>(p)].tube == (left ? PieceTube::kLeftArm : PieceTube::kRightArm)) {
      mine.push_back(p);
    }
  }
  Axis axis = arm(left);
  const Vec3 shoulder = axis.origin;
  for (double along = 0.0; along <= kSleeveMost && !mine.empty(); along += kSleeveStep) {
    axis.origin = shoulder - along * axis.up;
    bool near = true;
    for (const int p : mine) {
      const Wrap wrap = best_wrap(p, axis, kArmReach);
      put(p, axis, wrap);
      near &= wrap.distance <= kArmReach;
    }
    if (near) return;
  }
}

absl::Status RolePlacer::run(const RunContext& context) {
  const Axis axis = trunk();
  for (int p = 0; p < static_cast<int>(layout_.pieces.size()); ++p) {
    RETURN_IF_ERROR(context.check());
    if (layout_.pieces[static_cast<size_t>(p)].tube != PieceTube::kTrunk) continue;
    put(p, axis, best_wrap(p, axis, kNearEnough));
  }
  place_arm(true);
  place_arm(false);
  return absl::OkStatus();
}

}  // namespace

absl::Status place_by_roles(const RunContext& run, const ArrangeTarget& body, const Pattern& pattern,
                            GarmentMesh* garment) {
  ASSIGN_OR_RETURN(const GarmentLayout layout, lay_out(pattern));
  return RolePlacer(body, layout, garment).run(run);
}

}  // namespace tryon
