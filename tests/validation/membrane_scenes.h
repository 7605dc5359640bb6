// What it is: T5 (catenary), T9 (bulge under pressure) and T10 b (rigid plate swinging from its edge) of validation.md,
// measured. Units: SI. Shapes: as in meshes.h. How it fails: an unsolved step ends the test. Thread rules: pure
// functions.
#pragma once

#include "server/sim/cloth_forces.h"
#include "server/sim/constraints/elastic.h"
#include "tests/validation/strips.h"

namespace tryon::sim::validation {

struct Sag {
  double sag = 0, pull = 0;  // over L, over wL
  double support = 0;        // of the pins, over the weight
  DrapeState state;
};
// T5: pinned at equal height, `stiffness` times its weight.
inline Sag catenary(const std::string& solver, double span, double stiffness, int elements,
                    SpringLayout layout = SpringLayout::kThreads, double h = 0.1) {
  Strip s;
  s.columns = elements;
  s.cell = 1.0 / elements;
  s.width = 0.05;
  s.rows = 1;
  ClothInput cloth = make_strip(s);
  cloth.fabric.areal_density = 0.15;
  cloth.layout = layout;
  const double w = 0.15 * kGravity;
  cloth.fabric.stretch_warp = cloth.fabric.stretch_weft = stiffness * w;
  cloth.fabric.shear = 0;
  cloth.fabric.bend_warp = cloth.fabric.bend_weft = 0;
  const double half = span / 2, depth = 0.45 * std::sqrt(std::max(0.03, 1 - span * span));
  for (Vec3& p : cloth.positions) {
    const double t = 2 * p.x() - 1;
    p = Vec3(half * t, -depth * (1 - t * t), p.z());
  }
  cloth.pinned = {s.at(0, 0), s.at(0, 1), s.at(elements, 0), s.at(elements, 1)};
  const DrapeModel model = build_model(cloth).value();
  const Rest rest = bring_to_rest(solver, model, vacuum(), start_state(cloth), 1e-6, static_cast<int>(60 / h), h, 100);
  const auto at = [&](int i) -> Vec3 { return rest.state.x[s.at(i, 0)].cast<double>(); };
  // Horizontal pull of the middle element: stiffness times its elongation.
  const Vec3 middle = at(elements / 2 + 1) - at(elements / 2);
  ElasticEnergy elastic(model, 0);
  std::vector<RVec3> gradient(rest.state.x.size());
  elastic.evaluate({}, rest.state.x.data(), 1, gradient.data());
  double carried = 0, weight = 0;
  for (int i = 0; i < model.particle_count; ++i) weight += static_cast<double>(model.mass[i]) * kGravity;
  for (int i : cloth.pinned)
    carried += static_cast<double>(gradient[i].y()) + static_cast<double>(model.mass[i]) * kGravity;
  return {-at(elements / 2).y(), stiffness * (middle.norm() / s.cell - 1) * middle.x() / middle.norm(),
          carried / weight, rest.state};
}

// T9 a: a disc clamped at its rim. Hencky's C(nu) is w_0 over (p a / Y)^(1/3) a, his K(nu) the tension in the middle
// (mean of the triangles there, both directions) over (Y p^2 a^2)^(1/3).
struct Bulge {
  double height = 0, tension = 0;
};
inline Bulge bulge_and_tension(const std::string& solver, double poisson, int rings, double pressure) {
  const double radius = 0.1, stiffness = 1000;
  ClothInput cloth = cloth_of(flat_disc(radius, rings));
  cloth.layout = SpringLayout::kMembrane;
  cloth.fabric.stretch_warp = cloth.fabric.stretch_weft = stiffness;
  cloth.fabric.poisson = poisson;
  cloth.fabric.shear = stiffness / (2 * (1 + poisson));
  cloth.fabric.bend_warp = cloth.fabric.bend_weft = 0;
  const int count = static_cast<int>(cloth.positions.size());
  for (int i = count - 6 * rings; i < count; ++i) cloth.pinned.push_back(i);
  const double scale = radius * std::cbrt(pressure * radius / stiffness);
  for (Vec3& p : cloth.positions) p.y() = 0.65 * scale * (1 - p.squaredNorm() / (radius * radius));
  const DrapeModel model = build_model(cloth).value();
  Scene scene = vacuum();
  scene.gravity.setZero();
  scene.pressure = pressure;
  const Rest rest = bring_to_rest(solver, model, scene, start_state(cloth), 1e-5 * pressure, 300, 0.1, 200);
  const ClothForces forces = cloth_forces(model, scene, rest.state, net_forces(model, scene, rest.state));
  double tension = 0;
  for (int t = 0; t < 6; ++t) tension += forces.tension[t].trace() / 12;
  return {static_cast<double>(rest.state.x[0].y()) / scale,
          tension / std::cbrt(stiffness * std::pow(pressure * radius, 2))};
}
inline double bulge_of_disc(const std::string& solver, double poisson, int rings, double pressure) {
  return bulge_and_tension(solver, poisson, rings, pressure).height;
}

// T9 b: w_0 / a of a strip of half-width a, long the other way; lambda = p a / Y.
inline double bulge_of_strip(const std::string& solver, SpringLayout layout, double lambda, int elements) {
  const double half = 0.1, stiffness = 1000;
  Strip s;
  s.columns = 2 * elements;
  s.cell = half / elements;
  s.start = -half;
  s.rows = 1;
  s.width = s.cell;
  ClothInput cloth = make_strip(s);
  cloth.layout = layout;
  cloth.fabric.stretch_warp = cloth.fabric.stretch_weft = stiffness;
  cloth.fabric.shear = 0;
  cloth.fabric.bend_warp = cloth.fabric.bend_weft = 0;
  cloth.pinned = {s.at(0, 0), s.at(0, 1), s.at(s.columns, 0), s.at(s.columns, 1)};
  for (Vec3& p : cloth.positions) p.y() = std::cbrt(lambda) * half * (1 - p.x() * p.x() / (half * half));
  const DrapeModel model = build_model(cloth).value();
  Scene scene = vacuum();
  scene.gravity.setZero();
  scene.pressure = lambda * stiffness / half;
  const Rest rest = bring_to_rest(solver, model, scene, start_state(cloth), 1e-4, 400, 0.1, 200);
  return mean_of_column(s, rest.state, elements).y() / half;
}

// J_0 by its series: the first mode of a hanging strip.
inline double bessel0(double x) {
  double term = 1, sum = 1;
  for (int k = 1; k < 40; ++k) {
    term *= -x * x / (4.0 * k * k);
    sum += term;
  }
  return sum;
}

struct Swing {
  double period = 0, decay = 0;  // s; amplitude over one period
  int64_t iterations = 0;
};
struct HangingStrip {
  double h = 1.0 / 60, tolerance = 1e-7, stretch = 1e4;
  int iterations = 60, mode = 1;  // mode 1 to 3
  double bend = 0;                // B / (w L^3)
  bool clamped = false;           // half a cell below its upper row, else hinged there
};
inline constexpr double kBesselRoots[] = {2.404825557695773, 5.520078110286311, 8.653727912911013};
// T10 a: let go in a mode of the strip without bending.
inline Swing hanging_strip(const std::string& solver, const HangingStrip& o) {
  const double h = o.h;
  Strip s;
  s.columns = 40 + o.clamped;
  s.cell = o.clamped ? 1 / 40.5 : 0.025;
  s.width = 0.05;
  s.rows = 1;
  s.start = o.clamped ? -s.cell / 2 : 0;
  ClothInput cloth = make_strip(s);
  if (o.bend > 0) cloth.bend = BendLaw::kIsometric;
  cloth.fabric.bend_warp = cloth.fabric.bend_weft = o.bend * cloth.fabric.areal_density * kGravity;
  cloth.fabric.stretch_warp = cloth.fabric.stretch_weft = o.stretch;
  cloth.fabric.shear = 0;
  cloth.pinned = {0, 1};
  if (o.clamped) cloth.pinned = {0, 1, 2, 3};
  const double root = kBesselRoots[o.mode - 1];
  for (Vec3& p : cloth.positions) {
    const double free = std::min(1.0, 1 - p.x());  // from the free end
    const double aside = o.clamped && p.x() < s.cell ? 0 : bessel0(root * std::sqrt(std::max(0.0, free)));
    p = Vec3(0.02 * aside, -p.x(), p.z());
  }
  const DrapeModel model = build_model(cloth).value();
  DrapeState state = start_state(cloth);
  SolverSettings settings;
  settings.time_step = h;
  settings.velocity_keep = 1;
  settings.iterations = o.iterations;
  settings.tolerance = o.tolerance;
  auto solve = make_solver(solver, model, settings).value();
  Swing swing;
  std::vector<double> tip = {0.02};
  while (tip.size() < static_cast<size_t>(4.0 / h)) {
    const auto report = solve->step({}, vacuum(), &state);
    if (!report.ok()) return {};
    swing.iterations += report->iterations;
    tip.push_back(static_cast<double>(state.x[s.at(s.columns, 0)].x()));
  }
  std::vector<double> crossing;
  double low = 0, high = 0;
  for (size_t i = 1; i < tip.size(); ++i)
    if (tip[i - 1] * tip[i] < 0) crossing.push_back(h * (static_cast<double>(i) - tip[i] / (tip[i] - tip[i - 1])));
  if (crossing.size() < 3) return swing;
  const size_t one = static_cast<size_t>(crossing[0] / h), two = static_cast<size_t>(crossing[1] / h),
               three = static_cast<size_t>(crossing[2] / h);
  for (size_t i = one; i < two; ++i) low = std::max(low, std::abs(tip[i]));
  for (size_t i = two; i < three; ++i) high = std::max(high, std::abs(tip[i]));
  swing.period = crossing[2] - crossing[0];
  swing.decay = std::pow(high / low, 2);
  return swing;
}

inline Swing hanging_strip(const std::string& solver, double h, int iterations, double tolerance = 1e-7) {
  HangingStrip o;
  o.h = h, o.iterations = iterations, o.tolerance = tolerance;
  return hanging_strip(solver, o);
}

// T10 b: period of a stiff plate of length 0.5 m let go at an angle: four times its first fall, extrapolated from h and
// h / 2 to none.
inline double plate_period_at(const std::string& solver, double degrees, double h) {
  Strip s;
  s.columns = 20;
  s.cell = 0.025;
  s.rows = 1;
  s.width = 0.05;
  ClothInput cloth = make_strip(s);
  cloth.bend = BendLaw::kShape;
  cloth.fabric.bend_warp = cloth.fabric.bend_weft = 1;
  cloth.fabric.stretch_warp = cloth.fabric.stretch_weft = 1e5;
  cloth.fabric.shear = 5e4;
  cloth.pinned = {0, 1};
  const double angle = degrees * kPi / 180;
  for (Vec3& p : cloth.positions) p = Vec3(p.x() * std::sin(angle), -p.x() * std::cos(angle), p.z());
  const DrapeModel model = build_model(cloth).value();
  DrapeState state = start_state(cloth);
  SolverSettings settings;
  settings.time_step = h;
  settings.velocity_keep = 1;
  settings.iterations = 60;
  settings.tolerance = 1e-6;
  auto solve = make_solver(solver, model, settings).value();
  std::vector<double> crossing;
  double before = 1;
  for (int i = 1; crossing.empty() && i < 2 / h; ++i) {
    if (!solve->step({}, vacuum(), &state).ok()) return std::nan("");
    const double tip = mean_of_column(s, state, s.columns).x();
    if (before * tip < 0) crossing.push_back(h * (i - tip / (tip - before)));
    before = tip;
  }
  return crossing.empty() ? std::nan("") : 4 * crossing[0];
}
inline double plate_period(const std::string& solver, double degrees, double h) {
  return 2 * plate_period_at(solver, degrees, h / 2) - plate_period_at(solver, degrees, h);
}

}  // namespace tryon::sim::validation
