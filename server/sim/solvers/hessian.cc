#include "server/sim/solvers/hessian.h"

#include <algorithm>
#include <utility>

#include "server/base/run_context.h"
#include "server/sim/constraints/folds.h"
#include "server/sim/constraints/local_step.h"
#include "server/sim/constraints/springs.h"
#include "server/sim/constraints/ties.h"

namespace tryon::sim {

namespace {

constexpr int64_t kNumbersAtOnce = 1 << 15;
constexpr size_t kFewShare = 20;  // one pair of layers in so many may lack blocks between its particles

// The Hessian of 1/2 k (|e| - rest)^2; of a compressed spring's sideways push the share `kept`.
Eigen::Matrix3d spring_hessian(double k, double rest, const Vec3& e, double kept) {
  const double length = e.norm();
  if (length <= static_cast<double>(spring::kTinyLength)) return k * Eigen::Matrix3d::Identity();
  const Vec3 u = e / length;
  double across = 1 - rest / length;
  if (across < 0) across *= kept;
  return k * (across * (Eigen::Matrix3d::Identity() - u * u.transpose()) + u * u.transpose());
}

}  // namespace

PotentialHessian::PotentialHessian(const IncrementalPotential& potential, const SolverSettings& settings,
                                   BendInMatrix bend, Cholesky::Kept kept, const KnownOrder& known)
    : PotentialHessian(potential, settings, kept, known,
                       std::make_unique<ClothBlocks>(potential.model(), settings, bend)) {}

PotentialHessian::PotentialHessian(const IncrementalPotential& potential, const SolverSettings& settings,
                                   Cholesky::Kept kept, const KnownOrder& known, std::unique_ptr<ClothBlocks> blocks)
    : potential_(potential),
      model_(potential.model()),
      settings_(settings),
      cloth_(std::move(blocks)),
      factor_(kept),
      passing_(!known.place.empty()),
      order_(known) {
  build_pattern();
  if (potential_.layers() == nullptr) {
    analyse();
  } else if (!passing_) {
    order_ = cloth_->take_order()->known();
  }
  right_.resize(3 * model_.particle_count);
  own_.resize(model_.particle_count);
  fold_gradient_.assign(4 * model_.folds.count() + 1, RVec3::Zero());  // a number behind the last one is read
  fold_angle_.resize(model_.folds.count());
  fold_sum_.resize(4 * cloth_->fold_products().most_particles);
}

// The cloth's blocks and those of layers that touch.
void PotentialHessian::build_pattern() {
  const BlockPattern& cloth = cloth_->pattern();
  std::vector<std::pair<int, int>> more;
  for (const auto& v : layer_pattern_)
    for (int a = 1; a < 4; ++a)
      for (int b = 0; b < a; ++b)
        if (const auto at = cloth_->block_at(v[a], v[b]); cloth.find(at) < 0) more.push_back(at);
  std::sort(more.begin(), more.end());
  more.erase(std::unique(more.begin(), more.end()), more.end());
  all_.row.clear();
  all_.begin.assign(1, 0);
  cloth_place_.clear();
  auto next = more.begin();
  for (int j = 0; j < model_.particle_count; ++j) {
    const int first = all_.begin[j];
    int row = cloth.begin[j];
    const auto end = std::find_if(next, more.end(), [j](const auto& at) { return at.first != j; });
    while (row < cloth.begin[j + 1] || next != end) {
      const bool own = next == end || (row < cloth.begin[j + 1] && cloth.row[row] < next->second);
      if (own) cloth_place_.push_back({9 * first + 3 * (static_cast<int>(all_.row.size()) - first), 0});
      all_.row.push_back(own ? cloth.row[row++] : (next++)->second);
    }
    all_.begin.push_back(static_cast<int>(all_.row.size()));
    for (int k = cloth.begin[j]; k < cloth.begin[j + 1]; ++k) cloth_place_[k].height = 3 * (all_.begin[j + 1] - first);
  }
  all_.shape(&matrix_);
  analysed_ = false;
}

// A factor's pattern is dear: where there are layers, which may ask for another one, it waits for the first assembly,
// and goes by the order that the cloth had without them, or with those of the pattern before.
void PotentialHessian::analyse() {
  if (std::exchange(analysed_, true)) return;
  if (layer_pattern_.empty() && !passing_) {
    factor_.analyse(cloth_->take_order());
  } else {
    factor_.analyse_once(matrix_, 3, order_);
    order_ = factor_.order();
  }
}

void PotentialHessian::add(const Matrix3& k) {
  const ClothBlocks::Target& target = cloth_->target()[next_++];
  add_at(cloth_place_[target.block], target.turned, k);
}

void PotentialHessian::add_at(const BlockPlace& place, bool turned, const Matrix3& k) {
  double* at = matrix_.valuePtr() + place.at;
  for (int c = 0; c < 3; ++c)
    for (int r = 0; r < 3; ++r) at[c * place.height + r] += turned ? k(c, r) : k(r, c);
}

void PotentialHessian::add_symmetric(const double* number, int apart) {
  const BlockPlace& place = cloth_place_[cloth_->target()[next_++].block];
  double* x = matrix_.valuePtr() + place.at;
  double *y = x + place.height, *z = y + place.height;
  const double xy = number[3 * apart], xz = number[4 * apart], yz = number[5 * apart];
  x[0] += number[0], x[1] += xy, x[2] += xz;
  y[0] += xy, y[1] += number[apart], y[2] += yz;
  z[0] += xz, z[1] += yz, z[2] += number[2 * apart];
}

void PotentialHessian::add_whole(const double* number, int apart) {
  const auto [block, turned] = cloth_->target()[next_++];
  const BlockPlace& place = cloth_place_[block];
  const int across = turned ? apart : 3 * apart, down = turned ? 3 * apart : apart;
  double* at = matrix_.valuePtr() + place.at;
  for (int c = 0; c < 3; ++c, at += place.height, number += across)
    at[0] += number[0], at[1] += number[down], at[2] += number[2 * down];
}

void PotentialHessian::begin_with_constant() {
  double* const number = matrix_.valuePtr();
  run_->parallel_for(matrix_.nonZeros(), kNumbersAtOnce,
                     [number](int64_t begin, int64_t end) { std::fill(number + begin, number + end, 0.0); });
  const std::vector<double>& constant = cloth_->constant();
  for_each(*run_, constant.size(), [&](size_t b) {
    for (int c = 0; c < 3; ++c) number[cloth_place_[b].at + c * (cloth_place_[b].height + 1)] = constant[b];
  });
}

void PotentialHessian::add_threads(const std::vector<RVec3>& x, double kept) {
  const Threads& threads = model_.threads;
  const local_step::Kernels& kernels = local_step::best_kernels();
  local_step::Blocks blocks;
  for (int t = 0; t < threads.count() && go_on(t); t += 4) {
    const int end = std::min(t + 4, threads.count());
    kernels.thread_blocks(local_step::thread_view(model_), x.data(), t, end, kept, &blocks);
    for (int k = 0; t + k < end; ++k)
      for (const auto& block : blocks.at) add_symmetric(&block[0][k], 4);
  }
}

void PotentialHessian::add_membranes(const std::vector<RVec3>& x, double kept) {
  const Membranes& membranes = model_.membranes;
  const local_step::Kernels& kernels = local_step::best_kernels();
  local_step::WholeBlocks<local_step::kPairs> blocks;
  for (int t = 0; t < membranes.count() && go_on(t); t += 4) {
    const int end = std::min(t + 4, membranes.count());
    kernels.membrane_blocks(
        {model_.triangles.data(), membranes.shape.data(), membranes.stiffness.data(), model_.particle_count - 1},
        x.data(), t, end, kept, &blocks);
    for (int k = 0; t + k < end; ++k)
      for (const auto& block : blocks.at) add_whole(&block[0][k], 4);
  }
}

void PotentialHessian::add_shear_damping(const std::vector<RVec3>& x) {
  const ShearDamping& damping = potential_.shear_damping();
  for (int t = 0; damping.any() && t < static_cast<int>(model_.triangles.size()); ++t) {
    const std::array<RVec3, 3> slope = damping.slopes(t, x);
    const double stiffness = static_cast<double>(damping.rate_stiffness(t));
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b <= a; ++b) add(stiffness * (slope[a].cast<double>() * slope[b].cast<double>().transpose()));
  }
}

