// Patterns of every generation in, our own format in and out, and a corpus of files that no tailor could sew.
#include "server/io/pattern_json.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/garment/garment.h"
#include "tests/support/shared_data.h"

namespace tryon {
namespace {
namespace fs = std::filesystem;
using Json = nlohmann::json;

// One rectangle of 40 x 60 cm, with the given curvature on its right edge (from (40, 0) up to (40, 60)).
std::string panel_file(const std::string& curvature, const std::string& properties = R"("units_in_meter": 100)",
                       const std::string& placement = R"("translation": [0, 60, 30], "rotation": [0, 0, 0])") {
  return cat(
      R"({"pattern": {"panels": {"front": {"vertices": [[0,0],[40,0],[40,60],[0,60]], "edges": [{"endpoints":[0,1]},)",
      R"({"endpoints":[1,2])", curvature.empty() ? "" : ", \"curvature\": ", curvature,
      R"(}, {"endpoints":[2,3]}, {"endpoints":[3,0]}], )", placement, R"(}}, "stitches": []}, "properties": {)",
      properties, "}}");
}

Pattern read_good(const std::string& bytes, const std::string& name = "file.json") {
  auto pattern = read_pattern(bytes, name);
  EXPECT_TRUE(pattern.ok()) << pattern.status();
  return pattern.ok() ? *std::move(pattern) : Pattern{};
}

// ---- curves, units, placement ---------------------------------------------------------------------------------

TEST(GarmentCode, UnitsBecomeMetres) {
  EXPECT_EQ(read_good(panel_file("")).panels[0].vertices[2], Vec2(0.4, 0.6));
  const Pattern templ = read_good(panel_file("", R"("units_in_meter": 300)"));
  EXPECT_TRUE(templ.panels[0].vertices[2].isApprox(Vec2(40, 60) / 300.0, 1e-15));
  EXPECT_TRUE(templ.panels[0].translation.isApprox(Vec3(0, 0.2, 0.1), 1e-15));
}

TEST(GarmentCode, APatternWithoutAUnitIsInCentimetres) {
  EXPECT_EQ(read_good(panel_file("", R"("curvature_coords": "relative")")).panels[0].vertices[2], Vec2(0.4, 0.6));
}

TEST(GarmentCode, TheBareListTheQuadraticAndTheAbsolutePointAreOneCurve) {
  const Pattern list = read_good(panel_file("[0.25, -0.2]"));
  const Pattern dict = read_good(panel_file(R"({"type": "quadratic", "params": [[0.25, -0.2]]})"));
  // s = (40, 0), d = (0, 60), n = (-60, 0): s + 0.25 d - 0.2 n = (52, 15).
  const Pattern absolute = read_good(panel_file(R"({"type": "quadratic", "params": [[52, 15]]})",
                                                R"("units_in_meter": 100, "curvature_coords": "absolute")"));
  const Vec2 middle = 0.25 * Vec2(0.4, 0) + 0.5 * Vec2(0.52, 0.15) + 0.25 * Vec2(0.4, 0.6);
  for (const Pattern* p : {&list, &dict, &absolute}) {
    EXPECT_EQ(p->panels[0].edges[1].curve.kind, EdgeCurve::Kind::kQuadratic);
    EXPECT_LT((edge_point(p->panels[0], 1, 0.5) - middle).norm(), 1e-12);
  }
}

TEST(GarmentCode, ACubicHasTwoControlPoints) {
  const Pattern p = read_good(panel_file(R"({"type": "cubic", "params": [[0.2, 0.1], [0.8, -0.1]]})"));
  EXPECT_EQ(p.panels[0].edges[1].curve.kind, EdgeCurve::Kind::kCubic);
  EXPECT_LT((edge_point(p.panels[0], 1, 0.5) - Vec2(0.4, 0.3)).norm(), 1e-12) << "it is odd about its middle";
}

TEST(GarmentCode, ACircleHasItsRadiusInFileUnitsAndBulgesRightWhereTold) {
  const Pattern p = read_good(panel_file(R"({"type": "circle", "params": [30, 0, 1]})"));
  EXPECT_LT((edge_point(p.panels[0], 1, 0.5) - Vec2(0.7, 0.3)).norm(), 1e-12) << "walking up, right is +x";
  EXPECT_NEAR(edge_length(p.panels[0], 1), 0.3 * M_PI, 1e-12);
}

TEST(GarmentCode, RotationTurnsAboutFixedXThenYThenZ) {
  const Pattern p =
      read_good(panel_file("", R"("units_in_meter": 100)", R"("translation": [1, 2, 3], "rotation": [90, 0, 90])"));
  // (1, 0, 0) stays under Rx(90) and becomes (0, 1, 0) under Rz(90); (0, 1, 0) becomes (0, 0, 1) and stays.
  EXPECT_LT((p.panels[0].rotation * Vec3::UnitX() - Vec3::UnitY()).norm(), 1e-15);
  EXPECT_LT((p.panels[0].rotation * Vec3::UnitY() - Vec3::UnitZ()).norm(), 1e-15);
  EXPECT_TRUE(p.panels[0].translation.isApprox(Vec3(0.01, 0.02, 0.03), 1e-15));
}

TEST(GarmentCode, NormalizedTranslationCarriesTheMeanOfTheVertices) {
  const Pattern p =
      read_good(panel_file("[0.5, 0.1]", R"("units_in_meter": 100, "normalize_panel_translation": true)"));
  const Pattern plain = read_good(panel_file("[0.5, 0.1]"));
  EXPECT_TRUE(p.panels[0].translation.isApprox(Vec3(0.2, 0.9, 0.3), 1e-12));
  EXPECT_TRUE((edge_point(p.panels[0], 1, 0.3) + Vec2(0.2, 0.3)).isApprox(edge_point(plain.panels[0], 1, 0.3), 1e-12));
}

TEST(GarmentCode, AFreeVertexOrderAndAFreeEdgeOrderAreWalkedRound) {
  // The corners are stored crosswise, and edge 2 stands before edge 1; the stitch follows its edge.
  const Pattern p = read_good(
      R"({"pattern": {"panels": {"p": {"vertices": [[0,0],[40,60],[40,0],[0,60]],
          "edges": [{"endpoints":[0,2]}, {"endpoints":[1,3], "label": "top"}, {"endpoints":[2,1]}, {"endpoints":[3,0]}],
          "translation": [0,0,0], "rotation": [0,0,0]}},
          "stitches": [[{"panel":"p","edge":2},{"panel":"p","edge":3}]]}, "properties": {"units_in_meter": 100}})");
  EXPECT_TRUE(validate(p).ok()) << validate(p);
  EXPECT_EQ(p.panels[0].vertices[1], Vec2(0.4, 0));
  EXPECT_EQ(p.panels[0].vertices[2], Vec2(0.4, 0.6));
  EXPECT_EQ(p.panels[0].edges[2].label, "top");
  EXPECT_EQ(p.stitches[0].a.edge, 1);
  EXPECT_EQ(p.stitches[0].b.edge, 3);
}

