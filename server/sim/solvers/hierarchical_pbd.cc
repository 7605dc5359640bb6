#include "server/sim/solvers/hierarchical_pbd.h"

#include <algorithm>
#include <utility>

#include "server/base/status.h"
#include "server/sim/solvers/incremental_potential.h"
#include "server/sim/solvers/step_clock.h"
#include "server/sim/solvers/sweep.h"

namespace tryon::sim {

namespace {

constexpr int kGrain = 512;

// One level while it is swept; level 0 is the finest.
struct Floor {
  const DrapeModel* model = nullptr;
  const std::vector<int>* kept = nullptr;    // on the next finer level; null on the finest
  const SparseRows* prolongation = nullptr;  // to the next finer level
  std::unique_ptr<Sweep> sweep;
  std::vector<RVec3> x, before;  // before: as it came from the finer level
};

class Hierarchical : public Solver {
 public:
  Hierarchical(const DrapeModel& model, const SolverSettings& settings, ClothLevels levels, Stretch coarse)
      : model_(model), settings_(settings), frame_(model, settings), levels_(std::move(levels)) {
    add_floor(model, nullptr, Stretch::kBothWays);
    for (const auto& level : levels_) add_floor(level->model, level.get(), coarse);
    gradient_.assign(model.particle_count, RVec3::Zero());
  }

  absl::StatusOr<StepReport> step(const RunContext& run, const Scene& scene, DrapeState* state) override {
    const double start = now_s();
    StepReport report;
    RETURN_IF_ERROR(frame_.begin(run, scene, *state, &report));
    std::vector<RVec3>& x = floors_[0].x;
    for (int i = 0; i < model_.particle_count; ++i) x[i] = frame_.ballistic(i);
    RETURN_IF_ERROR(iterate(run, scene, &report));
    report.iterations = settings_.iterations;
    report.potential = frame_.evaluate(run, x, &gradient_);
    for (const RVec3& p : x)
      if (!p.allFinite()) return frame_.not_finite("sweeps", x);
    frame_.finish(run, scene, x, state, &report);
    report.total_s = now_s() - start;
    return report;
  }

 protected:
  virtual absl::Status iterate(const RunContext& run, const Scene& scene, StepReport* report) = 0;

  int depth() const { return static_cast<int>(floors_.size()); }

  absl::Status smooth(const RunContext& run, int floor, Smoother kind, double relaxation, int sweeps) {
    for (int s = 0; s < sweeps; ++s) {
      RETURN_IF_ERROR(run.check());
      Floor& f = floors_[floor];
      const Real omega = static_cast<Real>(relaxation);
      if (kind == Smoother::kJacobi) {
        f.sweep->run_jacobi(frame_.tie_rest_ratio(), omega, &f.x);
      } else {
        f.sweep->run(run, frame_.tie_rest_ratio(), omega, &f.x);
      }
    }
    return absl::OkStatus();
  }

  void inject(int floor) {  // positions of this floor to the coarser one
    Floor& coarse = floors_[floor + 1];
    for (size_t i = 0; i < coarse.x.size(); ++i) coarse.before[i] = coarse.x[i] = floors_[floor].x[(*coarse.kept)[i]];
  }

  void prolong(const RunContext& run, int floor) {  // the coarser one's motion to this floor
    const Floor& coarse = floors_[floor + 1];
    Floor& fine = floors_[floor];
    const SparseRows& rows = *coarse.prolongation;
    run.parallel_for(static_cast<int64_t>(fine.x.size()), kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        for (int k = rows.first[i]; k < rows.first[i + 1]; ++k) {
          const int j = rows.column[k];
          fine.x[i] += static_cast<Real>(rows.weight[k]) * (coarse.x[j] - coarse.before[j]);
        }
    });
  }

  void collide(const RunContext& run, const Scene& scene, StepReport* report) {
    const double start = now_s();
    std::vector<RVec3>& x = floors_[0].x;
    frame_.refresh_contacts(run, scene, x);
    for (int i = 0; i < model_.particle_count; ++i)
      if (!frame_.pinned(i)) push_out(frame_.contact(), i, frame_.old()[i], &x[i]);
    report->collision_s += now_s() - start;
  }

