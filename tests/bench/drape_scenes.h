// What it is: the production drape timed scene by scene, mesh by mesh: the knife-pleated dress on the panels that
// another simulator staged, a T-shirt and trousers on a scan of 23,752 vertices, and Cusick's disc. One line a run with
// what it cost and what it is worth; then how the cost grows with the vertices. Units: s of wall clock from arranged
// panels to the certified rest, kB of memory at the peak over what was there before. How it fails: a scene whose files
// are absent says so. Thread rules: one at a time.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "server/base/executor.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/drape/settle.h"
#include "server/fabric/fabric.h"
#include "server/garment/mesh_pattern.h"
#include "server/io/pattern_import.h"
#include "server/lab/drape_meter.h"
#include "tests/bench/drape_peers.h"
#include "tests/bench/study_person.h"

namespace tryon::scenes {

struct Options {
  std::vector<std::string> scenes, sizes, threads;  // names; vertices; numbers
  std::string png;
  std::string dress_fabric = peers::kTheirCloth;
  int repeat = 1, blender_frames = 0;  // of dress_knife, where there is a Blender
  SettleOptions settle;
};

struct Scene {
  std::string name;
  GarmentMesh garment;
  Fabric fabric;
  std::shared_ptr<const StudyPerson> person;
};

// Of this process: "VmHWM" at the peak, "VmRSS" now; kB.
inline double memory_kb(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind(key, 0) == 0) return std::stod(line.substr(key.size() + 1));
  return 0.0;
}
inline void forget_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

inline double flat_area(const Pattern& pattern) {
  double sum = 0.0;
  const auto mesh = mesh_garment(RunContext(), pattern, 0.03);
  if (!mesh.ok()) return sum;
  for (const Triangle& t : mesh->triangles) {
    const Vec2 a = mesh->flat[t[1]] - mesh->flat[t[0]], b = mesh->flat[t[2]] - mesh->flat[t[0]];
    sum += 0.5 * std::abs(a.x() * b.y() - a.y() * b.x());
  }
  return sum;
}

// Of equilateral triangles with so many vertices.
inline double edge_for(double area, int vertices) { return std::sqrt(area / (0.866 * vertices)); }

// As staged by the other simulator; the scene's README tells how it stands.
inline absl::StatusOr<Scene> knife(const std::string& cloth) {
  const std::string file = "scenes/dress_knife/stage.obj";
  ASSIGN_OR_RETURN(ImportedPattern dress, import_pattern(testing::read_file(testing::shared_data_path(file)), file));
  for (Vec3& p : dress.mesh->placed) p.y() += 0.75;
  static const auto person = std::make_shared<StudyPerson>(study_person("../scenes/dress_knife/body.obj"));
  ASSIGN_OR_RETURN(Fabric fabric, peers::dress_fabric(cloth));
  return Scene{"dress_knife", ready_garment(*dress.mesh), std::move(fabric), person};
}

inline absl::StatusOr<Scene> made_to_measure(const std::string& garment, const std::string& fabric, int vertices) {
  static const auto person = std::make_shared<StudyPerson>(study_person("garmentcode/mean_all.obj"));
  ASSIGN_OR_RETURN(const Pattern pattern, draft_template(garment, draft_measurements(person->person.body)));
  ArrangeReport report;
  ASSIGN_OR_RETURN(GarmentMesh mesh, assemble_garment(RunContext(), pattern, person->person,
                                                      edge_for(flat_area(pattern), vertices), &report));
  return Scene{garment, std::move(mesh), *fabric_by_name(fabric), person};
}

