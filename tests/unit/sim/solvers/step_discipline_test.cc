// What every solver owes its caller inside a step: it stops when told to, and the named kernels take no memory.
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <new>
#include <thread>

#include "gtest/gtest.h"
#include "server/base/sanitized.h"
#include "server/sim/solvers/hessian.h"
#include "server/sim/solvers/solver.h"
#include "tests/unit/sim/cloth_fixtures.h"

namespace {
std::atomic<int64_t> allocations{0};
}  // namespace

void* operator new(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* at = std::malloc(size == 0 ? 1 : size)) return at;
  std::abort();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {  // std::stable_sort's, for one
  allocations.fetch_add(1, std::memory_order_relaxed);
  return std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* at) noexcept { std::free(at); }
void operator delete(void* at, std::size_t) noexcept { std::free(at); }

namespace tryon::sim {
namespace {

using namespace tryon::sim::testing;

ClothInput hung(int cells, SpringLayout layout) {
  SheetOptions o;
  o.columns = o.rows = cells;
  ClothInput cloth = make_sheet(o);
  cloth.pinned = {0, cells};
  cloth.layout = layout;
  return cloth;
}

// Cancels the step when it is first asked, and counts what it is asked after that.
class Interrupting : public Collider {
 public:
  explicit Interrupting(RunContext* run) : run_(*run) {}
  Contact query(const Eigen::Vector3d& point, double max_distance) const override {
    run_.cancel.cancel();
    ++asked;
    Contact far;
    far.distance = std::min(max_distance, 0.5 + std::abs(point.y()));
    return far;
  }
  mutable int asked = 0;

 private:
  RunContext& run_;
};

TEST(EverySolver, ThatIsCancelledInsideAStepStopsThere) {
  const ClothInput cloth = hung(40, SpringLayout::kThreads);  // 1681 particles: a scan is asked for 10 ms about them
  const DrapeModel model = build_model(cloth).value();
  for (const SolverInfo& info : solver_list()) {
    SolverSettings settings;
    settings.iterations = 1000;
    settings.tolerance = 0;
    auto solver = make_solver(info.name, model, settings).value();
    RunContext run;
    const Interrupting collider(&run);
    Scene scene = still_scene();
    scene.collider = &collider;
    DrapeState state = start_state(cloth);
    EXPECT_EQ(solver->step(run, scene, &state).status().code(), absl::StatusCode::kCancelled) << info.name;
    EXPECT_LE(collider.asked, 256) << info.name << ": not another chunk of contacts";
  }
}

// Told from another thread in the middle of a long step: what the solver still works, in CPU time of its own thread.
TEST(EverySolver, ThatIsCancelledFromOutsideStopsWithinFiftyMilliseconds) {
  const double most_ms = kSanitized ? 500 : 50;               // what is checked works at a tenth of the pace
  const ClothInput cloth = hung(70, SpringLayout::kThreads);  // 5041 particles
  const DrapeModel model = build_model(cloth).value();
  const auto worked_ms = [](clockid_t clock) {
    timespec t{};
    clock_gettime(clock, &t);
    return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
  };
  for (const SolverInfo& info : solver_list()) {
    SolverSettings settings;
    settings.iterations = 1000;
    settings.tolerance = 0;
    auto solver = make_solver(info.name, model, settings).value();
    DrapeState state = start_state(cloth);
    RunContext run;
    clockid_t clock{};
    ASSERT_EQ(pthread_getcpuclockid(pthread_self(), &clock), 0);
    const double begun = worked_ms(clock);
    std::atomic<double> told{0};
    std::atomic<bool> over{false};
    std::thread other([&] {
      while (!over && worked_ms(clock) < begun + 30) std::this_thread::sleep_for(std::chrono::microseconds(200));
      told = worked_ms(clock);
      run.cancel.cancel();
    });
    absl::Status status;
    while (status.ok()) status = solver->step(run, still_scene(), &state).status();
    const double stopped = worked_ms(clock);
    over = true;
    other.join();
    EXPECT_EQ(status.code(), absl::StatusCode::kCancelled) << info.name;
    EXPECT_LT(stopped - told, most_ms) << info.name;
  }
}

TEST(NoAllocation, InAStepOfSpringProjection) {
  for (const SpringLayout layout : {SpringLayout::kEdges, SpringLayout::kThreads})
    for (const char* name : {"spring_projection", "lbfgs", "pd_direct"}) {
      const ClothInput cloth = hung(12, layout);
      const DrapeModel model = build_model(cloth).value();
      auto solver = make_solver(name, model, {}).value();
      DrapeState state = start_state(cloth);
      for (int k = 0; k < 2; ++k) ASSERT_TRUE(solver->step({}, still_scene(), &state).ok());
      const RunContext run;
      const Scene scene = still_scene();
      const int64_t before = allocations.load();
      const bool good = solver->step(run, scene, &state).ok();
      const int64_t after = allocations.load();
      EXPECT_TRUE(good);
      EXPECT_EQ(after, before) << name;
    }
}

// With every kind of element but layers that touch: their pairs are new ones.
TEST(NoAllocation, WhereEnergiesAreSummedAndAHessianIsAssembled) {
  for (const SpringLayout layout : {SpringLayout::kEdges, SpringLayout::kThreads, SpringLayout::kMembrane})
    for (const BendLaw bend : {BendLaw::kQuadratic, BendLaw::kShape, BendLaw::kIsometric}) {
      ClothInput cloth = hung(12, layout);
      cloth.bend = layout == SpringLayout::kEdges ? BendLaw::kQuadratic : bend;
      cloth.fabric.bend_damping = cloth.fabric.shear_damping = 0.1;
      cloth.fabric.bend_friction = 1e-3;
      const DrapeModel model = build_model(cloth).value();
      const IncrementalPotential potential(model, {});
      PotentialHessian hessian(potential, {});
      ElasticEnergy energy(model, 1);
      const std::vector<RVec3> x = start_state(cloth).x;
      std::vector<RVec3> gradient(x.size());
      const RunContext run;
      const int64_t before = allocations.load();
      const double sum = energy.evaluate(run, x.data(), 1, gradient.data());
      const bool good = hessian.assemble(x, PotentialHessian::kConvexHessian, run) &&
                        hessian.assemble(x, PotentialHessian::kTrueHessian, run);
      const int64_t after = allocations.load();
      EXPECT_TRUE(good && std::isfinite(sum));
      EXPECT_EQ(after, before) << static_cast<int>(layout) << " " << static_cast<int>(bend);
    }
}

}  // namespace
}  // namespace tryon::sim
