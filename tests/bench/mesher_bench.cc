// What it is: the cost of cutting cloth into triangles, ours beside CGAL's Delaunay_mesher_2 on the same outline in the
// same run, with the quality of both; a whole garment with its seams; and the hierarchy. Times are CPU times.
// TRYON_SHARED_DATA may name the folder of real patterns: then all of them are meshed and their histogram printed.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "CGAL/Constrained_Delaunay_triangulation_2.h"
#include "CGAL/Delaunay_mesh_face_base_2.h"
#include "CGAL/Delaunay_mesh_size_criteria_2.h"
#include "CGAL/Delaunay_mesher_2.h"
#include "CGAL/Exact_predicates_inexact_constructions_kernel.h"
#include "server/garment/hierarchy.h"
#include "server/garment/mesh_outline.h"
#include "server/io/pattern_json.h"
#include "server/mesh/quality.h"

namespace tryon {
namespace {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using VertexBase = CGAL::Triangulation_vertex_base_2<Kernel>;
using FaceBase = CGAL::Delaunay_mesh_face_base_2<Kernel>;
using Cdt =
    CGAL::Constrained_Delaunay_triangulation_2<Kernel, CGAL::Triangulation_data_structure_2<VertexBase, FaceBase>>;
using Criteria = CGAL::Delaunay_mesh_size_criteria_2<Cdt>;

// A bodice front: neck, shoulder, armhole and side seam, 0.5 m wide and 0.6 m high.
Pattern bodice() {
  Panel panel;
  panel.name = "front";
  panel.vertices = {{0, 0}, {0.5, 0}, {0.5, 0.35}, {0.42, 0.6}, {0.32, 0.62}, {0.18, 0.62}, {0.08, 0.6}, {0, 0.35}};
  for (int k = 0; k < 8; ++k) panel.edges.push_back({k, (k + 1) % 8, {}, ""});
  const EdgeCurve armhole = {EdgeCurve::Kind::kQuadratic, {{0.5, 0.3}}, 0.0, false, false};
  panel.edges[2].curve = panel.edges[6].curve = armhole;
  panel.edges[4].curve = {EdgeCurve::Kind::kQuadratic, {{0.5, 0.5}}, 0.0, false, false};
  Pattern pattern;
  pattern.panels = {panel};
  return pattern;
}

// Front and back six times over, sewn at the sides: about 19,000 triangles at 20 mm.
Pattern garment() {
  Pattern pattern;
  for (int i = 0; i < 6; ++i) {
    for (const char* side : {"front", "back"}) {
      pattern.panels.push_back(bodice().panels[0]);
      pattern.panels.back().name = side + std::to_string(i);
    }
    pattern.stitches.push_back({{2 * i, 1}, {2 * i + 1, 7}});
    pattern.stitches.push_back({{2 * i, 7}, {2 * i + 1, 1}});
  }
  return pattern;
}

std::vector<Vec2> outline(double edge_m) {
  std::vector<Vec2> loop;
  const Panel panel = bodice().panels[0];
  for (int e = 0; e < 8; ++e) {
    const int count = std::max(1, static_cast<int>(std::lround(edge_length(panel, e) / edge_m)));
    const std::vector<Vec2> points = sample_edge(panel, e, count);
    loop.insert(loop.end(), points.begin(), points.end() - 1);
  }
  return loop;
}

void report(benchmark::State& state, const MeshQuality& q) {
  state.counters["triangles"] = q.triangles;
  state.counters["min_angle"] = q.min_angle;
  state.counters["outside_permille"] = 1000.0 * q.outside / std::max(1, q.inner_edges);
}

// CGAL's bound is on the longest edge of a triangle: 1.5 times the target gives about as many triangles as ours.
Cdt cgal_mesh(const std::vector<Vec2>& loop, double edge) {
  Cdt cdt;
  std::vector<Cdt::Vertex_handle> points;
  for (const Vec2& p : loop) points.push_back(cdt.insert(Kernel::Point_2(p.x(), p.y())));
  for (size_t i = 0; i < points.size(); ++i) cdt.insert_constraint(points[i], points[(i + 1) % points.size()]);
  CGAL::Delaunay_mesher_2<Cdt, Criteria> mesher(cdt, Criteria(0.19, 1.5 * edge));
  mesher.refine_mesh();
  return cdt;
}

struct CgalFigures {
  double triangles = 0.0, min_angle = 180.0, added = 0.0;  // added: points put on sides, where partners have none