// 300 mm over 180 mm, flat on its disc, warp along -z.
inline absl::StatusOr<Scene> cusick(int vertices) {
  constexpr double kRadius = 0.15, kDisc = 0.09, kHeight = 0.3;
  constexpr int kCorners = 120;
  Panel disc;
  disc.name = "disc", disc.placed = true;
  disc.translation = {0.0, kHeight + 2e-3, 0.0};
  disc.rotation = Eigen::AngleAxisd(-EIGEN_PI / 2, Vec3::UnitX()).toRotationMatrix();
  for (int i = 0; i < kCorners; ++i) {
    const double angle = 2 * EIGEN_PI * i / kCorners;
    disc.vertices.emplace_back(kRadius * std::cos(angle), kRadius * std::sin(angle));
    disc.edges.push_back({i, (i + 1) % kCorners, {}, ""});
  }
  Pattern pattern;
  pattern.panels.push_back(std::move(disc));
  ASSIGN_OR_RETURN(GarmentMesh mesh,
                   mesh_garment(RunContext(), pattern, edge_for(EIGEN_PI * kRadius * kRadius, vertices)));
  auto stand = std::make_shared<StudyPerson>();
  TriangleMesh support = testing::make_cylinder(kDisc, kHeight, 180, 2);
  double top = 0.0;
  for (const Vec3& p : support.positions) top = std::max(top, p.y());
  for (Vec3& p : support.positions) p.y() += kHeight - top;
  stand->person.body.mesh = support;
  stand->body = sim::make_mesh_collider(support);
  std::vector<std::unique_ptr<sim::Collider>> parts;
  parts.push_back(sim::make_mesh_collider(support));
  stand->collider = sim::make_union_collider(std::move(parts));
  return Scene{"cusick", std::move(mesh), *fabric_by_name("poplin"), std::move(stand)};
}

// Share of the ring beyond the disc that the drape's shadow covers.
inline double drape_coefficient(const TriangleMesh& cloth) {
  constexpr double kRadius = 0.15, kDisc = 0.09;
  const double area = lab::shadow_area(cloth.positions, cloth.triangles, 1.05 * kRadius);
  return (area / EIGEN_PI - kDisc * kDisc) / (kRadius * kRadius - kDisc * kDisc);
}

// Maxima of the border: one more raises the coefficient by one to three and a half points (validation T20).
inline int drape_nodes(const WeldedMesh& cloth) {
  constexpr double kRadius = 0.15, kBorder = 0.995;  // m, of it
  std::map<double, double> border;                   // how far out, by angle on the flat cloth
  for (size_t t = 0; t < cloth.mesh.triangles.size(); ++t)
    for (int k = 0; k < 3; ++k) {
      const Vec2& flat = cloth.corner_flat[t][k];
      const Vec3& x = cloth.mesh.positions[cloth.mesh.triangles[t][k]];
      if (flat.norm() > kBorder * kRadius) border[std::atan2(flat.y(), flat.x())] = std::hypot(x.x(), x.z());
    }
  std::vector<double> rim;
  for (const auto& [angle, radius] : border) rim.push_back(radius);
  return lab::count_nodes(rim);
}

struct Run {
  double wall_s = 0, cpu_s = 0, peak_kb = 0;
  Settled settled;
};

inline absl::StatusOr<Run> timed(const Scene& scene, const Options& options, int threads) {
  Executor pool(threads);
  RunContext run;
  run.executor = &pool;
  Run out;
  std::vector<double> walls;
  for (int i = 0; i < options.repeat; ++i) {
    forget_peak();
    const double before = memory_kb("VmRSS");
    const std::clock_t cpu = std::clock();
    const absl::Time start = absl::Now();
    ASSIGN_OR_RETURN(out.settled,
                     sew_and_settle(run, scene.garment, scene.fabric, *scene.person->collider, options.settle));
    walls.push_back(absl::ToDoubleSeconds(absl::Now() - start));
    out.cpu_s = static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC;
    out.peak_kb = memory_kb("VmHWM") - before;
  }
  std::sort(walls.begin(), walls.end());
  out.wall_s = walls[walls.size() / 2];
  return out;
}

