// The solver that keeps what a failed step needs to be seen again, and the replay itself: see replay.h.
#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/sim/replay.h"

namespace tryon::sim {

namespace {

constexpr double kFastest = 1000;   // m/s
constexpr double kNearCloth = 0.1;  // m, of sharp points that are kept
constexpr size_t kQuestions = 64;   // to the collider, for each particle, that are kept

auto key(const AskedPoint& a) { return std::array<double, 4>{a.point.x(), a.point.y(), a.point.z(), a.max_distance}; }
bool before(const AskedPoint& a, const AskedPoint& b) { return key(a) < key(b); }

// Passes questions on and keeps them with their answers, as many as there is room for. Of one thread.
class Listening : public Collider {
 public:
  Listening(const Collider& to, size_t room) : to_(to), room_(room) {}
  Contact query(const Eigen::Vector3d& point, double max_distance) const override {
    const Contact answer = to_.query(point, max_distance);
    if (heard_.size() < room_) heard_.push_back({point, max_distance, answer});
    return answer;
  }
  void query(std::span<const Eigen::Vector3d> points, double max_distance, std::span<Contact> contacts) const override {
    to_.query(points, max_distance, contacts);
    for (size_t i = 0; i < points.size() && heard_.size() < room_; ++i)
      heard_.push_back({points[i], max_distance, contacts[i]});
  }
  std::span<const SharpPoint> sharp_points() const override { return to_.sharp_points(); }
  std::vector<AskedPoint> heard() const {
    std::vector<AskedPoint> out = heard_;
    std::sort(out.begin(), out.end(), before);
    out.erase(std::unique(out.begin(), out.end(), [](const auto& a, const auto& b) { return key(a) == key(b); }),
              out.end());
    return out;
  }

 private:
  const Collider& to_;
  const size_t room_;
  mutable std::vector<AskedPoint> heard_;
};

// Answers from a bundle.
class Remembered : public Collider {
 public:
  explicit Remembered(const ReplayBundle& bundle) : asked_(bundle.asked), sharp_(bundle.sharp) {}
  Contact query(const Eigen::Vector3d& point, double max_distance) const override {
    const AskedPoint wanted{point, max_distance, {}};
    const auto at = std::lower_bound(asked_.begin(), asked_.end(), wanted, before);
    if (at != asked_.end() && key(*at) == key(wanted)) return at->answer;
    Contact out;
    out.distance = max_distance;
    const AskedPoint* nearest = nearest_to(point, at - asked_.begin());
    if (!nearest || nearest->answer.distance >= nearest->max_distance) return out;
    out.normal = nearest->answer.normal;
    out.distance = std::min(max_distance, nearest->answer.distance + out.normal.dot(point - nearest->point));
    return out;
  }
  std::span<const SharpPoint> sharp_points() const override { return sharp_; }

 private:
  // They are sorted by x: outward from `at`, until x alone is farther than the best.
  const AskedPoint* nearest_to(const Eigen::Vector3d& point, std::ptrdiff_t at) const {
    const AskedPoint* best = nullptr;
    const auto look = [&](std::ptrdiff_t i) {
      const double apart = asked_[i].point.x() - point.x(), found = best ? (best->point - point).squaredNorm() : 1e300;
      if (!(apart * apart < found)) return false;
      if ((asked_[i].point - point).squaredNorm() < found) best = &asked_[i];
      return true;
    };
    for (std::ptrdiff_t i = at; i < std::ssize(asked_) && look(i);) ++i;
    for (std::ptrdiff_t i = at - 1; i >= 0 && look(i);) --i;
    return best;
  }

  const std::vector<AskedPoint>& asked_;
  const std::vector<SharpPoint>& sharp_;
};

std::vector<SharpPoint> sharp_points_near(const DrapeState& state, const Collider& collider) {
  Eigen::AlignedBox<Real, 3> box;
  for (const RVec3& x : state.x) box.extend(x);
  std::vector<SharpPoint> out;
  for (const SharpPoint& p : collider.sharp_points()) {
    if (box.squaredExteriorDistance(RVec3(p.at.cast<Real>())) < Real(kNearCloth * kNearCloth)) out.push_back(p);
  }
  return out;
}

absl::Status diverged(const DrapeState& state) {
  size_t fastest = 0;
  for (size_t i = 0; i < state.v.size(); ++i)
    if (!(state.v[i].squaredNorm() <= state.v[fastest].squaredNorm())) fastest = i;
  return make_error(absl::StatusCode::kInternal, "SIM_DIVERGED", cat("particle[", fastest, "]"),
                    cat("phase step: particle ", fastest, " moves at ", double(state.v[fastest].norm()), " m/s"),
                    "report this with the replay bundle");
}

absl::StatusOr<StepReport> watched_step(Solver* solver, const RunContext& run, const Scene& scene, DrapeState* state) {
  ASSIGN_OR_RETURN(const StepReport report, solver->step(run, scene, state));
  if (!(report.max_speed < kFastest)) return diverged(*state);
  return report;
}

bool is_fault(const absl::Status& status) { return status.code() == absl::StatusCode::kInternal; }

class Recorded : public Solver {
 public:
  Recorded(std::unique_ptr<Solver> solver, std::string name, const DrapeModel& model, const SolverSettings& settings,
           FaultSink on_fault)
      : solver_(std::move(solver)),
        name_(std::move(name)),
        model_(model),
        settings_(settings),
        on_fault_(std::move(on_fault)) {}

