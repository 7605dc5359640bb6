#include "server/io/fabric_import.h"

#include <minizip/zip.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "gtest/gtest.h"
#include "server/base/status.h"

namespace tryon {
namespace {

using Files = std::vector<std::pair<std::string, std::string>>;

std::string zipped(const Files& files) {
  const std::string path = testing::TempDir() + "fabric_import_test.zip";
  zipFile zip = zipOpen(path.c_str(), APPEND_STATUS_CREATE);
  for (const auto& [name, text] : files) {
    zipOpenNewFileInZip(zip, name.c_str(), nullptr, nullptr, 0, nullptr, 0, nullptr, Z_DEFLATED, 9);
    zipWriteInFileInZip(zip, text.data(), static_cast<unsigned>(text.size()));
    zipCloseFileInZip(zip);
  }
  zipClose(zip, nullptr);
  std::ifstream in(path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), {});
  std::filesystem::remove(path);
  return bytes;
}

ErrorDetail refused(std::string_view bytes, std::string_view name = "x") {
  const auto out = import_fabric(bytes, name);
  EXPECT_FALSE(out.ok());
  return error_detail(out.status()).value_or(ErrorDetail{});
}

const std::string kFitted = R"("custom": {"browzwear": {"mass": "105.6", "thickness": 0.105, "friction": "0.2",
  "bend": {"length": 43.4, "width": 52.8}, "shear": 33.9, "stretch": {"length": 587.5, "width": 1035.2},
  "name": "Cupro"}})";

std::string raw(const std::string& pull) {
  return R"("raw_data": {"M": 105.6, "L": {"S2": {"length": 8, "width": 5, "samplesTree": [[)" + pull + "]]}}}";
}

TEST(FabricImport, AU3mZipGivesItsFittedNumbersInSi) {
  const auto out =
      import_fabric(zipped({{"cupro.u3m", R"({"schema": "1.1", "material": {"name": "Cupro"}})"},
                            {"cupro_physics.json", "{" + kFitted + R"(, "schema": "1.1", "raw_data": null})"}}),
                    "cupro.u3ma");
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(out->format, "u3m");
  EXPECT_NEAR(out->fabric.areal_density, 0.1056, 1e-9);
  EXPECT_NEAR(out->fabric.stretch_warp, 587.5, 1e-9);
  EXPECT_NEAR(out->fabric.bend_weft, 5.28e-6, 1e-12);
  EXPECT_NEAR(out->fabric.thickness, 1.05e-4, 1e-12);
  EXPECT_DOUBLE_EQ(out->fabric.friction_static, 0.2);
  EXPECT_TRUE(fabric_from_json(out->json, "again").ok());
}

// 5 cm wide, 8 cm long: 4 mm are 5 %; 510 gf on 5 cm are 100 N/m.
TEST(FabricImport, ARawCurveGivesTheStretchWhereNothingWasFitted) {
  const std::string no_stretch = R"("custom": {"browzwear": {"mass": 105.6, "bend": {"length": 40, "width": 50},
    "shear": 30, "stretch": {"width": 1000}}})";
  const auto out =
      import_fabric("{" + no_stretch + "," + raw("8.0, 0, 8.2, 254.93, 8.4, 509.86") + "}", "physics.json");
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_NEAR(out->fabric.stretch_warp, 2000, 1);
  EXPECT_FALSE(out->notes.empty());
}

TEST(FabricImport, ACurveThatTurnsBackIsRefusedByNameAndPoint) {
  const ErrorDetail back = refused("{" + kFitted + "," + raw("8.0, 0, 8.2, 200, 8.1, 300") + "}", "p.json");
  EXPECT_EQ(back.reason, "FABRIC_CURVE_NOT_MONOTONE");
  EXPECT_EQ(back.field, "p.json: raw_data.L.S2[2]");
  EXPECT_EQ(refused("{" + kFitted + "," + raw("8.0, 0, 8.2, 300, 8.4, 100, 8.5, 400") + "}").reason,
            "FABRIC_CURVE_NOT_MONOTONE");
}

