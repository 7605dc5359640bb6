// What it is: the mannequin's fixed net of vertices and where its sections put them: rings of quads around trunk and
// head, two legs that share a seam at the crotch, two arms that start at holes in the trunk.
//
//        head (pole)          trunk rows run up, columns run left side -> front -> right side -> back
//       ____|____             an arm's first ring is the border of a hole of 8 columns by 8 rows
//  arm (hole) (hole) arm      a leg's first ring is half of the trunk's lowest row and the crotch line
//          |__|
//         leg leg             foot and hand are the last rings of leg and arm, closed by a pole
//
// Units and frame: metres, +Y up, facing +Z, floor at y = 0. Shapes: positions and pull [vertex_count].
// How it fails: it does not; the table is already checked. Thread rules: pure functions.
#pragma once

#include <array>
#include <vector>

#include "server/body/mannequin.h"

namespace tryon {

enum class Girth {
  kNeck,
  kBust,
  kUnderBust,
  kWaist,
  kHip,
  kThigh,
  kKnee,
  kCalf,
  kAnkle,
  kUpperArm,
  kElbow,
  kWrist,
  kHead
};
inline constexpr int kGirthCount = 13;

// What the fitting loop turns until the tape reads the table: section scales and the crotch line's height.
struct FigureKnobs {
  std::array<double, kGirthCount> scale;
  double crotch_shift = 0.0;  // metres
  double waist_shift = 0.0;   // metres
  double flank = 1.0;         // breadth of the trunk just below the armpits, on top of what the bust gives
  double high_hip = 1.0;      // on top of what hip and waist give there
  FigureKnobs() { scale.fill(1.0); }
  double of(Girth girth) const { return scale[static_cast<int>(girth)]; }
};

enum class FigurePart { kTrunk, kLeftLeg, kRightLeg, kLeftArm, kRightArm };

struct Figure {
  static constexpr double kPinned = -1.0;
  TriangleMesh mesh;
  std::vector<double> pull;                  // [vertex_count] kPinned, or weight towards the section's place (0 = free)
  std::vector<std::vector<int>> neighbours;  // [vertex_count] along quad edges
  std::vector<FigurePart> part;              // [triangle_count]
  std::vector<int> crotch_line;              // vertices from back to front
};

// A plane across a limb in which a girth is taken.
struct TapePlane {
  Vec3 point, normal;
  FigurePart part;
};

Figure place_figure(const MannequinTable& table, const FigureKnobs& knobs);
// The share of the arm's length at which its underside is clear of the trunk.
double arm_leaves_trunk(const MannequinTable& table, const FigureKnobs& knobs);
TapePlane tape_plane(const MannequinTable& table, Girth girth);

}  // namespace tryon
