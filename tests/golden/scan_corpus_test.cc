// Broken and wrong scans, each with the reason for which it is refused or with the body that it still gives:
// tests/corpus/scans/expected.tsv.
#include <gtest/gtest.h>

#include <sstream>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/body/body.h"
#include "server/io/mesh_file.h"
#include "tests/support/shared_data.h"

namespace tryon {
namespace {

struct CorpusScan {
  std::string file, declared, reason, words;
};

std::string corpus(const std::string& file) { return cat(testing::source_dir(), "/tests/corpus/scans/", file); }

std::vector<CorpusScan> corpus_scans() {
  std::vector<CorpusScan> out;
  std::istringstream lines(testing::read_file(corpus("expected.tsv")));
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream fields(line);
    CorpusScan scan;
    std::getline(fields, scan.file, '\t');
    std::getline(fields, scan.declared, '\t');
    std::getline(fields, scan.reason, '\t');
    std::getline(fields, scan.words, '\t');
    out.push_back(scan);
  }
  return out;
}

ScanOptions options_of(const std::string& declared) {
  ScanOptions options;
  const size_t at = declared.find('=');
  if (at == std::string::npos) return options;
  const std::string what = declared.substr(0, at), value = declared.substr(at + 1);
  if (what == "unit") options.metres_per_unit = std::stod(value);
  if (what == "up") options.up_axis = static_cast<UpAxis>(value[0] - 'x');
  if (what == "facing") options.facing = value;
  for (const Pose pose : {Pose::kA, Pose::kT, Pose::kArmsDown}) {
    if (what == "pose" && value == pose_name(pose)) options.pose = pose;
  }
  return options;
}

std::string parser() { return testing::bin_dir() + "/tryon-meshparse"; }

absl::StatusOr<Body> body_of_file(const CorpusScan& scan) {
  ParseLimits patient;  // a loaded machine is no reason to fail
  patient.wall_clock = absl::Seconds(200);
  patient.cpu_seconds = 100;
  ASSIGN_OR_RETURN(const MeshFormat format, mesh_format_from_name(scan.file));
  ASSIGN_OR_RETURN(
      ParsedMesh parsed,
      parse_mesh_sandboxed(RunContext(), parser(), testing::read_file(corpus(scan.file)), format, scan.file, patient));
  const Reconstructor reconstruct = [patient](const RunContext& run, const PointCloud& cloud,
                                              const ReconstructSettings& settings) {
    return reconstruct_sandboxed(run, parser(), cloud, settings, patient);
  };
  return make_body(RunContext(), Scan{std::move(parsed.mesh), std::move(parsed.cloud), std::move(parsed.healed)},
                   options_of(scan.declared), reconstruct);
}

void expect_whole(const absl::StatusOr<Body>& body, const std::string& words) {
  ASSERT_TRUE(body.ok()) << body.status();
  EXPECT_NEAR(body->height_m, 1.68, 0.01);
  EXPECT_NEAR(body->measurements_mm.at("hip_girth"), 970, 15);
  for (const EdgeUse& edge : mesh_edges(body->mesh)) ASSERT_GE(edge.right, 0) << "open";
  EXPECT_GT(signed_volume(body->mesh), 0.03);
  std::string healed;
  for (const std::string& line : body->source.healed) healed += line + "; ";
  EXPECT_NE(healed.find(words), std::string::npos) << healed;
}

class ScanCorpus : public ::testing::TestWithParam<CorpusScan> {};

TEST_P(ScanCorpus, GivesABodyOrItsReason) {
  const CorpusScan& scan = GetParam();
  const auto body = body_of_file(scan);
  if (scan.reason == "OK") return expect_whole(body, scan.words);
  ASSERT_FALSE(body.ok());
  const auto detail = error_detail(body.status());
  ASSERT_TRUE(detail.has_value()) << body.status();
  EXPECT_EQ(detail->reason, scan.reason) << body.status();
  EXPECT_FALSE(detail->remedy.empty());
  EXPECT_NE(std::string(body.status().message()).find(scan.words), std::string::npos) << body.status();
}

INSTANTIATE_TEST_SUITE_P(Data, ScanCorpus, ::testing::ValuesIn(corpus_scans()), [](const auto& row) {
  std::string name = row.param.declared == "-" ? row.param.file : row.param.file + "_" + row.param.declared;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : c == '+' ? 'P' : '_';
  return name;
});

}  // namespace
}  // namespace tryon
