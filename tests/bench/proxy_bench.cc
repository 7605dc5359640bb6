// What it is: how well and how fast circles and ellipses bound bodies: cpu milliseconds a fit of a body in memory (the
// audit's apart), and beside them what proxy_audit.h says of the result. Bodies: the project's own mannequin, and where
// TRYON_SHARED_DATA names a folder, every clean body in it. Girth errors and coverage are per cent, gaps and steps
// millimetres.
#include <ctime>
#include <memory>
#include <stdexcept>

#include "benchmark/benchmark.h"
#include "server/base/run_context.h"
#include "server/body/body.h"
#include "server/body/mannequin.h"
#include "server/body/proxy_audit.h"
#include "server/body/proxy_fit.h"
#include "server/drape/cut_body.h"
#include "tests/unit/body/clean_bodies.h"

namespace tryon {
namespace {

double cpu_ms() { return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void count(const Body& body, const ProxySet& set, benchmark::State* state) {
  const double vertices = body.mesh.vertex_count();
  auto& counters = state->counters;
  counters["solids"] = static_cast<double>(set.proxies.size());
  counters["vertices"] = vertices;
  counters["covered"] = 100.0 * (1.0 - set.uncovered_vertices / vertices);
  counters["torso50"] = 100.0 * set.torso_girth.median, counters["torso95"] = 100.0 * set.torso_girth.p95;
  counters["limbs50"] = 100.0 * set.limb_girth.median, counters["limbs95"] = 100.0 * set.limb_girth.p95;
  counters["gap"] = set.mean_gap_mm, counters["max_gap"] = set.max_gap_mm;
  counters["step"] = set.largest_step_mm;
}

// The time is the fit's; the audit, which a fit does not need, is timed beside it.
void measure_fit(benchmark::State& state, const Body& body, ProxyShape shape) {
  ProxySet set;
  for (auto _ : state) set = bound_by_solids(ProxyAnatomy(body), shape);
  const double before = cpu_ms();
  audit_proxies(ProxyAnatomy(body), &set);
  state.counters["audit_ms"] = cpu_ms() - before;
  count(body, set, &state);
}

// As it is stored, without head and hands; and whole, as where the caller keeps them.
void add(const std::string& name, const TriangleMesh& mesh) {
  auto made = make_body(RunContext(), mesh, ScanOptions());
  if (!made.ok()) throw std::runtime_error(name + ": " + std::string(made.status().message()));
  const auto whole = std::make_shared<const Body>(*std::move(made));
  const auto stored = std::make_shared<const Body>(without_head_and_hands(*whole));
  const auto add_one = [&](const std::string& title, const std::shared_ptr<const Body>& body, ProxyShape shape) {
    benchmark::RegisterBenchmark((title + name).c_str(), [=](benchmark::State& state) {
      measure_fit(state, *body, shape);
    })->Unit(benchmark::kMillisecond);
  };
  add_one("proxy/circular/", stored, ProxyShape::kCircular);
  add_one("proxy/elliptic/", stored, ProxyShape::kElliptic);
  add_one("proxy/elliptic_whole/", whole, ProxyShape::kElliptic);
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
