// What it is: the pattern model: flat panels of curved edges, stitches between edges, placement round the body.
// Units and frame: metres inside (files say theirs); panel frame x right, y up on the cloth; world +Y up, body facing
// +Z. An edge walks from one panel vertex to the next; the loop's counter-clockwise side is the cloth's outer side, and
// a loop may run clockwise in 2-D (back panels do). How it fails: validate() lists every problem with its element.
// Thread rules: plain values.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/mesh/triangle_mesh.h"

namespace tryon {

// Curve of an edge from s to e. Quadratic and cubic controls are relative: s + u d + v n, d = e - s, n = d turned left.
struct EdgeCurve {
  enum class Kind { kLine, kQuadratic, kCubic, kArc } kind = Kind::kLine;
  std::vector<Vec2> controls;  // 1 for quadratic, 2 for cubic
  double radius = 0.0;         // arc: metres
  bool large_arc = false, right = false;
};

struct PanelEdge {
  int start = 0, end = 0;  // panel vertices
  EdgeCurve curve;
  std::string label;
};

struct Panel {
  std::string name;
  std::vector<Vec2> vertices;
  std::vector<PanelEdge> edges;  // one closed loop in walking order
  Vec3 translation = Vec3::Zero();
  Eigen::Matrix3d rotation = Eigen::Matrix3d::Identity();  // world = rotation * (x, y, 0) + translation
  std::string label;                                       // "body", "arm", "leg" or empty
};

struct StitchSide {
  int panel = 0, edge = 0;
};

struct Stitch {
  StitchSide a, b;
  bool right_wrong = false;  // start meets start instead of start meets end
};

enum class PatternOrigin { kFloor, kPelvis };  // where y = 0 lies: between the feet, or at the pelvis of a T-posed body

struct Pattern {
  std::string name;
  std::vector<Panel> panels;
  std::vector<Stitch> stitches;
  PatternOrigin origin = PatternOrigin::kFloor;
};

// Every limit and rule: closed loops, existing edges, one stitch an edge, no self-crossing outline, finite sizes.
// Reports the first problem as a Status with the element ("pattern.panels[front].edges[3]").
absl::Status validate(const Pattern& pattern);

// Point at parameter t in [0, 1] and arc length of an edge.
Vec2 edge_point(const Panel& panel, int edge, double t);
double edge_length(const Panel& panel, int edge);
// count + 1 points, evenly by arc length, first and last exactly the panel vertices.
std::vector<Vec2> sample_edge(const Panel& panel, int edge, int count);

}  // namespace tryon
