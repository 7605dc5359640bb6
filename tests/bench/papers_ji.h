// What it is: the study of Ji 2004: a 50 x 50 cloth over a sphere with and without internal-force correction, and a
// garment in a 10 m/s wind on a figure of oblique frusta or on the same figure as 100,000 triangles: the share of
// collision handling in the run time.
#pragma once

#include "server/base/units.h"
#include "server/sim/collision/collider.h"
#include "tests/bench/papers_plot.h"
#include "tests/bench/papers_scene.h"

namespace tryon::study {

inline double ji_sphere(double threshold, int side, int steps) {
  sim::ClothInput cloth = square_cloth(side, false, 6);
  for (Vec3& p : cloth.positions) p += Vec3(-0.5, 0.305, 0.5);
  const auto ball = sim::make_solid_collider({Sphere{Vec3::Zero(), 0.3}});
  const sim::DrapeModel model = need(sim::build_model(cloth));
  sim::DrapeState state = sim::start_state(cloth);
  sim::SolverSettings settings;
  settings.strain_threshold = threshold;
  auto solver = need(sim::make_solver("mass_spring", model, settings));
  double worst = 0;
  for (int i = 0; i < steps; ++i) {
    need(solver->step({}, calm(ball.get()), &state));
    worst = std::max(worst, worst_elongation(model, state.x));
  }
  return worst;
}

// Girth radii of a standing figure from knee to shoulder, by height: elliptic sections, front to back narrower.
struct Section {
  double y, x_radius, z_radius;
};
inline std::vector<Section> figure_sections() {
  std::vector<Section> out;
  for (int i = 0; i <= 24; ++i) {
    const double y = 0.5 + 0.95 * i / 24, s = (y - 0.5) / 0.95;
    const double x = 0.13 + 0.035 * std::sin(2.2 * kPi * s + 0.4) + 0.02 * s;
    out.push_back({y, x, 0.75 * x});
  }
  return out;
}

inline std::vector<Solid> figure_frusta() {
  std::vector<Solid> out;
  const std::vector<Section> s = figure_sections();
  for (size_t i = 0; i + 1 < s.size(); ++i) {
    Frustum f;
    f.bottom = Vec3(0, s[i].y, 0);
    f.top = Vec3(0, s[i + 1].y, 0);
    f.bottom_radii = Vec2(s[i].x_radius, s[i].z_radius);
    f.top_radii = Vec2(s[i + 1].x_radius, s[i + 1].z_radius);
    f.open_bottom = i > 0;
    f.open_top = i + 2 < s.size();
    out.push_back(f);
  }
  return out;
}

// The same surface in rings of small triangles, closed at both ends.
inline TriangleMesh figure_mesh(int around, int along) {
  const std::vector<Section> s = figure_sections();
  TriangleMesh mesh;
  for (int j = 0; j <= along; ++j) {
    const double at = static_cast<double>(j) * (s.size() - 1) / along;
    const size_t k = std::min(static_cast<size_t>(at), s.size() - 2);
    const double t = at - static_cast<double>(k);
    for (int i = 0; i < around; ++i) {
      const double a = -2 * kPi * i / around;
      mesh.positions.push_back(Vec3(((1 - t) * s[k].x_radius + t * s[k + 1].x_radius) * std::cos(a),
                                    (1 - t) * s[k].y + t * s[k + 1].y,
                                    ((1 - t) * s[k].z_radius + t * s[k + 1].z_radius) * std::sin(a)));
    }
  }
  const auto at = [&](int i, int j) { return j * around + i % around; };
  for (int j = 0; j < along; ++j)
    for (int i = 0; i < around; ++i) {
      mesh.triangles.push_back(Triangle(at(i, j), at(i + 1, j), at(i + 1, j + 1)));
      mesh.triangles.push_back(Triangle(at(i, j), at(i + 1, j + 1), at(i, j + 1)));
    }
  for (const int j : {0, along}) {
    mesh.positions.push_back(Vec3(0, s[j ? s.size() - 1 : 0].y, 0));
    const int centre = static_cast<int>(mesh.positions.size()) - 1;
    for (int i = 0; i < around; ++i)
      mesh.triangles.push_back(j ? Triangle(at(i, j), at(i + 1, j), centre) : Triangle(at(i + 1, j), at(i, j), centre));
  }
  return mesh;
}

// A straight dress held at its upper edge, some centimetres wider than the figure.
inline sim::ClothInput straight_dress(int around, int along) {
  sim::ClothInput cloth;
  const double radius = 0.21, top = 1.4, length = 0.85;
  for (int j = 0; j <= along; ++j)
    for (int i = 0; i < around; ++i) {
      const double a = -2 * kPi * i / around;
      cloth.positions.push_back(Vec3(radius * std::cos(a), top - length + length * j / along, radius * std::sin(a)));
    }
  const double dx = 2 * radius * std::sin(kPi / around), dy = length / along;
  const auto at = [&](int i, int j) { return j * around + i % around; };
  const auto flat = [&](int i, int j) { return Vec2(i * dx, j * dy); };
  for (int j = 0; j < along; ++j)
    for (int i = 0; i < around; ++i) {
      cloth.triangles.push_back(Triangle(at(i, j), at(i + 1, j), at(i + 1, j + 1)));
      cloth.corner_flat.push_back({flat(i, j), flat(i + 1, j), flat(i + 1, j + 1)});
      cloth.triangles.push_back(Triangle(at(i, j), at(i + 1, j + 1), at(i, j + 1)));
      cloth.corner_flat.push_back({flat(i, j), flat(i + 1, j + 1), flat(i, j + 1)});
    }
  for (int i = 0; i < around; ++i) cloth.pinned.push_back(at(i, along));
  cloth.layout = sim::SpringLayout::kEdges;
  cloth.fabric.stretch_warp = cloth.fabric.stretch_weft = 100;
  return cloth;
}

struct JiShare {
  double collision = 0, total = 0, nearest = 1e9;  // s, s, m
  double asked = 0;                                // s, had every particle been asked in every substep
};
inline JiShare ji_garment(const std::string& solver, const sim::Collider& body, int around, int steps) {
  const sim::ClothInput cloth = straight_dress(around, around * 85 / 132);
  const sim::DrapeModel model = need(sim::build_model(cloth));
  sim::DrapeState state = sim::start_state(cloth);
  sim::SolverSettings settings;
  auto solve = need(sim::make_solver(solver, model, settings));
  sim::Scene scene;
  scene.collider = &body;
  scene.wind.velocity = 10 * Eigen::Vector3d(1, 0, 1).normalized();  // from right-rear to left-front, facing +Z
  JiShare share;
  for (int i = 0; i < steps; ++i) {
    const sim::StepReport report = need(solve->step({}, scene, &state));
    share.collision += report.collision_s;
    share.total += report.total_s;
    std::vector<Vec3> points;
    for (const sim::RVec3& x : state.x) points.push_back(x.cast<double>());
    std::vector<sim::Contact> contacts(points.size());
    const double from = cpu_s();
    body.query(points, 0.05, contacts);
    share.asked += report.iterations * (cpu_s() - from);
  }
  for (const sim::RVec3& x : state.x) share.nearest = std::min(share.nearest, body.query(x.cast<double>(), 1).distance);
  return share;
}

inline void ji_study(const std::string& folder) {
  std::printf(
      "## Ji 2004: proxies, internal-force correction, wind\n\n50 x 50 cloth over a sphere, largest elongation on "
      "the way:\n\n| threshold | largest elongation %% |\n|---|---|\n");
  Plot plot{
      "Ji 2004: internal-force correction", "threshold", "largest elongation, %", false, false, {{"mass_spring", {}}}};
  for (double threshold : {0.0, 0.2, 0.1, 0.05}) {
    const double worst = 100 * ji_sphere(threshold, 50, 45);
    std::printf("| %s | %.1f |\n", threshold > 0 ? number(threshold).c_str() : "no correction", worst);
    plot.series[0].points.emplace_back(threshold, worst);
  }
  write_plot(folder + "/ji_correction.svg", plot);
  const auto frusta = sim::make_solid_collider(figure_frusta());
  const auto scan = sim::make_mesh_collider(figure_mesh(250, 200));
  std::printf(
      "\nA dress of 5,600 particles in a wind of 10 m/s, share of collision handling (paper: 16.6 %% with proxies, "
      "30 to 50 %% with the methods of the day); in brackets as the paper asks, every particle in every substep:\n\n"
      "| solver | body | share %% | nearest mm |\n|---|---|---|---|\n");
  for (const char* solver : {"mass_spring", "spring_projection", "pbd"}) {
    const int steps = solver == std::string("mass_spring") ? 6 : 30;
    for (const sim::Collider* body : {frusta.get(), scan.get()}) {
      const JiShare share = ji_garment(solver, *body, 94, steps);
      const double others = share.total - share.collision;
      std::printf("| %s | %s | %.1f (%.1f) | %.2f |\n", solver,
                  body == frusta.get() ? "24 frusta" : "100,500 triangles", 100 * share.collision / share.total,
                  100 * share.asked / (share.asked + others), 1e3 * share.nearest);
    }
  }
  std::printf("\n");
}

}  // namespace tryon::study
