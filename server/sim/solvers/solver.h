// What it is: the one door to every drape method: a solver advances a DrapeState over a const DrapeModel.
// Units: SI; residuals are net nodal force over the mean nodal weight (validation 6.1). Shapes: the state's.
// How it fails: step() returns INTERNAL with the phase and the particle where a number stops being finite, CANCELLED
// or DEADLINE_EXCEEDED from the context. Thread rules: one solver, one thread; the context's executor inside.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "server/base/run_context.h"
#include "server/sim/model.h"

namespace tryon::sim {

struct SolverSettings {
  // Changes the answer.
  double time_step = 1.0 / 30.0;  // s, 1e-4 .. 1
  double velocity_keep = 0.98;    // Wan 2020: v <- keep * v after each step, 0 .. 1
  double tie_stiffness = 200.0;   // N/m, seam springs while sewing, 0 .. 1e5
  double strain_threshold = 0.1;  // mass_spring: elongation beyond which tension is raised (Ji 2004), 0 .. 1; 0 = never
  double correction_gain = 10.0;  // mass_spring: how many times steeper tension grows there, 1 .. 100
  // Changes speed and precision.
  int iterations = 10;      // local/global iterations a step, 1 .. 1000
  int history = 6;          // quasi-Newton pairs of lbfgs, 0 .. 20
  double relaxation = 1.0;  // over-relaxation of position-based sweeps, 0.1 .. 1.95
  int levels = 3;           // meshes of the hierarchical solvers, with the finest, 1 .. 6
  double tolerance = 1e-4;  // a step ends early at this max gradient / mean weight, 0 .. 1; 0 = never
};
absl::Status validate(const SolverSettings& settings);

struct StepReport {
  double residual_max = 0.0, residual_rms = 0.0;  // net nodal force / mean nodal weight, contact inside its cone
  double overheld_max = 0.0;  // mean nodal weights: SelfContact::overheld(), 0 without contact between layers
  double max_speed = 0.0;     // m/s
  int iterations = 0;
  int crossings = 0;                        // edges and triangles of the cloth that crossed when it was last searched
  double potential = 0.0;                   // J: g(x) / h^2 at the end of the step, up to a constant of the step
  bool refactored = false;                  // the matrix was factorised in this step
  double collision_s = 0.0, total_s = 0.0;  // where the time went
};

class Solver {
 public:
  virtual ~Solver() = default;
  // One time step.
  virtual absl::StatusOr<StepReport> step(const RunContext& run, const Scene& scene, DrapeState* state) = 0;
  // Lets a thread that waits for nothing else make what later steps may need and positions do not change; from any
  // thread, before the first step.
  virtual void begin_ahead(const RunContext&) {}
};

struct SolverInfo {
  std::string name;         // "spring_projection"
  std::string description;  // what it minimises, when to use it, what it costs
};
std::vector<SolverInfo> solver_list();
// SOLVER_UNKNOWN with the known names for a name that is not in the list.
absl::Status check_solver(std::string_view name);
// `model` must outlive the solver. INVALID_ARGUMENT with the known names for an unknown one.
absl::StatusOr<std::unique_ptr<Solver>> make_solver(std::string_view name, const DrapeModel& model,
                                                    const SolverSettings& settings);
inline constexpr char kDefaultSolver[] = "drape";

// The residual by code that shares nothing with a solver's own gradient: spring, gravity, wind and contact forces.
struct Residual {
  double max = 0.0, rms = 0.0;
};
// Seam springs take part with `tie_stiffness` (0 = none, as after welding).
Residual equilibrium_residual(const DrapeModel& model, const Scene& scene, const DrapeState& state,
                              double tie_stiffness = 0.0, const RunContext& run = {});

}  // namespace tryon::sim
