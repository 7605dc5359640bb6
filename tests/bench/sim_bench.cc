// What it is: the cost of spring projection: our step, and beside it the plain Eigen twin of the same local/global step
// (SimplicialLLT, a column of x, y, z at a time), so that one run gives the ratio. 2,500 particles is Wan 2020's case.
#include <benchmark/benchmark.h>

#include <cmath>
#include <ctime>
#include <tuple>

#include "Eigen/SparseCholesky"
#include "server/sim/constraints/elastic.h"
#include "server/sim/solvers/cholesky.h"
#include "server/sim/solvers/solver.h"

namespace tryon::sim {
namespace {

// A square sheet of (side)^2 particles, 1 m, pinned at two neighbouring corners and tilted a little.
ClothInput bench_sheet(int side) {
  ClothInput cloth;
  const double cell = 1.0 / (side - 1);
  const auto flat = [&](int i, int j) { return Vec2(i * cell, j * cell); };
  for (int j = 0; j < side; ++j)
    for (int i = 0; i < side; ++i)
      cloth.positions.push_back(Vec3(i * cell, 0.05 * std::sin(5.0 * i * cell), -j * cell));
  for (int j = 0; j + 1 < side; ++j)
    for (int i = 0; i + 1 < side; ++i) {
      const int a = j * side + i, b = a + 1, c = b + side, d = a + side;
      cloth.triangles.push_back(Triangle(a, b, c));
      cloth.triangles.push_back(Triangle(a, c, d));
      cloth.corner_flat.push_back({flat(i, j), flat(i + 1, j), flat(i + 1, j + 1)});
      cloth.corner_flat.push_back({flat(i, j), flat(i + 1, j + 1), flat(i, j + 1)});
    }
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

Eigen::SparseMatrix<double> bench_matrix(const DrapeModel& model) {
  Eigen::SparseMatrix<double> matrix = ElasticEnergy(model, 0).matrix();
  for (int i = 0; i < model.particle_count; ++i) matrix.coeffRef(i, i) += 900.0 * static_cast<double>(model.mass[i]);
  matrix.makeCompressed();
  return matrix;
}

// One plain local/global iteration written with Eigen alone: same gradient, Eigen's factor and triangular solves.
void BM_EigenTwinIteration(benchmark::State& state) {
  const ClothInput cloth = bench_sheet(static_cast<int>(state.range(0)));
  const DrapeModel model = build_model(cloth).value();
  ElasticEnergy energy(model, 0);
  const Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> factor(bench_matrix(model));
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

void BM_Solve(benchmark::State& state) {
  const DrapeModel model = build_model(bench_sheet(static_cast<int>(state.range(0)))).value();
  const Eigen::SparseMatrix<double> matrix = bench_matrix(model);
  Cholesky factor;
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
BENCHMARK(BM_Solve)->Arg(50)->Arg(78)->Unit(benchmark::kMillisecond);

void BM_EigenSolve(benchmark::State& state) {
  const DrapeModel model = build_model(bench_sheet(static_cast<int>(state.range(0)))).value();
  const Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> factor(bench_matrix(model));
  const Eigen::MatrixXd right = Eigen::MatrixXd::Ones(model.particle_count, 3);
  Eigen::MatrixXd x;
  for (auto _ : state) benchmark::DoNotOptimize(x = factor.solve(right));
}
BENCHMARK(BM_EigenSolve)->Arg(50)->Arg(78)->Unit(benchmark::kMillisecond);

void BM_Factor(benchmark::State& state) {
  const DrapeModel model = build_model(bench_sheet(static_cast<int>(state.range(0)))).value();
  const Eigen::SparseMatrix<double> matrix = bench_matrix(model);
  Cholesky factor;
  factor.analyse(matrix);
  for (auto _ : state) benchmark::DoNotOptimize(factor.factor(matrix.valuePtr()));
}
BENCHMARK(BM_Factor)->Arg(50)->Arg(78)->Unit(benchmark::kMillisecond);

void BM_EigenFactor(benchmark::State& state) {
  const DrapeModel model = build_model(bench_sheet(static_cast<int>(state.range(0)))).value();
  const Eigen::SparseMatrix<double> matrix = bench_matrix(model);
  Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> factor;
  factor.analyzePattern(matrix);
  for (auto _ : state) factor.factorize(matrix);
}
BENCHMARK(BM_EigenFactor)->Arg(50)->Arg(78)->Unit(benchmark::kMillisecond);

void BM_Gradient(benchmark::State& state) {
  const ClothInput cloth = bench_sheet(static_cast<int>(state.range(0)));
  const DrapeModel model = build_model(cloth).value();
  ElasticEnergy energy(model, 0);
  std::vector<RVec3> x = start_state(cloth).x, gradient(x.size());
  for (auto _ : state) benchmark::DoNotOptimize(energy.evaluate({}, x.data(), 1, gradient.data()));
}
BENCHMARK(BM_Gradient)->Arg(50)->Arg(78)->Unit(benchmark::kMillisecond);

// Wan 2020 written straight down with Eigen: edge springs, J d by a sparse matrix, SimplicialLLT for three columns.
class EigenSpringProjection {
 public:
  explicit EigenSpringProjection(const DrapeModel& model) : model_(model) {
    const int n = model.particle_count, s = model.springs.count();
    std::vector<Eigen::Triplet<double>> l, j;
    for (int i = 0; i < s; ++i) {
      const int a = model.springs.a[i], b = model.springs.b[i];
      const double k = static_cast<double>(model.springs.stiffness[i]);
      for (const auto& [r, c, v] :
           {std::tuple(a, a, k), std::tuple(b, b, k), std::tuple(a, b, -k), std::tuple(b, a, -k)})
        l.emplace_back(r, c, v);
      j.emplace_back(a, i, k);
      j.emplace_back(b, i, -k);
    }
    for (int i = 0; i < n; ++i) l.emplace_back(i, i, 900.0 * static_cast<double>(model.mass[i]));
    Eigen::SparseMatrix<double> matrix(n, n);
    matrix.setFromTriplets(l.begin(), l.end());
    spread_.resize(n, s);
    spread_.setFromTriplets(j.begin(), j.end());
    factor_.compute(matrix);
    directions_.resize(s, 3);
  }
  void iterate(const Eigen::MatrixXd& inertia, Eigen::MatrixXd* x) {
    for (int i = 0; i < model_.springs.count(); ++i) {
      const Eigen::RowVector3d e = x->row(model_.springs.a[i]) - x->row(model_.springs.b[i]);
      directions_.row(i) = static_cast<double>(model_.springs.rest[i]) * e.normalized();
    }
    *x = factor_.solve(inertia + spread_ * directions_);
  }

 private:
  const DrapeModel& model_;
  Eigen::SparseMatrix<double> spread_;
  Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> factor_;
  Eigen::MatrixXd directions_;
};

ClothInput edge_sheet(int side) {
  ClothInput cloth = bench_sheet(side);
  cloth.layout = SpringLayout::kEdges;
  cloth.pinned.clear();
  return cloth;
}

// Sides 50, 100, 141, 224: 2,500 to 50,176 particles. One iteration of the straightforward twin.
void BM_EigenIteration(benchmark::State& state) {
  const ClothInput cloth = edge_sheet(static_cast<int>(state.range(0)));
  const DrapeModel model = build_model(cloth).value();
  EigenSpringProjection twin(model);
  Eigen::MatrixXd x(model.particle_count, 3), inertia(model.particle_count, 3);
  for (int i = 0; i < model.particle_count; ++i) {
    x.row(i) = cloth.positions[i].transpose();
    inertia.row(i) = 900.0 * static_cast<double>(model.mass[i]) * x.row(i);
  }
  for (auto _ : state) twin.iterate(inertia, &x);
}
BENCHMARK(BM_EigenIteration)->Arg(50)->Arg(100)->Arg(141)->Arg(224)->Unit(benchmark::kMillisecond);

// The product's iteration of the same springs: gradient, solve, and the line search's energy, out of a step of 20.
void BM_OwnIteration(benchmark::State& state) {
  const ClothInput cloth = edge_sheet(static_cast<int>(state.range(0)));
  const DrapeModel model = build_model(cloth).value();
  SolverSettings settings;
  settings.iterations = 20;
  settings.tolerance = 0;
  auto solver = make_solver("spring_projection", model, settings).value();
  DrapeState cloth_state = start_state(cloth);
  int64_t iterations = 0;
  for (auto _ : state) iterations += solver->step({}, Scene{}, &cloth_state)->iterations;
  state.counters["per_iteration"] =
      benchmark::Counter(static_cast<double>(iterations), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(BM_OwnIteration)->Arg(50)->Arg(100)->Arg(141)->Arg(224)->Unit(benchmark::kMillisecond);

// The solve of that iteration beside the time its factor's bytes take: the values of L read twice, at the speed of a
// triad over arrays of the same total size. `over_bound` is the ratio.
void BM_SolveAgainstBandwidth(benchmark::State& state) {
  const DrapeModel model = build_model(edge_sheet(static_cast<int>(state.range(0)))).value();
  const Eigen::SparseMatrix<double> matrix = bench_matrix(model);
  Cholesky factor;
  factor.analyse(matrix);
  factor.factor(matrix.valuePtr());
  const double bytes = 2.0 * static_cast<double>(factor.factor_nonzeros()) * sizeof(Real);
  const size_t size = static_cast<size_t>(factor.factor_nonzeros()) / 3 + 1;
  std::vector<double> a(size, 1.0), b(size, 2.0), c(size, 3.0);
  double best = 1e30;
  for (int k = 0; k < 20; ++k) {
    const std::clock_t from = std::clock();
    const int repeats = static_cast<int>(1 + 20'000'000 / size);
    for (int r = 0; r < repeats; ++r) {
      for (size_t i = 0; i < size; ++i) a[i] = b[i] + 3.0 * c[i];
      benchmark::ClobberMemory();
    }
    best = std::min(best, static_cast<double>(std::clock() - from) / CLOCKS_PER_SEC / repeats);
  }
  const double bandwidth = 3.0 * static_cast<double>(size) * sizeof(double) / best;
  std::vector<RVec3> x(model.particle_count, RVec3(1, 2, 3));
  int64_t solves = 0;
  const std::clock_t from = std::clock();
  for (auto _ : state) {
    factor.solve(x.data(), x.data());
    x.assign(x.size(), RVec3(1, 2, 3));
    ++solves;
  }
  const double own = static_cast<double>(std::clock() - from) / CLOCKS_PER_SEC / static_cast<double>(solves);
  state.counters["triad_GB_s"] = bandwidth / 1e9;
  state.counters["bound_ms"] = 1e3 * bytes / bandwidth;
  state.counters["over_bound"] = own * bandwidth / bytes;
}
BENCHMARK(BM_SolveAgainstBandwidth)->Arg(50)->Arg(100)->Arg(141)->Arg(224)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tryon::sim
