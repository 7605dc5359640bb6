// GLB with fields, variants, compression and animation, judged by the Khronos validator and by other readers.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "server/base/units.h"
#include "server/io/mesh_export.h"
#include "tests/support/shared_data.h"
#include "tests/unit/io/mesh_test_support.h"

namespace tryon {
namespace {
using Json = nlohmann::json;

std::string tools() { return cat(testing::source_dir(), "/tests/unit/io/gltf_validator"); }

bool has_tools() {
  return std::filesystem::exists(tools() + "/node_modules/gltf-validator") &&
         std::filesystem::exists(tools() + "/node_modules/@gltf-transform/core") &&
         std::system("node --version >/dev/null 2>&1") == 0;
}
#define NEED_TOOLS() \
  if (!has_tools()) GTEST_SKIP() << "SKIPPED LOUDLY: the glTF readers are absent; run: scripts/install-test-tools"

// The smallest sound PNG: one grey pixel. Its colour does not matter here.
std::string a_png() {
  const unsigned char bytes[] = {0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48,
                                 0x44, 0x52, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00, 0x00, 0x00,
                                 0x00, 0x3a, 0x7e, 0x9b, 0x55, 0x00, 0x00, 0x00, 0x0a, 0x49, 0x44, 0x41, 0x54, 0x78,
                                 0x9c, 0x63, 0x68, 0x00, 0x00, 0x00, 0x82, 0x00, 0x81, 0x77, 0xcd, 0x72, 0xb6, 0x00,
                                 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};
  return std::string(reinterpret_cast<const char*>(bytes), sizeof(bytes));
}

ExportRamps ramps() { return {{a_png(), a_png()}, {a_png(), a_png()}}; }

// A waving sheet with three fields: x, height over the middle, and an index that is not shown.
ExportPiece sheet(int side) {
  ExportPiece piece;
  piece.name = "garment";
  ExportField warp{"_STRAIN_WARP", "Strain along the warp", "", {}, -0.5, 0.5, true};
  ExportField distance{"_DISTANCE", "Distance to the body", "m", {}, 0.0, 0.1, false};
  ExportField panel{"_PANEL", "", "", {}, 0.0, 1.0, false, false};
  for (int j = 0; j <= side; ++j) {
    for (int i = 0; i <= side; ++i) {
      const double u = static_cast<double>(i) / side, v = static_cast<double>(j) / side;
      piece.mesh.positions.emplace_back(u - 0.5, 1.0 + 0.05 * std::sin(12.0 * u), 0.7 * v);
      piece.uv.emplace_back(u, v);
      warp.values.push_back(u - 0.5);
      distance.values.push_back(0.05 + 0.05 * std::sin(12.0 * u));
      panel.values.push_back(j % 3);
    }
  }
  for (int j = 0; j < side; ++j) {
    for (int i = 0; i < side; ++i) {
      const int a = j * (side + 1) + i, b = a + 1, c = a + side + 1, d = c + 1;
      piece.mesh.triangles.push_back({a, c, b});
      piece.mesh.triangles.push_back({b, c, d});
    }
  }
  piece.normals = vertex_normals(piece.mesh);
  piece.fields = {warp, distance, panel};
  return piece;
}

ExportPiece waving() {
  ExportPiece piece = sheet(6);
  piece.fields.clear();
  for (int f = 0; f < 5; ++f) {
    piece.frames.push_back(piece.mesh.positions);
    for (Vec3& p : piece.frames.back()) p.z() += 0.1 * f * p.x();
  }
  return piece;
}

std::string saved(const std::string& bytes, const std::string& name) {
  const std::string path = testing::make_temp_dir() + "/" + name;
  testing::write_file(path, bytes);
  return path;
}

int validate(const std::string& path) { return std::system(cat("node ", tools(), "/validate.js ", path).c_str()); }

Json read_back(const std::string& path) {
  std::string text;
  FILE* pipe = popen(cat("node ", tools(), "/read.mjs ", path).c_str(), "r");
  char buffer[4096];
  for (size_t n = 0; (n = fread(buffer, 1, sizeof(buffer), pipe)) > 0;) text.append(buffer, n);
  EXPECT_EQ(pclose(pipe), 0) << path;
  return Json::parse(text, nullptr, false);
}

void expect_near(const Json& range, const std::vector<double>& low, const std::vector<double>& high, double error) {
  for (size_t k = 0; k < low.size(); ++k) {
    EXPECT_NEAR(range["low"][k].get<double>(), low[k], error) << k;
    EXPECT_NEAR(range["high"][k].get<double>(), high[k], error) << k;
  }
}

void expect_sheet(const Json& piece, double error) {
  EXPECT_EQ(piece["triangles"], 800);
  const Json& attributes = piece["attributes"];
  expect_near(attributes["POSITION"], {-0.5, 0.95, 0.0}, {0.5, 1.05, 0.7}, 1e-3 + error);
  expect_near(attributes["TEXCOORD_0"], {0, 0}, {1, 1}, error);
  expect_near(attributes["_STRAIN_WARP"], {-0.5}, {0.5}, error);
  expect_near(attributes["TEXCOORD_1"], {0.5 / 256, 0.5 / 256}, {1 - 0.5 / 256, 1 - 0.5 / 256}, 2e-3 + error);
  ASSERT_EQ(piece["variants"].size(), 3u);
  EXPECT_EQ(piece["variants"][0]["name"], "Fabric");
  EXPECT_EQ(piece["variants"][0]["textured"], false);
  EXPECT_EQ(piece["variants"][1]["name"], "Strain along the warp");
  EXPECT_EQ(piece["variants"][2]["coordinate"], 1);
  EXPECT_EQ(piece["variants"][2]["textured"], true);
}

TEST(GltfExport, FieldsAreAttributesAndVariantsForAnotherReader) {
  NEED_TOOLS();
  GlbOptions options;
  options.ramps = ramps();
  const std::string path = saved(*write_glb({sheet(20)}, options), "fields.glb");
  EXPECT_EQ(validate(path), 0);
  const Json seen = read_back(path);
  ASSERT_EQ(seen["pieces"].size(), 1u);
  expect_sheet(seen["pieces"][0], 1e-6);
  EXPECT_EQ(seen["pieces"][0]["vertices"], 441);
  EXPECT_TRUE(seen["pieces"][0]["attributes"].contains("_PANEL"));
}

TEST(GltfExport, QuantisedPlacesAreSmallerAndWithinAStepForAnotherReader) {
  NEED_TOOLS();
  GlbOptions options;
  options.ramps = ramps();
  const size_t plain = write_glb({sheet(20)}, options)->size();
  options.quantise = true;
  const std::string bytes = *write_glb({sheet(20)}, options), path = saved(bytes, "quantised.glb");
  EXPECT_LT(bytes.size(), plain * 3 / 4);
  EXPECT_EQ(validate(path), 0);
  expect_sheet(read_back(path)["pieces"][0], 2.0 / 65535);
}

TEST(GltfExport, DracoIsMuchSmallerAndDecodedByItsOwnDecoder) {
  NEED_TOOLS();
  GlbOptions options;
  options.ramps = ramps();
  const size_t plain = write_glb({sheet(20)}, options)->size();
  options.draco = true;
  const std::string bytes = *write_glb({sheet(20)}, options), path = saved(bytes, "draco.glb");
  EXPECT_LT(bytes.size(), plain / 3);
  EXPECT_EQ(validate(path), 0);
  expect_sheet(read_back(path)["pieces"][0], 1.0 / 4000);
}

TEST(GltfExport, GivesTheSameBytesForTheSamePieces) {
  for (const bool draco : {false, true}) {
    GlbOptions options;
    options.ramps = ramps();
    options.draco = draco;
    options.quantise = !draco;
    EXPECT_EQ(*write_glb({sheet(9)}, options), *write_glb({sheet(9)}, options));
  }
}

TEST(GltfExport, AMovingPieceIsAnAnimationWithATargetAFrame) {
  NEED_TOOLS();
  const std::string path = saved(*write_glb({sheet(3), waving()}, {ramps()}), "wind.glb");
  EXPECT_EQ(validate(path), 0);
  const Json seen = read_back(path);
  EXPECT_EQ(seen["pieces"][1]["targets"], 4);
  ASSERT_EQ(seen["animations"].size(), 1u);
  EXPECT_EQ(seen["animations"][0]["keys"], 5);
  EXPECT_EQ(seen["animations"][0]["weights"], 20);
  EXPECT_NEAR(seen["animations"][0]["seconds"].get<double>(), 0.4, 1e-6);
}

TEST(GltfExport, RefusesFieldsAndFramesThatBreakTheirShapes) {
  std::vector<ExportPiece> wrong(4, sheet(4));
  wrong[0].fields[0].values.pop_back();
  wrong[1].fields[1].high = wrong[1].fields[1].low;
  wrong[2].frames = {wrong[2].mesh.positions, {}};
  wrong[3].frames = {wrong[3].mesh.positions, wrong[3].mesh.positions};
  GlbOptions options;
  options.ramps = ramps();
  options.quantise = true;  // moving pieces are not
  for (size_t i = 0; i < wrong.size(); ++i) {
    EXPECT_EQ(write_glb({wrong[i]}, options).status().code(), absl::StatusCode::kInternal) << i;
  }
}

TEST(WritePly, IsReadBackByAssimpWithItsFieldsBesideThePlaces) {
  const ExportPiece piece = sheet(10);
  const std::string bytes = *write_ply(piece);
  EXPECT_NE(bytes.find("property float strain_warp\n"), std::string::npos);
  const auto parsed = testing::parse_with_sandbox(bytes, "garment.ply");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(parsed->mesh.triangle_count(), 200);
  ASSERT_EQ(parsed->mesh.vertex_count(), 121);
  for (int v = 0; v < 121; ++v) EXPECT_TRUE(parsed->mesh.positions[v].isApprox(piece.mesh.positions[v], 1e-6)) << v;
}

TEST(WriteStl, IsReadBackByAssimpAsTheSameTriangles) {
  const ExportPiece piece = sheet(10);
  const std::string bytes = *write_stl({piece, sheet(2)});
  EXPECT_EQ(bytes.size(), 84u + 50u * 208u);
  const auto parsed = testing::parse_with_sandbox(bytes, "garment.stl");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(parsed->mesh.triangle_count(), 208);
  EXPECT_TRUE(bounds(parsed->mesh).isApprox(bounds(piece.mesh), 1e-5));
}

}  // namespace
}  // namespace tryon
