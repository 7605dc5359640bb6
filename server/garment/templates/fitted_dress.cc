// A sleeveless dress with waist darts above and below a waist seam: quarters of bust, waist and hip with their ease,
// the difference of chest and waist shared by the side seam and a dart on each side of the centre that points at the
// bust (the close-fitting bodice block of Aldrich, Metric Pattern Cutting for Women's Wear; gedwoods, "Constructing the
// Basic Bodice Block"), neck and scye as top_parts.h.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "server/garment/templates/skirt_parts.h"

namespace tryon {
namespace {

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

Pattern draw(const TemplateInput& in) {
  const DraftMeasurements& m = in.body;
  const double ease = in.m("ease"), bust = from_mm(m.bust_girth) + ease, waist = from_mm(m.waist_girth) + ease;
  const double hip = std::max(from_mm(m.hip_girth) + ease, waist);
  DressHalf s{};
  s.waist = waist / 4, s.chest = bust / 4;
  s.dart = std::clamp(0.5 * (s.chest - s.waist), 0.012, 0.045);
  s.length = from_mm(m.neck_height - m.waist_height) + 0.012;
  s.neck = from_mm(m.neck_girth) / 5 - 0.005 + in.m("neck_width");
  s.shoulder = std::max(from_mm(m.shoulder_width) / 2 - 0.004, s.neck + 0.03);
  s.slope = 0.34 * (s.shoulder - s.neck), s.scye = std::min(from_mm(m.bust_girth) / 5 + 0.034, s.length - 0.10);
  s.dart_at = 0.42 * s.waist, s.dart_up = 0.55 * (s.length - s.scye);
  s.neck_depth = from_mm(m.neck_girth) / 5 - 0.010 + in.m("neck_depth");
  DressHalf behind = s;
  behind.neck_depth = 0.03, behind.dart_up = 0.8 * (s.length - s.scye);
  const double length = in.m("skirt_length"), depth = hip_depth(in, length);
  const double hips = std::max(hip / 4, s.waist + s.dart), hem = hips + in.m("flare") / 4;
  PatternDraft draft("fitted_dress");
  const int f = draft.add(dress_top(s, "bodice_front")), b = draft.add(reversed(dress_top(behind, "bodice_back")));
  const auto skirt = [&](const char* name) {
    return darted_skirt(s.waist, s.dart, s.dart_at, hips, hem, depth, length, name);
  };
  const int sf = draft.add(skirt("skirt_front")), sb = draft.add(reversed(skirt("skirt_back")));
  for (const int e : {8, 10, 13, 15}) draft.sew(f, e, b, turned(e, kDressTop));
  for (const int e : {1, 2, 11, 12}) draft.sew(sf, e, sb, turned(e, kDartedSkirt));
  for (const int e : {1, 5}) {
    draft.sew(f, e, f, e + 1);
    draft.sew(b, turned(e, kDressTop), b, turned(e + 1, kDressTop));
  }
  for (const int e : {4, 8}) {
    draft.sew(sf, e, sf, e + 1);
    draft.sew(sb, turned(e, kDartedSkirt), sb, turned(e + 1, kDartedSkirt));
  }
  for (const int e : {0, 3, 4, 7}) {  // the skirt's waist runs the other way
    draft.sew(f, e, sf, 10 - e);
    draft.sew(b, turned(e, kDressTop), sb, turned(10 - e, kDartedSkirt));
  }
  return finished(&draft);
}

}  // namespace

TemplateEntry fitted_dress_template() {
  return {{"fitted_dress",
           "sleeveless dress with waist darts above and below a waist seam",
           {{"ease", "mm", "added to bust, waist and hip", 20, 160, 50},
            {"skirt_length", "mm", "from the waist to the hem", 350, 1000, 560},
            {"flare", "mm", "added to the whole hem", 0, 1200, 120},
            {"neck_depth", "mm", "how far the front neckline lies below the neck", 0, 160, 40},
            {"neck_width", "mm", "how far the neckline lies beside the neck", 0, 80, 20}}},
          draw};
}

}  // namespace tryon
