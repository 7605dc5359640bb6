// DXF, RUL, FreeSewing, OBJ and sidecars from files written here: what each line means, and that no damage gets
// through.
#include "server/io/pattern_import.h"

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/garment/seam_graph.h"

namespace tryon {
namespace {

std::string pair(int code, const std::string& value) { return cat(code, "\r\n", value, "\r\n"); }
std::string xy(const Vec2& p) { return pair(10, cat(p.x())) + pair(20, cat(p.y())); }

std::string polyline(const std::string& layer, const std::vector<Vec2>& points, bool closed = true) {
  std::string out = pair(0, "POLYLINE") + pair(8, layer) + pair(66, "1") + pair(70, closed ? "1" : "0");
  for (const Vec2& p : points) out += pair(0, "VERTEX") + pair(8, layer) + xy(p);
  return out + pair(0, "SEQEND") + pair(8, layer);
}
std::string light(const std::string& layer, const std::vector<Vec2>& points) {
  std::string out = pair(0, "LWPOLYLINE") + pair(8, layer) + pair(90, cat(points.size())) + pair(70, "1");
  for (const Vec2& p : points) out += xy(p);
  return out;
}
std::string line(const std::string& layer, const Vec2& a, const Vec2& b) {
  return pair(0, "LINE") + pair(8, layer) + xy(a) + pair(11, cat(b.x())) + pair(21, cat(b.y()));
}
std::string point(const std::string& layer, const Vec2& at) { return pair(0, "POINT") + pair(8, layer) + xy(at); }
std::string text(const std::string& layer, const Vec2& at, const std::string& words) {
  return pair(0, "TEXT") + pair(8, layer) + xy(at) + pair(1, words);
}
std::string block(const std::string& name, const std::string& content) {
  return pair(0, "BLOCK") + pair(8, "1") + pair(2, name) + pair(70, "0") + content + pair(0, "ENDBLK");
}
std::string file(const std::string& blocks, const std::string& entities = "") {
  return pair(0, "SECTION") + pair(2, "BLOCKS") + blocks + pair(0, "ENDSEC") + pair(0, "SECTION") +
         pair(2, "ENTITIES") + entities + pair(0, "ENDSEC") + pair(0, "EOF");
}

const std::vector<Vec2> kCut = {{0, 0}, {420, 0}, {420, 620}, {0, 620}};
const std::vector<Vec2> kSew = {{10, 10}, {410, 10}, {410, 610}, {10, 610}};

ImportedPattern good(const std::string& bytes, const ImportOptions& options = {}) {
  auto out = import_pattern(bytes, "shop/piece.dxf", options);
  EXPECT_TRUE(out.ok()) << out.status();
  return out.ok() ? *std::move(out) : ImportedPattern{};
}
std::string reason(const std::string& bytes, const ImportOptions& options = {}) {
  const auto out = import_pattern(bytes, "x", options);
  const auto detail = error_detail(out.status());
  return detail ? detail->reason : out.ok() ? "taken" : "bare";
}
bool says(const ImportedPattern& p, const std::string& words) {
  for (const std::string& note : p.notes) {
    if (note.find(words) != std::string::npos) return true;
  }
  return false;
}

// ---- DXF ------------------------------------------------------------------------------------------------------

TEST(DxfImport, TheSewLineIsTheOutlineWhereThereIsOne) {
  for (const char* layer : {"14", "8"}) {
    const ImportedPattern p = good(file(block("FRONT", polyline("1", kCut) + polyline(layer, kSew))));
    ASSERT_EQ(p.pattern.panels.size(), 1u);
    EXPECT_NEAR(panel_area(p.pattern.panels[0]), 0.24, 1e-9) << "layer " << layer;
    EXPECT_EQ(p.pattern.panels[0].edges.size(), 4u);
    EXPECT_FALSE(p.pattern.panels[0].placed);
  }
  EXPECT_NEAR(panel_area(good(file(block("FRONT", light("1", kCut)))).pattern.panels[0]), 0.42 * 0.62, 1e-9);
}

TEST(DxfImport, ASmallClosedLineOnLayerEightIsAnInnerLine) {
  const ImportedPattern p =
      good(file(block("FRONT", polyline("1", kCut) + polyline("8", {{100, 100}, {200, 100}, {150, 300}}))));
  EXPECT_NEAR(panel_area(p.pattern.panels[0]), 0.42 * 0.62, 1e-9);
  ASSERT_EQ(p.pattern.panels[0].lines.size(), 1u);
  EXPECT_TRUE(p.pattern.panels[0].lines[0].closed);
}

TEST(DxfImport, MarksOfEveryLayerComeToTheirPlace) {
  const ImportedPattern p =
      good(file(block("FRONT", polyline("1", kCut) + light("14", kSew) + point("4", {420, 310}) +
                                   point("81", {210, 0}) + point("13", {200, 200}) + line("7", {50, 50}, {50, 250}) +
                                   light("11", {{50, 50}, {90, 50}, {90, 99}}) + light("84", kCut) +
                                   text("1", {0, 0}, "Piece Name: Vorderteil") + text("1", {0, 0}, "Quantity: 1,1"))));
  const Panel& panel = p.pattern.panels[0];
  EXPECT_EQ(panel.name, "Vorderteil");
  EXPECT_EQ(panel.quantity, 2);
  EXPECT_TRUE(panel.mirrored);
  EXPECT_TRUE(panel.grain_given);
  EXPECT_EQ(panel.grain, Vec2(0, 1));
  ASSERT_EQ(panel.drill_holes.size(), 1u);
  EXPECT_TRUE(panel.drill_holes[0].at.isApprox(Vec2(0.2, 0.2)));
  ASSERT_EQ(panel.notches.size(), 2u);
  EXPECT_EQ(panel.notches[1].kind, Notch::Kind::kCastle);
  EXPECT_LT((edge_at(panel, panel.notches[0].edge, panel.notches[0].at) - Vec2(0.41, 0.31)).norm(), 1e-3);
  ASSERT_EQ(panel.lines.size(), 1u);
  EXPECT_EQ(panel.lines[0].kind, InternalLine::Kind::kCut);
}

TEST(DxfImport, WhatIsNotUnderstoodIsListedWithItsLayer) {
  const std::string odd = pair(0, "SPLINE") + pair(8, "8") + pair(10, "1") + pair(20, "1");
  const ImportedPattern p = good(file(block("A", light("1", kCut) + odd + odd + light("99", kSew)), light("1", kSew)));
  EXPECT_TRUE(says(p, "2 SPLINE on layer 8"));
  EXPECT_TRUE(says(p, "on layer 99"));
  EXPECT_TRUE(says(p, "outside of all pieces"));
  EXPECT_TRUE(says(p, "millimetres"));
}

TEST(DxfImport, EqualBlockNamesAreTwoPieces) {
  const ImportedPattern p = good(file(block("DETAIL", light("1", kCut)) + block("DETAIL", light("1", kSew))));
  ASSERT_EQ(p.pattern.panels.size(), 2u);
  EXPECT_NE(p.pattern.panels[0].name, p.pattern.panels[1].name);
}

TEST(DxfImport, AMirrorLineUnfoldsTheHalfPiece) {
  const ImportedPattern p = good(file(block("BACK", light("1", {{0, 0}, {200, 0}, {230, 400}, {0, 500}}) +
                                                        line("6", {0, 0}, {0, 500}) + point("4", {100, 0}))));
  const Panel& panel = p.pattern.panels[0];
  EXPECT_NEAR(panel_area(panel), 2 * 0.5 * (0.2 * 0.4 + 0.23 * 0.5), 1e-3);
  EXPECT_EQ(panel.edges.size(), 6u);
  EXPECT_EQ(panel.notches.size(), 2u);
  EXPECT_TRUE(validate(p.pattern).ok());
  EXPECT_TRUE(says(p, "unfolded"));
}

TEST(DxfImport, UnitsComeFromTheArgumentThenTheFileThenMillimetresAndFitAPerson) {
  std::vector<Vec2> inches;
  for (const Vec2& v : kCut) inches.push_back(v / 25.4);
  const std::string bare = file(block("A", light("1", inches)));
  EXPECT_EQ(reason(bare), "PATTERN_UNIT");
  ImportOptions options;
  options.metres_per_unit = 0.0254;
  EXPECT_NEAR(panel_area(good(bare, options).pattern.panels[0]), 0.42 * 0.62, 1e-4);
  EXPECT_NEAR(
      panel_area(good(file(block("A", light("1", inches)), text("1", {0, 0}, "UNITS: ENGLISH"))).pattern.panels[0]),
      0.42 * 0.62, 1e-4);
  options.metres_per_unit = 1.0;
  EXPECT_EQ(reason(bare, options), "PANEL_SIZE");
  options.metres_per_unit = -3.0;
  EXPECT_EQ(reason(bare, options), "PATTERN_UNIT");
}

TEST(DxfImport, ABulgeIsAnArc) {
  std::string half = pair(0, "LWPOLYLINE") + pair(8, "1") + pair(70, "1") + xy({0, 0}) + pair(42, "1") + xy({400, 0});
  const ImportedPattern p = good(file(block("HALF CIRCLE", half)));
  EXPECT_NEAR(panel_area(p.pattern.panels[0]), 0.5 * M_PI * 0.04, 2e-4);
}

TEST(DxfImport, EveryRefusalNamesItsPlace) {
  EXPECT_EQ(reason(file("")), "PATTERN_WITHOUT_PANELS");
  EXPECT_EQ(reason(file(block("A", polyline("1", kCut, false)))), "PANEL_LOOP_OPEN");
  EXPECT_EQ(reason(file(block("A", light("1", {{0, 0}, {400, 0}, {400, 0}})))), "OUTLINE_TOO_SHORT");
  EXPECT_EQ(reason(file(block("A", light("1", {{0, 0}, {400, 400}, {400, 0}, {0, 400}})))), "PANEL_CROSSES_ITSELF");
  EXPECT_EQ(reason(file(block("A", pair(0, "POINT") + pair(10, "1e")))), "PATTERN_DXF");
  EXPECT_EQ(reason(file(block("A", pair(0, "POINT") + pair(10, "nan")))), "PATTERN_DXF");
  EXPECT_EQ(reason(pair(0, "SECTION") + pair(2, "BLOCKS") + block("A", light("1", kCut))), "PATTERN_DXF") << "cut off";
  EXPECT_EQ(reason(file(block("A", light("1", kCut) + line("6", {-99, 0}, {-99, 9})))), "PANEL_FOLD");
  std::string many;
  for (int i = 0; i < 300; ++i) many += block(cat("P", i), light("1", kCut));
  EXPECT_EQ(reason(file(many)), "PATTERN_TOO_MANY_PANELS");
}

// ---- grading --------------------------------------------------------------------------------------------------

std::string graded() {
  std::string out = light("1", kCut);
  out +=
      text("2", {0, 0}, "# 1") + text("2", {420, 0}, "# 2") + text("2", {420, 620}, "# 3") + text("2", {0, 620}, "# 4");
  return file(block("FRONT", out));
}
const char kRul[] =
    "ANSI/AAMA VERSION: 1.0.0\r\nUNITS: METRIC\r\nGRADE RULE TABLE: TEST\r\nNUMBER OF SIZES: 3\r\n"
    "SIZE LIST: S M L\r\nSAMPLE SIZE: M\r\n"
    "RULE: DELTA 1\r\n 0.00, 0.00 0.00, 0.00 0.00, 0.00\r\nRULE: DELTA 2\r\n -20.0, 0.0 0.0, 0.0\r\n 20.0, 0.0\r\n"
    "RULE: DELTA 3\r\n -20.0,-10.0 0.0,0.0 20.0,10.0\r\nRULE: DELTA 4\r\n 0.0,-10.0 0.0,0.0 0.0,10.0\r\nEND\r\n";

TEST(Grading, RulesMoveTheirPointsInEverySize) {
  const std::string rul = kRul;
  ImportOptions options;
  options.grading = rul;
  const ImportedPattern p = good(graded(), options);
  EXPECT_EQ(p.pattern.size, "M");
  ASSERT_EQ(p.pattern.sizes.size(), 2u);
  EXPECT_NEAR(panel_area(at_size(p.pattern, "L").value().panels[0]), 0.44 * 0.63, 1e-9);
  EXPECT_NEAR(panel_area(at_size(p.pattern, "S").value().panels[0]), 0.40 * 0.61, 1e-9);
  options.size = "L";
  EXPECT_NEAR(panel_area(good(graded(), options).pattern.panels[0]), 0.44 * 0.63, 1e-9);
  options.size = "XXL";
  EXPECT_EQ(reason(graded(), options), "SIZE_UNKNOWN");
  const std::string text = write_pattern(p.pattern);
  EXPECT_EQ(write_pattern(good(text).pattern), text) << "sizes are kept";
}

// Half of a back, cut on the fold at x = 0, with a line, a drill hole and a notch.
std::string graded_half() {
  std::string out = light("1", kCut) + line("6", {0, 0}, {0, 620}) + point("4", {420, 310}) + point("13", {200, 300});
  out += pair(0, "POLYLINE") + pair(8, "8") + pair(66, "1") + pair(70, "0") + pair(0, "VERTEX") + xy({50, 100}) +
         pair(0, "VERTEX") + xy({300, 100}) + pair(0, "SEQEND");
  out +=
      text("2", {0, 0}, "# 1") + text("2", {420, 0}, "# 2") + text("2", {420, 620}, "# 3") + text("2", {0, 620}, "# 4");
  return file(block("BACK", out));
}

TEST(Grading, AHalfPieceIsUnfoldedInEverySizeAboutItsOwnFold) {
  const std::string rul = kRul;
  ImportOptions options;
  options.grading = rul;
  const ImportedPattern p = good(graded_half(), options);
  EXPECT_TRUE(says(p, "unfolded"));
  ASSERT_EQ(p.pattern.sizes.size(), 2u);
  EXPECT_TRUE(validate(p.pattern).ok()) << validate(p.pattern);
  EXPECT_NEAR(panel_area(p.pattern.panels[0]), 2 * 0.42 * 0.62, 1e-9);
  for (const auto& [size, area] : {std::pair("L", 2 * 0.44 * 0.63), std::pair("S", 2 * 0.40 * 0.61)}) {
    const Pattern there = at_size(p.pattern, size).value();
    EXPECT_TRUE(validate(there).ok()) << validate(there);
    EXPECT_NEAR(panel_area(there.panels[0]), area, 1e-9) << size;
    ASSERT_EQ(there.panels[0].drill_holes.size(), 2u);
    ASSERT_EQ(there.panels[0].lines.size(), 2u);
    EXPECT_EQ(there.panels[0].notches.size(), 2u);
    const Vec2 a = there.panels[0].drill_holes[0].at, b = there.panels[0].drill_holes[1].at;
    EXPECT_NEAR(a.x(), -b.x(), 1e-12) << "marks are mirrored at that size's fold";
    EXPECT_NEAR(a.y(), b.y(), 1e-12);
  }
  const std::string text = write_pattern(p.pattern);
  EXPECT_EQ(write_pattern(good(text).pattern), text);
}

TEST(Grading, ATableThatDoesNotFitIsRefused) {
  auto with = [&](const std::string& from, const std::string& to) {
    std::string rul = kRul;
    rul.replace(rul.find(from), from.size(), to);
    ImportOptions options;
    options.grading = rul;
    return reason(graded(), options);
  };
  EXPECT_EQ(with("SAMPLE SIZE: M", "SAMPLE SIZE: Q"), "GRADE_RULES");
  EXPECT_EQ(with("DELTA 4", "DELTA 5"), "GRADE_RULES") << "a point follows rule 4";
  EXPECT_EQ(with("DELTA 4", "DELTA 3"), "GRADE_RULES") << "twice";
  EXPECT_EQ(with("UNITS: METRIC", "UNITS: ELLS"), "GRADE_RULES");
  EXPECT_EQ(with("-20.0, 0.0 0.0, 0.0", "-20.0, 0.0"), "GRADE_RULES") << "too few values";
  EXPECT_EQ(with("-20.0, 0.0 0.0, 0.0", "nan, 0.0 0.0, 0.0"), "GRADE_RULES");
}

TEST(Grading, ABlockAPieceAndSizeBecomesSizesOfOnePiece) {
  std::string blocks;
  for (const auto& [size, grow] : {std::pair{"S", 0.0}, std::pair{"M", 20.0}}) {
    std::vector<Vec2> points = kCut;
    for (Vec2& p : points) p.x() *= 1.0 + grow / 420.0;
    blocks += block(cat("FRONT_", size), light("1", points) + text("1", {0, 0}, "Piece Name: FRONT") +
                                             text("1", {0, 0}, cat("Size: ", size)));
  }
  const ImportedPattern p = good(file(blocks, text("1", {0, 0}, "Sample Size: M")));
  ASSERT_EQ(p.pattern.panels.size(), 1u);
  EXPECT_EQ(p.pattern.size, "M");
  EXPECT_NEAR(panel_area(p.pattern.panels[0]), 0.44 * 0.62, 1e-6);
  EXPECT_NEAR(panel_area(at_size(p.pattern, "S").value().panels[0]), 0.42 * 0.62, 1e-6);
}

// ---- FreeSewing, OBJ, sidecar ---------------------------------------------------------------------------------

const char kFreeSewing[] =
    R"({"design": "box", "unit": "mm", "y_axis": "down", "parts": {"box.front": {"paths": {
    "seam": {"class": "fabric", "ops": [{"type": "move", "to": [0, 0]}, {"type": "line", "to": [0, 400]},
      {"type": "line", "to": [200, 400]}, {"type": "curve", "to": [200, 0], "cp1": [240, 300], "cp2": [240, 100]}, {"type": "close"}]},
    "__macro_cutonfold_x_line": {"class": "note", "ops": [{"type": "move", "to": [0, 20]}, {"type": "line", "to": [15, 20]},
      {"type": "line", "to": [15, 380]}, {"type": "line", "to": [0, 380]}]},
    "chest": {"class": "help", "ops": [{"type": "move", "to": [0, 0]}, {"type": "line", "to": [900, 0]}]}},
    "snippets": [{"def": "notch", "at": [230, 200]}, {"def": "button", "at": [50, 50]}, {"def": "logo", "at": [1, 1]}]}}})";

