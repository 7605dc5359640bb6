// T11 (action and reaction of layers), S4 (time step of a catenary and of a held strip), S5 (renumbering, mirror with
// contact): validation.md 2.7, 5.4, 5.5.
#include <algorithm>
#include <numeric>

#include "tests/validation/contact_scenes.h"
#include "tests/validation/layer_scenes.h"
#include "tests/validation/membrane_scenes.h"

namespace tryon::sim::validation {
namespace {

double rms_difference(const DrapeState& a, const DrapeState& b) {
  double sum = 0;
  for (size_t i = 0; i < a.x.size(); ++i) sum += static_cast<double>((a.x[i] - b.x[i]).squaredNorm());
  return std::sqrt(sum / static_cast<double>(a.x.size()));
}

TEST(S4TimeStep, TheCatenaryAtRestDoesNotKnowItsTimeStep) {
  for (const char* solver : {"newton", "lbfgs"}) {
    const Sag slow = catenary(solver, 0.8, 100, 20, SpringLayout::kThreads, 1.0 / 30);
    for (double h : {1.0 / 60, 1.0 / 120})
      EXPECT_LT(rms_difference(slow.state, catenary(solver, 0.8, 100, 20, SpringLayout::kThreads, h).state), 0.5e-3)
          << solver << " " << h;
  }
}

// The same cloth under other numbers: new[i] is where particle i has gone.
ClothInput renumbered(const ClothInput& cloth, const std::vector<int>& place, std::mt19937* random) {
  ClothInput out = cloth;
  for (size_t i = 0; i < place.size(); ++i) out.positions[place[i]] = cloth.positions[i];
  std::vector<size_t> order(cloth.triangles.size());
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), *random);
  for (size_t t = 0; t < order.size(); ++t) {
    const Triangle& from = cloth.triangles[order[t]];
    out.triangles[t] = Triangle(place[from[0]], place[from[1]], place[from[2]]);
    out.corner_flat[t] = cloth.corner_flat[order[t]];
  }
  for (int& p : out.pinned) p = place[p];
  return out;
}

struct Shuffled {
  ClothInput cloth;
  std::vector<int> place;
};
Shuffled shuffled(const ClothInput& cloth) {
  std::mt19937 random(4);
  Shuffled out;
  out.place.resize(cloth.positions.size());
  std::iota(out.place.begin(), out.place.end(), 0);
  std::shuffle(out.place.begin(), out.place.end(), random);
  out.cloth = renumbered(cloth, out.place, &random);
  return out;
}
double furthest_apart(const DrapeState& a, const DrapeState& b, const std::vector<int>& place) {
  double worst = 0;
  for (size_t i = 0; i < place.size(); ++i)
    worst = std::max(worst, static_cast<double>((a.x[i] - b.x[place[i]]).norm()));
  return worst;
}

TEST(S5Renumbering, TheCatenaryRestsInTheSameShape) {
  Strip s;
  s.columns = 20, s.cell = 0.05, s.width = 0.05, s.rows = 1;
  ClothInput cloth = make_strip(s);
  cloth.fabric.stretch_warp = cloth.fabric.stretch_weft = 100 * cloth.fabric.areal_density * kGravity;
  cloth.fabric.shear = cloth.fabric.bend_warp = cloth.fabric.bend_weft = 0;
  for (Vec3& p : cloth.positions) p = Vec3(0.8 * p.x(), -p.x() * (1 - p.x()), p.z());
  cloth.pinned = {s.at(0, 0), s.at(0, 1), s.at(20, 0), s.at(20, 1)};
  const Shuffled other = shuffled(cloth);
  const DrapeModel model = build_model(cloth).value(), mixed = build_model(other.cloth).value();
  for (const char* solver : {"newton", "lbfgs", "drape", "spring_projection"}) {
    const Rest a = bring_to_rest(solver, model, vacuum(), start_state(cloth), 1e-8, 600, 0.1, 100);
    const Rest b = bring_to_rest(solver, mixed, vacuum(), start_state(other.cloth), 1e-8, 600, 0.1, 100);
    EXPECT_LT(furthest_apart(a.state, b.state, other.place), 1e-8) << solver;
  }
}

