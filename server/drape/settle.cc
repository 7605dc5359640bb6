#include "server/drape/settle.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/time/clock.h"
#include "server/base/status.h"
#include "server/base/units.h"
#include "server/metrics/metrics.h"

namespace tryon {
namespace {

using Pairs = std::vector<std::pair<int, int>>;

// Sewing runs without weight and well damped: the panels only have to meet round the body.
// Soft ties bring them together, stiff ones then press the seams shut against the cloth's own pull.
constexpr int kCloseSteps = 50, kPressSteps = 70;
constexpr double kSewKeep = 0.80, kSewnGapMm = 1.0, kCloseTie = 200.0, kPressTie = 4000.0;
// Falling: full weight in small steps, so that folds and friction follow a path. Calming: large steps without inertia,
// each minimised well, until the forces balance.
constexpr int kFallSteps = 45, kMaxCalmSteps = 120, kCalmIterations = 40, kPatience = 25;
constexpr double kFallKeep = 0.96, kCalmStep = 0.1;
constexpr double kLayerGap = 2e-3;  // m between layers of the cloth where they press on each other
constexpr int kBlowSteps = 90;      // three simulated seconds
constexpr double kFinalRms = 1e-3, kFinalMax = 1e-2, kPreviewRms = 5e-2, kPreviewMax = 5e-1, kPreviewSpeed = 1e-2;
constexpr absl::Duration kDeliverReserve = absl::Seconds(3);  // kept for measuring and exporting

sim::SpringFabric spring_fabric(const Fabric& f) {
  return {.areal_density = f.areal_density,
          .stretch_warp = f.stretch_warp,
          .stretch_weft = f.stretch_weft,
          .shear = f.shear,
          .bend_warp = f.bend_warp,
          .bend_weft = f.bend_weft,
          .thickness = f.thickness,
          .friction_static = f.friction_static,
          .friction_kinetic = f.friction_kinetic};
}

Pairs seam_pairs(const GarmentMesh& garment) {
  Pairs pairs;
  for (const Seam& seam : garment.seams) {
    for (size_t k = 0; k < seam.left.size(); ++k) {
      if (seam.left[k] != seam.right[k]) pairs.emplace_back(seam.left[k], seam.right[k]);
    }
  }
  return pairs;
}

sim::ClothInput open_panels(const GarmentMesh& garment, const Fabric& fabric) {
  sim::ClothInput cloth;
  cloth.positions = garment.placed;
  cloth.triangles = garment.triangles;
  for (const Triangle& t : garment.triangles) {
    cloth.corner_flat.push_back({garment.flat[t[0]], garment.flat[t[1]], garment.flat[t[2]]});
  }
  cloth.fabric = spring_fabric(fabric);
  cloth.ties = seam_pairs(garment);
  return cloth;
}

sim::ClothInput closed_garment(const WeldedMesh& welded, const Fabric& fabric) {
  sim::ClothInput cloth;
  cloth.positions = welded.mesh.positions;
  cloth.triangles = welded.mesh.triangles;
  cloth.corner_flat = welded.corner_flat;
  cloth.fabric = spring_fabric(fabric);
  return cloth;
}

std::vector<Vec3> positions_of(const sim::DrapeState& state) {
  std::vector<Vec3> out;
  out.reserve(state.x.size());
  for (const auto& x : state.x) out.push_back(x.cast<double>());
  return out;
}

bool near_deadline(const RunContext& run) {
  return run.deadline != absl::InfiniteFuture() && absl::Now() > run.deadline - kDeliverReserve;
}

struct Stage {
  const RunContext& run;
  const sim::Scene& scene;
  sim::Solver& solver;
  sim::DrapeState& state;
  SettleReport& report;
};

absl::StatusOr<sim::StepReport> advance(Stage* stage) {
  ASSIGN_OR_RETURN(sim::StepReport step, stage->solver.step(stage->run, stage->scene, &stage->state));
  stage->report.iterations += step.iterations;
  stage->report.collision_s += step.collision_s;
  stage->report.drape_s += step.total_s;
  return step;
}

// At most `steps` with the ties' rest length going from `from` to zero in the first kCloseSteps; ends once closed.
absl::Status sew(Stage* stage, const Pairs& ties, int steps, double from) {
  for (int i = 0; i < steps; ++i) {
    stage->state.tie_rest_ratio = static_cast<sim::Real>(from * std::max(0.0, 1.0 - (i + 1.0) / kCloseSteps));
    const auto step = advance(stage);
    if (!step.ok()) return step.status();
    ++stage->report.sew_steps;
    stage->run.report("sew", static_cast<double>(stage->report.sew_steps) / (kCloseSteps + kPressSteps));
    stage->report.gap_before_weld_mm = max_gap_mm(positions_of(stage->state), ties);
    if (stage->state.tie_rest_ratio == 0 && stage->report.gap_before_weld_mm <= kSewnGapMm) break;
    if (near_deadline(stage->run)) break;
  }
  return absl::OkStatus();
}

std::string grade_of(const sim::Residual& r, double max_speed) {
  if (r.rms <= kFinalRms && r.max <= kFinalMax) return "final";
  if (r.rms <= kPreviewRms && r.max <= kPreviewMax && max_speed <= kPreviewSpeed) return "preview";
  return "none";
}

absl::Status fall(Stage* stage) {
  for (int i = 0; i < kFallSteps && !near_deadline(stage->run); ++i) {
    const auto step = advance(stage);
    if (!step.ok()) return step.status();
    ++stage->report.drape_steps;
    stage->run.report("drape", 0.3 * (i + 1.0) / kFallSteps);
  }
  return absl::OkStatus();
}

// Steps until the net nodal forces are those of a garment at rest, nothing improves, or the deadline is near.
absl::Status calm(Stage* stage) {
  SettleReport& report = stage->report;
  report.termination = "step_limit";
  double best = 1e300;
  int since_best = 0;
  for (int i = 0; i < kMaxCalmSteps; ++i) {
    for (auto& v : stage->state.v) v.setZero();
    ASSIGN_OR_RETURN(const sim::StepReport step, advance(stage));
    ++report.drape_steps;
    stage->run.report("drape", 0.3 + 0.7 * (i + 1.0) / kMaxCalmSteps);
    const bool final_grade = step.residual_rms <= kFinalRms && step.residual_max <= kFinalMax;
    const bool preview_grade = step.residual_rms <= kPreviewRms && step.residual_max <= kPreviewMax;
    since_best = step.residual_rms < 0.9 * best ? 0 : since_best + 1;
    best = std::min(best, step.residual_rms);
    if (final_grade || (preview_grade && since_best >= kPatience)) {
      report.termination = "settled";
      break;
    }
    if (near_deadline(stage->run)) {
      report.termination = "deadline";
      break;
    }
  }
  return absl::OkStatus();
}

absl::Status blow(Stage* stage) {
  for (int i = 0; i < kBlowSteps; ++i) {
    const auto step = advance(stage);
    if (!step.ok()) return step.status();
    ++stage->report.drape_steps;
    stage->run.report("blow", (i + 1.0) / kBlowSteps);
    if (near_deadline(stage->run)) break;
  }
  stage->report.termination = "blown";
  return absl::OkStatus();
}

// The way out of a collider from a point along a direction: metres, or kNoWay.
constexpr double kNoWay = 0.3, kClearDepth = 1e-3;
double way_out(const sim::Collider& collider, const Vec3& point, const Vec3& direction) {
  double way = 0.0;
  while (way < kNoWay) {
    const double distance = collider.query(point + way * direction, 0.05).distance;
    if (distance >= 0.0) return way;
    way += std::max(-distance, 5e-4);  // nothing within this ball is outside
  }
  return kNoWay;
}

// Where solids overlap (an arm's root in the trunk), pushing along normals may go back and forth: a particle that is
// still inside at the end leaves by the shortest of 26 straight ways.
void leave_body(const sim::Collider& collider, sim::DrapeState* state) {
  for (auto& x : state->x) {
    const Vec3 point = x.cast<double>();
    if (collider.query(point, 0.05).distance >= -kClearDepth) continue;
    double best = kNoWay;
    Vec3 exit = point;
    for (int k = 0; k < 27; ++k) {
      const Vec3 raw(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
      if (raw.isZero()) continue;
      const Vec3 direction = raw.normalized();
      const double way = way_out(collider, point, direction);
      if (way < best) best = way, exit = point + way * direction;
    }
    x = exit.cast<sim::Real>();
  }
}

double speed_99(const sim::DrapeState& state) {
  std::vector<double> speeds;
  for (const auto& v : state.v) speeds.push_back(static_cast<double>(v.norm()));
  if (speeds.empty()) return 0.0;
  const size_t k = speeds.size() * 995 / 1000;
  std::nth_element(speeds.begin(), speeds.begin() + static_cast<std::ptrdiff_t>(k), speeds.end());
  return speeds[k];
}

}  // namespace

absl::StatusOr<Sewn> sew_panels(const RunContext& run, const GarmentMesh& garment, const Fabric& fabric,
                                const sim::Collider& collider, const SettleOptions& options) {
  Sewn out;
  const sim::ClothInput cloth = open_panels(garment, fabric);
  ASSIGN_OR_RETURN(const sim::DrapeModel model, sim::build_model(cloth));
  sim::SolverSettings settings;
  settings.velocity_keep = kSewKeep;
  settings.tie_stiffness = kCloseTie;
  ASSIGN_OR_RETURN(auto closing, sim::make_solver(options.solver, model, settings));
  sim::Scene scene;
  scene.collider = &collider;
  scene.gravity.setZero();
  sim::DrapeState state = sim::start_state(cloth);
  Stage close{run, scene, *closing, state, out.report};
  RETURN_IF_ERROR(sew(&close, cloth.ties, kCloseSteps, 1.0));
  settings.tie_stiffness = kPressTie;
  ASSIGN_OR_RETURN(auto pressing, sim::make_solver(options.solver, model, settings));
  Stage press{run, scene, *pressing, state, out.report};
  RETURN_IF_ERROR(sew(&press, cloth.ties, kPressSteps, 0.0));
  out.positions = positions_of(state);
  return out;
}

absl::StatusOr<Settled> sew_and_settle(const RunContext& run, const GarmentMesh& garment, const Fabric& fabric,
                                       const sim::Collider& collider, const SettleOptions& options) {
  ASSIGN_OR_RETURN(const Sewn sewn, sew_panels(run, garment, fabric, collider, options));
  Settled out;
  out.report = sewn.report;
  out.cloth = weld(garment, sewn.positions);

  const sim::ClothInput cloth = closed_garment(out.cloth, fabric);
  ASSIGN_OR_RETURN(const sim::DrapeModel model, sim::build_model(cloth));
  sim::SolverSettings settings;
  settings.velocity_keep = kFallKeep;
  ASSIGN_OR_RETURN(auto moving, sim::make_solver(options.solver, model, settings));
  sim::Scene scene;
  scene.collider = &collider;
  if (options.self_contact) scene.self_contact = kLayerGap;
  sim::DrapeState state = sim::start_state(cloth);
  Stage falling{run, scene, *moving, state, out.report};
  RETURN_IF_ERROR(fall(&falling));
  settings.velocity_keep = 0.0;
  settings.time_step = kCalmStep;
  settings.iterations = kCalmIterations;
  ASSIGN_OR_RETURN(auto calming, sim::make_solver(options.solver, model, settings));
  Stage resting{run, scene, *calming, state, out.report};
  RETURN_IF_ERROR(calm(&resting));
  if (options.wind_mps.squaredNorm() > 0.0) {
    scene.wind.velocity = options.wind_mps;
    RETURN_IF_ERROR(blow(&falling));
  }
  leave_body(collider, &state);
  out.cloth.mesh.positions = positions_of(state);
  const sim::Residual residual = sim::equilibrium_residual(model, scene, state);
  out.report.residual_max = residual.max;
  out.report.residual_rms = residual.rms;
  out.report.grade = grade_of(residual, speed_99(state));
  return out;
}

}  // namespace tryon
