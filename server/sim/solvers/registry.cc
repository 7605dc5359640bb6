#include <functional>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/sim/solvers/admm.h"
#include "server/sim/solvers/drape.h"
#include "server/sim/solvers/hierarchical_pbd.h"
#include "server/sim/solvers/lbfgs.h"
#include "server/sim/solvers/mass_spring.h"
#include "server/sim/solvers/newton.h"
#include "server/sim/solvers/pbd.h"
#include "server/sim/solvers/projective_dynamics.h"
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

struct Entry {
  SolverInfo info;
  std::function<absl::StatusOr<std::unique_ptr<Solver>>(const DrapeModel&, const SolverSettings&)> make;
};

const std::vector<Entry>& entries() {
  static const std::vector<Entry> list = {
      {{"drape",
        "The production drape, for the minimum of lbfgs: as lbfgs while cloth moves; in large steps towards rest, "
        "the same descent with the factor of the whole Hessian (fabric, tension, body contact, friction) in place of "
        "the constant matrix, taken anew where steps stop paying. For draping to a certified rest with a fabric's "
        "real stiffness: the default. An iteration costs about one of lbfgs, a factor about one of newton."},
       make_drape},
      {{"lbfgs",
        "Implicit Euler as the minimum of the incremental potential, by L-BFGS whose initial inverse Hessian is spring "
        "projection's prefactored matrix (Liu 2017). For dressing and draping with a fabric's real stiffness; an "
        "iteration costs one sparse solve and one to two energies, a few milliseconds for six thousand particles."},
       make_lbfgs},
      {{"spring_projection",
        "Wan 2020: the same minimum by local spring directions and one prefactored sparse solve an iteration, guarded "
        "by a line search. Stiffness does not depend on the iterations; near the answer it slows down, since the "
        "matrix never learns. For interactive previews; an iteration costs a little less than one of lbfgs."},
       make_spring_projection},
      {{"newton",
        "The same minimum by Newton's method to convergence: sparse direct solves with the full Hessian, made positive "
        "definite spring by spring where it is not, and a line search. Few, dear iterations (a hundred times one of "
        "lbfgs). For the last digits and for judging the others."},
       make_newton},
      {{"baraff_witkin",
        "Baraff and Witkin 1998: one linearised implicit Euler step, which is one undamped Newton step from the last "
        "positions towards the same minimum (it leaves a fifth to a third of the error). Stable at large steps, with "
        "errors where contact or folding changes within a step. For moving cloth of which the exact end of a step "
        "does not matter; a step costs one iteration of newton."},
       make_baraff_witkin},
      {{"pd_direct",
        "Projective dynamics (Bouaziz 2014) on triangles, for the same minimum: warp, weft and bias of each triangle "
        "projected alone, one prefactored solve brings them together. As spring_projection without a line search: "
        "every iteration costs one energy and one solve. For motion that is right to a few per cent; slow to more."},
       make_pd_direct},
      {{"pd_chebyshev",
        "Projective dynamics whose global step is Jacobi, accelerated by Chebyshev's recurrence (Wang 2015): the same "
        "minimum as pd_direct. No factor and no solve, cheapest iterations of all (they parallelise without limit), "
        "many of them needed. For many cores, and for meshes that change in every step."},
       make_pd_chebyshev},
      {{"pd_gauss_seidel",
        "Projective dynamics whose global step is four sweeps of vertex-coloured Gauss-Seidel (Fratarcangeli 2016), "
        "over-relaxed by SolverSettings::relaxation: the same minimum as pd_direct. No factor; an iteration costs "
        "one energy and four sweeps, which parallelise by colours, and takes little of a long, smooth error. For "
        "meshes too large or too changing for a factor; the order of the particles shows in the result."},
       make_pd_gauss_seidel},
      {{"pd_multigrid",
        "Projective dynamics whose global step is conjugate gradients with a smoothed-aggregation multigrid cycle "
        "(Galerkin), to a thousandth of the residual: the same minimum as pd_direct. Making and solving grow nearly "
        "linearly with the mesh: at 100,000 particles a solve costs twice a direct one, but its cycle is made in a "
        "twentieth of the factor's time. For very large meshes whose matrix changes often."},
       make_pd_multigrid},
      {{"admm",
        "The alternating direction method of multipliers (Overby 2017) for the same minimum: springs minimised alone "
        "with multipliers, one prefactored solve an iteration, which costs what one of pd_direct does. Much like "
        "pd_direct early on; oscillates near the answer. For laws of springs that no projection knows."},
       make_admm},
      {{"pbd",
        "Position based dynamics (Mueller 2006): predict, then project each constraint in turn, then take velocities "
        "from positions; it minimises nothing. Very stable and cheap (an iteration is one sweep, no matrix), for "
        "games and previews. Its stiffness is that of the sweeps, not of the fabric: more iterations or smaller "
        "steps make stiffer cloth."},
       make_pbd},
      {{"xpbd",
        "Extended PBD (Macklin 2016): as pbd, with a compliance and a multiplier a constraint, so that converged "
        "sweeps have the fabric's stiffness: they end at the minimum of the others. For soft cloth on coarse meshes "
        "at pbd's price, one sweep an iteration; far from converged (stiff cloth, fine meshes) it stretches just as "
        "pbd does."},
       make_xpbd},
      {{"hpbd",
        "Hierarchical PBD (Mueller 2008): pbd swept on SolverSettings::levels meshes from the coarsest to the finest "
        "within a step, coarse motions carried down to the particles between. It minimises nothing, like pbd, but at a "
        "few iterations a large or stiff cloth stretches far less; an iteration costs about twice one of pbd."},
       make_hpbd},
      {{"qem_hpbd",
        "Hierarchical PBD on quadric-error half-edge collapses (Ma 2023): V-cycles with an over-relaxed sweep on the "
        "way down, Gauss-Seidel on the way up and inverse-distance prolongation, warp, weft, bias and bending "
        "rebuilt on every level. It minimises nothing, like pbd, but takes a long, smooth error up again in every "
        "cycle. For stiff previews of fine meshes; an iteration costs about four of pbd."},
       [](const DrapeModel& model, const SolverSettings& settings) { return make_qem_hpbd(model, settings); }},
      {{"mass_spring",
        "Explicit mass-spring (Ji 2004): semi-implicit Euler in as many substeps as stability asks (hundreds a step "
        "for a woven fabric; above 20,000 the step is refused), with Ji's internal-force correction of springs "
        "stretched or shrunk beyond a threshold. It minimises nothing and needs no matrix: forces are local, "
        "iterations do not count, and time per simulated second grows with stiffness and fineness. For soft cloth in "
        "quick motion."},
       make_mass_spring},
  };
  return list;
}

}  // namespace

