#include "server/body/orient.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "Eigen/Eigenvalues"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/base/units.h"
#include "server/body/scan_levels.h"
#include "server/body/settle.h"

namespace tryon {
namespace {

struct Unit {
  const char* name;
  double metres;
};
constexpr Unit kUnits[] = {{"mm", 1e-3}, {"cm", 1e-2}, {"dm", 1e-1}, {"m", 1.0}};
constexpr double kMinHeight = 0.5, kMaxHeight = 2.3;     // m, a standing person
constexpr double kKeptAcross = 0.03, kKeptAhead = 0.12;  // m from the axis: nearer, the file's own place is kept
constexpr double kSnapDeg = 5.0;                         // a facing as near as this to an axis of the file is that axis
constexpr double kUprightDeg = 4.0;                      // a lean below this is a person's own
constexpr double kMostLeanDeg = 20.0;
constexpr double kFloorDeg = 30.0;  // a floor faces up this nearly, and is this near (share of the height) to the soles
constexpr double kFloorNear = 0.05;
constexpr double kMostFootprint = 0.06;  // of the height squared: both feet together cover 0.03
constexpr double kTouching = 0.03,
                 kTouchingShare = 0.04;  // who has this share of the skin this near a plane lies on it

double degrees_between(const Vec3& a, const Vec3& b) {
  return std::acos(std::clamp(a.normalized().dot(b.normalized()), -1.0, 1.0)) * 180.0 / kPi;
}

absl::Status not_human(std::string_view why) {
  return invalid_input(
      "BODY_NOT_HUMAN", "body", cat("this does not look like one standing person: ", why),
      "Send a scan of one standing person, head to feet, and declare the up axis if it lies on another.");
}

absl::Status lying(std::string_view why) {
  return invalid_input(
      "BODY_LYING_DOWN", "scan.up_axis", why,
      "Scan the person standing, or declare as up axis the axis of the file from the feet to the head.");
}

std::string axis_name(const Vec3& direction) {
  int k = 0;
  direction.cwiseAbs().maxCoeff(&k);
  return cat(direction[k] > 0 ? "+" : "-", "xyz"[k]);
}

absl::Status check_options(const ScanOptions& options) {
  if (options.metres_per_unit && !(*options.metres_per_unit >= 1e-4 && *options.metres_per_unit <= 10.0)) {
    return invalid_input("SETTING_OUT_OF_RANGE", "scan.metres_per_unit",
                         cat("one unit of the file cannot be ", *options.metres_per_unit, " m"),
                         "Declare 0.001 (mm), 0.01 (cm), 0.1 (dm), 0.0254 (inch) or 1 (m); 0.0001 to 10 is accepted.");
  }
  if (!options.facing) return absl::OkStatus();
  const std::string& f = *options.facing;
  if (f.size() == 2 && (f[0] == '+' || f[0] == '-') && f[1] >= 'x' && f[1] <= 'z') return absl::OkStatus();
  return invalid_input("SETTING_OUT_OF_RANGE", "scan.facing", cat("\"", f, "\" is no direction of the file"),
                       "Say +x, -x, +y, -y, +z or -z.");
}

absl::StatusOr<double> find_scale(double height, const ScanOptions& options, ScanSource* source) {
  source->declared_unit = options.metres_per_unit.has_value();
  for (const Unit& unit : kUnits) {
    if (options.metres_per_unit) {
      if (std::abs(*options.metres_per_unit / unit.metres - 1.0) < 1e-9) source->unit = unit.name;
    } else if (height * unit.metres >= kMinHeight && height * unit.metres <= kMaxHeight) {
      source->unit = unit.name;
      return unit.metres;
    }
  }
  if (!options.metres_per_unit) {
    return invalid_input("BODY_HEIGHT_OUT_OF_RANGE", "body",
                         cat("the figure is ", height, " units tall, which is no person in mm, cm, dm or m"),
                         "Declare the unit (metres_per_unit).");
  }
  if (source->unit.empty()) source->unit = "custom";
  const double metres = height * *options.metres_per_unit;
  if (metres >= kMinHeight && metres <= kMaxHeight) return *options.metres_per_unit;
  return invalid_input("BODY_HEIGHT_OUT_OF_RANGE", "scan.metres_per_unit",
                       cat("with the declared unit the person is ", metres, " m tall"),
                       "Declare the unit in which the file is written; a person is 0.5 to 2.3 m tall.");
}

Stance best_stance(const std::vector<Vec3>& points, const std::optional<UpAxis>& declared) {
  std::optional<Stance> best;
  for (int axis : {1, 2, 0}) {  // the commonest first: ties go to it
    if (declared && static_cast<int>(*declared) != axis) continue;
    for (double sign : {1.0, -1.0}) {
      const Vec3 up = sign * Vec3::Unit(axis);
      const Stance stance = judge_stance(PointLevels(points, up), up);
      if (!best || stance.score() > best->score()) best = stance;
    }
  }
  return *best;
}

// The long axis of the points, if a person stands along it one way or the other.
std::optional<Vec3> slanting_axis(const std::vector<Vec3>& points) {
  Vec3 mean = Vec3::Zero();
  for (const Vec3& p : points) mean += p / static_cast<double>(points.size());
  Eigen::Matrix3d spread = Eigen::Matrix3d::Zero();
  for (const Vec3& p : points) spread += (p - mean) * (p - mean).transpose();
  const Vec3 axis = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(spread).eigenvectors().col(2);
  for (double sign : {1.0, -1.0}) {
    const Vec3 up = sign * axis;
    if (judge_stance(PointLevels(points, up), up).stands()) return up;
  }
  return std::nullopt;
}

// Patches of a level that are as large as a head, apart from each other.
std::vector<Vec3> heads_at(const PointLevels& levels, double ratio) {
  const double h = levels.height();
  std::vector<Vec3> middles;
  for (const LevelPatch& patch : levels.at(levels.low() + ratio * h)) {
    if (patch.area < 2e-3 * h * h || patch.area > 2.5e-2 * h * h) continue;
    bool alone = true;
    for (const Vec3& other : middles) alone = alone && (patch.centroid - other).norm() > 0.12 * h;
    if (alone) middles.push_back(patch.centroid);
  }
  return middles;
}

// Two heads, and on either side of the plane between them somebody stands: persons so near to each other that their
// points hang together.
bool two_stand(const std::vector<Vec3>& points, const Vec3& up) {
  const std::vector<Vec3> heads = heads_at(PointLevels(points, up), 0.94);
  if (heads.size() < 2) return false;
  const Vec3 across = heads[1] - heads[0], middle = 0.5 * (heads[0] + heads[1]);
  std::vector<Vec3> half[2];
  for (const Vec3& p : points) half[(p - middle).dot(across) > 0].push_back(p);
  return judge_stance(PointLevels(half[0], up), up).stands() && judge_stance(PointLevels(half[1], up), up).stands();
}

bool several_stand(const std::vector<Vec3>& points, const std::optional<UpAxis>& declared) {
  for (int axis : {1, 2, 0}) {
    if (declared && static_cast<int>(*declared) != axis) continue;
    for (double sign : {1.0, -1.0}) {
      if (two_stand(points, sign * Vec3::Unit(axis))) return true;
    }
  }
  return false;
}

// Why nobody stands along the axes that were looked at.
absl::Status explain(const std::vector<Vec3>& points, const ScanOptions& options, const Stance& best) {
  if (options.up_axis) {
    const Stance other = best_stance(points, std::nullopt);
    if (other.stands()) {
      return lying(cat("the person lies along ", axis_name(other.up), ", while ",
                       "xyz"[static_cast<int>(*options.up_axis)], " is declared as the up axis"));
    }
  }
  if (const auto up = slanting_axis(points)) {
    return lying(cat("the person leans or lies: the line from feet to head is ",
                     std::round(degrees_between(*up, best.up)), " degrees from the file's ", axis_name(best.up)));
  }
  const PointLevels levels(points, best.up);
  const double widest = std::sqrt(widest_area(levels, 0.4, 0.7)) / levels.height();
  if (best.leg_levels >= 4 && best.head_levels == 0 && widest > 0.08 && widest < 0.5) {
    return invalid_input("BODY_PARTIAL", "body",
                         "the scan shows legs, but no head stands on top: the upper body is missing",
                         "Scan the whole person, from the soles to the crown.");
  }
  return not_human("no direction has two legs below and one head above");
}

// How much further toes reach from the ankles than heels do, as a ratio; above 1 where `forward` is right.
double toe_ratio(const std::vector<Vec3>& points, const PointLevels& levels, const Vec3& forward) {
  double ankles = 0.0;
  int count = 0;
  for (double ratio : {0.06, 0.07, 0.08}) {
    const auto patches = levels.at(levels.low() + ratio * levels.height());
    for (size_t i = 0; i < std::min<size_t>(2, patches.size()); ++i) {
      if (patches[i].area < 1e-4 * levels.height() * levels.height()) continue;
      ankles += patches[i].centroid.dot(forward);
      ++count;
    }
  }
  if (count == 0) return 1.0;
  const double middle = ankles / count;
  double ahead = -1e300, behind = 1e300;
  for (int i : levels.between(levels.low(), levels.low() + 0.035 * levels.height())) {
    ahead = std::max(ahead, points[i].dot(forward));
    behind = std::min(behind, points[i].dot(forward));
  }
  return std::max(ahead - middle, 1e-9) / std::max(middle - behind, 1e-9);
}

// A head stands ahead of the upper back's middle: asked only where the feet say nothing.
bool head_is_ahead(const PointLevels& levels, const Vec3& forward) {
  const auto head = levels.at(levels.low() + 0.93 * levels.height());
  const auto back = levels.at(levels.low() + 0.76 * levels.height());
  return head.empty() || back.empty() || (head[0].centroid - back[0].centroid).dot(forward) >= 0.0;
}

Vec3 snapped(const Vec3& direction) {
  int k = 0;
  direction.cwiseAbs().maxCoeff(&k);
  const Vec3 axis = std::copysign(1.0, direction[k]) * Vec3::Unit(k);
  return degrees_between(direction, axis) > kSnapDeg ? direction.normalized() : axis;
}

absl::StatusOr<Vec3> find_forward(const std::vector<Vec3>& points, const ScanOptions& options, const Stance& stance,
                                  ScanSource* source) {
  const Vec3& up = stance.up;
  Vec3 across = stance.across - stance.across.dot(up) * up;
  if (up.cwiseAbs().maxCoeff() == 1.0) across = snapped(across);
  Vec3 forward = across.cross(up).normalized();
  source->declared_facing = options.facing.has_value();
  if (options.facing) {
    const Vec3 declared = ((*options.facing)[0] == '-' ? -1.0 : 1.0) * Vec3::Unit((*options.facing)[1] - 'x');
    if (std::abs(declared.dot(forward)) < 0.5) {
      return invalid_input("BODY_DECLARATION_CONTRADICTED", "scan.facing",
                           cat("nobody who stands along ", axis_name(up), " with the legs side by side along ",
                               axis_name(across), " can look to ", *options.facing),
                           cat("Declare ", axis_name(forward), " or ", axis_name(-forward), ", or leave it out."));
    }
    return declared.dot(forward) > 0 ? forward : Vec3(-forward);
  }
  const PointLevels levels(points, up);
  const double ratio = toe_ratio(points, levels, forward);
  const bool plain = ratio > 1.2 || ratio < 1.0 / 1.2;
  return (plain ? ratio > 1.0 : head_is_ahead(levels, forward)) ? forward : Vec3(-forward);
}

// Upright as a tailor would stand the person: onto the floor, or onto the soles where that lessens the lean.
Vec3 straightened(const std::vector<Vec3>& points, const Stance& stance, const std::optional<FlatThing>& floor) {
  const double lean = degrees_between(stance.crown - stance.ankles, stance.up);
  Vec3 up = stance.up;
  if (floor && degrees_between(floor->normal, stance.up) <= kMostLeanDeg) {
    up = floor->normal;
  } else if (lean > kUprightDeg) {
    const Vec3 rest = settle(points, stance.up);
    const double tipped = degrees_between(rest, stance.up);
    if (tipped > kUprightDeg && tipped <= kMostLeanDeg &&
        degrees_between(stance.crown - stance.ankles, rest) < lean - 2.0) {
      up = rest;
    } else if (lean > 8.0) {
      up = (stance.crown - stance.ankles).normalized();
    }
  }
  return degrees_between(up, stance.up) < 1.0 ? stance.up : up;
}

std::optional<FlatThing> floor_below(const std::vector<FlatThing>& flat, const PointLevels& levels, const Vec3& up) {
  for (const FlatThing& thing : flat) {
    if (degrees_between(thing.normal, up) > kFloorDeg) continue;
    if (std::abs(thing.offset * thing.normal.dot(up) - levels.low()) < kFloorNear * levels.height()) return thing;
  }
  return std::nullopt;
}

// The plane on which the long side of the body rests, if any.
const FlatThing* bed(const std::vector<Vec3>& points, const std::vector<FlatThing>& flat, const PointLevels& levels,
                     const Vec3& up) {
  for (const FlatThing& thing : flat) {
    if (std::abs(thing.normal.dot(up)) > 0.5) continue;
    double touching = 0.0;
    for (const Vec3& p : points) touching += std::abs(p.dot(thing.normal) - thing.offset) < kTouching * levels.height();
    if (touching > kTouchingShare * static_cast<double>(points.size())) return &thing;
  }
  return nullptr;
}

absl::StatusOr<Stance> find_up(const std::vector<Vec3>& points, const ScanOptions& options,
                               const std::vector<FlatThing>& flat, ScanSource* source) {
  Stance best = best_stance(points, options.up_axis);
  source->declared_up = options.up_axis.has_value();
  if (several_stand(points, options.up_axis)) {
    return invalid_input("BODY_SEVERAL_PERSONS", "body", "the scan shows two persons who touch each other",
                         "Send one person a scan.");
  }
  if (!best.stands()) return explain(points, options, best);
  source->up_axis = axis_name(best.up);
  const PointLevels levels(points, best.up);
  const auto ground = levels.at(levels.low() + 0.005 * levels.height());
  if (!ground.empty() && ground[0].area > kMostFootprint * levels.height() * levels.height()) {
    return not_human("a floor or a large base is one piece with the feet");
  }
  const std::optional<FlatThing> floor = floor_below(flat, levels, best.up);
  const FlatThing* under = floor || options.up_axis ? nullptr : bed(points, flat, levels, best.up);
  if (under != nullptr) {
    return lying(cat("the person lies on the floor: the body runs along ", axis_name(best.up), ", the floor faces ",
                     axis_name(under->normal)));
  }
  const double lean = degrees_between(best.crown - best.ankles, best.up);
  if (lean > kMostLeanDeg) {
    return lying(cat("the person leans ", std::round(lean), " degrees from the file's ", source->up_axis));
  }
  const Vec3 up = straightened(points, best, floor);
  if (up == best.up) return best;
  Stance straight = judge_stance(PointLevels(points, up), up);
  if (!straight.stands()) return best;
  source->healed.push_back(
      cat("straightened a lean of ", std::round(10 * degrees_between(up, best.up)) / 10, " degrees"));
  return straight;
}

Vec3 find_shift(const std::vector<Vec3>& points, const Placement& placement, const std::optional<FlatThing>& floor) {
  std::vector<Vec3> standing;
  standing.reserve(points.size());
  for (const Vec3& p : points) standing.push_back(placement(p));
  const PointLevels levels(standing, Vec3::UnitY());
  double ground = levels.low();
  if (floor) {
    const double seen = placement(floor->offset * floor->normal).y();
    if (std::abs(seen - ground) < 0.03) ground = seen;
  }
  Vec3 shift(0, -ground, 0);
  const auto torso = levels.at(levels.low() + 0.58 * levels.height());
  if (!torso.empty()) {
    const Vec3& c = torso[0].centroid;
    if (std::abs(c.x()) > kKeptAcross || std::abs(c.z()) > kKeptAhead) shift -= Vec3(c.x(), 0, c.z());
  }
  return shift;
}

}  // namespace

bool stands_like_a_person(const std::vector<Vec3>& points, const ScanOptions& options) {
  return !points.empty() && best_stance(points, options.up_axis).stands();
}

absl::StatusOr<Placement> find_placement(const std::vector<Vec3>& points, const ScanOptions& options,
                                         const std::vector<FlatThing>& flat) {
  RETURN_IF_ERROR(check_options(options));
  Placement placement;
  ASSIGN_OR_RETURN(const Stance stance, find_up(points, options, flat, &placement.source));
  const PointLevels levels(points, stance.up);
  ASSIGN_OR_RETURN(placement.source.scale_m, find_scale(levels.height(), options, &placement.source));
  ASSIGN_OR_RETURN(const Vec3 forward, find_forward(points, options, stance, &placement.source));
  placement.source.facing = axis_name(forward);
  placement.turn.row(0) = stance.up.cross(forward);
  placement.turn.row(1) = stance.up;
  placement.turn.row(2) = forward;
  placement.source.shift_m = find_shift(points, placement, floor_below(flat, levels, stance.up));
  return placement;
}

}  // namespace tryon
