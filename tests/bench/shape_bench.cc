// What it is: what a distance costs, in one run: each kind of solid alone; then a body's elliptic proxies, in batches
// and one by one, beside the closest point on the triangles of the same body, by our index and by Embree alone. Points
// lie from 10 mm inside the skin to 50 mm outside it, in no order. `ns` is CPU nanoseconds a query, `vs_embree` how
// many times faster than raw Embree on the same points, `error_um` the largest error against brute force in micrometres
// (raw Embree works in float). Figures: 1,000, 10,000 and 50,000 points, unlimited or within 5 cm.
#include <embree3/rtcore.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>
#include <random>

#include "benchmark/benchmark.h"
#include "server/body/body.h"
#include "server/body/mannequin.h"
#include "server/mesh/closest_point.h"
#include "server/shape/solids.h"
#include "tests/unit/shape/solid_fixtures.h"

namespace tryon {
namespace {

using testing::uniform;

// ---- One solid --------------------------------------------------------------------------------------------------

Frustum torso_frustum(double lean, double ratio) {
  Frustum f;
  f.top = Vec3(lean, 0.05, lean);
  f.bottom_radii = Vec2(0.16, 0.16 * ratio), f.top_radii = Vec2(0.15, 0.15 * ratio);
  f.open_bottom = f.open_top = true;
  return f;
}

void measure_frustum(benchmark::State& state, const Frustum& f, double reach) {
  std::mt19937 random(1);
  std::vector<Vec3> points;
  for (int i = 0; i < 4096; ++i) points.push_back(testing::random_point_near(random, f, reach));
  size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(distance(f, points[i++ & 4095]));
}

void BM_RightCircularFrustum(benchmark::State& state) { measure_frustum(state, torso_frustum(0, 1), 0.05); }
void BM_ObliqueCircularFrustum(benchmark::State& state) { measure_frustum(state, torso_frustum(0.005, 1), 0.05); }
void BM_EllipticFrustum(benchmark::State& state) { measure_frustum(state, torso_frustum(0.005, 0.66), 0.05); }
BENCHMARK(BM_RightCircularFrustum);
BENCHMARK(BM_ObliqueCircularFrustum);
BENCHMARK(BM_EllipticFrustum);

// ---- A body -----------------------------------------------------------------------------------------------------

// Halves the longest edges that share no triangle, until there are enough vertices.
TriangleMesh refined(TriangleMesh mesh, int vertex_count) {
  while (mesh.vertex_count() < vertex_count) {
    std::vector<EdgeUse> edges = mesh_edges(mesh);
    const auto length = [&](const EdgeUse& e) { return (mesh.positions[e.a] - mesh.positions[e.b]).norm(); };
    std::stable_sort(edges.begin(), edges.end(),
                     [&](const EdgeUse& a, const EdgeUse& b) { return length(a) > length(b); });
    std::vector<uint8_t> touched(mesh.triangles.size(), 0);
    for (const EdgeUse& e : edges) {
      if (mesh.vertex_count() >= vertex_count || e.right < 0 || touched[e.left] || touched[e.right]) continue;
      const int middle = mesh.vertex_count();
      mesh.positions.push_back(0.5 * (mesh.positions[e.a] + mesh.positions[e.b]));
      for (const int t : {e.left, e.right}) {
        touched[t] = 1;
        Triangle other = mesh.triangles[t];
        for (int k = 0; k < 3; ++k) {
          if (other[k] == e.a) other[k] = middle;
          if (mesh.triangles[t][k] == e.b) mesh.triangles[t][k] = middle;
        }
        mesh.triangles.push_back(other);
      }
    }
  }
  return mesh;
}

struct Scene {
  TriangleMesh skin;  // 25,000 vertices
  SolidSet solids;    // its elliptic proxies
};

const Scene& scene() {
  static const Scene made = [] {
    Scene out;
    out.skin = refined(make_mannequin({}).value(), 25000);
    const Body body = make_body({}, out.skin, ScanOptions{}).value();
    out.skin = body.mesh;
    out.solids = SolidSet(fit_proxies({}, body, ProxyShape::kElliptic).value().solids());
    return out;
  }();
  return made;
}

std::vector<Vec3> points_about_the_body(int count) {
  std::mt19937 random(2);
  const TriangleMesh& skin = scene().skin;
  std::vector<Vec3> out;
  while (static_cast<int>(out.size()) < count) {
    const int t = static_cast<int>(random() % skin.triangles.size());
    const Triangle& corner = skin.triangles[t];
    double a = uniform(random, 0, 1), b = uniform(random, 0, 1);
    if (a + b > 1) a = 1 - a, b = 1 - b;
    const Vec3 on =
        skin.positions[corner[0]] * (1 - a - b) + skin.positions[corner[1]] * a + skin.positions[corner[2]] * b;
    out.push_back(on + triangle_normal(skin, t).normalized() * uniform(random, -0.01, 0.05));
  }
  return out;
}

double reach_of(const benchmark::State& state) { return state.range(1) > 0 ? 1e-3 * state.range(1) : 1e30; }

std::map<std::pair<int64_t, int64_t>, double> embree_seconds;  // by points and reach

// CPU time by this process' own clock, so that one benchmark can name its ratio to another of the same run.
template <typename Ask>
void measure(benchmark::State& state, bool is_embree, Ask ask) {
  const std::clock_t start = std::clock();
  for (auto _ : state) ask();
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / state.iterations();
  const std::pair<int64_t, int64_t> key(state.range(0), state.range(1));
  if (is_embree) embree_seconds[key] = seconds;
  state.counters["ns"] = 1e9 * seconds / state.range(0);
  if (embree_seconds.count(key)) state.counters["vs_embree"] = embree_seconds[key] / seconds;
}

// ---- Quality: the largest error among some of the points ------------------------------------------------------------

double brute_union(const Vec3& p) {  // outside
  double best = 1e30;
  for (const Solid& solid : scene().solids.solids()) {
    const auto* f = std::get_if<Frustum>(&solid);
    if (f == nullptr && distance(solid, p).distance < best) best = distance(solid, p).distance;
    if (f != nullptr && bounds(solid).squaredExteriorDistance(p) < best * best) {
      best = std::min(best, testing::brute_distance(*f, p));  // the flank; open ends lie inside other solids
    }
  }
  return best;
}

double brute_triangles(const Vec3& p) {
  double best = 1e30;
  for (const Triangle& t : scene().skin.triangles) {
    const Vec3 &a = scene().skin.positions[t[0]], &b = scene().skin.positions[t[1]], &c = scene().skin.positions[t[2]];
    Eigen::Matrix<double, 3, 2> edges;
    edges << b - a, c - a;
    const Vec2 uv = (edges.transpose() * edges).inverse() * (edges.transpose() * (p - a));
    if (uv.x() >= 0 && uv.y() >= 0 && uv.sum() <= 1) best = std::min(best, (p - a - edges * uv).norm());
    const Vec3 corners[4] = {a, b, c, a};
    for (int k = 0; k < 3; ++k) {
      const Vec3 d = corners[k + 1] - corners[k];
      const double s = std::clamp((p - corners[k]).dot(d) / d.squaredNorm(), 0.0, 1.0);
      best = std::min(best, (p - corners[k] - s * d).norm());
    }
  }
  return best;
}

template <typename Found, typename Brute>
void note_error(benchmark::State& state, const std::vector<Vec3>& points, Found found, Brute brute, size_t samples) {
  double worst = 0;
  for (size_t i = 0; i < std::min(points.size(), samples); ++i) {
    const double d = found(i);
    if (d > 0 && d < 0.049) worst = std::max(worst, std::abs(d - brute(points[i])));
  }
  state.counters["error_um"] = 1e6 * worst;
}

// ---- Embree alone: its own closest-point walk with a plain float test of a triangle ---------------------------------

struct EmbreeScene {
  std::vector<Eigen::Vector3f> positions;
  RTCDevice device = rtcNewDevice("threads=1");
  RTCScene handle = rtcNewScene(device);
  explicit EmbreeScene(const TriangleMesh& mesh) {
    for (const Vec3& p : mesh.positions) positions.push_back(p.cast<float>());
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    auto* vertex = static_cast<float*>(
        rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 12, positions.size()));
    auto* index = static_cast<unsigned*>(
        rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 12, mesh.triangles.size()));
    for (size_t v = 0; v < positions.size(); ++v) Eigen::Map<Eigen::Vector3f>(vertex + 3 * v) = positions[v];
    for (size_t t = 0; t < mesh.triangles.size(); ++t)
      for (int k = 0; k < 3; ++k) index[3 * t + k] = static_cast<unsigned>(mesh.triangles[t][k]);
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(handle, geometry);
    rtcReleaseGeometry(geometry);
    rtcCommitScene(handle);
  }
  ~EmbreeScene() { rtcReleaseScene(handle), rtcReleaseDevice(device); }
};