TEST(FreeSewingImport, HalvesAreUnfoldedCurvesStayCurvesAndYIsTurnedUp) {
  const ImportedPattern p = good(kFreeSewing);
  ASSERT_EQ(p.pattern.panels.size(), 1u);
  const Panel& panel = p.pattern.panels[0];
  EXPECT_EQ(panel.edges.size(), 6u);
  EXPECT_NEAR(panel_area(panel), 2 * (0.08 + 0.0084), 1e-4);
  EXPECT_EQ(panel.notches.size(), 2u);
  EXPECT_EQ(panel.drill_holes.size(), 2u) << "the button comes twice, the logo not at all";
  int cubic = 0;
  for (const PanelEdge& e : panel.edges) cubic += e.curve.kind == EdgeCurve::Kind::kCubic;
  EXPECT_EQ(cubic, 2);
  EXPECT_EQ(p.pattern.name, "box");
}

const char kObj[] =
    "v 0 0 0\nv 0.4 0 0\nv 0.4 0.2 0\nv 0 0.2 0\nv 0.4 0 0.3\nv 0.8 0 0.3\nv 0.8 0.2 0.3\nv 0.4 0.2 0.3\n"
    "vt 0 0\nvt 0.4 0\nvt 0.4 0.2\nvt 0 0.2\nvt 1 0\nvt 1.4 0\nvt 1.4 0.2\nvt 1 0.2\n"
    "g left\nf 1/1 2/2 3/3 4/4\ng right\nf 5/5 6/6 7/7 8/8\nstitch 4 1 2 0.25\nstitch 7 2 2 0\n";

