// T10 (pendulums), T11 (free fall, spin, energy), S5 (symmetry): validation.md 2.6, 2.7, 5.5.
#include <algorithm>

#include "server/sim/constraints/elastic.h"
#include "tests/validation/membrane_scenes.h"

namespace tryon::sim::validation {
namespace {

TEST(T10HangingStrip, PeriodAndDecayAreThoseOfBackwardEuler) {
  const double exact = 1.66865, h = 1.0 / 60, wh = 2 * kPi / exact * h;
  const double shifted = exact * wh / std::atan(wh);
  for (const char* solver : {"newton", "lbfgs"}) {
    const Swing swing = hanging_strip(solver, h, solver == std::string("newton") ? 60 : 1000);
    EXPECT_NEAR(swing.period, shifted, 0.01 * shifted) << solver;
    EXPECT_NEAR(1 - swing.decay, 1 - 0.8212, 0.05 * (1 - 0.8212)) << solver;
  }
}

TEST(T10HangingStrip, SwingsInItsSecondModeAndStiffenedByBending) {
  HangingStrip second;
  second.mode = 2, second.h = 1.0 / 240;
  HangingStrip stiff;
  stiff.bend = 1e-2, stiff.clamped = true, stiff.h = 1.0 / 120;
  const std::pair<HangingStrip, double> cases[] = {{second, 0.72695},
                                                   {stiff, 2 * kPi / (1.2868744 * std::sqrt(kGravity))}};
  for (const auto& [o, exact] : cases) {
    const double wh = 2 * kPi / exact * o.h, shifted = exact * wh / std::atan(wh);
    EXPECT_NEAR(hanging_strip("newton", o).period, shifted, 0.01 * shifted) << o.mode;
  }
}

double largest_strain(const ClothInput& cloth, const DrapeState& state) {
  double largest = 0;
  for (size_t t = 0; t < cloth.triangles.size(); ++t) {
    const auto& flat = cloth.corner_flat[t];
    const Triangle& p = cloth.triangles[t];
    Eigen::Matrix2d rest;
    rest << flat[1] - flat[0], flat[2] - flat[0];
    Eigen::Matrix<double, 3, 2> now;
    now << (state.x[p[1]] - state.x[p[0]]).cast<double>(), (state.x[p[2]] - state.x[p[0]]).cast<double>();
    const Eigen::Matrix<double, 3, 2> f = now * rest.inverse();
    largest = std::max(largest, 0.5 * (f.transpose() * f - Eigen::Matrix2d::Identity()).cwiseAbs().maxCoeff());
  }
  return largest;
}

// A flat sheet's fall in one second: largest difference (m) from the drop of its integrator, and largest Green strain.
// mass_spring's step is its substep.
struct Fall {
  double off = 0, strain = 0;
};
Fall fall_of(const std::string& solver, int rate, double tolerance) {
  Strip s;
  s.columns = s.rows = 6;
  s.width = 0.06;
  const ClothInput cloth = make_strip(s);
  const DrapeModel model = build_model(cloth).value();
  DrapeState state = start_state(cloth);
  SolverSettings settings;
  settings.time_step = 1.0 / rate;
  settings.velocity_keep = 1;
  settings.tolerance = tolerance;
  auto solve = make_solver(solver, model, settings).value();
  double n = rate;
  for (int i = 0; i < rate; ++i) {
    const auto report = solve->step({}, vacuum(), &state);
    EXPECT_TRUE(report.ok()) << report.status();
    if (report.ok() && solver == "mass_spring") n = static_cast<double>(rate) * report->iterations;
  }
  Fall out;
  const Vec3 drop(0, 0.5 * kGravity * (n + 1) / n, 0);
  for (size_t i = 0; i < state.x.size(); ++i)
    out.off = std::max(out.off, (state.x[i].cast<double>() - cloth.positions[i] + drop).norm());
  out.strain = largest_strain(cloth, state);
  return out;
}

// mass_spring adds a velocity thousands of times, and each sum is rounded: 1.02e-12.
void expect_free_fall(const std::string& solver, double tolerance) {
  for (const int rate : {30, 60, 100}) {
    const Fall fall = fall_of(solver, rate, tolerance);
    EXPECT_LT(fall.off, solver == "mass_spring" ? 2e-12 : 1e-12) << solver << " " << rate;
    EXPECT_LT(fall.strain, 1e-10) << solver << " " << rate;
  }
}

// A step ends at its tolerance: spring_projection, which alone does not begin at free flight, is 8e-11 m off at 1e-4.
TEST(T11FreeFall, AFlatSheetFallsAsTheIntegratorToTheTwelfthDigitAndIsNotStrained) {
  for (const SolverInfo& info : solver_list())
    if (info.name != "spring_projection") expect_free_fall(info.name, 1e-4);
}

// Where a tolerance lies below rounding, no method may feed on rounding (pd_chebyshev did: 0.04 m in a second).
TEST(T11FreeFall, AToleranceBelowRoundingDoesNoHarm) {
  for (const SolverInfo& info : solver_list()) expect_free_fall(info.name, 1e-12);
}

DrapeState spinning_disc(const ClothInput& cloth, double rate) {
  DrapeState state = start_state(cloth);
  for (RVec3& x : state.x) {
    const RVec3 centred = x - RVec3(Real(0.1), 0, 0);
    state.v[&x - state.x.data()] = Real(rate) * RVec3(0, 1, 0).cross(centred);
  }
  return state;
}

TEST(T11Spin, AStiffSheetSlowsAsBackwardEulerMust) {
  Strip s;
  s.columns = s.rows = 8;
  s.cell = 0.025;
  s.width = 0.2;
  ClothInput cloth = make_strip(s);
  cloth.fabric.stretch_warp = cloth.fabric.stretch_weft = 1e5;
  cloth.fabric.shear = 5e4;
  const DrapeModel model = build_model(cloth).value();
  Scene scene = vacuum();
  scene.gravity.setZero();
  const double exact[] = {3.310594, 4.136483};
  int k = 0;
  for (int rate : {30, 60}) {
    DrapeState state = spinning_disc(cloth, 2 * kPi);
    SolverSettings settings;
    settings.time_step = 1.0 / rate;
    settings.velocity_keep = 1;
    settings.iterations = 100;
    settings.tolerance = 1e-7;
    auto solve = make_solver("newton", model, settings).value();
    for (int i = 0; i < rate; ++i) ASSERT_TRUE(solve->step({}, scene, &state).ok());
    double spin = 0, inertia = 0;
    RVec3 centre = RVec3::Zero();
    double mass = 0;
    for (size_t i = 0; i < state.x.size(); ++i) centre += model.mass[i] * state.x[i], mass += double(model.mass[i]);
    centre /= Real(mass);
    for (size_t i = 0; i < state.x.size(); ++i) {
      const Vec3 r = (state.x[i] - centre).cast<double>(), v = state.v[i].cast<double>();
      spin += double(model.mass[i]) * r.cross(v).y();
      inertia += double(model.mass[i]) * (r.x() * r.x() + r.z() * r.z());
    }
    EXPECT_NEAR(spin / inertia, exact[k], 0.01 * exact[k]) << rate;
    ++k;
  }
}

// Phi + 1/2 |v|^2 never rises, by at least the numerical dissipation 1/2 |dv|^2. In 200 iterations lbfgs misses that by
// 2e-7 of the energy's scale in one step of forty; in 1000 it loses what newton loses.
TEST(T11Energy, EveryConvergedStepLosesWhatBackwardEulerSays) {
  Strip s;
  s.columns = 12;
  s.rows = 6;
  s.width = 0.06;
  ClothInput cloth = make_strip(s);
  cloth.pinned = {0, 6};
  cloth.fabric.bend_warp = cloth.fabric.bend_weft = 1e-5;
  const DrapeModel model = build_model(cloth).value();
  for (const char* solver : {"newton", "lbfgs"}) {
    DrapeState state = start_state(cloth);
    SolverSettings settings;
    settings.velocity_keep = 1;
    settings.iterations = 1000;
    settings.tolerance = 1e-8;
    auto solve = make_solver(solver, model, settings).value();
    ElasticEnergy elastic(model, 0);
    std::vector<RVec3> gradient(state.x.size());
    const auto energy = [&](const DrapeState& at) {
      double sum = elastic.evaluate({}, at.x.data(), 1, gradient.data());
      for (size_t i = 0; i < at.x.size(); ++i)
        sum += double(model.mass[i]) * (kGravity * double(at.x[i].y()) + 0.5 * double(at.v[i].squaredNorm()));
      return sum;
    };
    double scale = 0;
    for (Real m : model.mass) scale += double(m) * kGravity * 0.1;
    for (int i = 0; i < 40; ++i) {
      const DrapeState before = state;
      ASSERT_TRUE(solve->step({}, vacuum(), &state).ok());
      double lost = 0;
      for (size_t p = 0; p < state.v.size(); ++p)
        lost += 0.5 * double(model.mass[p]) * double((state.v[p] - before.v[p]).squaredNorm());
      EXPECT_LE(energy(state) + lost, energy(before) + 1e-6 * scale) << solver << " step " << i;
    }
  }
}

TEST(S5Symmetry, AMirrorSymmetricSheetStaysSo) {
  Strip s;
  s.columns = 8;
  s.rows = 8;
  s.width = 0.08;
  s.mesh = MeshKind::kM2;
  ClothInput cloth = make_strip(s);
  cloth.pinned = {0, 8};
  const DrapeModel model = build_model(cloth).value();
  const Rest rest = bring_to_rest("newton", model, vacuum(), start_state(cloth), 1e-8, 400);
  for (int i = 0; i <= 8; ++i)
    for (int j = 0; j <= 8; ++j) {
      const RVec3 a = rest.state.x[s.at(i, j)], b = rest.state.x[s.at(i, 8 - j)];
      EXPECT_LT((a - RVec3(b.x(), b.y(), -b.z())).norm(), 1e-8) << i << " " << j;
    }
}

}  // namespace
}  // namespace tryon::sim::validation
