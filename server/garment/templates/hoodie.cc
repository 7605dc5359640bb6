// A pullover with a hood: the block of top_parts.h with much ease and dropped shoulders, and a hood of two halves whose
// neck edge is as long as the neckline, joined over the crown and down the back; height and depth are the head's with
// room, as parameters.
#include <algorithm>
#include <cmath>

#include "server/garment/templates/top_parts.h"

namespace tryon {
namespace {

// Half a hood, seen from the person's left. Edges: 0 neck (front), 1 neck (back), 2 back, 3 crown, 4 face.
void add_hood(PatternDraft* draft, const TemplateInput& in, const TopShape& t, const TopPanels& top) {
  const double front = edge_length(top_panel(t, t.front_neck, ""), 4);
  const double back = edge_length(top_panel(t, t.back_neck, ""), 4);
  const double h = in.m("hood_height"), depth = in.m("hood_depth"), neck = front + back;
  const double start = std::max(depth - neck, 0.0) * 0.3;
  PanelDraft d("hood_left", "body", {start, 0.0});
  d.line({start + front, 0.0});
  d.line({start + neck, 0.012});
  const double rear = std::max(depth, start + neck) + 0.02;
  d.curve({start + neck + 0.01, 0.08}, {rear, 0.45 * h}, {rear, 0.62 * h});
  d.curve({rear, 0.93 * h}, {0.72 * rear, 1.02 * h}, {0.0, 0.95 * h});
  d.close();
  const Panel left = d.panel();
  const int l = draft->add(left), r = draft->add(reversed(mirrored(left, "hood_right")));
  draft->sew(top.front_left, 4, l, 0);
  draft->sew(top.front_left, 5, r, turned(0, 5));
  draft->sew(top.back, top_back(4), l, 1);
  draft->sew(top.back, top_back(5), r, turned(1, 5));
  for (const int e : {2, 3}) draft->sew(l, e, r, turned(e, 5));
}

Pattern draw(const TemplateInput& in) {
  PatternDraft draft("hoodie");
  const TopShape t = top_shape(in);
  const TopPanels top = add_top(&draft, t, false);
  add_sleeves(&draft, in, t, top);
  add_hood(&draft, in, t, top);
  return finished(&draft);
}

}  // namespace

TemplateEntry hoodie_template() {
  return {{"hoodie", "pullover with long sleeves and a hood of two pieces",
           top_parameters(180, 680, 25, 15) + sleeve_parameters(600, 130) +
               TemplateParameters{{"hood_height", "mm", "from the neckline to the crown", 280, 480, 335},
                                  {"hood_depth", "mm", "from the face to behind the head", 200, 380, 270}}},
          draw};
}

}  // namespace tryon