// A sheet in motion, one third of a second. lbfgs, and drape with it, learns from differences of gradients, in which
// another order of summing shows, and a flat sheet that is let go has many ways to fold: 60 iterations a step take it
// to 1e-5 of the length, 300 to 3e-3. Where there is one shape, as above, both rest in it.
TEST(S5Renumbering, OtherNumbersOfParticlesAndTrianglesGiveTheSameMotion) {
  Strip s;
  s.columns = s.rows = 10;
  s.width = 0.1;
  s.mesh = MeshKind::kM3;
  ClothInput cloth = make_strip(s);
  cloth.pinned = {0, 10};
  const Shuffled other = shuffled(cloth);
  const DrapeModel model = build_model(cloth).value(), mixed = build_model(other.cloth).value();
  for (const auto& [solver, share] : {std::pair("newton", 1e-8),
                                      {"baraff_witkin", 1e-8},
                                      {"spring_projection", 1e-8},
                                      {"pd_direct", 1e-8},
                                      {"pd_multigrid", 1e-8},
                                      {"admm", 1e-8},
                                      {"mass_spring", 1e-8},
                                      {"lbfgs", 1e-5},
                                      {"drape", 1e-5}}) {
    SolverSettings settings;
    settings.iterations = 60;
    settings.tolerance = 1e-9;
    DrapeState a = start_state(cloth), b = start_state(other.cloth);
    ASSERT_TRUE(advance(solver, model, settings, vacuum(), 10, &a));
    ASSERT_TRUE(advance(solver, mixed, settings, vacuum(), 10, &b));
    EXPECT_LT(furthest_apart(a, b, other.place), share * 0.1) << solver;
  }
}

TEST(S5Symmetry, ASheetThatFallsOnACylinderStaysItsMirrorImage) {
  Strip s;
  s.columns = s.rows = 12;
  s.cell = 0.02;
  s.start = -0.12;
  s.width = 0.24;
  s.mesh = MeshKind::kM2;
  ClothInput cloth = make_strip(s);
  for (Vec3& p : cloth.positions) p.y() = 0.055;
  const DrapeModel model = build_model(cloth).value();
  Scene scene = vacuum();
  const auto cylinder = make_cylinder(0.05, Surface::kAnalytic);
  scene.collider = cylinder.get();
  SolverSettings settings;
  settings.iterations = 100;
  settings.tolerance = 1e-9;
  DrapeState state = start_state(cloth);
  ASSERT_TRUE(advance("newton", model, settings, scene, 12, &state));
  ASSERT_LT(static_cast<double>(state.x[s.at(0, 6)].y()), 0.04) << "it hangs";
  for (int i = 0; i <= 12; ++i)
    for (int j = 0; j <= 12; ++j) {
      const RVec3 a = state.x[s.at(i, j)], b = state.x[s.at(i, 12 - j)];
      EXPECT_LT((a - RVec3(b.x(), b.y(), -b.z())).norm(), 0.24e-8) << i << " " << j;
    }
}

// Two sheets meet without any outer force: what one gains the other loses. By newton, whose directions keep the sum
// whether or not they have converged; lbfgs ends such steps at its iterations, 0.02 to 0.5 % of the momentum astray.
TEST(T11Momentum, LayersThatMeetPushEachOtherAlike) {
  Strip s;
  s.columns = s.rows = 4;
  s.cell = 0.02;
  s.width = 0.08;
  ClothInput cloth = make_strip(s), upper = make_strip(s);
  for (Vec3& p : upper.positions) p += Vec3(0.007, 4e-3, 0.005);
  const size_t each = cloth.positions.size();
  append(upper, &cloth);
  const DrapeModel model = build_model(cloth).value();
  DrapeState state = start_state(cloth);
  for (size_t i = 0; i < state.v.size(); ++i) state.v[i] = RVec3(0, i < each ? Real(0.2) : Real(-0.1), 0);
  const auto momentum = [&](size_t begin, size_t end) {
    Vec3 sum = Vec3::Zero();
    for (size_t i = begin; i < end; ++i) sum += (model.mass[i] * state.v[i]).cast<double>();
    return sum;
  };
  Scene scene = vacuum();
  scene.gravity.setZero();
  scene.self_contact = kLayerRadius;
  SolverSettings settings;
  settings.velocity_keep = 1;
  settings.iterations = 60;
  settings.tolerance = 1e-9;
  const Vec3 before = momentum(0, state.v.size()), lower = momentum(0, each);
  ASSERT_TRUE(advance("newton", model, settings, scene, 6, &state));
  EXPECT_GT((momentum(0, each) - lower).norm(), 0.1 * lower.norm()) << "they have met";
  EXPECT_LT((momentum(0, state.v.size()) - before).norm(), 1e-10 * lower.norm());
}

}  // namespace
}  // namespace tryon::sim::validation
