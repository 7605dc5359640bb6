#include "server/drape/prepared_levels.h"

#include <utility>

#include "server/base/status.h"
#include "server/sim/solvers/drape.h"

namespace tryon {
namespace {
constexpr int kMostOrdered = 20'000;  // particles: the cache would not keep a larger one's order
}  // namespace

PreparedLevels::PreparedLevels(const RunContext& run, const ClothLevels& levels, const Fabric& fabric,
                               SettleOptions options)
    : run_(run),
      levels_(levels),
      fabric_(fabric),
      options_(std::move(options)),
      making_(levels.count()),
      ordering_(levels.count()) {
  for (int level = 0; level < levels.count(); ++level) made_.emplace_back(nullptr);
  for (int level = levels.count() - 1; level >= 0; --level) {
    making_[level] = run.aside([this, level] { made_[level] = prepare(level); });
    ordering_[level] = run.aside([this, level] { find_order(level); });
  }
}

// Of a solver that may never want it: done by a thread that has time, or not at all.
void PreparedLevels::find_order(int level) {
  if (options_.solver != sim::kDefaultSolver) return;
  if (!run_.check().ok() || run_.winding_up()) return;
  making_[level]->finish();
  if (!made_[level].ok() || (*made_[level])->model.particle_count > kMostOrdered) return;
  sim::find_order_ahead((*made_[level])->model, sim::SolverSettings());
}

absl::StatusOr<std::unique_ptr<Prepared>> PreparedLevels::prepare(int level) const {
  const WeldedMesh cloth = levels_.placed(level);
  return prepare_rest(run_, {{cloth, fabric_}}, options_);
}

absl::StatusOr<Prepared*> PreparedLevels::at(int level) {
  for (size_t coarser = static_cast<size_t>(level) + 1; coarser < made_.size(); ++coarser) {
    ordering_[coarser].reset();
    making_[coarser].reset();
    made_[coarser] = nullptr;
  }
  making_[level]->finish();
  RETURN_IF_ERROR(made_[level].status());
  return made_[level]->get();
}

}  // namespace tryon
