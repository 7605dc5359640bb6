#include "server/body/mannequin_figure.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "server/base/units.h"
#include "server/body/mannequin_sections.h"

namespace tryon {
namespace {

constexpr int kColumns = 48, kHoleHalf = 4, kHoleRows = 8, kCrotchCount = 9;
constexpr int kFront = kColumns / 4, kBackColumn = 3 * kColumns / 4;
constexpr int kLegCount = kColumns / 2 + 1 + kCrotchCount;  // vertices of a leg's ring
constexpr int kArmCount = 2 * (2 * kHoleHalf + kHoleRows);  // of an arm's
constexpr int kLegRows = 46, kFootRows = 20, kArmRows = 38, kHandRows = 14;
constexpr int kTwistRows = 12;  // in which a leg's ring becomes even
constexpr double kArmHeldFrom = 0.20, kArmStart = 0.05;
constexpr double kHeld = 0.35;     // firm to long waves, soft to the kinks between two sections
constexpr double kFaceHeld = 1.5;  // or the nose is smoothed away
constexpr double kCrotchHeld = 1.0, kGuided = 0.12;
constexpr int kFreeLegRows = 3, kFreeArmRows = 6;  // where legs and arms grow out of the trunk
constexpr double kLegHeldBelowCrotch = 0.041;      // metres of the default figure: the first held row

// How many rows lie between two levels of the trunk.
struct Span {
  double to;
  int rows;
};
constexpr double kFirstHeld = level::kHip - 0.001, kLastHeld = level::kHoleBottom - 0.004;
constexpr double kArmpitFrom = level::kHoleBottom - 0.024;  // below the hole the plate needs room to turn
constexpr int kArmpitHalf = kHoleHalf + 1;
const std::vector<Span> kSpans = {{level::kHip, 4},
                                  {level::kWaist, 14},
                                  {level::kUnderBust, 8},
                                  {level::kBust, 5},
                                  {level::kHoleBottom, 4},
                                  {level::kHoleTop, kHoleRows},
                                  {level::kNeckBase, 8},
                                  {level::kNeck, 3},
                                  {level::kChin, 5},
                                  {level::kBrow, 18},
                                  {0.998, 9}};

struct TrunkRows {
  std::vector<double> levels;
  int hole_bottom = 0, hole_top = 0;
};

TrunkRows trunk_rows() {
  TrunkRows out;
  out.levels = {level::kTrunkStart};
  for (const Span& span : kSpans) {
    const double from = out.levels.back();
    if (span.to == level::kHoleTop) out.hole_bottom = static_cast<int>(out.levels.size()) - 1;
    for (int i = 1; i <= span.rows; ++i) {
      double t = static_cast<double>(i) / span.rows;
      if (span.to == 0.998) t = 1.0 - std::pow(1.0 - t, 1.7);  // closer together where the crown turns level
      out.levels.push_back(from + t * (span.to - from));
    }
    if (span.to == level::kHoleTop) out.hole_top = static_cast<int>(out.levels.size()) - 1;
  }
  return out;
}

int wrapped(int column) { return (column % kColumns + kColumns) % kColumns; }

class Builder {
 public:
  Builder(const MannequinTable& table, const FigureKnobs& knobs) : sections_(table, knobs), rows_(trunk_rows()) {}
  Figure build();

 private:
  using Ring = std::vector<int>;

  int add(const Vec3& place, double pull);
  void quad(int a, int b, int c, int d, FigurePart part);
  void triangle(int a, int b, int c, FigurePart part);
  void tube(const Ring& from, const Ring& to, bool mirrored, FigurePart part);
  void cap(const Ring& ring, int tip, bool mirrored, FigurePart part);
  bool in_hole(int row, int column) const;
  bool hole_quad(int row, int column) const;
  void trunk();
  double trunk_pull(double at, int column) const;
  void trunk_quads();
  void crotch();
  void leg(bool right);
  void arm(bool right);
  void link();

