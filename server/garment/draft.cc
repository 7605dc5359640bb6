#include "server/garment/draft.h"

#include <algorithm>
#include <cmath>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/base/units.h"
#include "server/garment/draft_panel.h"

namespace tryon {
namespace {

constexpr double kStart = 0.20;  // m: how far in front of and behind the body's middle the panels begin

struct Torso {  // metres; x from the centre line, y from the hem
  double chest, hem, length, neck, neck_depth, shoulder, slope, scye;
};

// Edges: 0 hem, 1 side (left), 2 armhole (left), 3 shoulder (left), 4 neckline, 5 shoulder, 6 armhole, 7 side (right).
Panel torso_panel(const Torso& t, std::string name) {
  const double top = t.length, tip = top - t.slope, under = top - t.scye;
  PanelDraft draft(std::move(name), "body", {-t.hem, 0});
  draft.line({t.hem, 0});
  draft.line({t.chest, under});
  const double in = t.shoulder - 0.012;  // the armhole hollows a little inside the shoulder tip
  draft.curve({t.chest - 0.75 * (t.chest - in), under}, {in, tip - 0.55 * (tip - under)}, {t.shoulder, tip});
  draft.line({t.neck, top});
  const double dip = top - t.neck_depth;
  draft.curve({t.neck * 0.97, top - 0.75 * t.neck_depth}, {t.neck * 0.55, dip}, {0, dip});
  draft.curve({-t.neck * 0.55, dip}, {-t.neck * 0.97, top - 0.75 * t.neck_depth}, {-t.neck, top});
  draft.line({-t.shoulder, tip});
  draft.curve({-in, tip - 0.55 * (tip - under)}, {-t.chest + 0.75 * (t.chest - in), under}, {-t.chest, under});
  draft.close();
  return draft.panel();
}
enum TorsoEdge {
  kHem,
  kSideLeft,
  kArmholeLeft,
  kShoulderLeft,
  kNeckLeft,
  kNeckRight,
  kShoulderRight,
  kArmholeRight,
  kSideRight,
  kTorsoEdgeCount
};

// Half a sleeve, x along the arm from the shoulder tip, y up across it. Edges: 0 cap, 1 underarm, 2 hem, 3 top.
Panel sleeve_panel(double cap_height, double half_width, double length, std::string name) {
  PanelDraft draft(std::move(name), "arm", {0, 0});
  draft.curve({0, -0.45 * half_width}, {cap_height, -0.62 * half_width}, {cap_height, -half_width});
  draft.line({length, -0.94 * half_width});
  draft.line({length + 0.01, 0});
  draft.close();
  return draft.panel();
}
enum SleeveEdge { kCap, kUnderarm, kSleeveHem, kSleeveTop };

// The cap height whose cap edge is as long as the armhole.
double cap_height_for(double armhole, double half_width, double length) {
  double low = 0.0, high = 0.9 * length;
  for (int i = 0; i < 50; ++i) {
    const double middle = 0.5 * (low + high);
    (edge_length(sleeve_panel(middle, half_width, length, ""), kCap) < armhole ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

void place(Panel* panel, double x, double y, double z) { panel->translation = Vec3(x, y, z); }

// Adds a sleeve half beside the left shoulder tip and its mirror image; returns {left, right}.
std::pair<int, int> add_sleeve(PatternDraft* draft, Panel half, const Vec3& tip, double angle, bool back) {
  half.rotation = Eigen::AngleAxisd(-angle, Vec3::UnitZ()).toRotationMatrix();
  place(&half, tip.x(), tip.y(), back ? -kStart : kStart);
  const std::string name = back ? "sleeve_back" : "sleeve_front";
  half.name = name + "_left";
  Panel right = mirrored(half, name + "_right");
  // The front left half runs counter-clockwise as drafted; its mirror image must be turned, the back the other way.
  if (back) half = reversed(half);
  if (!back) right = reversed(right);
  const int left_index = draft->add(half);
  return {left_index, draft->add(right)};
}

Pattern draft_tshirt(const DraftMeasurements& m) {
  const double neck_y = from_mm(m.neck_height) + 0.012, hem_y = from_mm(m.hip_height) - 0.03;
  Torso t{};
  t.chest = from_mm(m.bust_girth + 80) / 4;
  t.hem = std::max(t.chest, from_mm(m.hip_girth + 60) / 4);
  t.length = neck_y - hem_y;
  t.neck = from_mm(m.neck_girth) / 5.2;
  t.shoulder = from_mm(m.shoulder_width) / 2 + 0.008;
  t.slope = 0.34 * (t.shoulder - t.neck);
  t.scye = from_mm(m.bust_girth) / 8 + 0.125;
  Torso f = t;
  f.neck_depth = from_mm(m.neck_girth) / 5 + 0.022;
  t.neck_depth = 0.025;

  PatternDraft draft("tshirt");
  Panel front = torso_panel(f, "front"), back = torso_panel(t, "back");
  place(&front, 0, hem_y, kStart);
  place(&back, 0, hem_y, -kStart);
  const double armhole = edge_length(front, kArmholeLeft), length = 0.23;
  const double half_width = from_mm(m.upper_arm_girth + 75) / 2;
  const Panel half = sleeve_panel(cap_height_for(armhole, half_width, length), half_width, length, "");
  const Vec3 tip(t.shoulder + 0.01, hem_y + t.length - t.slope, 0);
  const double angle = radians(m.arm_angle_deg);

  const int f0 = draft.add(front), b0 = draft.add(reversed(back));
  const auto [fl, fr] = add_sleeve(&draft, half, tip, angle, false);
  const auto [bl, br] = add_sleeve(&draft, half, tip, angle, true);
  auto back_edge = [](int e) { return turned(e, kTorsoEdgeCount); };
  for (int e : {kSideLeft, kSideRight, kShoulderLeft, kShoulderRight}) draft.sew(f0, e, b0, back_edge(e));
  draft.sew(f0, kArmholeLeft, fl, kCap);
  draft.sew(f0, kArmholeRight, fr, turned(kCap, 4));
  draft.sew(b0, back_edge(kArmholeLeft), bl, turned(kCap, 4));
  draft.sew(b0, back_edge(kArmholeRight), br, kCap);
  for (int e : {kUnderarm, kSleeveTop}) {
    draft.sew(fl, e, bl, turned(e, 4));
    draft.sew(fr, turned(e, 4), br, e);
  }
  return draft.take();
}

// A strip for half the waist. Edges: 0 lower left half, 1 lower right half, 2 side, 3 upper (the waist line), 4 side.
Panel band_panel(double half_length, double height, std::string name) {
  PanelDraft draft(std::move(name), "body", {-half_length, 0});
  draft.line({0, 0});
  draft.line({half_length, 0});
  draft.line({half_length, height});
  const int top = draft.line({-half_length, height});
  draft.close();
  draft.panel().edges[static_cast<size_t>(top)].label = "lower_interface";
  return draft.panel();
}
constexpr double kBandHeight = 0.036;

// Front and back bands sewn to each other at the sides; returns {front, back}; the back band is reversed.
std::pair<int, int> add_bands(PatternDraft* draft, const DraftMeasurements& m) {
  const double half = from_mm(m.waist_girth) * 1.0 / 4, y = from_mm(m.waist_height) - 0.008;
  Panel front = band_panel(half, kBandHeight, "waistband_front"),
        back = band_panel(half, kBandHeight, "waistband_back");
  place(&front, 0, y, kStart);
  place(&back, 0, y, -kStart);
  const int f = draft->add(front), b = draft->add(reversed(back));
  for (int e : {2, 4}) draft->sew(f, e, b, turned(e, 5));
  return {f, b};
}

// Edges: 0 hem, 1 side below the hip, 2 side above it, 3 waist left half, 4 waist right half, 5, 6 side (right).
Panel skirt_panel(double waist, double hip, double hem, double hip_depth, double length, std::string name) {
  PanelDraft draft(std::move(name), "body", {-hem, 0});
  const double h = length - hip_depth;
  draft.line({hem, 0});
  draft.line({hip, h});
  draft.curve({hip - 0.002, h + 0.4 * hip_depth}, {waist + 0.35 * (hip - waist), length - 0.3 * hip_depth},
              {waist, length});
  draft.line({0, length - 0.008});
  draft.line({-waist, length});
  draft.curve({-waist - 0.35 * (hip - waist), length - 0.3 * hip_depth}, {-hip + 0.002, h + 0.4 * hip_depth},
              {-hip, h});
  draft.close();
  return draft.panel();
}

Pattern draft_skirt(const DraftMeasurements& m) {
  const double waist_y = from_mm(m.waist_height) - 0.008, length = waist_y - (from_mm(m.crotch_height) * 0.62);
  const double hip_depth = std::max(0.12, waist_y - from_mm(m.hip_height));
  const double waist = from_mm(m.waist_girth + 6) / 4, hip = from_mm(m.hip_girth + 20) / 4, hem = hip + 0.075;
  PatternDraft draft("skirt");
  const auto [bf, bb] = add_bands(&draft, m);
  Panel front = skirt_panel(waist, hip, hem, hip_depth, length, "front");
  Panel back = skirt_panel(waist, hip, hem, hip_depth, length, "back");
  place(&front, 0, waist_y - length, kStart);
  place(&back, 0, waist_y - length, -kStart);
  const int f = draft.add(front), b = draft.add(reversed(back));
  for (int e : {1, 2, 5, 6}) draft.sew(f, e, b, turned(e, 7));
  draft.sew(f, 3, bf, 1);
  draft.sew(f, 4, bf, 0);
  draft.sew(b, turned(3, 7), bb, turned(1, 5));
  draft.sew(b, turned(4, 7), bb, turned(0, 5));
  return draft.take();
}

struct Leg {  // metres; x = 0 at the centre line, y = 0 at the hem
  double waist, hip, crotch, knee_in, knee_out, hem_in, hem_out, rise_top, hip_y, crotch_y, knee_y;
};

// The left leg. Edges: 0 hem, 1 outseam below the knee, 2 to the hip, 3 to the waist, 4 waist, 5 centre seam,
// 6 crotch curve, 7 inseam to the knee, 8 inseam below.
Panel leg_panel(const Leg& l, std::string name) {
  PanelDraft draft(std::move(name), "leg", {l.hem_in, 0});
  draft.line({l.hem_out, 0});
  draft.line({l.knee_out, l.knee_y});
  draft.curve({l.knee_out + 0.3 * (l.hip - l.knee_out), l.knee_y + 0.35 * (l.hip_y - l.knee_y)},
              {l.hip, l.hip_y - 0.35 * (l.hip_y - l.knee_y)}, {l.hip, l.hip_y});
  const double depth = l.rise_top - l.hip_y;
  draft.curve({l.hip, l.hip_y + 0.4 * depth}, {l.waist + 0.35 * (l.hip - l.waist), l.rise_top - 0.3 * depth},
              {l.waist, l.rise_top});
  draft.line({0, l.rise_top});
  draft.line({0, l.hip_y});
  const double fall = l.hip_y - l.crotch_y;
  draft.curve({0, l.hip_y - 0.62 * fall}, {-0.35 * l.crotch, l.crotch_y}, {-l.crotch, l.crotch_y});
  draft.curve({-l.crotch + 0.55 * (l.knee_in + l.crotch), l.crotch_y - 0.25 * (l.crotch_y - l.knee_y)},
              {l.knee_in, l.crotch_y - 0.6 * (l.crotch_y - l.knee_y)}, {l.knee_in, l.knee_y});
  draft.close();
  return draft.panel();
}
constexpr int kLegEdges = 9;

Leg leg_measures(const DraftMeasurements& m, double waist_y, double hem_y, bool back) {
  Leg l{};
  const double hip = from_mm(m.hip_girth + 18);
  l.waist = from_mm(m.waist_girth + 6) / 4;
  l.hip = hip / 4;
  l.crotch = hip / 16 + (back ? 0.038 : -0.010);
  l.rise_top = waist_y - hem_y;
  l.hip_y = from_mm(m.hip_height) - hem_y;
  l.crotch_y = from_mm(m.crotch_height) - 0.018 - hem_y;
  l.hip_y = std::max(l.hip_y, l.crotch_y + 0.05);
  l.knee_y = 0.52 * l.crotch_y;
  const double middle = 0.5 * (l.hip - l.crotch), half = back ? 0.118 : 0.108;
  l.knee_in = middle - half;
  l.knee_out = middle + half;
  l.hem_in = middle - half + 0.006;
  l.hem_out = middle + half - 0.006;
  return l;
}

Pattern draft_trousers(const DraftMeasurements& m) {
  const double waist_y = from_mm(m.waist_height) - 0.008, hem_y = 0.045;
  PatternDraft draft("trousers");
  const auto [bf, bb] = add_bands(&draft, m);
  const Leg front = leg_measures(m, waist_y, hem_y, false), back = leg_measures(m, waist_y, hem_y, true);
  Panel fl = leg_panel(front, "front_left"), bl = leg_panel(back, "back_left");
  place(&fl, front.crotch + 0.005, hem_y, kStart);  // beside the middle: the crotch extensions do not overlap
  place(&bl, back.crotch + 0.005, hem_y, -kStart);
  const Panel fr = reversed(mirrored(fl, "front_right")), br = mirrored(bl, "back_right");
  const int f_left = draft.add(fl), f_right = draft.add(fr), b_left = draft.add(reversed(bl)), b_right = draft.add(br);
  auto other = [](int e) { return turned(e, kLegEdges); };
  for (int e : {1, 2, 3, 7, 8}) {
    draft.sew(f_left, e, b_left, other(e));
    draft.sew(f_right, other(e), b_right, e);
  }
  for (int e : {5, 6}) {
    draft.sew(f_left, e, f_right, other(e));
    draft.sew(b_left, other(e), b_right, e);
  }
  draft.sew(f_left, 4, bf, 1);
  draft.sew(f_right, other(4), bf, 0);
  draft.sew(b_left, other(4), bb, turned(1, 5));
  draft.sew(b_right, 4, bb, turned(0, 5));
  return draft.take();
}

absl::Status check(std::string_view field, double value, double low, double high) {
  if (value >= low && value <= high) return absl::OkStatus();
  return invalid_input("MEASUREMENT_IMPOSSIBLE", field, cat(field, " is ", value, ", outside ", low, " .. ", high),
                       "Measure again, or give a pattern of your own.");
}

}  // namespace

absl::Status validate(const DraftMeasurements& m) {
  RETURN_IF_ERROR(check("bust_girth", m.bust_girth, 400, 2000));
  RETURN_IF_ERROR(check("waist_girth", m.waist_girth, 300, 2000));
  RETURN_IF_ERROR(check("hip_girth", m.hip_girth, 400, 2200));
  RETURN_IF_ERROR(check("shoulder_width", m.shoulder_width, 180, 700));
  RETURN_IF_ERROR(check("neck_girth", m.neck_girth, 180, 700));
  RETURN_IF_ERROR(check("upper_arm_girth", m.upper_arm_girth, 100, 700));
  RETURN_IF_ERROR(check("neck_height", m.neck_height, 400, 2100));
  RETURN_IF_ERROR(check("waist_height", m.waist_height, 300, m.neck_height - 100));
  RETURN_IF_ERROR(check("hip_height", m.hip_height, 200, m.waist_height - 30));
  return check("crotch_height", m.crotch_height, 150, m.hip_height);
}

std::vector<std::string> draft_names() { return {"skirt", "trousers", "tshirt"}; }

absl::StatusOr<Pattern> draft_sample(std::string_view name, const DraftMeasurements& m) {
  RETURN_IF_ERROR(validate(m));
  if (name == "tshirt") return draft_tshirt(m);
  if (name == "skirt") return draft_skirt(m);
  if (name == "trousers") return draft_trousers(m);
  return invalid_input("SAMPLE_UNKNOWN", "garment.sample",
                       cat("there is no sample garment \"", name.substr(0, 64), "\""),
                       "The samples are: skirt, trousers, tshirt.");
}

}  // namespace tryon
