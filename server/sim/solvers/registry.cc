#include "server/base/status.h"
#include "server/base/text.h"
#include "server/sim/solvers/solver.h"
#include "server/sim/solvers/spring_projection.h"

namespace tryon::sim {

namespace {

absl::Status check_range(std::string_view field, double value, double low, double high) {
  if (value >= low && value <= high) return absl::OkStatus();
  return invalid_input("SETTING_OUT_OF_RANGE", cat("solver.", field),
                       cat(field, " is ", value, "; it must lie in ", low, " .. ", high),
                       cat("choose ", field, " between ", low, " and ", high));
}

}  // namespace

absl::Status validate(const SolverSettings& settings) {
  RETURN_IF_ERROR(check_range("time_step", settings.time_step, 1e-4, 0.1));
  RETURN_IF_ERROR(check_range("velocity_keep", settings.velocity_keep, 0, 1));
  RETURN_IF_ERROR(check_range("tie_stiffness", settings.tie_stiffness, 0, 1e5));
  RETURN_IF_ERROR(check_range("iterations", settings.iterations, 1, 1000));
  RETURN_IF_ERROR(check_range("history", settings.history, 0, 20));
  return check_range("tolerance", settings.tolerance, 0, 1);
}

std::vector<SolverInfo> solver_list() {
  return {
      {kDefaultSolver,
       "Spring projection (Wan 2020): implicit Euler as the minimum of an energy, by local spring directions and one "
       "prefactored sparse solve an iteration, sped up by quasi-Newton pairs (history 0 is the paper's plain method). "
       "For dressing and draping; an iteration costs a few milliseconds for six thousand particles."}};
}

absl::Status check_solver(std::string_view name) {
  std::string known;
  for (const SolverInfo& info : solver_list()) {
    if (info.name == name) return absl::OkStatus();
    known += cat(known.empty() ? "" : ", ", info.name);
  }
  return invalid_input("SOLVER_UNKNOWN", "solver", cat("there is no solver named '", name.substr(0, 64), "'"),
                       cat("choose one of: ", known));
}

absl::StatusOr<std::unique_ptr<Solver>> make_solver(std::string_view name, const DrapeModel& model,
                                                    const SolverSettings& settings) {
  RETURN_IF_ERROR(validate(settings));
  RETURN_IF_ERROR(check_solver(name));
  return make_spring_projection(model, settings);
}

}  // namespace tryon::sim
