#include "server/sim/solvers/hessian.h"

#include <algorithm>
#include <utility>

#include "Eigen/Eigenvalues"
#include "server/sim/constraints/bend.h"
#include "server/sim/constraints/folds.h"
#include "server/sim/constraints/springs.h"
#include "server/sim/constraints/ties.h"

namespace tryon::sim {

namespace {

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

PotentialHessian::PotentialHessian(const IncrementalPotential& potential, const SolverSettings& settings)
    : potential_(potential), model_(potential.model()), settings_(settings) {
  build_pattern();
  right_.resize(3 * model_.particle_count);
}

template <typename Visit>
void PotentialHessian::visit_pairs(Visit visit) const {
  const auto all = [&visit](const int* particle, int count) {
    for (int a = 0; a < count; ++a)
      for (int b = 0; b <= a; ++b) visit(particle[a], particle[b]);
  };
  if (model_.threads.count() + model_.membranes.count() > 0)
    for (const Triangle& corner : model_.triangles) all(corner.data(), 3);
  for (const Hinges* hinges : {&model_.hinges, &model_.viscous})
    for (const auto& particle : hinges->particle) all(particle.data(), 4);
  if (potential_.shear_damping().any())
    for (const Triangle& corner : model_.triangles) all(corner.data(), 3);
  for (int i = 0; i + 1 < static_cast<int>(model_.bend_matrix.row_begin.size()); ++i) {
    visit(i, i);
    for (int k = model_.bend_matrix.row_begin[i]; k < model_.bend_matrix.row_begin[i + 1]; ++k)
      if (model_.bend_matrix.column[k] < i) visit(i, model_.bend_matrix.column[k]);
  }
  for (int s = 0; s < model_.springs.count(); ++s) {
    const int ends[2] = {model_.springs.a[s], model_.springs.b[s]};
    all(ends, 2);
  }
  for (int f = 0; f < model_.folds.count(); ++f)
    for (int k = model_.folds.row_begin[f]; k < model_.folds.row_begin[f + 1]; ++k)
      if (model_.folds.column[k] <= f)
        for (int a : model_.folds.particle[f])
          for (int b : model_.folds.particle[model_.folds.column[k]]) visit(a, b);
  for (int i = 0; i < model_.particle_count; ++i) visit(i, i);
  for (const auto& v : layer_pattern_) all(v.data(), 4);  // last: layers find their blocks by themselves
}

void PotentialHessian::build_pattern() {
  const int n = model_.particle_count;
  std::vector<std::vector<int>> column(n);
  for (auto* list : {&block_row_, &block_column_, &target_}) list->clear();
  visit_pairs([&](int i, int j) {
    const auto [low, high] = std::minmax(i, j);
    column[low].push_back(high);
  });
  block_begin_.assign(1, 0);
  for (int j = 0; j < n; ++j) {
    std::sort(column[j].begin(), column[j].end());
    column[j].erase(std::unique(column[j].begin(), column[j].end()), column[j].end());
    block_row_.insert(block_row_.end(), column[j].begin(), column[j].end());
    block_column_.insert(block_column_.end(), column[j].size(), j);
    block_begin_.push_back(static_cast<int>(block_row_.size()));
  }
  visit_pairs([&](int i, int j) {
    const bool turned = i < j;
    const auto [low, high] = std::minmax(i, j);
    const auto at =
        std::lower_bound(block_row_.begin() + block_begin_[low], block_row_.begin() + block_begin_[low + 1], high);
    const int index = static_cast<int>(at - block_row_.begin());
    target_.push_back(turned ? ~index : index);
  });
  matrix_.resize(3 * n, 3 * n);
  matrix_.resizeNonZeros(9 * static_cast<int>(block_row_.size()));
  int* outer = matrix_.outerIndexPtr();
  int* inner = matrix_.innerIndexPtr();
  for (int j = 0, at = 0; j < n; ++j)
    for (int c = 0; c < 3; ++c) {
      outer[3 * j + c] = at;
      for (int b = block_begin_[j]; b < block_begin_[j + 1]; ++b)
        for (int r = 0; r < 3; ++r) inner[at++] = 3 * block_row_[b] + r;
    }
  outer[3 * n] = matrix_.outerIndexPtr()[0] + 9 * static_cast<int>(block_row_.size());
  if (layer_pattern_.empty()) {
    factor_.analyse(matrix_, 3);
  } else {
    factor_.analyse_once(matrix_, 3);
  }
}

void PotentialHessian::add(const Matrix3& k) {
  const int signed_index = target_[next_++];
  const bool turned = signed_index < 0;
  add_at(turned ? ~signed_index : signed_index, turned, k);
}

void PotentialHessian::add_at(int index, bool turned, const Matrix3& k) {
  const int first = block_begin_[block_column_[index]], height = 3 * (block_begin_[block_column_[index] + 1] - first);
  double* at = matrix_.valuePtr() + 9 * static_cast<ptrdiff_t>(first) + 3 * (index - first);
  for (int c = 0; c < 3; ++c)
    for (int r = 0; r < 3; ++r) at[c * height + r] += turned ? k(c, r) : k(r, c);
}

void PotentialHessian::add_threads(const std::vector<RVec3>& x, double kept) {
  const double half_root = std::sqrt(0.5);
  for (int t = 0; t < model_.threads.count() && go_on(t); ++t) {
    const Triangle& corner = model_.triangles[t];
    const auto& s = model_.threads.shape[t];
    const double cx[3] = {-double(s[0]) - double(s[1]), double(s[0]), double(s[1])};
    const double cy[3] = {-double(s[2]) - double(s[3]), double(s[2]), double(s[3])};
    const double stiffness[4] = {double(model_.threads.weft[t]), double(model_.threads.warp[t]),
                                 double(model_.threads.bias[t]), double(model_.threads.bias[t])};
    double c[4][3];
    Matrix3 k[4];
    for (int d = 0; d < 4; ++d) {
      Vec3 e = Vec3::Zero();
      for (int i = 0; i < 3; ++i) {
        c[d][i] = d == 0 ? cx[i] : d == 1 ? cy[i] : half_root * (d == 2 ? cx[i] + cy[i] : cx[i] - cy[i]);
        e += c[d][i] * x[corner[i]].cast<double>();
      }
      k[d] = spring_hessian(stiffness[d], 1.0, e, kept);
    }
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b <= a; ++b) {
        Matrix3 sum = Matrix3::Zero();
        for (int d = 0; d < 4; ++d) sum += c[d][a] * c[d][b] * k[d];
        add(sum);
      }
  }
}

void PotentialHessian::add_membranes(const std::vector<RVec3>& x, double kept) {
  for (int t = 0; t < model_.membranes.count() && go_on(t); ++t) {
    const Triangle& corner = model_.triangles[t];
    const auto& s = model_.membranes.shape[t];
    const RVec3 e1 = x[corner[1]] - x[corner[0]], e2 = x[corner[2]] - x[corner[0]];
    Eigen::Matrix<double, 6, 6> k =
        membrane::hessian(model_.membranes.stiffness[t], s[0] * e1 + s[1] * e2, s[2] * e1 + s[3] * e2).cast<double>();
    if (kept < 1) {
      const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 6, 6>> eigen(k);
      const auto positive = eigen.eigenvalues().cwiseMax(kept * eigen.eigenvalues());
      k = eigen.eigenvectors() * positive.asDiagonal() * eigen.eigenvectors().transpose();
    }
    const double cx[3] = {-double(s[0]) - double(s[1]), double(s[0]), double(s[1])};
    const double cy[3] = {-double(s[2]) - double(s[3]), double(s[2]), double(s[3])};
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b <= a; ++b)
        add(cx[a] * cx[b] * k.topLeftCorner<3, 3>() + cx[a] * cy[b] * k.topRightCorner<3, 3>() +
            cy[a] * cx[b] * k.bottomLeftCorner<3, 3>() + cy[a] * cy[b] * k.bottomRightCorner<3, 3>());
  }
}

