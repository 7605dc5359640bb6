#include "server/garment/arrange_roles.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <variant>

#include "Eigen/Eigenvalues"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/garment/fold_section.h"
#include "server/garment/piece_layout.h"
#include "server/garment/pleats.h"
#include "server/garment/ring_sector.h"
#include "server/garment/separate.h"

namespace tryon {
namespace {

using std::numbers::pi;
constexpr double kClearance = 0.015;                      // m between a panel and the body
constexpr double kLeastDistance = 0.06, kFar = 0.62;      // m from the axis
constexpr double kNearEnough = 0.30;                      // m: a wrap that needs more is opened out
constexpr double kWrap = 0.8 * pi;                        // the most of the way round that a front or a back takes
constexpr double kSleeveStep = 0.01, kSleeveMost = 0.26;  // m that a sleeve may start below the shoulder
constexpr double kCourseStep = 0.04;                      // m
constexpr double kSlideCost = 0.15;                       // of a metre along the arm, in metres away from it
constexpr double kLeastTilt = pi / 12, kMostTilt = pi / 4, kTiltStep = pi / 36;  // of an opened circle skirt
constexpr double kFloorRoom = 0.02;                                              // m
constexpr double kHandRoom = 0.03, kLeastRoom = 0.21;  // m between cloth and hands; less room: no use in folding

// An axis with the direction that angle 0 faces.
struct Axis {
  Vec3 origin, up, front;
  // Of an arm that bends: the height of a place on the axis over its origin, and how far beside it the arm's middle is.
  std::vector<std::pair<double, Vec3>> course;  // upwards

  Vec3 beside(double height) const {
    if (course.empty()) return Vec3::Zero();
    size_t above = 0;
    while (above < course.size() && course[above].first < height) ++above;
    if (above == 0) return course.front().second;
    if (above == course.size()) return course.back().second;
    const auto& [low, at_low] = course[above - 1];
    const auto& [high, at_high] = course[above];
    return at_low + (height - low) / (high - low) * (at_high - at_low);
  }
  Vec3 side() const { return up.cross(front); }
  Vec3 facing(double angle) const { return std::cos(angle) * front + std::sin(angle) * side(); }
  Vec3 right_of(double angle) const { return std::cos(angle) * side() - std::sin(angle) * front; }
};

Axis slid(Axis axis, double along) {
  axis.origin -= along * axis.up;
  for (auto& [height, beside] : axis.course) height += along;
  return axis;
}

// Where the middle of `points` runs beside the axis, every few centimetres; solids side by side are averaged.
std::vector<std::pair<double, Vec3>> course_beside(const Axis& axis, const std::vector<Vec3>& points, double length) {
  std::vector<std::pair<double, Vec3>> course;
  if (points.size() < 6) return course;
  for (double height = -length; height <= 1e-9; height += kCourseStep) {
    double weight = 0.0;
    Vec3 sum = Vec3::Zero();
    for (const Vec3& p : points) {
      const Vec3 from = p - axis.origin;
      const double away = (from.dot(axis.up) - height) / kCourseStep, share = std::exp(-away * away);
      weight += share;
      sum += share * (from - from.dot(axis.up) * axis.up);
    }
    if (weight > 1e-3) course.emplace_back(height, sum / weight);
  }
  return course;
}

struct Wrap {
  double distance = 0.0, bend = 0.0;  // m; bend 0: flat
  double fold = 1.0;                  // length over width
};

// The room beside the middle plane that arms and hands leave between two heights; far where there are none.
double room_between(const std::vector<Solid>& arms, double low, double high) {
  double room = 10.0;
  const auto note = [&](const Vec3& centre, double radius) {
    if (centre.y() + radius < low || centre.y() - radius > high) return;
    room = std::min(room, std::abs(centre.x()) - radius);
  };
  for (const Solid& solid : arms) {
    if (const auto* ball = std::get_if<Sphere>(&solid)) note(ball->center, ball->radius);
    const auto* bone = std::get_if<Frustum>(&solid);
    for (int k = 0; bone != nullptr && k <= 4; ++k) {
      const double share = k / 4.0;
      note(bone->bottom + share * (bone->top - bone->bottom),
           (bone->bottom_radii + share * (bone->top_radii - bone->bottom_radii)).maxCoeff());
    }
  }
  return room;
}

class RolePlacer {
 public:
  RolePlacer(const ArrangeTarget& body, const GarmentLayout& layout, const Pattern& pattern, GarmentMesh* garment)
      : body_(body), layout_(layout), garment_(*garment), vertices_(panel_vertices(*garment)) {
    for (const Panel& panel : pattern.panels) laid_.emplace_back(panel);
    find_sectors(pattern);
  }
  absl::Status run(const RunContext& context);

