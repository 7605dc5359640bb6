// A stored body comes back to the last bit, and nothing that was cut, altered or made up is taken for one.
#include "server/io/body_file.h"

#include <cstring>
#include <limits>

#include "gtest/gtest.h"
#include "server/base/hash.h"
#include "server/base/status.h"

namespace tryon {
namespace {

StoredBody small_body() {
  StoredBody stored;
  Body& body = stored.body;
  body.mesh.positions = {{0, 0, 0}, {0.1, 1.0 / 3.0, 0}, {0, 0.2, -0.3}, {-0.1, 0, 0.7}};
  body.mesh.triangles = {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {1, 3, 2}};
  body.part = {BodyPart::kHead, BodyPart::kTorso, BodyPart::kLeftLeg, BodyPart::kRightArm};
  body.segment = {BodySegment::kNeck, BodySegment::kTorso, BodySegment::kLeftFoot, BodySegment::kRightHand};
  body.pose = Pose::kArmsDown;
  body.source.unit = "mm", body.source.up_axis = "+z", body.source.facing = "-y";
  body.source.scale_m = 0.001, body.source.shift_m = {0.1, -2.5, 1e-17};
  body.source.declared_up = true;
  body.source.point_count = 183849, body.source.filled_ratio = 0.0625;
  body.source.healed = {"welded 12 vertices into 4", ""}, body.source.completed = {"scalp"};
  body.height_m = 1.6051, body.arm_angle_deg = 44.7;
  body.measurements_mm = {{"height", 1605.1}, {"waist_girth", 0.1 + 0.2}};
  body.curves["waist_girth"] = {{{0, 1, 0}, {0.1, 1, 0}, {0, 1, 0.1}}, true, 1.0};
  body.curves["arm_length"] = {{{0.2, 1, 0}, {0.6, 0.7, 0}}, false, 0.0};
  body.landmarks = {{"crown", {0, 1.6, 0}}, {"left_wrist", {0.6, 0.7, 0.01}}};
  ProxySet circular;
  circular.shape = ProxyShape::kCircular;
  Proxy sphere;
  sphere.solid = Sphere{{0, 1.5, 0}, 0.1};
  Proxy frustum;
  frustum.kind = Proxy::Kind::kFrustum;
  frustum.part = BodyPart::kLeftLeg;
  Frustum f;
  f.bottom_radii = {0.05, 0.06}, f.top_radii = {0.07, 0.08}, f.open_top = true;
  frustum.solid = f;
  frustum.girth_error_ratio = 0.011, frustum.mean_gap_mm = 1.5, frustum.max_gap_mm = 7.0;
  circular.proxies = {sphere, frustum};
  circular.girth_error_p95 = 0.1, circular.uncovered_vertices = 3;
  stored.proxies = {circular, ProxySet{}};
  stored.has_head_and_hands = true;
  stored.outcome["waist_girth"] = {700.0, 700.25, true, 31.0};
  return stored;
}

std::string reason_of(std::string_view bytes) {
  const auto read = read_body_file(bytes);
  return read.ok() ? "accepted" : error_detail(read.status()).value_or(ErrorDetail{}).reason;
}

// The same bytes with a right checksum: what is left is for the reader to find.
std::string signed_again(std::string bytes) {
  bytes.resize(bytes.size() - 64);
  return bytes + sha256_hex(bytes);
}

TEST(BodyFile, EveryFieldComesBackToTheLastBit) {
  const std::string bytes = write_body_file(small_body());
  const auto read = read_body_file(bytes);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(write_body_file(*read), bytes);
  EXPECT_EQ(read->body.mesh.positions, small_body().body.mesh.positions);
  EXPECT_EQ(read->body.segment, small_body().body.segment);
  EXPECT_EQ(read->body.pose, Pose::kArmsDown);
  EXPECT_EQ(read->body.measurements_mm, small_body().body.measurements_mm);
  EXPECT_EQ(read->body.source.healed, small_body().body.source.healed);
  EXPECT_EQ(read->body.curves.at("arm_length").closed, false);
  EXPECT_EQ(read->body.landmarks.at("left_wrist"), Vec3(0.6, 0.7, 0.01));
  ASSERT_NE(read->find(ProxyShape::kCircular), nullptr);
  const Proxy& frustum = read->find(ProxyShape::kCircular)->proxies.at(1);
  EXPECT_EQ(std::get<Frustum>(frustum.solid).top_radii, Vec2(0.07, 0.08));
  EXPECT_TRUE(std::get<Frustum>(frustum.solid).open_top);
  EXPECT_EQ(frustum.part, BodyPart::kLeftLeg);
  EXPECT_TRUE(read->has_head_and_hands);
  EXPECT_EQ(read->outcome.at("waist_girth").achieved_mm, 700.25);
}

TEST(BodyFile, AFileThatIsCutAnywhereIsRefused) {
  const std::string bytes = write_body_file(small_body());
  for (size_t length = 0; length < bytes.size(); ++length) {
    ASSERT_EQ(reason_of(std::string_view(bytes).substr(0, length)), "BODY_FILE_UNREADABLE") << length;
  }
  EXPECT_EQ(reason_of(bytes + "x"), "BODY_FILE_UNREADABLE");
}

TEST(BodyFile, AnAlteredByteAnywhereIsRefused) {
  const std::string bytes = write_body_file(small_body());
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string altered = bytes;
    altered[at] = static_cast<char>(altered[at] ^ 0x20);
    ASSERT_EQ(reason_of(altered), "BODY_FILE_UNREADABLE") << at;
  }
}

// Whoever can write a checksum still cannot make it ask for memory it has not, read past its end, or hand on indices,
// names and numbers that mean nothing. What such a change leaves readable is a body in every respect.
TEST(BodyFile, AHostileFileWithARightChecksumIsRefusedOrSound) {
  const std::string bytes = write_body_file(small_body());
  int refused = 0;
  for (size_t at = 20; at + 64 < bytes.size(); ++at) {
    for (const unsigned char value : {0x00, 0x7f, 0xff}) {
      std::string altered = bytes;
      altered[at] = static_cast<char>(value);
      const auto read = read_body_file(signed_again(altered));
      if (!read.ok()) {
        ++refused;
        continue;
      }
      ASSERT_TRUE(validate(read->body.mesh, "body").ok());
      ASSERT_EQ(read->body.part.size(), read->body.mesh.positions.size());
      for (const BodyPart part : read->body.part) ASSERT_LT(static_cast<int>(part), kBodyPartCount);
    }
  }
  EXPECT_GT(refused, 300);
}

TEST(BodyFile, WhatIsNoBodyIsRefusedThoughItIsWellWritten) {
  StoredBody stored = small_body();
  stored.body.mesh.triangles.clear();
  EXPECT_EQ(reason_of(write_body_file(stored)), "BODY_FILE_UNREADABLE");
  stored = small_body();
  stored.body.part.pop_back();
  EXPECT_EQ(reason_of(write_body_file(stored)), "BODY_FILE_UNREADABLE");
  stored = small_body();
  stored.body.mesh.triangles[0] = {0, 1, 99};
  EXPECT_EQ(reason_of(write_body_file(stored)), "BODY_FILE_UNREADABLE");
  stored = small_body();
  stored.body.mesh.positions[2].x() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(reason_of(write_body_file(stored)), "BODY_FILE_UNREADABLE");
  stored = small_body();
  std::get<Sphere>(stored.proxies[0].proxies[0].solid).radius = -1.0;
  EXPECT_EQ(reason_of(write_body_file(stored)), "BODY_FILE_UNREADABLE");
}

TEST(BodyFile, AnotherVersionIsRefusedAndNamed) {
  std::string bytes = write_body_file(small_body());
  bytes[8] = 9;
  const auto read = read_body_file(signed_again(bytes));
  EXPECT_NE(std::string(read.status().message()).find("version is 9"), std::string::npos) << read.status();
}

}  // namespace
}  // namespace tryon