inline void tell(const Scene& scene, int threads, const Run& run) {
  const SettleReport& r = run.settled.report;
  const TriangleMesh& mesh = run.settled.cloth.mesh;
  double deepest = 0.0;
  for (const Vec3& p : mesh.positions) deepest = std::max(deepest, -1e3 * scene.person->body->query(p, 0.01).distance);
  std::printf(
      "%-12s %6d v, %d threads %7.2f s (%7.2f s cpu), %5.1f kB a vertex, %3d steps %5lld it | %-8s %-10s rms %.1e max "
      "%.1e | crossings %d, depth %.2f mm, seams %.2f mm%s\n",
      scene.name.c_str(), mesh.vertex_count(), threads, run.wall_s, run.cpu_s, run.peak_kb / mesh.vertex_count(),
      r.sew_steps + r.drape_steps, static_cast<long long>(r.iterations), r.grade.c_str(), r.termination.c_str(),
      r.residual_rms, r.residual_max, count_self_intersections(mesh), deepest, r.gap_before_weld_mm,
      r.layers_kept_apart ? ", layers" : "");
  std::fflush(stdout);
}

// The exponent of seconds in vertices, by least squares.
inline void tell_growth(const std::string& name, const std::vector<std::pair<double, double>>& points) {
  if (points.size() < 2) return;
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (const auto& [vertices, seconds] : points) {
    const double x = std::log(vertices), y = std::log(seconds);
    n += 1, sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  std::printf("%s: cost grows with the vertices to the power %.2f\n", name.c_str(),
              (n * sxy - sx * sy) / (n * sxx - sx * sx));
}

inline absl::StatusOr<Scene> staged(const std::string& name, int vertices, const Options& options) {
  if (name == "dress_knife") return knife(options.dress_fabric);
  if (name == "cusick") return cusick(vertices);
  return made_to_measure(name, name == "trousers" ? "wool_suiting" : "cotton_jersey", vertices);
}

inline void compare_dress(const Scene& scene, const Run& run, const Options& options) {
  const TriangleMesh theirs = peers::their_dress();
  peers::compare(run.settled.cloth.mesh, theirs);
  if (!options.png.empty()) picture(*scene.person, theirs, options.png, "dress_knife_theirs");
  if (options.blender_frames > 0) peers::compare_blender(run.wall_s, options.blender_frames);
}

inline void study_scene(const std::string& name, const Options& options) {
  std::map<std::string, std::vector<std::pair<double, double>>> growth;  // by threads
  const std::vector<std::string> one = {"0"};
  for (const std::string& size : name == "dress_knife" ? one : options.sizes) {
    const auto scene = staged(name, std::stoi(size), options);
    if (!scene.ok()) {
      std::printf("%-12s %s\n", name.c_str(), std::string(scene.status().message()).c_str());
      continue;
    }
    for (const std::string& threads : options.threads) {
      const auto run = timed(*scene, options, std::stoi(threads));
      if (!run.ok()) {
        std::printf("%-12s %s\n", name.c_str(), std::string(run.status().message()).c_str());
        continue;
      }
      tell(*scene, std::stoi(threads), *run);
      growth[threads].emplace_back(run->settled.cloth.mesh.vertex_count(), run->wall_s);
      if (threads != options.threads.front()) continue;
      if (name == "cusick")
        std::printf("drape coefficient %.1f %%, %d nodes\n", 100 * drape_coefficient(run->settled.cloth.mesh),
                    drape_nodes(run->settled.cloth));
      if (name == "dress_knife") compare_dress(*scene, *run, options);
      if (!options.png.empty()) picture(*scene->person, run->settled.cloth.mesh, options.png, cat(name, "_", size));
    }
  }
  for (const auto& [threads, points] : growth) tell_growth(cat(name, ", ", threads, " threads"), points);
}

inline int study(Options options) {
  if (testing::shared_data_path("scenes/dress_knife/stage.obj").empty()) {
    std::fprintf(stderr, "the scenes need the test data: set TRYON_SHARED_DATA\n");
    return 1;
  }
  if (options.scenes.front() == "all") options.scenes = {"dress_knife", "t_shirt", "trousers", "cusick"};
  if (options.sizes.empty()) options.sizes = {"5000", "15000", "50000"};
  if (options.threads.empty()) options.threads = {"1", "2"};
  for (const std::string& name : options.scenes) study_scene(name, options);
  return 0;
}

}  // namespace tryon::scenes
