#include "server/body/mannequin.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/base/units.h"
#include "server/body/mannequin_fair.h"
#include "server/body/mannequin_figure.h"

namespace tryon {
namespace {

constexpr int kMaxPasses = 12;
constexpr double kLatestArmpit = 0.27;     // share of the arm, before the upper arm's girth is taken
constexpr double kGirthTolerance = 2e-3;   // of the girth; the promise is 1 %
constexpr double kCrotchTolerance = 5e-4;  // metres

struct Range {
  std::string_view field;
  double MannequinTable::*value;
  double low, high;
};
constexpr Range kRanges[] = {
    {"height", &MannequinTable::height, 1200, 2200},
    {"neck_girth", &MannequinTable::neck_girth, 240, 520},
    {"shoulder_width", &MannequinTable::shoulder_width, 250, 560},
    {"bust_girth", &MannequinTable::bust_girth, 600, 1600},
    {"under_bust_girth", &MannequinTable::under_bust_girth, 500, 1500},
    {"waist_girth", &MannequinTable::waist_girth, 450, 1600},
    {"hip_girth", &MannequinTable::hip_girth, 600, 1700},
    {"thigh_girth", &MannequinTable::thigh_girth, 330, 950},
    {"knee_girth", &MannequinTable::knee_girth, 240, 600},
    {"calf_girth", &MannequinTable::calf_girth, 220, 600},
    {"ankle_girth", &MannequinTable::ankle_girth, 150, 400},
    {"upper_arm_girth", &MannequinTable::upper_arm_girth, 170, 560},
    {"elbow_girth", &MannequinTable::elbow_girth, 160, 460},
    {"wrist_girth", &MannequinTable::wrist_girth, 110, 280},
    {"arm_length", &MannequinTable::arm_length, 380, 800},
    {"inside_leg", &MannequinTable::inside_leg, 480, 1100},
    {"head_girth", &MannequinTable::head_girth, 460, 680},
    {"arm_angle_deg", &MannequinTable::arm_angle_deg, 0, 65},
};

// A measurement against another: low <= value / other <= high.
struct Ratio {
  std::string_view field, other;
  double MannequinTable::*value;
  double MannequinTable::*of;
  double low, high;
};
constexpr Ratio kRatios[] = {
    {"waist_girth", "hip_girth", &MannequinTable::waist_girth, &MannequinTable::hip_girth, 0.55, 1.25},
    {"under_bust_girth", "bust_girth", &MannequinTable::under_bust_girth, &MannequinTable::bust_girth, 0.70, 1.0},
    {"waist_girth", "under_bust_girth", &MannequinTable::waist_girth, &MannequinTable::under_bust_girth, 0.65, 1.45},
    {"thigh_girth", "hip_girth", &MannequinTable::thigh_girth, &MannequinTable::hip_girth, 0.45, 0.66},
    {"knee_girth", "thigh_girth", &MannequinTable::knee_girth, &MannequinTable::thigh_girth, 0.5, 0.95},
    {"calf_girth", "knee_girth", &MannequinTable::calf_girth, &MannequinTable::knee_girth, 0.7, 1.25},
    {"ankle_girth", "calf_girth", &MannequinTable::ankle_girth, &MannequinTable::calf_girth, 0.45, 0.9},
    {"elbow_girth", "upper_arm_girth", &MannequinTable::elbow_girth, &MannequinTable::upper_arm_girth, 0.65, 1.1},
    {"wrist_girth", "elbow_girth", &MannequinTable::wrist_girth, &MannequinTable::elbow_girth, 0.45, 0.95},
    {"neck_girth", "head_girth", &MannequinTable::neck_girth, &MannequinTable::head_girth, 0.45, 0.85},
    {"shoulder_width", "height", &MannequinTable::shoulder_width, &MannequinTable::height, 0.18, 0.30},
    {"shoulder_width", "bust_girth", &MannequinTable::shoulder_width, &MannequinTable::bust_girth, 0.30, 0.55},
    {"inside_leg", "height", &MannequinTable::inside_leg, &MannequinTable::height, 0.40, 0.51},
    {"arm_length", "height", &MannequinTable::arm_length, &MannequinTable::height, 0.28, 0.42},
    {"hip_girth", "height", &MannequinTable::hip_girth, &MannequinTable::height, 0.40, 0.95},
};

constexpr double MannequinTable::*kGirthField[kGirthCount] = {
    &MannequinTable::neck_girth,      &MannequinTable::bust_girth,  &MannequinTable::under_bust_girth,
    &MannequinTable::waist_girth,     &MannequinTable::hip_girth,   &MannequinTable::thigh_girth,
    &MannequinTable::knee_girth,      &MannequinTable::calf_girth,  &MannequinTable::ankle_girth,
    &MannequinTable::upper_arm_girth, &MannequinTable::elbow_girth, &MannequinTable::wrist_girth,
    &MannequinTable::head_girth};

std::string_view field_name(double MannequinTable::*value) {
  for (const Range& range : kRanges) {
    if (range.value == value) return range.field;
  }
  return "table";
}

absl::Status impossible(std::string_view field, std::string_view message, std::string_view remedy) {
  return invalid_input("MEASUREMENT_IMPOSSIBLE", field, message, remedy);
}

absl::Status check_table(const MannequinTable& table) {
  for (const Range& range : kRanges) {
    const double value = table.*range.value;
    if (!(value >= range.low && value <= range.high)) {
      return impossible(range.field, cat(range.field, " is ", value, ", which no standing adult or child has"),
                        cat("give ", range.low, " to ", range.high));
    }
  }
  for (const Ratio& ratio : kRatios) {
    const double value = table.*ratio.value, other = table.*ratio.of;
    if (value < ratio.low * other || value > ratio.high * other) {
      return impossible(ratio.field, cat(ratio.field, " ", value, " does not go with ", ratio.other, " ", other),
                        cat("with that ", ratio.other, " give ", std::ceil(ratio.low * other), " to ",
                            std::floor(ratio.high * other), ", or check ", ratio.other));
    }
  }
  return absl::OkStatus();
}

double cross(const Vec2& o, const Vec2& a, const Vec2& b) {
  return (a.x() - o.x()) * (b.y() - o.y()) - (a.y() - o.y()) * (b.x() - o.x());
}

// Perimeter of the convex hull: what a tape measures (monotone chain; Andrew 1979).
double hull_perimeter(std::vector<Vec2> points) {
  std::sort(points.begin(), points.end(),
            [](const Vec2& a, const Vec2& b) { return a.x() != b.x() ? a.x() < b.x() : a.y() < b.y(); });
  std::vector<Vec2> hull;
  for (int pass = 0; pass < 2; ++pass) {
    const size_t start = hull.size();
    for (const Vec2& p : points) {
      while (hull.size() >= start + 2 && cross(hull[hull.size() - 2], hull.back(), p) <= 0) hull.pop_back();
      hull.push_back(p);
    }
    hull.pop_back();
    std::reverse(points.begin(), points.end());
  }
  double sum = 0.0;
  for (size_t i = 0; i < hull.size(); ++i) sum += (hull[(i + 1) % hull.size()] - hull[i]).norm();
  return sum;
}

double tape(const Figure& figure, const TapePlane& plane) {
  const Vec3 u = plane.normal.unitOrthogonal(), v = plane.normal.cross(u);
  std::vector<Vec2> points;
  for (size_t t = 0; t < figure.part.size(); ++t) {
    if (figure.part[t] != plane.part) continue;
    for (int k = 0; k < 3; ++k) {
      const Vec3 a = figure.mesh.positions[figure.mesh.triangles[t][k]] - plane.point;
      const Vec3 b = figure.mesh.positions[figure.mesh.triangles[t][(k + 1) % 3]] - plane.point;
      const double da = a.dot(plane.normal), db = b.dot(plane.normal);
      if ((da < 0) == (db < 0)) continue;
      const Vec3 p = a + da / (da - db) * (b - a);
      points.emplace_back(p.dot(u), p.dot(v));
    }
  }
  return points.size() < 3 ? 0.0 : hull_perimeter(std::move(points));
}

// Height of the lowest point of the line between the legs.
double crotch_height(const Figure& figure) {
  double low = 1e30;
  for (int v : figure.crotch_line) low = std::min(low, figure.mesh.positions[v].y());
  return low;
}

struct Misfit {
  int girth = -1;  // the worst that is out of tolerance; -1: none
  double error = 0.0;
  bool crotch = false;
  bool none() const { return girth < 0 && !crotch; }
};

// Measures the figure and turns every knob by what it was out.
Misfit adjust(const MannequinTable& table, const Figure& figure, FigureKnobs* knobs) {
  Misfit misfit;
  for (int g = 0; g < kGirthCount; ++g) {
    const double wanted = from_mm(table.*kGirthField[g]);
    const double measured = tape(figure, tape_plane(table, static_cast<Girth>(g)));
    const double error = std::abs(measured / wanted - 1.0);
    if (error > kGirthTolerance && error > misfit.error) misfit.girth = g, misfit.error = error;
    if (measured > 0.0) knobs->scale[g] *= wanted / measured;
  }
  const double off = from_mm(table.inside_leg) - crotch_height(figure);
  misfit.crotch = std::abs(off) > kCrotchTolerance;
  knobs->crotch_shift += off;
  return misfit;
}

// Arms that hang steeply beside a broad chest would grow out of its side.
absl::Status check_arms(const MannequinTable& table, const FigureKnobs& knobs) {
  if (arm_leaves_trunk(table, knobs) <= kLatestArmpit) return absl::OkStatus();
  return impossible(
      "arm_angle_deg",
      cat("arms ", table.arm_angle_deg, " degrees below the horizontal would lie in the chest: shoulder_width ",
          table.shoulder_width, " is narrow for bust_girth ", table.bust_girth),
      "give a smaller angle or a wider shoulder");
}

}  // namespace

absl::StatusOr<TriangleMesh> make_mannequin(const MannequinTable& table) {
  RETURN_IF_ERROR(check_table(table));
  FigureKnobs knobs;
  Misfit misfit;
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    Figure figure = place_figure(table, knobs);
    RETURN_IF_ERROR(fair_figure(&figure));
    misfit = adjust(table, figure, &knobs);
    if (misfit.none()) {
      RETURN_IF_ERROR(check_arms(table, knobs));
      return std::move(figure.mesh);
    }
  }
  const std::string_view field = misfit.girth >= 0 ? field_name(kGirthField[misfit.girth]) : "inside_leg";
  return impossible(field, cat("no standing figure was found with this ", field, " among the other measurements"),
                    cat("check ", field, " and its neighbours"));
}

}  // namespace tryon
