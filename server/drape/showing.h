// What it is: what can be seen of a drape before it is done: preview.glb, the cloth as it lies at the moment, and the
// frames of its motion, frames_000.bin and on, kFramesAFile frames each: two little-endian uint32, the number of frames
// and of vertices, then frame after frame x, y, z as little-endian float32 for every vertex of garment.glb, in its
// order. Units and frame: metres, +Y up, body facing +Z. Shapes: positions of the welded cloth in. How it fails: it
// does not; what cannot be shown is left out (the frames' files are among the results whatever happens). Thread rules:
// as RunContext.
#pragma once

#include "absl/time/time.h"
#include "server/drape/pipeline.h"
#include "server/drape/settle.h"

namespace tryon {

inline constexpr int kFramesAFile = 10;
std::string frames_file_name(int number);
// The frames of such a file, [frame] bytes of its vertices; INTERNAL if it is none.
absl::StatusOr<std::vector<std::string_view>> frames_in(std::string_view file);

class Showing {
 public:
  Showing(const RunContext& run, const GarmentMesh& garment, const Fabric& fabric, const DrapeSettings& settings);
  // Puts what it needs to be told into the options; must outlive their use.
  void listen(SettleOptions* options);
  Artifacts frames() &&;  // all files of them, complete

 private:
  void look(const std::vector<Triangle>& triangles, const sim::DrapeState& state);
  void take_frame(const std::vector<Vec3>& cloth);
  void end_file();

  const RunContext& run_;
  const GarmentMesh& garment_;
  const Fabric& fabric_;
  const DrapeSettings& settings_;
  absl::Time next_look_ = absl::InfinitePast();
  std::vector<int> welded_;  // of each vertex of garment.glb; empty until the first frame
  std::string bytes_;        // of the file in progress
  int in_file_ = 0;
  Artifacts files_;
};

}  // namespace tryon
