// What it is: what tops share: a front and a back with armholes, set-in sleeves, and their parameters. After the shirt
// block of Aldrich, Metric Pattern Cutting for Menswear, as it is taught in public (gedwoods, "Drafting the Men's Shirt
// Block"; "The Classic Shirt Block", inet.qq.com/read/1032011545/18):
//   neck beside the centre   neck / 5 - 5 mm; front neck depth neck / 5 - 10 mm, both below the parameter's choice
//   scye depth               chest / 5 + 44 mm (the block's estimate of the body's), and a part of the ease
//   body                     a quarter of chest and ease a panel; shoulder to its tip
//   sleeve                   its cap as high as makes the cap's edge as long as the armhole (no ease in a T-shirt's
//                            sleeve: thelondonpatterncutter.co.uk, "T shirt draft")
// Units: metres; x from the centre line, y from the hem. How it fails: never. Thread rules: pure functions.
#pragma once

#include <string>

#include "server/garment/templates/entry.h"

namespace tryon {

struct TopShape {
  double chest, hem, length, neck, front_neck, back_neck, shoulder, slope, scye;
};
struct TopPanels {
  int front_left, front_right, back;  // front_right < 0: one front
};

TemplateParameters top_parameters(double ease, double length, double neck_depth, double drop);
TemplateParameters sleeve_parameters(double length, double ease);
TopShape top_shape(const TemplateInput& in);
// Edges: 0 hem, 1 side, 2 armhole, 3 shoulder, 4 neckline (left), 5 neckline, 6 shoulder, 7 armhole, 8 side (right).
Panel top_panel(const TopShape& t, double neck_depth, std::string name);
inline constexpr int kTopEdges = 9;
inline int top_back(int e) { return turned(e, kTopEdges); }  // the back's edges are numbered backwards
// The left half with an opening at the centre. Edges: 0 hem, 1 side, 2 armhole, 3 shoulder, 4 neckline, 5 opening.
Panel half_top_panel(const TopShape& t, double neck_depth, std::string name);
inline constexpr int kHalfTopEdges = 6;
// Front (whole, or two halves that are buttoned) and back, sewn at sides and shoulders.
TopPanels add_top(PatternDraft* draft, const TopShape& t, bool open_front);
void add_sleeves(PatternDraft* draft, const TemplateInput& in, const TopShape& t, const TopPanels& top);

}  // namespace tryon
