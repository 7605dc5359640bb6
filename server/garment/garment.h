// What it is: a pattern turned into cloth: triangulated panels, paired seam vertices, and a start position round a
// body. Units and frame: metres; flat = rest coordinates on the panel [vertex_count], on_cloth() the same turned so
// that the warp, which follows the panel's grain, runs along +y; placed = world start [vertex_count]. Seam partners are
// sampled alike: pair k of a seam joins left[k] with right[k], also where the lengths differ. How it fails: names the
// panel or the seam. Thread rules: plain values, pure functions; no dependence on threads.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "server/base/run_context.h"
#include "server/garment/pattern.h"
#include "server/shape/solids.h"

namespace tryon {

struct Seam {
  int stitch = 0;                                // index in Pattern::stitches; -1: it tacks a pleat
  std::vector<int> left, right;                  // vertices, pair by pair
  double left_length = 0.0, right_length = 0.0;  // metres along the cloth
};

// A line of a panel that runs along edges of triangles, or one of its parts where the outline cuts it.
struct ClothLine {
  // kCut: the cloth is open along it; kFold: a crease; kTack: where a pleat's visible crease is sewn down.
  enum class Kind { kDrawn, kCut, kFold, kTack } kind = Kind::kDrawn;
  int panel = 0, source = 0;  // in Panel::lines; of a fold or tack in Panel::pleats
  std::vector<int> vertices;  // in walking order; a closed line ends with its first vertex
  double offset = 0.0;        // of a fold or tack: metres along the edge from its pleat's middle
};

// Cloth with an elastic, or a waist with its stay tape: it pulls where it is longer than its relaxed length.
struct ElasticBand {
  std::vector<int> vertices;  // along the edge, in walking order
  double relaxed = 1.0;       // relaxed length over the cloth's
  double stiffness = 0.0;     // newtons a unit of strain
};

// A hand or a foot, which belongs into the tube of cloth that reaches so far: middles of the limb.
struct LimbEnd {
  std::string name;                                 // "left hand"
  Vec3 root = Vec3::Zero();                         // elbow or hip: from there on it is looked at
  Vec3 inner = Vec3::Zero(), joint = Vec3::Zero();  // elbow or knee; wrist or ankle
  std::vector<Vec3> tips;                           // inside the hand; the forefoot and the heel
  bool whole = true;                                // no: the hand was cut off
};

// An arm above the elbow, which belongs into the armhole: its middle.
struct UpperArm {
  std::string name;  // "left arm"
  Vec3 shoulder = Vec3::Zero(), elbow = Vec3::Zero();
};

struct GarmentMesh {
  std::vector<Vec2> flat;           // [vertex_count] rest coordinates, in the panel's own frame
  std::vector<Vec3> placed;         // [vertex_count] world start
  std::vector<int> panel;           // [vertex_count]
  std::vector<Triangle> triangles;  // outward: they follow the panel's loop direction
  std::vector<int> triangle_panel;  // [triangle_count]
  std::vector<Seam> seams;
  std::vector<std::string> panel_names;
  std::vector<Vec2> grain;      // [panel_names] unit vector along the warp in the panel's frame; empty: all along y
  std::vector<int> waist_line;  // vertices of edges labelled lower_interface (held up while sewing), may be empty
  std::vector<ClothLine> lines;
  std::vector<ElasticBand> bands;
  std::vector<int> marks;  // vertices at notches and drill holes, ascending
  // Of the person round whom it is placed.
  std::vector<LimbEnd> limb_ends;
  std::vector<UpperArm> upper_arms;
  std::vector<Vec3> head;    // the middle of neck and head, from the neck's base up; empty: there is none
  std::optional<Vec3> nose;  // inside its tip

  int vertex_count() const { return static_cast<int>(flat.size()); }
  Vec2 on_cloth(int vertex) const;                        // x along the weft, y along the warp
  std::array<Vec2, 3> on_cloth(const Triangle& t) const;  // of its corners
  std::vector<Vec2> all_on_cloth() const;                 // [vertex_count], also texture coordinates
  bool has_laid_pleats() const;                           // it is folded on itself from the start
};

// Triangulates every panel at edge_m and pairs the seams; `placed` is the file's placement. Seams between ranges of
// edges and darts that are not split yet (seam_graph.h) are split first: Seam::stitch is then an index of the split
// pattern. Internal lines and folds of pleats run along edges; cut ones open the cloth, closed cut ones are holes.
absl::StatusOr<GarmentMesh> mesh_garment(const RunContext& run, const Pattern& pattern, double edge_m);

// A piece of an elastic between two welded vertices: it pulls where it is longer than `length`.
struct ElasticSpan {
  int a = 0, b = 0;
  double length = 0.0;     // m, relaxed
  double stiffness = 0.0;  // N/m
};
// The elastics of a garment on one of its meshes: `vertex` [GarmentMesh vertex_count] is -1 where that mesh has no
// vertex; what it leaves out is bridged.
std::vector<ElasticSpan> elastic_spans(const GarmentMesh& garment, const std::vector<int>& vertex);

// Seams closed: partners become one vertex. corner_flat keeps the rest shape per triangle corner.
struct WeldedMesh {
  TriangleMesh mesh;                             // world
  std::vector<std::array<Vec2, 3>> corner_flat;  // [triangle_count] rest coordinates of each corner, on_cloth()
  std::vector<int> source;                       // [GarmentMesh vertex_count] -> welded vertex
  std::vector<ElasticSpan> elastics;
};
WeldedMesh weld(const GarmentMesh& garment, const std::vector<Vec3>& positions);

}  // namespace tryon
