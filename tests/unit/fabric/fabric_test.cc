#include "server/fabric/fabric.h"

#include <algorithm>

#include "gtest/gtest.h"
#include "server/base/status.h"
#include "server/base/units.h"

namespace tryon {
namespace {

TEST(FabricLibrary, EveryFileReadsNamesItselfAndItsSource) {
  ASSERT_GE(fabric_names().size(), 24u);
  for (const std::string& name : fabric_names()) {
    const auto fabric = fabric_by_name(name);
    ASSERT_TRUE(fabric.ok()) << fabric.status();
    EXPECT_EQ(fabric->name, name);
    EXPECT_FALSE(fabric->title.empty()) << name;
    EXPECT_FALSE(fabric->source.empty()) << name;
  }
}

TEST(FabricLibrary, TheDefaultIsInIt) { EXPECT_TRUE(fabric_by_name(kDefaultFabric).ok()); }

TEST(FabricLibrary, AnUnknownNameIsAnsweredWithTheNearest) {
  const auto status = fabric_by_name("denim").status();
  ASSERT_TRUE(error_detail(status).has_value());
  EXPECT_EQ(error_detail(status)->reason, "FABRIC_UNKNOWN");
  EXPECT_NE(fabric_by_name("denim_13oz").status().message().find("denim_13oz"), std::string::npos);
  EXPECT_NE(error_detail(fabric_by_name("denim_13oz").status())->remedy.find("denim_1"), std::string::npos);
}

TEST(FabricJson, AWrongUnitIsCaughtByItsRange) {
  const auto status = fabric_from_json(
      R"({"areal_density_kg_m2": 187, "thickness_m": 0.001, "stretch_warp_n_m": 30, "stretch_weft_n_m": 30,
          "shear_n_m": 30, "bend_warp_n_m2_per_m": 1e-5, "bend_weft_n_m2_per_m": 1e-5, "friction_static": 0.4,
          "friction_kinetic": 0.4})",
      "mine.json");
  EXPECT_EQ(error_detail(status.status())->reason, "FABRIC_OUT_OF_RANGE");
  EXPECT_EQ(error_detail(status.status())->field, "mine.json: areal_density_kg_m2");
}

const std::string kPlain =
    R"("areal_density_kg_m2": 0.2, "thickness_m": 0.001, "stretch_warp_n_m": 400, "stretch_weft_n_m": 40,
       "shear_n_m": 30, "bend_warp_n_m2_per_m": 1e-5, "bend_weft_n_m2_per_m": 1e-5, "friction_static": 0.4,
       "friction_kinetic": 0.4)";

TEST(FabricJson, TheComfortableStrainIsWhatTheFileSaysOrFollowsFromTheStiffness) {
  const auto silent = fabric_from_json("{" + kPlain + "}", "mine.json");
  ASSERT_TRUE(silent.ok()) << silent.status();
  EXPECT_DOUBLE_EQ(silent->comfortable_strain.warp, 0.025);
  EXPECT_DOUBLE_EQ(silent->comfortable_strain.weft, 0.25);
  EXPECT_GT(silent->comfortable_strain.bias, 0.1);
  const auto told = fabric_from_json(
      "{" + kPlain + R"(, "comfortable_strain": {"warp": 0.03, "weft": 0.2, "bias": 0.1}})", "mine.json");
  ASSERT_TRUE(told.ok()) << told.status();
  EXPECT_DOUBLE_EQ(told->comfortable_strain.warp, 0.03);
  const auto percent =
      fabric_from_json("{" + kPlain + R"(, "comfortable_strain": {"warp": 3, "weft": 0.2, "bias": 0.1}})", "mine.json");
  EXPECT_EQ(error_detail(percent.status())->reason, "FABRIC_OUT_OF_RANGE");
  const auto half = fabric_from_json("{" + kPlain + R"(, "comfortable_strain": {"warp": 0.1}})", "mine.json");
  EXPECT_EQ(error_detail(half.status())->field, "mine.json: comfortable_strain.weft");
}

TEST(FabricJson, TheStrainLimitIsWhatTheFileSaysOrNone) {
  const auto silent = fabric_from_json("{" + kPlain + "}", "mine.json");
  ASSERT_TRUE(silent.ok()) << silent.status();
  EXPECT_EQ(silent->strain_limit.warp, 0);
  const auto told = fabric_from_json("{" + kPlain + R"(, "strain_limit": {"warp": 0.06, "weft": 0.3}})", "mine.json");
  ASSERT_TRUE(told.ok()) << told.status();
  EXPECT_DOUBLE_EQ(told->strain_limit.weft, 0.3);
  const auto percent = fabric_from_json("{" + kPlain + R"(, "strain_limit": {"warp": 6, "weft": 0.3}})", "mine.json");
  EXPECT_EQ(error_detail(percent.status())->field, "mine.json: strain_limit.warp");
  const auto half = fabric_from_json("{" + kPlain + R"(, "strain_limit": {"warp": 0.1}})", "mine.json");
  EXPECT_EQ(error_detail(half.status())->field, "mine.json: strain_limit.weft");
}

TEST(FabricJson, AWholeDocumentTravelsInPlaceOfAName) {
  const auto fabric = fabric_by_name(R"({"name": "mine", )" + kPlain + "}");
  ASSERT_TRUE(fabric.ok()) << fabric.status();
  EXPECT_EQ(fabric->name, "mine");
  EXPECT_EQ(error_detail(fabric_by_name("{}").status())->reason, "FABRIC_FIELD_MISSING");
  EXPECT_EQ(error_detail(fabric_by_name("{" + std::string(70000, ' ') + "}").status())->reason, "FABRIC_UNKNOWN");
}

TEST(FabricJson, GarbageIsRefusedByName) {
  for (const char* text : {"", "[]", "{", "\x89PNG"}) {
    EXPECT_EQ(error_detail(fabric_from_json(text, "x.json").status())->reason, "FABRIC_UNREADABLE") << text;
  }
}

TEST(Fabric, ClothThatRemembersItsFoldsMoreIsDampedMore) {
  Fabric fabric;
  fabric.bend_hysteresis = 1e-4;
  const double before = bend_damping_of(fabric);
  fabric.bend_hysteresis = 2e-4;
  EXPECT_NEAR(bend_damping_of(fabric), 2 * before, 1e-12);
  fabric.bend_warp = fabric.bend_weft = 4 * fabric.bend_warp;
  EXPECT_NEAR(bend_damping_of(fabric), before / 2, 1e-12);
  for (const std::string& name : fabric_names()) {
    const double damping = bend_damping_of(fabric_by_name(name).value());
    EXPECT_GT(damping, 0.0) << name;
    EXPECT_LE(damping, 1.0) << name;
  }
}

TEST(Fabric, ClothThatLosesMoreInShearIsDampedMore) {
  Fabric fabric;
  const double typical = shear_damping_of(fabric);
  EXPECT_NEAR(typical, 2 * 1.5 / (5 * kPi * 2 * kPi), 1e-12);
  fabric.shear_hysteresis = 3.0 * kPi / 180 * fabric.shear;
  EXPECT_NEAR(shear_damping_of(fabric), 2 * typical, 1e-12);
}

}  // namespace
}  // namespace tryon
