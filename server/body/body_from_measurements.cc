#include "server/body/body_from_measurements.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/base/units.h"
#include "server/body/body_table_check.h"
#include "server/body/mannequin_fair.h"
#include "server/body/mannequin_figure.h"
#include "server/body/measure.h"
#include "server/body/segment.h"

namespace tryon {
namespace {

constexpr int kMaxPasses = 16;
constexpr double kAskedAim = 2.5e-3, kAskedLimit = 5e-3;  // of the value; the promise is the limit
constexpr double kPredictedAim = 1.5e-2;
constexpr int kEnough = 8;  // passes for what was not asked

struct GirthKnob {
  Item item;
  Girth girth;
};
constexpr GirthKnob kGirthKnobs[] = {
    {Item::kNeck, Girth::kNeck},         {Item::kBust, Girth::kBust},   {Item::kUnderBust, Girth::kUnderBust},
    {Item::kWaist, Girth::kWaist},       {Item::kHip, Girth::kHip},     {Item::kThigh, Girth::kThigh},
    {Item::kKnee, Girth::kKnee},         {Item::kCalf, Girth::kCalf},   {Item::kAnkle, Girth::kAnkle},
    {Item::kUpperArm, Girth::kUpperArm}, {Item::kElbow, Girth::kElbow}, {Item::kWrist, Girth::kWrist},
    {Item::kHead, Girth::kHead}};

using Targets = std::array<double, kItemCount>;  // mm

struct Goal {
  Targets wanted{};
  std::array<double, kItemCount> spread{};
  ItemValues asked;
};

Goal set_goal(const Anthropometry& statistics, const ItemValues& asked) {
  Goal goal;
  goal.asked = asked;
  for (int i = 0; i < kItemCount; ++i) {
    const ItemPrediction p = statistics.predict(static_cast<Item>(i), asked);
    goal.wanted[i] = asked[i] ? *asked[i] : p.value_mm;
    goal.spread[i] = asked[i] ? 0.0 : p.spread;
  }
  const int hip = index_of(Item::kHip), high_hip = index_of(Item::kHighHip);
  if (!asked[high_hip]) goal.wanted[high_hip] = std::min(goal.wanted[high_hip], 0.97 * goal.wanted[hip]);
  return goal;
}

struct Shape {
  MannequinTable table;
  FigureKnobs knobs;
};

Shape first_shape(const Goal& goal, const BodyTable& request) {
  auto of = [&](Item item) { return goal.wanted[index_of(item)]; };
  Shape shape;
  MannequinTable& t = shape.table;
  const MannequinTable usual;
  t.height = of(Item::kHeight), t.inside_leg = of(Item::kInsideLeg), t.arm_length = 0.95 * of(Item::kArmLength);
  t.bust_girth = of(Item::kBust), t.under_bust_girth = of(Item::kUnderBust);
  t.waist_girth = of(Item::kWaist), t.hip_girth = of(Item::kHip);
  t.shoulder_width = 1.16 * of(Item::kShoulderWidth);
  t.arm_angle_deg = request.arm_angle_deg;
  t.manliness = request.figure == FigureType::kMale ? 1.0 : request.figure == FigureType::kFemale ? 0.0 : 0.5;
  const double unit = t.height / usual.height;
  const double usual_girth[] = {usual.neck_girth,  usual.bust_girth,      usual.under_bust_girth, usual.waist_girth,
                                usual.hip_girth,   usual.thigh_girth,     usual.knee_girth,       usual.calf_girth,
                                usual.ankle_girth, usual.upper_arm_girth, usual.elbow_girth,      usual.wrist_girth,
                                usual.head_girth};
  for (const GirthKnob& k : kGirthKnobs) {
    const int g = static_cast<int>(k.girth);
    shape.knobs.scale[g] = of(k.item) / (unit * usual_girth[g]);
  }
  return shape;
}

absl::StatusOr<Body> tailored(const Shape& shape) {
  Figure figure = place_figure(shape.table, shape.knobs);
  RETURN_IF_ERROR(fair_figure(&figure));
  Body body;
  body.mesh = std::move(figure.mesh);
  return body;
}

absl::Status measure(Body* body) {
  ASSIGN_OR_RETURN(Segmentation segmentation, segment_body(body->mesh));
  body->part = std::move(segmentation.part);
  body->height_m = segmentation.levels.height;
  measure_body(segmentation.levels, body);
  return absl::OkStatus();
}

// What the tape reads of an item; 0 where it found none.
double reading(const Body& body, Item item) {
  const auto found = body.measurements_mm.find(std::string(item_name(item)));
  return found == body.measurements_mm.end() ? 0.0 : found->second;
}

struct Misfit {
  double asked = 0.0, predicted = 0.0;  // largest ratio that is out
  Item worst = Item::kHeight;           // of those asked
  bool done(int pass) const { return asked < kAskedAim && (predicted < kPredictedAim || pass > kEnough); }
};

Misfit compare(const Goal& goal, const Body& body) {
  Misfit out;
  for (int i = 0; i < kItemCount; ++i) {
    const auto item = static_cast<Item>(i);
    const double error = std::abs(reading(body, item) / goal.wanted[i] - 1.0);
    double& largest = goal.asked[i] ? out.asked : out.predicted;
    if (goal.asked[i] && error > out.asked) out.worst = item;
    largest = std::max(largest, error);
  }
  return out;
}

// How much of its own measurement a knob moves, learnt from its last two settings: logarithms of knob and reading.
class Response {
 public:
  // The factor by which the knob turns next.
  double turn(double wanted, double read) {
    if (read <= 0) return 1.0;
    const double level = std::log(read), missing = std::log(wanted / read);
    if (std::abs(last_turn_) > 1e-3) {
      const double slope = std::clamp((level - last_level_) / last_turn_, kLeastSlope, kGreatestSlope);
      slope_ = 0.5 * (slope_ + slope);
    }
    last_level_ = level;
    if (++turns_ > kSteadyFrom) slope_ = std::max(slope_, 1.6);  // levels that jump between passes settle
    last_turn_ = std::clamp(missing / slope_, -kLargestTurn, kLargestTurn);
    return std::exp(last_turn_);
  }

