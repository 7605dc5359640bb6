#include "server/body/figure_fit.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "Eigen/Cholesky"
#include "server/base/status.h"
#include "server/base/units.h"
#include "server/body/mannequin_fair.h"
#include "server/body/mannequin_figure.h"
#include "server/body/measure.h"
#include "server/body/segment.h"

namespace tryon {
namespace {

using Vector = Eigen::Matrix<double, kItemCount, 1>;
using Matrix = Eigen::Matrix<double, kItemCount, kItemCount>;

constexpr int kMaxPasses = 18, kSettled = 3, kEnough = 6;  // passes; the latter two once the asked items fit
constexpr double kAskedAim = 2e-3;                         // of the value; the promise is 5e-3
constexpr double kPredictedAim = 2e-2;                     // of the value
constexpr double kAskedSpread = 1e-3, kPredictedSpread = 2e-2;
constexpr double kAskedPlay = 0.6, kPredictedPlay = 0.06, kWaistPlay = 0.02;  // of a knob, as a deviation
constexpr double kWorstCounts = 0.5;                                          // in the distance of all asked items
constexpr double kLeastDamping = 0.1, kStuck = 0.13, kProbe = 0.01;
constexpr double kLargestTurn = 0.15;                             // of a knob in one pass
constexpr double kLeastResponse = 0.35, kGreatestResponse = 2.2;  // of an item to its own knob
constexpr double kTipsFollow = 0.6;                               // of the shoulder's knob goes into the tips
constexpr double kPointsToTip = 1.16;  // shoulder tips of the figure over the shoulder points that the tape finds

struct GirthKnob {
  Item item;
  Girth girth;
  double MannequinTable::*usual;
};
constexpr GirthKnob kGirthKnobs[] = {{Item::kNeck, Girth::kNeck, &MannequinTable::neck_girth},
                                     {Item::kBust, Girth::kBust, &MannequinTable::bust_girth},
                                     {Item::kUnderBust, Girth::kUnderBust, &MannequinTable::under_bust_girth},
                                     {Item::kWaist, Girth::kWaist, &MannequinTable::waist_girth},
                                     {Item::kHip, Girth::kHip, &MannequinTable::hip_girth},
                                     {Item::kThigh, Girth::kThigh, &MannequinTable::thigh_girth},
                                     {Item::kKnee, Girth::kKnee, &MannequinTable::knee_girth},
                                     {Item::kCalf, Girth::kCalf, &MannequinTable::calf_girth},
                                     {Item::kAnkle, Girth::kAnkle, &MannequinTable::ankle_girth},
                                     {Item::kUpperArm, Girth::kUpperArm, &MannequinTable::upper_arm_girth},
                                     {Item::kElbow, Girth::kElbow, &MannequinTable::elbow_girth},
                                     {Item::kWrist, Girth::kWrist, &MannequinTable::wrist_girth},
                                     {Item::kHead, Girth::kHead, &MannequinTable::head_girth}};

struct Shape {
  MannequinTable table;
  FigureKnobs knobs;
};

// The figure whose own tape planes would read the goal, before anything is measured.
Shape first_shape(const FigureGoal& goal) {
  auto of = [&](Item item) { return goal.wanted_mm[index_of(item)]; };
  const MannequinTable usual;
  Shape shape;
  MannequinTable& t = shape.table;
  t.height = of(Item::kHeight), t.inside_leg = of(Item::kInsideLeg), t.arm_length = 0.95 * of(Item::kArmLength);
  t.bust_girth = of(Item::kBust), t.under_bust_girth = of(Item::kUnderBust);
  t.waist_girth = of(Item::kWaist), t.hip_girth = of(Item::kHip);
  t.shoulder_width = kPointsToTip * of(Item::kShoulderWidth);
  t.arm_angle_deg = goal.arm_angle_deg;
  t.manliness = goal.type == FigureType::kMale ? 1.0 : goal.type == FigureType::kFemale ? 0.0 : 0.5;
  const double unit = t.height / usual.height;
  for (const GirthKnob& k : kGirthKnobs) {
    shape.knobs.scale[static_cast<int>(k.girth)] = of(k.item) / (unit * usual.*k.usual);
  }
  return shape;
}

// The first shape with each item's knob turned by a logarithm, or moved by a share of the item's length.
Shape turned(const Shape& first, const FigureGoal& goal, const Vector& turn) {
  auto by = [&](Item item) { return turn[index_of(item)]; };
  Shape out = first;
  for (const GirthKnob& k : kGirthKnobs) out.knobs.scale[static_cast<int>(k.girth)] *= std::exp(by(k.item));
  out.knobs.high_hip = std::exp(by(Item::kHighHip));
  out.knobs.flank = std::exp(by(Item::kShoulderWidth));
  out.knobs.crotch_shift = from_mm(goal.wanted_mm[index_of(Item::kInsideLeg)]) * by(Item::kInsideLeg);
  out.knobs.waist_shift = -from_mm(goal.wanted_mm[index_of(Item::kBackLength)]) * by(Item::kBackLength);
  out.table.shoulder_width *= std::exp(kTipsFollow * by(Item::kShoulderWidth));
  out.table.arm_length *= std::exp(by(Item::kArmLength));
  return out;
}

absl::StatusOr<Body> made(const Shape& shape) {
  Figure figure = place_figure(shape.table, shape.knobs);
  RETURN_IF_ERROR(fair_figure(&figure));
  Body body;
  body.mesh = std::move(figure.mesh);
  ASSIGN_OR_RETURN(Segmentation segmentation, segment_body(body.mesh));
  body.part = std::move(segmentation.part);
  body.height_m = segmentation.levels.height;
  measure_body(segmentation.levels, &body);
  return body;
}

// Of every item: the logarithm of what is read over what is wanted.
Vector misfit_of(const FigureGoal& goal, const Body& body) {
  Vector out = Vector::Zero();
  for (int i = 1; i < kItemCount; ++i) {
    const double read = reading_mm(body, static_cast<Item>(i));
    if (read > 0) out[i] = std::log(read / goal.wanted_mm[i]);
  }
  return out;
}

struct Distance {
  double asked = 1e9, predicted = 1e9;  // at most, of an item
  double all = 1e9;                     // of the asked ones together, with what the worst of them is out
  bool good() const { return asked < kAskedAim; }
  bool nearer_than(const Distance& other) const {
    if (good() != other.good()) return good();
    return good() ? predicted < other.predicted : all < other.all;
  }
};

Distance distance_of(const FigureGoal& goal, const Vector& misfit) {
  Distance out{0.0, 0.0, 0.0};
  double squares = 0.0;
  for (int i = 1; i < kItemCount; ++i) {
    double& worst = goal.asked[i] ? out.asked : out.predicted;
    worst = std::max(worst, std::abs(misfit[i]));
    if (goal.asked[i]) squares += misfit[i] * misfit[i];
  }
  out.all = std::sqrt(squares) + kWorstCounts * out.asked;
  return out;
}

// What each reading (row) does when a knob (column) turns, before anything is learnt.
Matrix first_responses() {
  Matrix m = Matrix::Identity();
  auto set = [&](Item reading, Item knob, double by) { m(index_of(reading), index_of(knob)) = by; };
  set(Item::kHighHip, Item::kHip, 0.5), set(Item::kHighHip, Item::kWaist, 0.5);
  set(Item::kShoulderWidth, Item::kBust, 0.6);
  set(Item::kBust, Item::kShoulderWidth, 0.35), set(Item::kUnderBust, Item::kShoulderWidth, 0.2);
  return m;
}

class Solver {
 public:
  explicit Solver(const FigureGoal& goal) : responses_(first_responses()) {
    for (int i = 0; i < kItemCount; ++i) {
      const double spread = goal.asked[i] ? kAskedSpread : kPredictedSpread;
      const bool waist = i == index_of(Item::kBackLength);
      const double play = goal.asked[i] ? kAskedPlay : waist ? kWaistPlay : kPredictedPlay;
      weight_[i] = 1.0 / (spread * spread), stay_[i] = 1.0 / (play * play);
    }
  }