// Ericson, Real-Time Collision Detection 2005, section 5.1.5: the region of the foot by its barycentric signs.
Eigen::Vector3f closest_of_triangle(const Eigen::Vector3f& p, const Eigen::Vector3f& a, const Eigen::Vector3f& b,
                                    const Eigen::Vector3f& c) {
  const Eigen::Vector3f ab = b - a, ac = c - a, ap = p - a, bp = p - b, cp = p - c;
  const float d1 = ab.dot(ap), d2 = ac.dot(ap), d3 = ab.dot(bp), d4 = ac.dot(bp), d5 = ab.dot(cp), d6 = ac.dot(cp);
  if (d1 <= 0 && d2 <= 0) return a;
  if (d3 >= 0 && d4 <= d3) return b;
  if (d6 >= 0 && d5 <= d6) return c;
  const float vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return a + ab * (d1 / (d1 - d3));
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return a + ac * (d2 / (d2 - d6));
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) return b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)));
  const float scale = 1 / (va + vb + vc);
  return a + ab * (vb * scale) + ac * (vc * scale);
}

struct EmbreeQuery {
  const EmbreeScene* scene;
  float squared = 1e30f;
  static bool visit(RTCPointQueryFunctionArguments* args) {
    auto* self = static_cast<EmbreeQuery*>(args->userPtr);
    const Triangle& t = tryon::scene().skin.triangles[args->primID];
    const auto& positions = self->scene->positions;
    const Eigen::Vector3f p(args->query->x, args->query->y, args->query->z);
    const float squared = (p - closest_of_triangle(p, positions[t[0]], positions[t[1]], positions[t[2]])).squaredNorm();
    if (squared >= self->squared) return false;
    self->squared = squared;
    const float radius = std::sqrt(squared);
    if (radius >= args->query->radius) return false;
    args->query->radius = radius;
    return true;
  }
};

