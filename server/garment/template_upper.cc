#include <algorithm>
#include <cmath>

#include "server/garment/template_parts.h"

namespace tryon {
namespace {

struct Trunk {  // metres; x from the centre line, y from the hem
  double chest, hem, length, neck, front_neck, back_neck, shoulder, slope, scye;
};

// Edges: 0 hem, 1 side, 2 armhole, 3 shoulder, 4 neckline (left), 5 neckline, 6 shoulder, 7 armhole, 8 side (right).
Panel whole_panel(const Trunk& t, double neck_depth, std::string name) {
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
constexpr int kWhole = 9;

// The left half with an opening at the centre. Edges: 0 hem, 1 side, 2 armhole, 3 shoulder, 4 neckline, 5 opening.
Panel half_panel(const Trunk& t, double neck_depth, std::string name) {
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
constexpr int kHalf = 6;

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

Trunk trunk_of(const TemplateInput& in) {
  const DraftMeasurements& b = in.body;
  Trunk t{};
  t.chest = (from_mm(b.bust_girth) + in.m("ease")) / 4;
  t.neck = from_mm(b.neck_girth) / 5.2 + in.m("neck_width");
  t.shoulder = std::max(from_mm(b.shoulder_width) / 2 + 0.008 + in.m("shoulder_drop"), t.neck + 0.03);
  t.slope = 0.34 * (t.shoulder - t.neck);
  t.scye = from_mm(b.bust_girth) / 8 + 0.125 + 0.15 * in.m("ease");
  t.front_neck = from_mm(b.neck_girth) / 5 + 0.005 + in.m("neck_depth");
  t.back_neck = 0.025;
  t.length = std::max(in.m("length"), t.scye + 0.06);
  // Below the waist the cloth must go round the hip as well.
  const double to_hip = from_mm(b.neck_height - b.hip_height);
  const double hip = (from_mm(b.hip_girth) + 0.7 * in.m("ease")) / 4;
  const double below = std::clamp((t.length - t.scye) / std::max(to_hip - t.scye, 0.05), 0.0, 1.0);
  t.hem = std::max(t.chest, t.chest + below * (hip - t.chest));
  return t;
}

struct Trunks {
  int front_left, front_right, back;  // front_right < 0: one front
};

// Sides and shoulders of a front (whole or two halves) and a back. The back's edges are numbered backwards.
int back_edge(int e) { return turned(e, kWhole); }

Trunks add_trunk(PatternDraft* draft, const Trunk& t, bool open_front) {
  Trunks out{};
  const Panel back = reversed(whole_panel(t, t.back_neck, "back"));
  if (!open_front) {
    out.front_left = draft->add(whole_panel(t, t.front_neck, "front"));
    out.front_right = -1;
    out.back = draft->add(back);
    for (const int e : {1, 3, 6, 8}) draft->sew(out.front_left, e, out.back, back_edge(e));
    return out;
  }
  const Panel left = half_panel(t, t.front_neck, "front_left");
  out.front_left = draft->add(left);
  out.front_right = draft->add(reversed(mirrored(left, "front_right")));
  out.back = draft->add(back);
  for (const int e : {1, 3}) {
    draft->sew(out.front_left, e, out.back, back_edge(e));
    draft->sew(out.front_right, turned(e, kHalf), out.back, back_edge(9 - e));
  }
  draft->sew(out.front_left, 5, out.front_right, turned(5, kHalf));  // buttoned
  return out;
}

void add_sleeves(PatternDraft* draft, const TemplateInput& in, const Trunk& t, const Trunks& trunk) {
  const bool halves = trunk.front_right >= 0;
  const double armhole = edge_length(whole_panel(t, t.front_neck, ""), 2);
  const double half = std::min((from_mm(in.body.upper_arm_girth) + in.m("sleeve_ease")) / 2, 0.94 * armhole);
  const double length = in.m("sleeve_length"), cap = cap_height(armhole, half);
  // The sleeve narrows along its length towards the wrist.
  const double taper = std::clamp((length - cap) / 0.45, 0.0, 1.0);
  const Panel left = sleeve_panel(cap, half, length + 0.4 * cap, half * (1.0 - 0.42 * taper), "sleeve_left");
  const int l = draft->add(left), r = draft->add(reversed(mirrored(left, "sleeve_right")));
  draft->sew(l, 1, l, 4);
  draft->sew(r, turned(1, kSleeve), r, turned(4, kSleeve));
  draft->sew(trunk.front_left, 2, l, 3);
  draft->sew(trunk.back, back_edge(2), l, 2);
  draft->sew(halves ? trunk.front_right : trunk.front_left, halves ? turned(2, kHalf) : 7, r, turned(3, kSleeve));
  draft->sew(trunk.back, back_edge(7), r, turned(2, kSleeve));
}

// A strip whose lower side is in two. Edges: 0, 1 lower (left to right), 2 end, 3 upper, 4 end.
Panel strip(double left, double right, double height, std::string name) {
  PanelDraft d(std::move(name), "body", {-left, 0});
  d.line({0, 0});
  d.line({right, 0});
  d.line({right * 0.96, height});
  d.line({-left * 0.96, height});
  d.close();
  return d.panel();
}

// A collar stands on the neckline: a back piece and two fronts that part at the centre.
void add_collar(PatternDraft* draft, const TemplateInput& in, const Trunk& t, const Trunks& trunk) {
  const double front = edge_length(half_panel(t, t.front_neck, ""), 4);
  const double back = edge_length(whole_panel(t, t.back_neck, ""), 4), height = in.m("collar_height");
  PanelDraft d("collar_front_left", "body", {0, 0});
  d.line({front, 0});
  d.line({front * 0.98, height});
  d.line({0.012, height});
  d.close();
  const Panel left = d.panel();
  const int l = draft->add(left), r = draft->add(reversed(mirrored(left, "collar_front_right")));
  const int b = draft->add(reversed(strip(back, back, height, "collar_back")));
  draft->sew(trunk.front_left, 4, l, 0);
  draft->sew(trunk.front_right, turned(4, kHalf), r, turned(0, 4));
  draft->sew(trunk.back, back_edge(4), b, turned(1, 5));
  draft->sew(trunk.back, back_edge(5), b, turned(0, 5));
  draft->sew(l, 1, b, turned(2, 5));
  draft->sew(r, turned(1, 4), b, turned(4, 5));
}

// Half a hood, seen from the person's left. Edges: 0 neck (front), 1 neck (back), 2 back, 3 crown, 4 face.
void add_hood(PatternDraft* draft, const TemplateInput& in, const Trunk& t, const Trunks& trunk) {
  const double front = edge_length(whole_panel(t, t.front_neck, ""), 4);
  const double back = edge_length(whole_panel(t, t.back_neck, ""), 4);
  const double h = in.m("hood_height"), depth = in.m("hood_depth"), neck = front + back;
  const double start = std::max(depth - neck, 0.0) * 0.3;
  PanelDraft d("hood_left", "body", {start, 0.0});
  d.line({start + front, 0.0});
  d.line({start + neck, 0.012});
  const double rear = std::max(depth, start + neck) + 0.02;
  d.curve({start + neck + 0.01, 0.08}, {rear, 0.45 * h}, {rear, 0.62 * h});
  d.curve({rear, 0.9 * h}, {0.72 * rear, h}, {0.0, h});
  d.close();
  const Panel left = d.panel();
  const int l = draft->add(left), r = draft->add(reversed(mirrored(left, "hood_right")));
  draft->sew(trunk.front_left, 4, l, 0);
  draft->sew(trunk.front_left, 5, r, turned(0, 5));
  draft->sew(trunk.back, back_edge(4), l, 1);
  draft->sew(trunk.back, back_edge(5), r, turned(1, 5));
  for (const int e : {2, 3}) draft->sew(l, e, r, turned(e, 5));
}

Pattern finished(PatternDraft* draft) {
  Pattern pattern = draft->take();
  for (Panel& panel : pattern.panels) {
    panel.placed = false;
    panel.grain_given = true;
  }
  return pattern;
}

}  // namespace

Pattern draft_tank_top(const TemplateInput& in) {
  PatternDraft draft("tank_top");
  Trunk t = trunk_of(in);
  add_trunk(&draft, t, false);
  return finished(&draft);
}

Pattern draft_tee(const TemplateInput& in) {
  PatternDraft draft("t_shirt");
  const Trunk t = trunk_of(in);
  add_sleeves(&draft, in, t, add_trunk(&draft, t, false));
  return finished(&draft);
}

Pattern draft_shirt(const TemplateInput& in) {
  PatternDraft draft("shirt");
  const Trunk t = trunk_of(in);
  const Trunks trunk = add_trunk(&draft, t, true);
  add_sleeves(&draft, in, t, trunk);
  add_collar(&draft, in, t, trunk);
  return finished(&draft);
}

Pattern draft_hoodie(const TemplateInput& in) {
  PatternDraft draft("hoodie");
  const Trunk t = trunk_of(in);
  const Trunks trunk = add_trunk(&draft, t, false);
  add_sleeves(&draft, in, t, trunk);
  add_hood(&draft, in, t, trunk);
  return finished(&draft);
}

}  // namespace tryon