  const DrapeModel& model_;
  const SolverSettings settings_;

 private:
  void add_floor(const DrapeModel& model, const ClothLevel* level, Stretch stretch) {
    Floor floor;
    floor.model = &model;
    if (level) {
      floor.kept = &level->kept;
      floor.prolongation = &level->prolongation;
    }
    floor.sweep = std::make_unique<Sweep>(model, make_elements(model, settings_.tie_stiffness), SweepKind::kPbd,
                                          settings_.time_step, stretch);
    floor.x.assign(model.particle_count, RVec3::Zero());
    floor.before = floor.x;
    floors_.push_back(std::move(floor));
  }

  IncrementalPotential frame_;  // prediction, contacts, velocities and residual; its minimum is not sought
  ClothLevels levels_;
  std::vector<Floor> floors_;
  std::vector<RVec3> gradient_;
};

class ParentHierarchy : public Hierarchical {
 public:
  using Hierarchical::Hierarchical;

 private:
  absl::Status iterate(const RunContext& run, const Scene& scene, StepReport* report) override {
    for (int floor = 0; floor + 1 < depth(); ++floor) inject(floor);
    for (int floor = depth() - 1; floor > 0; --floor) {
      RETURN_IF_ERROR(smooth(run, floor, Smoother::kGaussSeidel, settings_.relaxation, settings_.iterations));
      prolong(run, floor - 1);
    }
    for (int k = 0; k < settings_.iterations; ++k) {
      RETURN_IF_ERROR(smooth(run, 0, Smoother::kGaussSeidel, settings_.relaxation, 1));
      collide(run, scene, report);
    }
    return absl::OkStatus();
  }
};

class QuadricHierarchy : public Hierarchical {
 public:
  QuadricHierarchy(const DrapeModel& model, const SolverSettings& settings, ClothLevels levels,
                   const CycleOptions& options)
      : Hierarchical(model, settings, std::move(levels), Stretch::kBothWays), options_(options) {}

 private:
  absl::Status cycle(const RunContext& run) {
    const CycleOptions& o = options_;
    const int last = depth() - 1;
    for (int floor = 0; floor < last; ++floor) {
      RETURN_IF_ERROR(smooth(run, floor, o.before, o.relax_before, o.sweeps_before));
      inject(floor);
    }
    RETURN_IF_ERROR(smooth(run, last, o.after, o.relax_after, last > 0 ? o.coarsest_sweeps : o.sweeps_after));
    for (int floor = last - 1; floor >= 0; --floor) {
      prolong(run, floor);
      RETURN_IF_ERROR(smooth(run, floor, o.after, o.relax_after, o.sweeps_after));
    }
    return absl::OkStatus();
  }

  absl::Status iterate(const RunContext& run, const Scene& scene, StepReport* report) override {
    for (int k = 0; k < settings_.iterations; ++k) {
      RETURN_IF_ERROR(cycle(run));
      collide(run, scene, report);
    }
    return absl::OkStatus();
  }

  const CycleOptions options_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Solver>> make_hpbd(const DrapeModel& model, const SolverSettings& settings) {
  ASSIGN_OR_RETURN(ClothLevels levels, parent_levels(model, settings.levels));
  return std::make_unique<ParentHierarchy>(model, settings, std::move(levels), Stretch::kLongerOnly);
}

absl::StatusOr<std::unique_ptr<Solver>> make_qem_hpbd(const DrapeModel& model, const SolverSettings& settings) {
  CycleOptions options;
  options.relax_before = std::max(options.relax_before, settings.relaxation);
  return make_qem_hpbd(model, settings, options);
}

absl::StatusOr<std::unique_ptr<Solver>> make_qem_hpbd(const DrapeModel& model, const SolverSettings& settings,
                                                      const CycleOptions& options) {
  ASSIGN_OR_RETURN(ClothLevels levels, quadric_levels(model, settings.levels));
  return std::make_unique<QuadricHierarchy>(model, settings, std::move(levels), options);
}

}  // namespace tryon::sim
