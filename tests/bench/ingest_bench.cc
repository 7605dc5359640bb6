// What it is: how fast files of points become clouds (MB/s, in process) and clouds become surfaces (CPU seconds of the
// sandboxed child, which is what the worker waits for), on a body-like shape of up to a million points; how fast a mesh
// becomes a measured body, whole or torn, and a million points a person who stands upright; and a body from
// measurements.
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "benchmark/benchmark.h"
#include "server/base/text.h"
#include "server/body/body_from_measurements.h"
#include "server/body/mannequin.h"
#include "server/body/measure.h"
#include "server/body/scan_cloud.h"
#include "server/body/segment.h"
#include "server/body/yielding.h"
#include "server/io/cloud_file.h"
#include "server/io/mesh_file.h"

namespace tryon {
namespace {

double noise(int i) {
  const double x = std::sin(i * 12.9898) * 43758.5453;
  return 2.0 * (x - std::floor(x)) - 1.0;
}

void add_limb(const Vec3& from, const Vec3& to, double radius, int count, PointCloud* out) {
  const Vec3 axis = (to - from).normalized(), u = axis.unitOrthogonal(), v = axis.cross(u);
  const double reach = 0.5 * (to - from).norm();
  for (int i = 0; i < count; ++i) {
    const double h = ((2.0 * i + 1.0) / count - 1.0) * (reach + radius), a = i * 2.399963229728653;
    const double over = std::max(0.0, std::abs(h) - reach), ring = std::sqrt(radius * radius - over * over);
    const Vec3 on = 0.5 * (from + to) + h * axis + ring * (std::cos(a) * u + std::sin(a) * v);
    out->positions.push_back(on + 0.002 * noise(i) * (std::cos(a) * u + std::sin(a) * v));
  }
}

// Trunk, head, arms and legs of a standing person, metres.
PointCloud figure(int points) {
  PointCloud out;
  add_limb({0, 0.95, 0}, {0, 1.35, 0}, 0.15, points * 38 / 100, &out);
  add_limb({0, 1.45, 0}, {0, 1.65, 0}, 0.09, points * 12 / 100, &out);
  for (double side : {-1.0, 1.0}) {
    add_limb({side * 0.16, 1.38, 0}, {side * 0.5, 0.9, 0}, 0.045, points * 9 / 100, &out);
    add_limb({side * 0.10, 0.88, 0}, {side * 0.14, 0.08, 0}, 0.075, points * 16 / 100, &out);
  }
  return out;
}

std::string file_of(const PointCloud& cloud, MeshFormat format, bool text) {
  const int n = cloud.point_count();
  std::string out = format == MeshFormat::kPly
                        ? cat("ply\nformat ", text ? "ascii" : "binary_little_endian", " 1.0\nelement vertex ", n,
                              "\nproperty float x\nproperty float y\nproperty float z\nend_header\n")
                        : cat("VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH ", n,
                              "\nHEIGHT 1\nPOINTS ", n, "\nDATA ", text ? "ascii" : "binary", "\n");
  for (const Vec3& p : cloud.positions) {
    const Eigen::Vector3f narrow = p.cast<float>();
    if (text) out += cat(p.x(), " ", p.y(), " ", p.z(), "\n");
    if (!text) out.append(reinterpret_cast<const char*>(narrow.data()), 12);
  }
  return out;
}

void measure_read(benchmark::State& state, MeshFormat format, bool text) {
  const std::string bytes = file_of(figure(1'000'000), format, text);
  for (auto _ : state) {
    const auto cloud = read_cloud(bytes, format, "figure", {});
    if (!cloud.ok()) return state.SkipWithError(std::string(cloud.status().message()).c_str());
    benchmark::DoNotOptimize(cloud->cloud.positions.data());
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * bytes.size()));
}
void BM_ReadPlyBinary(benchmark::State& state) { measure_read(state, MeshFormat::kPly, false); }
void BM_ReadPlyText(benchmark::State& state) { measure_read(state, MeshFormat::kPly, true); }
void BM_ReadPcdBinary(benchmark::State& state) { measure_read(state, MeshFormat::kPcd, false); }
void BM_ReadPcdText(benchmark::State& state) { measure_read(state, MeshFormat::kPcd, true); }
BENCHMARK(BM_ReadPlyBinary)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_ReadPlyText)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_ReadPcdBinary)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_ReadPcdText)->Unit(benchmark::kMillisecond);

