// Pieces on a table never overlap, and none lies beside it.
#include "server/garment/flat_layout.h"

#include "gtest/gtest.h"

namespace tryon {
namespace {

Panel rectangle(double w, double h, Vec2 corner) {
  Panel panel;
  panel.vertices = {corner, corner + Vec2(w, 0), corner + Vec2(w, h), corner + Vec2(0, h)};
  for (int i = 0; i < 4; ++i) panel.edges.push_back({i, (i + 1) % 4, {}, ""});
  return panel;
}

TEST(FlatLayout, PiecesOfEverySizeKeepTheirDistanceAndStayOnTheTable) {
  Pattern pattern;
  for (int i = 0; i < 23; ++i)
    pattern.panels.push_back(rectangle(0.05 + 0.03 * (i * 7 % 11), 0.04 + 0.05 * (i * 5 % 13), {3.0 - i, i}));
  const double gap = 0.02;
  const FlatLayout layout = lay_flat(pattern, gap);
  std::vector<Eigen::AlignedBox2d> boxes;
  for (size_t p = 0; p < pattern.panels.size(); ++p) {
    Eigen::AlignedBox2d box;
    for (const Vec2& v : pattern.panels[p].vertices) box.extend(Vec2(v + layout.offset[p]));
    EXPECT_GE(box.min().minCoeff(), gap - 1e-9);
    EXPECT_LE(box.max().x(), layout.width - gap + 1e-9);
    EXPECT_LE(box.max().y(), layout.height - gap + 1e-9);
    for (const auto& other : boxes) EXPECT_GE(box.exteriorDistance(other), gap - 1e-9);
    boxes.push_back(box);
  }
}

TEST(FlatLayout, NoPieceNeedsNoTable) { EXPECT_TRUE(lay_flat(Pattern{}).offset.empty()); }

}  // namespace
}  // namespace tryon