TEST(GarmentCode, TheOrderOfPanelsInTheFileDoesNotMatter) {
  const char kPanel[] = R"({"vertices": [[0,0],[40,0],[40,60]], "edges": [{"endpoints":[0,1]},{"endpoints":[1,2]},)"
                        R"({"endpoints":[2,0]}], "translation": [0,90,0], "rotation": [0,0,0]})";
  const std::string ab = cat(R"({"pattern": {"panels": {"a": )", kPanel, R"(, "b": )", kPanel, "}}}");
  const std::string ba = cat(R"({"pattern": {"panels": {"b": )", kPanel, R"(, "a": )", kPanel, "}}}");
  EXPECT_EQ(write_pattern(read_good(ab)), write_pattern(read_good(ba)));
}

TEST(GarmentCode, TheNameIsTheFilesAndAByteOrderMarkIsNoFault) {
  EXPECT_EQ(read_good("\xEF\xBB\xBF" + panel_file(""), "shop/tee.v2.json").name, "tee.v2");
}

// ---- the data set ---------------------------------------------------------------------------------------------

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(testing::shared_data_path("patterns/" + folder))) {
    if (entry.path().extension() == ".json")
      out.push_back("patterns/" + folder + "/" + entry.path().filename().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::string> all_files() {
  std::vector<std::string> out;
  for (const char* folder : {"garmentcode", "garmentcodedata", "garment_pattern_generator"}) {
    const auto files = files_in(folder);
    out.insert(out.end(), files.begin(), files.end());
  }
  return out;
}

Pattern read_shared(const std::string& relative) {
  return read_good(testing::read_file(testing::shared_data_path(relative)), relative);
}

struct Counts {
  size_t panels, stitches;
};

const std::map<std::string, Counts>& listed_counts() {
  static const std::map<std::string, Counts> table = {
      {"garment_pattern_generator/dress.json", {8, 18}},
      {"garment_pattern_generator/jacket.json", {7, 12}},
      {"garment_pattern_generator/jacket_hood.json", {9, 18}},
      {"garment_pattern_generator/jacket_sleeveless.json", {3, 4}},
      {"garment_pattern_generator/jumpsuit_sleeveless.json", {6, 14}},
      {"garment_pattern_generator/pants_flare.json", {4, 10}},
      {"garment_pattern_generator/pants_straight_sides_TA_pose.json", {4, 6}},
      {"garment_pattern_generator/skirt_2_panels.json", {2, 4}},
      {"garment_pattern_generator/skirt_4_panels.json", {4, 8}},
      {"garment_pattern_generator/skirt_8_panels.json", {8, 16}},
      {"garment_pattern_generator/tee.json", {6, 12}},
      {"garment_pattern_generator/tee_sleeveless.json", {2, 4}},
      {"garment_pattern_generator/wb_dress_sleeveless.json", {6, 12}},
      {"garmentcode/dress_pencil_specification.json", {6, 23}},
      {"garmentcode/shirt_mean_specification.json", {8, 18}}};
  return table;
}

TEST(DataSet, TemplatesAndGarmentCodeHaveTheirListedPanelsStitchesAndOrigin) {
  TRYON_NEEDS_SHARED_DATA("patterns/garment_pattern_generator/tee.json");
  for (const auto& [file, counts] : listed_counts()) {
    SCOPED_TRACE(file);
    const Pattern p = read_shared("patterns/" + file);
    EXPECT_TRUE(validate(p).ok()) << validate(p);
    EXPECT_EQ(p.panels.size(), counts.panels);
    EXPECT_EQ(p.stitches.size(), counts.stitches);
    const bool templ = file.rfind("garment_pattern_generator", 0) == 0;
    EXPECT_EQ(p.origin, templ ? PatternOrigin::kPelvis : PatternOrigin::kFloor);
  }
}

int count_curves(const Pattern& p, EdgeCurve::Kind kind) {
  int count = 0;
  for (const Panel& panel : p.panels) {
    for (const PanelEdge& e : panel.edges) count += e.curve.kind == kind;
  }
  return count;
}

TEST(DataSet, EverySampleHasThePanelsSeamsAndCurvesOfTheIndex) {
  TRYON_NEEDS_SHARED_DATA("patterns/garmentcodedata/index.csv");
  std::istringstream index(testing::read_file(testing::shared_data_path("patterns/garmentcodedata/index.csv")));
  std::string line;
  std::getline(index, line);
  const std::vector<std::string> names = split(line, ',');
  int seen = 0;
  while (std::getline(index, line)) {
    SCOPED_TRACE(line);
    const std::vector<std::string> cells = split(line, ',');
    ASSERT_EQ(cells.size(), names.size());
    auto listed = [&](const char* column) {
      return std::stoi(cells[std::find(names.begin(), names.end(), column) - names.begin()]);
    };
    const Pattern p = read_shared("patterns/garmentcodedata/" + cells[0]);
    EXPECT_TRUE(validate(p).ok()) << validate(p);
    EXPECT_EQ(static_cast<int>(p.panels.size()), listed("panels"));
    EXPECT_EQ(static_cast<int>(p.stitches.size()), listed("stitches"));
    EXPECT_EQ(std::count_if(p.stitches.begin(), p.stitches.end(), [](const Stitch& s) { return s.right_wrong; }),
              listed("right_wrong_stitches"));
    EXPECT_EQ(count_curves(p, EdgeCurve::Kind::kLine), listed("lines"));
    EXPECT_EQ(count_curves(p, EdgeCurve::Kind::kQuadratic), listed("quadratic"));
    EXPECT_EQ(count_curves(p, EdgeCurve::Kind::kCubic), listed("cubic"));
    EXPECT_EQ(count_curves(p, EdgeCurve::Kind::kArc), listed("circle"));
    EXPECT_EQ(p.origin, PatternOrigin::kFloor);
    ++seen;
  }
  EXPECT_EQ(seen, 60);
}

// Edges that two triangles of the welded garment walk in the same direction: cloth joined inside out.
int twisted_edges(const GarmentMesh& garment) {
  const WeldedMesh welded = weld(garment, garment.placed);
  std::set<std::pair<int, int>> directed;
  int twisted = 0;
  for (const Triangle& t : welded.mesh.triangles) {
    for (int k = 0; k < 3; ++k) twisted += !directed.insert({t[k], t[(k + 1) % 3]}).second;
  }
  return twisted;
}

double smallest_angle(const GarmentMesh& g, int t) {
  double smallest = 180.0;
  for (int k = 0; k < 3; ++k) {
    const Vec2 at = g.flat[g.triangles[t][k]];
    const Vec2 u = (g.flat[g.triangles[t][(k + 1) % 3]] - at).normalized();
    const Vec2 v = (g.flat[g.triangles[t][(k + 2) % 3]] - at).normalized();
    smallest = std::min(smallest, std::acos(std::clamp(u.dot(v), -1.0, 1.0)) * 180.0 / M_PI);
  }
  return smallest;
}

void expect_good_mesh(const std::string& file, double edge_m) {
  SCOPED_TRACE(cat(file, " at ", edge_m * 1e3, " mm"));
  const Pattern pattern = read_shared(file);
  const auto g = mesh_garment(RunContext{}, pattern, edge_m);
  ASSERT_TRUE(g.ok()) << g.status();
  ASSERT_EQ(g->seams.size(), pattern.stitches.size());
  for (const Seam& seam : g->seams) ASSERT_EQ(seam.left.size(), seam.right.size()) << seam.stitch;
  const bool lapels =
      std::any_of(pattern.stitches.begin(), pattern.stitches.end(), [](const Stitch& s) { return s.right_wrong; });
  const int twisted = twisted_edges(*g);
  EXPECT_EQ(twisted > 0, lapels) << twisted << ": only a lapel joins right side to wrong side";
  int narrow = 0;
  for (int t = 0; t < static_cast<int>(g->triangles.size()); ++t) narrow += smallest_angle(*g, t) < 25.0;
  EXPECT_LE(narrow, 0.01 * static_cast<double>(g->triangles.size())) << "triangles below 25 degrees";
}

TEST(DataSet, EveryFileIsMeshedAt20Mm) {
  TRYON_NEEDS_SHARED_DATA("patterns/garmentcodedata/index.csv");
  const auto files = all_files();
  EXPECT_EQ(files.size(), 75u);
  for (const std::string& file : files) expect_good_mesh(file, 0.02);
}

TEST(DataSet, EveryFileIsMeshedAt10Mm) {
  TRYON_NEEDS_SHARED_DATA("patterns/garmentcodedata/index.csv");
  for (const std::string& file : all_files()) expect_good_mesh(file, 0.01);
}

TEST(DataSet, ATeeADartedDressAndALapelCoatAreMeshedAt5Mm) {
  TRYON_NEEDS_SHARED_DATA("patterns/garmentcodedata/index.csv");
  expect_good_mesh("patterns/garment_pattern_generator/tee.json", 0.005);
  expect_good_mesh("patterns/garmentcode/dress_pencil_specification.json", 0.005);
  expect_good_mesh("patterns/garmentcodedata/rand_0MQTO8DP3W_specification.json", 0.005);
}

TEST(DataSet, SeamPartnersStartWithinAnArmsLengthOfEachOther) {
  TRYON_NEEDS_SHARED_DATA("patterns/garmentcode/shirt_mean_specification.json");
  for (const char* file : {"garmentcode/shirt_mean_specification.json", "garment_pattern_generator/tee.json",
                           "garment_pattern_generator/skirt_8_panels.json"}) {
    const auto g = mesh_garment(RunContext{}, read_shared(std::string("patterns/") + file), 0.02);
    ASSERT_TRUE(g.ok()) << g.status();
    for (const Seam& seam : g->seams) {
      for (size_t k = 0; k < seam.left.size(); ++k) {
        EXPECT_LT((g->placed[seam.left[k]] - g->placed[seam.right[k]]).norm(), 0.75) << file << " " << seam.stitch;
      }
    }
  }
}

// ---- our own format -------------------------------------------------------------------------------------------

void expect_same(const Pattern& a, const Pattern& b) {
  ASSERT_EQ(a.panels.size(), b.panels.size());
  for (size_t p = 0; p < a.panels.size(); ++p) {
    const Panel &x = a.panels[p], &y = b.panels[p];
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(x.label, y.label);
    EXPECT_LT((x.translation - y.translation).norm(), 1e-9);
    EXPECT_EQ(x.rotation, y.rotation);
    ASSERT_EQ(x.vertices.size(), y.vertices.size());
    for (size_t v = 0; v < x.vertices.size(); ++v) EXPECT_LT((x.vertices[v] - y.vertices[v]).norm(), 1e-9);
    ASSERT_EQ(x.edges.size(), y.edges.size());
    for (int e = 0; e < static_cast<int>(x.edges.size()); ++e) {
      EXPECT_EQ(x.edges[e].label, y.edges[e].label);
      EXPECT_EQ(x.edges[e].curve.kind, y.edges[e].curve.kind);
      // A half circle's height goes as the root of what its radius exceeds half the chord by.
      const double tolerance = x.edges[e].curve.kind == EdgeCurve::Kind::kArc ? 1e-6 : 2e-9;
      EXPECT_LT((edge_point(x, e, 0.3) - edge_point(y, e, 0.3)).norm(), tolerance);
      EXPECT_NEAR(edge_length(x, e), edge_length(y, e), tolerance);
    }
  }
  ASSERT_EQ(a.stitches.size(), b.stitches.size());
  for (size_t s = 0; s < a.stitches.size(); ++s) {
    EXPECT_EQ(a.stitches[s].a.panel, b.stitches[s].a.panel);
    EXPECT_EQ(a.stitches[s].a.edge, b.stitches[s].a.edge);
    EXPECT_EQ(a.stitches[s].b.panel, b.stitches[s].b.panel);
    EXPECT_EQ(a.stitches[s].b.edge, b.stitches[s].b.edge);
    EXPECT_EQ(a.stitches[s].right_wrong, b.stitches[s].right_wrong);
  }
  EXPECT_EQ(a.origin, b.origin);
  EXPECT_EQ(a.name, b.name);
}

TEST(OwnFormat, KeepsEveryFileOfTheDataSetAndWritesTheSameBytesAgain) {
  TRYON_NEEDS_SHARED_DATA("patterns/garmentcodedata/index.csv");
  for (const std::string& file : all_files()) {
    SCOPED_TRACE(file);
    const Pattern original = read_shared(file);
    const std::string text = write_pattern(original);
    const Pattern again = read_good(text, "other_name.json");
    expect_same(original, again);
    EXPECT_EQ(write_pattern(again), text);
  }
}

TEST(OwnFormat, KeepsNamesThatNeedQuotingAndEveryKindOfCurve) {
  Pattern p = read_good(panel_file(R"({"type": "circle", "params": [31, 1, 0]})"));
  p.name = "an \"Ärmel\"\n\\";
  p.origin = PatternOrigin::kPelvis;
  p.panels[0].name = "front/左\t\"x\"";
  p.panels[0].edges[0].curve = {EdgeCurve::Kind::kCubic, {{0.1, -1.0 / 3.0}, {0.9, 0.2}}};
  p.panels[0].edges[2].label = "lower_interface";
  p.stitches = {{{0, 0}, {0, 2}, true}};
  expect_same(p, read_good(write_pattern(p)));
}

TEST(OwnFormat, TakesAnglesInsteadOfAMatrix) {
  const Pattern p = read_good(
      R"({"schema": "tryon.pattern.v1", "panels": [{"name": "a", "translation_mm": [0, 900, 0],
          "rotation_deg": [90, 0, 90], "vertices_mm": [[0,0],[400,0],[400,600]],
          "edges": [{"endpoints": [0,1]}, {"endpoints": [1,2]}, {"endpoints": [2,0]}]}]})");
  EXPECT_LT((p.panels[0].rotation * Vec3::UnitX() - Vec3::UnitY()).norm(), 1e-15);
  EXPECT_EQ(p.panels[0].vertices[2], Vec2(0.4, 0.6));
}

