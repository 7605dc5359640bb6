// What it is: where one garment's layers are kept apart: nowhere, round the places where it has crossed itself, or
// everywhere. Most cloth never meets itself, and contact costs up to half of an iteration: crossings are found by the
// exact test, while the cloth comes to rest, and are drawn apart from then on. What comes from another rest begins in
// contact where its layers lie on each other.
// Units: m. Shapes: [vertex_count] of the mesh at hand. How it fails: never. Thread rules: one object, one thread.
#pragma once

#include <cstdint>
#include <vector>

#include "server/base/run_context.h"
#include "server/drape/cloth_levels.h"
#include "server/mesh/triangle_mesh.h"
#include "server/sim/model.h"

namespace tryon {

// Who has another layer so near that a step may lead through it: [particle_count].
std::vector<uint8_t> beside_layers(const sim::DrapeModel& model, const std::vector<sim::RVec3>& x);

// Where those triangles are: the middle of each.
std::vector<Vec3> middles_of(const TriangleMesh& cloth, const std::vector<Triangle>& triangles);

class LayerPlaces {
 public:
  bool nowhere() const { return !everywhere_ && kept_.empty(); }
  bool everywhere() const { return everywhere_; }
  void become_nowhere() { everywhere_ = false, kept_.clear(); }
  void become_everywhere() { everywhere_ = true, kept_.clear(); }
  // Those where the cloth crosses itself and is not kept apart yet: true if there are any. Everywhere once that is half
  // of it.
  bool take_in(const TriangleMesh& cloth, const RunContext& run);
  // Those where layers lie on each other already, as in what comes from another rest.
  void take_in_layers(const sim::DrapeModel& model, const std::vector<sim::RVec3>& x);
  // From `level` to the one below it.
  void go_down(const ClothLevels& levels, int level);
  void tell(sim::Scene* scene) const;

 private:
  bool keeps(const Triangle& corner) const;
  void keep(const std::vector<uint8_t>& more);

  bool everywhere_ = false;
  std::vector<uint8_t> kept_;  // as sim::Scene's
};

}  // namespace tryon
