// Garments of the DXF files whose making is known: their sidecars sew them, and most of their seams are guessed.
#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "server/base/text.h"
#include "server/garment/garment.h"
#include "server/garment/lint.h"
#include "server/garment/seam_graph.h"
#include "server/garment/suggest_seams.h"
#include "server/io/pattern_import.h"
#include "server/io/pattern_svg.h"
#include "tests/support/shared_data.h"

namespace tryon {
namespace {
using Json = nlohmann::json;

const char* const kGarments[] = {"tshirt",          "keiko_skirt",     "pantsM1_52-176",
                                 "jacketM1_52-176", "pajama_top_wrap", "maleshirt"};

const char* const kFreeSewing[] = {"teagan_cisFemaleAdult36", "brian_cisMaleAdult40", "aaron_cisMaleAdult40",
                                   "titan_cisMaleAdult40", "penelope_cisFemaleAdult36"};

std::string dxf(const std::string& name, const char* flavour = "_astm.dxf") {
  return testing::read_file(testing::shared_data_path(cat("patterns/valentina/", name, flavour)));
}
std::string sidecar(const std::string& name) {
  return testing::read_file(cat(testing::source_dir(), "/tests/fixtures/patterns/", name, ".seams.json"));
}

using Side = std::set<std::pair<int, int>>;  // (piece, edge)
using Joint = std::pair<Side, Side>;

Joint ordered(Side a, Side b) { return a < b ? Joint{a, b} : Joint{b, a}; }

std::set<Joint> true_seams(const std::string& name) {
  std::set<Joint> out;
  const Json root = Json::parse(sidecar(name));
  for (const Json& seam : root.at("piece_seams")) {
    Side side[2];
    for (int k : {0, 1}) {
      for (const Json& edge : seam[k]) side[k].insert({edge[0].get<int>(), edge[1].get<int>()});
    }
    out.insert(ordered(side[0], side[1]));
  }
  return out;
}

Joint joint_of(const SeamProposal& p) {
  Side a, b;
  for (const SeamRange& r : p.seam.a) a.insert({r.panel, r.edge});
  for (const SeamRange& r : p.seam.b) b.insert({r.panel, r.edge});
  return ordered(a, b);
}

TEST(SuggestSeams, FourOfFiveTrueSeamsAreProposedFirstAndNoConfidentProposalIsWrong) {
  TRYON_NEEDS_SHARED_DATA("patterns/valentina/tshirt_astm.dxf");
  int known = 0, found = 0;
  for (const char* name : kGarments) {
    SCOPED_TRACE(name);
    const auto pieces = import_pattern(dxf(name), name);
    ASSERT_TRUE(pieces.ok()) << pieces.status();
    const std::set<Joint> truth = true_seams(name);
    std::set<Joint> proposed;  // every edge stands in one proposal only: all of them are first choices
    std::set<std::pair<int, int>> edges;
    for (const SeamProposal& p : suggest_seams(pieces->pattern)) {
      const Joint joint = joint_of(p);
      proposed.insert(joint);
      EXPECT_TRUE(p.confidence <= 0.9 || truth.count(joint)) << p.confidence << " " << p.why;
      EXPECT_GE(p.confidence, 0.0);
      EXPECT_LE(p.confidence, 1.0);
      for (const Side* side : {&joint.first, &joint.second}) {
        for (const auto& edge : *side) EXPECT_TRUE(edges.insert(edge).second) << "an edge is proposed twice";
      }
    }
    int here = 0;
    for (const Joint& joint : truth) here += proposed.count(joint) ? 1 : 0;
    RecordProperty(name, cat(here, " of ", truth.size()));
    std::printf("%s: %d of %zu true seams proposed first\n", name, here, truth.size());
    known += static_cast<int>(truth.size()), found += here;
  }
  EXPECT_GE(found, 0.8 * known) << found << " of " << known;
}

TEST(SuggestSeams, BothFlavoursOfAFileGiveTheSameSeams) {
  TRYON_NEEDS_SHARED_DATA("patterns/valentina/jacketM1_52-176_astm.dxf");
  const Pattern a = import_pattern(dxf("pantsM1_52-176", "_aama.dxf"), "a").value().pattern;
  const Pattern b = import_pattern(dxf("pantsM1_52-176", "_astm.dxf"), "b").value().pattern;
  EXPECT_EQ(suggest_seams(a).size(), suggest_seams(b).size());
}

TEST(Sidecar, SewsTheGarmentsWithEqualSidesAndMeshesThem) {
  TRYON_NEEDS_SHARED_DATA("patterns/valentina/tshirt_astm.dxf");
  std::vector<std::pair<std::string, std::string>> files;  // name, bytes
  for (const char* name : kGarments) files.emplace_back(name, dxf(name));
  for (const char* name : kFreeSewing) {
    const std::string file = cat("patterns/freesewing/", name, ".paths.json");
    files.emplace_back(name, testing::read_file(testing::shared_data_path(file)));
  }
  for (const auto& [name, bytes] : files) {
    SCOPED_TRACE(name);
    const std::string seams = sidecar(name);
    ImportOptions options;
    options.sidecar = seams;
    const auto garment = import_pattern(bytes, name, options);
    ASSERT_TRUE(garment.ok()) << garment.status();
    const Pattern& pattern = garment->pattern;
    ASSERT_TRUE(validate(pattern).ok()) << validate(pattern);
    EXPECT_GE(pattern.stitches.size(), pattern.seams.size());
    for (const Stitch& s : pattern.stitches) {
      EXPECT_FALSE(s.right_wrong) << "left and right panels lie with their right sides out";
      const double a = edge_length(pattern.panels[s.a.panel], s.a.edge);
      const double b = edge_length(pattern.panels[s.b.panel], s.b.edge);
      EXPECT_LT(std::abs(a - b), 0.012 + 0.12 * std::max(a, b));
    }
    for (const Finding& f : lint(pattern)) {
      EXPECT_NE(f.severity, Finding::Severity::kError) << f.message;
      EXPECT_NE(f.code, "SEAM_TWISTED") << f.message;
      EXPECT_NE(f.code, "PANEL_LOOSE") << f.message;
    }
    const auto mesh = mesh_garment(RunContext{}, pattern, 0.03);
    ASSERT_TRUE(mesh.ok()) << mesh.status();
    for (const Seam& s : mesh->seams) EXPECT_EQ(s.left.size(), s.right.size());
    const std::string text = write_pattern(pattern);
    EXPECT_EQ(write_pattern(import_pattern(text, "x.json").value().pattern), text);
  }
}

TEST(Sidecar, PiecesThatItLeavesOutAreTold) {
  TRYON_NEEDS_SHARED_DATA("patterns/valentina/tshirt_astm.dxf");
  const std::string seams = sidecar("tshirt");
  ImportOptions options;
  options.sidecar = seams;
  const auto told = import_pattern(dxf("tshirt"), "tshirt", options);
  ASSERT_TRUE(told.ok()) << told.status();
  EXPECT_THAT(told->notes, ::testing::Contains("piece Detail is left out: a facing: lies inside the back neckline"));
  Json bare = Json::parse(seams);
  bare.erase("left_out");
  const std::string without = bare.dump();
  options.sidecar = without;
  EXPECT_THAT(import_pattern(dxf("tshirt"), "tshirt", options).value().notes,
              ::testing::Contains("piece Detail is left out: the sidecar does not name it"));
  bare["left_out"] = {{{"piece", 1}}};
  const std::string both = bare.dump();
  options.sidecar = both;
  EXPECT_FALSE(import_pattern(dxf("tshirt"), "tshirt", options).ok()) << "piece 1 is the front";
}

TEST(Sidecar, OfAnotherGarmentIsRefused) {
  TRYON_NEEDS_SHARED_DATA("patterns/valentina/tshirt_astm.dxf");
  const std::string seams = sidecar("maleshirt");
  ImportOptions options;
  options.sidecar = seams;
  EXPECT_FALSE(import_pattern(dxf("tshirt"), "tshirt", options).ok());
}

TEST(Lint, NoSoundGarmentOfTheDataHasErrorsOrTwistedSeams) {
  TRYON_NEEDS_SHARED_DATA("patterns/garmentcode/shirt_mean_specification.json");
  for (const char* file : {"garmentcode/shirt_mean_specification.json", "garmentcode/dress_pencil_specification.json",
                           "garment_pattern_generator/tee.json", "garment_pattern_generator/jacket_hood.json"}) {
    SCOPED_TRACE(file);
    const std::string bytes = testing::read_file(testing::shared_data_path(cat("patterns/", file)));
    const Pattern pattern = import_pattern(bytes, file).value().pattern;
    for (const Finding& f : lint(pattern)) {
      EXPECT_NE(f.severity, Finding::Severity::kError) << f.message;
      EXPECT_NE(f.code, "SEAM_TWISTED") << f.message;
    }
    EXPECT_NE(pattern_svg(pattern).find("<polygon"), std::string::npos);
  }
}

}  // namespace
}  // namespace tryon
