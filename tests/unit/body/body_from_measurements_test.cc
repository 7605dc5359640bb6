#include "server/body/body_from_measurements.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "server/base/status.h"

namespace tryon {
namespace {

BodyTable woman() {
  return {1650, {{"bust_girth", 900}, {"waist_girth", 730}, {"hip_girth", 980}}, FigureType::kFemale};
}

std::vector<BodyTable> tables() {
  return {woman(),
          {1580, {{"bust_girth", 760}, {"waist_girth", 590}, {"hip_girth", 840}}, FigureType::kFemale},
          {1680, {{"bust_girth", 1150}, {"waist_girth", 1020}, {"hip_girth", 1240}}, FigureType::kFemale},
          {1776, {}, FigureType::kMale},
          {1385, {}, FigureType::kNeutral}};
}

const std::vector<BodyFromMeasurements>& made() {
  static const std::vector<BodyFromMeasurements> all = [] {
    std::vector<BodyFromMeasurements> out;
    for (const BodyTable& table : tables()) {
      auto body = body_from_measurements(RunContext(), table);
      EXPECT_TRUE(body.ok()) << body.status();
      out.push_back(body.ok() ? *std::move(body) : BodyFromMeasurements());
    }
    return out;
  }();
  return all;
}

TEST(BodyFromMeasurements, TapeReadsWhatWasAsked) {
  for (size_t i = 0; i < made().size(); ++i) {
    SCOPED_TRACE(i);
    const BodyTable table = tables()[i];
    const auto& measured = made()[i].body.measurements_mm;
    EXPECT_NEAR(measured.at("height"), table.height_mm, 0.005 * table.height_mm);
    for (const auto& [name, wanted] : table.measurements_mm) {
      EXPECT_NEAR(measured.at(name), wanted, 0.005 * wanted) << name;
      EXPECT_FALSE(made()[i].outcome.at(name).predicted);
    }
  }
}

TEST(BodyFromMeasurements, HasTheSameNetForEveryTable) {
  for (const BodyFromMeasurements& b : made()) EXPECT_EQ(b.body.mesh.triangles, made()[0].body.mesh.triangles);
}

TEST(BodyFromMeasurements, IsClosedSymmetricAndOfAPersonsVolume) {
  for (const BodyFromMeasurements& b : made()) {
    std::map<std::pair<int, int>, int> directed;
    for (const Triangle& t : b.body.mesh.triangles) {
      for (int k = 0; k < 3; ++k) ++directed[{t[k], t[(k + 1) % 3]}];
    }
    for (const auto& [edge, uses] : directed) {
      ASSERT_EQ(uses, 1);
      ASSERT_EQ(directed.count({edge.second, edge.first}), 1u) << "an open edge";
    }
    const double girth = 1e-3 * b.body.measurements_mm.at("hip_girth"), h = b.body.height_m;
    const double cylinder = girth * girth * h / (4 * M_PI);
    EXPECT_GT(signed_volume(b.body.mesh), 0.4 * cylinder);
    EXPECT_LT(signed_volume(b.body.mesh), 1.1 * cylinder);
    const Box3 box = bounds(b.body.mesh);
    EXPECT_NEAR(box.min().x(), -box.max().x(), 1e-6);
  }
}

TEST(BodyFromMeasurements, LargerWaistAskedIsLargerAndTheOthersStay) {
  BodyTable table = woman();
  table.measurements_mm["waist_girth"] = 770;
  const auto larger = body_from_measurements(RunContext(), table);
  ASSERT_TRUE(larger.ok()) << larger.status();
  EXPECT_GT(larger->body.measurements_mm.at("waist_girth"), made()[0].body.measurements_mm.at("waist_girth") + 30);
  EXPECT_NEAR(larger->body.measurements_mm.at("hip_girth"), 980, 5);
  EXPECT_NEAR(larger->body.measurements_mm.at("bust_girth"), 900, 5);
}

TEST(BodyFromMeasurements, IsTheSameBodyEveryTime) {
  const auto again = body_from_measurements(RunContext(), woman());
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->body.mesh.positions, made()[0].body.mesh.positions);
}

TEST(BodyFromMeasurements, StandsInTPoseWhenAsked) {
  BodyTable table = woman();
  table.arm_angle_deg = 0;
  const auto body = body_from_measurements(RunContext(), table);
  ASSERT_TRUE(body.ok()) << body.status();
  EXPECT_EQ(body->body.pose, Pose::kT);
  EXPECT_EQ(made()[0].body.pose, Pose::kA);
}

void expect_refused(const BodyTable& table, std::string_view reason, std::string_view field) {
  const auto body = body_from_measurements(RunContext(), table);
  ASSERT_FALSE(body.ok()) << field;
  const auto detail = error_detail(body.status());
  ASSERT_TRUE(detail.has_value());
  EXPECT_EQ(detail->reason, reason);
  EXPECT_EQ(detail->field, field);
  EXPECT_FALSE(detail->remedy.empty());
}

BodyTable with(const std::string& name, double value) {
  BodyTable table = woman();
  table.measurements_mm[name] = value;
  return table;
}

TEST(BodyFromMeasurements, RefusesNumbersThatNobodyHas) {
  BodyTable giant = woman();
  giant.height_mm = 4000;
  expect_refused(giant, "BODY_MEASUREMENT_OUT_OF_RANGE", "height");
  expect_refused(with("calf_girth", -355), "BODY_MEASUREMENT_OUT_OF_RANGE", "measurements.calf_girth");
  expect_refused(with("neck_girth", std::numeric_limits<double>::quiet_NaN()), "BODY_MEASUREMENT_OUT_OF_RANGE",
                 "measurements.neck_girth");
  expect_refused(with("waist_girth", 980 + 500), "BODY_MEASUREMENT_OUT_OF_RANGE", "measurements.waist_girth");
}

TEST(BodyFromMeasurements, RefusesMeasurementsThatDoNotGoTogether) {
  expect_refused(with("under_bust_girth", 910), "BODY_MEASUREMENTS_INCONSISTENT", "measurements.under_bust_girth");
  BodyTable knee = with("knee_girth", 430);
  knee.measurements_mm["thigh_girth"] = 430;
  expect_refused(knee, "BODY_MEASUREMENTS_INCONSISTENT", "measurements.knee_girth");
  BodyTable leg = woman();
  leg.measurements_mm["inside_leg_height"] = 895;
  expect_refused(leg, "BODY_MEASUREMENTS_INCONSISTENT", "measurements.inside_leg_height");
}

TEST(BodyFromMeasurements, OffersTheNearestNamesForAnUnknownOne) {
  const auto body = body_from_measurements(RunContext(), with("wiast_girth", 700));
  ASSERT_FALSE(body.ok());
  EXPECT_EQ(error_detail(body.status())->reason, "BODY_MEASUREMENT_UNKNOWN");
  EXPECT_NE(error_detail(body.status())->remedy.find("waist_girth"), std::string::npos);
}

}  // namespace
}  // namespace tryon