void PotentialHessian::add_springs(const std::vector<RVec3>& x, double kept) {
  const Springs& springs = model_.springs;
  for (int s = 0; s < springs.count() && go_on(s); ++s) {
    const double k = tie::stiffness(springs, s, static_cast<Real>(settings_.tie_stiffness));
    const double rest = tie::rest(springs, s, potential_.tie_rest_ratio());
    const RVec3 e = x[springs.a[s]] - x[springs.b[s]];
    Matrix3 hessian = spring_hessian(k, rest, e.cast<double>(), kept);
    if (springs.kind[s] == SpringKind::kTether && spring::is_slack(static_cast<Real>(rest), e)) hessian.setZero();
    add(hessian), add(-hessian), add(hessian);  // (a, a), (b, a), (b, b)
  }
}

// The moment times the angle's own Hessian, of which the share `kept`, and what B couples (fold_products.h), which is
// positive semidefinite because B is.
void PotentialHessian::add_folds(const std::vector<RVec3>& x, double kept) {
  const int count = model_.folds.count();
  local_step::best_kernels().fold_angles(fold::view(model_), x.data(), 0, count, fold_angle_.data(),
                                         fold_gradient_.data());
  for (int f = 0; f < count && go_on(f); f += kElementsBetweenChecks) {
    const int end = std::min(f + kElementsBetweenChecks, count);
    add_fold_products(f, end);
    add_fold_angles(x, f, end, kept);
  }
}

