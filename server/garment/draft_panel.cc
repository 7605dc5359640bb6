#include "server/garment/draft_panel.h"

namespace tryon {

Panel mirrored(Panel panel, std::string name) {
  panel.name = std::move(name);
  for (Vec2& v : panel.vertices) v.x() = -v.x();
  for (PanelEdge& e : panel.edges) {
    for (Vec2& c : e.curve.controls) c.y() = -c.y();
    e.curve.right = !e.curve.right;
  }
  panel.translation.x() = -panel.translation.x();
  const Eigen::Matrix3d flip = Eigen::Vector3d(-1, 1, 1).asDiagonal();
  panel.rotation = flip * panel.rotation * flip;
  return panel;
}

Panel reversed(Panel panel) {
  std::reverse(panel.edges.begin(), panel.edges.end());
  for (Pleat& pleat : panel.pleats) {  // the crease goes on facing the same way on the cloth
    pleat.edge = turned(pleat.edge, static_cast<int>(panel.edges.size()));
    pleat.at = 1.0 - pleat.at;
    if (pleat.kind == Pleat::Kind::kKnifeToEnd) {
      pleat.kind = Pleat::Kind::kKnifeToStart;
    } else if (pleat.kind == Pleat::Kind::kKnifeToStart) {
      pleat.kind = Pleat::Kind::kKnifeToEnd;
    }
  }
  for (PanelEdge& e : panel.edges) {
    std::swap(e.start, e.end);
    std::reverse(e.curve.controls.begin(), e.curve.controls.end());
    for (Vec2& c : e.curve.controls) c = Vec2(1.0 - c.x(), -c.y());
    e.curve.right = !e.curve.right;
  }
  return panel;
}

}  // namespace tryon
