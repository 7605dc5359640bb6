#include "server/io/cloud_file.h"

#include <array>
#include <cmath>
#include <cstring>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/io/cloud_lzf.h"
#include "server/io/mesh_preflight.h"
#include "tests/unit/io/mesh_test_support.h"

namespace tryon {
namespace {
using testing::described;
using ::testing::ElementsAre;
using testing::parse_with_sandbox;

absl::StatusOr<ParsedMesh> read_corpus(const std::string& file) {
  return read_cloud(testing::read_file(testing::corpus_path(file)), *mesh_format_from_name(file), file, {});
}

TEST(CloudFile, EveryWayOfWritingTheSameFourPointsGivesTheSameFourPoints) {
  const std::vector<Vec3> four = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (const char* file : {"good_ascii.pcd", "good_binary.pcd", "good_compressed.pcd", "good_any_order.pcd",
                           "cloud_big.ply", "cloud_little_types.ply"}) {
    const auto cloud = read_corpus(file);
    ASSERT_TRUE(cloud.ok()) << file << cloud.status();
    EXPECT_EQ(cloud->cloud.positions, four) << file;
  }
}

TEST(CloudFile, NormalsComeOutAsUnitVectors) {
  for (const char* file : {"good_any_order.pcd", "cloud_little_types.ply"}) {
    const auto cloud = read_corpus(file);
    ASSERT_TRUE(cloud.ok());
    EXPECT_EQ(cloud->cloud.normals, std::vector<Vec3>(4, Vec3::UnitZ())) << file;
  }
  const auto obj = read_cloud("v 0 0 0\nvn 0 2 0\nv 1 0 0\nvn 0 0 -3\n", MeshFormat::kObj, "a.obj", {});
  ASSERT_TRUE(obj.ok()) << obj.status();
  EXPECT_THAT(obj->cloud.normals, ElementsAre(Vec3(0, 1, 0), Vec3(0, 0, -1)));
}

TEST(CloudFile, PointsWithoutADepthAreDroppedAndCounted) {
  const auto cloud = read_corpus("good_organised_nan.pcd");
  ASSERT_TRUE(cloud.ok());
  EXPECT_EQ(cloud->cloud.point_count(), 3);
  EXPECT_THAT(cloud->healed, ElementsAre("dropped 1 points without a position"));
}

TEST(CloudFile, AFewPointsWithoutANormalAreDroppedAndManyCostAllTheirs) {
  std::string head = "VERSION .7\nFIELDS x y z normal_x normal_y normal_z\nSIZE 4 4 4 4 4 4\nTYPE F F F F F F\n";
  head += "COUNT 1 1 1 1 1 1\nWIDTH 20\nHEIGHT 1\nPOINTS 20\nDATA ascii\n";
  auto file = [&](int bad) {
    std::string text = head;
    for (int i = 0; i < 20; ++i) text += cat(i, " 0 0 ", i < bad ? "nan nan nan\n" : "0 1 0\n");
    return read_cloud(text, MeshFormat::kPcd, "a.pcd", {});
  };
  EXPECT_EQ(file(1)->cloud.point_count(), 19);
  EXPECT_THAT(file(1)->healed, ElementsAre("dropped 1 points whose normal is no direction"));
  EXPECT_EQ(file(5)->cloud.point_count(), 20);
  EXPECT_TRUE(file(5)->cloud.normals.empty());
}

TEST(CloudFile, AMeshWithAFewStrayPointsIsAMesh) {
  const auto parsed = parse_with_sandbox("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 9 9 9\nf 1 2 3\nf 1 4 2\n", "a.obj");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(parsed->mesh.triangle_count(), 2);
  EXPECT_EQ(parsed->cloud.point_count(), 0);
  EXPECT_EQ(described(read_cloud("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", MeshFormat::kObj, "a.obj", {}).status()),
            "MESH_UNSUPPORTED at a.obj");
}

TEST(CloudFile, ALimitOnPointsHoldsBeforeTheyAreRead) {
  ParseLimits limits;
  limits.max_vertices = 3;
  for (const char* file : {"good_ascii.pcd", "good_compressed.pcd", "cloud_big.ply"}) {
    const std::string bytes = testing::read_file(testing::corpus_path(file));
    EXPECT_EQ(described(read_cloud(bytes, *mesh_format_from_name(file), file, limits).status()),
              cat("MESH_TOO_LARGE at ", file));
  }
}

// The slow obvious way: one step after another, without any bound but the vector's own.
std::string slow_lzf(const std::string& in) {
  std::string out;
  for (size_t at = 0; at < in.size();) {
    const int control = static_cast<unsigned char>(in.at(at++));
    if (control < 32) {
      for (int k = 0; k <= control; ++k) out += in.at(at++);
      continue;
    }
    int length = control / 32;
    if (length == 7) length += static_cast<unsigned char>(in.at(at++));
    const int distance = (control % 32) * 256 + static_cast<unsigned char>(in.at(at++)) + 1;
    for (int k = 0; k < length + 2; ++k) out += out.at(out.size() - static_cast<size_t>(distance));
  }
  return out;
}

TEST(Lzf, ExpandsLiteralsAndReferencesAsTheSlowWayDoes) {
  const std::string cases[] = {std::string("\x02"
                                           "abc",
                                           4),
                               std::string("\x02"
                                           "abc\x20\x02",
                                           6),
                               std::string("\x00"
                                           "a\xe0\xff\x00",
                                           5)};
  for (const std::string& in : cases) {
    const std::string wanted = slow_lzf(in);
    const auto out = lzf_decompress(in, wanted.size());
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ(*out, wanted);
    EXPECT_FALSE(lzf_decompress(in, wanted.size() + 1).ok());
    EXPECT_FALSE(lzf_decompress(in, wanted.size() - 1).ok());
  }
  EXPECT_EQ(slow_lzf(cases[2]).size(), 265u);
}

TEST(Lzf, ABombIsRefusedByItsDeclaredSizeAlone) {
  EXPECT_FALSE(lzf_decompress(std::string("\xe0\xff\x00", 3), size_t{1} << 40).ok());
  EXPECT_FALSE(lzf_decompress("", 1).ok());
  EXPECT_TRUE(lzf_decompress("", 0).ok());
}

// A fixed sequence: equal in every run, on every machine.
class Dice {
 public:
  uint32_t roll(uint32_t sides) {
    state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<uint32_t>(state_ >> 33) % sides;
  }