  Sections sections_;
  TrunkRows rows_;
  std::vector<Ring> grid_;  // [row][column], -1 inside the holes
  Figure figure_;
};

Vec3 mirror(const Vec3& p, bool right) { return right ? Vec3(-p.x(), p.y(), p.z()) : p; }

int Builder::add(const Vec3& place, double pull) {
  figure_.mesh.positions.push_back(place);
  figure_.pull.push_back(pull);
  figure_.neighbours.emplace_back();
  return figure_.mesh.vertex_count() - 1;
}

void Builder::triangle(int a, int b, int c, FigurePart part) {
  figure_.mesh.triangles.push_back({a, b, c});
  figure_.part.push_back(part);
}

// Counter-clockwise from outside; its sides, not its diagonal, are what the thin plate follows.
void Builder::quad(int a, int b, int c, int d, FigurePart part) {
  triangle(a, b, c, part);
  triangle(a, c, d, part);
  for (auto [p, q] : {std::pair(a, b), std::pair(b, c), std::pair(c, d), std::pair(d, a)}) {
    figure_.neighbours[p].push_back(q);
    figure_.neighbours[q].push_back(p);
  }
}

void Builder::tube(const Ring& from, const Ring& to, bool mirrored, FigurePart part) {
  const int count = static_cast<int>(from.size());
  for (int i = 0; i < count; ++i) {
    const int j = (i + 1) % count;
    if (mirrored) {
      quad(from[j], to[j], to[i], from[i], part);
    } else {
      quad(from[i], to[i], to[j], from[j], part);
    }
  }
}

void Builder::cap(const Ring& ring, int tip, bool mirrored, FigurePart part) {
  const int count = static_cast<int>(ring.size());
  for (int i = 0; i < count; ++i) {
    const int a = ring[i], b = ring[(i + 1) % count];
    mirrored ? triangle(b, tip, a, part) : triangle(a, tip, b, part);
    figure_.neighbours[tip].push_back(a);
    figure_.neighbours[a].push_back(tip);
  }
}

// Strictly inside one of the two arm holes.
bool Builder::in_hole(int row, int column) const {
  if (row <= rows_.hole_bottom || row >= rows_.hole_top) return false;
  const int left = std::abs(static_cast<int>(std::remainder(column, kColumns)));
  const int right = std::abs(static_cast<int>(std::remainder(column - kColumns / 2, kColumns)));
  return left < kHoleHalf || right < kHoleHalf;
}

// The quad above and to the right of a corner lies in a hole.
bool Builder::hole_quad(int row, int column) const {
  if (row < rows_.hole_bottom || row >= rows_.hole_top) return false;
  const int left = wrapped(column + kHoleHalf), right = wrapped(column - kColumns / 2 + kHoleHalf);
  return left < 2 * kHoleHalf || right < 2 * kHoleHalf;
}

// Sections hold the trunk except at the crotch and round the shoulders, where only the middle lines guide the plate.
double Builder::trunk_pull(double at, int column) const {
  const int from_side = std::min(wrapped(column + kArmpitHalf), wrapped(column - kColumns / 2 + kArmpitHalf));
  const bool armpit = from_side <= 2 * kArmpitHalf && at > kArmpitFrom;
  if (at >= kFirstHeld && at <= kLastHeld && !armpit) return kHeld;
  if (at >= level::kChin) return kFaceHeld;
  if (at >= level::kNeckBase + 0.004) return kHeld;
  if (at < kFirstHeld) return 0.0;
  const bool middle = column == kFront || column == kBackColumn;
  return middle ? kGuided : 0.0;
}

void Builder::trunk() {
  for (size_t row = 0; row < rows_.levels.size(); ++row) {
    Ring ring;
    for (int column = 0; column < kColumns; ++column) {
      if (in_hole(static_cast<int>(row), column)) {
        ring.push_back(-1);
        continue;
      }
      const double at = rows_.levels[row];
      ring.push_back(add(sections_.trunk(at, 2 * kPi * column / kColumns), trunk_pull(at, column)));
    }
    grid_.push_back(std::move(ring));
  }
  for (bool right : {false, true}) {
    const int tip = grid_[rows_.hole_top][right ? kColumns / 2 : 0];
    figure_.mesh.positions[tip] = mirror(sections_.shoulder_tip(), right);
    figure_.pull[tip] = Figure::kPinned;
  }
}

void Builder::trunk_quads() {
  for (int row = 0; row + 1 < static_cast<int>(grid_.size()); ++row) {
    for (int column = 0; column < kColumns; ++column) {
      if (hole_quad(row, column)) continue;
      const int next = wrapped(column + 1);
      quad(grid_[row][column], grid_[row + 1][column], grid_[row + 1][next], grid_[row][next], FigurePart::kTrunk);
    }
  }
  cap(grid_.back(), add(sections_.head_top(), Figure::kPinned), false, FigurePart::kTrunk);
}

// From the back to the front between the legs, through the crotch point.
void Builder::crotch() {
  const Vec3 back = figure_.mesh.positions[grid_[0][kBackColumn]], front = figure_.mesh.positions[grid_[0][kFront]];
  const Vec3 low = sections_.crotch_point();
  for (int i = 1; i <= kCrotchCount; ++i) {
    const double t = static_cast<double>(i) / (kCrotchCount + 1);
    const bool middle = 2 * i == kCrotchCount + 1;
    Vec3 place = (1 - t) * back + t * front;  // lowest in the middle: no hollow between the legs
    place.y() = low.y() + (place.y() - low.y()) * (2 * t - 1) * (2 * t - 1);
    figure_.crotch_line.push_back(add(middle ? low : place, middle ? Figure::kPinned : kCrotchHeld));
  }
}

void Builder::leg(bool right) {
  const FigurePart part = right ? FigurePart::kRightLeg : FigurePart::kLeftLeg;
  Ring ring;
  for (int k = 0; k <= kColumns / 2; ++k) {
    const int column = wrapped(kFront - k);
    ring.push_back(grid_[0][right ? wrapped(kColumns / 2 - column) : column]);
  }
  ring.insert(ring.end(), figure_.crotch_line.begin(), figure_.crotch_line.end());
  const double top = sections_.height_of(level::kTrunkStart), bottom = sections_.foot(0.0, 0.0).y();
  const double held = sections_.crotch_point().y() - kLegHeldBelowCrotch * sections_.unit();
  for (int row = 1; row <= kLegRows + kFootRows; ++row) {
    const double y =
        row <= kFreeLegRows
            ? top + (held - top) * row / (kFreeLegRows + 1)
            : held + (bottom - held) * std::min(1.0, (row - kFreeLegRows - 1.0) / (kLegRows - kFreeLegRows - 1));
    const double twist = std::min(1.0, static_cast<double>(row) / kTwistRows);
    Ring next;
    for (int k = 0; k < kLegCount; ++k) {
      const int half = kColumns / 2;
      const double first =
          k <= half ? 0.5 - static_cast<double>(k) / half : -0.5 - static_cast<double>(k - half) / (kCrotchCount + 1);
      const double even = 2.0 * (0.5 * half - k) / kLegCount;
      const double angle = kPi * ((1 - twist) * first + twist * even);
      const double pull = row > kLegRows ? Figure::kPinned : row <= kFreeLegRows ? 0.0 : kHeld;
      const Vec3 place =
          row <= kLegRows ? sections_.leg(y, angle) : sections_.foot(0.985 * (row - kLegRows) / kFootRows, angle);
      next.push_back(add(mirror(place, right), pull));
    }
    tube(ring, next, right, part);
    ring = std::move(next);
  }
  cap(ring, add(mirror(sections_.toe_tip(), right), Figure::kPinned), right, part);
}

void Builder::arm(bool right) {
  const FigurePart part = right ? FigurePart::kRightArm : FigurePart::kLeftArm;
  std::vector<std::pair<int, int>> border;  // row, column; from the top over the back, the bottom and the front
  for (int k = 0; k < kHoleHalf; ++k) border.emplace_back(rows_.hole_top, -k);
  for (int r = rows_.hole_top; r > rows_.hole_bottom; --r) border.emplace_back(r, -kHoleHalf);
  for (int k = -kHoleHalf; k < kHoleHalf; ++k) border.emplace_back(rows_.hole_bottom, k);
  for (int r = rows_.hole_bottom; r < rows_.hole_top; ++r) border.emplace_back(r, kHoleHalf);
  for (int k = kHoleHalf; k > 0; --k) border.emplace_back(rows_.hole_top, k);
  Ring ring;
  for (auto [row, column] : border) ring.push_back(grid_[row][wrapped(right ? kColumns / 2 - column : column)]);
  const double held_from = std::max(kArmHeldFrom, sections_.arm_leaves_trunk());
  for (int row = 0; row <= kArmRows + kHandRows; ++row) {
    const double share = row < kFreeArmRows ? kArmStart + (held_from - kArmStart) * row / kFreeArmRows
                         : row <= kArmRows
                             ? held_from + (1.0 - held_from) * (row - kFreeArmRows) / (kArmRows - kFreeArmRows)
                             : 1.0 + 0.985 * (row - kArmRows) / kHandRows;
    Ring next;
    for (int k = 0; k < kArmCount; ++k) {
      const Vec3 place = sections_.arm(share, -2 * kPi * k / kArmCount);
      next.push_back(add(mirror(place, right), row < kFreeArmRows ? 0.0 : kHeld));
    }
    tube(ring, next, right, part);
    ring = std::move(next);
  }
  cap(ring, add(mirror(sections_.finger_tip(), right), Figure::kPinned), right, part);
}

void Builder::link() {
  for (std::vector<int>& list : figure_.neighbours) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
}

Figure Builder::build() {
  trunk();
  crotch();
  trunk_quads();
  for (bool right : {false, true}) leg(right);
  for (bool right : {false, true}) arm(right);
  link();
  return std::move(figure_);
}

}  // namespace

double arm_leaves_trunk(const MannequinTable& table, const FigureKnobs& knobs) {
  return Sections(table, knobs).arm_leaves_trunk();
}

Figure place_figure(const MannequinTable& table, const FigureKnobs& knobs) { return Builder(table, knobs).build(); }

TapePlane tape_plane(const MannequinTable& table, Girth girth) {
  const Sections sections(table, FigureKnobs());
  const double inside_leg = from_mm(table.inside_leg);
  auto trunk = [&](double at) { return TapePlane{{0, sections.height_of(at), 0}, Vec3::UnitY(), FigurePart::kTrunk}; };
  auto leg_at = [&](double y) { return TapePlane{{0, y, 0}, Vec3::UnitY(), FigurePart::kLeftLeg}; };
  auto arm_at = [&](double share) {
    return TapePlane{sections.arm_center(share), sections.arm_direction(), FigurePart::kLeftArm};
  };
  switch (girth) {
    case Girth::kNeck:
      return trunk(level::kNeck);
    case Girth::kBust:
      return trunk(level::kBust);
    case Girth::kUnderBust:
      return trunk(level::kUnderBust);
    case Girth::kWaist:
      return trunk(level::kWaist);
    case Girth::kHip:
      return trunk(level::kHip);
    case Girth::kHead:
      return trunk(level::kBrow);
    case Girth::kThigh:
      return leg_at(inside_leg - leg::kThighBelowCrotch);
    case Girth::kKnee:
      return leg_at(leg::kKnee * inside_leg);
    case Girth::kCalf:
      return leg_at(leg::kCalf * inside_leg);
    case Girth::kAnkle:
      return leg_at((leg::kAnkle + 0.008) * inside_leg);
    case Girth::kUpperArm:
      return arm_at(arm::kUpper);
    case Girth::kElbow:
      return arm_at(arm::kElbow);
    case Girth::kWrist:
      return arm_at(arm::kWrist - 0.002);
  }
  return trunk(level::kWaist);
}

}  // namespace tryon
