#include "server/garment/templates/leg_parts.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tryon {
namespace {

constexpr double kHemOffFloor = 0.04;  // m at the least: lower hems get caught under the heels

struct LegShape {  // metres; x from the centre line, y from the hem
  double waist, hip, crotch, knee_in, knee_out, hem_in, hem_out, top, hip_y, crotch_y, knee_y;
  double centre, dart, dart_at;  // the waist's way from the centre line; the dart's width and its way from there
};

// The left leg. Edges: 0 hem, 1 outseam, 2 to the hip, 3 to the waist, 4 waist at the side, 5, 6 dart, 7 waist at the
// centre, 8 centre, 9 crotch, 10 inseam, 11 below.
Panel leg(const LegShape& l, std::string name) {
  PanelDraft d(std::move(name), "leg", {l.hem_in, 0});
  d.line({l.hem_out, 0});
  d.line({l.knee_out, l.knee_y});
  d.curve({l.knee_out + 0.3 * (l.hip - l.knee_out), l.knee_y + 0.35 * (l.hip_y - l.knee_y)},
          {l.hip, l.hip_y - 0.35 * (l.hip_y - l.knee_y)}, {l.hip, l.hip_y});
  const double depth = l.top - l.hip_y, fall = l.hip_y - l.crotch_y;
  const double side = l.centre + l.waist + l.dart, from = l.centre + l.dart_at;
  d.curve({l.hip, l.hip_y + 0.4 * depth}, {side + 0.35 * (l.hip - side), l.top - 0.3 * depth}, {side, l.top});
  d.line({from + l.dart, l.top});
  d.line({from + 0.5 * l.dart, l.top - 0.55 * depth});
  d.line({from, l.top});
  d.line({l.centre, l.top});
  d.line({0, l.hip_y});
  d.curve({0, l.hip_y - 0.62 * fall}, {-0.35 * l.crotch, l.crotch_y}, {-l.crotch, l.crotch_y});
  d.curve({-l.crotch + 0.55 * (l.knee_in + l.crotch), l.crotch_y - 0.25 * (l.crotch_y - l.knee_y)},
          {l.knee_in, l.crotch_y - 0.6 * (l.crotch_y - l.knee_y)}, {l.knee_in, l.knee_y});
  d.close();
  return d.panel();
}
constexpr int kLeg = 12;

// `ease` may be negative: stretch cloth. The knee and the hem are given round the whole leg.
LegShape leg_shape(const TemplateInput& in, double knee_round, double hem_round, bool back) {
  const DraftMeasurements& b = in.body;
  const double hip = from_mm(b.hip_girth) + in.m("ease");
  const double top = from_mm(b.waist_height) - 0.008, crotch = from_mm(b.crotch_height) - in.m("crotch_drop");
  const double hem = std::max(crotch - in.m("length"), kHemOffFloor);
  LegShape l{};
  l.waist = waist_of(in) / 4;
  l.hip = std::max(hip / 4, l.waist);
  l.crotch = std::max(hip / 12 - 0.035, 0.02) + (back ? hip / 18 : 0.0);
  const double take = l.hip - l.waist;  // shared by the centre seam, the dart and the side seam
  l.centre = (back ? 0.22 : 0.12) * take, l.dart = std::clamp(0.38 * take, 0.004, 0.03), l.dart_at = 0.5 * l.waist;
  l.top = top - hem, l.crotch_y = crotch - hem;
  l.hip_y = std::max(from_mm(b.hip_height) - hem, l.crotch_y + 0.05);
  l.knee_y = 0.48 * l.crotch_y;
  const double middle = 0.5 * (l.hip - l.crotch), wider = back ? 0.006 : -0.006;
  const double at_hem = hem_round / 4 + wider, at_knee = std::max(knee_round / 4 + wider, at_hem * 0.9);
  l.knee_in = middle - at_knee, l.knee_out = middle + at_knee;
  l.hem_in = middle - at_hem, l.hem_out = middle + at_hem;
  return l;
}

}  // namespace

Pattern draw_legs(const TemplateInput& in, double knee, double hem, const char* name) {
  PatternDraft draft(name);
  const LegShape front = leg_shape(in, knee, hem, false), back = leg_shape(in, knee, hem, true);
  const double waist = 4 * front.waist, part = waist / 8;
  const auto [bf, bb] = add_bands(&draft, waist, {part, part, part, part});
  const Panel fl = leg(front, "leg_front_left"), bl = leg(back, "leg_back_left");
  const int f_left = draft.add(fl), f_right = draft.add(reversed(mirrored(fl, "leg_front_right")));
  const int b_left = draft.add(reversed(bl)), b_right = draft.add(mirrored(bl, "leg_back_right"));
  const auto other = [](int e) { return turned(e, kLeg); };
  for (const int e : {1, 2, 3, 10, 11}) {
    draft.sew(f_left, e, b_left, other(e));
    draft.sew(f_right, other(e), b_right, e);
  }
  for (const int e : {8, 9}) {
    draft.sew(f_left, e, f_right, other(e));
    draft.sew(b_left, other(e), b_right, e);
  }
  for (const auto& [edge, left, right] : {std::array{4, 3, 0}, std::array{7, 2, 1}}) {
    draft.sew(f_left, edge, bf, left);
    draft.sew(f_right, other(edge), bf, right);
    draft.sew(b_left, other(edge), bb, turned(left, 7));
    draft.sew(b_right, edge, bb, turned(right, 7));
  }
  for (const int p : {f_left, b_right}) draft.sew(p, 5, p, 6);
  for (const int p : {f_right, b_left}) draft.sew(p, other(5), p, other(6));
  return finished(&draft);
}

TemplateParameters leg_parameters(double length, double ease, double drop, double least_ease) {
  return {{"length", "mm", "from the crotch to the hem, which ends 40 mm above the floor or higher", 60, 820, length},
          {"ease", "mm", "added to the hip girth", least_ease, 240, ease},
          {"crotch_drop", "mm", "how far the crotch lies below the body's", 0, 80, drop}};
}

}  // namespace tryon