 private:
  struct Sector {
    int panel = 0;
    RingSector shape;
  };
  Axis trunk() const;
  Axis arm(bool left, double length) const;
  void put(int p, const Axis& axis, const Wrap& wrap);
  void put(int p, const Axis& axis, double distance, const FoldSection& section);
  double half_width(int p) const;
  double fold_needed(int p, const Axis& axis) const;
  double gap(int p) const { return panel_gap(*body_.solids, garment_, vertices_[p], Vec3::Zero(), 0.1); }
  bool is_clear(int p) const;
  double approach(int p, const Axis& axis, double bend, double fold);
  double least_distance(int p, const Axis& axis, double bend, bool ring);
  Wrap best_wrap(int p, const Axis& axis, double enough);
  void place_arm(bool left);
  void find_sectors(const Pattern& pattern);
  void put_open(const Sector& sector, const Axis& axis, double tilt, double distance);
  bool clears_open(const Sector& sector, const Axis& axis, double tilt);
  bool open_sectors(const Axis& axis);

  const ArrangeTarget& body_;
  const GarmentLayout& layout_;
  GarmentMesh& garment_;
  std::vector<std::vector<int>> vertices_;
  std::vector<LaidPanel> laid_;
  std::vector<Sector> sectors_;  // that make a circle skirt
};

Axis RolePlacer::trunk() const {
  double y = body_.waist_height_m;
  if (layout_.has_shoulders) {
    y = body_.shoulder_height_m + 0.015;
  } else if (layout_.upper) {
    y = body_.shoulder_height_m - 0.085 * body_.height_m;  // the chest, under the arms
  }
  const double z = 0.5 * (body_.left_shoulder.z() + body_.right_shoulder.z());
  return {Vec3(0.0, y - layout_.anchor_t, z), Vec3::UnitY(), Vec3::UnitZ(), {}};
}

// The straight line nearest to the arm's middle from the shoulder to `length` below it.
Axis RolePlacer::arm(bool left, double length) const {
  const Vec3 shoulder = left ? body_.left_shoulder : body_.right_shoulder;
  const Vec3 wrist = left ? body_.left_wrist : body_.right_wrist;
  Axis axis;
  axis.up = (shoulder - wrist).normalized();
  Vec3 middle = shoulder, sum = Vec3::Zero();
  std::vector<Vec3> covered;
  for (const Vec3& p : left ? body_.left_arm : body_.right_arm) {
    const double below = (shoulder - p).dot(axis.up);
    if (below >= 0.03 && below <= std::max(length, 0.15)) covered.push_back(p), sum += p;
  }
  if (covered.size() >= 3) {
    middle = sum / static_cast<double>(covered.size());
    Eigen::Matrix3d spread = Eigen::Matrix3d::Zero();
    for (const Vec3& p : covered) spread += (p - middle) * (p - middle).transpose();
    const Vec3 main = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(spread).eigenvectors().col(2);
    axis.up = main.dot(axis.up) < 0.0 ? Vec3(-main) : main;
  }
  axis.origin = middle + (shoulder - middle).dot(axis.up) * axis.up;
  axis.front = (Vec3::UnitZ() - axis.up.z() * axis.up).normalized();
  axis.course = course_beside(axis, left ? body_.left_arm : body_.right_arm, (shoulder - wrist).norm());
  return axis;
}

double RolePlacer::half_width(int p) const {
  const PieceLayout& l = layout_.pieces[static_cast<size_t>(p)];
  return std::max(std::abs(l.low.x() + l.offset.x()), std::abs(l.high.x() + l.offset.x()));
}

void RolePlacer::put(int p, const Axis& axis, double distance, const FoldSection& section) {
  const PieceLayout& l = layout_.pieces[static_cast<size_t>(p)];
  const Vec3 out = axis.facing(l.facing), right = axis.right_of(l.facing);
  const LaidPanel& laid = laid_[static_cast<size_t>(p)];
  for (const int v : vertices_[p]) {
    const Vec2 at = l.to_surface(laid.at(garment_.flat[v]));
    Vec2 place = section.at(at.x());
    if (laid.has_pleats()) {  // layers lie on each other across the section
      const Vec2 along = (section.at(at.x() + 1e-3) - section.at(at.x() - 1e-3)).normalized();
      place += laid.height(garment_.flat[v]) * Vec2(-along.y(), along.x());
    }
    garment_.placed[v] =
        axis.origin + axis.beside(at.y()) + at.y() * axis.up + (distance + place.y()) * out + place.x() * right;
  }
}

void RolePlacer::put(int p, const Axis& axis, const Wrap& wrap) {
  put(p, axis, wrap.distance, FoldSection(wrap.bend, wrap.fold, half_width(p)));
}

bool RolePlacer::is_clear(int p) const {
  return std::all_of(vertices_[p].begin(), vertices_[p].end(), [&](int v) {
    const SolidSet::Hit hit = body_.solids->nearest(garment_.placed[v], kClearance);
    return hit.solid < 0 || hit.surface.distance >= kClearance;
  });
}

// A ring, or a piece on an arm: the smallest distance from the axis at which it clears the body; a ring grows.
double RolePlacer::least_distance(int p, const Axis& axis, double bend, bool ring) {
  double distance = ring ? bend : kLeastDistance;
  for (; distance < kFar; distance += 0.005) {
    put(p, axis, {distance, ring ? distance : bend});
    if (is_clear(p)) break;
  }
  return distance;
}

// What hangs from the waist and has no room between the hands is folded into it; wrapped, it is 2 / kWrap as wide.
double RolePlacer::fold_needed(int p, const Axis& axis) const {
  const PieceLayout& l = layout_.pieces[static_cast<size_t>(p)];
  const PieceKind kind = l.role.kind;
  if (layout_.upper && kind != PieceKind::kSkirt && kind != PieceKind::kLeg) return 1.0;
  const double bottom = axis.origin.y() + l.low.y() + l.offset.y(), top = axis.origin.y() + l.high.y() + l.offset.y();
  const double room = room_between(body_.arms, bottom, std::min(top, body_.waist_height_m)) - kHandRoom;
  if (room < kLeastRoom) return 1.0;
  return std::clamp(half_width(p) * 2.0 / kWrap / room, 1.0, kMostFold);
}

// A front or a back comes from afar until it is as near as it may be: it never ends between the legs.
double RolePlacer::approach(int p, const Axis& axis, double bend, double fold) {
  const FoldSection section(bend, fold, half_width(p));
  // Its edges stay on its own side of the axis, so that a front and a back never meet.
  const double nearest = std::max(kLeastDistance, section.depth() - section.front() + 0.01);
  double distance = std::max(kFar, nearest);
  for (;;) {
    put(p, axis, distance, section);
    const double free = gap(p) - kClearance;
    if (free < 0.0) return distance + 0.01;
    if (distance <= nearest) return distance;
    distance = std::max(nearest, distance - std::max(free, 0.01));
  }
}

// Wrapped if it then lies near, more and more open if not.
Wrap RolePlacer::best_wrap(int p, const Axis& axis, double enough) {
  const PieceLayout& l = layout_.pieces[static_cast<size_t>(p)];
  if (l.closes_itself || l.ring_radius > 0.0) {
    const double round = (l.high.x() - l.low.x()) / (1.9 * pi);
    const double distance =
        least_distance(p, axis, l.closes_itself ? std::max(0.5 * kLeastDistance, round) : l.ring_radius, true);
    return {distance, distance};
  }
  const bool trunk = l.tube == PieceTube::kTrunk;
  const double fold = trunk ? fold_needed(p, axis) : 1.0;
  const auto distance_of = [&](double bend) {
    return trunk ? approach(p, axis, bend, fold) : least_distance(p, axis, bend, false);
  };
  if (l.role.kind != PieceKind::kHood) {
    const double tight = std::max(2.0 * half_width(p) / (fold * kWrap), 0.05);
    for (const double open : {1.0, 1.5, 2.5}) {
      const double distance = distance_of(open * tight);
      if (fold > 1.0 || (distance <= enough && distance < kFar)) return {distance, open * tight, fold};
    }
  }
  return {distance_of(0.0), 0.0};
}

// A sleeve starts where it is nearest to the arm, the higher the better.
void RolePlacer::place_arm(bool left) {
  std::vector<int> mine;
  double length = 0.0;
  for (int p = 0; p < static_cast<int>(layout_.pieces.size()); ++p) {
    const PieceLayout& l = layout_.pieces[static_cast<size_t>(p)];
    if (l.tube != (left ? PieceTube::kLeftArm : PieceTube::kRightArm)) continue;
    mine.push_back(p);
    length = std::max(length, -(l.low.y() + l.offset.y()));
  }
  double least = 1e30, best = 0.0;
  for (double along = 0.0; along <= kSleeveMost && !mine.empty(); along += kSleeveStep) {
    const Axis axis = slid(arm(left, length + along), along);
    double cost = kSlideCost * along;
    for (const int p : mine) cost += best_wrap(p, axis, kFar).distance;
    if (cost < least - 1e-9) least = cost, best = along;
  }
  const Axis axis = slid(arm(left, length + best), best);
  for (const int p : mine) put(p, axis, best_wrap(p, axis, kFar));
}

// A front and a back of half a circle each.
void RolePlacer::find_sectors(const Pattern& pattern) {
  double whole = 0.0;
  for (int p = 0; p < static_cast<int>(pattern.panels.size()); ++p) {
    const PieceLayout& l = layout_.pieces[static_cast<size_t>(p)];
    const auto sector = ring_sector(pattern.panels[static_cast<size_t>(p)]);
    if (l.tube != PieceTube::kTrunk || !sector || laid_[static_cast<size_t>(p)].has_pleats()) continue;
    const double middle = 0.5 * (l.low.y() + l.high.y()) + l.offset.y();  // it hangs from the inner arc
    if (middle < l.to_surface(sector->centre).y()) sectors_.push_back({p, *sector}), whole += sector->angle;
  }
  const bool opposite =
      sectors_.size() == 2 && std::cos(layout_.pieces[static_cast<size_t>(sectors_[0].panel)].facing -
                                       layout_.pieces[static_cast<size_t>(sectors_[1].panel)].facing) < -0.99;
  if (!opposite || std::abs(whole - 2.0 * pi) > 0.2 * pi) sectors_.clear();
}

void RolePlacer::put_open(const Sector& sector, const Axis& axis, double tilt, double distance) {
  const PieceLayout& l = layout_.pieces[static_cast<size_t>(sector.panel)];
  const Vec2 centre = l.to_surface(sector.shape.centre);
  const double inner = sector.shape.inner;
  for (const int v : vertices_[sector.panel]) {
    const Vec2 from = l.to_surface(garment_.flat[v]) - centre;
    const double radius = from.norm(), height = centre.y() - inner - (radius - inner) * std::sin(tilt);
    garment_.placed[v] = axis.origin + height * axis.up + distance * axis.facing(l.facing) +
                         radius * std::cos(tilt) * axis.facing(l.facing + std::atan2(from.x(), -from.y()));
  }
}

bool RolePlacer::clears_open(const Sector& sector, const Axis& axis, double tilt) {
  for (double distance = 0.0; distance <= kNearEnough; distance += 0.01) {
    put_open(sector, axis, tilt, distance);
    for (const int v : vertices_[sector.panel]) {
      if (garment_.placed[v].y() < kFloorRoom) return false;
    }
    if (is_clear(sector.panel)) return true;
  }
  return false;
}

// A circle skirt starts like an umbrella, below the hands and as flat as they let it: it closes without a fold and
// falls into its own. It is a tenth narrower round than it is cut, no more than sewing undoes.
bool RolePlacer::open_sectors(const Axis& axis) {
  for (double tilt = kLeastTilt; tilt <= kMostTilt + 1e-9 && !sectors_.empty(); tilt += kTiltStep) {
    bool clear = true;
    for (const Sector& sector : sectors_) clear = clear && clears_open(sector, axis, tilt);
    if (clear) return true;
  }
  return false;
}

absl::Status RolePlacer::run(const RunContext& context) {
  const Axis axis = trunk();
  if (!open_sectors(axis)) sectors_.clear();
  for (int p = 0; p < static_cast<int>(layout_.pieces.size()); ++p) {
    RETURN_IF_ERROR(context.check());
    const bool open =
        std::any_of(sectors_.begin(), sectors_.end(), [p](const Sector& sector) { return sector.panel == p; });
    if (layout_.pieces[static_cast<size_t>(p)].tube != PieceTube::kTrunk || open) continue;
    put(p, axis, best_wrap(p, axis, kNearEnough));
  }
  place_arm(true);
  place_arm(false);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<bool>> place_by_roles(const RunContext& run, const ArrangeTarget& body,
                                                 const Pattern& pattern, GarmentMesh* garment) {
  ASSIGN_OR_RETURN(const GarmentLayout layout, lay_out(with_pleats_laid(pattern)));
  RETURN_IF_ERROR(RolePlacer(body, layout, pattern, garment).run(run));
  std::vector<bool> on_arm;
  for (const PieceLayout& piece : layout.pieces) on_arm.push_back(piece.tube != PieceTube::kTrunk);
  return on_arm;
}

}  // namespace tryon
