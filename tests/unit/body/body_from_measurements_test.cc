#include "server/body/body_from_measurements.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <random>

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

struct Person {
  const char* name;
  BodyTable table;
};

// Thin to very heavy, short to tall.
std::vector<Person> plausible_people() {
  constexpr FigureType kWoman = FigureType::kFemale, kMan = FigureType::kMale;
  auto girths = [](double bust, double waist, double hip) {
    return std::map<std::string, double>{{"bust_girth", bust}, {"waist_girth", waist}, {"hip_girth", hip}};
  };
  return {{"short thin woman", {1450, girths(730, 540, 796), kWoman}},
          {"short heavy woman", {1450, girths(1079, 1074, 1155), kWoman}},
          {"tall thin woman", {1900, girths(808, 603, 929), kWoman}},
          {"very tall heavy woman", {2050, girths(1163, 1119, 1334), kWoman}},
          {"woman with XXL hips", {1680, {{"hip_girth", 1350}}, kWoman}},
          {"very heavy woman", {1650, girths(1300, 1180, 1350), kWoman}},
          {"short thin man", {1450, girths(799, 598, 767), kMan}},
          {"heavy man", {1780, {{"waist_girth", 1200}, {"bust_girth", 1250}}, kMan}},
          {"heavy man with his hip", {1800, girths(1250, 1200, 1200), kMan}},
          {"very heavy man", {1750, girths(1270, 1353, 1218), kMan}},
          {"tall thin man", {2050, girths(977, 748, 964), kMan}},
          {"tall man", {2050, {{"arm_length", 670}, {"inside_leg_height", 960}}, kMan}}};
}

TEST(BodyFromMeasurements, EveryPlausiblePersonIsMadeWithinHalfAPercent) {
  for (const Person& person : plausible_people()) {
    SCOPED_TRACE(person.name);
    const auto body = body_from_measurements(RunContext(), person.table);
    ASSERT_TRUE(body.ok()) << body.status();
    EXPECT_NEAR(body->body.measurements_mm.at("height"), person.table.height_mm, 0.005 * person.table.height_mm);
    for (const auto& [name, wanted] : person.table.measurements_mm) {
      EXPECT_NEAR(body->body.measurements_mm.at(name), wanted, 0.005 * wanted) << name;
    }
    EXPECT_EQ(body->body.mesh.triangles, made()[0].body.mesh.triangles);
  }
}

// Points of a grid of people: what regression gives for height, bust, waist and hip, each other item moved by up to
// half its deviation, and of all these a subset that is asked.
TEST(BodyFromMeasurements, SubsetsOfPlausiblePeopleAreReadWithinHalfAPercent) {
  std::mt19937 random(11);
  auto unit = [&random] { return random() / 4294967296.0; };
  for (int person = 0; person < 8; ++person) {
    const FigureType figure = person % 2 == 0 ? FigureType::kFemale : FigureType::kMale;
    BodyTable start{1520.0 + 55.0 * person, {}, figure};
    start.measurements_mm["waist_girth"] = (figure == FigureType::kFemale ? 640.0 : 720.0) + 300.0 * unit();
    const auto whole = body_from_measurements(RunContext(), start);
    ASSERT_TRUE(whole.ok()) << whole.status();
    BodyTable asked{start.height_mm, {}, figure};
    for (const auto& [name, outcome] : whole->outcome) {
      if (name == "height" || unit() > 0.4) continue;
      asked.measurements_mm[name] = outcome.achieved_mm + (unit() - 0.5) * outcome.deviation_mm;
    }
    SCOPED_TRACE(person);
    const auto body = body_from_measurements(RunContext(), asked);
    ASSERT_TRUE(body.ok()) << body.status();
    for (const auto& [name, wanted] : asked.measurements_mm) {
      EXPECT_NEAR(body->body.measurements_mm.at(name) / wanted, 1.0, 0.005) << name;
    }
    EXPECT_EQ(body->body.mesh.triangles, made()[0].body.mesh.triangles);
  }
}

// All 18 items of real people under this project's tape: a woman of average size and a man.
TEST(BodyFromMeasurements, EighteenItemsOfARealPersonAreReadTogether) {
  const BodyTable tables[] = {{1662,
                               {{"shoulder_width", 342},
                                {"bust_girth", 967},
                                {"waist_girth", 803},
                                {"high_hip_girth", 963},
                                {"hip_girth", 1043},
                                {"thigh_girth", 608},
                                {"knee_girth", 361},
                                {"calf_girth", 362},
                                {"ankle_girth", 211},
                                {"upper_arm_girth", 302},
                                {"wrist_girth", 155},
                                {"neck_girth", 331},
                                {"under_bust_girth", 806},
                                {"elbow_girth", 245},
                                {"head_girth", 568},
                                {"arm_length", 521},
                                {"inside_leg_height", 759},
                                {"back_length", 355}},
                               FigureType::kFemale},
                              {1888,
                               {{"shoulder_width", 398},
                                {"bust_girth", 1008},
                                {"waist_girth", 778},
                                {"high_hip_girth", 896},
                                {"hip_girth", 966},
                                {"thigh_girth", 587},
                                {"knee_girth", 365},
                                {"calf_girth", 369},
                                {"ankle_girth", 216},
                                {"upper_arm_girth", 324},
                                {"wrist_girth", 152},
                                {"neck_girth", 379},
                                {"under_bust_girth", 868},
                                {"elbow_girth", 271},
                                {"head_girth", 588},
                                {"arm_length", 636},
                                {"inside_leg_height", 922},
                                {"back_length", 419}},
                               FigureType::kMale}};
  for (const BodyTable& table : tables) {
    const auto body = body_from_measurements(RunContext(), table);
    ASSERT_TRUE(body.ok()) << body.status();
    for (const auto& [name, wanted] : table.measurements_mm) {
      EXPECT_NEAR(body->body.measurements_mm.at(name), wanted, 0.005 * wanted) << name;
    }
  }
}

// The body is finished as it leaves the fit: as a scan it is measured the same.
TEST(BodyFromMeasurements, ReadAsAScanItIsTheSameBody) {
  for (const BodyFromMeasurements& b : made()) {
    ScanOptions as_made;
    as_made.metres_per_unit = 1.0, as_made.up_axis = UpAxis::kY;
    const auto again = make_body(RunContext(), b.body.mesh, as_made);
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(again->source.facing, b.body.source.facing);
    EXPECT_EQ(again->source.unit, b.body.source.unit);
    EXPECT_TRUE(again->source.healed.empty());
    EXPECT_EQ(again->mesh.triangles, b.body.mesh.triangles);
    for (const auto& [name, value] : b.body.measurements_mm) {
      EXPECT_NEAR(again->measurements_mm.at(name), value, 0.01) << name;
    }
  }
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
  expect_refused({1650, {{"waist_girth", 1200}, {"hip_girth", 900}}, FigureType::kFemale},
                 "BODY_MEASUREMENTS_INCONSISTENT", "measurements.waist_girth");
  expect_refused({1800, {{"bust_girth", 900}, {"waist_girth", 1300}}, FigureType::kMale},
                 "BODY_MEASUREMENTS_INCONSISTENT", "measurements.waist_girth");
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
