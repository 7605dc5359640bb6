#include "server/body/body_from_measurements.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/base/units.h"
#include "server/body/body_table_check.h"
#include "server/body/figure_fit.h"

namespace tryon {
namespace {

constexpr double kAskedLimit = 5e-3;  // of the value: the promise
// The survey took its high hip at the navel, above where measure_body does: a predicted one stays within these shares
// of the way from waist to hip.
constexpr double kLeastHighHip = 0.45, kMostHighHip = 0.70;

struct Request {
  FigureGoal goal;
  std::array<double, kItemCount> spread{};  // of the logarithm; 0 where asked
};

Request predicted_rest(const BodyTable& table, const ItemValues& asked) {
  const Anthropometry statistics(table.figure);
  Request out;
  out.goal.type = table.figure, out.goal.arm_angle_deg = table.arm_angle_deg;
  for (int i = 0; i < kItemCount; ++i) {
    const ItemPrediction p = statistics.predict(static_cast<Item>(i), asked);
    out.goal.asked[i] = asked[i].has_value();
    out.goal.wanted_mm[i] = asked[i] ? *asked[i] : p.value_mm;
    out.spread[i] = asked[i] ? 0.0 : p.spread;
  }
  if (!asked[index_of(Item::kHighHip)]) {
    const double waist = out.goal.wanted_mm[index_of(Item::kWaist)], hip = out.goal.wanted_mm[index_of(Item::kHip)];
    const auto [low, high] = std::minmax({waist + kLeastHighHip * (hip - waist), waist + kMostHighHip * (hip - waist)});
    double& high_hip = out.goal.wanted_mm[index_of(Item::kHighHip)];
    high_hip = std::clamp(high_hip, low, high);
  }
  return out;
}

absl::Status unreachable(Item item, double wanted, double nearest) {
  return invalid_input("BODY_MEASUREMENTS_UNREACHABLE", cat("measurements.", item_name(item)),
                       cat("no figure has this ", item_name(item), " of ", wanted,
                           " mm among the other measurements; the nearest has ", std::round(nearest), " mm"),
                       cat("check ", item_name(item), " and its neighbours, or leave one of them out"));
}

BodyFromMeasurements report(const Request& request, FittedFigure fitted) {
  BodyFromMeasurements out;
  out.figure = request.goal.type, out.passes = fitted.passes;
  for (int i = 0; i < kItemCount; ++i) {
    const auto item = static_cast<Item>(i);
    const double wanted = request.goal.wanted_mm[i];
    MeasurementOutcome& outcome = out.outcome[std::string(item_name(item))];
    outcome = {wanted, reading_mm(fitted.body, item), !request.goal.asked[i], request.spread[i] * wanted};
    if (!outcome.predicted) {
      out.worst_error_ratio = std::max(out.worst_error_ratio, std::abs(outcome.achieved_mm / wanted - 1.0));
    }
  }
  out.body = std::move(fitted.body);
  ScanSource& source = out.body.source;  // as make_body reports a mesh in metres that stands where it should
  source.unit = "m", source.up_axis = "+y", source.facing = "+z";
  source.declared_unit = source.declared_up = true;
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
  const Request request = predicted_rest(table, asked);
  ASSIGN_OR_RETURN(FittedFigure fitted, fit_figure(run, request.goal));
  Item worst = Item::kHeight;
  double largest = kAskedLimit;
  for (int i = 0; i < kItemCount; ++i) {
    const auto item = static_cast<Item>(i);
    const double error = std::abs(reading_mm(fitted.body, item) / request.goal.wanted_mm[i] - 1.0);
    if (asked[i] && error > largest) largest = error, worst = item;
  }
  if (largest > kAskedLimit) {
    return unreachable(worst, request.goal.wanted_mm[index_of(worst)], reading_mm(fitted.body, worst));
  }
  return report(request, std::move(fitted));
}

}  // namespace tryon
