#include "tests/support/shared_data.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace tryon::testing {
namespace fs = std::filesystem;

std::string source_dir() { return TRYON_SOURCE_DIR; }

std::string bin_dir() { return TRYON_BIN_DIR; }

std::string shared_data_path(const std::string& relative) {
  const char* declared = std::getenv("TRYON_SHARED_DATA");
  const fs::path root = declared != nullptr ? fs::path(declared) : fs::path(source_dir()) / ".." / "shared" / "data";
  const fs::path path = root / relative;
  return fs::exists(path) ? path.string() : std::string();
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path);
  std::stringstream bytes;
  bytes << in.rdbuf();
  return bytes.str();
}

void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!out) throw std::runtime_error("cannot write " + path);
}

std::string make_temp_dir() {
  struct Cleaner {
    std::vector<std::string> dirs;
    ~Cleaner() {
      for (const auto& dir : dirs) {
        std::error_code ignored;
        fs::remove_all(dir, ignored);
      }
    }
  };
  static Cleaner cleaner;
  std::string pattern = (fs::temp_directory_path() / "tryon_test_XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make a temporary folder");
  cleaner.dirs.push_back(pattern);
  return pattern;
}

}  // namespace tryon::testing
