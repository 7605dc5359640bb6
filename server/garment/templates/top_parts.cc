#include "server/garment/templates/top_parts.h"

#include <algorithm>
#include <cmath>

namespace tryon {
namespace {

// A whole sleeve, its cap up. Edges: 0 hem, 1 underarm (back), 2 cap (back), 3 cap (front), 4 underarm (front).
Panel sleeve_panel(double cap, double half_width, double length, double hem_half, std::string name) {
  const double rise = std::max(length - cap, 0.02);
  PanelDraft d(std::move(name), "arm", {-hem_half, 0});
  d.line({hem_half, 0});
  d.line({half_width, rise});
  d.curve({0.62 * half_width, rise}, {0.45 * half_width, rise + cap}, {0, rise + cap});
  d.curve({-0.45 * half_width, rise + cap}, {-0.62 * half_width, rise}, {-half_width, rise});
  d.close();
  return d.panel();
}
constexpr int kSleeve = 5;

// The cap as high as makes half of its edge as long as the armhole.
double cap_height(double armhole, double half_width) {
  double low = 0.0, high = 0.3;
  for (int i = 0; i < 50; ++i) {
    const double middle = 0.5 * (low + high);
    (edge_length(sleeve_panel(middle, half_width, 1.0, half_width, ""), 2) < armhole ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace

TemplateParameters top_parameters(double ease, double length, double neck_depth, double drop) {
  return {{"length", "mm", "from the neck to the hem", 350, 1200, length},
          {"ease", "mm", "added to the bust girth", 0, 400, ease},
          {"neck_depth", "mm", "how far the front neckline lies below the neck", 0, 180, neck_depth},
          {"neck_width", "mm", "how far the neckline lies beside the neck", 0, 80, 8},
          {"shoulder_drop", "mm", "how far the shoulder runs past its tip", -60, 60, drop}};
}

TemplateParameters sleeve_parameters(double length, double ease) {
  return {{"sleeve_length", "mm", "from the shoulder tip to the hem", 120, 720, length},
          {"sleeve_ease", "mm", "added to the upper arm's girth", 30, 240, ease}};
}

Panel top_panel(const TopShape& t, double neck_depth, std::string name) {
  const double top = t.length, tip = top - t.slope, under = top - t.scye, in = t.shoulder - 0.014;
  const double dip = top - neck_depth;
  PanelDraft d(std::move(name), "body", {-t.hem, 0});
  d.line({t.hem, 0});
  d.line({t.chest, under});
  d.curve({t.chest - 0.75 * (t.chest - in), under}, {in, tip - 0.55 * (tip - under)}, {t.shoulder, tip});
  d.line({t.neck, top});
  d.curve({t.neck * 0.97, top - 0.75 * neck_depth}, {t.neck * 0.55, dip}, {0, dip});
  d.curve({-t.neck * 0.55, dip}, {-t.neck * 0.97, top - 0.75 * neck_depth}, {-t.neck, top});
  d.line({-t.shoulder, tip});
  d.curve({-in, tip - 0.55 * (tip - under)}, {-t.chest + 0.75 * (t.chest - in), under}, {-t.chest, under});
  d.close();
  return d.panel();
}
Panel half_top_panel(const TopShape& t, double neck_depth, std::string name) {
  const double top = t.length, tip = top - t.slope, under = top - t.scye, in = t.shoulder - 0.014;
  const double dip = top - neck_depth;
  PanelDraft d(std::move(name), "body", {0, 0});
  d.line({t.hem, 0});
  d.line({t.chest, under});
  d.curve({t.chest - 0.75 * (t.chest - in), under}, {in, tip - 0.55 * (tip - under)}, {t.shoulder, tip});
  d.line({t.neck, top});
  d.curve({t.neck * 0.97, top - 0.75 * neck_depth}, {t.neck * 0.55, dip}, {0, dip});
  d.close();
  return d.panel();
}
TopShape top_shape(const TemplateInput& in) {
  const DraftMeasurements& b = in.body;
  TopShape t{};
  t.chest = (from_mm(b.bust_girth) + in.m("ease")) / 4;
  t.neck = from_mm(b.neck_girth) / 5 - 0.005 + in.m("neck_width");
  t.shoulder = std::max(from_mm(b.shoulder_width) / 2 + 0.008 + in.m("shoulder_drop"), t.neck + 0.03);
  t.slope = 0.34 * (t.shoulder - t.neck);
  t.scye = from_mm(b.bust_girth) / 5 + 0.044 + 0.15 * in.m("ease");
  t.front_neck = from_mm(b.neck_girth) / 5 - 0.010 + in.m("neck_depth");
  t.back_neck = 0.025;
  t.length = std::max(in.m("length"), t.scye + 0.06);
  // Below the waist the cloth must go round the hip as well.
  const double to_hip = from_mm(b.neck_height - b.hip_height);
  const double hip = (from_mm(b.hip_girth) + 0.7 * in.m("ease")) / 4;
  const double below = std::clamp((t.length - t.scye) / std::max(to_hip - t.scye, 0.05), 0.0, 1.0);
  t.hem = std::max(t.chest, t.chest + below * (hip - t.chest));
  return t;
}

TopPanels add_top(PatternDraft* draft, const TopShape& t, bool open_front) {
  TopPanels out{};
  const Panel back = reversed(top_panel(t, t.back_neck, "back"));
  if (!open_front) {
    out.front_left = draft->add(top_panel(t, t.front_neck, "front"));
    out.front_right = -1;
    out.back = draft->add(back);
    for (const int e : {1, 3, 6, 8}) draft->sew(out.front_left, e, out.back, top_back(e));
    return out;
  }
  const Panel left = half_top_panel(t, t.front_neck, "front_left");
  out.front_left = draft->add(left);
  out.front_right = draft->add(reversed(mirrored(left, "front_right")));
  out.back = draft->add(back);
  for (const int e : {1, 3}) {
    draft->sew(out.front_left, e, out.back, top_back(e));
    draft->sew(out.front_right, turned(e, kHalfTopEdges), out.back, top_back(9 - e));
  }
  draft->sew(out.front_left, 5, out.front_right, turned(5, kHalfTopEdges));  // buttoned
  return out;
}

void add_sleeves(PatternDraft* draft, const TemplateInput& in, const TopShape& t, const TopPanels& top) {
  const bool halves = top.front_right >= 0;
  const double armhole = edge_length(top_panel(t, t.front_neck, ""), 2);
  const double half = std::min((from_mm(in.body.upper_arm_girth) + in.m("sleeve_ease")) / 2, 0.94 * armhole);
  const double length = in.m("sleeve_length"), cap = cap_height(armhole, half);
  // The sleeve narrows along its length towards the wrist.
  const double taper = std::clamp((length - cap) / 0.45, 0.0, 1.0);
  const Panel left = sleeve_panel(cap, half, length + 0.4 * cap, half * (1.0 - 0.42 * taper), "sleeve_left");
  const int l = draft->add(left), r = draft->add(reversed(mirrored(left, "sleeve_right")));
  draft->sew(l, 1, l, 4);
  draft->sew(r, turned(1, kSleeve), r, turned(4, kSleeve));
  draft->sew(top.front_left, 2, l, 3);
  draft->sew(top.back, top_back(2), l, 2);
  draft->sew(halves ? top.front_right : top.front_left, halves ? turned(2, kHalfTopEdges) : 7, r, turned(3, kSleeve));
  draft->sew(top.back, top_back(7), r, turned(2, kSleeve));
}

}  // namespace tryon