TEST(FabricImport, AZipBombIsRefusedBeforeItUnfolds) {
  EXPECT_EQ(refused(zipped({{"bomb.json", std::string(16 << 20, ' ')}})).reason, "FABRIC_ZIP_TOO_LARGE");
  Files many;
  for (int i = 0; i < 300; ++i) many.emplace_back("f" + std::to_string(i) + ".json", "{}");
  EXPECT_EQ(refused(zipped(many)).reason, "FABRIC_ZIP_TOO_LARGE");
  std::string cut = zipped({{"a.json", "{" + kFitted + "}"}});
  EXPECT_EQ(refused(cut.substr(0, cut.size() / 2)).reason, "FABRIC_ZIP_UNREADABLE");
  for (size_t i = 40; i < 80; ++i) cut[i] = static_cast<char>(cut[i] ^ 0x5a);
  EXPECT_EQ(refused(cut).reason, "FABRIC_ZIP_UNREADABLE");
  EXPECT_EQ(refused(zipped({{"looks.u3m", R"({"material": {}})"}})).reason, "FABRIC_FIELD_MISSING");
}

// KES constants: 1 gf cm2/cm = 9.80665e-5... per width 1 gf cm2/cm = 9.80665e-5 N m; G 1 gf/(cm deg) = 56.19 N/m.
TEST(FabricImport, AKesSheetIsConverted) {
  const auto out = import_fabric(
      "name;Worsted\n# "
      "KES-F\nW;18.5\nT;0.45\nEMT;4.0;8.0\nLT;0.6;0.7\nG;0.7;0.7\n2HG;1.2;1.2\nB;0.10;0.06\n2HB;0.05;0.03\n",
      "kes.csv");
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(out->format, "kes");
  EXPECT_NEAR(out->fabric.areal_density, 0.185, 1e-12);
  EXPECT_NEAR(out->fabric.shear, 0.7 * 56.188, 0.01);
  EXPECT_NEAR(out->fabric.bend_warp, 0.1 * 9.80665e-5, 1e-12);
  EXPECT_NEAR(out->fabric.bend_hysteresis, 0.04 * 9.80665e-3, 1e-12);
  EXPECT_NEAR(out->fabric.stretch_warp, 0.6 * 490.3325 / 0.04, 1e-6);
  EXPECT_NEAR(out->fabric.strain_limit.weft, 0.08, 1e-12);  // where its curve ends
  EXPECT_EQ(out->fabric.title, "Worsted");
}

TEST(FabricImport, AFastSheetIsConverted) {
  const auto out = import_fabric("W,200\nT2,0.5\nC,20,18\nE5,0.5,0.8\nE20,1.0,1.6\nE100,2.5,4\nEB5,3\n", "fast.csv");
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(out->format, "fast");
  EXPECT_NEAR(out->fabric.shear, 41, 1e-9);
  EXPECT_NEAR(out->fabric.stretch_warp, 15 * 0.980665 / 0.005, 1e-6);
  EXPECT_NEAR(out->fabric.bend_warp, 0.2 * 9.80665 * 8e-6, 1e-12);
  const ErrorDetail turned = refused("W,200\nC,20\nE5,0.9\nE20,0.6\nE100,2.5\nEB5,3\n");
  EXPECT_EQ(turned.reason, "FABRIC_CURVE_NOT_MONOTONE");
}

TEST(FabricImport, WrongUnitsAndMissingRowsAreNamed) {
  EXPECT_EQ(refused("W,350\nEMT,4\nG,0.7\nB,0.1\n", "kes.csv").reason, "FABRIC_OUT_OF_RANGE");  // g/m2, not mg/cm2
  EXPECT_EQ(refused("W,18.5\nEMT,4\nB,0.1\n", "kes.csv").field, "kes.csv: G");
  EXPECT_EQ(refused("W,18.5\nEMT,many\nG,1\nB,0.1\n", "kes.csv").reason, "FABRIC_UNREADABLE");
  EXPECT_EQ(refused("W,18.5\nEMT,nan\nG,1\nB,0.1\n", "kes.csv").reason, "FABRIC_UNREADABLE");
  EXPECT_EQ(refused("").reason, "FABRIC_FILE_UNKNOWN");
  EXPECT_EQ(refused("\x89PNG\r\n").reason, "FABRIC_FILE_UNKNOWN");
  EXPECT_EQ(refused("{\"a\":").reason, "FABRIC_UNREADABLE");
  EXPECT_EQ(refused(std::string(100, '[')).reason, "FABRIC_FILE_UNKNOWN");
  EXPECT_EQ(refused(std::string(9 << 20, 'a')).reason, "FABRIC_FILE_TOO_LARGE");
}

}  // namespace
}  // namespace tryon