void BM_EmbreeAlone(benchmark::State& state) {
  const EmbreeScene embree(scene().skin);
  const std::vector<Vec3> points = points_about_the_body(static_cast<int>(state.range(0)));
  const double reach = reach_of(state);
  std::vector<float> out(points.size());
  measure(state, true, [&] {
    for (size_t i = 0; i < points.size(); ++i) {
      EmbreeQuery search{&embree};
      RTCPointQueryContext context;
      rtcInitPointQueryContext(&context);
      RTCPointQuery query{static_cast<float>(points[i].x()), static_cast<float>(points[i].y()),
                          static_cast<float>(points[i].z()), 0.0f, static_cast<float>(std::min(reach, 1e30))};
      rtcPointQuery(embree.handle, &query, &context, EmbreeQuery::visit, &search);
      out[i] = std::sqrt(search.squared);
    }
    benchmark::DoNotOptimize(out.data());
  });
  note_error(
      state, points, [&](size_t i) { return static_cast<double>(out[i]); }, brute_triangles, 100);
}

// ---- Ours -------------------------------------------------------------------------------------------------------

void BM_ScanTriangles(benchmark::State& state) {
  const ClosestPointIndex index(scene().skin);
  const std::vector<Vec3> points = points_about_the_body(static_cast<int>(state.range(0)));
  std::vector<SurfaceAnswer> out(points.size());
  measure(state, false, [&] { index.surface(points, reach_of(state), out); });
  note_error(
      state, points, [&](size_t i) { return out[i].distance; }, brute_triangles, 100);
}

void BM_SolidsOneByOne(benchmark::State& state) {
  const std::vector<Vec3> points = points_about_the_body(static_cast<int>(state.range(0)));
  std::vector<SolidSet::Hit> out(points.size());
  measure(state, false, [&] {
    for (size_t i = 0; i < points.size(); ++i) out[i] = scene().solids.nearest(points[i], reach_of(state));
  });
  note_error(
      state, points, [&](size_t i) { return out[i].surface.distance; }, brute_union, 200);
  state.counters["solids"] = static_cast<double>(scene().solids.solids().size());
}

void BM_SolidsBatched(benchmark::State& state) {
  const std::vector<Vec3> points = points_about_the_body(static_cast<int>(state.range(0)));
  std::vector<SolidSet::Hit> out(points.size());
  measure(state, false, [&] { scene().solids.nearest(points, reach_of(state), out); });
  note_error(
      state, points, [&](size_t i) { return out[i].surface.distance; }, brute_union, 200);
  state.counters["solids"] = static_cast<double>(scene().solids.solids().size());
}

void BM_RoundedOneByOne(benchmark::State& state) {  // what contact asks
  const std::vector<Vec3> points = points_about_the_body(static_cast<int>(state.range(0)));
  std::vector<SurfacePoint> out(points.size());
  measure(state, false, [&] {
    for (size_t i = 0; i < points.size(); ++i) out[i] = scene().solids.rounded(points[i], reach_of(state), 3e-3);
  });
}

void BM_RoundedBatched(benchmark::State& state) {
  const std::vector<Vec3> points = points_about_the_body(static_cast<int>(state.range(0)));
  std::vector<SurfacePoint> out(points.size());
  measure(state, false, [&] { scene().solids.rounded(points, reach_of(state), 3e-3, out); });
}

void sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"points", "reach_mm"})->Unit(benchmark::kMillisecond);
  for (const int reach_mm : {0, 50})
    for (const int points : {1000, 10000, 50000}) benchmark->Args({points, reach_mm});
}
BENCHMARK(BM_EmbreeAlone)->Apply(sizes);
BENCHMARK(BM_ScanTriangles)->Apply(sizes);
BENCHMARK(BM_SolidsOneByOne)->Apply(sizes);
BENCHMARK(BM_SolidsBatched)->Apply(sizes);
BENCHMARK(BM_RoundedOneByOne)->Args({10000, 50})->ArgNames({"points", "reach_mm"})->Unit(benchmark::kMillisecond);
BENCHMARK(BM_RoundedBatched)->Args({10000, 50})->ArgNames({"points", "reach_mm"})->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tryon
