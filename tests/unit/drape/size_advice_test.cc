#include "server/drape/size_advice.h"

#include <cmath>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "server/base/status.h"
#include "server/garment/size_table.h"

namespace tryon {
namespace {
using Json = nlohmann::json;

// A person of these girths, and a top that fits figures of the chart with `ease` everywhere.
FittedPerson person_of_girths(double bust, double waist, double hip) {
  FittedPerson person;
  person.body.height_m = 1.68;
  person.body.measurements_mm = {{"bust_girth", bust}, {"waist_girth", waist}, {"hip_girth", hip}};
  return person;
}

ZoneReport zone_of(const std::string& name, double body, double rest) {
  ZoneReport out;
  out.name = name;
  out.coverage = 1.0;
  out.girth = GirthFit{name + "_girth", 1.0, body, rest, rest};
  judge(ComfortableStrain(), 1.68, false, &out);
  return out;
}

std::vector<TriedSize> top_in_all_sizes(const FittedPerson& person, double ease, bool chart = true) {
  std::vector<TriedSize> out;
  const auto& body = person.body.measurements_mm;
  for (const std::string& name : size_names()) {
    const DraftMeasurements figure = *size_measurements(Figure::kWomen, name);
    TriedSize tried;
    tried.size = name;
    tried.grade = "final";
    if (chart) tried.chart = figure;
    tried.fit.zones = {zone_of("bust", body.at("bust_girth"), figure.bust_girth + ease),
                       zone_of("waist", body.at("waist_girth"), figure.waist_girth + ease),
                       zone_of("hip", body.at("hip_girth"), figure.hip_girth + ease)};
    for (const ZoneReport& z : tried.fit.zones) tried.fit.girths.push_back(*z.girth);
    out.push_back(tried);
  }
  return out;
}

TEST(RankSizes, TheFigureOfASizeIsAdvisedThatSizeWhateverTheEaseOfTheGarment) {
  for (const double ease : {-60.0, 40.0, 200.0}) {
    for (const std::string& name : size_names()) {
      const DraftMeasurements figure = *size_measurements(Figure::kWomen, name);
      const FittedPerson person = person_of_girths(figure.bust_girth, figure.waist_girth, figure.hip_girth);
      const SizeAdvice advice = rank_sizes(person, Fabric(), top_in_all_sizes(person, ease));
      EXPECT_EQ(advice.sizes.front().size, name) << ease;
      EXPECT_NEAR(advice.sizes.front().misfit, 0.0, 1e-6);
      EXPECT_GT(advice.confidence, 0.9);
      ASSERT_TRUE(advice.chart.has_value());
      EXPECT_TRUE(advice.chart->agrees);
    }
  }
}

TEST(RankSizes, BetweenTwoSizesTheConfidenceIsLowAndTheOtherIsNamed) {
  const FittedPerson person = person_of_girths(902, 742, 982);  // S 860, M 940
  const SizeAdvice advice = rank_sizes(person, Fabric(), top_in_all_sizes(person, 90));
  EXPECT_EQ(advice.sizes[0].size, "M") << "too narrow is worse than too wide";
  EXPECT_EQ(advice.sizes[1].size, "S");
  EXPECT_LT(advice.confidence, 0.9);
}

TEST(RankSizes, WhereTheChartsOneGirthMisleadsItSaysWhy) {
  const FittedPerson person = person_of_girths(876, 900, 1150);  // a small bust over a large waist and hip
  const SizeAdvice advice = rank_sizes(person, Fabric(), top_in_all_sizes(person, 20));
  ASSERT_TRUE(advice.chart.has_value());
  EXPECT_EQ(advice.chart->size, "S");
  EXPECT_EQ(advice.chart->by, "bust_girth");
  ASSERT_FALSE(advice.chart->agrees) << "advised " << advice.sizes.front().size;
  EXPECT_NE(advice.chart->why.find("876"), std::string::npos) << advice.chart->why;
  EXPECT_NE(advice.chart->why.find("narrower"), std::string::npos) << advice.chart->why;
}

TEST(RankSizes, WithoutAChartTheMiddleOfRegularIsMeant) {
  const FittedPerson person = person_of_girths(940, 780, 1020);
  const SizeAdvice advice = rank_sizes(person, Fabric(), top_in_all_sizes(person, 90, false));
  EXPECT_FALSE(advice.from_chart);
  EXPECT_FALSE(advice.chart.has_value());
  EXPECT_NEAR(advice.intended_mm.at("bust"), 0.10 * 940, 1e-6);
  EXPECT_EQ(advice.sizes.front().size, "M");
}

// A skirt that hangs in its sizes up to M and lies on the floor in all larger ones.
TEST(RankSizes, ASizeThatFallsOffIsNoFitHoweverLittleIsMeasuredOfIt) {
  FittedPerson person = person_of_girths(940, 780, 1020);
  person.body.curves["waist_girth"].height_m = 1.05, person.body.curves["hip_girth"].height_m = 0.86;
  std::vector<TriedSize> skirt;
  for (const std::string& name : size_names()) {
    TriedSize tried;
    tried.size = name, tried.grade = "final";
    tried.chart = *size_measurements(Figure::kWomen, name);
    const bool hangs = name == "XS" || name == "S" || name == "M";
    if (hangs) tried.fit.zones = {zone_of("hip", 1020, tried.chart->hip_girth + 40)};
    if (name == "L") {  // its upper edge is known, that of the others is not
      Opening top{OpeningKind::kTop, {}};
      top.rim.middle = Vec3(0, 0.02, 0), top.rim.length = top.rim.rest_length = 0.9;
      tried.fit.openings = {top};
    }
    for (const ZoneReport& z : tried.fit.zones) tried.fit.girths.push_back(*z.girth);
    skirt.push_back(tried);
  }
  const SizeAdvice advice = rank_sizes(person, Fabric(), skirt);
  EXPECT_EQ(advice.sizes.front().size, "M");
  for (const SizeTrial& size : advice.sizes) {
    const bool large = size.size == "L" || size.size == "XL" || size.size == "XXL";
    EXPECT_EQ(size.falls_off(), large) << size.size;
    EXPECT_EQ(size.misfit >= 25.0, large) << size.size;
  }
  EXPECT_EQ(advice.sizes[3].size, "L") << "of the others less is known";
  const SizeAdvice none = rank_sizes(person, Fabric(), {skirt.begin() + 3, skirt.end()});
  EXPECT_EQ(none.confidence, 0.0);
  EXPECT_NE(none.says.front().find("no size stays on"), std::string::npos) << none.says.front();
}

TEST(RankSizes, APredictedGirthMakesTheAdviceLessSure) {
  FittedPerson person = person_of_girths(915, 755, 995);
  const double sure = rank_sizes(person, Fabric(), top_in_all_sizes(person, 90)).confidence;
  person.outcome["bust_girth"] = {915, 915, true, 45};
  EXPECT_LT(rank_sizes(person, Fabric(), top_in_all_sizes(person, 90)).confidence, sure);
}

TEST(AdviceRequests, ComeBackFromJsonAndHaveTheirOwnIdentity) {
  AdviceRequest request;
  request.drape.body.sample = true;
  request.drape.garment.draft.emplace().name = "t_shirt";
  request.sizes = {"S", "M"};
  const auto back = advice_request_from_json(to_json(request));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(digest(*back), digest(request));
  EXPECT_NE(digest(request), digest(request.drape));
  request.sizes = {"S"};
  EXPECT_NE(digest(*back), digest(request));
}

AdviceRequest advice_for_sample(const std::string& garment) {
  AdviceRequest request;
  request.drape.body.sample = true;
  request.drape.garment.draft.emplace().name = garment;
  request.drape.settings.resolution_mm = 40;
  request.sizes = {"L", "S", "M"};
  return request;
}

TEST(RunAdvice, RanksSizesOfATShirtWithReasonsAndATableTheSameForAnyNumberOfThreads) {
  AdviceRequest request = advice_for_sample("t_shirt");
  const auto result = run_advice(RunContext(), request, {});
  ASSERT_TRUE(result.ok()) << result.status();
  const Json json = Json::parse(result->artifacts.at("size_advice.json").bytes);
  EXPECT_EQ(json["schema"], "tryon.size_advice.v1");
  EXPECT_EQ(json["comparison"]["columns"], Json({"S", "M", "L"}));
  ASSERT_EQ(json["sizes"].size(), 3u);
  EXPECT_TRUE(json["chart"]["agrees"].get<bool>() || json["chart"].contains("why")) << json["chart"].dump();
  EXPECT_NE(json["advised"], "L") << "the sample's bust lies between S and M";
  for (const Json& size : json["sizes"]) EXPECT_FALSE(size["says"].empty());
  int carried = 0;
  for (const Json& size : json["sizes"]) carried += size["carried"].get<bool>();
  EXPECT_EQ(carried, 2) << "two of three begin from a neighbour's drape";
  Executor executor(3);
  RunContext parallel;
  parallel.executor = &executor;
  const auto again = run_advice(parallel, request, {});
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE(again->summary_json == result->summary_json);
}

TEST(RunAdvice, AGarmentOfOneSizeIsRefusedByName) {
  AdviceRequest request = advice_for_sample("offset_garment");
  EXPECT_EQ(error_detail(run_advice(RunContext(), request, {}).status())->reason, "SIZES_MISSING");
  request = advice_for_sample("t_shirt");
  request.sizes = {"S", "huge"};
  EXPECT_EQ(error_detail(run_advice(RunContext(), request, {}).status())->reason, "SIZE_UNKNOWN");
}

}  // namespace
}  // namespace tryon
