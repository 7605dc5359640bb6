#include "server/lab/drape_meter.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/base/units.h"
#include "server/lab/cloth.h"
#include "server/sim/constraints/elastic.h"
#include "server/sim/solvers/solver.h"

namespace tryon::lab {
namespace {

constexpr char kSolver[] = "newton";
constexpr double kStep = 0.1;       // s; speed is forgotten after each
constexpr double kSeedRise = 8e-3;  // m, the waves at the border
constexpr double kGrid = 2.5e-4;    // m, of the shadow

// Rings from the second last held one to the border: 6 k particles on ring k, equilateral but for the bending to rings.
struct Specimen {
  int inner = 0, held = 0, rings = 0;  // first ring there is; last held one; last
  std::vector<Vec2> flat;
  std::vector<Triangle> triangles;
  int first(int ring) const { return 3 * ring * (ring - 1) - 3 * inner * (inner - 1); }
};

void add_ring_triangles(int k, Specimen* s) {
  for (int side = 0; side < 6; ++side)
    for (int i = 0; i < k; ++i) {
      const auto outer = [&](int n) { return s->first(k) + (side * k + n) % (6 * k); };
      const auto inner = [&](int n) { return s->first(k - 1) + (side * (k - 1) + n) % (6 * (k - 1)); };
      s->triangles.push_back(Triangle(inner(i), outer(i), outer(i + 1)));
      if (i < k - 1) s->triangles.push_back(Triangle(inner(i), outer(i + 1), inner(i + 1)));
    }
}

// The clamp acts half a cell outside the last held ring (validation.md 0.4).
Specimen cut_specimen(const DrapeMeter& m) {
  Specimen s;
  const double free = m.specimen_radius - m.disc_radius;
  const int outside = std::max(2, static_cast<int>(std::round(free / m.cell - 0.5)));
  const double a = free / (outside + 0.5);
  s.held = std::max(2, static_cast<int>(std::round((m.disc_radius + a / 2) / a)));
  s.inner = s.held - 1;
  s.rings = s.held + outside;
  for (int k = s.inner; k <= s.rings; ++k) {
    const double radius = m.disc_radius + a / 2 + (k - s.held) * a;
    for (int i = 0; i < 6 * k; ++i) {
      const double angle = kPi / 3 * i / k;
      s.flat.push_back(radius * Vec2(std::cos(angle), std::sin(angle)));
    }
    if (k > s.inner) add_ring_triangles(k, &s);
  }
  return s;
}

sim::ClothInput cloth_of(const Specimen& s, const Fabric& fabric) {
  sim::ClothInput cloth;
  for (const Triangle& t : s.triangles) {
    cloth.triangles.push_back(t);
    cloth.corner_flat.push_back({s.flat[t[0]], s.flat[t[1]], s.flat[t[2]]});
  }
  cloth.fabric = spring_fabric(fabric);
  cloth.layout = sim::SpringLayout::kMembrane;
  cloth.bend = sim::BendLaw::kIsometric;
  for (int i = 0; i < s.first(s.held + 1); ++i) cloth.pinned.push_back(i);
  for (const Vec2& p : s.flat) cloth.positions.push_back(Vec3(p.x(), 0, -p.y()));
  return cloth;
}

sim::DrapeState seeded(const Specimen& s, const DrapeMeter& m, const sim::ClothInput& cloth, int waves) {
  sim::DrapeState state = sim::start_state(cloth);
  for (size_t i = s.first(s.held + 1); i < s.flat.size(); ++i) {
    const double beyond = (s.flat[i].norm() - m.disc_radius) / (m.specimen_radius - m.disc_radius);
    const double angle = std::atan2(s.flat[i].y(), s.flat[i].x());
    state.x[i].y() = static_cast<sim::Real>(kSeedRise * beyond * beyond * std::cos(waves * angle + 0.3));
  }
  return state;
}

double energy_of(const sim::DrapeModel& model, const sim::DrapeState& state) {
  sim::ElasticEnergy elastic(model, 0);
  std::vector<sim::RVec3> gradient(state.x.size());
  double energy = elastic.evaluate({}, state.x.data(), 1, gradient.data());
  for (size_t i = 0; i < state.x.size(); ++i)
    energy += static_cast<double>(model.mass[i]) * kGravity * static_cast<double>(state.x[i].y());
  return energy;
}

Draped read_meter(const Specimen& s, const DrapeMeter& m, const sim::DrapeModel& model, const sim::DrapeState& state) {
  Draped out;
  out.particle_count = model.particle_count;
  out.energy = energy_of(model, state);
  for (size_t i = s.first(s.rings); i < s.flat.size(); ++i) {
    const Vec3 x = state.x[i].cast<double>();
    out.rim.push_back(std::hypot(x.x(), x.z()));
  }
  out.nodes = count_nodes(out.rim);
  // The border is a polygon: its own flat shadow is the whole, and the held part hides nothing.
  const double disc = kPi * m.disc_radius * m.disc_radius, whole = kPi * m.specimen_radius * m.specimen_radius;
  const double hole = 6 * s.inner * 0.5 * s.flat[0].squaredNorm() * std::sin(kPi / 3 / s.inner);
  std::vector<Vec3> x;
  for (const auto& p : state.x) x.push_back(p.cast<double>());
  out.coefficient = (shadow_area(x, s.triangles, 1.05 * m.specimen_radius) + hole - disc) / (whole - disc);
  return out;
}

absl::StatusOr<Draped> drape_seed(const RunContext& run, const Specimen& s, const DrapeMeter& m,
                                  const sim::ClothInput& cloth, const sim::DrapeModel& model, int waves) {
  sim::SolverSettings settings;
  settings.time_step = kStep;
  settings.velocity_keep = 0;
  settings.iterations = m.iterations;
  settings.tolerance = m.residual / 10;
  sim::DrapeState state = seeded(s, m, cloth, waves);
  ASSIGN_OR_RETURN(auto solver, sim::make_solver(kSolver, model, settings));
  sim::Scene scene;
  scene.wind.drag = scene.wind.lift = 0;
  double residual = 1;
  for (int i = 0; i < m.steps && residual > m.residual; ++i) {
    ASSIGN_OR_RETURN(const sim::StepReport step, solver->step(run, scene, &state));
    residual = step.residual_max;
  }
  Draped out = read_meter(s, m, model, state);
  out.residual = residual;
  out.seed = waves;
  return out;
}

absl::Status check(const DrapeMeter& m) {
  const bool sizes = m.disc_radius >= 0.02 && m.specimen_radius <= 0.5 && m.specimen_radius >= 1.2 * m.disc_radius;
  bool waves = !m.seeds.empty() && m.seeds.size() <= 12;
  for (const int n : m.seeds) waves = waves && n >= 2 && n <= 12;
  if (sizes && waves && m.cell >= 2e-3 && m.cell <= 2e-2) return absl::OkStatus();
  return invalid_input("SETTING_OUT_OF_RANGE", "drape_meter",
                       cat("a specimen of ", 2e3 * m.specimen_radius, " mm over a disc of ", 2e3 * m.disc_radius,
                           " mm in cells of ", 1e3 * m.cell, " mm cannot be simulated"),
                       "Use 240, 300 or 360 mm over 180 mm (254 over 127 in Japan), cells of 2 .. 20 mm.");
}

}  // namespace

int count_nodes(const std::vector<double>& rim) {
  const int n = static_cast<int>(rim.size()), reach = std::max(1, n / 48);
  std::vector<double> smooth(n);
  for (int i = 0; i < n; ++i)
    for (int k = -reach; k <= reach; ++k) smooth[i] += rim[(i + k + n) % n];
  int nodes = 0;
  for (int i = 0; i < n; ++i)
    if (smooth[i] > smooth[(i + n - 1) % n] && smooth[i] >= smooth[(i + 1) % n]) ++nodes;
  return nodes;
}

double shadow_area(const std::vector<Vec3>& positions, const std::vector<Triangle>& triangles, double reach) {
  const int half = static_cast<int>(std::ceil(reach / kGrid)), size = 2 * half;
  std::vector<char> dark(static_cast<size_t>(size) * size);
  const auto cross = [](const Vec2& u, const Vec2& v) { return u.x() * v.y() - u.y() * v.x(); };
  for (const Triangle& t : triangles) {
    std::array<Vec2, 3> p;
    for (int k = 0; k < 3; ++k) {
      const Vec3& x = positions[t[k]];
      p[k] = Vec2(x.x(), x.z()) / kGrid + Vec2(half, half);
    }
    const double turn = cross(p[1] - p[0], p[2] - p[0]) < 0 ? -1 : 1;
    const auto low = [&](int k) { return std::max(0, static_cast<int>(std::min({p[0][k], p[1][k], p[2][k]}) - 0.5)); };
    const auto high = [&](int k) {
      return std::min(size - 1, static_cast<int>(std::max({p[0][k], p[1][k], p[2][k]}) + 0.5));
    };
    for (int y = low(1); y <= high(1); ++y)
      for (int x = low(0); x <= high(0); ++x) {
        const Vec2 q(x + 0.5, y + 0.5);
        bool in = true;
        for (int k = 0; k < 3; ++k) in = in && turn * cross(p[(k + 1) % 3] - p[k], q - p[k]) >= 0;
        if (in) dark[static_cast<size_t>(y) * size + x] = 1;
      }
  }
  return kGrid * kGrid * static_cast<double>(std::count(dark.begin(), dark.end(), 1));
}

absl::StatusOr<std::vector<Draped>> drape_each_seed(const RunContext& run, const Fabric& fabric,
                                                    const DrapeMeter& meter) {
  RETURN_IF_ERROR(check(meter));
  const Specimen specimen = cut_specimen(meter);
  const sim::ClothInput cloth = cloth_of(specimen, fabric);
  ASSIGN_OR_RETURN(const sim::DrapeModel model, sim::build_model(cloth));
  std::vector<Draped> out;
  for (const int waves : meter.seeds) {
    ASSIGN_OR_RETURN(Draped draped, drape_seed(run, specimen, meter, cloth, model, waves));
    out.push_back(std::move(draped));
  }
  return out;
}

absl::StatusOr<Draped> drape_specimen(const RunContext& run, const Fabric& fabric, const DrapeMeter& meter) {
  ASSIGN_OR_RETURN(const std::vector<Draped> all, drape_each_seed(run, fabric, meter));
  return *std::min_element(all.begin(), all.end(),
                           [](const Draped& a, const Draped& b) { return a.energy < b.energy; });
}

}  // namespace tryon::lab
