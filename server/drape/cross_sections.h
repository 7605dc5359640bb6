// What it is: level cuts through the person and the garment at bust, waist and hip, as a tailor draws them.
// Units and frame: metres; a cut's points are (x, z): x to the person's left, z forward. Shapes: lines of points in
// walking order. How it fails: it does not; a level that the body was not measured at is absent. Thread rules: pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "server/drape/assemble.h"
#include "server/garment/garment.h"

namespace tryon {

struct SectionLine {
  std::vector<Vec2> points;
  bool closed = true;
};

struct CrossSection {
  std::string level;  // "bust", "waist", "hip"
  double height_m = 0.0;
  std::vector<SectionLine> body, cloth;           // largest first
  std::optional<double> body_girth, cloth_girth;  // m: the tape's; along the cloth where it closes round the trunk
};

std::vector<CrossSection> cross_sections(const Body& body, const TriangleMesh& cloth);

}  // namespace tryon