TEST(ObjImport, StitchLinesJoinPointsAndGroupsNamePieces) {
  const ImportedPattern p = good(kObj);
  ASSERT_TRUE(p.mesh.has_value());
  EXPECT_EQ(p.mesh->panel_names, (std::vector<std::string>{"left", "right"}));
  ASSERT_EQ(p.mesh->stitches.size(), 2u);
  EXPECT_EQ(p.mesh->stitches[0].t, 0.25);
  EXPECT_NEAR(p.mesh->panel_areas[1], 0.08, 1e-12);
  EXPECT_EQ(p.mesh->placed[4], Vec3(0.4, 0.3, 0.0)) << "z up becomes y up";
  const GarmentMesh garment = ready_garment(*p.mesh);
  ASSERT_EQ(garment.seams.size(), 1u);
  EXPECT_EQ(garment.seams[0].right, (std::vector<int>{1, 2}));
  std::string bad = kObj;
  bad.replace(bad.find("stitch 4 1 2"), 12, "stitch 4 1 9");
  EXPECT_EQ(reason(bad), "MESH_PATTERN_INDEX");
  bad = kObj;
  bad.replace(bad.find("f 5/5"), 5, "f 5/0");
  EXPECT_EQ(reason(bad), "PATTERN_OBJ");
}

