#include <algorithm>
#include <cmath>
#include <numbers>

#include "server/garment/template_parts.h"

namespace tryon {
namespace {

using std::numbers::pi;
constexpr double kBandHeight = 0.036;  // m
constexpr double kWaistEase = 0.006;   // m, of the whole waist

Pattern finished(PatternDraft* draft) {
  Pattern pattern = draft->take();
  for (Panel& panel : pattern.panels) {
    panel.placed = false;
    panel.grain_given = true;
  }
  return pattern;
}

double waist_of(const TemplateInput& in) { return from_mm(in.body.waist_girth) + kWaistEase; }

// A band whose lower side is in `parts`. Edges: 0 .. parts - 1 lower (left to right), end, upper, end.
Panel band(double half, const std::vector<double>& parts, std::string name) {
  PanelDraft d(std::move(name), "body", {-half, 0});
  double x = -half;
  for (const double part : parts) d.line({x += part, 0});
  d.line({half, kBandHeight});
  const int top = d.line({-half, kBandHeight});
  d.close();
  d.panel().edges[static_cast<size_t>(top)].label = "lower_interface";
  return d.panel();
}

// Both halves of the waistband, sewn at the sides. The back one's edges are numbered backwards.
std::pair<int, int> add_bands(PatternDraft* draft, double waist, const std::vector<double>& parts) {
  const int f = draft->add(band(waist / 4, parts, "waistband_front"));
  const int b = draft->add(reversed(band(waist / 4, parts, "waistband_back")));
  const int k = static_cast<int>(parts.size());
  for (const int e : {k, k + 2}) draft->sew(f, e, b, turned(e, k + 3));
  return {f, b};
}

// Edges: 0 hem, 1 side, 2 side above the hip, 3 waist (left), 4 waist (right), 5, 6 side.
Panel two_piece(double waist, double hip, double hem, double hip_depth, double length, std::string name) {
  PanelDraft d(std::move(name), "body", {-hem, 0});
  const double h = length - hip_depth;
  d.line({hem, 0});
  d.line({hip, h});
  d.curve({hip - 0.002, h + 0.4 * hip_depth}, {waist + 0.35 * (hip - waist), length - 0.3 * hip_depth},
          {waist, length});
  d.line({0, length - 0.008});
  d.line({-waist, length});
  d.curve({-waist - 0.35 * (hip - waist), length - 0.3 * hip_depth}, {-hip + 0.002, h + 0.4 * hip_depth}, {-hip, h});
  d.close();
  return d.panel();
}

double hip_depth(const TemplateInput& in, double length) {
  return std::clamp(from_mm(in.body.waist_height - in.body.hip_height), 0.10, 0.8 * length);
}

// Sides, and the waist to the bands, of a front and a back with `sides` and `tops` as edges of n.
void sew_two(PatternDraft* draft, int f, int b, std::pair<int, int> bands, const std::vector<int>& sides,
             const std::vector<int>& tops, int n) {
  for (const int e : sides) draft->sew(f, e, b, turned(e, n));
  const int k = static_cast<int>(tops.size());
  for (int i = 0; i < k; ++i) {  // tops run from the left to the right of the person's front: against the band
    draft->sew(f, tops[i], bands.first, k - 1 - i);
    draft->sew(b, turned(tops[i], n), bands.second, turned(k - 1 - i, k + 3));
  }
}

// A quarter of a circle each side. Edges: 0, 1 hem, 2 side, 3, 4 waist, 5 side.
Panel half_circle(double radius, double length, double share, std::string name) {
  const double outer = radius + length, half = 0.5 * pi * share;  // half of the panel's angle
  const auto at = [half](double r, double a) -> Vec2 { return Vec2(r * std::sin(a * half), -r * std::cos(a * half)); };
  PanelDraft d(std::move(name), "body", at(outer, -1));
  d.arc(at(outer, 0), outer, true);
  d.arc(at(outer, 1), outer, true);
  d.line(at(radius, 1));
  d.arc(at(radius, 0), radius, false);
  d.arc(at(radius, -1), radius, false);
  d.close();
  return d.panel();
}

// Knife pleats: along the waist runs of cloth that show, and between them folds whose two halves are sewn together.
// Edges: 0 hem, 1 side, then waist (show, fold, fold, show, ...), last the other side.
Panel pleated(double waist_half, double depth, int pleats, double length, std::string name) {
  const double show = waist_half / (pleats + 1);
  const double half = waist_half / 2 + pleats * depth;
  PanelDraft d(std::move(name), "body", {-half, 0});
  d.line({half, 0});
  double x = half;
  d.line({x, length});
  for (int i = 0; i <= pleats; ++i) {
    d.line({x -= show, length});
    if (i == pleats) break;
    d.line({x -= depth, length});
    d.line({x -= depth, length});
  }
  d.close();
  return d.panel();
}

struct LegShape {  // metres; x from the centre line, y from the hem
  double waist, hip, crotch, knee_in, knee_out, hem_in, hem_out, top, hip_y, crotch_y, knee_y;
};

// The left leg. Edges: 0 hem, 1 outseam, 2 to the hip, 3 to the waist, 4 waist, 5 centre, 6 crotch, 7 inseam, 8 below.
Panel leg(const LegShape& l, std::string name) {
  PanelDraft d(std::move(name), "leg", {l.hem_in, 0});
  d.line({l.hem_out, 0});
  d.line({l.knee_out, l.knee_y});
  d.curve({l.knee_out + 0.3 * (l.hip - l.knee_out), l.knee_y + 0.35 * (l.hip_y - l.knee_y)},
          {l.hip, l.hip_y - 0.35 * (l.hip_y - l.knee_y)}, {l.hip, l.hip_y});
  const double depth = l.top - l.hip_y, fall = l.hip_y - l.crotch_y;
  d.curve({l.hip, l.hip_y + 0.4 * depth}, {l.waist + 0.35 * (l.hip - l.waist), l.top - 0.3 * depth}, {l.waist, l.top});
  d.line({0, l.top});
  d.line({0, l.hip_y});
  d.curve({0, l.hip_y - 0.62 * fall}, {-0.35 * l.crotch, l.crotch_y}, {-l.crotch, l.crotch_y});
  d.curve({-l.crotch + 0.55 * (l.knee_in + l.crotch), l.crotch_y - 0.25 * (l.crotch_y - l.knee_y)},
          {l.knee_in, l.crotch_y - 0.6 * (l.crotch_y - l.knee_y)}, {l.knee_in, l.knee_y});
  d.close();
  return d.panel();
}
constexpr int kLeg = 9;

// `ease` may be negative: stretch cloth. The knee and the hem are given round the whole leg.
LegShape leg_shape(const TemplateInput& in, double knee_round, double hem_round, bool back) {
  const DraftMeasurements& b = in.body;
  const double hip = from_mm(b.hip_girth) + in.m("ease");
  const double top = from_mm(b.waist_height) - 0.008, crotch = from_mm(b.crotch_height) - in.m("crotch_drop");
  const double hem = std::max(crotch - in.m("length"), 0.02);
  LegShape l{};
  l.waist = (from_mm(b.waist_girth) + std::min(kWaistEase, in.m("ease"))) / 4;
  l.hip = std::max(hip / 4, l.waist);
  l.crotch = hip / 16 + (back ? 0.034 : -0.010);
  l.top = top - hem, l.crotch_y = crotch - hem;
  l.hip_y = std::max(from_mm(b.hip_height) - hem, l.crotch_y + 0.05);
  l.knee_y = 0.48 * l.crotch_y;
  const double middle = 0.5 * (l.hip - l.crotch), wider = back ? 0.006 : -0.006;
  const double at_hem = hem_round / 4 + wider, at_knee = std::max(knee_round / 4 + wider, at_hem * 0.9);
  l.knee_in = middle - at_knee, l.knee_out = middle + at_knee;
  l.hem_in = middle - at_hem, l.hem_out = middle + at_hem;
  return l;
}

Pattern four_legs(const TemplateInput& in, double knee, double hem, const char* name) {
  PatternDraft draft(name);
  const LegShape front = leg_shape(in, knee, hem, false), back = leg_shape(in, knee, hem, true);
  const double waist = 4 * front.waist;
  const auto [bf, bb] = add_bands(&draft, waist, {waist / 4, waist / 4});
  const Panel fl = leg(front, "leg_front_left"), bl = leg(back, "leg_back_left");
  const int f_left = draft.add(fl), f_right = draft.add(reversed(mirrored(fl, "leg_front_right")));
  const int b_left = draft.add(reversed(bl)), b_right = draft.add(mirrored(bl, "leg_back_right"));
  const auto other = [](int e) { return turned(e, kLeg); };
  for (const int e : {1, 2, 3, 7, 8}) {
    draft.sew(f_left, e, b_left, other(e));
    draft.sew(f_right, other(e), b_right, e);
  }
  for (const int e : {5, 6}) {
    draft.sew(f_left, e, f_right, other(e));
    draft.sew(b_left, other(e), b_right, e);
  }
  draft.sew(f_left, 4, bf, 1);
  draft.sew(f_right, other(4), bf, 0);
  draft.sew(b_left, other(4), bb, turned(1, 5));
  draft.sew(b_right, 4, bb, turned(0, 5));
  return finished(&draft);
}

// Bodice with a dart on each side of the centre. Edges: 0 .. 8 waist (part, dart, dart, part, part, dart, dart, part),
// side, armhole, shoulder, neck, neck, shoulder, armhole, side.
struct DressHalf {
  double waist, chest, dart, dart_at, dart_up, length, neck, neck_depth, shoulder, slope, scye;
};

Panel dress_top(const DressHalf& s, std::string name) {
  const double tip = s.length - s.slope, under = s.length - s.scye, in = s.shoulder - 0.016;
  const double end = s.waist + s.dart, dip = s.length - s.neck_depth;  // the dart's width is added to the half waist
  PanelDraft d(std::move(name), "body", {-end, 0});
  d.line({-s.dart_at - s.dart, 0});
  d.line({-s.dart_at - 0.5 * s.dart, s.dart_up});
  d.line({-s.dart_at, 0});
  d.line({0, 0});
  d.line({s.dart_at, 0});
  d.line({s.dart_at + 0.5 * s.dart, s.dart_up});
  d.line({s.dart_at + s.dart, 0});
  d.line({end, 0});
  d.line({s.chest, under});
  d.curve({s.chest - 0.75 * (s.chest - in), under}, {in, tip - 0.55 * (tip - under)}, {s.shoulder, tip});
  d.line({s.neck, s.length});
  d.curve({s.neck * 0.97, s.length - 0.75 * s.neck_depth}, {s.neck * 0.55, dip}, {0, dip});
  d.curve({-s.neck * 0.55, dip}, {-s.neck * 0.97, s.length - 0.75 * s.neck_depth}, {-s.neck, s.length});
  d.line({-s.shoulder, tip});
  d.curve({-in, tip - 0.55 * (tip - under)}, {-s.chest + 0.75 * (s.chest - in), under}, {-s.chest, under});
  d.close();
  return d.panel();
}
constexpr int kDressTop = 16;

// Skirt of the dress. Edges: 0 hem, 1 side, 2 hip, 3 .. 10 waist from the left (part, dart, dart, part, ...), 11, 12.
Panel dress_skirt(double waist, double dart, double dart_at, double hip, double hem, double depth, double length,
                  std::string name) {
  const double h = length - depth, end = waist + dart;
  PanelDraft d(std::move(name), "body", {-hem, 0});
  d.line({hem, 0});
  d.line({hip, h});
  d.curve({hip, h + 0.4 * depth}, {end + 0.35 * (hip - end), length - 0.3 * depth}, {end, length});
  d.line({dart_at + dart, length});
  d.line({dart_at + 0.5 * dart, length - 0.55 * depth});
  d.line({dart_at, length});
  d.line({0, length});
  d.line({-dart_at, length});
  d.line({-dart_at - 0.5 * dart, length - 0.55 * depth});
  d.line({-dart_at - dart, length});
  d.line({-end, length});
  d.curve({-end - 0.35 * (hip - end), length - 0.3 * depth}, {-hip, h + 0.4 * depth}, {-hip, h});
  d.close();
  return d.panel();
}
constexpr int kDressSkirt = 13;

}  // namespace

Pattern draft_skirt_of_two(const TemplateInput& in) {
  const double waist = waist_of(in), length = in.m("length"), depth = hip_depth(in, length);
  const double hip = std::max((from_mm(in.body.hip_girth) + in.m("ease")) / 4, waist / 4);
  const double hem = hip + in.m("flare") / 4;
  PatternDraft draft("skirt");
  const auto bands = add_bands(&draft, waist, {waist / 4, waist / 4});
  const int f = draft.add(two_piece(waist / 4, hip, hem, depth, length, "skirt_front"));
  const int b = draft.add(reversed(two_piece(waist / 4, hip, hem, depth, length, "skirt_back")));
  sew_two(&draft, f, b, bands, {1, 2, 5, 6}, {3, 4}, 7);
  return finished(&draft);
}

Pattern draft_circle_skirt(const TemplateInput& in) {
  const double waist = waist_of(in), share = in.value("circle");
  const double radius = waist / (2 * pi * share);
  PatternDraft draft("circle_skirt");
  const auto bands = add_bands(&draft, waist, {waist / 4, waist / 4});
  const int f = draft.add(half_circle(radius, in.m("length"), share, "skirt_front"));
  const int b = draft.add(reversed(half_circle(radius, in.m("length"), share, "skirt_back")));
  sew_two(&draft, f, b, bands, {2, 5}, {3, 4}, 6);
  return finished(&draft);
}

Pattern draft_pleated_skirt(const TemplateInput& in) {
  const double waist = waist_of(in);
  const int pleats = static_cast<int>(std::lround(in.value("pleats")));
  const int n = 4 + 3 * pleats;
  PatternDraft draft("pleated_skirt");
  const auto bands =
      add_bands(&draft, waist, std::vector<double>(static_cast<size_t>(pleats) + 1, waist / 2 / (pleats + 1)));
  const Panel panel = pleated(waist / 2, in.m("pleat_depth"), pleats, in.m("length"), "skirt_front");
  Panel behind = panel;
  behind.name = "skirt_back";
  const int f = draft.add(panel), b = draft.add(reversed(behind));
  std::vector<int> tops;
  for (int i = 0; i <= pleats; ++i) tops.push_back(2 + 3 * i);
  sew_two(&draft, f, b, bands, {1, n - 1}, tops, n);
  for (int i = 0; i < pleats; ++i) {
    draft.sew(f, 3 + 3 * i, f, 4 + 3 * i);
    draft.sew(b, turned(3 + 3 * i, n), b, turned(4 + 3 * i, n));
  }
  return finished(&draft);
}

Pattern draft_trousers_of_four(const TemplateInput& in) {
  return four_legs(in, in.m("knee_width"), in.m("hem_width"), "trousers");
}

Pattern draft_leggings(const TemplateInput& in) {
  // A stretch garment follows the leg: knee and ankle in proportion to the hip.
  const double hip = from_mm(in.body.hip_girth) + in.m("ease");
  return four_legs(in, 0.385 * hip, 0.265 * hip, "leggings");
}

Pattern draft_fitted_dress(const TemplateInput& in) {
  const DraftMeasurements& m = in.body;
  const double ease = in.m("ease"), bust = from_mm(m.bust_girth) + ease, waist = from_mm(m.waist_girth) + ease;
  const double hip = std::max(from_mm(m.hip_girth) + ease, waist);
  DressHalf s{};
  s.waist = waist / 4, s.chest = bust / 4;
  s.dart = std::clamp(0.5 * (s.chest - s.waist), 0.012, 0.045);
  s.length = from_mm(m.neck_height - m.waist_height) + 0.012;
  s.neck = from_mm(m.neck_girth) / 5.2 + in.m("neck_width");
  s.shoulder = std::max(from_mm(m.shoulder_width) / 2 - 0.004, s.neck + 0.03);
  s.slope = 0.34 * (s.shoulder - s.neck), s.scye = std::min(from_mm(m.bust_girth) / 8 + 0.115, s.length - 0.10);
  s.dart_at = 0.42 * s.waist, s.dart_up = 0.55 * (s.length - s.scye);
  s.neck_depth = from_mm(m.neck_girth) / 5 + 0.005 + in.m("neck_depth");
  DressHalf behind = s;
  behind.neck_depth = 0.03, behind.dart_up = 0.8 * (s.length - s.scye);
  const double length = in.m("skirt_length"), depth = hip_depth(in, length);
  const double hips = std::max(hip / 4, s.waist + s.dart), hem = hips + in.m("flare") / 4;
  PatternDraft draft("fitted_dress");
  const int f = draft.add(dress_top(s, "bodice_front")), b = draft.add(reversed(dress_top(behind, "bodice_back")));
  const auto skirt = [&](const char* name) {
    return dress_skirt(s.waist, s.dart, s.dart_at, hips, hem, depth, length, name);
  };
  const int sf = draft.add(skirt("skirt_front")), sb = draft.add(reversed(skirt("skirt_back")));
  for (const int e : {8, 10, 13, 15}) draft.sew(f, e, b, turned(e, kDressTop));
  for (const int e : {1, 2, 11, 12}) draft.sew(sf, e, sb, turned(e, kDressSkirt));
  for (const int e : {1, 5}) {
    draft.sew(f, e, f, e + 1);
    draft.sew(b, turned(e, kDressTop), b, turned(e + 1, kDressTop));
  }
  for (const int e : {4, 8}) {
    draft.sew(sf, e, sf, e + 1);
    draft.sew(sb, turned(e, kDressSkirt), sb, turned(e + 1, kDressSkirt));
  }
  for (const int e : {0, 3, 4, 7}) {  // the skirt's waist runs the other way
    draft.sew(f, e, sf, 10 - e);
    draft.sew(b, turned(e, kDressTop), sb, turned(10 - e, kDressSkirt));
  }
  return finished(&draft);
}

}  // namespace tryon
