#include "server/io/mesh_wire.h"

#include "gtest/gtest.h"
#include "tests/unit/io/mesh_test_support.h"

namespace tryon {
namespace {

ParsedMesh sample() { return {testing::unit_tetrahedron(), {}, {"welded 12 vertices into 4", ""}}; }

TEST(MeshWire, BringsBackAMeshBitForBit) {
  const auto back = decode_mesh(encode_mesh(sample()), ParseLimits());
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->mesh.positions, sample().mesh.positions);
  EXPECT_EQ(back->mesh.triangles, sample().mesh.triangles);
  EXPECT_EQ(back->healed, sample().healed);
}

TEST(MeshWire, BringsBackAnError) {
  const absl::Status error = invalid_input("MESH_NOT_FINITE", "anna.obj: line 7", "a message", "a remedy");
  EXPECT_EQ(decode_mesh(encode_mesh(error), ParseLimits()).status(), error);
}

TEST(MeshWire, RefusesEveryCutAndEveryAddedByte) {
  const std::string whole = encode_mesh(sample());
  for (size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(decode_mesh(whole.substr(0, length), ParseLimits()).ok()) << length;
  }
  EXPECT_FALSE(decode_mesh(whole + "x", ParseLimits()).ok());
}

TEST(MeshWire, NeverTrustsWhatItReads) {
  std::string bytes = encode_mesh(sample());
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (int value = 0; value < 256; value += 15) {
      const char old = bytes[i];
      bytes[i] = static_cast<char>(value);
      const auto back = decode_mesh(bytes, ParseLimits());
      if (back.ok()) {
        EXPECT_TRUE(validate(back->mesh, "mesh").ok());
      }
      bytes[i] = old;
    }
  }
}

TEST(MeshWire, HoldsTheLimitsAgainOnItsOwnSide) {
  ParseLimits limits;
  limits.max_vertices = 3;
  EXPECT_EQ(error_detail(decode_mesh(encode_mesh(sample()), limits).status())->reason, "MESH_PARSER_CRASHED");
}

TEST(MeshWire, RefusesAMeshThatIsEmptyOutOfRangeOrNotFinite) {
  EXPECT_FALSE(decode_mesh(encode_mesh(ParsedMesh()), ParseLimits()).ok());
  ParsedMesh wrong = sample();
  wrong.mesh.triangles[2] = Triangle(0, 1, 4);
  EXPECT_EQ(error_detail(decode_mesh(encode_mesh(wrong), ParseLimits()).status())->reason, "MESH_INDEX_OUT_OF_RANGE");
  wrong = sample();
  wrong.mesh.positions[1].x() = std::nan("");
  EXPECT_EQ(error_detail(decode_mesh(encode_mesh(wrong), ParseLimits()).status())->reason, "MESH_NOT_FINITE");
}

TEST(MeshWire, AnErrorThatClaimsToBeFineIsNone) {
  std::string bytes = encode_mesh(invalid_input("R", "f", "m", "r"));
  const size_t code = bytes.find("3\x1f");
  ASSERT_NE(code, std::string::npos);
  bytes[code] = '0';
  EXPECT_EQ(error_detail(decode_mesh(bytes, ParseLimits()).status())->reason, "MESH_PARSER_CRASHED");
}

}  // namespace
}  // namespace tryon