  void add(const Cdt& cdt, size_t sides) {
    added -= static_cast<double>(sides);
    for (auto f = cdt.finite_faces_begin(); f != cdt.finite_faces_end(); ++f) {
      if (!f->is_in_domain()) continue;
      ++triangles;
      for (int k = 0; k < 3; ++k) {
        added += f->is_constrained(k) ? 1.0 : 0.0;
        const auto p = f->vertex(k)->point(), q = f->vertex((k + 1) % 3)->point(), r = f->vertex((k + 2) % 3)->point();
        const Vec2 u(q.x() - p.x(), q.y() - p.y()), v(r.x() - p.x(), r.y() - p.y());
        min_angle = std::min(min_angle, std::atan2(std::abs(u.x() * v.y() - u.y() * v.x()), u.dot(v)) * 180.0 / M_PI);
      }
    }
  }
};

double cpu_ms() { return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// One panel, the same points of its outline, by turns: ours, CGAL's.
void BM_PanelAgainstCgal(benchmark::State& state) {
  const double edge = static_cast<double>(state.range(0)) * 1e-4;
  const std::vector<Vec2> loop = outline(edge);
  double ours = 0.0, theirs = 0.0;
  PlanarMesh mesh;
  CgalFigures cgal;
  for (auto _ : state) {
    const double start = cpu_ms();
    mesh = triangulate(loop, edge).value();
    const double middle = cpu_ms();
    const Cdt cdt = cgal_mesh(loop, edge);
    theirs += cpu_ms() - middle, ours += middle - start;
    cgal = CgalFigures{};
    cgal.add(cdt, loop.size());
  }
  report(state, measure_quality(mesh, static_cast<int>(loop.size()), edge));
  state.counters["ours_ms"] = ours / static_cast<double>(state.iterations());
  state.counters["cgal_ms"] = theirs / static_cast<double>(state.iterations());
  state.counters["ours_over_cgal"] = ours / theirs;
  state.counters["cgal_triangles"] = cgal.triangles;
  state.counters["cgal_min_angle"] = cgal.min_angle;
  state.counters["cgal_put_on_sides"] = cgal.added;
}
BENCHMARK(BM_PanelAgainstCgal)->Arg(200)->Arg(100)->Arg(50)->Arg(42)->Arg(25)->Unit(benchmark::kMillisecond);

// A whole garment, seams planned and paired, beside CGAL's mesher on the same outlines (which pairs nothing).
void BM_GarmentAgainstCgal(benchmark::State& state) {
  const Pattern pattern = garment();
  const double edge = static_cast<double>(state.range(0)) * 1e-4;
  const OutlinePlan plan = [&] {
    OutlinePlan out(pattern, edge);
    (void)out.refine(RunContext{}).value();
    return out;
  }();
  size_t triangles = 0;
  double ours = 0.0, theirs = 0.0;
  CgalFigures cgal;
  for (auto _ : state) {
    const double start = cpu_ms();
    triangles = mesh_garment(RunContext{}, pattern, edge)->triangles.size();
    ours += cpu_ms() - start;
    cgal = CgalFigures{};
    for (const PanelOutline& panel : plan.outlines()) {
      const double before = cpu_ms();
      const Cdt cdt = cgal_mesh(panel.points, edge);
      theirs += cpu_ms() - before;
      cgal.add(cdt, panel.points.size());
    }
  }
  state.counters["triangles"] = static_cast<double>(triangles);
  state.counters["ours_ms"] = ours / static_cast<double>(state.iterations());
  state.counters["cgal_ms"] = theirs / static_cast<double>(state.iterations());
  state.counters["ours_over_cgal"] = ours / theirs;
  state.counters["cgal_triangles"] = cgal.triangles;
}
BENCHMARK(BM_GarmentAgainstCgal)->Arg(200)->Arg(145)->Arg(100)->Unit(benchmark::kMillisecond);

// Args: edge in 0.1 mm, vertices kept in percent.
void BM_Hierarchy(benchmark::State& state) {
  const GarmentMesh mesh = mesh_garment(RunContext{}, garment(), static_cast<double>(state.range(0)) * 1e-4).value();
  const WeldedMesh welded = weld(mesh, mesh.placed);
  HierarchySettings settings;
  settings.keep = static_cast<double>(state.range(1)) * 0.01;
  Hierarchy hierarchy;
  for (auto _ : state) hierarchy = build_hierarchy(mesh, welded, {}, settings).value();
  state.counters["triangles"] = static_cast<double>(mesh.triangles.size());
  state.counters["coarsest"] = hierarchy.coarser.back().vertex_count();
}
BENCHMARK(BM_Hierarchy)->Args({145, 50})->Args({145, 25})->Unit(benchmark::kMillisecond);

MeshQuality garment_quality(const GarmentMesh& garment, double edge) {
  MeshQuality sum;
  const int panels = static_cast<int>(garment.panel_names.size());
  std::vector<PlanarMesh> meshes(panels);
  std::vector<int> base(panels, -1), sides(panels, 0);
  for (int v = 0; v < garment.vertex_count(); ++v) {
    if (base[garment.panel[v]] < 0) base[garment.panel[v]] = v;
    meshes[garment.panel[v]].positions.push_back(garment.flat[v]);
  }
  std::vector<std::map<std::pair<int, int>, int>> uses(panels);
  for (size_t t = 0; t < garment.triangles.size(); ++t) {
    const int p = garment.triangle_panel[t];
    const Triangle v = garment.triangles[t] - Triangle::Constant(base[p]);
    meshes[p].triangles.push_back(v);
    for (int k = 0; k < 3; ++k) sides[p] += ++uses[p][std::minmax(v[k], v[(k + 1) % 3])] == 1 ? 1 : -1;
  }
  for (int p = 0; p < panels; ++p) sum.add(measure_quality(meshes[p], sides[p], edge));
  return sum;
}

// Every specification of the GarmentCode family; arg: edge in mm. Time is that of meshing them all.
void BM_AllSpecifications(benchmark::State& state) {
  const char* root = std::getenv("TRYON_SHARED_DATA");
  const double edge = static_cast<double>(state.range(0)) * 1e-3;
  std::vector<std::filesystem::path> files;
  for (const char* folder : {"garmentcode", "garmentcodedata", "garment_pattern_generator"}) {
    const std::filesystem::path where = std::filesystem::path(root == nullptr ? "" : root) / "patterns" / folder;
    if (root == nullptr || !std::filesystem::exists(where)) {
      state.SkipWithError("set TRYON_SHARED_DATA to the folder of the real patterns");
      return;
    }
    for (const auto& entry : std::filesystem::directory_iterator(where)) {
      if (entry.path().extension() == ".json") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  MeshQuality sum;
  for (auto _ : state) {
    sum = MeshQuality{};
    for (const auto& file : files) {
      state.PauseTiming();
      std::ifstream in(file);
      std::stringstream bytes;
      bytes << in.rdbuf();
      const Pattern pattern = read_pattern(bytes.str(), file.filename().string()).value();
      state.ResumeTiming();
      const GarmentMesh mesh = mesh_garment(RunContext{}, pattern, edge).value();
      state.PauseTiming();
      sum.add(garment_quality(mesh, edge));
      state.ResumeTiming();
    }
  }
  report(state, sum);
  state.counters["files"] = static_cast<double>(files.size());
  state.counters["exempt"] = sum.exempt;
  state.counters["below_25"] = sum.narrow;
  for (int i = 0; i < MeshQuality::kBins; ++i) state.counters["len_" + std::to_string(2 * i)] = sum.histogram[i];
}
BENCHMARK(BM_AllSpecifications)->Arg(20)->Arg(10)->Arg(5)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tryon
