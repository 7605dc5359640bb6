// A drape that begins where another size, or another fabric, of the same garment lies on the same body.
#include <algorithm>
#include <tuple>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "server/base/status.h"
#include "server/drape/cut_cloth.h"
#include "server/io/worn_file.h"
#include "tests/unit/drape/drape_with_threads.h"

namespace tryon {
namespace {
using Json = nlohmann::json;

DrapeRequest of(const char* garment, const char* size, const char* fabric = "cotton_jersey") {
  DrapeRequest request = testing::template_drape(garment, size, fabric);
  request.settings.pictures = Pictures::kNone;
  return request;
}

absl::StatusOr<PipelineResult> from(const DrapeRequest& request, const PipelineResult& start, int threads = 1) {
  return testing::drape_linked(&DrapeRequest::starts_from, &PipelineInput::start, request, start, threads);
}

const PipelineResult& medium() {
  static const PipelineResult result = *testing::drape_with_threads(of("t_shirt", "M"), 2);
  return result;
}

StoredGarment worn(const PipelineResult& drape) {
  return read_worn_file(drape.artifacts.at(kWornName).bytes)->garments.back();
}

TEST(Carried, TheNextSizeHasTheTrianglesOfTheFirstAndFitsAsWhenItIsSewn) {
  const auto carried = from(of("t_shirt", "XL"), medium());
  ASSERT_TRUE(carried.ok()) << carried.status();
  const auto sewn = testing::drape_with_threads(of("t_shirt", "XL"), 2);
  ASSERT_TRUE(sewn.ok()) << sewn.status();
  const Json m = Json::parse(carried->summary_json), s = Json::parse(sewn->summary_json);
  EXPECT_TRUE(m.value("carried", false));
  EXPECT_FALSE(s.contains("carried"));
  EXPECT_TRUE(carried->settled) << m["equilibrium"].dump();
  EXPECT_EQ(m["self_intersections"], 0);
  EXPECT_LE(m["penetration"]["max_depth_mm"].get<double>(), 0.1);
  EXPECT_EQ(worn(*carried).shown, worn(medium()).shown);
  EXPECT_EQ(worn(*carried).meshed_in, "M");
  EXPECT_NEAR(m["area_m2"]["rest"].get<double>(), s["area_m2"]["rest"].get<double>(), 2e-3);
  int compared = 0;
  for (const auto& [girth, ease] : s["ease_mm"].items()) {
    if (!m["ease_mm"].contains(girth)) continue;
    EXPECT_NEAR(m["ease_mm"].at(girth).get<double>(), ease.get<double>(), 20.0) << girth << " at 40 mm";
    ++compared;
  }
  EXPECT_GT(compared, 1);
  EXPECT_LT(m["equilibrium"]["iterations"].get<double>(), 0.6 * s["equilibrium"]["iterations"].get<double>());
}

TEST(Carried, AThirdSizeGoesOnFromTheSecond) {
  const auto second = from(of("t_shirt", "L"), medium());
  ASSERT_TRUE(second.ok()) << second.status();
  const auto third = from(of("t_shirt", "XL"), *second);
  ASSERT_TRUE(third.ok()) << third.status();
  EXPECT_TRUE(Json::parse(third->summary_json).value("carried", false));
  EXPECT_EQ(worn(*third).shown, worn(medium()).shown);
  EXPECT_EQ(worn(*third).meshed_in, "M");
}

TEST(Carried, AnotherFabricBeginsThereToo) {
  const auto stiff = from(of("t_shirt", "M", "denim_11oz"), medium());
  ASSERT_TRUE(stiff.ok()) << stiff.status();
  const Json m = Json::parse(stiff->summary_json);
  EXPECT_TRUE(m.value("carried", false));
  EXPECT_TRUE(stiff->settled) << m["equilibrium"].dump();
  EXPECT_EQ(worn(*stiff).cloth.source, worn(medium()).cloth.source);
  EXPECT_NE(worn(*stiff).cloth.mesh.positions, worn(medium()).cloth.mesh.positions);
}

// At 20 mm: the garment in `size`, from where `first` lies.
void expect_whole_when_carried(const char* garment, const char* first, const char* size) {
  DrapeRequest before = of(garment, first), next = of(garment, size);
  before.settings.resolution_mm = next.settings.resolution_mm = 20;
  const auto start = testing::drape_with_threads(before, 2);
  ASSERT_TRUE(start.ok()) << start.status();
  const auto carried = from(next, *start, 2);
  ASSERT_TRUE(carried.ok()) << carried.status();
  const Json m = Json::parse(carried->summary_json);
  EXPECT_TRUE(m.value("carried", false));
  EXPECT_TRUE(carried->settled) << m["equilibrium"].dump();
  EXPECT_EQ(m["self_intersections"], 0);
}

// Laid pleats are carried too: a size takes the pleats' cloth as it is.
TEST(Carried, APleatedSkirtComesToRestInTheNextSize) { expect_whole_when_carried("pleated_skirt", "S", "M"); }

// A hood's layers lie closer than the coarser level can tell: it gave contact up, for the garment's own mesh as well,
// which rested with 652 pairs of triangles crossed.
TEST(Carried, LayersThatLieCloseAreNotDrivenThroughEachOther) { expect_whole_when_carried("hoodie", "M", "S"); }

double upper_rim(const PipelineResult& drape) {
  double most = -1e9;
  for (const Vec3& x : worn(drape).cloth.mesh.positions) most = std::max(most, x.y());
  return most;
}

// Size M slides to where it holds, 17 mm lower; a size S of that skirt would be held there by friction. What is sewn
// slides a little as it falls, what is carried does not: by 6 to 10 mm on ten meshes of 16 to 28 mm.
TEST(Carried, ASmallerSkirtHangsAsHighAsWhenItIsSewn) {
  const auto medium_skirt = testing::drape_with_threads(of("straight_skirt", "M"), 2);
  ASSERT_TRUE(medium_skirt.ok()) << medium_skirt.status();
  const auto carried = from(of("straight_skirt", "S"), *medium_skirt);
  const auto sewn = testing::drape_with_threads(of("straight_skirt", "S"), 2);
  ASSERT_TRUE(carried.ok() && sewn.ok());
  EXPECT_TRUE(Json::parse(carried->summary_json).value("carried", false));
  EXPECT_GT(upper_rim(*sewn), upper_rim(*medium_skirt) + 0.015);
  EXPECT_NEAR(upper_rim(*carried), upper_rim(*sewn), 0.011);
}

TEST(Carried, TheSameBytesForAnyNumberOfThreads) {
  const auto one = from(of("t_shirt", "S"), medium(), 1), two = from(of("t_shirt", "S"), medium(), 2);
  ASSERT_TRUE(one.ok() && two.ok());
  EXPECT_TRUE(one->artifacts.at(kWornName).bytes == two->artifacts.at(kWornName).bytes);
}

// A drape of the size S, as it was cut: what it would leave.
StoredOutfit left_by(const RunContext& run, const DrapeRequest& request) {
  const LoadedGarment source = *load_garment(run, request.garment, PipelineInput(), Wearer());
  const double edge = request.settings.resolution_mm * 1e-3;
  const GarmentMesh mesh = *mesh_garment(run, source.made.pattern, edge);
  return {digest(request.body),
          {{"", "cotton_jersey", weld(mesh, mesh.placed), mesh.all_on_cloth(), mesh.triangles,
            digest(in_size(request.garment, "")), size_of(request.garment), edge}}};
}

TEST(Carried, WhatCannotShareTrianglesIsCutAfresh) {
  const RunContext run;
  const std::tuple<const char*, const char*, bool> cases[] = {
      {"t_shirt", "M", true}, {"pleated_skirt", "M", true}, {"pleated_skirt", "XXL", false}};
  for (const auto& [garment, size, shared] : cases) {
    DrapeRequest request = of(garment, size);
    request.starts_from = std::string(64, 'a');
    PipelineInput input;
    input.start = write_worn_file(left_by(run, of(garment, "S")));
    const FittedPerson person =
        *person_to_dress(run, *load_body(run, request.body, input), request.settings.proxy_shape);
    const Wearer wearer(person.body);
    const LoadedGarment source = *load_garment(run, request.garment, input, wearer);
    ArrangeReport arranged;
    const auto cut = cut_cloth(run, request, input, source, wearer, person, &arranged);
    ASSERT_TRUE(cut.ok()) << cut.status();
    EXPECT_EQ(cut->lies.empty(), !shared) << garment;
    EXPECT_EQ(cut->meshed_in, shared ? "S" : size) << garment;
  }
}

TEST(Carried, AnotherBodyGarmentOrMeshIsRefused) {
  const auto refused = [](const DrapeRequest& request, const char* reason) {
    const auto drape = from(request, medium());
    ASSERT_FALSE(drape.ok()) << reason;
    ASSERT_TRUE(error_detail(drape.status()).has_value()) << drape.status();
    EXPECT_EQ(error_detail(drape.status())->reason, reason);
    EXPECT_FALSE(error_detail(drape.status())->remedy.empty());
  };
  DrapeRequest body = of("t_shirt", "L");
  body.body.proxy_shape = ProxyShape::kCircular;
  refused(body, "START_OF_ANOTHER_BODY");
  refused(of("tank_top", "L"), "START_OF_ANOTHER_GARMENT");
  DrapeRequest longer = of("t_shirt", "L");
  longer.garment.draft->parameters["length"] = 700;
  refused(longer, "START_OF_ANOTHER_GARMENT");
  DrapeRequest finer = of("t_shirt", "L");
  finer.settings.resolution_mm = 39;
  refused(finer, "START_OF_ANOTHER_MESH");
  DrapeRequest sewn = of("t_shirt", "L");
  sewn.settings.motion.emplace().from_sewn = true;
  refused(sewn, "SETTINGS_CONFLICT");
  DrapeRequest both = of("t_shirt", "L");
  both.over = std::string(64, 'b');
  refused(both, "SETTINGS_CONFLICT");
}

TEST(Carried, AFileWithoutASizeIsReadAndRefusedAsAnothersGarment) {
  StoredOutfit old = *read_worn_file(medium().artifacts.at(kWornName).bytes);
  StoredGarment& top = old.garments.back();
  top.made_of.clear(), top.meshed_in.clear(), top.edge_m = 0.0;  // as a file of version 1 is read
  PipelineResult before;
  before.artifacts[kWornName] = {write_worn_file(old), ""};
  const auto drape = from(of("t_shirt", "L"), before);
  ASSERT_FALSE(drape.ok());
  EXPECT_EQ(error_detail(drape.status())->reason, "START_OF_ANOTHER_GARMENT");
}

}  // namespace
}  // namespace tryon
