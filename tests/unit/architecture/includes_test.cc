// Arrows point down only: an include that breaks the direction of server/README.md fails here.
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "gtest/gtest.h"
#include "server/base/text.h"
#include "tests/support/shared_data.h"

namespace tryon {
namespace {
namespace fs = std::filesystem;

// Module -> modules whose headers it may include (besides its own).
const std::map<std::string, std::set<std::string>>& allowed() {
  static const std::map<std::string, std::set<std::string>> table = {
      {"base", {}},
      {"mesh", {"base"}},
      {"shape", {"base"}},
      {"fabric", {"base"}},
      {"body", {"base", "mesh", "shape"}},
      {"garment", {"base", "mesh", "shape", "fabric"}},
      {"sim", {"base", "mesh", "shape"}},
      {"metrics", {"base", "mesh", "shape"}},
      {"io", {"base", "mesh", "shape", "fabric", "body", "garment", "metrics"}},
      {"render", {"base", "mesh"}},
      {"lab", {"base", "mesh", "fabric", "sim"}},
      {"drape", {"base", "mesh", "shape", "fabric", "body", "garment", "sim", "metrics", "io", "render", "lab"}},
      {"jobs", {"base"}},
      {"store", {"base", "jobs"}},
      {"ops", {"base"}},
      {"service/tasks", {"base", "drape", "io", "jobs", "store"}},
      {"service", {"base", "drape", "body", "fabric", "garment", "sim", "jobs", "store", "ops", "service/tasks"}},
      {"app", {"base", "io", "drape", "jobs", "store", "ops", "service", "service/tasks"}},
  };
  return table;
}

std::string module_of(const std::string& path_below_server) {
  if (path_below_server.rfind("service/tasks/", 0) == 0) return "service/tasks";
  return path_below_server.substr(0, path_below_server.find('/'));
}

struct Include {
  std::string file, from, to;
  bool external;
};

std::vector<Include> server_includes() {
  std::vector<Include> out;
  const fs::path root = fs::path(testing::source_dir()) / "server";
  const std::regex pattern("^\\s*#\\s*include\\s*[\"<]([^\">]+)[\">]");
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const std::string extension = entry.path().extension();
    if (extension != ".h" && extension != ".cc") continue;
    const std::string relative = fs::relative(entry.path(), root);
    std::ifstream in(entry.path());
    for (std::string line; std::getline(in, line);) {
      std::smatch match;
      if (!std::regex_search(line, match, pattern)) continue;
      const std::string target = match[1];
      const bool own = target.rfind("server/", 0) == 0;
      out.push_back({relative, module_of(relative), own ? module_of(target.substr(7)) : target, !own});
    }
  }
  return out;
}

TEST(Architecture, EveryIncludePointsDown) {
  int seen = 0;
  for (const Include& i : server_includes()) {
    if (i.external) continue;
    ++seen;
    ASSERT_TRUE(allowed().count(i.from)) << i.file << ": module " << i.from << " is not on the map";
    EXPECT_TRUE(i.from == i.to || allowed().at(i.from).count(i.to))
        << i.file << " includes " << i.to << ", which " << i.from << " may not know";
  }
  EXPECT_GT(seen, 50);
}

TEST(Architecture, TheRuleItselfHasNoCycle) {
  std::set<std::string> done;
  size_t before = 1;
  while (done.size() != before) {
    before = done.size();
    for (const auto& [name, deps] : allowed()) {
      bool ready = true;
      for (const std::string& dep : deps) ready = ready && done.count(dep) > 0;
      if (ready) done.insert(name);
    }
  }
  EXPECT_EQ(done.size(), allowed().size());
}

TEST(Architecture, OnlyServiceSeesGeneratedProtocolCode) {
  for (const Include& i : server_includes()) {
    if (i.external && i.to.find(".pb.h") != std::string::npos) {
      EXPECT_EQ(i.from, "service") << i.file << " includes " << i.to;
    }
  }
}

TEST(Architecture, HeavyHeadersStayOutOfPublicHeaders) {
  for (const Include& i : server_includes()) {
    if (!i.external || fs::path(i.file).extension() != ".h") continue;
    for (const char* heavy : {"open3d/", "assimp/", "CGAL/", "embree3/", "sqlite3.h", "tiny_gltf.h", "prometheus/"}) {
      EXPECT_NE(i.to.rfind(heavy, 0), 0u) << i.file << " includes " << i.to;
    }
  }
}

TEST(Architecture, OnlyTheMeshParserSeesAssimpAndOpen3D) {
  for (const Include& i : server_includes()) {
    if (i.external && (i.to.rfind("open3d/", 0) == 0 || i.to.rfind("assimp/", 0) == 0)) {
      EXPECT_EQ(i.from, "app") << i.file << " includes " << i.to;
      EXPECT_NE(i.file.find("meshparse"), std::string::npos) << i.file;
    }
  }
}

}  // namespace
}  // namespace tryon
