// What our binaries link directly: nothing under the GPL, and the server no mesh parser.
#include <array>
#include <cstdio>
#include <set>
#include <string>

#include "gtest/gtest.h"
#include "tests/support/shared_data.h"

namespace tryon {
namespace {

// The NEEDED entries of the program's own dynamic section (not what its libraries pull in).
std::set<std::string> direct_libraries(const std::string& program) {
  const std::string command = "objdump -p " + testing::bin_dir() + "/" + program + " 2>/dev/null";
  std::set<std::string> out;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return out;
  std::array<char, 512> line{};
  while (fgets(line.data(), line.size(), pipe) != nullptr) {
    std::array<char, 256> name{};
    if (sscanf(line.data(), " NEEDED %255s", name.data()) == 1) out.insert(name.data());
  }
  pclose(pipe);
  return out;
}

bool any_contains(const std::set<std::string>& names, const std::string& part) {
  for (const std::string& name : names) {
    if (name.find(part) != std::string::npos) return true;
  }
  return false;
}

constexpr const char* kPrograms[] = {"tryon", "tryon-server", "tryon-worker", "tryon-meshparse"};

// A closed list: a library that is not on it needs a line in THIRD_PARTY.md and a look at its licence first.
TEST(Licence, EveryDirectLibraryIsOnTheListOfNonGplOnes) {
  const std::set<std::string> known = {
      "libgrpc++", "libgrpc++_reflection", "libgrpc", "libgpr", "libaddress_sorting", "libprotobuf", "libabsl_",
      "libupb", "libcares", "libre2", "libz", "libssl", "libcrypto", "libassimp", "libOpen3D", "libembree3", "libtbb",
      "libpng16", "libdraco", "libmeshoptimizer", "libsqlite3", "libprometheus-cpp", "libspdlog", "libfmt", "libgmp",
      "libmpfr", "libstdc++", "libm.", "libgcc_s", "libpq.so", "libc.", "ld-linux", "libasan", "libubsan", "libtsan",
      "libgomp",
      // through Open3D's link interface
      "libGL", "libGLEW", "libglfw", "libX11", "libvtk", "libjsoncpp", "liblzf", "libjpeg", "libqhull", "libcurl",
      "libzmq", "libfilament", "libbackend", "libutils", "libmsgpack", "libtinyobjloader", "libpthread", "libdl",
      "libIlmThread", "libnanoflann", "libminizip", "libblas", "liblapack"};
  for (const char* program : kPrograms) {
    const auto libraries = direct_libraries(program);
    ASSERT_FALSE(libraries.empty()) << program << " was not built";
    for (const std::string& library : libraries) {
      bool found = false;
      for (const std::string& name : known) found = found || library.rfind(name, 0) == 0;
      EXPECT_TRUE(found) << program << " links " << library << ": check its licence, then THIRD_PARTY.md and this list";
    }
  }
}

TEST(Licence, NoGplLibraryIsLinkedDirectly) {
  for (const char* program : kPrograms) {
    for (const char* gpl : {"libcholmod", "libumfpack", "libspqr", "libdxflib", "libCGAL", "libreadline", "libfftw3",
                            "libgsl", "libmpfi"}) {
      EXPECT_FALSE(any_contains(direct_libraries(program), gpl)) << program << " links " << gpl;
    }
  }
}

TEST(Processes, TheServerLinksNoMeshParserAndNoPhysics) {
  for (const char* part : {"assimp", "Open3D", "embree"}) {
    EXPECT_FALSE(any_contains(direct_libraries("tryon-server"), part)) << part;
  }
}

TEST(Processes, OnlyTheParserChildLinksAssimpAndOpen3D) {
  for (const char* program : {"tryon", "tryon-server", "tryon-worker"}) {
    EXPECT_FALSE(any_contains(direct_libraries(program), "assimp")) << program;
    EXPECT_FALSE(any_contains(direct_libraries(program), "Open3D")) << program;
  }
  EXPECT_TRUE(any_contains(direct_libraries("tryon-meshparse"), "assimp"));
  EXPECT_TRUE(any_contains(direct_libraries("tryon-meshparse"), "Open3D"));
}

}  // namespace
}  // namespace tryon