absl::Status validate(const SolverSettings& settings) {
  RETURN_IF_ERROR(check_range("time_step", settings.time_step, 1e-4, 1.0));
  RETURN_IF_ERROR(check_range("velocity_keep", settings.velocity_keep, 0, 1));
  RETURN_IF_ERROR(check_range("tie_stiffness", settings.tie_stiffness, 0, 1e5));
  RETURN_IF_ERROR(check_range("strain_threshold", settings.strain_threshold, 0, 1));
  RETURN_IF_ERROR(check_range("correction_gain", settings.correction_gain, 1, 100));
  RETURN_IF_ERROR(check_range("relaxation", settings.relaxation, 0.1, 1.95));
  RETURN_IF_ERROR(check_range("iterations", settings.iterations, 1, 1000));
  RETURN_IF_ERROR(check_range("levels", settings.levels, 1, 6));
  RETURN_IF_ERROR(check_range("history", settings.history, 0, Lbfgs::kMostHistory));
  return check_range("tolerance", settings.tolerance, 0, 1);
}

std::vector<SolverInfo> solver_list() {
  std::vector<SolverInfo> list;
  for (const Entry& entry : entries()) list.push_back(entry.info);
  return list;
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
  const bool minimiser = name == "drape" || name == "lbfgs" || name == "newton" || name == "baraff_witkin";
  if (model.membranes.count() > 0 && !minimiser)
    return invalid_input("MODEL_UNSUPPORTED", "solver",
                         cat(name, " works on springs; this cloth is made of membrane triangles"),
                         "choose drape, lbfgs, newton or baraff_witkin, or the thread springs");
  if (model.folds.count() > 0 && !minimiser)
    return invalid_input("MODEL_UNSUPPORTED", "solver",
                         cat(name, " knows no bending by angles; this cloth bends by hinges or the shape operator"),
                         "choose drape, lbfgs, newton or baraff_witkin, or quadratic bending");
  const bool sweeps = name.find("pbd") != std::string_view::npos || name == "mass_spring" || name == "admm" ||
                      name.rfind("pd_", 0) == 0;
  if (model.bend_matrix.count() > 0 && sweeps)
    return invalid_input("MODEL_UNSUPPORTED", "solver",
                         cat(name, " takes bending edge by edge; this cloth bends by one matrix"),
                         "choose drape, lbfgs, spring_projection, newton or baraff_witkin, or quadratic bending");
  for (const Entry& entry : entries())
    if (entry.info.name == name) return entry.make(model, settings);
  return internal_fault("a listed solver has no maker");
}

}  // namespace tryon::sim
