#include "server/drape/prepared_levels.h"

#include <utility>

#include "server/base/status.h"

namespace tryon {

PreparedLevels::PreparedLevels(const RunContext& run, const ClothLevels& levels, const Fabric& fabric,
                               SettleOptions options)
    : run_(run), levels_(levels), fabric_(fabric), options_(std::move(options)), making_(levels.count()) {
  for (int level = 0; level < levels.count(); ++level) made_.emplace_back(nullptr);
  for (int level = levels.count() - 1; level >= 0; --level)
    making_[level] = run.aside([this, level] { made_[level] = prepare(level); });
}

absl::StatusOr<std::unique_ptr<Prepared>> PreparedLevels::prepare(int level) const {
  const WeldedMesh cloth = levels_.placed(level);
  ASSIGN_OR_RETURN(auto out, prepare_rest(run_, {{cloth, fabric_}}, options_));
  if (out->calming != nullptr) out->calming->begin_ahead(run_);
  return out;
}

absl::StatusOr<Prepared*> PreparedLevels::at(int level) {
  for (size_t coarser = static_cast<size_t>(level) + 1; coarser < made_.size(); ++coarser) {
    making_[coarser].reset();
    made_[coarser] = nullptr;
  }
  making_[level]->finish();
  RETURN_IF_ERROR(made_[level].status());
  return made_[level]->get();
}

}  // namespace tryon
