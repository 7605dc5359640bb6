// What it is: the draped garment as it is shown and sent: a seam's two sides keep their own vertex and texture place,
// at one point of space. Units and frame: metres; uv in metres along weft (u) and warp (v): a piece's grain points up.
// Shapes: per vertex of GarmentMesh. How it fails: it does not. Thread rules: pure functions.
#pragma once

#include <vector>

#include "server/drape/settle.h"
#include "server/garment/garment.h"

namespace tryon {

struct ShownGarment {
  TriangleMesh mesh;
  std::vector<Vec3> normals;
  std::vector<Vec2> uv;
  std::vector<int> welded;  // [vertex_count] vertex of the cloth
};

ShownGarment shown_garment(const GarmentMesh& garment, const WeldedMesh& cloth);
ShownGarment shown_garment(const Worn& worn);

// Of so many frames those that a file for viewers holds: at most kMostShownFrames, evenly, the last among them.
inline constexpr size_t kMostShownFrames = 60;
struct ShownFrames {
  std::vector<size_t> index;
  double seconds = 0.0;  // from one to the next
};
ShownFrames shown_frames(size_t frame_count, double seconds);

template <typename T>
std::vector<T> picked(const std::vector<T>& list, const std::vector<int>& source) {
  std::vector<T> out;
  out.reserve(source.size());
  for (const int v : source) out.push_back(list[static_cast<size_t>(v)]);
  return out;
}

// A list over the cloth's vertices, or the welded positions of a frame, for the shown ones.
template <typename T>
std::vector<T> spread_to(const ShownGarment& shown, const std::vector<T>& of_cloth) {
  return picked(of_cloth, shown.welded);
}

}  // namespace tryon
