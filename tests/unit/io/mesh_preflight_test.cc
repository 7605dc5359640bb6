#include "server/io/mesh_preflight.h"

#include <set>

#include "gtest/gtest.h"
#include "server/io/mesh_inspect.h"
#include "tests/unit/io/mesh_test_support.h"

namespace tryon {
namespace {
using testing::CorpusFile;
using testing::described;

class PreflightCorpus : public ::testing::TestWithParam<CorpusFile> {};

// Files whose flaw shows only after repair (all triangles without area) pass the preflight and fail in the child.
TEST_P(PreflightCorpus, IsJudgedByThePreflightAsExpected) {
  const CorpusFile& c = GetParam();
  const std::string bytes = testing::read_file(testing::corpus_path(c.file));
  const auto format = mesh_format_from_name(c.file);
  ASSERT_TRUE(format.ok());
  const bool sound = c.is_read() || c.file.starts_with("all_degenerate");
  EXPECT_EQ(described(preflight_mesh(bytes, *format, c.file, ParseLimits())),
            sound ? "OK" : cat(c.reason, " at ", c.field));
}
INSTANTIATE_TEST_SUITE_P(Mesh, PreflightCorpus, ::testing::ValuesIn(testing::corpus_files()), [](const auto& info) {
  std::string name = info.param.file;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
});

TEST(MeshCorpus, HoldsEveryKindOfBadInputForEveryFormat) {
  for (const char* format : {".obj", ".ply", ".stl", ".glb", ".pcd", ".gltf"}) {
    std::set<std::string> reasons;
    for (const CorpusFile& c : testing::corpus_files()) {
      if (c.file.ends_with(format)) reasons.insert(c.reason);
    }
    for (const char* reason : {std::string(format) == ".pcd" ? "CLOUD" : "OK", "MESH_EMPTY", "MESH_TRUNCATED",
                               "MESH_WRONG_TYPE", "MESH_NOT_FINITE", "MESH_CONTRADICTORY"}) {
      EXPECT_TRUE(reasons.contains(reason)) << reason << format;
    }
    const bool has_indices = std::string(format) != ".stl" && std::string(format) != ".pcd";
    EXPECT_EQ(reasons.contains("MESH_INDEX_OUT_OF_RANGE"), has_indices) << format;
  }
}

TEST(MeshPreflight, CutAnywhereAGoodFileNeverPassesForTheWhole) {
  for (const char* file : {"good_little.ply", "good_big.ply", "good_binary.stl", "good.glb", "good_ascii.stl",
                           "cloud_big.ply", "good_binary.pcd", "good_compressed.pcd", "good.gltf"}) {
    const std::string bytes = testing::read_file(testing::corpus_path(file));
    const MeshFormat format = *mesh_format_from_name(file);
    // The last line end, and the end of the solid's name, may go without loss.
    const size_t slack = std::string(file) == "good_ascii.stl" ? std::string(" a b\n").size() : 1;
    for (size_t length = 0; length + slack <= bytes.size() - (slack > 1 ? 1 : 0); ++length) {
      EXPECT_FALSE(preflight_mesh(bytes.substr(0, length), format, file, ParseLimits()).ok()) << file << " " << length;
    }
  }
}

TEST(MeshPreflight, SurvivesEveryByteOfEveryCorpusFileBeingFlipped) {
  int refused = 0, passed = 0;
  for (const CorpusFile& c : testing::corpus_files()) {
    std::string bytes = testing::read_file(testing::corpus_path(c.file));
    if (bytes.size() > 1500) continue;
    const MeshFormat format = *mesh_format_from_name(c.file);
    for (size_t i = 0; i < bytes.size(); ++i) {
      for (unsigned char flip : {0x01, 0x80, 0xff}) {
        bytes[i] = static_cast<char>(bytes[i] ^ flip);
        const absl::Status status = preflight_mesh(bytes, format, c.file, ParseLimits());
        ++(status.ok() ? passed : refused);
        if (!status.ok()) {
          ASSERT_TRUE(error_detail(status).has_value()) << c.file << " byte " << i;
        }
        bytes[i] = static_cast<char>(bytes[i] ^ flip);
      }
    }
  }
  EXPECT_GT(refused, 1000);
  EXPECT_GT(passed, 100);
}

TEST(MeshPreflight, CountsWhatTheFileStores) {
  const std::string bytes = testing::read_file(testing::corpus_path("good_binary.stl"));
  const auto facts = inspect_mesh(bytes, MeshFormat::kStl, "a.stl", ParseLimits());
  ASSERT_TRUE(facts.ok());
  EXPECT_EQ(facts->vertices, 12);
  EXPECT_EQ(facts->triangles, 4);
  const auto obj =
      inspect_mesh("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 9 9 9\nf 1 2 3 4\n", MeshFormat::kObj, "a.obj", {});
  ASSERT_TRUE(obj.ok());
  EXPECT_EQ(obj->vertices, 5);
  EXPECT_EQ(obj->referenced, 4);
  EXPECT_EQ(obj->triangles, 2);
}

TEST(MeshPreflight, NamesTheNumberAndTheLimitOfWhatIsTooLarge) {
  ParseLimits limits;
  limits.max_vertices = 3;
  for (const char* file : {"good_tetrahedron.obj", "good_ascii.ply", "good_little.ply", "good.glb"}) {
    const std::string bytes = testing::read_file(testing::corpus_path(file));
    const absl::Status status = preflight_mesh(bytes, *mesh_format_from_name(file), file, limits);
    EXPECT_EQ(described(status), cat("MESH_TOO_LARGE at ", file));
    EXPECT_NE(status.message().find("the limit is 3"), absl::string_view::npos) << status;
  }
  limits = {};
  limits.max_triangles = 3;
  for (const char* file : {"good_tetrahedron.obj", "good_big.ply", "good_ascii.stl", "good_node_tree.glb"}) {
    const std::string bytes = testing::read_file(testing::corpus_path(file));
    const absl::Status status = preflight_mesh(bytes, *mesh_format_from_name(file), file, limits);
    EXPECT_NE(status.message().find("4 triangles; the limit is 3"), absl::string_view::npos) << status;
  }
  limits = {};
  limits.max_file_bytes = 10;
  const std::string bytes = testing::read_file(testing::corpus_path("good.glb"));
  EXPECT_EQ(described(preflight_mesh(bytes, MeshFormat::kGlb, "a.glb", limits)), "MESH_TOO_LARGE at a.glb");
}

TEST(ReadObj, KeepsTheVertexOrderOfTheFileAndItsDigits) {
  MeshFacts facts;
  const auto mesh = read_obj("v 0.1 0 0\nv 1 0 0\nv 1 1 0\nf 3 1 2\n", "a.obj", ParseLimits(), &facts);
  ASSERT_TRUE(mesh.ok());
  EXPECT_EQ(mesh->positions[0].x(), 0.1);
  EXPECT_EQ(mesh->triangles, std::vector<Triangle>{Triangle(2, 0, 1)});
}

TEST(ReadObj, UnderstandsContinuedLinesNegativeIndicesAndWindowsLineEnds) {
  MeshFacts facts;
  const auto mesh = read_obj("v 0 0 \\\r\n 0\r\nv +1 0 0 0.5 0.5 0.5\r\n\tv 1 1 0 # corner\r\nf -3//  -2 -1\r\n",
                             "a.obj", ParseLimits(), &facts);
  ASSERT_TRUE(mesh.ok()) << mesh.status();
  EXPECT_EQ(mesh->triangles, std::vector<Triangle>{Triangle(0, 1, 2)});
}

TEST(ReadObj, CutsAFaceWithAReflexCornerWithoutLeavingIt) {
  // An arrow head: its fan from corner 0 would lie partly outside. Area by shoelace: 4.
  MeshFacts facts;
  for (int turn = 0; turn < 4; ++turn) {
    const int c[4] = {1 + turn % 4, 1 + (1 + turn) % 4, 1 + (2 + turn) % 4, 1 + (3 + turn) % 4};
    const std::string face = cat("f ", c[0], " ", c[1], " ", c[2], " ", c[3], "\n");
    const auto mesh = read_obj(cat("v 0 0 5\nv 4 -3 5\nv 1 0 5\nv 4 3 5\n", face), "a.obj", ParseLimits(), &facts);
    ASSERT_TRUE(mesh.ok());
    ASSERT_EQ(mesh->triangle_count(), 2);
    for (int t = 0; t < 2; ++t) EXPECT_GT(triangle_normal(*mesh, t).z(), 0.0) << face;
    EXPECT_NEAR(surface_area(*mesh), 3.0, 1e-12);
  }
}

TEST(ReadObj, CutsARoundFaceIntoTwoTrianglesLessThanCorners) {
  std::string text, face = "f";
  for (int i = 0; i < 64; ++i) {
    text += cat("v ", std::cos(i * 0.09817477042468103), " 2 ", -std::sin(i * 0.09817477042468103), "\n");
    face += cat(" ", i + 1);
  }
  MeshFacts facts;
  const auto mesh = read_obj(cat(text, face, "\n"), "a.obj", ParseLimits(), &facts);
  ASSERT_TRUE(mesh.ok());
  EXPECT_EQ(mesh->triangle_count(), 62);
  for (int t = 0; t < 62; ++t) EXPECT_GT(triangle_normal(*mesh, t).y(), 0.0);
  EXPECT_NEAR(surface_area(*mesh), 0.5 * 64 * std::sin(0.09817477042468103), 1e-5);
}

TEST(WeldOpenEdges, ClosesATriangleSoup) {
  const TriangleMesh tetrahedron = testing::unit_tetrahedron();
  TriangleMesh soup;
  for (const Triangle& t : tetrahedron.triangles) {
    const int first = soup.vertex_count();
    for (int k = 0; k < 3; ++k) soup.positions.push_back(tetrahedron.positions[t[k]]);
    soup.triangles.emplace_back(first, first + 1, first + 2);
  }
  EXPECT_EQ(weld_open_edges(&soup), 8);
  for (const EdgeUse& edge : mesh_edges(soup)) EXPECT_GE(edge.right, 0);
}

TEST(WeldOpenEdges, LeavesClosedPartsThatTouchApart) {
  TriangleMesh two = testing::unit_tetrahedron();  // two tetrahedra tip to tip, as closed lips are
  for (const Vec3& p : testing::unit_tetrahedron().positions) two.positions.push_back(-p);
  for (const Triangle& t : testing::unit_tetrahedron().triangles)
    two.triangles.emplace_back(t[0] + 4, t[2] + 4, t[1] + 4);
  EXPECT_EQ(weld_open_edges(&two), 0);
  EXPECT_EQ(connected_components(two).second, 2);
}

TEST(CleanFileName, DropsFoldersControlCharactersAndLength) {
  EXPECT_EQ(clean_file_name("../../etc/anna.obj"), "anna.obj");
  EXPECT_EQ(clean_file_name("C:\\scans\\anna.obj"), "anna.obj");
  EXPECT_EQ(clean_file_name("an\nna\x1b[31m.obj"), "an?na?[31m.obj");
  EXPECT_EQ(clean_file_name(std::string(5000, 'x')), std::string(100, 'x'));
  std::string umlauts;
  for (int i = 0; i < 200; ++i) umlauts += "\xc3\xa4";
  EXPECT_EQ(clean_file_name(umlauts).size(), 200u);  // 100 characters of two bytes, none cut in half
  EXPECT_EQ(clean_file_name(""), "mesh");
}

}  // namespace
}  // namespace tryon