TEST(OwnFormat, AnEmptyPatternIsWrittenAsJsonToo) {
  EXPECT_TRUE(Json::parse(write_pattern(Pattern{}), nullptr, false).is_object());
}

// ---- what cannot be sewn --------------------------------------------------------------------------------------

absl::Status judged(const std::string& bytes, const std::string& name, const PatternLimits& limits = {}) {
  const auto pattern = read_pattern(bytes, name, limits);
  return pattern.ok() ? validate(*pattern) : pattern.status();
}

std::string trimmed(const std::string& s) {
  const size_t begin = s.find_first_not_of(' '), end = s.find_last_not_of(' ');
  return begin == std::string::npos ? "" : s.substr(begin, end - begin + 1);
}

TEST(Corpus, EveryBadFileIsRefusedWithItsReasonPlaceAndRemedy) {
  const std::string folder = testing::source_dir() + "/tests/corpus/pattern/";
  std::istringstream expected(testing::read_file(folder + "expected.txt"));
  std::set<std::string> listed = {"expected.txt"};
  for (std::string line; std::getline(expected, line);) {
    if (line.empty() || line[0] == '#') continue;
    SCOPED_TRACE(line);
    const auto cells = split(line, '|');
    ASSERT_EQ(cells.size(), 3u);
    listed.insert(trimmed(cells[0]));
    const absl::Status status = judged(testing::read_file(folder + trimmed(cells[0])), trimmed(cells[0]));
    const auto detail = error_detail(status);
    ASSERT_TRUE(detail.has_value()) << status;
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(detail->reason, trimmed(cells[1]));
    EXPECT_EQ(detail->field.rfind(trimmed(cells[2]), 0), 0u) << detail->field;
    EXPECT_LE(detail->field.size(), 300u);
    EXPECT_FALSE(detail->remedy.empty());
    EXPECT_FALSE(std::string(status.message()).empty());
    EXPECT_FALSE(Json(std::string(status.message()) + detail->field).dump().empty()) << "answers are UTF-8";
  }
  for (const auto& entry : fs::directory_iterator(folder)) {
    EXPECT_TRUE(listed.count(entry.path().filename())) << entry.path() << " is not in expected.txt";
  }
}