  void know(const Matrix& responses) { responses_ = responses; }
  void learn(const Vector& turn, const Vector& change) {
    const double size = turn.squaredNorm();
    if (size < 1e-8) return;
    responses_ += (change - responses_ * turn) * turn.transpose() / size;
    for (int i = 0; i < kItemCount; ++i) {
      responses_(i, i) = std::clamp(responses_(i, i), kLeastResponse, kGreatestResponse);
    }
  }

  // From knobs that stand at `at` and are off by `misfit`.
  Vector next_turn(const Vector& at, const Vector& misfit, double damping) const {
    const Matrix weighed = responses_.transpose() * weight_.asDiagonal();
    Matrix normal = weighed * responses_;
    normal.diagonal() += stay_;
    const Vector right = -(weighed * misfit + stay_.cwiseProduct(at));
    const Vector turn = damping * normal.ldlt().solve(right);
    return turn.cwiseMax(-kLargestTurn).cwiseMin(kLargestTurn);
  }

 private:
  Matrix responses_;
  Vector weight_, stay_;
};

class Fitting {
 public:
  Fitting(const RunContext& run, const FigureGoal& goal)
      : run_(run), goal_(goal), first_(first_shape(goal)), solver_(goal) {}

  absl::StatusOr<FittedFigure> fit() {
    Vector at = Vector::Zero();
    for (int pass = 1; pass <= kMaxPasses; ++pass) {
      run_.report("figure", static_cast<double>(pass) / kMaxPasses);
      RETURN_IF_ERROR(try_at(at));
      if (done()) break;
      if (damping_ <= kStuck && !probed_) RETURN_IF_ERROR(probe());
      at = at_ + solver_.next_turn(at_, misfit_, damping_);
    }
    return std::move(best_);
  }