 private:
  static constexpr double kLeastSlope = 0.4, kGreatestSlope = 1.8, kLargestTurn = 0.2;
  static constexpr int kSteadyFrom = 6;
  int turns_ = 0;
  double slope_ = 1.0, last_level_ = 0.0, last_turn_ = 0.0;
};
using Responses = std::array<Response, kItemCount>;

// Turns every knob by what its item was out.
void adjust(const Goal& goal, const Shape& first, const Body& body, Responses* responses, Shape* shape) {
  auto ratio = [&](Item item) {
    return (*responses)[index_of(item)].turn(goal.wanted[index_of(item)], reading(body, item));
  };
  auto off = [&](Item item) {
    const double read = reading(body, item);
    return read > 0 ? goal.wanted[index_of(item)] - read : 0.0;
  };
  FigureKnobs& knobs = shape->knobs;
  // A knob may leave its first place by little where nobody asked: a smooth figure before a predicted number.
  auto turn = [&](Item item, double start, double asked_play, double play, double* knob) {
    const double most = 1.0 + (goal.asked[index_of(item)] ? asked_play : play);
    *knob = std::clamp(*knob * ratio(item), start / most, start * most);
  };
  for (const GirthKnob& k : kGirthKnobs) {
    const int g = static_cast<int>(k.girth);
    turn(k.item, first.knobs.scale[g], 0.35, 0.07, &knobs.scale[g]);
  }
  turn(Item::kHighHip, 1.0, 0.20, 0.04, &knobs.high_hip);
  turn(Item::kShoulderWidth, 1.0, 0.40, 0.08, &knobs.flank);
  knobs.crotch_shift += from_mm(off(Item::kInsideLeg));
  const double most = 0.06 * from_mm(shape->table.height);
  knobs.waist_shift = std::clamp(knobs.waist_shift - from_mm(off(Item::kBackLength)), -most, most);
  shape->table.arm_length += off(Item::kArmLength);
}

absl::Status unreachable(Item item, const Goal& goal, const Body& body) {
  const int i = index_of(item);
  return invalid_input(
      "BODY_MEASUREMENTS_UNREACHABLE", cat("measurements.", item_name(item)),
      cat("no figure has this ", item_name(item), " of ", goal.wanted[i],
          " mm among the other measurements; the nearest has ", std::round(reading(body, item)), " mm"),
      cat("check ", item_name(item), " and its neighbours, or leave one of them out"));
}

BodyFromMeasurements report(const Goal& goal, FigureType figure, int passes, Body body) {
  BodyFromMeasurements out;
  out.figure = figure, out.passes = passes;
  for (int i = 0; i < kItemCount; ++i) {
    const auto item = static_cast<Item>(i);
    MeasurementOutcome& outcome = out.outcome[std::string(item_name(item))];
    outcome = {goal.wanted[i], reading(body, item), !goal.asked[i], goal.spread[i] * goal.wanted[i]};
    if (!outcome.predicted) {
      out.worst_error_ratio = std::max(out.worst_error_ratio, std::abs(outcome.achieved_mm / outcome.wanted_mm - 1.0));
    }
  }
  out.body = std::move(body);
  return out;
}

}  // namespace

std::string_view figure_type_name(FigureType type) {
  return type == FigureType::kFemale ? "female" : type == FigureType::kMale ? "male" : "neutral";
}

absl::StatusOr<FigureType> parse_figure_type(std::string_view name) {
  for (FigureType type : {FigureType::kNeutral, FigureType::kFemale, FigureType::kMale}) {
    if (name == figure_type_name(type)) return type;
  }
  return invalid_input("BODY_MEASUREMENT_UNKNOWN", "figure", cat("there is no figure type ", name),
                       "give neutral, female or male");
}

absl::StatusOr<BodyFromMeasurements> body_from_measurements(const RunContext& run, const BodyTable& table) {
  ASSIGN_OR_RETURN(const ItemValues asked, check_body_table(table));
  const Goal goal = set_goal(Anthropometry(table.figure), asked);
  const Shape first = first_shape(goal, table);
  Shape shape = first;
  Body body;
  Shape best = shape;
  Misfit least;
  least.asked = least.predicted = 1e9;
  Responses responses;
  int pass = 0;
  while (pass < kMaxPasses) {
    RETURN_IF_ERROR(run.check());
    ASSIGN_OR_RETURN(body, tailored(shape));
    RETURN_IF_ERROR(measure(&body));
    const Misfit misfit = compare(goal, body);
    ++pass;
    if (std::pair(misfit.asked, misfit.predicted) < std::pair(least.asked, least.predicted))
      least = misfit, best = shape;
    run.report("fit", static_cast<double>(pass) / kMaxPasses);
    if (misfit.done(pass)) break;
    adjust(goal, first, body, &responses, &shape);
  }
  ASSIGN_OR_RETURN(body, tailored(best));
  ScanOptions as_made;
  as_made.metres_per_unit = 1.0, as_made.up_axis = UpAxis::kY;
  ASSIGN_OR_RETURN(body, make_body(run, std::move(body.mesh), as_made));
  const Misfit misfit = compare(goal, body);
  if (misfit.asked > kAskedLimit) return unreachable(misfit.worst, goal, body);
  return report(goal, table.figure, pass, std::move(body));
}

}  // namespace tryon