const char kSidecar[] = R"({"schema": "tryon.seams.v1", "panels": [
  {"name": "left", "piece": 0, "role": "front"}, {"name": "right", "piece": "FRONT", "mirror": true}],
  "seams": [{"a": [{"panel": "left", "edge": 3}], "b": [{"panel": "right", "edge": 0, "from": 1, "to": 0}], "length_mm": 620}]})";

TEST(SidecarImport, CutsPanelsFromPiecesMirrorsThemAndSewsThem) {
  const std::string seams = kSidecar, bytes = file(block("FRONT", light("1", kCut)));
  ImportOptions options;
  options.sidecar = seams;
  const ImportedPattern p = good(bytes, options);
  ASSERT_EQ(p.pattern.panels.size(), 2u);
  EXPECT_EQ(p.pattern.panels[0].role, "front");
  ASSERT_EQ(p.pattern.stitches.size(), 1u);
  EXPECT_FALSE(p.pattern.stitches[0].right_wrong);
  const StitchSide &a = p.pattern.stitches[0].a, &b = p.pattern.stitches[0].b;
  EXPECT_NEAR(edge_length(p.pattern.panels[a.panel], a.edge), edge_length(p.pattern.panels[b.panel], b.edge), 1e-12);
  auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = kSidecar;
    changed.replace(changed.find(from), from.size(), to);
    ImportOptions o;
    o.sidecar = changed;
    return reason(bytes, o);
  };
  EXPECT_EQ(with("\"FRONT\"", "\"BACK\""), "SIDECAR_MISMATCH");
  EXPECT_EQ(with("\"piece\": 0", "\"piece\": 7"), "SIDECAR_MISMATCH");
  EXPECT_EQ(with("620", "500"), "SIDECAR_MISMATCH") << "it was written for another pattern";
  EXPECT_EQ(with("\"edge\": 3", "\"edge\": 9"), "SEAM_EDGE_MISSING");
  EXPECT_EQ(with("tryon.seams.v1", "other"), "PATTERN_FIELD_TYPE");
}