 private:
  // Makes and measures a figure, learns from it, and keeps it if it is the nearest so far.
  absl::Status try_at(const Vector& at) {
    RETURN_IF_ERROR(run_.check());
    absl::StatusOr<Body> body = made(turned(first_, goal_, at));
    ++best_.passes;
    if (!body.ok()) {
      damping_ *= 0.5;
      return best_.passes == 1 ? body.status() : absl::OkStatus();  // too far: a smaller step from the nearest
    }
    const Vector misfit = misfit_of(goal_, *body);
    if (best_.passes > 1) solver_.learn(at - at_, misfit - misfit_);
    const Distance distance = distance_of(goal_, misfit);
    const bool nearer = distance.nearer_than(distance_);
    damping_ = nearer ? std::min(1.0, 1.5 * damping_) : std::max(kLeastDamping, 0.5 * damping_);
    if (nearer) distance_ = distance, at_ = at, misfit_ = misfit, best_.body = *std::move(body);
    good_ += distance.good() ? 1 : 0;
    return absl::OkStatus();
  }

  bool done() const {
    const bool enough = good_ >= kSettled || best_.passes >= kEnough;
    return distance_.good() && (enough || distance_.predicted < kPredictedAim);
  }

  // What was learnt on the way led nowhere: every knob is turned a little to see what it does.
  absl::Status probe() {
    Matrix responses = first_responses();
    for (int k = 1; k < kItemCount; ++k) {
      RETURN_IF_ERROR(run_.check());
      Vector at = at_;
      at[k] += kProbe;
      const absl::StatusOr<Body> body = made(turned(first_, goal_, at));
      if (body.ok()) responses.col(k) = (misfit_of(goal_, *body) - misfit_) / kProbe;
    }
    solver_.know(responses);
    probed_ = true, damping_ = 1.0;
    return absl::OkStatus();
  }

  const RunContext& run_;
  const FigureGoal& goal_;
  const Shape first_;
  Solver solver_;
  FittedFigure best_;
  Distance distance_;
  Vector at_ = Vector::Zero(), misfit_ = Vector::Zero();  // of the nearest figure
  double damping_ = 1.0;
  int good_ = 0;
  bool probed_ = false;
};

}  // namespace

double reading_mm(const Body& body, Item item) {
  const auto found = body.measurements_mm.find(std::string(item_name(item)));
  return found == body.measurements_mm.end() ? 0.0 : found->second;
}

absl::StatusOr<FittedFigure> fit_figure(const RunContext& run, const FigureGoal& goal) {
  return Fitting(run, goal).fit();
}

}  // namespace tryon
