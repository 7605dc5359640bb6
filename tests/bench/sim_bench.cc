// What it is: the cost of spring projection: our step, and beside it the plain Eigen twin of the same local/global step
// (SimplicialLLT, a column of x, y, z at a time), so that one run gives the ratio. 2,500 particles is Wan 2020's case.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "Eigen/Geometry"
#include "Eigen/SparseCholesky"
#include "server/base/executor.h"
#include "server/sim/collision/cloth_elements.h"
#include "server/sim/collision/self_contact.h"
#include "server/sim/constraints/bend.h"
#include "server/sim/constraints/elastic.h"
#include "server/sim/constraints/local_step.h"
#include "server/sim/solvers/cholesky.h"
#include "server/sim/solvers/hessian.h"
#include "server/sim/solvers/lbfgs.h"
#include "server/sim/solvers/path_columns.h"
#include "server/sim/solvers/solver.h"
#include "tests/bench/square_sheet.h"

namespace tryon::sim {
namespace {

// A square sheet of (side)^2 particles, 1 m, pinned at two neighbouring corners and tilted a little.
ClothInput bench_sheet(int side) {
  ClothInput cloth = study::waved_sheet(side);
  cloth.pinned = {0, side - 1};
  return cloth;
}

// Args: particles a side, iterations, history. Time is that of a whole step; `per_iteration` divides it.
void BM_SpringProjectionStep(benchmark::State& state) {
  const ClothInput cloth = bench_sheet(static_cast<int>(state.range(0)));
  const DrapeModel model = build_model(cloth).value();
  SolverSettings settings;
  settings.iterations = static_cast<int>(state.range(1));
  settings.history = static_cast<int>(state.range(2));
  settings.tolerance = 0;
  auto solver = make_solver(kDefaultSolver, model, settings).value();
  DrapeState cloth_state = start_state(cloth);
  int64_t iterations = 0;
  for (auto _ : state) iterations += solver->step({}, Scene{}, &cloth_state)->iterations;
  state.counters["per_iteration"] =
      benchmark::Counter(static_cast<double>(iterations), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["particles"] = model.particle_count;
}
BENCHMARK(BM_SpringProjectionStep)
    ->Args({50, 1, 0})
    ->Args({50, 10, 0})
    ->Args({50, 100, 0})
    ->Args({50, 10, 6})
    ->Args({78, 10, 0})
    ->Args({78, 10, 6})
    ->Unit(benchmark::kMillisecond);

// One plain local/global iteration written with Eigen alone: same gradient, Eigen's factor and triangular solves.
void BM_EigenTwinIteration(benchmark::State& state) {
  const ClothInput cloth = bench_sheet(static_cast<int>(state.range(0)));
  const DrapeModel model = build_model(cloth).value();
  ElasticEnergy energy(model, 0);
  const Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> factor(study::step_matrix(model));
  std::vector<RVec3> x = start_state(cloth).x, gradient(x.size());
  Eigen::MatrixXd right(model.particle_count, 3), move;
  for (auto _ : state) {
    energy.evaluate({}, x.data(), 1, gradient.data());
    for (int i = 0; i < model.particle_count; ++i) right.row(i) = gradient[i].cast<double>().transpose();
    move = factor.solve(right);
    for (int i = 0; i < model.particle_count; ++i) x[i] -= move.row(i).transpose().cast<Real>();
  }
}
BENCHMARK(BM_EigenTwinIteration)->Arg(50)->Arg(78)->Unit(benchmark::kMillisecond);

void BM_Solve(benchmark::State& state, Cholesky::Kept kept) {
  const DrapeModel model = build_model(bench_sheet(static_cast<int>(state.range(0)))).value();
  const Eigen::SparseMatrix<double> matrix = study::step_matrix(model);
  Cholesky factor(kept);
  factor.analyse(matrix);
  factor.factor(matrix.valuePtr());
  std::vector<RVec3> x(model.particle_count, RVec3(1, 2, 3));
  for (auto _ : state) {
    factor.solve(x.data(), x.data());
    benchmark::DoNotOptimize(x.data());
    x.assign(x.size(), RVec3(1, 2, 3));
  }
  state.counters["factor_nonzeros"] = static_cast<double>(factor.factor_nonzeros());
  state.counters["panel_values"] = static_cast<double>(factor.panel_values());
}
BENCHMARK_CAPTURE(BM_Solve, whole, Cholesky::Kept::kWhole)->Arg(50)->Arg(78)->Arg(124)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Solve, kept_short, Cholesky::Kept::kShort)
    ->Arg(50)
    ->Arg(78)
    ->Arg(124)
    ->Unit(benchmark::kMillisecond);

void BM_EigenSolve(benchmark::State& state) {
  const DrapeModel model = build_model(bench_sheet(static_cast<int>(state.range(0)))).value();
  const Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> factor(study::step_matrix(model));
  const Eigen::MatrixXd right = Eigen::MatrixXd::Ones(model.particle_count, 3);
  Eigen::MatrixXd x;
  for (auto _ : state) benchmark::DoNotOptimize(x = factor.solve(right));
}
BENCHMARK(BM_EigenSolve)->Arg(50)->Arg(78)->Unit(benchmark::kMillisecond);

void BM_Factor(benchmark::State& state, Cholesky::Kept kept) {
  const DrapeModel model = build_model(bench_sheet(static_cast<int>(state.range(0)))).value();
  const Eigen::SparseMatrix<double> matrix = study::step_matrix(model);
  Cholesky factor(kept);
  factor.analyse(matrix);
  for (auto _ : state) benchmark::DoNotOptimize(factor.factor(matrix.valuePtr()));
}
BENCHMARK_CAPTURE(BM_Factor, whole, Cholesky::Kept::kWhole)->Arg(50)->Arg(78)->Arg(124)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Factor, kept_short, Cholesky::Kept::kShort)
    ->Arg(50)
    ->Arg(78)
    ->Arg(124)
    ->Unit(benchmark::kMillisecond);

void BM_EigenFactor(benchmark::State& state) {
  const DrapeModel model = build_model(bench_sheet(static_cast<int>(state.range(0)))).value();
  const Eigen::SparseMatrix<double> matrix = study::step_matrix(model);
  Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> factor;
  factor.analyzePattern(matrix);
  for (auto _ : state) factor.factorize(matrix);
}
BENCHMARK(BM_EigenFactor)->Arg(50)->Arg(78)->Unit(benchmark::kMillisecond);

// The Hessian of a falling sheet, blocks of three rows: what the production drape factorises.
struct BlockSystem {
  explicit BlockSystem(int cells) : cloth(bench_sheet(cells)), model(build_model(cloth).value()) {
    IncrementalPotential potential(model, {});
    PotentialHessian hessian(potential, {});
    hessian.assemble(start_state(cloth).x, PotentialHessian::kConvexHessian);
    matrix = hessian.matrix();
  }
  ClothInput cloth;
  DrapeModel model;
  Eigen::SparseMatrix<double> matrix;  // lower triangle
};

void BM_FactorBlocks(benchmark::State& state) {
  const BlockSystem system(static_cast<int>(state.range(0)));
  Executor executor(static_cast<int>(state.range(1)));
  RunContext run;
  run.executor = &executor;
  Cholesky factor(Cholesky::Kept::kShort);
  factor.analyse(system.matrix, 3);
  for (auto _ : state) benchmark::DoNotOptimize(factor.factor(system.matrix.valuePtr(), run));
  state.counters["rows"] = static_cast<double>(system.matrix.rows());
}
BENCHMARK(BM_FactorBlocks)->ArgsProduct({{71, 124, 222}, {1, 2}})->Unit(benchmark::kMillisecond)->UseRealTime();

struct Factored : BlockSystem {
  explicit Factored(const benchmark::State& state, Cholesky::Kept kept = Cholesky::Kept::kShort)
      : BlockSystem(static_cast<int>(state.range(0))), factor(kept) {
    factor.analyse(matrix, 3);
    factor.factor(matrix.valuePtr());
  }
  Cholesky factor;
};

void BM_SolveBlocks(benchmark::State& state, Cholesky::Kept kept) {
  Factored system(state, kept);
  Executor executor(static_cast<int>(state.range(1)));
  RunContext run;
  run.executor = &executor;
  const std::vector<double> right(system.matrix.rows(), 1.0);  // of its own: what is solved again and again fades away
  std::vector<double> x(right.size());
  for (auto _ : state) system.factor.solve(right.data(), x.data(), run);
  state.counters["values"] = static_cast<double>(system.factor.panel_values());
}
BENCHMARK_CAPTURE(BM_SolveBlocks, kept_short, Cholesky::Kept::kShort)
    ->ArgsProduct({{71, 124, 222}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(BM_SolveBlocks, kept_whole, Cholesky::Kept::kWhole)
    ->ArgsProduct({{71, 124, 222}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

void BM_SolveThreeBlocks(benchmark::State& state) {
  Factored system(state, Cholesky::Kept::kWhole);
  Executor executor(static_cast<int>(state.range(1)));
  RunContext run;
  run.executor = &executor;
  const std::vector<RVec3> right(system.matrix.rows(), RVec3::Ones());
  std::vector<RVec3> x(right.size());
  for (auto _ : state) system.factor.solve(right.data(), x.data(), run);
}
BENCHMARK(BM_SolveThreeBlocks)->ArgsProduct({{71, 124, 222}, {1, 2}})->Unit(benchmark::kMillisecond)->UseRealTime();

void BM_PathColumn(benchmark::State& state) {  // what a contact costs
  Factored system(state);
  PathColumns columns(&system.factor);
  const int count = static_cast<int>(system.matrix.rows()) / 3;
  int i = 0;
  for (auto _ : state) {
    columns.clear();
    columns.add({}, {{3 * (i = (i + 37) % count), RVec3::UnitZ()}});
  }
}
BENCHMARK(BM_PathColumn)->Arg(71)->Arg(124)->Unit(benchmark::kMillisecond);

void BM_EigenSolveBlocks(benchmark::State& state) {
  const BlockSystem system(static_cast<int>(state.range(0)));
  const Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> factor(system.matrix);
  Eigen::VectorXd x = Eigen::VectorXd::Ones(system.matrix.rows());
  for (auto _ : state) x = factor.solve(x);
}
BENCHMARK(BM_EigenSolveBlocks)->Arg(71)->Unit(benchmark::kMillisecond);

void BM_EigenFactorBlocks(benchmark::State& state) {
  const BlockSystem system(static_cast<int>(state.range(0)));
  Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> factor;
  factor.analyzePattern(system.matrix);
  for (auto _ : state) factor.factorize(system.matrix);
}
BENCHMARK(BM_EigenFactorBlocks)->Arg(71)->Unit(benchmark::kMillisecond);

// One pair and one direction, the matrix left out. Args: threads, whether pairs are kept as float.
void BM_Lbfgs(benchmark::State& state) {
  const int n = 15'500;
  Executor executor(static_cast<int>(state.range(0)));
  RunContext run;
  run.executor = &executor;
  Lbfgs lbfgs(6, n, state.range(1) ? Lbfgs::Kept::kRough : Lbfgs::Kept::kWhole);
  const std::vector<RVec3> none(n, RVec3::Zero()), x(n, RVec3(1, 2, 3)), gradient(n, RVec3(2, 3, 5));
  std::vector<RVec3> way = x;
  for (auto _ : state) {
    lbfgs.push(run, none, none, x, gradient);
    lbfgs.find_way(run, gradient, &way, [](std::vector<RVec3>*) {});
  }
}
BENCHMARK(BM_Lbfgs)->ArgsProduct({{1, 2}, {0, 1}})->Unit(benchmark::kMillisecond)->UseRealTime();

void take_gradients(const DrapeModel& model, const std::vector<RVec3>& x, benchmark::State* state) {
  ElasticEnergy energy(model, 0);
  std::vector<RVec3> gradient(x.size());
  for (auto _ : *state) benchmark::DoNotOptimize(energy.evaluate({}, x.data(), 1, gradient.data()));
}

void BM_Gradient(benchmark::State& state) {
  const ClothInput cloth = bench_sheet(static_cast<int>(state.range(0)));
  take_gradients(build_model(cloth).value(), start_state(cloth).x, &state);
}
BENCHMARK(BM_Gradient)->Arg(50)->Arg(78)->Unit(benchmark::kMillisecond);

// Args: layout, bending law. 5,041 particles.
DrapeModel sheet_of(const benchmark::State& state, std::vector<RVec3>* x) {
  ClothInput cloth = bench_sheet(71);
  cloth.layout = static_cast<SpringLayout>(state.range(0));
  cloth.bend = static_cast<BendLaw>(state.range(1));
  *x = start_state(cloth).x;
  return build_model(cloth).value();
}
const std::vector<std::vector<int64_t>> kLayouts{
    {static_cast<int>(SpringLayout::kThreads), static_cast<int>(SpringLayout::kMembrane)},
    {static_cast<int>(BendLaw::kQuadratic), static_cast<int>(BendLaw::kShape), static_cast<int>(BendLaw::kIsometric)}};

void BM_GradientOf(benchmark::State& state) {
  std::vector<RVec3> x;
  const DrapeModel model = sheet_of(state, &x);
  take_gradients(model, x, &state);
}
BENCHMARK(BM_GradientOf)->ArgsProduct(kLayouts)->Unit(benchmark::kMicrosecond);

// Args: rows, whether threads rub on each other (constraints/bend_elements.h).
void BM_GradientOfWoven(benchmark::State& state) {
  ClothInput cloth = bench_sheet(static_cast<int>(state.range(0)));
  cloth.bend = BendLaw::kIsometric;
  cloth.fabric.bend_friction = state.range(1) ? 1e-3 : 0;
  take_gradients(build_model(cloth).value(), start_state(cloth).x, &state);
}
BENCHMARK(BM_GradientOfWoven)->ArgsProduct({{70, 124}, {0, 1}})->Unit(benchmark::kMicrosecond);

// Args: layout, bending law, the share kept of what is indefinite (0 or 1), per cent that the sheet is shrunk by.
void BM_AssembleHessian(benchmark::State& state) {
  std::vector<RVec3> x;
  const DrapeModel model = sheet_of(state, &x);
  for (RVec3& p : x) p *= Real(1 - 0.01 * static_cast<double>(state.range(3)));
  IncrementalPotential potential(model, {});
  PotentialHessian hessian(potential, {});
  for (auto _ : state) hessian.assemble(x, static_cast<double>(state.range(2)));
}
BENCHMARK(BM_AssembleHessian)
    ->ArgsProduct({kLayouts[0], kLayouts[1], {0, 1}, {0}})
    ->ArgsProduct({kLayouts[0], {static_cast<int>(BendLaw::kShape)}, {0, 1}, {2}})
    ->Args({static_cast<int>(SpringLayout::kMembrane), static_cast<int>(BendLaw::kQuadratic), 0, 2})
    ->Unit(benchmark::kMicrosecond);

// Args: layout, bending law. Five iterations of newton from where the sheet starts.
void BM_NewtonStep(benchmark::State& state) {
  ClothInput cloth = bench_sheet(71);
  cloth.layout = static_cast<SpringLayout>(state.range(0));
  cloth.bend = static_cast<BendLaw>(state.range(1));
  const DrapeModel model = build_model(cloth).value();
  SolverSettings settings;
  settings.iterations = 5;
  settings.tolerance = 0;
  auto solver = make_solver("newton", model, settings).value();
  const DrapeState start = start_state(cloth);
  int iterations = 0;
  for (auto _ : state) {
    DrapeState moved = start;
    iterations = solver->step({}, Scene{}, &moved)->iterations;
  }
  state.counters["iterations"] = iterations;
}
BENCHMARK(BM_NewtonStep)->ArgsProduct(kLayouts)->Unit(benchmark::kMillisecond);

// The vector loops (1) beside their slow twins (0), on one thread.
void BM_Membranes(benchmark::State& state) {
  ClothInput cloth = bench_sheet(71);
  cloth.layout = SpringLayout::kMembrane;
  const DrapeModel model = build_model(cloth).value();
  const std::vector<RVec3> x = start_state(cloth).x;
  const Membranes& m = model.membranes;
  std::vector<RVec3> slot(2 * m.count() + 1);
  for (auto _ : state) {
    double sum = 0;
    if (state.range(0) == 1) {
      sum = local_step::best_kernels().membranes(
          {model.triangles.data(), m.shape.data(), m.stiffness.data(), model.particle_count - 1}, x.data(), 0,
          m.count(), slot.data());
    } else {
      for (int t = 0; t < m.count(); ++t) {
        const Triangle& corner = model.triangles[t];
        const auto& s = m.shape[t];
        const RVec3 e1 = x[corner[1]] - x[corner[0]], e2 = x[corner[2]] - x[corner[0]];
        const RVec3 fx = s[0] * e1 + s[1] * e2, fy = s[2] * e1 + s[3] * e2;
        sum += membrane::value(m.stiffness[t], fx, fy);
        const membrane::Vector6 g = membrane::gradient(m.stiffness[t], fx, fy);
        slot[2 * t] = g.head<3>(), slot[2 * t + 1] = g.tail<3>();
      }
    }
    benchmark::DoNotOptimize(sum);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(BM_Membranes)->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);

void BM_Hinges(benchmark::State& state) {
  const ClothInput cloth = bench_sheet(71);
  const DrapeModel model = build_model(cloth).value();
  const std::vector<RVec3> x = start_state(cloth).x;
  const Hinges& h = model.hinges;
  std::vector<RVec3> slot(h.count() + 1);
  for (auto _ : state) {
    double sum = 0;
    if (state.range(0) == 1) {
      sum = local_step::best_kernels().hinges(
          {h.particle.data(), h.weight.data(), h.stiffness.data(), model.particle_count - 1}, x.data(), 0, h.count(),
          slot.data());
    } else {
      for (int i = 0; i < h.count(); ++i) {
        const auto& p = h.particle[i];
        const RVec3 e = bend::vector(h.weight[i], x[p[0]], x[p[1]], x[p[2]], x[p[3]]);
        sum += bend::value(h.stiffness[i], e);
        slot[i] = bend::gradient(h.stiffness[i], e);
      }
    }
    benchmark::DoNotOptimize(sum);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(BM_Hinges)->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);

// Knife pleats, three layers 2.5 mm apart on each other, like those of the dress: forth, back, forth and down again,
// and on a slope.
ClothInput pleated_sheet(int side) {
  constexpr double kLeg = 0.04, kGap = 2.5e-3, kTurn = 0.1, kDown = 0.3;  // m; of a leg: where it turns, the way down
  return study::square_sheet(side, [](double u, double v) -> Vec3 {
    constexpr double kPleat = 3 + kDown;
    const double legs = u / kLeg, pleat = std::floor(legs / kPleat), in = legs - pleat * kPleat;
    const int leg = static_cast<int>(in);
    const double along = in - leg, turn = kGap * std::clamp((along - (1 - kTurn)) / kTurn, 0.0, 1.0);
    const double x = leg == 1 ? 1 - along : leg == 3 ? 1 + along : along;
    const double height = leg == 3 ? 2 * kGap * (1 - along / kDown) : leg * kGap + (leg < 2 ? turn : 0.0);
    const Vec3 level(((1 + kDown) * pleat + x) * kLeg, height + 0.02 * std::sin(9 * v), -v + 1e-3 * std::sin(40 * u));
    return Eigen::AngleAxisd(0.6, Vec3(1, 2, 3).normalized()) * level;  // boxes are not drawn for it
  });
}

// Which elements of pleats are near: all of what is asked when layers have moved.
void BM_NearElements(benchmark::State& state) {
  const ClothInput cloth = pleated_sheet(static_cast<int>(state.range(0)));
  const DrapeModel model = build_model(cloth).value();
  const std::vector<RVec3> x = start_state(cloth).x;
  ClothElements elements(model);
  for (auto _ : state) elements.find(x, Real(0.6) * elements.mean_edge());
  state.counters["vertex_triangles"] = static_cast<double>(elements.vertex_triangles().size());
  state.counters["edge_edges"] = static_cast<double>(elements.edge_edges().size());
  state.counters["edge_triangles"] = static_cast<double>(elements.edge_triangles().size());
}
BENCHMARK(BM_NearElements)->Arg(71)->Arg(124)->Unit(benchmark::kMillisecond);

// The same with distances, bounds and what touches: two places in turns, so far apart that each is searched anew.
void BM_LayersSearched(benchmark::State& state) {
  const ClothInput cloth = pleated_sheet(static_cast<int>(state.range(0)));
  const DrapeModel model = build_model(cloth).value();
  const size_t count = cloth.positions.size();
  std::array<std::vector<RVec3>, 2> x = {start_state(cloth).x, start_state(cloth).x};
  for (RVec3& p : x[1]) p.x() += Real(0.01);
  SelfContact contact(model, Real(2e-3), std::vector<Real>(count, Real(0.3)), std::vector<Real>(count, Real(100)),
                      Real(0.02));
  int turn = 0;
  for (auto _ : state) contact.begin_step({}, x[turn ^= 1]);
  state.counters["crossings"] = contact.crossings();
}
BENCHMARK(BM_LayersSearched)->Arg(71)->Arg(124)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tryon::sim