double child_seconds() {
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

// "Time" is the child's CPU time.
void BM_Reconstruct(benchmark::State& state) {
  const PointCloud cloud = figure(static_cast<int>(state.range(0)));
  ParseLimits limits;
  limits.cpu_seconds = 120;
  limits.wall_clock = absl::Seconds(600);
  for (auto _ : state) {
    const double before = child_seconds();
    const auto surface = reconstruct_sandboxed({}, default_meshparse_path(), cloud, {}, limits);
    if (!surface.ok()) return state.SkipWithError(std::string(surface.status().message()).c_str());
    state.SetIterationTime(child_seconds() - before);
    state.counters["vertices"] = surface->mesh.vertex_count();
  }
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  state.counters["peak_MB"] = static_cast<double>(used.ru_maxrss) / 1024.0;
}
BENCHMARK(BM_Reconstruct)->Arg(100'000)->Arg(1'000'000)->UseManualTime()->Iterations(1)->Unit(benchmark::kSecond);

TriangleMesh mannequin() {
  auto mesh = make_mannequin(MannequinTable());
  return mesh.ok() ? *std::move(mesh) : TriangleMesh();
}

// From a clean mesh in millimetres to all measurements: 24,000 triangles.
void BM_IngestMesh(benchmark::State& state) {
  TriangleMesh mesh = mannequin();
  for (Vec3& p : mesh.positions) p *= 1000.0;
  if (state.range(0) != 0) {  // every hundredth triangle is missing
    std::vector<Triangle> kept;
    for (size_t t = 0; t < mesh.triangles.size(); ++t) {
      if (t % 100 != 50) kept.push_back(mesh.triangles[t]);
    }
    mesh.triangles = kept;
  }
  for (auto _ : state) {
    const auto body = make_body(RunContext(), mesh, ScanOptions());
    if (!body.ok()) return state.SkipWithError(std::string(body.status().message()).c_str());
    benchmark::DoNotOptimize(body->height_m);
  }
}
BENCHMARK(BM_IngestMesh)->ArgName("torn")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

// The person in a cloud: floor and props apart, unit, up axis and facing found; no surface yet.
void BM_OrientPoints(benchmark::State& state) {
  const PointCloud cloud = figure(static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(find_person_in_cloud(RunContext(), ScanOptions(), cloud).ok());
}
BENCHMARK(BM_OrientPoints)->Arg(100'000)->Arg(1'000'000)->Iterations(1)->Unit(benchmark::kMillisecond);

void BM_SegmentAndMeasure(benchmark::State& state) {
  const TriangleMesh mesh = mannequin();
  for (auto _ : state) {
    auto segmentation = segment_body(mesh);
    if (!segmentation.ok()) return state.SkipWithError("not segmented");
    Body body;
    body.mesh = mesh, body.part = segmentation->part, body.height_m = segmentation->levels.height;
    measure_body(segmentation->levels, &body);
    benchmark::DoNotOptimize(body.measurements_mm.size());
  }
}
BENCHMARK(BM_SegmentAndMeasure)->Unit(benchmark::kMillisecond);

// Every triangle in four.
TriangleMesh finer(const TriangleMesh& mesh) {
  TriangleMesh out;
  out.positions = mesh.positions;
  std::map<std::pair<int, int>, int> middles;
  const auto middle = [&](int a, int b) {
    const auto [at, is_new] = middles.try_emplace(std::minmax(a, b), out.vertex_count());
    if (is_new) out.positions.push_back(0.5 * (mesh.positions[a] + mesh.positions[b]));
    return at->second;
  };
  for (const Triangle& t : mesh.triangles) {
    const int a = middle(t[0], t[1]), b = middle(t[1], t[2]), c = middle(t[2], t[0]);
    for (const Triangle& part : {Triangle(t[0], a, c), Triangle(a, t[1], b), Triangle(c, b, t[2]), Triangle(a, b, c)}) {
      out.triangles.push_back(part);
    }
  }
  return out;
}

// Once a drape, of a woman whose thighs touch, her mesh so many times finer.
void BM_GiveWay(benchmark::State& state) {
  const BodyTable heavy{1650, {{"bust_girth", 1300}, {"waist_girth", 1180}, {"hip_girth", 1350}}, FigureType::kFemale};
  TriangleMesh mesh = body_from_measurements(RunContext(), heavy)->body.mesh;
  for (int64_t i = 0; i < state.range(0); ++i) mesh = finer(mesh);
  YieldingSkin skin;
  for (auto _ : state) skin = *give_way(RunContext(), mesh, 0.010);
  state.counters["vertices"] = mesh.vertex_count(), state.counters["deepest_mm"] = 1e3 * skin.deepest();
}
BENCHMARK(BM_GiveWay)->DenseRange(0, 3)->Unit(benchmark::kMillisecond);

// 0: a mean woman; 1: a woman of size XXL; 2: a heavy man.
void BM_BodyFromMeasurements(benchmark::State& state) {
  const BodyTable tables[] = {
      {1650, {{"bust_girth", 900}, {"waist_girth", 730}, {"hip_girth", 980}}, FigureType::kFemale},
      {1650, {{"bust_girth", 1300}, {"waist_girth", 1180}, {"hip_girth", 1350}}, FigureType::kFemale},
      {1780, {{"bust_girth", 1250}, {"waist_girth", 1200}}, FigureType::kMale}};
  for (auto _ : state) {
    const auto body = body_from_measurements(RunContext(), tables[state.range(0)]);
    if (!body.ok()) return state.SkipWithError(std::string(body.status().message()).c_str());
    state.counters["passes"] = body->passes;
    state.counters["worst_percent"] = 100.0 * body->worst_error_ratio;
  }
}
BENCHMARK(BM_BodyFromMeasurements)->DenseRange(0, 2)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tryon
