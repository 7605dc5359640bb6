#include "server/sim/solvers/local_rest.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "server/base/status.h"
#include "server/mesh/within_reach.h"
#include "server/sim/model_part.h"
#include "server/sim/solvers/lbfgs.h"
#include "server/sim/solvers/newton_descent.h"

namespace tryon::sim {

namespace {

constexpr double kShare = 0.99;      // of the squared gradient that is at them
constexpr int kRings = 4;            // of cloth round them
constexpr double kMostOfAll = 0.25;  // of the particles: more are as dear as all of them
constexpr double kLeastForce = 0.1;  // mean weights: less than that the whole brings to rest as fast
constexpr double kTarget = 0.1;      // of the largest force, within what the solver asks of a step
constexpr int kMostSteps = 4;
constexpr double kAnywhere = std::numeric_limits<double>::infinity();
constexpr Real kReach = Real(0.02);  // m round what moves in which other layers are looked for

Real longest_edge(const DrapeModel& model, const std::vector<uint8_t>& of, const std::vector<RVec3>& x) {
  Real longest = 0;
  for (const Triangle& c : model.triangles)
    for (int k = 0; k < 3; ++k)
      if (of[c[k]]) longest = std::max(longest, (x[c[k]] - x[c[(k + 1) % 3]]).squaredNorm());
  return std::sqrt(longest);
}

// Which of them are kept apart from other layers: empty if none is.
std::vector<uint8_t> in_layers(const Scene& scene, std::vector<uint8_t> moves) {
  if (scene.self_contact <= 0) return {};
  for (size_t i = 0; i < scene.kept_apart.size(); ++i) moves[i] = moves[i] && scene.kept_apart[i];
  return std::any_of(moves.begin(), moves.end(), [](uint8_t moving) { return moving != 0; }) ? moves
                                                                                             : std::vector<uint8_t>();
}

ModelPart part_with_layers(const DrapeModel& model, const std::vector<uint8_t>& moves,
                           const std::vector<uint8_t>& layered, const std::vector<RVec3>& x) {
  std::vector<uint8_t> beside(moves.size(), 0);
  if (!layered.empty()) {
    std::vector<RVec3> there;
    for (size_t i = 0; i < x.size(); ++i)
      if (layered[i]) there.push_back(x[i]);
    beside = within_reach(x, there, kReach + longest_edge(model, layered, x));
  }
  return part_of(model, moves, beside);
}

Scene scene_of(const ModelPart& part, const Scene& whole) {
  Scene out = whole;
  out.kept_apart.clear();
  out.bridges.clear();  // seams are closed in what rests
  for (size_t i = 0; !whole.kept_apart.empty() && i < part.whole.size(); ++i)
    out.kept_apart.push_back(whole.kept_apart[part.whole[i]]);
  return out;
}

// The whole's order of elimination, of those that are there.
KnownOrder order_of(const ModelPart& part, const KnownOrder& whole) {
  std::vector<int> by_place(part.whole.size());
  for (size_t i = 0; i < by_place.size(); ++i) by_place[i] = static_cast<int>(i);
  std::sort(by_place.begin(), by_place.end(),
            [&](int a, int b) { return whole.place[3 * part.whole[a]] < whole.place[3 * part.whole[b]]; });
  KnownOrder out{std::vector<int>(3 * by_place.size()), int64_t{1} << 60};  // however much L has
  for (size_t k = 0; k < by_place.size(); ++k)
    for (int c = 0; c < 3; ++c) out.place[3 * by_place[k] + c] = static_cast<int>(3 * k) + c;
  return out;
}

double farthest(const std::vector<RVec3>& x, const std::vector<RVec3>& from, const std::vector<int>& at) {
  Real most = 0;
  for (size_t i = 0; i < at.size(); ++i) most = std::max(most, (x[i] - from[at[i]]).squaredNorm());
  return std::sqrt(static_cast<double>(most));
}

}  // namespace

std::vector<uint8_t> wanting(const RunContext& run, const DrapeModel& model, const std::vector<RVec3>& gradient) {
  if (!has_parts(model) || largest_norm(run, gradient) < kLeastForce * static_cast<double>(model.mean_weight))
    return {};
  const auto n = static_cast<double>(gradient.size());
  double sum = 0;
  for (const RVec3& g : gradient) sum += static_cast<double>(g.squaredNorm());
  std::vector<std::pair<double, int>> by_size;  // the others together are less than what may be left out
  for (size_t i = 0; i < gradient.size(); ++i) {
    const auto size = static_cast<double>(gradient[i].squaredNorm());
    if (size * n >= (1 - kShare) * sum) by_size.emplace_back(-size, static_cast<int>(i));
  }
  std::sort(by_size.begin(), by_size.end());
  std::vector<uint8_t> out(gradient.size(), 0);
  double there = 0;
  for (size_t k = 0; k < by_size.size() && there < kShare * sum; ++k) {
    there -= by_size[k].first;
    out[by_size[k].second] = 1;
  }
  out = widened(model, std::move(out), kRings);
  const auto count = std::count(out.begin(), out.end(), 1);
  if (static_cast<double>(count) > kMostOfAll * n) return {};
  return out;
}

absl::StatusOr<bool> rest_locally(const RunContext& run, const Scene& scene, const SolverSettings& settings,
                                  const std::vector<uint8_t>& wanting, double largest, const KnownOrder& order,
                                  IncrementalPotential* whole, DrapeState* state, StepReport* report) {
  SolverSettings local = settings;
  local.tolerance = std::max(settings.tolerance, std::min(NewtonDirections::kLoosestStep, kTarget * largest));
  const std::vector<uint8_t> layered = in_layers(scene, wanting);
  const ModelPart part = part_with_layers(whole->model(), wanting, layered, state->x);
  const Scene scene_there = scene_of(part, scene);
  NewtonDescent solver(part.model, local, order_of(part, order));
  solver.potential().take_contacts(*whole, scene_there, state->x, part.whole);
  DrapeState there;
  for (const int i : part.whole) there.x.push_back(state->x[i]), there.v.push_back(state->v[i]);
  there.tie_rest_ratio = state->tie_rest_ratio, there.time = state->time;
  const double may_go = layered.empty() ? kAnywhere : static_cast<double>(kReach) - scene.self_contact;
  double gone = 0;
  for (int k = 0; k < kMostSteps && gone < may_go / 2; ++k) {
    for (RVec3& v : there.v) v.setZero();
    ASSIGN_OR_RETURN(const StepReport step, solver.step(run, scene_there, &there));
    report->iterations += step.iterations;
    report->collision_s += step.collision_s;
    gone = farthest(there.x, state->x, part.whole);
    if (step.iterations < settings.iterations || run.winding_up()) break;
  }
  if (gone > may_go) return false;  // there may be what was not looked for
  solver.potential().give_contacts(there.x, state->x, part.whole, whole);
  for (size_t i = 0; i < part.whole.size(); ++i) state->x[part.whole[i]] = there.x[i];
  return true;
}

}  // namespace tryon::sim
