#include "server/io/mesh_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>

#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/io/mesh_test_support.h"

namespace tryon {
namespace {
using testing::CorpusFile;
using testing::described;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::parse_with_sandbox;

TEST(MeshCorpusInTheSandbox, EveryFileIsReadOrRefusedWithItsReason) {
  for (const CorpusFile& c : testing::corpus_files()) {
    const auto parsed = parse_with_sandbox(testing::read_file(testing::corpus_path(c.file)), c.file);
    EXPECT_EQ(described(parsed.status()), c.is_read() ? "OK" : cat(c.reason, " at ", c.field))
        << c.file << ": " << parsed.status();
    if (!parsed.ok()) {
      EXPECT_FALSE(error_detail(parsed.status())->remedy.empty()) << c.file;
      continue;
    }
    if (c.reason == "CLOUD") {
      EXPECT_EQ(cat(parsed->cloud.point_count()), c.field) << c.file;
      EXPECT_TRUE(parsed->mesh.triangles.empty()) << c.file;
      continue;
    }
    EXPECT_EQ(parsed->mesh.vertex_count(), 4) << c.file;
    EXPECT_EQ(parsed->mesh.triangle_count(), 4) << c.file;
    EXPECT_GT(signed_volume(parsed->mesh), 0.16) << c.file;
  }
}

TEST(MeshSandbox, SmallLimitsRefuseEveryFormatAndNameTheLimit) {
  for (const char* file :
       {"good_tetrahedron.obj", "good_little.ply", "good_binary.stl", "good.glb", "good_ascii.pcd"}) {
    ParseLimits limits;
    limits.max_vertices = 3;
    const auto parsed = parse_with_sandbox(testing::read_file(testing::corpus_path(file)), file, limits);
    EXPECT_EQ(described(parsed.status()), cat("MESH_TOO_LARGE at ", file));
    EXPECT_THAT(std::string(parsed.status().message()), HasSubstr("the limit is 3"));
    limits = {};
    limits.max_file_bytes = 50;
    EXPECT_EQ(described(parse_with_sandbox(testing::read_file(testing::corpus_path(file)), file, limits).status()),
              cat("MESH_TOO_LARGE at ", file));
  }
}

TEST(MeshSandbox, TellsWhatItHealed) {
  const std::string stl = testing::read_file(testing::corpus_path("good_binary.stl"));
  EXPECT_THAT(parse_with_sandbox(stl, "a.stl")->healed, ElementsAre("welded 12 vertices into 4"));
  const auto obj = parse_with_sandbox(
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 7 7 7\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\nf 3 4 2\nf 1 1 2\n", "a.obj");
  ASSERT_TRUE(obj.ok()) << obj.status();
  EXPECT_THAT(obj->healed, ElementsAre("dropped 1 vertices that no face uses", "removed 1 triangles without area",
                                       "removed 1 repeated triangles"));
  EXPECT_EQ(obj->mesh.vertex_count(), 4);
  EXPECT_EQ(obj->mesh.triangle_count(), 4);
}

TEST(MeshSandbox, AppliesTheTransformsOfGlbNodes) {
  const auto parsed = parse_with_sandbox(testing::read_file(testing::corpus_path("good_node_tree.glb")), "a.glb");
  ASSERT_TRUE(parsed.ok());
  EXPECT_TRUE(bounds(parsed->mesh).min().isApprox(Vec3(2, 0, 0)));  // (p + (1, 0, 0)) * 2
  EXPECT_TRUE(bounds(parsed->mesh).max().isApprox(Vec3(4, 2, 2)));
}

struct RealBody {
  const char* file;
  int vertices, triangles;
  double height;  // along its up axis, in its unit
  int up;
};

TEST(MeshSandbox, AGltfWithItsBufferInsideIsTheSameAsTheGlb) {
  for (const std::string name : {"good", "good_node_tree"}) {
    const auto glb = parse_with_sandbox(testing::read_file(testing::corpus_path(name + ".glb")), name + ".glb");
    const auto gltf = parse_with_sandbox(testing::read_file(testing::corpus_path(name + ".gltf")), name + ".gltf");
    ASSERT_TRUE(glb.ok() && gltf.ok()) << gltf.status();
    EXPECT_EQ(gltf->mesh.positions, glb->mesh.positions);
    EXPECT_EQ(gltf->mesh.triangles, glb->mesh.triangles);
  }
}

TEST(MeshSandbox, RealBodiesComeOutWithTheirPublishedCounts) {
  TRYON_NEEDS_SHARED_DATA("bodies/garmentcode/mean_all.obj");
  const RealBody bodies[] = {
      {"garmentcode/mean_all.obj", 23752, 47500, 1.720, 1},
      {"garmentcode/mean_all_tpose.obj", 23752, 47500, 1.720, 1},
      {"smpl/f_smpl_average_A40.obj", 6890, 13776, 1.658, 1},
      {"makehuman/base_with_helpers.obj", 19158, 36972, 16.946, 1},
      {"makehuman/mh_m_young_tall_A_mm_zup.ply", 13380, 26756, 1887.63, 2},
      {"makehuman/mh_f_young_plus_A_m_bigendian.ply", 13380, 26756, 1.605, 1},
      {"makehuman/mh_f_young_plus_armsdown_mm_zup.stl", 13380, 26756, 1605.42, 2},
      {"makehuman/mh_m_child_T_m.glb", 13380, 26756, 1.316, 1},
      {"makehuman/mh_f_young_avg_T_cm_zup_node.glb", 13380, 26756, 1.605, 1},
      {"scans/scanmesh_f_plus_holes_cm_zup.obj", 42202, 79395, 161.35, 2},
  };
  for (const RealBody& body : bodies) {
    const std::string path = testing::shared_data_path(cat("bodies/", body.file));
    ASSERT_FALSE(path.empty()) << body.file;
    const auto parsed = parse_with_sandbox(testing::read_file(path), path);
    ASSERT_TRUE(parsed.ok()) << body.file << ": " << parsed.status();
    EXPECT_EQ(parsed->mesh.vertex_count(), body.vertices) << body.file;
    EXPECT_EQ(parsed->mesh.triangle_count(), body.triangles) << body.file;
    EXPECT_NEAR(bounds(parsed->mesh).sizes()[body.up] / body.height, 1.0, 1e-3) << body.file;
  }
}

TEST(MeshSandbox, TheUnweldedStlBecomesAClosedBody) {
  TRYON_NEEDS_SHARED_DATA("bodies/makehuman/mh_f_young_plus_armsdown_mm_zup.stl");
  const std::string path = testing::shared_data_path("bodies/makehuman/mh_f_young_plus_armsdown_mm_zup.stl");
  const auto parsed = parse_with_sandbox(testing::read_file(path), path);
  ASSERT_TRUE(parsed.ok());
  EXPECT_THAT(parsed->healed, ElementsAre("welded 80268 vertices into 13380"));
  for (const EdgeUse& edge : mesh_edges(parsed->mesh)) ASSERT_GE(edge.right, 0);
}

TEST(MeshSandbox, TwiceTheSameFileGivesTheSameMesh) {
  const std::string glb = testing::read_file(testing::corpus_path("good_node_tree.glb"));
  const auto a = parse_with_sandbox(glb, "a.glb"), b = parse_with_sandbox(glb, "a.glb");
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_EQ(a->mesh.positions, b->mesh.positions);
  EXPECT_EQ(a->mesh.triangles, b->mesh.triangles);
}

TEST(MeshSandbox, RunsOutOfMemoryInOrder) {
  std::string obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
  for (int i = 0; i < 300'000; ++i) obj += "v 0 0 1\nf 1 2 3\n";
  ParseLimits limits;
  limits.address_space_bytes = 1;  // what the libraries take is there already; nothing more is given
  const auto parsed = parse_with_sandbox(obj, "a.obj", limits);
  EXPECT_EQ(described(parsed.status()), "MESH_PARSER_MEMORY at a.obj") << parsed.status();
}

TEST(MeshSandbox, TheAssertionOfTheLibraryIsOurs) {
  // Only a symbol that the program itself exports wins over the library's.
  const std::string command = cat("nm -D --defined-only ", testing::meshparse(), " | grep -c aiAssertViolation");
  FILE* pipe = popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  int count = 0;
  EXPECT_EQ(std::fscanf(pipe, "%d", &count), 1);
  pclose(pipe);
  EXPECT_EQ(count, 1);
}

// A parser that does what the shell script says, to see how the parent takes it.
class FakeParser {
 public:
  explicit FakeParser(const std::string& script) : path_(testing::make_temp_dir() + "/parser") {
    testing::write_file(path_, cat("#!/bin/sh\n", script, "\n"));
    chmod(path_.c_str(), 0755);
  }
  absl::StatusOr<ParsedMesh> parse(const RunContext& run = {}, absl::Duration wall_clock = absl::Seconds(20),
                                   ParseLimits limits = {}) const {
    limits.wall_clock = wall_clock;
    return parse_mesh_sandboxed(run, path_, "v 0 0 0\n", MeshFormat::kObj, "anna.obj", limits);
  }
  std::string folder() const { return std::filesystem::path(path_).parent_path(); }

 private:
  std::string path_;
};

TEST(MeshParserParent, EndsAChildThatNeverAnswers) {
  const auto parsed = FakeParser("sleep 600").parse({}, absl::Milliseconds(200));
  EXPECT_EQ(described(parsed.status()), "MESH_PARSER_TIMEOUT at anna.obj");
}

TEST(MeshParserParent, EndsAChildThatClosesItsOutputAndStays) {
  const auto parsed = FakeParser("exec >&-; sleep 600").parse({}, absl::Milliseconds(200));
  EXPECT_EQ(described(parsed.status()), "MESH_PARSER_TIMEOUT at anna.obj");
}

TEST(MeshParserParent, EndsTheGrandchildrenToo) {
  const FakeParser parser("sleep 600 & echo $! > \"$(dirname \"$0\")/pid\"; wait");
  EXPECT_FALSE(parser.parse({}, absl::Milliseconds(500)).ok());
  std::ifstream pid_file(parser.folder() + "/pid");
  int pid = 0;
  ASSERT_TRUE(pid_file >> pid);
  // An orphan that nobody has reaped yet may linger as a zombie; it must not run.
  bool runs = true;
  for (int i = 0; i < 200 && runs; ++i) {
    std::ifstream stat(cat("/proc/", pid, "/stat"));
    std::string number, name, state;
    runs = static_cast<bool>(stat >> number >> name >> state) && state != "Z";
    if (runs) absl::SleepFor(absl::Milliseconds(10));
  }
  EXPECT_FALSE(runs);
}

TEST(MeshParserParent, ObeysACancel) {
  RunContext run;
  std::thread canceller([flag = run.cancel]() mutable {
    absl::SleepFor(absl::Milliseconds(100));
    flag.cancel();
  });
  const auto parsed = FakeParser("sleep 600").parse(run);
  canceller.join();
  EXPECT_EQ(parsed.status().code(), absl::StatusCode::kCancelled);
}

TEST(MeshParserParent, ObeysADeadline) {
  RunContext run;
  run.deadline = absl::Now() + absl::Milliseconds(100);
  EXPECT_EQ(FakeParser("sleep 600").parse(run).status().code(), absl::StatusCode::kDeadlineExceeded);
}

TEST(MeshParserParent, TellsACrashByItsSignal) {
  for (const char* signal : {"SEGV", "ABRT", "BUS"}) {
    const auto parsed = FakeParser(cat("kill -", signal, " $$; sleep 5")).parse();
    EXPECT_EQ(described(parsed.status()), "MESH_PARSER_CRASHED at anna.obj") << signal;
    EXPECT_THAT(std::string(parsed.status().message()), HasSubstr("signal "));
    EXPECT_EQ(parsed.status().code(), absl::StatusCode::kInvalidArgument);
  }
}

TEST(MeshParserParent, TellsTheCpuLimitFromACrash) {
  EXPECT_EQ(described(FakeParser("kill -XCPU $$; sleep 5").parse().status()), "MESH_PARSER_TIMEOUT at anna.obj");
  const auto real_limit = FakeParser("ulimit -S -t 1; while :; do :; done").parse();
  EXPECT_EQ(described(real_limit.status()), "MESH_PARSER_TIMEOUT at anna.obj");
  EXPECT_THAT(std::string(real_limit.status().message()), HasSubstr("computing"));
}

TEST(MeshParserParent, TellsAKillByTheSystem) {
  const auto parsed = FakeParser("kill -KILL $$").parse();
  EXPECT_EQ(described(parsed.status()), "MESH_PARSER_MEMORY at anna.obj");
  EXPECT_EQ(parsed.status().code(), absl::StatusCode::kUnavailable);
}

TEST(MeshParserParent, StopsAFlood) {
  ParseLimits limits;
  limits.max_vertices = limits.max_triangles = 10;
  const auto parsed = FakeParser("yes flood").parse({}, absl::Seconds(20), limits);
  EXPECT_EQ(described(parsed.status()), "MESH_PARSER_CRASHED at anna.obj");
  EXPECT_THAT(std::string(parsed.status().message()), HasSubstr("without end"));
}

TEST(MeshParserParent, RefusesGarbageSilenceAndFailure) {
  for (const char* script : {"echo garbage", "true", "printf tryonmsh", "printf 'tryonmsh\\000\\000\\000\\000'"}) {
    EXPECT_EQ(error_detail(FakeParser(script).parse().status())->reason, "MESH_PARSER_CRASHED") << script;
  }
  const auto failed = FakeParser("exit 3").parse();
  EXPECT_THAT(std::string(failed.status().message()), HasSubstr("exit code 3"));
}

TEST(MeshParserParent, AMissingParserIsNotTheCallersFault) {
  const auto parsed = parse_mesh_sandboxed({}, "/nonexistent/parser", "v", MeshFormat::kObj, "anna.obj", {});
  EXPECT_EQ(parsed.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(error_detail(parsed.status())->reason, "MESH_PARSER_UNAVAILABLE");
}

TEST(MeshParserParent, PassesNoSecretsAndNoOtherDescriptors) {
  setenv("TRYON_TEST_SECRET", "hunter2", 1);
  const int null = open("/dev/null", O_RDONLY);
  const int leak = fcntl(null, F_DUPFD, 200);  // inheritable on purpose, and far from the shell's own
  close(null);
  ASSERT_GE(leak, 200);
  const FakeParser parser("env > \"$(dirname \"$0\")/env\"; ls /proc/$$/fd > \"$(dirname \"$0\")/fds\"");
  EXPECT_FALSE(parser.parse().ok());
  close(leak);
  unsetenv("TRYON_TEST_SECRET");
  EXPECT_EQ(testing::read_file(parser.folder() + "/env").find("hunter2"), std::string::npos);
  std::istringstream fds(testing::read_file(parser.folder() + "/fds"));
  int seen = 0;
  for (int fd; fds >> fd; ++seen) EXPECT_LT(fd, 200);
  EXPECT_GE(seen, 3);
}

TEST(MeshParserParent, LeavesNoDescriptorsBehind) {
  auto count = [] { return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}); };
  const auto before = count();
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(FakeParser("exit 1").parse().ok());
  EXPECT_EQ(count(), before);
}

TEST(MeshFormatName, ComesFromTheExtensionInAnyCase) {
  EXPECT_EQ(*mesh_format_from_name("a/b/Anna.OBJ"), MeshFormat::kObj);
  EXPECT_EQ(*mesh_format_from_name("x.glb"), MeshFormat::kGlb);
  EXPECT_EQ(*mesh_format_from_name("x.Pcd"), MeshFormat::kPcd);
  EXPECT_EQ(*mesh_format_from_name("x.gltf"), MeshFormat::kGlb);
  for (const char* name : {"anna.fbx", "anna", "", "."}) {
    EXPECT_EQ(error_detail(mesh_format_from_name(name).status())->reason, "MESH_WRONG_TYPE") << name;
  }
}

TEST(MeshFormatSniff, TellsGoodFilesByTheirContent) {
  for (const CorpusFile& c : testing::corpus_files()) {
    if (!c.is_read()) continue;
    const auto sniffed = sniff_mesh_format(testing::read_file(testing::corpus_path(c.file)));
    ASSERT_TRUE(sniffed.ok()) << c.file;
    EXPECT_EQ(*sniffed, *mesh_format_from_name(c.file)) << c.file;
  }
  EXPECT_FALSE(sniff_mesh_format("").ok());
  EXPECT_FALSE(sniff_mesh_format("hello").ok());
}

TEST(DefaultMeshparsePath, LiesBesideTheRunningBinary) {
  EXPECT_EQ(std::filesystem::path(default_meshparse_path()).parent_path(),
            std::filesystem::read_symlink("/proc/self/exe").parent_path());
}

}  // namespace
}  // namespace tryon
