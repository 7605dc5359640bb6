// What is told of a garment: a faulty one fails a creation and is told in full by a check; the flat pattern is drawn.
#include "server/drape/garment_report.h"

#include <filesystem>
#include <fstream>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "server/base/status.h"
#include "server/base/text.h"
#include "tests/support/shared_data.h"

namespace tryon {
namespace {

using Json = nlohmann::json;

// Two squares of 0.4 m; the second one's side edge is `side_mm` long and sewn to the first one's.
std::string two_squares(double side_mm, bool crossed = false) {
  const Json far = crossed ? Json{100, -200} : Json{400, side_mm};
  Json spec;
  auto code_panel = [](const Json& vertices, double z) {
    return Json{
        {"vertices", vertices},
        {"edges",
         Json::array(
             {{{"endpoints", {0, 1}}}, {{"endpoints", {1, 2}}}, {{"endpoints", {2, 3}}}, {{"endpoints", {3, 0}}}})},
        {"translation", {0, 100, z}},
        {"rotation", {0, 0, 0}}};
  };
  spec["pattern"]["panels"]["front"] = code_panel(Json::array({{0, 0}, {40, 0}, {40, 40}, {0, 40}}), 25.0);
  spec["pattern"]["panels"]["back"] = code_panel(
      Json::array({{0, 0}, {40, 0}, {far[0].get<double>() / 10, far[1].get<double>() / 10}, {0, 40}}), -25.0);
  spec["pattern"]["stitches"] =
      Json::array({Json::array({{{"panel", "front"}, {"edge", 1}}, {{"panel", "back"}, {"edge", 1}}})});
  spec["pattern"]["panel_order"] = {"front", "back"};
  spec["properties"] = {{"units_in_meter", 100}, {"curvature_coords", "relative"}};
  return spec.dump();
}

GarmentRequest of_file(bool check_only) {
  GarmentRequest request;
  request.file_name = "squares.json";
  request.check_only = check_only;
  return request;
}

absl::StatusOr<PipelineResult> run(const std::string& file, bool check_only) {
  PipelineInput input;
  input.garment_bytes = file;
  return run_garment(RunContext{}, of_file(check_only), input);
}

std::vector<std::string> codes_of(const PipelineResult& result, const std::string& severity) {
  std::vector<std::string> out;
  const Json report = Json::parse(result.summary_json);
  for (const Json& finding : report["findings"]) {
    if (finding["severity"] == severity) out.push_back(finding["code"]);
  }
  return out;
}

TEST(GarmentReport, UnequalSeamsAreRemarkedOnWithBothLengths) {
  const auto result = run(two_squares(300), false);
  ASSERT_TRUE(result.ok()) << result.status();
  const Json report = Json::parse(result->summary_json);
  bool told = false;
  for (const Json& finding : report["findings"]) {
    const std::string message = finding["message"];
    told = told || (message.find("400") != std::string::npos && message.find("300") != std::string::npos);
  }
  EXPECT_TRUE(told) << report["findings"].dump(2);
}

TEST(GarmentReport, AFaultFailsTheCreationAndIsAFindingOfTheCheck) {
  const std::string crossed = two_squares(0, true);
  EXPECT_FALSE(run(crossed, false).ok());
  const auto checked = run(crossed, true);
  ASSERT_TRUE(checked.ok()) << checked.status();
  EXPECT_FALSE(codes_of(*checked, "error").empty()) << checked->summary_json;
}

TEST(GarmentReport, NoFaultyFileOfTheCorpusUpsetsTheCheck) {
  const std::filesystem::path folder = std::filesystem::path(testing::source_dir()) / "tests/corpus/pattern";
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    const auto result = run(bytes, true);
    const bool told = !result.ok() ? error_detail(result.status()).has_value() : !codes_of(*result, "error").empty();
    EXPECT_TRUE(told || run(bytes, false).ok()) << entry.path();
    ++files;
  }
  EXPECT_GT(files, 30);
}

TEST(GarmentReport, ASoundPatternHasNoErrorAndIsDrawn) {
  const auto result = run(two_squares(400), false);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(codes_of(*result, "error").empty()) << result->summary_json;
  EXPECT_EQ(result->artifacts.at("pattern.svg").bytes.rfind("<svg", 0), 0u);
  EXPECT_EQ(result->artifacts.at("pattern.png").bytes.substr(1, 3), "PNG");
  EXPECT_NEAR(Json::parse(result->summary_json)["area_m2"].get<double>(), 0.32, 1e-9);
}

TEST(GarmentReport, ADraftedTemplateIsSoundInItsSize) {
  GarmentRequest request;
  request.draft.emplace().name = "t_shirt";
  request.draft->size = "M";
  const auto result = run_garment(RunContext{}, request, PipelineInput{});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(Json::parse(result->summary_json)["size"], "M");
  request.draft->size = "XXXXS";
  EXPECT_EQ(error_detail(run_garment(RunContext{}, request, PipelineInput{}).status())->reason, "SIZE_UNKNOWN");
}

TEST(GarmentReport, AGradedDxfIsMadeInTheSizesOfItsRules) {
  const auto point = [](const char* name, double x, double y) {
    return cat("0\nTEXT\n8\n2\n10\n", x, "\n20\n", y, "\n40\n3\n1\n", name, "\n");
  };
  std::string dxf = "0\nSECTION\n2\nBLOCKS\n0\nBLOCK\n8\n1\n2\nFRONT\n10\n0\n20\n0\n";
  dxf += "0\nPOLYLINE\n8\n1\n66\n1\n70\n1\n";
  for (const auto& [x, y] : {std::pair(0, 0), {420, 0}, {420, 620}, {0, 620}}) {
    dxf += cat("0\nVERTEX\n8\n1\n10\n", x, "\n20\n", y, "\n");
  }
  dxf += "0\nSEQEND\n8\n1\n" + point("# 1", 0, 0) + point("# 2", 420, 0) + point("# 2", 420, 620) +
         point("# 1", 0, 620) + "0\nENDBLK\n8\n1\n0\nENDSEC\n0\nEOF\n";
  GarmentRequest request;
  request.file_name = "front.dxf";
  request.check_only = true;
  PipelineInput input;
  input.garment_bytes = dxf;
  input.grading_bytes =
      "ANSI/AAMA VERSION: 1.0.0\nUNITS: METRIC\nGRADE RULE TABLE: T\nNUMBER OF SIZES: 2\nSIZE LIST: M L\n"
      "SAMPLE SIZE: M\nRULE: DELTA 1\n0.0, 0.0 0.0, 0.0\nRULE: DELTA 2\n0.0, 0.0 20.0, 0.0\nEND\n";
  const auto small = run_garment(RunContext{}, request, input);
  ASSERT_TRUE(small.ok()) << small.status();
  EXPECT_NEAR(Json::parse(small->summary_json)["area_m2"].get<double>(), 0.42 * 0.62, 1e-6);
  request.size = "L";
  const auto large = run_garment(RunContext{}, request, input);
  ASSERT_TRUE(large.ok()) << large.status();
  EXPECT_NEAR(Json::parse(large->summary_json)["area_m2"].get<double>(), 0.44 * 0.62, 1e-6);
}

}  // namespace
}  // namespace tryon
