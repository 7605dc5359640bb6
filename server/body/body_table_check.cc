#include "server/body/body_table_check.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "server/base/status.h"
#include "server/base/text.h"

namespace tryon {
namespace {

// There are more very full people than very thin ones, and limbs are read in more ways than trunks.
constexpr double kFullestDeviations = 7.0, kThinnestTrunk = 5.0, kThinnestLimb = 7.0;
constexpr double kPairDeviations = 5.0, kTogetherDeviations = 6.0;
constexpr double kLowestHeight = 1200, kHighestHeight = 2200, kLowestAngle = 0, kSteepestAngle = 60;

// The first is never as long as this share of the second.
struct Limit {
  Item item, other;
  double share;
};
constexpr Limit kLimits[] = {{Item::kUnderBust, Item::kBust, 1.0},    {Item::kKnee, Item::kThigh, 0.95},
                             {Item::kCalf, Item::kThigh, 1.0},        {Item::kAnkle, Item::kCalf, 0.95},
                             {Item::kWrist, Item::kElbow, 0.95},      {Item::kElbow, Item::kUpperArm, 1.15},
                             {Item::kThigh, Item::kHip, 0.75},        {Item::kInsideLeg, Item::kHeight, 0.54},
                             {Item::kArmLength, Item::kHeight, 0.42}, {Item::kNeck, Item::kBust, 0.6}};

std::string field(Item item) { return item == Item::kHeight ? "height" : cat("measurements.", item_name(item)); }

int edit_distance(std::string_view a, std::string_view b) {
  std::vector<int> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 1; i <= a.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const int above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row.back();
}

absl::Status unknown(std::string_view name) {
  std::vector<std::pair<int, int>> near;
  for (int i = 0; i < kItemCount; ++i) near.emplace_back(edit_distance(name, item_name(static_cast<Item>(i))), i);
  std::sort(near.begin(), near.end());
  auto of = [&](int k) { return item_name(static_cast<Item>(near[k].second)); };
  return invalid_input("BODY_MEASUREMENT_UNKNOWN", cat("measurements.", name), cat("there is no measurement ", name),
                       cat("the nearest names are ", of(0), ", ", of(1), " and ", of(2)));
}

struct Range {
  double low, high;
};

Range plausible(const ItemPrediction& p, double below, double above) {
  return {std::ceil(p.value_mm * std::exp(-below * p.spread)), std::floor(p.value_mm * std::exp(above * p.spread))};
}

Range range_of(Item item, const ItemPrediction& p) {
  bool trunk = false;
  for (Item of : {Item::kBust, Item::kUnderBust, Item::kWaist, Item::kHighHip, Item::kHip}) trunk = trunk || item == of;
  return plausible(p, trunk ? kThinnestTrunk : kThinnestLimb, kFullestDeviations);
}

double smallest_adult(const Anthropometry& statistics) {
  return plausible(statistics.typical(Item::kHeight), 3.0, 3.0).low;
}

absl::Status check_range(Item item, double value, const Range& range) {
  if (value >= range.low && value <= range.high) return absl::OkStatus();  // false for what is not a number
  return invalid_input("BODY_MEASUREMENT_OUT_OF_RANGE", field(item),
                       cat(item_name(item), " is ", value, " mm, which no standing person has"),
                       cat("give ", range.low, " to ", range.high, " mm"));
}

absl::Status inconsistent(Item item, double value, Item other, double with, const Range& range) {
  return invalid_input(
      "BODY_MEASUREMENTS_INCONSISTENT", field(item),
      cat(item_name(item), " ", value, " mm does not go with ", item_name(other), " ", with, " mm"),
      cat("with that ", item_name(other), " give ", range.low, " to ", range.high, " mm, or check ", item_name(other)));
}

absl::StatusOr<ItemValues> read_items(const BodyTable& table) {
  ItemValues asked;
  if (table.height_mm != 0.0) asked[0] = table.height_mm;
  for (const auto& [name, value] : table.measurements_mm) {
    const std::optional<Item> item = find_item(name);
    if (!item) return unknown(name);
    std::optional<double>& place = asked[index_of(*item)];
    if (place && *place != value) {
      return invalid_input("BODY_MEASUREMENTS_INCONSISTENT", field(*item),
                           cat(item_name(*item), " is given twice: ", *place, " and ", value, " mm"), "give one");
    }
    place = value;
  }
  return asked;
}

absl::Status check_ranges(const Anthropometry& statistics, const ItemValues& asked) {
  ItemValues height;
  if (asked[0]) {
    RETURN_IF_ERROR(check_range(Item::kHeight, *asked[0], {kLowestHeight, kHighestHeight}));
    if (*asked[0] < smallest_adult(statistics)) height[0] = asked[0];  // a child's ranges are a child's
  }
  for (int i = 1; i < kItemCount; ++i) {
    if (!asked[i]) continue;
    const auto item = static_cast<Item>(i);
    ItemPrediction p = statistics.predict(item, height);
    p.spread = std::max(p.spread, statistics.typical(item).spread);
    RETURN_IF_ERROR(check_range(item, *asked[i], range_of(item, p)));
  }
  return absl::OkStatus();
}

absl::Status check_limits(const ItemValues& asked) {
  for (const Limit& limit : kLimits) {
    const auto &value = asked[index_of(limit.item)], &other = asked[index_of(limit.other)];
    if (!value || !other || *value < limit.share * *other) continue;
    return inconsistent(limit.item, *value, limit.other, *other, {1, std::floor(limit.share * *other) - 1});
  }
  return absl::OkStatus();
}

absl::Status check_pairs(const Anthropometry& statistics, const ItemValues& asked) {
  const bool child = asked[0] && *asked[0] < smallest_adult(statistics);
  double worst = kPairDeviations;
  absl::Status why = absl::OkStatus();
  for (int i = 0; i < kItemCount; ++i) {
    for (int j = 0; j < kItemCount; ++j) {
      if (i == j || !asked[i] || !asked[j] || (i == 0 && child))
        continue;  // a child's height is where its sizes come from
      ItemValues other;
      other[j] = asked[j];
      if (i != 0) other[0] = asked[0];
      const auto item = static_cast<Item>(i);
      const double surprise = statistics.surprise(item, *asked[i], other);
      if (surprise <= worst) continue;
      worst = surprise;
      why = inconsistent(item, *asked[i], static_cast<Item>(j), *asked[j],
                         plausible(statistics.predict(item, other), kPairDeviations, kPairDeviations));
    }
  }
  return why;
}

// No pair is odd, but all of them together are: the item that the others contradict most is named.
absl::Status check_together(const Anthropometry& statistics, const ItemValues& asked) {
  const auto count = std::count_if(asked.begin(), asked.end(), [](const auto& v) { return v.has_value(); });
  if (statistics.distance(asked) <= std::sqrt(static_cast<double>(count)) + kTogetherDeviations) {
    return absl::OkStatus();
  }
  int odd = 0;
  double worst = -1.0;
  for (int i = 0; i < kItemCount; ++i) {
    if (!asked[i]) continue;
    const double surprise = statistics.surprise(static_cast<Item>(i), *asked[i], asked);
    if (surprise > worst) worst = surprise, odd = i;
  }
  const auto item = static_cast<Item>(odd);
  const Range range = plausible(statistics.predict(item, asked), kPairDeviations, kPairDeviations);
  return invalid_input("BODY_MEASUREMENTS_INCONSISTENT", field(item),
                       cat(item_name(item), " ", *asked[odd], " mm does not go with all the others together"),
                       cat("with the others give ", range.low, " to ", range.high, " mm, or leave some out"));
}

}  // namespace

std::vector<BodyTableItem> body_table_items(FigureType type) {
  const Anthropometry statistics(type);
  std::vector<BodyTableItem> out;
  for (int i = 0; i < kItemCount; ++i) {
    const auto item = static_cast<Item>(i);
    const ItemPrediction p = statistics.typical(item);
    const Range range = i == 0 ? Range{kLowestHeight, kHighestHeight} : range_of(item, p);
    out.push_back({std::string(item_name(item)), range.low, p.value_mm, range.high});
  }
  return out;
}

absl::StatusOr<ItemValues> check_body_table(const BodyTable& table) {
  ASSIGN_OR_RETURN(ItemValues asked, read_items(table));
  if (!(table.arm_angle_deg >= kLowestAngle && table.arm_angle_deg <= kSteepestAngle)) {
    return invalid_input("BODY_MEASUREMENT_OUT_OF_RANGE", "arm_angle_deg",
                         cat("arms ", table.arm_angle_deg, " degrees below the horizontal"),
                         cat("give ", kLowestAngle, " (T-pose) to ", kSteepestAngle));
  }
  const Anthropometry statistics(table.figure);
  RETURN_IF_ERROR(check_ranges(statistics, asked));
  RETURN_IF_ERROR(check_limits(asked));
  const Anthropometry loosened = statistics.loosened();
  RETURN_IF_ERROR(check_pairs(loosened, asked));
  RETURN_IF_ERROR(check_together(loosened, asked));
  return asked;
}

}  // namespace tryon
