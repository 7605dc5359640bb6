#include "server/body/tape.h"

#include <cmath>

#include "gtest/gtest.h"
#include "server/base/units.h"
#include "server/body/items.h"
#include "tests/unit/body/body_fixtures.h"

namespace tryon {
namespace {

std::vector<Vec3> circle(double radius, int count) {
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i) {
    points.push_back(radius * Vec3(std::cos(2 * kPi * i / count), 0, std::sin(2 * kPi * i / count)));
  }
  return points;
}

TEST(Tape, RoundACircleIsItsCircumference) {
  const Tape tape = tape_round(circle(0.1, 720), Vec3::UnitY());
  EXPECT_TRUE(tape.closed);
  EXPECT_NEAR(tape.length, 2 * kPi * 0.1, 1e-5);
}

TEST(Tape, RoundSpansHollows) {
  const Tape tape = tape_round({{0, 0, 0}, {2, 0, 0}, {1, 0, 0.2}, {2, 0, 2}, {0, 0, 2}}, Vec3::UnitY());
  EXPECT_EQ(tape.points.size(), 4u);
  EXPECT_NEAR(tape.length, 8.0, 1e-12);
}

TEST(Tape, OverTakesWhatStandsOutAndSpansTheRest) {
  const std::vector<Vec3> points = {{1, 1, 0}, {2, -1, 0}, {3, 0.1, 0}, {1.5, 9, 0}, {5, 1, 0}};
  const Tape tape = tape_over(points, Vec3::Zero(), {4, 0, 0}, Vec3::UnitY(), 2.0);
  ASSERT_EQ(tape.points.size(), 3u);  // not the hollow, not the low bump, not what is out of reach or beside
  EXPECT_NEAR(tape.length, std::sqrt(2.0) + std::sqrt(10.0), 1e-12);
  EXPECT_NEAR((tape.points.front() - Vec3::Zero()).norm(), 0, 1e-12);
  EXPECT_NEAR((tape.points.back() - Vec3(4, 0, 0)).norm(), 0, 1e-12);
}

TEST(Tape, OverhangLetsAnArcBulgeBesideItsEnds) {
  std::vector<Vec3> points = circle(1.0, 3600);
  const Vec3 right(std::cos(-0.2), 0, std::sin(-0.2)), left(-right.x(), 0, right.z());
  const double arc = kPi + 0.4;
  EXPECT_NEAR(tape_over(points, right, left, Vec3::UnitZ(), 3.0, 0.1).length, arc, 1e-3);
  EXPECT_LT(tape_over(points, right, left, Vec3::UnitZ(), 3.0).length, arc - 1e-3);
}

TEST(Tape, LargestAndSmallestDoNotHangOnTheSamples) {
  for (double peak : {0.311, 0.4, 0.4999}) {
    auto hill = [&](double x) { return 2.0 - (x - peak) * (x - peak); };
    EXPECT_NEAR(find_largest(0, 1, 0.1, hill).at, peak, 1e-4);
    EXPECT_TRUE(find_largest(0, 1, 0.1, hill).inner);
    EXPECT_NEAR(find_smallest(0, 1, 0.1, [&](double x) { return -hill(x); }).at, peak, 1e-4);
  }
  EXPECT_FALSE(find_largest(0, 1, 0.1, [](double x) { return x; }).inner);
}

TEST(Tape, PeakOfAnUnevenHillIsItsMiddle) {
  auto uneven = [](double x) { return -(x - 0.5) * (x - 0.5) + 2e-4 * std::sin(400 * x); };
  EXPECT_NEAR(find_peak(0, 1, 0.02, 0.2, uneven).at, 0.5, 0.01);
}

TEST(Tape, ChangeIsFoundInBothDirections) {
  EXPECT_NEAR(find_change(0, 1, 0.03, [](double x) { return x > 0.377; }), 0.377, 1e-4);
  EXPECT_NEAR(find_change(1, 0, 0.03, [](double x) { return x < 0.377; }), 0.377, 1e-4);
  EXPECT_EQ(find_change(0, 1, 0.03, [](double) { return false; }), 1.0);
}

TEST(MeasurementItems, EveryMeasurementOfABodyIsListedAndDrawn) {
  const Body body = testing::body_of(testing::mannequin_mesh());
  for (const auto& [name, value] : body.measurements_mm) {
    EXPECT_NE(find_measurement_item(name), nullptr) << name;
    EXPECT_TRUE(body.curves.count(name)) << name;
    EXPECT_GT(value, 0) << name;
  }
  for (const MeasurementItem& item : measurement_items()) {
    EXPECT_TRUE(body.measurements_mm.count(std::string(item.name))) << item.name;
    EXPECT_EQ(item.paired, body.measurements_mm.count("left_" + std::string(item.name)) == 1) << item.name;
    EXPECT_FALSE(item.definition.empty());
  }
  EXPECT_EQ(find_measurement_item("left_bust_girth"), nullptr);
  EXPECT_EQ(find_measurement_item("no_such_girth"), nullptr);
}

TEST(MeasurementItems, CurvesAreAsLongAsTheirMeasurements) {
  const Body body = testing::body_of(testing::mannequin_mesh());
  for (const auto& [name, curve] : body.curves) {
    const MeasurementItem* item = find_measurement_item(name);
    ASSERT_NE(item, nullptr) << name;
    const bool mean_of_two = item->paired && name == item->name;
    if (mean_of_two) continue;
    double length = 0.0;
    for (size_t i = 1; i < curve.points.size(); ++i) length += (curve.points[i] - curve.points[i - 1]).norm();
    if (curve.closed) length += (curve.points.front() - curve.points.back()).norm();
    EXPECT_NEAR(1000 * length, body.measurements_mm.at(name), 0.05) << name;
  }
}

}  // namespace
}  // namespace tryon
