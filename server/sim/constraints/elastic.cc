#include "server/sim/constraints/elastic.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "server/sim/constraints/bend.h"
#include "server/sim/constraints/bend_elements.h"
#include "server/sim/constraints/element_sums.h"
#include "server/sim/constraints/folds.h"
#include "server/sim/constraints/hinges.h"
#include "server/sim/constraints/local_step.h"
#include "server/sim/constraints/springs.h"
#include "server/sim/constraints/threads.h"
#include "server/sim/constraints/ties.h"

namespace tryon::sim {

namespace {

constexpr double kContactShare = 0.1;  // contact stiffness over the elastic diagonal
constexpr int kGrain = 512;
int chunk_count(int count) { return (count + kGrain - 1) / kGrain; }

// visit(slot, particle, coefficient, the slot's stiffness) of threads, which patches do and which have no slots.
template <typename Visit>
void visit_threads(const DrapeModel& model, Visit visit) {
  int slot = 0;
  for (int t = 0; t < model.threads.count(); ++t, slot += 2) {
    const Triangle& corner = model.triangles[t];
    const auto& s = model.threads.shape[t];
    const Real cx[3] = {-s[0] - s[1], s[0], s[1]}, cy[3] = {-s[2] - s[3], s[2], s[3]};
    // The two bias springs' cross terms cancel in L, which leaves 'bias' on each of the two directions.
    const Real kx = model.threads.weft[t] + model.threads.bias[t], ky = model.threads.warp[t] + model.threads.bias[t];
    for (int i = 0; i < 3; ++i) visit(slot, corner[i], cx[i], kx);
    for (int i = 0; i < 3; ++i) visit(slot + 1, corner[i], cy[i], ky);
  }
}

// The same of all other elements.
template <typename Visit>
void visit_slots(const DrapeModel& model, Real tie_stiffness, Visit visit) {
  int slot = 0;
  for (int t = 0; t < model.membranes.count(); ++t, slot += 2) {
    const Triangle& corner = model.triangles[t];
    const auto& s = model.membranes.shape[t];
    const membrane::Stiffness& k = model.membranes.stiffness[t];
    const Real cx[3] = {-s[0] - s[1], s[0], s[1]}, cy[3] = {-s[2] - s[3], s[2], s[3]};
    for (int i = 0; i < 3; ++i) visit(slot, corner[i], cx[i], k.weft + k.shear + std::abs(k.cross));
    for (int i = 0; i < 3; ++i) visit(slot + 1, corner[i], cy[i], k.warp + k.shear + std::abs(k.cross));
  }
  for (int i = 0; i < model.hinges.count(); ++i, ++slot)
    for (int j = 0; j < 4; ++j)
      visit(slot, model.hinges.particle[i][j], model.hinges.weight[i][j], model.hinges.stiffness[i]);
  for (int i = 0; i < model.springs.count(); ++i, ++slot) {
    const Real k = tie::stiffness(model.springs, i, tie_stiffness);
    visit(slot, model.springs.a[i], Real(1), k);
    visit(slot, model.springs.b[i], Real(-1), k);
  }
  // Four slots that hold gradients; the stiffness is left to matrix().
  for (int i = 0; i < model.folds.count(); ++i)
    for (int j = 0; j < 4; ++j, ++slot) visit(slot, model.folds.particle[i][j], Real(1), Real(0));
}

// add(i, j, k): every number of L, element by element, in a fixed order.
template <typename Add>
void visit_products(const DrapeModel& model, Real tie_stiffness, BendInMatrix form, Add add) {
  struct Entry {
    int particle;
    double coefficient, stiffness;
  };
  std::vector<Entry> open;
  int current = -1;
  const auto flush = [&] {
    for (const Entry& i : open)
      for (const Entry& j : open) add(i.particle, j.particle, i.stiffness * i.coefficient * j.coefficient);
    open.clear();
  };
  const auto take = [&](int slot, int particle, Real coefficient, Real stiffness) {
    if (slot != current) flush();
    current = slot;
    open.push_back({particle, static_cast<double>(coefficient), static_cast<double>(stiffness)});
  };
  visit_threads(model, take);
  flush();
  visit_slots(model, tie_stiffness, take);
  flush();
  // Folds by the quadratic of their flat state: |sum w x| is length times angle.
  for (int f = 0; f < model.folds.count(); ++f) {
    const auto& w = model.folds.weight[f];
    double own = 0, edge2 = 0;
    for (int k = model.folds.row_begin[f]; k < model.folds.row_begin[f + 1]; ++k)
      own += std::abs(static_cast<double>(model.folds.stiffness[k]));
    edge2 = static_cast<double>(model.folds.edge_length[f] * model.folds.edge_length[f]);
    for (int k = 0; k < 4; ++k) open.push_back({model.folds.particle[f][k], static_cast<double>(w[k]), own / edge2});
    flush();
  }
  const bool whole = form == BendInMatrix::kWhole;
  const Hinges hinges = whole ? Hinges() : hinges_like_bend_matrix(model);
  for (int h = 0; h < hinges.count(); ++h) {
    for (int k = 0; k < 4; ++k) {
      const auto weight = static_cast<double>(hinges.weight[h][k]);
      open.push_back({hinges.particle[h][k], weight, static_cast<double>(hinges.stiffness[h])});
    }
    flush();
  }
  const BendMatrix& bend = model.bend_matrix;
  for (int i = 0; whole && i + 1 < static_cast<int>(bend.row_begin.size()); ++i)
    for (int k = bend.row_begin[i]; k < bend.row_begin[i + 1]; ++k) {
      add(i, bend.column[k], static_cast<double>(bend.stiffness[k]));
      add(i, i, -static_cast<double>(bend.stiffness[k]));
    }
}

}  // namespace

ElasticEnergy::ElasticEnergy(const DrapeModel& model, double tie_stiffness)
    : model_(model), tie_stiffness_(static_cast<Real>(tie_stiffness)), patches_(model) {
  const int hinges = model.hinges.count(), springs = model.springs.count(), folds = model.folds.count();
  while (plain_springs_ < springs && model.springs.kind[plain_springs_] < SpringKind::kSeam) ++plain_springs_;
  slots_.assign(fold_slot() + 4 * folds + 1, RVec3::Zero());  // gather() reads behind the last one
  angles_.resize(folds);
  pull_.resize(patches_.copy_count());
  partials_.resize(patches_.count() + chunk_count(model.membranes.count()) + chunk_count(hinges) +
                   chunk_count(springs) + 2 * chunk_count(folds) + chunk_count(model.particle_count));
  build_gather();
  for (int i = 0; i < model.bend_elements.count(); ++i)
    if (model.bend_elements.particle_count(i) > BendElements::kUsual) wide_bends_.push_back(i);
}

void ElasticEnergy::build_gather() {
  std::vector<int> particles, slots;
  std::vector<Real> weights;
  visit_slots(model_, tie_stiffness_, [&](int slot, int particle, Real coefficient, Real) {
    particles.push_back(particle), slots.push_back(slot), weights.push_back(coefficient);
  });
  Grouped entries = grouped(model_.particle_count, particles);
  for (const int k : entries.member) gather_slot_.push_back(slots[k]), gather_weight_.push_back(weights[k]);
  gather_begin_ = std::move(entries.begin);
}

Eigen::SparseMatrix<double> ElasticEnergy::matrix(BendInMatrix form) const {
  ElementSums sums(model_.particle_count);
  visit_products(model_, tie_stiffness_, form, [&](int i, int j, double k) { sums.add(i, j, k); });
  return std::move(sums).matrix();
}

void ElasticEnergy::run_patches(int begin, int end, double* energy) {
  for (int k = begin; k < end; ++k)
    energy[k - begin] = local_step::best_kernels().patch(patches_.view(k), x_, pull_.data() + patches_.first_copy(k));
}

void ElasticEnergy::run_membranes(int begin, int end, double* energy) {
  const Membranes& m = model_.membranes;
  *energy = local_step::best_kernels().membranes(
      {model_.triangles.data(), m.shape.data(), m.stiffness.data(), model_.particle_count - 1}, x_, begin, end,
      slots_.data());
}

void ElasticEnergy::run_hinges(int begin, int end, double* energy) {
  const Hinges& h = model_.hinges;
  *energy = local_step::best_kernels().hinges(
      {h.particle.data(), h.weight.data(), h.stiffness.data(), model_.particle_count - 1}, x_, begin, end,
      slots_.data() + hinge_slot());
}

void ElasticEnergy::run_springs(int begin, int end, double* energy) {
  const Springs& springs = model_.springs;
  RVec3* out = slots_.data() + hinge_slot() + model_.hinges.count();
  const int plain = std::clamp(plain_springs_, begin, end);
  double sum = local_step::best_kernels().springs(
      {springs.a.data(), springs.b.data(), springs.rest.data(), springs.stiffness.data(), model_.particle_count - 1},
      x_, begin, plain, out);
  for (int i = plain; i < end; ++i) {
    const RVec3 e = x_[springs.a[i]] - x_[springs.b[i]];
    const Real rest = tie::rest(springs, i, rest_ratio_);
    const Real k = tie::stiffness(springs, i, tie_stiffness_);
    if (springs.kind[i] == SpringKind::kTether && spring::is_slack(rest, e)) {
      out[i].setZero();
      continue;
    }
    sum += spring::value(k, rest, e);
    out[i] = spring::gradient(k, rest, e);
  }
  *energy = sum;
}

// The slots hold the angles' gradients until run_folds().
void ElasticEnergy::run_angles(int begin, int end, double* energy) {
  local_step::best_kernels().fold_angles(fold::view(model_), x_, begin, end, angles_.data(),
                                         slots_.data() + fold_slot());
  *energy = 0;
}

void ElasticEnergy::run_folds(int begin, int end, double* energy) {
  *energy = local_step::best_kernels().fold_moments(fold::view(model_), angles_.data(), begin, end,
                                                    slots_.data() + fold_slot());
}

void ElasticEnergy::gather(int begin, int end, double* energy) {
  local_step::best_kernels().gather({gather_begin_.data(), gather_slot_.data(), gather_weight_.data(),
                                     patches_.copies().begin.data(), patches_.copies().member.data(), pull_.data()},
                                    slots_.data(), begin, end, gradient_);
  *energy = 0;
}

// Some hundreds where pleats are sewn down.
double ElasticEnergy::add_wide_bends() {
  const BendElements& f = model_.bend_elements;
  double energy = 0;
  for (const int i : wide_bends_) {
    bend_elements::Bent bent = bend_elements::bent(f, i, x_);
    const auto moment = static_cast<double>(f.moment[i]);
    if (moment > 0) energy += moment * (bent.root - static_cast<double>(bend_elements::kSlack));
    for (int k = 0; k < 3; ++k) {
      const auto stiffness = static_cast<double>(f.stiffness[i][k]);
      energy += 0.5 * stiffness * bent.s[k].squaredNorm();
      bent.s[k] *= stiffness + moment / bent.root;
    }
    for (int j = 0; j < f.particle_count(i); ++j) gradient_[f.particle[i][j]] += bent.slope(f, i, j).cast<Real>();
  }
  return energy;
}

void ElasticEnergy::for_chunks(const RunContext& run, int count, int grain, int partial_begin,
                               void (ElasticEnergy::*body)(int, int, double*)) {
  struct Call {
    ElasticEnergy* self;
    int grain;
    double* partials;
    void (ElasticEnergy::*body)(int, int, double*);
  } call{this, grain, partials_.data() + partial_begin, body};
  const Call* c = &call;  // one pointer: the std::function stays on the stack
  run.parallel_for(count, grain, [c](int64_t begin, int64_t end) {
    (c->self->*c->body)(static_cast<int>(begin), static_cast<int>(end), c->partials + begin / c->grain);
  });
}

double ElasticEnergy::evaluate(const RunContext& run, const RVec3* x, Real tie_rest_ratio, RVec3* gradient) {
  x_ = x;
  gradient_ = gradient;
  rest_ratio_ = tie_rest_ratio;
  const int membranes = model_.membranes.count();
  const int hinges = model_.hinges.count(), springs = model_.springs.count();
  int first = 0;
  for_chunks(run, patches_.count(), 1, first, &ElasticEnergy::run_patches);
  for_chunks(run, membranes, kGrain, first += patches_.count(), &ElasticEnergy::run_membranes);
  for_chunks(run, hinges, kGrain, first += chunk_count(membranes), &ElasticEnergy::run_hinges);
  for_chunks(run, springs, kGrain, first += chunk_count(hinges), &ElasticEnergy::run_springs);
  first += chunk_count(springs);
  const int folds = model_.folds.count();
  for_chunks(run, folds, kGrain, first, &ElasticEnergy::run_angles);
  for_chunks(run, folds, kGrain, first += chunk_count(folds), &ElasticEnergy::run_folds);
  for_chunks(run, model_.particle_count, kGrain, first += chunk_count(folds), &ElasticEnergy::gather);
  return std::accumulate(partials_.begin(), partials_.end(), add_wide_bends());
}

std::vector<Real> contact_stiffness(const DrapeModel& model) {
  std::vector<double> diagonal(model.particle_count, 0.0);
  visit_products(model, 0, BendInMatrix::kWhole, [&](int i, int j, double k) {
    if (i == j) diagonal[i] += k;
  });
  std::vector<Real> out;
  for (const double own : diagonal) out.push_back(static_cast<Real>(std::max(1.0, kContactShare * own)));
  return out;
}

}  // namespace tryon::sim
