// What it is: the pattern model: flat panels of curved edges with what a tailor marks on them, the seams between ranges
// of edges, graded sizes, and placement round the body.
// Units and frame: metres inside (files say theirs); panel frame x right, y up on the cloth; world +Y up, body facing
// +Z. An edge walks from one panel vertex to the next; the loop's counter-clockwise side is the cloth's outer side, and
// a loop may run clockwise in 2-D (back panels do). Shares of an edge are fractions of its arc length, 0 at its start.
// How it fails: validate() names the first fault with its element (lint.h lists them all). Thread rules: plain values.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/mesh/triangle_mesh.h"

namespace tryon {

inline constexpr int kMaxPanels = 256;

// Curve of an edge from s to e. Controls are relative: s + u d + v n, d = e - s, n = d turned left.
struct EdgeCurve {
  enum class Kind { kLine, kQuadratic, kCubic, kArc, kPolyline } kind = Kind::kLine;
  std::vector<Vec2> controls;  // 1 for quadratic, 2 for cubic; the inner points of a polyline
  double radius = 0.0;         // arc: metres
  bool large_arc = false, right = false;
};

struct PanelEdge {
  int start = 0, end = 0;  // panel vertices
  EdgeCurve curve;
  std::string label;
};
// GarmentCode's label of the edge from which a garment without shoulders hangs. A tape stays it: it does not stretch.
inline constexpr char kWaistLabel[] = "lower_interface";

// A line on the cloth, inside the outline: drawn (a fold, a placement line) or cut open (a vent, an inner cutout).
struct InternalLine {
  enum class Kind { kDrawn, kCut } kind = Kind::kDrawn;
  std::vector<Vec2> points;       // panel frame; a closed line repeats no point
  std::vector<EdgeCurve> curves;  // one a span, or empty: all spans straight
  bool closed = false;
  std::string name;
};

// A dart opens on an edge: its mouth is the range from..to of the edge, both legs run to the tip and are sewn together.
struct Dart {
  int edge = 0;
  double from = 0.0, to = 0.0;  // shares, from < to
  Vec2 tip = Vec2::Zero();
};

// A pleat takes 2 depth (box and inverted 4 depth) of cloth out of the edge at `at`.
struct Pleat {
  enum class Kind { kKnifeToStart, kKnifeToEnd, kBox, kInverted } kind = Kind::kKnifeToEnd;
  int edge = 0;
  double at = 0.0;        // share of its middle
  double depth = 0.0;     // metres, of one fold
  double stitched = 0.0;  // metres that it is sewn down, 0: only caught in the seam
};

struct Notch {
  enum class Kind { kV, kSlit, kT, kCastle, kCheck, kU } kind = Kind::kV;
  int edge = 0;
  double at = 0.0;     // share
  double depth = 0.0;  // metres, 0: unknown
};

struct DrillHole {
  Vec2 at = Vec2::Zero();
  std::string name;
};

struct Panel {
  std::string name;
  std::vector<Vec2> vertices;
  std::vector<PanelEdge> edges;  // one closed loop in walking order
  Vec3 translation = Vec3::Zero();
  Eigen::Matrix3d rotation = Eigen::Matrix3d::Identity();  // world = rotation * (x, y, 0) + translation
  std::string label;                                       // "body", "arm", "leg" or empty

