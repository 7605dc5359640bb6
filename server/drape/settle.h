// What it is: the moving part of a drape: sew the panels closed, weld them, settle under gravity, and move in the air
// if that is asked for. Units: SI. Shapes: positions [welded vertex_count]. Stop rule: net nodal force over mean nodal
// weight (validation 6.1) and simulated time. How it fails: INTERNAL with phase and particle from the solver;
// CANCELLED; DEADLINE_EXCEEDED only where nothing is left to return. A drape that did not settle is a result that says
// so. Thread rules: as RunContext.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/base/run_context.h"
#include "server/drape/request.h"
#include "server/fabric/fabric.h"
#include "server/garment/garment.h"
#include "server/io/worn_file.h"
#include "server/sim/cloth_forces.h"
#include "server/sim/model.h"
#include "server/sim/replay.h"
#include "server/sim/solvers/solver.h"

namespace tryon {

// Told of the cloth before each step, and may change it.
using BeforeStep = std::function<void(sim::DrapeState*)>;
// Told of the cloth after each step: its triangles and where it lies.
using AfterStep = std::function<void(const std::vector<Triangle>&, const sim::DrapeState&)>;

struct SettleOptions {
  std::string solver = sim::kDefaultSolver;
  Vec3 wind_mps = Vec3::Zero();
  LayerContact layers = LayerContact::kWhereNeeded;
  int coarsest = 600;  // vertices of the coarsest mesh that the garment is sewn on, at the least
  sim::Wind air;       // but for its velocity
  sim::SpringLayout membrane = sim::SpringLayout::kThreads;  // once sewn: panels are sewn as threads
  sim::BendLaw bend = sim::BendLaw::kIsometric;              // as the membrane
  TargetGrade target_grade = TargetGrade::kFinal;
  bool strain_limits = true;     // past the fabric's limits it stiffens; for solvers that descend an energy
  bool to_be_continued = false;  // it comes to rest later, together with others: the finest level only nearly rests
  std::optional<Motion> motion;  // once at rest; none: it stays there
  std::vector<sim::Bone> bones;  // that cloth does not pass before it lies on the garment's own mesh; mostly none
  BeforeStep before_step;        // may be empty
  AfterStep after_step;          // may be empty
  std::function<void(const std::vector<Vec3>&)> on_frame;  // of the motion: [welded vertex_count]; may be empty
  sim::FaultSink on_fault;                                 // gets the replay bundle of a step that fails; may be empty
};

// How fast all cloth still moved in the last frame of its motion.
struct MotionEnd {
  double fast_speed = 0.0;      // m/s, as fast_speed()
  double kinetic_energy = 0.0;  // J/kg: half the mean of the squared speeds, by mass
};

struct SettleReport {
  std::string termination;     // "settled", "step_limit", "deadline", "blown"
  std::string grade = "none";  // of grade.h
  double residual_max = 0.0, residual_rms = 0.0;
  double gap_before_weld_mm = 0.0;                // the widest
  std::optional<double> mean_gap_before_weld_mm;  // none: it was sewn before
  int sew_steps = 0, drape_steps = 0;
  int64_t iterations = 0;
  bool layers_kept_apart = false;  // at the end
  bool carried = false;            // it began where another drape lies
  double collision_s = 0.0, drape_s = 0.0;
  sim::ClothForces forces;               // of the finest mesh at the end: what the body presses, what the cloth bears
  std::vector<std::vector<Vec3>> blown;  // [frame][welded vertex_count] of the cloth in the wind, the last as it stays
  double blown_step_s = 0.0;             // simulated time from frame to frame
  std::optional<MotionEnd> motion_end;   // none: nothing moved
};

// A garment that is worn beneath another.
struct Worn {
  StoredGarment garment;  // garment.cloth lies as it does beneath what is above it
  Fabric fabric;
  std::vector<std::vector<Vec3>> blown;  // as SettleReport's
};

struct Settled {
  WeldedMesh cloth;  // mesh.positions are the drape
  SettleReport report;
  std::vector<Worn> beneath;  // innermost first; they came to rest together with the cloth
};

// The first half alone: the panels pulled shut round the body, without weight.
struct Sewn {
  std::vector<Vec3> positions;  // [GarmentMesh vertex_count] partners not yet one
  SettleReport report;
};
// With `stays_near` panels that start far from the body come to what is near it, and do not pull it away.
absl::StatusOr<Sewn> sew_panels(const RunContext& run, const GarmentMesh& garment, const Fabric& fabric,
                                const sim::Collider& collider, const SettleOptions& options, bool stays_near = false);

constexpr size_t kDrapeBytes = 16 << 10;  // a vertex, about, at a drape's peak

absl::StatusOr<Settled> sew_and_settle(const RunContext& run, const GarmentMesh& garment, const Fabric& fabric,
                                       const sim::Collider& collider, const SettleOptions& options);

// Sewn already: from where the cloth, or the same cloth in another size, came to rest; positions [welded vertex_count].
absl::StatusOr<Settled> settle_from(const RunContext& run, const GarmentMesh& garment, const Fabric& fabric,
                                    const sim::Collider& collider, const SettleOptions& options,
                                    const std::vector<Vec3>& positions);

}  // namespace tryon
