#include <algorithm>

#include "server/body/measure_parts.h"

namespace tryon {
namespace {

// Shares of the crotch's height, after Drillis and Contini 1966: joints of a standing adult.
constexpr double kKnee = 0.585;
constexpr double kAnkleBone = 0.085;

constexpr double kOneLeg = 0.035;  // of the height: a loop that reaches further beyond the middle is both legs

// What lies on one side of the middle: of legs that are one piece each its own half, cut as cloth between them would.
SliceLoop half_of(const SliceLoop& both, int side, double middle) {
  SliceLoop half;
  for (size_t i = 0; i < both.points.size(); ++i) {
    const Vec3 &a = both.points[i], &b = both.points[(i + 1) % both.points.size()];
    const bool own_a = side_sign(side) * (a.x() - middle) >= 0, own_b = side_sign(side) * (b.x() - middle) >= 0;
    if (own_a) half.points.push_back(a);
    if (own_a != own_b) half.points.push_back(a + (middle - a.x()) / (b.x() - a.x()) * (b - a));
  }
  for (const Vec3& p : half.points) half.centroid += p / static_cast<double>(half.points.size());
  half.area = 0.5 * both.area, half.closed = true;
  return half;
}

bool is_both_legs(const SliceLoop& loop, double middle, double reach) {
  double low = 1e300, high = -1e300;
  for (const Vec3& p : loop.points) low = std::min(low, p.x() - middle), high = std::max(high, p.x() - middle);
  return low < -reach && high > reach;
}

SliceLoop leg_loop(const BodyRuler& ruler, int side, double y) {
  SliceLoop best;
  const double middle = ruler.levels().middle;
  for (SliceLoop& loop : ruler.level(y)) {
    if (is_both_legs(loop, middle, kOneLeg * ruler.height())) loop = half_of(loop, side, middle);
    const bool own = side_sign(side) * (loop.centroid.x() - middle) > 0;
    if (own && loop.area > best.area) best = std::move(loop);
  }
  return best;
}

// From the waist's side down the hip's outline to its widest place, from there plumb to the floor.
Tape outside_leg(const BodyRuler& ruler, int side, double waist) {
  const Vec3 out = side_sign(side) * Vec3::UnitX();
  const Extremum widest = find_largest(ruler.levels().crotch - 0.05 * ruler.height(), waist, ruler.step(),
                                       [&](double y) { return ruler.furthest(y, out).dot(out); });
  const Vec3 top = ruler.furthest(waist, out), low = ruler.furthest(widest.at, out);
  std::vector<Vec3> outline;
  for (int i = 1; i < 40; ++i) outline.push_back(ruler.furthest(low.y() + (top.y() - low.y()) * i / 40, out));
  for (Vec3& p : outline) p.z() = top.z() + (p.y() - top.y()) / (low.y() - top.y()) * (low.z() - top.z());
  const Tape hip = tape_over(outline, top, low, out, 0.1 * ruler.height());
  return joined_tapes(hip, tape_through({low, Vec3(low.x(), 0, low.z())}));
}

}  // namespace

void measure_leg(int side, const TrunkLevels& at, BodyRuler* ruler) {
  const double crotch = ruler->levels().crotch, h = ruler->height(), knee = kKnee * crotch;
  auto thread = [&](double y) { return tape_round_flesh(leg_loop(*ruler, side, y).points, Vec3::UnitY()); };
  auto tape = [&](double y) { return tape_of_width(y, ruler->tape_width(), thread); };
  auto girth = [&](double y) { return thread(y).length; };
  auto thin = [&](double y) { return girth(y) > 0 ? girth(y) : 1e9; };
  const double thigh = find_largest(crotch - 0.04 * h, crotch - 0.008 * h, 0.5 * ruler->step(), girth).at;
  const double calf = find_largest(0.30 * crotch, 0.55 * crotch, ruler->step(), girth).at;
  const double ankle = find_smallest(0.06 * crotch, 0.25 * crotch, ruler->step(), thin).at;
  const double middle = 0.5 * (crotch + knee);
  ruler->mark(sided(side, "knee"), leg_loop(*ruler, side, knee).centroid);
  ruler->mark(sided(side, "ankle"), leg_loop(*ruler, side, ankle).centroid);
  ruler->mark(sided(side, "ankle_bone"), leg_loop(*ruler, side, kAnkleBone * crotch).centroid);
  ruler->set_side(side, "thigh_girth", tape(thigh), thigh);
  ruler->set_side(side, "mid_thigh_girth", tape(middle), middle);
  ruler->set_side(side, "knee_girth", tape(knee), knee);
  ruler->set_side(side, "calf_girth", tape(calf), calf);
  ruler->set_side(side, "ankle_girth", tape(ankle), ankle);
  auto plumb = [&](const Vec3& p) { return tape_through({Vec3(p.x(), 0, p.z()), p}); };
  ruler->set_side(side, "knee_height", plumb(ruler->landmark(sided(side, "knee"))), knee);
  ruler->set_side(side, "calf_height", plumb(leg_loop(*ruler, side, calf).centroid), calf);
  ruler->set_side(side, "ankle_height", plumb(ruler->landmark(sided(side, "ankle"))), ankle);
  ruler->set_side(side, "outside_leg_length", outside_leg(*ruler, side, at.waist), at.waist);
}

}  // namespace tryon