  bool placed = true;  // false: the file says nothing about where the panel goes
  std::string role;    // "front", "sleeve" ... as the file or the sidecar says; may be empty
  std::vector<InternalLine> lines;
  std::vector<Dart> darts;
  std::vector<Pleat> pleats;
  std::vector<Notch> notches;
  std::vector<DrillHole> drill_holes;
  bool grain_given = false;
  Vec2 grain = Vec2::UnitY();  // unit vector along the warp
  std::string fabric;          // "main", "lining" ...; empty: the garment's own
  int layer = 0;               // 0 next to the skin
  int quantity = 1;            // how often the piece is cut
  bool mirrored = false;       // of these, every second one is a mirror image
};

struct StitchSide {
  int panel = 0, edge = 0;
};

// Two whole edges sewn to each other.
struct Stitch {
  StitchSide a, b;
  bool right_wrong = false;  // start meets start instead of start meets end
  int seam = -1;             // index in Pattern::seams that it was split from, -1: it stands for itself
  bool pleat = false;        // lays a pleat: its edges are in other stitches as well
};

// A part of an edge; from > to walks it backwards.
struct SeamRange {
  int panel = 0, edge = 0;
  double from = 0.0, to = 1.0;  // shares
};

struct Elastic {
  double relaxed = 1.0;    // its relaxed length over the length of cloth that it is sewn to; 1: none
  double stiffness = 0.0;  // newtons a unit of strain; 0: none
};

// A seam joins two chains of ranges: the beginning of `a` meets the beginning of `b`. Without a `b` it finishes an edge
// (a hem, a casing). An ordinary seam of two panels therefore walks one edge forwards and the other one backwards.
struct SeamSpec {
  enum class Kind { kPlain, kFelled, kOverlock, kFrench, kLapped, kHem, kCasing, kBinding } kind = Kind::kPlain;
  enum class Closure { kNone, kButtons, kZip } closure = Closure::kNone;
  std::string name;
  std::vector<SeamRange> a, b;
  double gather = 1.0;       // intended length of a over length of b
  double ease = 0.02;        // how far the lengths may stray from that, as a fraction
  bool open = false;         // of a closure: it is worn open and not sewn
  bool right_wrong = false;  // the right side of one lies on the wrong side of the other
  Elastic elastic;
  bool pleat = false;  // made by split_seams() from Panel::pleats: lays them, on cloth that is in other seams as well
};

// The same panel in another size: equal topology, other places.
struct PanelShape {
  std::vector<Vec2> vertices;     // [vertex_count]
  std::vector<EdgeCurve> curves;  // [edge_count] of the same kinds
  std::vector<Vec2> marks;        // points of lines, dart tips, drill holes, in this order; empty: as in the base size
};

struct SizeVariant {
  std::string name;
  std::vector<PanelShape> panels;  // [panel_count]
};

enum class PatternOrigin { kFloor, kPelvis };  // where y = 0 lies: between the feet, or at the pelvis of a T-posed body

struct Pattern {
  std::string name;
  std::vector<Panel> panels;
  std::vector<Stitch> stitches;  // what is sewn, one whole edge to one; split_seams() derives them from `seams`
  PatternOrigin origin = PatternOrigin::kFloor;
  std::vector<SeamSpec> seams;
  std::string size;                // of `panels`; may be empty
  std::vector<SizeVariant> sizes;  // the other ones
};

// Every limit and rule: closed loops, existing edges, one stitch an edge, no self-crossing outline, finite sizes.
// Reports the first problem as a Status with the element ("pattern.panels[front].edges[3]").
absl::Status validate(const Pattern& pattern);
// The first problem of every panel, and of the stitches, the seams and the sizes: all that can be told at once.
std::vector<absl::Status> validate_all(const Pattern& pattern);

// Point at parameter t in [0, 1] (of a polyline: share of its length) and arc length of an edge.
Vec2 edge_point(const Panel& panel, int edge, double t);
double edge_length(const Panel& panel, int edge);
// Point at a share of the edge's arc length.
Vec2 edge_at(const Panel& panel, int edge, double share);
// count + 1 points, evenly by arc length, first and last exactly the panel vertices.
std::vector<Vec2> sample_edge(const Panel& panel, int edge, int count);
// The outline as a polygon: lines by their ends, polylines by their points, curves by `per_curve` spans; edge_of, if
// given, gets the edge that each point starts on.
std::vector<Vec2> outline_points(const Panel& panel, int per_curve = 48, std::vector<int>* edge_of = nullptr);
double panel_area(const Panel& panel);  // m2, of that polygon, never negative

// Cuts an edge at ascending shares in (0, 1), exactly: its pieces are the old curve. Everything that refers to edges of
// this panel (stitches, seams, notches, darts, pleats, sizes) goes on meaning the same cloth. Pieces of the edge are
// then edges edge .. edge + shares.size(). Stitches of the edge itself must have been removed.
void cut_edge(Pattern* pattern, int panel, int edge, const std::vector<double>& shares);

std::string name_of_size(const Pattern& pattern);  // its own: "base" where it has no name
// The pattern in another of its sizes; the old base size takes its place among the others. SIZE_UNKNOWN if not there.
absl::StatusOr<Pattern> at_size(const Pattern& pattern, const std::string& size);

}  // namespace tryon
