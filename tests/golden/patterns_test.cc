// Every pattern file of the shared data through the one door: imported with the pieces and the area that it has, or
// refused for the reason that it gives. Areas of the FreeSewing files and of tshirt and
// testpuzzle were summed independently from the files' own coordinates; the other DXF areas are what the importer gave
// when this was written, and the two flavours of a style, read by different code, must agree.
#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>

#include "gtest/gtest.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/garment/pattern.h"
#include "server/io/pattern_import.h"
#include "tests/support/shared_data.h"

namespace tryon {
namespace {
namespace fs = std::filesystem;

absl::StatusOr<ImportedPattern> import_shared(const std::string& file, const std::string& placed = "") {
  const std::string bytes = testing::read_file(testing::shared_data_path(file));
  std::string other;
  ImportOptions options;
  if (!placed.empty()) {
    other = testing::read_file(testing::shared_data_path(placed));
    options.placed_mesh = other;
  }
  return import_pattern(bytes, file, options);
}

double total_area(const Pattern& pattern) {
  double sum = 0.0;
  for (const Panel& panel : pattern.panels) sum += panel_area(panel);
  return sum;
}

std::string reason_of(const absl::Status& status) {
  const auto detail = error_detail(status);
  return detail ? detail->reason : "none";
}

struct Golden {
  const char* name;
  size_t pieces;
  double area_m2;
};

class Dxf : public ::testing::TestWithParam<Golden> {};

TEST_P(Dxf, BothFlavoursHaveThePiecesAndTheAreaOfTheirSewLines) {
  const Golden& golden = GetParam();
  for (const char* flavour : {"_aama.dxf", "_astm.dxf"}) {
    const std::string file = cat("patterns/valentina/", golden.name, flavour);
    SCOPED_TRACE(file);
    TRYON_NEEDS_SHARED_DATA(file);
    const auto imported = import_shared(file);
    ASSERT_TRUE(imported.ok()) << imported.status();
    EXPECT_EQ(imported->pattern.panels.size(), golden.pieces);
    // In one block of the AAMA file the sew line is another line than in the ASTM file: a part of the piece only.
    const bool differs = std::string(golden.name) == "basic_block_women" && std::string(flavour) == "_aama.dxf";
    EXPECT_NEAR(total_area(imported->pattern), differs ? 1.03274 : golden.area_m2, 1e-4);
    EXPECT_FALSE(imported->notes.empty()) << "the assumed unit is said";
  }
}

INSTANTIATE_TEST_SUITE_P(Valentina, Dxf,
                         ::testing::Values(Golden{"basic_block_women", 4, 0.84804}, Golden{"blusa", 2, 0.121854},
                                           Golden{"gent_jacket", 36, 2.54704}, Golden{"jacketM1_52-176", 5, 0.647874},
                                           Golden{"jacketM5_30-110_child", 8, 0.695551},
                                           Golden{"keiko_skirt", 2, 0.247914}, Golden{"maleshirt", 17, 0.962819},
                                           Golden{"pajama_top_wrap", 9, 0.806976},
                                           Golden{"pantsM1_52-176", 2, 0.692574}, Golden{"sleeve", 1, 0.211189},
                                           Golden{"testgrid_10cm", 1, 0.0055}, Golden{"testpuzzle", 2, 0.0556018},
                                           Golden{"tshirt", 5, 0.438771}),
                         [](const auto& info) {
                           std::string name = info.param.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(DxfData, TheGridMeasuresExactlyTenCentimetres) {
  TRYON_NEEDS_SHARED_DATA("patterns/valentina/testgrid_10cm_astm.dxf");
  const ImportedPattern grid = import_shared("patterns/valentina/testgrid_10cm_astm.dxf").value();
  Eigen::AlignedBox2d box;
  for (const Vec2& p : outline_points(grid.pattern.panels[0])) box.extend(p);
  EXPECT_NEAR(box.sizes().x(), 0.1, 1e-6);
  EXPECT_NEAR(box.sizes().y(), 0.1, 1e-6);
}

TEST(DxfData, ThePieceOfAKilometreIsRefusedByItsName) {
  TRYON_NEEDS_SHARED_DATA("patterns/valentina/steampunk_trousers_BROKEN_PIECE_astm.dxf");
  for (const char* flavour : {"aama", "astm"}) {
    const auto broken = import_shared(cat("patterns/valentina/steampunk_trousers_BROKEN_PIECE_", flavour, ".dxf"));
    EXPECT_EQ(reason_of(broken.status()), "PANEL_SIZE");
    EXPECT_NE(error_detail(broken.status())->field.find("lock "), std::string::npos) << "the block is named";
  }
}

class FreeSewing : public ::testing::TestWithParam<Golden> {};

TEST_P(FreeSewing, HasItsPartsWithHalvesUnfolded) {
  const std::string file = cat("patterns/freesewing/", GetParam().name, ".paths.json");
  TRYON_NEEDS_SHARED_DATA(file);
  const auto imported = import_shared(file);
  ASSERT_TRUE(imported.ok()) << imported.status();
  EXPECT_EQ(imported->format, ImportedPattern::Format::kFreeSewing);
  EXPECT_EQ(imported->pattern.panels.size(), GetParam().pieces);
  EXPECT_NEAR(total_area(imported->pattern), GetParam().area_m2, 1e-4);
}

INSTANTIATE_TEST_SUITE_P(
    Data, FreeSewing,
    ::testing::Values(Golden{"aaron_cisMaleAdult40", 4, 0.60301}, Golden{"bella_cisFemaleAdult36", 3, 0.39827},
                      Golden{"brian_cisMaleAdult40", 3, 0.85575}, Golden{"paco_cisFemaleAdult36", 5, 0.59961},
                      Golden{"penelope_cisFemaleAdult36", 3, 0.54859}, Golden{"sandy_cisFemaleAdult36", 2, 0.81615},
                      Golden{"simon_cisMaleAdult42", 10, 1.19301}, Golden{"teagan_cisFemaleAdult28", 3, 0.43607},
                      Golden{"teagan_cisFemaleAdult36", 3, 0.64527}, Golden{"teagan_cisFemaleAdult46", 3, 0.96471},
                      Golden{"titan_cisMaleAdult40", 2, 0.62930}),
    [](const auto& info) { return std::string(info.param.name); });

struct MeshGolden {
  const char* name;
  size_t pieces, stitches;
  double area_m2;
  int vertices;
};

class Berkeley : public ::testing::TestWithParam<MeshGolden> {};

TEST_P(Berkeley, TheSewnMeshAndTheFlatOneBesideThePlacedAreOneGarment) {
  const MeshGolden& golden = GetParam();
  const std::string base = cat("patterns/berkeley_meshes/", golden.name);
  TRYON_NEEDS_SHARED_DATA(base + ".obj");
  const auto sewn = import_shared(base + ".obj"), flat = import_shared(base + "-m.obj", base + "-w.obj");
  ASSERT_TRUE(sewn.ok()) << sewn.status();
  ASSERT_TRUE(flat.ok()) << flat.status();
  for (const auto* p : {&*sewn, &*flat}) {
    ASSERT_TRUE(p->mesh.has_value());
    EXPECT_EQ(p->mesh->panel_names.size(), golden.pieces);
    EXPECT_EQ(p->mesh->vertex_count(), golden.vertices);
    EXPECT_EQ(p->mesh->placed.size(), p->mesh->flat.size());
    EXPECT_NEAR(total_area(p->pattern), golden.area_m2, 2e-4) << "outlines as large as the triangles";
  }
  EXPECT_EQ(sewn->mesh->stitches.size(), golden.stitches);
}

TEST_P(Berkeley, ThePlacedMeshAloneHasNoFlatCloth) {
  const std::string file = cat("patterns/berkeley_meshes/", GetParam().name, "-w.obj");
  TRYON_NEEDS_SHARED_DATA(file);
  EXPECT_EQ(reason_of(import_shared(file).status()), "MESH_PATTERN_FLAT");
}

INSTANTIATE_TEST_SUITE_P(
    Data, Berkeley,
    ::testing::Values(MeshGolden{"pants", 4, 61, 1.08898, 170}, MeshGolden{"robe", 8, 102, 2.82924, 612},
                      MeshGolden{"shirt", 14, 125, 1.01043, 570}, MeshGolden{"skirt", 6, 50, 0.41201, 177},
                      MeshGolden{"tshirt", 6, 96, 0.67401, 426}, MeshGolden{"vest", 4, 31, 0.62289, 412}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Scene, TheKnifePleatedDressKeepsItsVerticesItsStitchesAndItsPublishedArea) {
  TRYON_NEEDS_SHARED_DATA("scenes/dress_knife/stage.obj");
  const auto dress = import_shared("scenes/dress_knife/stage.obj");
  ASSERT_TRUE(dress.ok()) << dress.status();
  ASSERT_TRUE(dress->mesh.has_value());
  EXPECT_EQ(dress->mesh->vertex_count(), 15656);
  EXPECT_EQ(dress->mesh->triangles.size(), 29456u);
  EXPECT_EQ(dress->mesh->stitches.size(), 851u);
  EXPECT_EQ(dress->mesh->panel_names.size(), 14u);
  EXPECT_EQ(dress->mesh->panel_names[0].rfind("panel", 0), 0u);
  EXPECT_NEAR(total_area(dress->pattern), 0.6894, 1e-4) << "drapes/metrics.json";
  EXPECT_EQ(dress->mesh->stitches[0].a, 56) << "the file's own numbers";
  for (const char* other : {"body", "drape"}) {
    EXPECT_EQ(reason_of(import_shared(cat("scenes/dress_knife/", other, ".obj")).status()), "MESH_PATTERN_FLAT");
  }
}

// Everything in the folder is judged above or here: nothing is left out because nobody thought of it.
TEST(Data, EveryFileInTheFoldersImportsOrSaysWhyNot) {
  TRYON_NEEDS_SHARED_DATA("patterns/garmentcodedata/index.csv");
  const std::map<std::string, std::string> refused = {{"steampunk_trousers_BROKEN_PIECE_aama.dxf", "PANEL_SIZE"},
                                                      {"steampunk_trousers_BROKEN_PIECE_astm.dxf", "PANEL_SIZE"},
                                                      {"measurements_mm.json", "PATTERN_NOT_A_PATTERN"}};
  std::map<std::string, int> counts;
  for (const auto& entry : fs::recursive_directory_iterator(testing::shared_data_path("patterns"))) {
    const std::string ending = entry.path().extension(), name = entry.path().filename();
    if (ending != ".json" && ending != ".dxf" && ending != ".svg" && ending != ".obj" && ending != ".val") continue;
    if (name.size() > 6 && name.substr(name.size() - 6) == "-w.obj") continue;
    SCOPED_TRACE(name);
    const auto imported = import_pattern(testing::read_file(entry.path()), name);
    ++counts[ending];
    if (ending == ".svg" || ending == ".val") {
      EXPECT_EQ(reason_of(imported.status()), "PATTERN_NOT_JSON");
    } else if (refused.count(name)) {
      EXPECT_EQ(reason_of(imported.status()), refused.at(name));
    } else {
      EXPECT_TRUE(imported.ok()) << imported.status();
    }
  }
  EXPECT_GE(counts[".json"], 75 + 12);
  EXPECT_EQ(counts[".dxf"], 28);
  EXPECT_EQ(counts[".obj"], 12);
}

TEST(RoundTrip, EveryFileThatImportsIsKeptByOurOwnJsonAndWrittenAgainTheSame) {
  TRYON_NEEDS_SHARED_DATA("patterns/garmentcodedata/index.csv");
  std::map<std::string, int> kept;
  for (const char* root : {"patterns", "scenes"}) {
    for (const auto& entry : fs::recursive_directory_iterator(testing::shared_data_path(root))) {
      const std::string name = entry.path().filename(), ending = entry.path().extension();
      if (ending != ".json" && ending != ".dxf" && ending != ".obj") continue;
      const auto first = import_pattern(testing::read_file(entry.path()), name);
      if (!first.ok()) continue;  // judged above
      SCOPED_TRACE(name);
      const std::string text = write_pattern(first->pattern);
      const auto again = import_pattern(text, "again.json");
      ASSERT_TRUE(again.ok()) << again.status();
      EXPECT_EQ(write_pattern(again->pattern), text);
      EXPECT_EQ(again->pattern.panels.size(), first->pattern.panels.size());
      EXPECT_EQ(again->pattern.stitches.size(), first->pattern.stitches.size());
      EXPECT_NEAR(total_area(again->pattern), total_area(first->pattern), 1e-7) << "written to the nanometre";
      ++kept[ending];
    }
  }
  EXPECT_EQ(kept[".json"], 75 + 11);
  EXPECT_EQ(kept[".dxf"], 26);
  EXPECT_EQ(kept[".obj"], 12 + 1);
}

}  // namespace
}  // namespace tryon