 private:
  uint64_t state_ = 2463534242;
};

void mutate(std::string* bytes, Dice* dice) {
  const size_t at = dice->roll(static_cast<uint32_t>(bytes->size()));
  switch (dice->roll(6)) {
    case 0:
      (*bytes)[at] = static_cast<char>(dice->roll(256));
      break;
    case 1:
      (*bytes)[at] = static_cast<char>((*bytes)[at] ^ (1 << dice->roll(8)));
      break;
    case 2:
      bytes->resize(at + 1);
      break;
    case 3:
      bytes->insert(at, bytes->substr(dice->roll(static_cast<uint32_t>(at + 1)), 1 + dice->roll(20)));
      break;
    case 4:
      bytes->erase(at, 1 + dice->roll(8));
      break;
    default:
      for (size_t i = at; i < std::min(at + 4, bytes->size()); ++i)
        (*bytes)[i] = static_cast<char>(dice->roll(2) ? 255 : 0);
  }
  if (bytes->empty()) *bytes = "p";
}

TEST(CloudFuzz, NoMutationGivesAnythingButSoundPointsOrAReason) {
  const char* seeds[] = {"good_ascii.pcd",         "good_binary.pcd", "good_compressed.pcd",    "good_any_order.pcd",
                         "good_organised_nan.pcd", "cloud_big.ply",   "cloud_little_types.ply", "cloud_nan_points.ply"};
  Dice dice;
  int read = 0, refused = 0;
  for (const char* seed : seeds) {
    const std::string whole = testing::read_file(testing::corpus_path(seed));
    for (int round = 0; round < 1000; ++round) {
      std::string bytes = whole;
      for (uint32_t n = 1 + dice.roll(4); n > 0; --n) mutate(&bytes, &dice);
      const auto cloud = read_cloud(bytes, *mesh_format_from_name(seed), seed, {});
      ++(cloud.ok() ? read : refused);
      if (cloud.ok()) {
        ASSERT_TRUE(validate(cloud->cloud, "cloud").ok()) << seed << " " << round;
        ASSERT_GT(cloud->cloud.point_count(), 0);
      } else {
        ASSERT_TRUE(error_detail(cloud.status()).has_value()) << seed << " " << round << cloud.status();
        ASSERT_NE(cloud.status().code(), absl::StatusCode::kInternal) << seed << " " << round;
      }
    }
  }
  EXPECT_GT(read, 500);
  EXPECT_GT(refused, 2000);
}

TEST(LzfFuzz, AgreesWithTheSlowWayWhereverItAnswers) {
  Dice dice;
  int answered = 0;
  for (int round = 0; round < 5000; ++round) {
    std::string bytes;
    for (uint32_t n = 1 + dice.roll(12); n > 0; --n) bytes += static_cast<char>(dice.roll(dice.roll(2) ? 256 : 4));
    for (size_t size : {size_t{1}, size_t{4}, size_t{9}, size_t{40}}) {
      const auto out = lzf_decompress(bytes, size);
      if (!out.ok()) continue;
      ++answered;
      ASSERT_EQ(*out, slow_lzf(bytes));
    }
  }
  EXPECT_GT(answered, 50);
}

struct RealCloud {
  const char* file;
  int points;
  bool normals;
};

TEST(CloudInTheSandbox, RealScansComeOutWithTheirPublishedCounts) {
  TRYON_NEEDS_SHARED_DATA("bodies/scans/scan_f_8cam_mm_zup.ply");
  const RealCloud clouds[] = {{"scan_f_8cam_mm_zup.ply", 183849, false},
                              {"scan_m_4cam_noisy_m_normals.ply", 77942, true},
                              {"scan_child_front_only_m_zup.ply", 17361, false},
                              {"pcl_person_head_shoulders.ply", 242749, false},
                              {"pcl_person_head_shoulders.pcd", 242749, false}};
  for (const RealCloud& wanted : clouds) {
    const std::string path = testing::shared_data_path(cat("bodies/scans/", wanted.file));
    ASSERT_FALSE(path.empty()) << wanted.file;
    const auto parsed = parse_with_sandbox(testing::read_file(path), path);
    ASSERT_TRUE(parsed.ok()) << wanted.file << parsed.status();
    EXPECT_EQ(parsed->cloud.point_count(), wanted.points) << wanted.file;
    EXPECT_EQ(!parsed->cloud.normals.empty(), wanted.normals) << wanted.file;
    EXPECT_TRUE(parsed->mesh.positions.empty()) << wanted.file;
  }
}

TEST(CloudInTheSandbox, PcdAndPlyOfTheSameCaptureHoldTheSamePoints) {
  TRYON_NEEDS_SHARED_DATA("bodies/scans/pcl_person_head_shoulders.pcd");
  auto sorted = [](const std::string& file) {
    const std::string path = testing::shared_data_path("bodies/scans/" + file);
    auto cloud = read_cloud(testing::read_file(path), *mesh_format_from_name(file), file, {});
    std::vector<std::array<double, 3>> out;
    for (const Vec3& p : cloud->cloud.positions) out.push_back({p.x(), p.y(), p.z()});
    std::sort(out.begin(), out.end());
    return out;
  };
  EXPECT_EQ(sorted("pcl_person_head_shoulders.pcd"), sorted("pcl_person_head_shoulders.ply"));
}

}  // namespace
}  // namespace tryon
