// What it is: sewn cloths as the solvers know them: one model of all that is worn together, and the scene that it rests
// or moves in. Units: SI. Shapes: cloths innermost first, their particles one after the other. How it fails: as
// sim::build_model. Thread rules: pure functions; cloths and collider must outlive what is made from them.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "server/drape/settle.h"
#include "server/fabric/fabric.h"
#include "server/garment/garment.h"
#include "server/sim/model.h"

namespace tryon {

inline constexpr double kLayerGap = 2e-3;  // m between layers of the cloth where they press on each other

// A sewn cloth and what it is made of.
struct Cloth {
  const WeldedMesh& welded;
  const Fabric& fabric;
};

sim::SpringFabric spring_fabric(const Fabric& fabric);  // without damping

// `moving`: damped as its fabric is. Where the cloths lie is not part of it.
absl::StatusOr<sim::DrapeModel> worn_model(const std::vector<Cloth>& cloths, const SettleOptions& options, bool moving);
sim::DrapeState worn_state(const std::vector<Cloth>& cloths);  // where they lie, still
sim::Scene worn_scene(const std::vector<Cloth>& cloths, const sim::Collider& collider, LayerContact layers);

}  // namespace tryon
