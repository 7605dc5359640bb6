// Global balances of cloth at rest: validation.md 6.6. A square lies on a sphere and hangs from one pinned corner; the
// forces are the ones that a drape reports (cloth_forces.h), the pin's is what the fabric and its own weight leave.
#include <algorithm>

#include "server/sim/cloth_forces.h"
#include "tests/validation/contact_scenes.h"

namespace tryon::sim::validation {
namespace {

struct Resting {
  DrapeModel model;
  DrapeState state;
  ClothForces forces;
  std::vector<Vec3> reaction;  // [particle_count] N, of body and pin
  double weight = 0, residual = 0;
  Vec3 centroid = Vec3::Zero();
};

Resting half_on_a_sphere(const std::string& solver, Surface surface) {
  constexpr double kSide = 0.4, kRadius = 0.1;
  Strip s;
  s.columns = s.rows = 14;
  s.cell = kSide / 14;
  s.start = -kSide / 2;
  s.width = kSide;
  s.mesh = MeshKind::kM2;
  ClothInput cloth = make_strip(s);
  cloth.fabric.bend_warp = cloth.fabric.bend_weft = 5e-6;
  cloth.fabric.friction_static = cloth.fabric.friction_kinetic = 0.3;
  cloth.pinned = {0};
  Scene scene = vacuum();
  for (Vec3& p : cloth.positions) p.y() = kRadius + scene.contact_offset;
  const auto ball = make_ball(kRadius, surface);
  scene.collider = ball.get();
  Resting out;
  out.model = build_model(cloth).value();
  Rest rest = bring_to_rest(solver, out.model, scene, start_state(cloth), 1e-4, 400, 0.1, 100);
  out.state = std::move(rest.state);
  const NetForces net = net_forces(out.model, scene, out.state);
  out.residual = equilibrium_residual(out.model, scene, out.state, net).max;
  out.forces = cloth_forces(out.model, scene, out.state, net);
  out.reaction = out.forces.reaction;
  out.reaction[0] -= net.force[0];
  for (size_t i = 0; i < out.state.x.size(); ++i) {
    const double own = static_cast<double>(out.model.mass[i]) * kGravity;
    out.weight += own;
    out.centroid += own * out.state.x[i].cast<double>();
  }
  out.centroid /= out.weight;
  return out;
}

TEST(Balances, BodyAndPinCarryTheWeightAndItsMomentInsideTheConesAndNeverPull) {
  for (const Surface surface : {Surface::kAnalytic, Surface::kTriangles}) {
    const Resting r = half_on_a_sphere("drape", surface);
    Vec3 sum = Vec3::Zero(), moment = Vec3::Zero();
    double low = 1e9, high = -1e9;
    for (size_t i = 0; i < r.state.x.size(); ++i) {
      const Vec3 x = r.state.x[i].cast<double>();
      sum += r.reaction[i], moment += (x - r.centroid).cross(r.reaction[i]);
      low = std::min(low, x.y()), high = std::max(high, x.y());
      const double press = r.forces.press[i];
      EXPECT_GE(press, 0);
      const double across = std::sqrt(std::max(0.0, r.forces.reaction[i].squaredNorm() - press * press));
      EXPECT_LE(across, 0.3 * press * (1 + 1e-3) + 1e-9 * r.weight) << i;
    }
    ASSERT_LT(r.residual, 1e-2) << "at rest";
    EXPECT_GT(r.reaction[0].norm(), 0.02 * r.weight) << "the pin takes part";
    EXPECT_LT((sum - Vec3(0, r.weight, 0)).norm(), 2e-3 * r.weight);
    EXPECT_LT(moment.norm(), 2e-3 * r.weight * (high - low));
  }
}

}  // namespace
}  // namespace tryon::sim::validation
