// The report of one coarse drape in the wind, whose pattern is named by someone hostile.
#include "server/drape/report_html.h"

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>

#include "absl/strings/escaping.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "server/base/hash.h"
#include "server/base/text.h"
#include "server/drape/pipeline.h"
#include "server/drape/report_assets.h"
#include "server/garment/template.h"
#include "server/io/pattern_json.h"
#include "tests/support/shared_data.h"

namespace tryon {
namespace {
using Json = nlohmann::json;

constexpr char kHostile[] = "</script><script>hostile = 1</script><img src=x onerror=alert(1)> \"'&";

std::string hostile_pattern() {
  Pattern pattern = *draft_template("a_line_skirt", DraftMeasurements());
  pattern.name = kHostile;
  for (Panel& panel : pattern.panels) panel.name += kHostile;
  return write_pattern(pattern);
}

const PipelineResult& windy_drape() {
  static const PipelineResult result = [] {
    DrapeRequest request;
    request.body.sample = true;
    request.garment.blob = std::string(64, 'a');
    request.garment.file_name = "hostile.json";
    request.settings.resolution_mm = 30;
    request.settings.wind_mps = Vec3(0, 0, 6);
    PipelineInput input;
    input.garment_bytes = hostile_pattern();
    Executor executor(2);
    RunContext run;
    run.executor = &executor;
    auto made = run_drape(run, request, input);
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? *std::move(made) : PipelineResult();
  }();
  return result;
}

const std::string& page() { return windy_drape().artifacts.at("report.html").bytes; }

Json data_of(const std::string& html) {
  const std::string open = "id=\"data\">";
  const size_t begin = html.find(open) + open.size();
  return Json::parse(html.substr(begin, html.find("</script>", begin) - begin));
}

int count_of(const std::string& text, const std::string& word) {
  int count = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

TEST(ReportHtml, HoldsEveryAssetAsItLiesInTheTree) {
  for (const char* name : {"page.html", "page.css", "three.min.js", "viewer.js", "tables.js"}) {
    std::ifstream in(cat(testing::source_dir(), "/server/drape/report_assets/", name), std::ios::binary);
    const std::string file((std::istreambuf_iterator<char>(in)), {});
    ASSERT_FALSE(file.empty()) << name;
    EXPECT_EQ(report_asset(name), file) << name;
    const bool is_part = std::string(name) != "page.html";
    EXPECT_EQ(page().find(file) != std::string::npos, is_part) << name;
  }
}

TEST(ReportHtml, IsOneFileThatAsksForNothing) {
  const std::string assetless = std::regex_replace(page(), std::regex("/\\* three.js [^*]*\\*/"), "");
  EXPECT_EQ(count_of(assetless, " src=\"http"), 0);
  EXPECT_EQ(count_of(assetless, "<link "), 1);  // the empty icon
  EXPECT_NE(page().find("default-src 'none'; script-src 'sha256-"), std::string::npos);
  EXPECT_LT(page().size(), 6u << 20);
}

TEST(ReportHtml, ItsPolicyNamesTheScriptsThatItHolds) {
  const std::string policy = page().substr(page().find("default-src"), 600);
  for (const char* name : {"three.min.js", "viewer.js", "tables.js", "page.css"}) {
    const std::string digest = absl::Base64Escape(absl::HexStringToBytes(sha256_hex(report_asset(name))));
    EXPECT_NE(policy.find(cat("'sha256-", digest, "'")), std::string::npos) << name;
  }
  EXPECT_EQ(policy.substr(0, policy.find('>')).find("unsafe"), std::string::npos);
}

TEST(ReportHtml, TextsOfFilesNeverBecomeMarkup) {
  EXPECT_EQ(count_of(page(), "<script"), 4);  // data, three.js, viewer, tables
  EXPECT_EQ(count_of(page(), "<img"), 0);
  const Json data = data_of(page());
  EXPECT_NE(data["title"].get<std::string>().find("<img src=x onerror=alert(1)>"), std::string::npos);
}

TEST(ReportHtml, HoldsMeshesHeatMapsFramesCutsAndThePattern) {
  const Json data = data_of(page());
  const Json metrics = Json::parse(windy_drape().summary_json);
  std::string bytes;
  ASSERT_TRUE(absl::Base64Unescape(data["garment"]["positions"].get<std::string>(), &bytes));
  EXPECT_EQ(bytes.size(), metrics["mesh"]["vertices"].get<size_t>() * 6);
  ASSERT_TRUE(absl::Base64Unescape(data["garment"]["triangles"].get<std::string>(), &bytes));
  EXPECT_EQ(bytes.size(), metrics["mesh"]["triangles"].get<size_t>() * 12);
  for (const Json& field : data["fields"]) {
    EXPECT_LT(field["low"], field["high"]) << field["key"];
    EXPECT_LE(field["least"], field["most"]) << field["key"];
  }
  EXPECT_EQ(data["frames"]["positions"].size(), 30u);
  EXPECT_EQ(data["sections"].size(), 3u);
  EXPECT_NE(data["pattern_svg"].get<std::string>().find("<svg"), std::string::npos);
  EXPECT_FALSE(data["metrics"].contains("timing_s"));
  EXPECT_EQ(data["metrics"]["equilibrium"], metrics["equilibrium"]);
}

bool can_browse(const std::string& folder) {
  const char* chosen = std::getenv("CHROMIUM");
  return std::filesystem::exists(chosen != nullptr ? chosen : "/usr/bin/chromium") &&
         std::filesystem::exists(folder + "/node_modules/puppeteer-core") &&
         std::system("node --version >/dev/null 2>&1") == 0;
}

TEST(ReportHtml, WorksInABrowserWithPointerAndKeyboardAndWithoutNetwork) {
  const std::string folder = cat(testing::source_dir(), "/tests/unit/drape/report_page");
  if (!can_browse(folder)) {
    GTEST_SKIP() << "SKIPPED LOUDLY: Chromium or its driver is absent; run: scripts/install-test-tools";
  }
  const std::string out = cat(::testing::TempDir(), "tryon_report_page");
  std::filesystem::create_directories(out);
  std::ofstream(out + "/report.html", std::ios::binary) << page();
  EXPECT_EQ(std::system(cat("node ", folder, "/check_report.js ", out, "/report.html ", out, " --wind").c_str()), 0)
      << "what it saw: " << out << "/*.png";
  std::string broken = page();
  broken.replace(broken.find("ArrowRight:"), 11, "ArrowWrong:");  // the policy stops the viewer: the judge must see it
  std::ofstream(out + "/broken.html", std::ios::binary) << broken;
  EXPECT_NE(
      std::system(cat("node ", folder, "/check_report.js ", out, "/broken.html ", out, " >/dev/null 2>&1").c_str()), 0);
}

}  // namespace
}  // namespace tryon