  absl::StatusOr<StepReport> step(const RunContext& run, const Scene& scene, DrapeState* state) override {
    keep(*state);
    absl::StatusOr<StepReport> report = watched_step(solver_.get(), run, scene, state);
    if (on_fault_ && is_fault(report.status())) on_fault_(encode_replay(bundle(run, scene, report.status())));
    return report;
  }

  void begin_ahead(const RunContext& run) override { solver_->begin_ahead(run); }

 private:
  void keep(const DrapeState& state) {  // arrays move round, none is made anew
    if (states_.size() < kReplaySteps) {
      states_.push_back(state);
      return;
    }
    std::rotate(states_.begin(), states_.begin() + 1, states_.end());
    states_.back() = state;
  }

  // With the fewest steps after which the bundle alone fails in the same way.
  ReplayBundle bundle(const RunContext& run, const Scene& scene, const absl::Status& failure) const {
    ReplayBundle out{name_,
                     settings_,
                     model_,
                     {},
                     scene.wind,
                     scene.gravity,
                     scene.contact_offset,
                     encode_status(failure),
                     scene.self_contact,
                     scene.pressure,
                     scene.middle_room,
                     scene.steep_share};
    out.kept_apart = scene.kept_apart;
    out.bones = scene.bones, out.bridges = scene.bridges;
    for (size_t steps = 1; steps <= states_.size() && !out.seen_again; ++steps) {
      out.states.assign(states_.end() - static_cast<std::ptrdiff_t>(steps), states_.end());
      ask_again(run, scene, &out);
      out.seen_again = encode_status(replay_steps(out, alone(run)).status()) == out.failure;
    }
    return out;
  }

  // Runs the bundle's steps against the true collider for its answers.
  void ask_again(const RunContext& run, const Scene& scene, ReplayBundle* bundle) const {
    bundle->asked.clear();
    if (scene.collider == nullptr) return;
    bundle->sharp = sharp_points_near(bundle->states.back(), *scene.collider);
    const Listening listening(*scene.collider, kQuestions * static_cast<size_t>(model_.particle_count));
    (void)replay_steps(*bundle, alone(run), &listening);
    bundle->asked = listening.heard();
  }

  static RunContext alone(const RunContext& run) {
    RunContext out;
    out.cancel = run.cancel;
    out.deadline = run.deadline;
    return out;
  }

  std::unique_ptr<Solver> solver_;
  const std::string name_;
  const DrapeModel& model_;
  const SolverSettings settings_;
  const FaultSink on_fault_;
  std::vector<DrapeState> states_;
};

}  // namespace

absl::StatusOr<StepReport> replay_steps(const ReplayBundle& bundle, const RunContext& run, const Collider* collider) {
  ASSIGN_OR_RETURN(std::unique_ptr<Solver> solver, make_solver(bundle.solver, bundle.model, bundle.settings));
  Scene scene;
  const Remembered remembered(bundle);
  scene.collider = collider != nullptr ? collider : bundle.asked.empty() ? nullptr : &remembered;
  scene.self_contact = bundle.self_contact;
  scene.pressure = bundle.pressure;
  scene.middle_room = bundle.middle_room;
  scene.steep_share = bundle.steep_share;
  scene.kept_apart = bundle.kept_apart;
  scene.bones = bundle.bones, scene.bridges = bundle.bridges;
  scene.wind = bundle.wind;
  scene.gravity = bundle.gravity;
  scene.contact_offset = bundle.contact_offset;
  absl::StatusOr<StepReport> report = internal_fault("the replay bundle has no state");
  for (const DrapeState& before : bundle.states) {
    DrapeState state = before;
    report = watched_step(solver.get(), run, scene, &state);
    if (!report.ok()) return report;
  }
  return report;
}

absl::StatusOr<std::unique_ptr<Solver>> make_recorded_solver(std::string_view name, const DrapeModel& model,
                                                             const SolverSettings& settings, FaultSink on_fault) {
  ASSIGN_OR_RETURN(std::unique_ptr<Solver> solver, make_solver(name, model, settings));
  return std::make_unique<Recorded>(std::move(solver), std::string(name), model, settings, std::move(on_fault));
}

}  // namespace tryon::sim