void PotentialHessian::add_fold_products(int begin, int end) {
  const Folds& folds = model_.folds;
  const FoldProducts& of = cloth_->fold_products();
  const local_step::FoldProductView view{folds.row_begin.data(),   folds.column.data(), folds.stiffness.data(),
                                         of.particle_begin.data(), of.place.data(),     of.product_begin.data(),
                                         of.product.data(),        cloth_place_.data(), fold_gradient_.data()};
  local_step::best_kernels().fold_products(view, begin, end, fold_sum_.data(), matrix_.valuePtr());
}

void PotentialHessian::add_fold_angles(const std::vector<RVec3>& x, int begin, int end, double kept) {
  if (kept == 0) {
    next_ += static_cast<size_t>(local_step::kFoldPairs * (end - begin));
    return;
  }
  const local_step::FoldView view = fold::view(model_);
  const local_step::Kernels& kernels = local_step::best_kernels();
  local_step::WholeBlocks<local_step::kFoldPairs> blocks;
  for (int f = begin; f < end; f += 4) {
    const int last = std::min(f + 4, end);
    kernels.fold_blocks(view, x.data(), fold_angle_.data(), f, last, kept, &blocks);
    for (int k = 0; f + k < last; ++k)
      for (const auto& block : blocks.at) add_whole(&block[0][k], 4);
  }
}

void PotentialHessian::add_friction(const std::vector<RVec3>& x) {
  FrictionBlocks& friction = cloth_->friction();
  if (!friction.on_hinges()) {
    friction.each_block(
        x, [this](int element) { return go_on(element); }, [this](const Matrix3& block) { add(block); });
    return;
  }
  stopped_ = stopped_ || !friction.find_blocks(*run_, x);
  if (stopped_) return;
  for_each(*run_, cloth_place_.size(), [&](size_t b) {
    friction.add_to(static_cast<int>(b), matrix_.valuePtr() + cloth_place_[b].at, cloth_place_[b].height);
  });
}

void PotentialHessian::add_particles(const std::vector<RVec3>& x) {
  for_each(*run_, x.size(), [this, &x](size_t at) {
    const int i = static_cast<int>(at);
    const double still = static_cast<double>(potential_.inertia(i)) +
                         static_cast<double>(potential_.outer().drag[i]) / settings_.time_step;
    own_[i] = still * Matrix3::Identity() + potential_.contact().hessian(i, x[i]).cast<double>();
  });
  if (potential_.bones() != nullptr) potential_.bones()->add_hessian(x, &own_);
  add_layers();
  for (const Matrix3& block : own_) add(block);
}

