#include "server/drape/worn_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "server/base/status.h"
#include "server/lab/cloth.h"

namespace tryon {
namespace {

constexpr double kTetherParts = 4.0, kMostTethers = 64.0;  // of one span of an elastic
constexpr double kSteepBetweenGarments = 0.01;             // whole garments press on each other harder than folds do

// A tether pulls only where it is longer than its rest length, as an elastic does. All tethers of a cloth are equally
// stiff: stiffer spans take several of the softest one's quarter.
void add_elastics(const WeldedMesh& welded, sim::ClothInput* cloth) {
  double softest = 1e300;
  for (const ElasticSpan& span : welded.elastics) softest = std::min(softest, span.stiffness);
  if (welded.elastics.empty()) return;
  cloth->tether_stiffness = std::clamp(softest / kTetherParts, 1e-3, 1e6);
  for (const ElasticSpan& span : welded.elastics) {
    const double parts = std::min(std::round(span.stiffness / cloth->tether_stiffness), kMostTethers);
    for (int i = 0; i < parts; ++i) cloth->tethers.push_back({span.a, span.b, span.length});
  }
}

sim::ClothInput closed_garment(const WeldedMesh& welded, const Fabric& fabric) {
  sim::ClothInput cloth;
  cloth.positions = welded.mesh.positions;
  cloth.triangles = welded.mesh.triangles;
  cloth.corner_flat = welded.corner_flat;
  cloth.fabric = spring_fabric(fabric);
  add_elastics(welded, &cloth);
  return cloth;
}

}  // namespace

// As in the laboratory, but for what garments do not take from a fabric: its bias bending and its Poisson ratio; and
// its limits, since cloth that is sewn goes far beyond them.
sim::SpringFabric spring_fabric(const Fabric& fabric) {
  sim::SpringFabric out = lab::spring_fabric(fabric);
  out.bend_twist = out.poisson = out.limit_warp = out.limit_weft = 0.0;
  return out;
}

absl::StatusOr<sim::DrapeModel> worn_model(const std::vector<Cloth>& cloths, const SettleOptions& options,
                                           bool moving) {
  std::vector<sim::DrapeModel> parts;
  for (const auto& [welded, fabric] : cloths) {
    sim::ClothInput cloth = closed_garment(welded, fabric);
    cloth.layout = options.membrane;
    cloth.bend = options.bend;
    if (options.strain_limits) {
      cloth.fabric.limit_warp = fabric.strain_limit.warp;
      cloth.fabric.limit_weft = fabric.strain_limit.weft;
    }
    if (moving) {
      cloth.fabric.bend_damping = bend_damping_of(fabric);
      cloth.fabric.shear_damping = shear_damping_of(fabric);
    }
    ASSIGN_OR_RETURN(sim::DrapeModel part, sim::build_model(cloth));
    parts.push_back(std::move(part));
  }
  if (parts.size() == 1) return std::move(parts.front());
  return sim::merge_models(parts);
}

sim::DrapeState worn_state(const std::vector<Cloth>& cloths) {
  sim::DrapeState state;
  for (const Cloth& cloth : cloths)
    for (const Vec3& p : cloth.welded.mesh.positions) state.x.push_back(p.cast<sim::Real>());
  state.v.assign(state.x.size(), sim::RVec3::Zero());
  return state;
}

sim::Scene worn_scene(const std::vector<Cloth>& cloths, const sim::Collider& collider, LayerContact layers) {
  sim::Scene scene;
  scene.collider = &collider;
  scene.middle_room = 0.5 * scene.contact_offset;
  if (layers == LayerContact::kAlways) scene.self_contact = kLayerGap;
  if (cloths.size() > 1) scene.steep_share = kSteepBetweenGarments;
  return scene;
}

}  // namespace tryon
