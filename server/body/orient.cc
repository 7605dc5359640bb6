#include "server/body/orient.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/body/slices.h"

namespace tryon {
namespace {

struct Unit {
  const char* name;
  double metres;
};
constexpr Unit kUnits[] = {{"mm", 1e-3}, {"cm", 1e-2}, {"dm", 1e-1}, {"m", 1.0}};
constexpr double kMinHeight = 0.5, kMaxHeight = 2.3;  // m, a standing person
constexpr int kFootColumns = 2;
constexpr double kKeptAcross = 0.03, kKeptAhead = 0.12;  // m from the axis: nearer, the file's own place is kept

absl::Status not_human(std::string_view why) {
  return invalid_input(
      "BODY_NOT_HUMAN", "body", cat("this does not look like one standing person: ", why),
      "Send a scan of one standing person, head to feet, and declare the up axis if it lies on another.");
}

// How much a direction looks like up: two legs below, one head above.
struct Stance {
  int leg_levels = 0, head_levels = 0;
  int score() const { return leg_levels + head_levels; }
  bool stands() const { return leg_levels >= 3 && head_levels >= 2; }
  Vec3 across = Vec3::Zero();  // from one leg to the other, unnormalised mean
};

double largest(const std::vector<SliceLoop>& loops) { return loops.empty() ? 0.0 : loops[0].area; }

Stance judge_stance(const TriangleMesh& mesh, const Vec3& up) {
  const LevelSlicer slicer(mesh, nullptr, up);
  const double low = slicer.low(), height = slicer.high() - low;
  auto cut = [&](double ratio) { return slicer.at(low + ratio * height); };
  Stance stance;
  for (double ratio : {0.10, 0.14, 0.18, 0.22, 0.26, 0.30}) {
    const auto loops = cut(ratio);
    if (loops.size() < kFootColumns || loops[1].area < 0.4 * loops[0].area) continue;
    if (loops.size() > kFootColumns && loops[2].area > 0.3 * loops[0].area) continue;
    const double size = std::sqrt(loops[0].area);
    if (size > 0.15 * height || size < 0.02 * height) continue;
    Vec3 between = loops[1].centroid - loops[0].centroid;
    if (between.norm() > 0.4 * height) continue;
    if (between.dot(stance.across) < 0) between = -between;
    stance.across += between;
    ++stance.leg_levels;
  }
  for (double ratio : {0.90, 0.93, 0.96}) {
    const auto loops = cut(ratio);
    const double size = std::sqrt(largest(loops));
    if (loops.empty() || size > 0.16 * height || size < 0.03 * height) continue;
    if (loops.size() == 1 || loops[1].area < 0.2 * loops[0].area) ++stance.head_levels;
  }
  return stance;
}

absl::StatusOr<double> find_scale(double height, const ScanOptions& options, ScanSource* source) {
  if (options.metres_per_unit) {
    source->declared_unit = true;
    source->unit = "custom";
    for (const Unit& unit : kUnits) {
      if (std::abs(*options.metres_per_unit / unit.metres - 1.0) < 1e-9) source->unit = unit.name;
    }
    const double metres = height * *options.metres_per_unit;
    if (metres < kMinHeight || metres > kMaxHeight) {
      return invalid_input("BODY_HEIGHT_OUT_OF_RANGE", "scan.metres_per_unit",
                           cat("with the declared unit the person is ", metres, " m tall"),
                           "Declare the unit in which the file is written; a person is 0.5 to 2.3 m tall.");
    }
    return *options.metres_per_unit;
  }
  for (const Unit& unit : kUnits) {
    const double metres = height * unit.metres;
    if (metres < kMinHeight || metres > kMaxHeight) continue;
    source->unit = unit.name;
    return unit.metres;
  }
  return invalid_input("BODY_HEIGHT_OUT_OF_RANGE", "body",
                       cat("the figure is ", height, " units tall, which is no person in mm, cm, dm or m"),
                       "Declare the unit (metres_per_unit).");
}

// Toes reach further from the ankles than heels do.
bool toes_along(const TriangleMesh& mesh, const Vec3& up, const Vec3& forward, double low, double height) {
  double ankles = 0.0;
  int count = 0;
  for (double ratio : {0.06, 0.07, 0.08}) {
    for (const SliceLoop& loop : slice_mesh(mesh, nullptr, (low + ratio * height) * up, up)) {
      if (count >= 6 || loop.area < 1e-4 * height * height) continue;
      ankles += loop.centroid.dot(forward);
      ++count;
    }
  }
  double ahead = -1e300, behind = 1e300;
  for (const Vec3& p : mesh.positions) {
    if (p.dot(up) > low + 0.035 * height) continue;
    ahead = std::max(ahead, p.dot(forward));
    behind = std::min(behind, p.dot(forward));
  }
  const double middle = count > 0 ? ankles / count : 0.0;
  return ahead - middle >= middle - behind;
}

// A direction within ten degrees of an axis is that axis: files are axis-aligned, people are not quite.
Vec3 snapped(const Vec3& direction) {
  int k = 0;
  direction.cwiseAbs().maxCoeff(&k);
  if (std::abs(direction[k]) < 0.985 * direction.norm()) return direction.normalized();
  return Vec3(std::copysign(1.0, direction[k]) * Vec3::Unit(k));
}

std::string axis_name(const Vec3& up) {
  int k = 0;
  up.cwiseAbs().maxCoeff(&k);
  return cat(up[k] > 0 ? "+" : "-", "xyz"[k]);
}

struct UpChoice {
  Vec3 up = Vec3::UnitY();
  Stance stance;
};

absl::StatusOr<UpChoice> find_up(const TriangleMesh& mesh, const ScanOptions& options, ScanSource* source) {
  std::optional<UpChoice> best;
  for (int axis : {1, 2, 0}) {  // the commonest first: ties go to it
    if (options.up_axis && static_cast<int>(*options.up_axis) != axis) continue;
    for (double sign : {1.0, -1.0}) {
      UpChoice choice{sign * Vec3::Unit(axis), {}};
      choice.stance = judge_stance(mesh, choice.up);
      if (!best || choice.stance.score() > best->stance.score()) best = choice;
    }
  }
  source->declared_up = options.up_axis.has_value();
  if (!best->stance.stands()) return not_human("no direction has two legs below and one head above");
  source->up_axis = axis_name(best->up);
  return *best;
}

Vec3 place(TriangleMesh* mesh, double height) {
  double floor = 1e300;
  for (const Vec3& p : mesh->positions) floor = std::min(floor, p.y());
  const auto torso = slice_mesh(*mesh, nullptr, Vec3(0, floor + 0.58 * height, 0), Vec3::UnitY());
  Vec3 shift(0, -floor, 0);
  if (!torso.empty()) {
    const Vec3& c = torso[0].centroid;
    if (std::abs(c.x()) > kKeptAcross || std::abs(c.z()) > kKeptAhead) shift -= Vec3(c.x(), 0, c.z());
  }
  for (Vec3& p : mesh->positions) p += shift;
  return shift;
}

}  // namespace

absl::StatusOr<ScanSource> orient_body(const ScanOptions& options, TriangleMesh* mesh) {
  ScanSource source;
  ASSIGN_OR_RETURN(const UpChoice choice, find_up(*mesh, options, &source));
  const Vec3 up = choice.up;
  double low = 1e300, high = -1e300;
  for (const Vec3& p : mesh->positions) {
    low = std::min(low, p.dot(up));
    high = std::max(high, p.dot(up));
  }
  ASSIGN_OR_RETURN(source.scale_m, find_scale(high - low, options, &source));
  const Vec3 across = snapped(choice.stance.across - choice.stance.across.dot(up) * up);
  Vec3 forward = across.cross(up).normalized();
  if (!toes_along(*mesh, up, forward, low, high - low)) forward = -forward;
  Eigen::Matrix3d to_body;
  to_body.row(0) = up.cross(forward);
  to_body.row(1) = up;
  to_body.row(2) = forward;
  for (Vec3& p : mesh->positions) p = source.scale_m * (to_body * p);
  source.shift_m = place(mesh, (high - low) * source.scale_m);
  return source;
}

}  // namespace tryon
