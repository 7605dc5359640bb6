// What it is: how well and how fast circles and ellipses bound bodies: cpu milliseconds a fit of a body in memory, and
// beside them what proxy_audit.h says of the result. Bodies: the project's own mannequin, and where TRYON_SHARED_DATA
// names a folder, every clean body in it. Girth errors and coverage are per cent, gaps and steps millimetres.
#include "benchmark/benchmark.h"
#include "server/base/run_context.h"
#include "server/body/body.h"
#include "server/body/mannequin.h"
#include "tests/unit/body/clean_bodies.h"

namespace tryon {
namespace {

void measure_fit(benchmark::State& state, const TriangleMesh& mesh, ProxyShape shape) {
  const auto body = make_body(RunContext(), mesh, ScanOptions());
  if (!body.ok()) return state.SkipWithError(std::string(body.status().message()).c_str());
  ProxySet set;
  for (auto _ : state) {
    auto fitted = fit_proxies(RunContext(), *body, shape);
    if (!fitted.ok()) return state.SkipWithError("the fit failed");
    set = *std::move(fitted);
  }
  const double vertices = body->mesh.vertex_count();
  state.counters["solids"] = static_cast<double>(set.proxies.size());
  state.counters["vertices"] = vertices;
  state.counters["covered"] = 100.0 * (1.0 - set.uncovered_vertices / vertices);
  state.counters["torso50"] = 100.0 * set.torso_girth.median, state.counters["torso95"] = 100.0 * set.torso_girth.p95;
  state.counters["limbs50"] = 100.0 * set.limb_girth.median, state.counters["limbs95"] = 100.0 * set.limb_girth.p95;
  state.counters["gap"] = set.mean_gap_mm, state.counters["max_gap"] = set.max_gap_mm;
  state.counters["step"] = set.largest_step_mm;
}

void add(const std::string& name, const TriangleMesh& mesh) {
  for (const ProxyShape shape : {ProxyShape::kCircular, ProxyShape::kElliptic}) {
    const std::string title = "proxy/" + std::string(shape == ProxyShape::kCircular ? "circular/" : "elliptic/") + name;
    benchmark::RegisterBenchmark(title.c_str(), [=](benchmark::State& state) {
      measure_fit(state, mesh, shape);
    })->Unit(benchmark::kMillisecond);
  }
}

void add_all() {
  if (const auto mannequin = make_mannequin(MannequinTable()); mannequin.ok()) add("mannequin", *mannequin);
  if (testing::shared_data_path("bodies").empty()) return;
  for (const std::string& file : testing::clean_body_files()) add(file, testing::read_clean_body(file));
}

}  // namespace
}  // namespace tryon

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  tryon::add_all();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
