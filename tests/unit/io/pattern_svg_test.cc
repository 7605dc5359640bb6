// The picture of the flat pattern: one colour and one number for both sides of a seam, and no markup from a file's
// text.
#include "server/io/pattern_svg.h"

#include <set>
#include <string>

#include "gtest/gtest.h"
#include "server/base/text.h"

namespace tryon {
namespace {

int count(const std::string& text, const std::string& part) {
  int n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

Pattern two() {
  Pattern p;
  p.name = "a \"tube\" <b>";
  for (const char* name : {"front", "<script>"}) {
    Panel panel;
    panel.name = name;
    panel.vertices = {{0, 0}, {0.4, 0}, {0.4, 0.6}, {0, 0.6}};
    for (int i = 0; i < 4; ++i) panel.edges.push_back({i, (i + 1) % 4, {}, ""});
    p.panels.push_back(panel);
  }
  p.stitches = {{{0, 1}, {1, 3}}, {{0, 3}, {1, 1}}};
  return p;
}

TEST(PatternSvg, BothSidesOfASeamHaveItsColourAndItsNumber) {
  const std::string svg = pattern_svg(two());
  EXPECT_EQ(count(svg, "<polygon"), 2);
  EXPECT_EQ(count(svg, ">0</text>"), 2);
  EXPECT_EQ(count(svg, ">1</text>"), 2);
  EXPECT_EQ(count(svg, "stroke-width=\"3\""), 4);
  EXPECT_EQ(svg, pattern_svg(two())) << "the same bytes every time";
}

TEST(PatternSvg, TextOfAFileIsNoMarkup) {
  const std::string svg = pattern_svg(two());
  EXPECT_EQ(svg.find("<script"), std::string::npos);
  EXPECT_NE(svg.find("&lt;script&gt;"), std::string::npos);
  EXPECT_NE(svg.find("&quot;tube&quot;"), std::string::npos);
}

TEST(PatternSvg, NeighbouringSeamsDifferInColour) {
  std::set<std::array<uint8_t, 3>> colours;
  for (int s = 0; s < 40; ++s) EXPECT_TRUE(colours.insert(seam_colour(s)).second) << s;
}

}  // namespace
}  // namespace tryon
