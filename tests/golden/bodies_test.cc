// Every body file of the data set, through the real sandboxed parser: what comes out, or why nothing does.
// Girths are golden numbers: of the clean bodies as measured here, of scans those of the clean body they were made
// from. All other measurements are compared with those of bodies.tsv.
#include <cstdio>
#include <map>
#include <sstream>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/body/body.h"
#include "server/io/mesh_file.h"
#include "tests/support/shared_data.h"

namespace tryon {
namespace {

using testing::read_file;
using testing::shared_data_path;

struct GoldenBody {
  const char* file;
  const char *unit, *up, *facing;
  Pose pose;
  double height_m;
  double bust_mm, waist_mm, hip_mm, girth_tolerance;
  const char* healed;     // words that source.healed must hold; "" for none at all
  const char* completed;  // likewise source.completed
};

constexpr GoldenBody kBodies[] = {
    {"garmentcode/mean_all.obj", "m", "+y", "+z", Pose::kA, 1.720, 989.7, 842.4, 1033.5, 0.01, "", ""},
    {"garmentcode/mean_female.obj", "m", "+y", "+z", Pose::kA, 1.662, 965.4, 800.5, 1040.8, 0.01, "", ""},
    {"garmentcode/mean_all_tpose.obj", "m", "+y", "+z", Pose::kT, 1.720, 1001.7, 842.4, 1032.2, 0.01, "", ""},
    {"smpl/f_smpl_average_A40.obj", "m", "+y", "+z", Pose::kA, 1.658, 965.9, 815.2, 1037.3, 0.01, "", ""},
    {"smpl/f_smpl_template_T.obj", "m", "+y", "+z", Pose::kT, 1.658, 968.4, 815.1, 1037.4, 0.01, "", ""},
    {"smpl/f_smpl_template_headphones_cm.obj", "cm", "+y", "+z", Pose::kT, 1.658, 968.4, 815.1, 1037.4, 0.01,
     "left out 2 separate pieces", ""},
    {"makehuman/base_with_helpers.obj", "dm", "+y", "+z", Pose::kA, 1.666, 758.7, 670.7, 957.9, 0.01,
     "left out 153 separate pieces", ""},
    {"makehuman/mh_f_young_avg_A_dm.obj", "dm", "+y", "+z", Pose::kA, 1.605, 841.0, 655.9, 934.8, 0.01, "", ""},
    {"makehuman/mh_m_young_tall_A_mm_zup.ply", "mm", "+z", "-y", Pose::kA, 1.888, 1006.3, 778.7, 962.1, 0.01, "", ""},
    {"makehuman/mh_f_young_plus_armsdown_mm_zup.stl", "mm", "+z", "-y", Pose::kArmsDown, 1.605, 897.6, 711.4, 1016.8,
     0.01, "welded", ""},
    {"makehuman/mh_f_young_plus_A_m_bigendian.ply", "m", "+y", "+z", Pose::kA, 1.605, 904.0, 711.5, 1016.8, 0.01, "",
     ""},
    {"makehuman/mh_m_child_T_m.glb", "m", "+y", "+z", Pose::kT, 1.316, 723.2, 569.6, 684.6, 0.01, "", ""},
    {"makehuman/mh_f_young_avg_T_cm_zup_node.glb", "m", "+y", "+z", Pose::kT, 1.605, 850.1, 655.9, 934.8, 0.01, "", ""},
    {"makehuman/mh_m_old_thin_T_cm_zup.obj", "cm", "+z", "-y", Pose::kT, 1.598, 757.2, 514.5, 748.0, 0.01, "", ""},
    {"scans/scanmesh_f_plus_holes_cm_zup.obj", "cm", "+z", "-y", Pose::kArmsDown, 1.605, 897.6, 711.4, 1016.8, 0.035,
     "filled", ""},
    {"scans/scan_f_8cam_mm_zup.ply", "mm", "+z", "-y", Pose::kA, 1.605, 841.0, 655.9, 934.8, 0.03, "left out 1 floor",
     "the scalp"},
    {"scans/scan_m_4cam_noisy_m_normals.ply", "m", "+y", "+z", Pose::kA, 1.888, 1006.3, 778.7, 962.1, 0.035,
     "left out 1 floor", "the scalp"},
};

// Every measurement of every file as it was read when the table was last looked over: tests/golden/bodies.tsv. A file
// without rows fails and prints them.
std::map<std::string, std::map<std::string, double>> golden_numbers() {
  std::map<std::string, std::map<std::string, double>> out;
  std::istringstream lines(read_file(cat(testing::source_dir(), "/tests/golden/bodies.tsv")));
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string> fields = split(line, '\t');
    if (!line.starts_with("#") && fields.size() == 3) out[fields[0]][fields[1]] = std::stod(fields[2]);
  }
  return out;
}

void expect_golden_numbers(const std::string& file, const std::map<std::string, double>& measurements_mm) {
  static const auto all = golden_numbers();
  const auto rows = all.find(file);
  const bool known = rows != all.end() && rows->second.size() == measurements_mm.size();
  EXPECT_TRUE(known) << file << " has " << measurements_mm.size() << " measurements, and not as many golden ones";
  for (const auto& [name, mm] : measurements_mm) {
    if (!known) std::printf("%s\t%s\t%.1f\n", file.c_str(), name.c_str(), mm);
    if (!known || !rows->second.contains(name)) continue;
    const double golden = rows->second.at(name);
    EXPECT_NEAR(mm, golden, std::max(1.0, 0.003 * std::abs(golden))) << name;
  }
}

struct RefusedBody {
  const char *file, *reason, *region;
};
constexpr RefusedBody kRefused[] = {
    {"scans/scan_child_front_only_m_zup.ply", "BODY_PARTIAL", "the back"},
    {"scans/pcl_person_head_shoulders.ply", "BODY_PARTIAL", "everything below the chest"},
    {"scans/pcl_person_head_shoulders.pcd", "BODY_PARTIAL", "everything below the chest"},
};

std::string parser() { return testing::bin_dir() + "/tryon-meshparse"; }

ParseLimits patient() {  // a loaded machine is no reason to fail
  ParseLimits limits;
  limits.wall_clock = absl::Seconds(200);
  limits.cpu_seconds = 100;
  return limits;
}

absl::StatusOr<Body> body_from_file(const std::string& file) {
  const std::string path = shared_data_path("bodies/" + file);
  ASSIGN_OR_RETURN(const MeshFormat format, mesh_format_from_name(path));
  ASSIGN_OR_RETURN(ParsedMesh parsed,
                   parse_mesh_sandboxed(RunContext(), parser(), read_file(path), format, file, patient()));
  const Reconstructor reconstruct = [](const RunContext& run, const PointCloud& cloud,
                                       const ReconstructSettings& settings) {
    return reconstruct_sandboxed(run, parser(), cloud, settings, patient());
  };
  return make_body(RunContext(), Scan{std::move(parsed.mesh), std::move(parsed.cloud), std::move(parsed.healed)},
                   ScanOptions(), reconstruct);
}

std::string joined(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + "; ";
  return out;
}

class GoldenBodies : public ::testing::TestWithParam<GoldenBody> {};
class RefusedBodies : public ::testing::TestWithParam<RefusedBody> {};

TEST_P(GoldenBodies, ComesOutAsItsReadmeSays) {
  const GoldenBody& golden = GetParam();
  TRYON_NEEDS_SHARED_DATA(std::string("bodies/") + golden.file);
  const auto body = body_from_file(golden.file);
  ASSERT_TRUE(body.ok()) << body.status();
  EXPECT_EQ(body->source.unit, golden.unit);
  EXPECT_EQ(body->source.up_axis, golden.up);
  EXPECT_EQ(body->source.facing, golden.facing);
  EXPECT_EQ(pose_name(body->pose), pose_name(golden.pose));
  EXPECT_NEAR(body->height_m / golden.height_m, 1.0, 0.015);
  EXPECT_NEAR(body->measurements_mm.at("bust_girth") / golden.bust_mm, 1.0, golden.girth_tolerance);
  EXPECT_NEAR(body->measurements_mm.at("waist_girth") / golden.waist_mm, 1.0, golden.girth_tolerance);
  EXPECT_NEAR(body->measurements_mm.at("hip_girth") / golden.hip_mm, 1.0, golden.girth_tolerance);
  const std::string healed = joined(body->source.healed), completed = joined(body->source.completed);
  EXPECT_TRUE(*golden.healed ? healed.find(golden.healed) != std::string::npos : healed.empty()) << healed;
  EXPECT_TRUE(*golden.completed ? completed.find(golden.completed) != std::string::npos : completed.empty())
      << completed;
  for (const EdgeUse& edge : mesh_edges(body->mesh)) ASSERT_GE(edge.right, 0) << "open";
  EXPECT_GT(signed_volume(body->mesh), 0.01);
  expect_golden_numbers(golden.file, body->measurements_mm);
}

TEST_P(RefusedBodies, IsRefusedByItsMissingRegion) {
  const RefusedBody& refused = GetParam();
  TRYON_NEEDS_SHARED_DATA(std::string("bodies/") + refused.file);
  const auto body = body_from_file(refused.file);
  ASSERT_FALSE(body.ok());
  ASSERT_TRUE(error_detail(body.status()).has_value()) << body.status();
  EXPECT_EQ(error_detail(body.status())->reason, refused.reason) << body.status();
  EXPECT_NE(std::string(body.status().message()).find(refused.region), std::string::npos) << body.status();
}

std::string test_name(std::string file) {
  for (char& c : file) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return file;
}

INSTANTIATE_TEST_SUITE_P(Data, GoldenBodies, ::testing::ValuesIn(kBodies),
                         [](const auto& row) { return test_name(row.param.file); });
INSTANTIATE_TEST_SUITE_P(Data, RefusedBodies, ::testing::ValuesIn(kRefused),
                         [](const auto& row) { return test_name(row.param.file); });

}  // namespace
}  // namespace tryon