bool PotentialHessian::holds(const std::array<int, 4>& v) const {
  for (int a = 1; a < 4; ++a)
    for (int b = 0; b < a; ++b)
      if (all_.find(cloth_->block_at(v[a], v[b])) < 0) return false;
  return true;
}

// Layers that lie on each other move together easily and apart not at all: only blocks between them know that. A new
// pattern costs more than a factor, so that a few pairs may lack theirs.
void PotentialHessian::look_at_layers(const std::vector<RVec3>& x) {
  layers_.clear();
  if (potential_.layers() != nullptr) potential_.layers()->curvature(x, &layers_);
  size_t lacking = 0;
  for (const auto& pair : layers_) lacking += holds(pair.v) ? 0 : 1;
  if (lacking * kFewShare <= layers_.size()) return;
  layer_pattern_.clear();
  for (const auto& pair : layers_) layer_pattern_.push_back(pair.v);
  build_pattern();
}

// A pair without blocks of its own counts as if each particle moved with the others still.
void PotentialHessian::add_layers() {
  for (const auto& [v, w, k] : layers_) {
    const bool whole = holds(v);
    for (int a = 0; a < 4; ++a) {
      own_[v[a]] += static_cast<double>(w[a] * w[a]) * k;
      for (int b = 0; whole && b < a; ++b)
        add_at(all_.place(cloth_->block_at(v[a], v[b])), v[a] < v[b], static_cast<double>(w[a] * w[b]) * k);
    }
  }
}

void PotentialHessian::clear_pinned() {
  for (int i = 0; i < model_.particle_count; ++i) {
    if (!potential_.pinned(i)) continue;
    const BlockPlace own = all_.place({i, i});
    for (int c = 0; c < 3; ++c)
      for (int r = 0; r < 3; ++r) matrix_.valuePtr()[own.at + c * own.height + r] = c == r ? 1.0 : 0.0;
  }
}

bool PotentialHessian::go_on(int element) {
  if (element % kElementsBetweenChecks == 0) stopped_ = stopped_ || !run_->check().ok();
  return !stopped_;
}

// A factor's pattern and the matrix's numbers need nothing of each other.
bool PotentialHessian::assemble(const std::vector<RVec3>& x, double kept, const RunContext& run) {
  run_ = &run;
  stopped_ = false;
  look_at_layers(x);
  const std::unique_ptr<Aside> finding = analysed_ ? nullptr : run.aside([this] { analyse(); });
  add_all(x, kept);
  if (finding) finding->finish();
  return !stopped_;
}

void PotentialHessian::add_all(const std::vector<RVec3>& x, double kept) {
  begin_with_constant();
  next_ = 0;
  add_threads(x, kept);
  add_membranes(x, kept);
  add_shear_damping(x);
  add_springs(x, kept);
  add_folds(x, kept);
  add_friction(x);
  if (stopped_) return;
  add_particles(x);
  clear_pinned();
}

int PotentialHessian::factor(const RunContext& run) { return factor_.factor(matrix_.valuePtr(), run); }

int PotentialHessian::factor_in_double(const RunContext& run) {
  return factor_.factor_in_double(matrix_.valuePtr(), run);
}

void PotentialHessian::solve(const std::vector<RVec3>& r, std::vector<RVec3>* d, const RunContext& run) {
  for (int i = 0; i < model_.particle_count; ++i) right_.segment<3>(3 * i) = r[i].cast<double>();
  factor_.solve(right_.data(), right_.data(), run);
  for (int i = 0; i < model_.particle_count; ++i) (*d)[i] = right_.segment<3>(3 * i).cast<Real>();
}

void PotentialHessian::multiply(const std::vector<RVec3>& x, std::vector<RVec3>* y) const {
  Eigen::VectorXd flat(3 * model_.particle_count);
  for (int i = 0; i < model_.particle_count; ++i) flat.segment<3>(3 * i) = x[i].cast<double>();
  const Eigen::VectorXd product = matrix_.selfadjointView<Eigen::Lower>() * flat;
  for (int i = 0; i < model_.particle_count; ++i) (*y)[i] = product.segment<3>(3 * i).cast<Real>();
}

}  // namespace tryon::sim
