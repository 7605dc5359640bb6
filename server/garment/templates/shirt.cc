// A buttoned shirt: the block of top_parts.h in two fronts, long sleeves that narrow to the wrist, and a stand collar
// as long as the neckline, a little narrower above (Aldrich, Metric Pattern Cutting for Menswear: the collar follows
// the measured neckline of body sections). The opening is sewn, as if buttoned.
#include <algorithm>
#include <cmath>

#include "server/garment/templates/top_parts.h"

namespace tryon {
namespace {

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
void add_collar(PatternDraft* draft, const TemplateInput& in, const TopShape& t, const TopPanels& top) {
  const double front = edge_length(half_top_panel(t, t.front_neck, ""), 4);
  const double back = edge_length(top_panel(t, t.back_neck, ""), 4), height = in.m("collar_height");
  PanelDraft d("collar_front_left", "body", {0, 0});
  d.line({front, 0});
  d.line({front * 0.98, height});
  d.line({0.012, height});
  d.close();
  const Panel left = d.panel();
  const int l = draft->add(left), r = draft->add(reversed(mirrored(left, "collar_front_right")));
  const int b = draft->add(reversed(strip(back, back, height, "collar_back")));
  draft->sew(top.front_left, 4, l, 0);
  draft->sew(top.front_right, turned(4, kHalfTopEdges), r, turned(0, 4));
  draft->sew(top.back, top_back(4), b, turned(1, 5));
  draft->sew(top.back, top_back(5), b, turned(0, 5));
  draft->sew(l, 1, b, turned(2, 5));
  draft->sew(r, turned(1, 4), b, turned(4, 5));
}

Pattern draw(const TemplateInput& in) {
  PatternDraft draft("shirt");
  const TopShape t = top_shape(in);
  const TopPanels top = add_top(&draft, t, true);
  add_sleeves(&draft, in, t, top);
  add_collar(&draft, in, t, top);
  return finished(&draft);
}

}  // namespace

TemplateEntry shirt_template() {
  return {{"shirt", "buttoned shirt with set-in long sleeves and a stand collar",
           top_parameters(120, 760, 12, 4) + sleeve_parameters(580, 95) +
               TemplateParameters{{"collar_height", "mm", "of the stand", 20, 70, 35}}},
          draw};
}

}  // namespace tryon