TEST(SidecarImport, CutsPanelsOfAGradedPatternInEverySize) {
  const std::string seams = kSidecar, rul = kRul;
  ImportOptions options;
  options.sidecar = seams, options.grading = rul;
  const ImportedPattern p = good(graded(), options);
  ASSERT_EQ(p.pattern.panels.size(), 2u);
  ASSERT_EQ(p.pattern.sizes.size(), 2u);
  const Pattern large = at_size(p.pattern, "L").value();
  EXPECT_TRUE(validate(large).ok()) << validate(large);
  for (const Panel& panel : large.panels) EXPECT_NEAR(panel_area(panel), 0.44 * 0.63, 1e-9);
  const StitchSide &a = large.stitches[0].a, &b = large.stitches[0].b;
  EXPECT_NEAR(edge_length(large.panels[a.panel], a.edge), 0.63, 1e-9);
  EXPECT_NEAR(edge_length(large.panels[b.panel], b.edge), 0.63, 1e-9);
}

// ---- damage ---------------------------------------------------------------------------------------------------

// Cut off, bytes changed, digits changed: a pattern that can be validated or a reason, and never anything else.
void damage(const std::string& bytes, const ImportOptions& options, unsigned seed) {
  std::mt19937 random(seed);
  auto judge = [&](const std::string& broken) {
    const auto p = import_pattern(broken, "broken", options);
    if (p.ok()) {
      EXPECT_TRUE(p->mesh || validate(p->pattern).ok());
    } else {
      EXPECT_TRUE(error_detail(p.status()).has_value()) << p.status();
    }
  };
  for (int i = 0; i < 150; ++i) judge(bytes.substr(0, random() % bytes.size()));
  for (int i = 0; i < 400; ++i) {
    std::string broken = bytes;
    for (unsigned k = 0; k <= random() % 3; ++k) broken[random() % broken.size()] = static_cast<char>(random() % 256);
    judge(broken);
  }
  const std::string digits[] = {"-1", "0", "1e308", "nan", "inf", "99999999999999999999", "-0", "1e-300", "2147483648"};
  for (int i = 0; i < 400; ++i) {
    std::string broken = bytes;
    const size_t at = broken.find_first_of("0123456789", random() % broken.size());
    if (at == std::string::npos) continue;
    const size_t end = broken.find_first_not_of("0123456789.", at);
    broken.replace(at, end == std::string::npos ? 1 : end - at, digits[random() % 9]);
    judge(broken);
  }
}