void PotentialHessian::add_hinges(const Hinges& hinges, double times) {
  for (int h = 0; h < hinges.count(); ++h) {
    const auto k = bend::hessian(static_cast<Real>(times) * hinges.stiffness[h], hinges.weight[h]);
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b <= a; ++b) add(double(k(a, b)) * Matrix3::Identity());
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

void PotentialHessian::add_bend_matrix() {
  const BendMatrix& bend = model_.bend_matrix;
  for (int i = 0; i + 1 < static_cast<int>(bend.row_begin.size()); ++i) {
    double own = 0;
    for (int k = bend.row_begin[i]; k < bend.row_begin[i + 1]; ++k) own -= double(bend.stiffness[k]);
    add(own * Matrix3::Identity());
    for (int k = bend.row_begin[i]; k < bend.row_begin[i + 1]; ++k)
      if (bend.column[k] < i) add(double(bend.stiffness[k]) * Matrix3::Identity());
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

// B_ef (grad theta_e grad theta_f^T and its transpose) for each pair, and the moment times the angle's own Hessian,
// of which the share `kept`: the rest is positive semidefinite because B is.
void PotentialHessian::add_folds(const std::vector<RVec3>& x, double kept) {
  const Folds& folds = model_.folds;
  const auto corners = [&](int f) -> fold::Corners {
    const auto& p = folds.particle[f];
    return {x[p[0]], x[p[1]], x[p[2]], x[p[3]]};
  };
  std::vector<fold::Corners> gradient(folds.count());
  std::vector<double> angle(folds.count());
  for (int f = 0; f < folds.count(); ++f) {
    gradient[f] = fold::angle_gradient(corners(f));
    angle[f] = static_cast<double>(fold::angle(corners(f)) - folds.rest_angle[f]);
  }
  for (int f = 0; f < folds.count() && go_on(f); ++f) {
    double moment = 0;
    for (int k = folds.row_begin[f]; k < folds.row_begin[f + 1]; ++k)
      moment += static_cast<double>(folds.stiffness[k]) * angle[folds.column[k]];
    fold::Matrix12 own = fold::Matrix12::Zero();
    if (kept > 0) own = kept * moment * fold::angle_hessian(corners(f));
    for (int k = folds.row_begin[f]; k < folds.row_begin[f + 1]; ++k) {
      const int g = folds.column[k];
      if (g > f) continue;
      const double b_fg = static_cast<double>(folds.stiffness[k]);
      for (int a = 0; a < 4; ++a)
        for (int b = 0; b < 4; ++b) {
          Matrix3 block = b_fg * (gradient[f][a].cast<double>() * gradient[g][b].cast<double>().transpose());
          if (g == f) {
            block += own.block<3, 3>(3 * a, 3 * b);
            if (a != b) block *= 0.5;  // (a, b) and (b, a) both come here, each to the same lower block
          } else if (folds.particle[f][a] == folds.particle[g][b]) {
            block += block.transpose().eval();
          }
          add(block);
        }
    }
  }
}

void PotentialHessian::add_particles(const std::vector<RVec3>& x) {
  std::vector<Matrix3> own(model_.particle_count);
  for (int i = 0; i < model_.particle_count; ++i) {
    const double still = static_cast<double>(potential_.inertia(i)) +
                         static_cast<double>(potential_.outer().drag[i]) / settings_.time_step;
    own[i] = still * Matrix3::Identity() + potential_.contact().hessian(i, x[i]).cast<double>();
  }
  add_layers(&own);
  for (const Matrix3& block : own) add(block);
}

int PotentialHessian::block_of(int i, int j) const {
  const auto [low, high] = std::minmax(i, j);
  const auto end = block_row_.begin() + block_begin_[low + 1];
  const auto at = std::lower_bound(block_row_.begin() + block_begin_[low], end, high);
  return at != end && *at == high ? static_cast<int>(at - block_row_.begin()) : -1;
}

bool PotentialHessian::holds(const std::array<int, 4>& v) const {
  for (int a = 1; a < 4; ++a)
    for (int b = 0; b < a; ++b)
      if (block_of(v[a], v[b]) < 0) return false;
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
void PotentialHessian::add_layers(std::vector<Matrix3>* own) {
  for (const auto& [v, w, k] : layers_) {
    const bool whole = holds(v);
    for (int a = 0; a < 4; ++a) {
      (*own)[v[a]] += static_cast<double>(w[a] * w[a]) * k;
      for (int b = 0; whole && b < a; ++b)
        add_at(block_of(v[a], v[b]), v[a] < v[b], static_cast<double>(w[a] * w[b]) * k);
    }
  }
}

void PotentialHessian::clear_pinned() {
  if (!potential_.any_pinned()) return;
  std::vector<uint8_t> pinned(model_.particle_count);
  for (int i = 0; i < model_.particle_count; ++i) pinned[i] = potential_.pinned(i);
  for (int j = 0; j < matrix_.cols(); ++j)
    for (Eigen::SparseMatrix<double>::InnerIterator it(matrix_, j); it; ++it)
      if (pinned[j / 3] || pinned[it.row() / 3]) it.valueRef() = it.row() == j ? 1.0 : 0.0;
}

bool PotentialHessian::go_on(int element) {
  if (element % kElementsBetweenChecks == 0) stopped_ = stopped_ || !run_->check().ok();
  return !stopped_;
}

bool PotentialHessian::assemble(const std::vector<RVec3>& x, double kept, const RunContext& run) {
  run_ = &run;
  stopped_ = false;
  look_at_layers(x);
  std::fill(matrix_.valuePtr(), matrix_.valuePtr() + matrix_.nonZeros(), 0.0);
  next_ = 0;
  add_threads(x, kept);
  add_membranes(x, kept);
  add_hinges(model_.hinges, 1.0);
  add_hinges(model_.viscous, 1.0 / settings_.time_step);
  add_shear_damping(x);
  add_bend_matrix();
  add_springs(x, kept);
  add_folds(x, kept);
  if (stopped_) return false;
  add_particles(x);
  clear_pinned();
  return true;
}

int PotentialHessian::factor(const RunContext& run) { return factor_.factor(matrix_.valuePtr(), run); }

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
