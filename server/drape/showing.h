// What it is: what can be seen of a drape before it is done: preview.glb, the cloth as it lies at the moment, and the
// frames of its motion (frames_file.h). Units and frame: metres, +Y up, body facing +Z. Shapes: positions of the welded
// cloth in, of garment.glb's vertices out. How it fails: it does not; what cannot be shown is left out (the frames'
// files are among the results whatever happens). Thread rules: as RunContext.
#pragma once

#include "absl/time/time.h"
#include "server/drape/frames_file.h"
#include "server/drape/pipeline.h"
#include "server/drape/settle.h"

namespace tryon {

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
  FramesFile file_;          // in progress
  Artifacts files_;
};

}  // namespace tryon
