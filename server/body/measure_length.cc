#include <algorithm>
#include <cmath>

#include "server/body/measure_parts.h"

namespace tryon {
namespace {

constexpr double kBesideNeck = 0.012;  // of the height: nearer to the neck's side the neck stands in the way
constexpr double kPlaneAside = 0.25;   // of the way from the bust point to the middle of the shoulder line

// A tape along the midline between two levels, in front (+1) or behind (-1).
Tape midline_tape(const BodyRuler& ruler, double low, double high, double sign) {
  const Vec3 top = ruler.on_midline(high, sign), bottom = ruler.on_midline(low, sign);
  return tape_over(all_points(ruler.midline()), top, bottom, sign * Vec3::UnitZ(), 0.2 * ruler.height());
}

// From the front of the waist between the legs to its back: tight round all of the midline below the waist.
Tape crotch_tape(const BodyRuler& ruler, double waist) {
  const Vec3 front = ruler.on_midline(waist, 1), back = ruler.on_midline(waist, -1);
  const Vec3 low = ruler.landmark("crotch");
  std::vector<Vec3> below = {front, back};
  for (const Vec3& p : all_points(ruler.midline())) {
    if (p.y() < waist && p.y() > low.y() - 0.02 * ruler.height()) below.push_back(p);
  }
  const Tape round = tape_round(below, Vec3::UnitX());
  std::vector<Vec3> path;  // the ring, opened between back and front
  const auto n = static_cast<int>(round.points.size());
  int start = 0;
  for (int i = 0; i < n; ++i) {
    if ((round.points[i] - front).norm() < (round.points[start] - front).norm()) start = i;
  }
  const bool forward = (round.points[(start + 1) % n] - back).norm() > 1e-9;
  for (int i = 0; i < n; ++i) path.push_back(round.points[((start + (forward ? i : -i)) % n + n) % n]);
  return tape_through(path);
}

// In an upright plane near the bust point: from the line between neck side and shoulder point down the front.
void over_the_bust(int side, const TrunkLevels& at, BodyRuler* ruler) {
  const Vec3 bust = ruler->landmark(sided(side, "bust")), neck = ruler->landmark(sided(side, "neck_side"));
  const Vec3 shoulder = ruler->landmark(sided(side, "shoulder"));
  const double h = ruler->height(), near = bust.x() + kPlaneAside * (0.5 * (neck.x() + shoulder.x()) - bust.x());
  const double share = std::clamp((near - neck.x()) / (shoulder.x() - neck.x()), 0.1, 0.9);
  const Vec3 on_line = neck + share * (shoulder - neck);
  const double x = on_line.x();
  const std::vector<Vec3> points =
      all_points(slice_mesh(ruler->body().mesh, &ruler->headless(), Vec3(x, 0, 0), Vec3::UnitX()));
  const Vec3 top = ruler->on_top(x, on_line.z(), on_line.y());
  const Vec3 ahead(0, 0.5, 1), waist = ruler->on_surface(x, at.waist, 1);
  auto to_level = [&](double y) { return tape_over(points, top, ruler->on_surface(x, y, 1), ahead, 0.15 * h); };
  ruler->set_side(side, "shoulder_to_bust_length", to_level(at.bust), top.y());
  ruler->set_side(side, "shoulder_to_fullest_bust_length", to_level(at.fullest_bust), top.y());
  ruler->set_side(side, "shoulder_to_waist_length", tape_over(points, top, waist, Vec3::UnitZ(), 0.2 * h), top.y());
  const Tape neck_to_bust = ruler->tape_on_body(neck, bust, ahead, 0.1 * h, -kBesideNeck * h);
  const Tape bust_to_waist =
      ruler->tape_on_body(bust, ruler->on_surface(bust.x(), at.waist, 1), Vec3::UnitZ(), 0.1 * h);
  ruler->set_side(side, "neck_to_bust_length", neck_to_bust, neck.y());
  ruler->set_side(side, "front_length", joined_tapes(neck_to_bust, bust_to_waist), neck.y());
}

// Between the lines of the arms' cuts, halfway from armpit to shoulder point.
void across(const std::string& name, double sign, BodyRuler* ruler) {
  const BodyLevels& levels = ruler->levels();
  double y = 0;
  for (const ArmCut& arm : levels.arm) y += 0.25 * (arm.pit_y + arm.top_y);
  Vec3 end[2];
  for (int side = 0; side < 2; ++side) {
    const double aside = levels.arm[side].across_at(y) - 0.004 * levels.height;
    end[side] = ruler->on_surface(levels.middle + side_sign(side) * aside, y, sign);
  }
  end[0].y() = end[1].y() = y;
  ruler->set_tape(name, ruler->tape_on_body(end[0], end[1], sign * Vec3::UnitZ(), 0.1 * levels.height), y);
}

void shoulders(BodyRuler* ruler) {
  const Vec3 nape = ruler->landmark("neck_back"), over(0, 1, -1);
  const Vec3 point[2] = {ruler->landmark("left_shoulder"), ruler->landmark("right_shoulder")};
  const double h = ruler->height();
  ruler->set_tape("shoulder_width", tape_through({point[0], point[1]}), point[1].y());
  const Tape half[2] = {ruler->tape_on_body(point[0], nape, over, 0.08 * h),
                        ruler->tape_on_body(nape, point[1], over, 0.08 * h)};
  ruler->set_tape("across_back_shoulder_width", joined_tapes(half[0], half[1]), nape.y());
  for (int side = 0; side < 2; ++side) {
    const Vec3 neck = ruler->landmark(sided(side, "neck_side"));
    const Tape shoulder = ruler->tape_on_body(neck, point[side], Vec3::UnitY(), 0.05 * h);
    ruler->set_side(side, "shoulder_length", shoulder, neck.y());
    ruler->set_side(side, "shoulder_height", tape_through({Vec3(point[side].x(), 0, point[side].z()), point[side]}),
                    point[side].y());
    const auto arm = ruler->body().curves.find(sided(side, "arm_length"));
    if (arm == ruler->body().curves.end()) continue;
    Tape to_shoulder = half[side];
    if (side == 0) std::reverse(to_shoulder.points.begin(), to_shoulder.points.end());
    ruler->set_side(side, "neck_to_wrist_length", joined_tapes(to_shoulder, tape_through(arm->second.points)),
                    nape.y());
  }
}

}  // namespace

void measure_lengths(const TrunkLevels& at, BodyRuler* ruler) {
  const double nape = ruler->landmark("neck_back").y();
  shoulders(ruler);
  across("across_back_width", -1, ruler), across("across_front_width", 1, ruler);
  ruler->set_tape("back_length", midline_tape(*ruler, at.waist, nape, -1), nape);
  ruler->set_tape("back_length_to_natural_waist", midline_tape(*ruler, at.natural_waist, nape, -1), nape);
  ruler->set_drop("vertical_back_length", ruler->landmark("neck_back"), at.waist);
  const Vec3 throat = ruler->landmark("neck_front");
  ruler->set_tape("neck_front_to_waist_length", midline_tape(*ruler, at.waist, throat.y(), 1), throat.y());
  ruler->set_tape("total_crotch_length", crotch_tape(*ruler, at.waist), at.waist);
  ruler->set_drop("waist_to_hip_height", Vec3(ruler->landmark("waist_back")), at.hip);
  ruler->set_drop("body_rise", ruler->landmark("waist_back"), ruler->levels().crotch);
  ruler->set_drop("scye_depth", ruler->landmark("neck_back"), ruler->levels().armpit());
  for (int side = 0; side < 2; ++side) {
    over_the_bust(side, at, ruler);
  }
}

}  // namespace tryon