TEST(Damage, NoDamagedFileOfAnyFormatGetsThrough) {
  const std::string dxf =
      file(block("FRONT", polyline("1", kCut) + light("14", kSew) + point("4", {420, 310}) +
                              line("7", {50, 50}, {50, 250}) + text("1", {0, 0}, "Quantity: 1,1")) +
           block("BACK", light("1", {{0, 0}, {200, 0}, {230, 400}, {0, 500}}) + line("6", {0, 0}, {0, 500})));
  damage(dxf, {}, 1);
  damage(kFreeSewing, {}, 2);
  damage(kObj, {}, 3);
  damage(write_pattern(good(dxf).pattern), {}, 4);
}

TEST(Damage, NoDamagedSidecarOrGradingGetsThrough) {
  std::mt19937 random(5);
  const std::string piece = file(block("FRONT", light("1", kCut)));
  for (int i = 0; i < 600; ++i) {
    std::string rul = kRul, seams = kSidecar;
    rul[random() % rul.size()] = static_cast<char>(random() % 256);
    seams[random() % seams.size()] = static_cast<char>(random() % 256);
    if (i % 3 == 0) rul.resize(random() % rul.size()), seams.resize(random() % seams.size());
    ImportOptions options;
    options.grading = rul;
    const auto a = import_pattern(graded(), "x", options);
    EXPECT_TRUE(a.ok() || error_detail(a.status()).has_value());
    options = {};
    options.sidecar = seams;
    const auto b = import_pattern(piece, "x", options);
    EXPECT_TRUE(b.ok() || error_detail(b.status()).has_value());
    options.grading = rul;
    const auto c = import_pattern(i % 2 == 0 ? graded() : graded_half(), "x", options);
    EXPECT_TRUE(c.ok() || error_detail(c.status()).has_value());
  }
}

}  // namespace
}  // namespace tryon