TEST(Limits, FileSizeDepthPanelsEdgesAndStitchesAreCounted) {
  const std::string file = panel_file("");
  auto reason = [&](PatternLimits limits) {
    return error_detail(judged(file, "f.json", limits)).value_or(ErrorDetail{}).reason;
  };
  PatternLimits limits;
  EXPECT_EQ(reason(limits), "");
  limits.max_file_bytes = 100;
  EXPECT_EQ(reason(limits), "PATTERN_TOO_LARGE");
  limits = {}, limits.max_depth = 4;
  EXPECT_EQ(reason(limits), "PATTERN_TOO_DEEP");
  limits = {}, limits.max_panels = 0;
  EXPECT_EQ(reason(limits), "PATTERN_TOO_MANY_PANELS");
  limits = {}, limits.max_edges = 3;
  EXPECT_EQ(reason(limits), "PATTERN_TOO_MANY_EDGES");
  Json json = Json::parse(file);
  for (int i = 0; i < 3; ++i) json["pattern"]["stitches"].push_back(Json::array());
  limits = {}, limits.max_stitches = 2;
  EXPECT_EQ(error_detail(judged(json.dump(), "f.json", limits))->reason, "PATTERN_TOO_MANY_STITCHES");
}

TEST(Limits, TwoHundredAndFiftySevenPanelsAreTooMany) {
  Json json = Json::parse(panel_file(""));
  const Json panel = json["pattern"]["panels"]["front"];
  for (int i = 0; i < 256; ++i) json["pattern"]["panels"]["p" + std::to_string(i)] = panel;
  EXPECT_EQ(error_detail(judged(json.dump(), "f.json"))->reason, "PATTERN_TOO_MANY_PANELS");
}

TEST(Truncation, NoPrefixOfAGoodFileIsTakenForAPattern) {
  const std::string file = panel_file("[0.3, 0.1]");
  for (size_t size = 0; size < file.size(); ++size) {
    const auto pattern = read_pattern(file.substr(0, size), "f.json");
    ASSERT_FALSE(pattern.ok()) << size;
    ASSERT_TRUE(error_detail(pattern.status()).has_value()) << size;
  }
}

TEST(Mutation, AnyChangedByteGivesAPatternOrAClearRefusal) {
  const std::string file = panel_file(R"({"type": "cubic", "params": [[0.2, 0.1], [0.8, -0.1]]})");
  int refused = 0;
  for (size_t i = 0; i < file.size(); ++i) {
    for (const char c : {'\0', '"', '9', '-', '[', '}', 'e', '\xff'}) {
      std::string changed = file;
      changed[i] = c;
      const absl::Status status = judged(changed, "f.json");
      refused += !status.ok();
      ASSERT_EQ(error_detail(status).has_value(), !status.ok()) << i << " " << status;
    }
  }
  EXPECT_GT(refused, static_cast<int>(file.size()) * 4);
}

}  // namespace
}  // namespace tryon
