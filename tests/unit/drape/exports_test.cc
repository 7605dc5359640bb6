// What a drape leaves beside its usual files: one coarse drape in the wind, asked for everything.
#include "server/drape/exports.h"

#include <cmath>
#include <cstring>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "server/base/status.h"
#include "server/base/units.h"
#include "server/drape/drape_pictures.h"
#include "server/garment/template.h"
#include "tests/unit/drape/drape_with_threads.h"

namespace tryon {
namespace {
using Json = nlohmann::json;
using testing::drape_with_threads;

DrapeRequest skirt_in_wind() {
  DrapeRequest request;
  request.body.sample = true;
  request.garment.draft.emplace().name = *template_of_sample("skirt");
  request.settings.resolution_mm = 30;
  request.settings.wind_mps = Vec3(0, 0, 6);
  for (size_t k = 0; k < kExportNames.size(); ++k) request.settings.exports.push_back(static_cast<Export>(k));
  return request;
}

const Artifacts& everything() {
  static const Artifacts artifacts = [] {
    auto made = drape_with_threads(skirt_in_wind(), 2);
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? std::move(made->artifacts) : Artifacts();
  }();
  return artifacts;
}

Json json_of(const std::string& glb) {
  uint32_t length = 0;
  std::memcpy(&length, glb.data() + 12, 4);
  return Json::parse(glb.substr(20, length));
}

TEST(Exports, EveryFileAskedForIsThereAndNoneElse) {
  for (const char* file : {"garment_web.glb", "garment_desktop.glb", "garment_source.glb", "wind.glb", "garment.ply",
                           "garment.stl", "turntable.png", "views.png", "heat_strain_warp.png", "heat_strain_weft.png",
                           "heat_strain_shear.png", "heat_distance.png", "sections.png"}) {
    ASSERT_TRUE(everything().count(file)) << file;
    EXPECT_GT(everything().at(file).bytes.size(), 1000u) << file;
  }
  DrapeRequest plain = skirt_in_wind();
  plain.settings.exports = {Export::kStl};
  const auto made = drape_with_threads(plain, 2);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_TRUE(made->artifacts.count("garment.stl"));
  EXPECT_FALSE(made->artifacts.count("garment_web.glb"));
  EXPECT_FALSE(made->artifacts.count("views.png"));
}

TEST(Exports, SameBytesForOneAndSevenThreads) {
  const auto other = drape_with_threads(skirt_in_wind(), 7);
  ASSERT_TRUE(other.ok()) << other.status();
  for (const auto& [name, artifact] : everything()) {
    if (name == "metrics.json") continue;  // tells the time spent
    EXPECT_TRUE(other->artifacts.at(name).bytes == artifact.bytes) << name;
  }
}

TEST(Exports, EveryFieldIsAnAttributeAndAVariantOfTheGarment) {
  for (const char* file : {"garment_web.glb", "garment_desktop.glb", "garment_source.glb"}) {
    const Json root = json_of(everything().at(file).bytes);
    const Json& attributes = root["meshes"].back()["primitives"][0]["attributes"];
    for (const char* name : {"_STRAIN_WARP", "_STRAIN_WEFT", "_STRAIN_SHEAR", "_DISTANCE", "TEXCOORD_0"}) {
      EXPECT_TRUE(attributes.contains(name)) << file << " " << name;
    }
    EXPECT_GE(root["extensions"]["KHR_materials_variants"]["variants"].size(), 5u) << file;
  }
}

TEST(Exports, TheWindEndsWhereTheDrapeStays) {
  const Json root = json_of(everything().at("wind.glb").bytes);
  EXPECT_EQ(root["animations"].size(), 1u);
  EXPECT_EQ(root["meshes"][1]["primitives"][0]["targets"].size(), 29u);
}

// A crumpled sheet of as many triangles as a long dress at 5 mm.
ExportPiece large_piece() {
  constexpr int kSide = 450;
  ExportPiece piece;
  piece.name = "garment";
  for (int j = 0; j <= kSide; ++j) {
    for (int i = 0; i <= kSide; ++i) {
      const double u = static_cast<double>(i) / kSide, v = static_cast<double>(j) / kSide;
      piece.mesh.positions.emplace_back(u, v, 0.03 * std::sin(40 * u) * std::cos(31 * v));
      piece.uv.emplace_back(u, v);
    }
  }
  for (int j = 0; j < kSide; ++j) {
    for (int i = 0; i < kSide; ++i) {
      const int a = j * (kSide + 1) + i, b = a + 1, c = a + kSide + 1, d = c + 1;
      piece.mesh.triangles.push_back({a, b, c});
      piece.mesh.triangles.push_back({b, d, c});
    }
  }
  piece.normals = vertex_normals(piece.mesh);
  for (const char* name : {"_STRAIN_WARP", "_STRAIN_WEFT", "_STRAIN_SHEAR", "_DISTANCE", "_PRESSURE"}) {
    ExportField field{name, name, "", {}, -1.0, 1.0, true, false};
    for (const Vec3& p : piece.mesh.positions) field.values.push_back(std::sin(9.0 * p.x() + p.y()));
    piece.fields.push_back(field);
  }
  return piece;
}

TEST(Exports, ForTheWebFourHundredThousandTrianglesFitInThreeMegabytes) {
  const ExportPiece piece = large_piece();
  ASSERT_GT(piece.mesh.triangle_count(), 400'000);
  GlbOptions options;
  for (const bool draco : {false, true}) {
    options.draco = draco;
    options.quantise = !draco;
    const auto bytes = write_web_glb(piece, options, kWebTriangles, kWebBytes);
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    EXPECT_LE(bytes->size(), kWebBytes);
    const Json root = json_of(*bytes);
    const Json& primitive = root["meshes"][0]["primitives"][0];
    const int triangles = root["accessors"][primitive["indices"].get<int>()]["count"].get<int>() / 3;
    EXPECT_LE(triangles, kWebTriangles);
    EXPECT_GT(triangles, draco ? 100'000 : 40'000);
  }
}

// A catalog that shows its own pictures does not wait for ours.
TEST(Exports, FewerPicturesLeaveTheOtherFilesAsTheyAre) {
  DrapeRequest request = skirt_in_wind();
  request.settings.exports = {Export::kPly};
  const auto previews = [](const Artifacts& files) {
    std::vector<std::string> out;
    for (const auto& [name, file] : files) {
      if (name.rfind("preview_", 0) == 0) out.push_back(name);
    }
    return out;
  };
  request.settings.pictures = Pictures::kFront;
  const auto front = drape_with_threads(request, 2);
  ASSERT_TRUE(front.ok()) << front.status();
  EXPECT_EQ(previews(front->artifacts), std::vector<std::string>{"preview_front.png"});
  request.settings.pictures = Pictures::kNone;
  const auto none = drape_with_threads(request, 2);
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_TRUE(previews(none->artifacts).empty());
  for (const char* name : {"garment.glb", "scene.glb", "garment.ply", "garment.obj"}) {
    EXPECT_TRUE(none->artifacts.at(name).bytes == everything().at(name).bytes) << name;
  }
  EXPECT_TRUE(front->artifacts.at("preview_front.png").bytes == everything().at("preview_front.png").bytes);
  EXPECT_TRUE(none->artifacts.contains("report.html"));
}

TEST(Exports, ThePictureOfAllViewsNeedsThem) {
  DrapeSettings settings;
  settings.exports = {Export::kViews};
  EXPECT_TRUE(validate(settings).ok());
  settings.pictures = Pictures::kFront;
  EXPECT_EQ(error_detail(validate(settings))->reason, "SETTINGS_CONFLICT");
}

TEST(Exports, WindWithoutWindAndDracoWithoutAFileAreConflicts) {
  DrapeSettings settings;
  settings.exports = {Export::kWind};
  EXPECT_EQ(error_detail(validate(settings))->reason, "SETTINGS_CONFLICT");
  settings.exports = {Export::kPly};
  settings.draco = true;
  EXPECT_EQ(error_detail(validate(settings))->reason, "SETTINGS_CONFLICT");
  settings.exports = {Export::kWeb};
  EXPECT_TRUE(validate(settings).ok());
}

TEST(Exports, ARequestKeepsItsExportsAndTheyArePartOfItsIdentity) {
  const DrapeRequest request = skirt_in_wind();
  const auto again = drape_request_from_json(to_json(request));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->settings.exports, request.settings.exports);
  DrapeRequest fewer = request;
  fewer.settings.exports.pop_back();
  EXPECT_NE(digest(fewer), digest(request));
}

TEST(CrossSections, ATubeRoundTheBodyIsCutAsALoopOutsideIt) {
  Body body;
  TriangleMesh cloth;
  for (TriangleMesh* mesh : {&body.mesh, &cloth}) {
    const double radius = mesh == &cloth ? 0.2 : 0.15;
    for (int j = 0; j < 2; ++j) {
      for (int i = 0; i < 64; ++i) {
        const double a = 2 * kPi * i / 64;
        mesh->positions.emplace_back(radius * std::sin(a), 1.5 * j, radius * std::cos(a));
      }
    }
    for (int i = 0; i < 64; ++i) {
      const int n = (i + 1) % 64;
      mesh->triangles.push_back({i, n, n + 64});
      mesh->triangles.push_back({i, n + 64, i + 64});
    }
  }
  body.measurements_mm = {{"waist_height", 1000.0}, {"waist_girth", 942.0}};
  const auto cuts = cross_sections(body, cloth);
  ASSERT_EQ(cuts.size(), 1u);
  EXPECT_EQ(cuts[0].level, "waist");
  ASSERT_EQ(cuts[0].body.size(), 1u);
  ASSERT_EQ(cuts[0].cloth.size(), 1u);
  EXPECT_NEAR(*cuts[0].cloth_girth, 2 * kPi * 0.2, 2e-3);
  EXPECT_NEAR(*cuts[0].body_girth, 0.942, 1e-9);
  const Image picture = section_picture(cuts);
  EXPECT_GT(picture.width, 100);
}

TEST(SizeStrip, ShowsEverySizeFromFrontAndBackWithItsCaption) {
  std::vector<SizeOnBody> sizes;
  for (const double wide : {0.4, 0.5}) {
    RenderPiece piece;
    piece.mesh.positions = {{-wide, 0, 0}, {wide, 0, 0}, {0, 1.5, 0}};
    piece.mesh.triangles = {{0, 1, 2}};
    sizes.push_back({{"size", "advised"}, {piece}});
  }
  const auto strip = size_strip(RunContext{}, sizes);
  ASSERT_TRUE(strip.ok()) << strip.status();
  EXPECT_EQ(strip->width, 2 * 2 * 320);
  EXPECT_GT(strip->height, 480);
  EXPECT_FALSE(size_strip(RunContext{}, {}).ok());
}

TEST(ClothFields, RoundNumbersAreNotBelowTheirValue) {
  EXPECT_DOUBLE_EQ(round_up_125(1.0), 1.0);
  EXPECT_DOUBLE_EQ(round_up_125(1.1), 2.0);
  EXPECT_DOUBLE_EQ(round_up_125(0.034), 0.05);
  EXPECT_DOUBLE_EQ(round_up_125(51.0), 100.0);
}

}  // namespace
}  // namespace tryon
