#include <algorithm>

#include "server/drape/stage.h"
#include "server/drape/worn_model.h"
#include "server/garment/separate.h"
#include "server/metrics/metrics.h"

namespace tryon {
namespace {

// Sewing runs without weight and well damped: the panels only have to meet round the body.
// Soft ties bring them together, stiff ones then press the seams shut against the cloth's own pull.
// A layer may stand between partners (a hem that started on the wrong side): seams that do not close for long are
// pulled through it, and the settling draws apart what crosses.
constexpr int kPatientSteps = 15, kPressSteps = 70;
constexpr double kSewKeep = 0.80, kSewnGapMm = 1.0, kCloseTie = 200.0, kPressTie = 4000.0;

// m from the body that a panel starts in the mean; so many times lighter it is while it is sewn, where what is near
// shall stay.
constexpr double kFarOff = 0.25, kLighter = 10.0;

Pairs seam_pairs(const GarmentMesh& garment) {
  Pairs pairs;
  for (const Seam& seam : garment.seams) {
    for (size_t k = 0; k < seam.left.size(); ++k) {
      if (seam.left[k] != seam.right[k]) pairs.emplace_back(seam.left[k], seam.right[k]);
    }
  }
  return pairs;
}

// Between the edges that come together.
std::vector<Triangle> bridges_of(const GarmentMesh& garment) {
  std::vector<Triangle> out;
  for (const Seam& seam : garment.seams) {
    for (size_t k = 1; k < seam.left.size(); ++k) {
      const int a = seam.left[k - 1], b = seam.right[k - 1], c = seam.left[k], d = seam.right[k];
      if (a != b) out.emplace_back(a, b, c);
      if (c != d) out.emplace_back(c, b, d);
    }
  }
  return out;
}

sim::ClothInput open_panels(const GarmentMesh& garment, const Fabric& fabric) {
  sim::ClothInput cloth;
  cloth.positions = garment.placed;
  cloth.triangles = garment.triangles;
  for (const Triangle& t : garment.triangles) {
    cloth.corner_flat.push_back(garment.on_cloth(t));
  }
  cloth.fabric = spring_fabric(fabric);
  cloth.ties = seam_pairs(garment);
  return cloth;
}

void make_far_panels_lighter(const GarmentMesh& garment, const sim::Collider& collider, sim::DrapeModel* model) {
  for (const std::vector<int>& panel : panel_vertices(garment)) {
    double sum = 0.0;
    for (const int v : panel) sum += collider.query(garment.placed[v], 2.0 * kFarOff).distance;
    if (sum <= kFarOff * static_cast<double>(panel.size())) continue;
    for (const int v : panel) {
      model->mass[v] /= static_cast<sim::Real>(kLighter);
      model->inverse_mass[v] *= static_cast<sim::Real>(kLighter);
    }
  }
}

// At most `steps` with the ties' rest length going from `from` to zero while they close; ends once closed.
absl::Status sew(Stage* stage, const Pairs& ties, int steps, double from) {
  const int closing = patience_of(stage->options).close_steps;
  for (int i = 0; i < steps; ++i) {
    stage->state.tie_rest_ratio = static_cast<sim::Real>(from * std::max(0.0, 1.0 - (i + 1.0) / closing));
    const auto step = advance(stage);
    if (!step.ok()) return step.status();
    ++stage->report.sew_steps;
    stage->run.report("sew", static_cast<double>(stage->report.sew_steps) / (closing + kPatientSteps + kPressSteps));
    const SeamGap gap = seam_gap(positions_of(stage->state), ties);
    stage->report.gap_before_weld_mm = gap.max_mm;
    stage->report.mean_gap_before_weld_mm = gap.mean_mm;
    if (stage->state.tie_rest_ratio == 0 && stage->report.gap_before_weld_mm <= kSewnGapMm) break;
    if (stage->run.winding_up()) break;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Sewn> sew_panels(const RunContext& run, const GarmentMesh& garment, const Fabric& fabric,
                                const sim::Collider& collider, const SettleOptions& options, bool stays_near) {
  Sewn out;
  const sim::ClothInput cloth = open_panels(garment, fabric);
  ASSIGN_OR_RETURN(sim::DrapeModel model, sim::build_model(cloth));
  if (stays_near) make_far_panels_lighter(garment, collider, &model);
  sim::SolverSettings settings;
  settings.velocity_keep = kSewKeep;
  settings.tie_stiffness = kCloseTie;
  ASSIGN_OR_RETURN(auto closing, sim::make_recorded_solver(options.solver, model, settings, options.on_fault));
  sim::Scene scene;
  scene.collider = &collider;
  scene.gravity.setZero();
  if (options.layers == LayerContact::kAlways) scene.self_contact = kLayerGap;
  if (!options.bones.empty()) scene.bones = options.bones, scene.bridges = bridges_of(garment);
  sim::DrapeState state = sim::start_state(cloth);
  Stage close{run, model, scene, *closing, state, out.report, options};
  RETURN_IF_ERROR(sew(&close, cloth.ties, patience_of(options).close_steps, 1.0));
  settings.tie_stiffness = kPressTie;
  ASSIGN_OR_RETURN(auto pressing, sim::make_recorded_solver(options.solver, model, settings, options.on_fault));
  Stage press{run, model, scene, *pressing, state, out.report, options};
  RETURN_IF_ERROR(sew(&press, cloth.ties, kPatientSteps, 0.0));
  if (out.report.gap_before_weld_mm > kSewnGapMm) {
    scene.self_contact = 0.0;
    RETURN_IF_ERROR(sew(&press, cloth.ties, kPressSteps, 0.0));
  }
  out.positions = positions_of(state);
  return out;
}

}  // namespace tryon
