// Gives every file of the folders in the arguments to one fuzzer's function: the corpus without libFuzzer.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/fuzz/fuzz.h"

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  int files = 0;
  for (int i = 1; i < argc; ++i) {
    for (const auto& entry : fs::recursive_directory_iterator(argv[i])) {
      if (!entry.is_regular_file()) continue;
      std::ostringstream bytes;
      bytes << std::ifstream(entry.path(), std::ios::binary).rdbuf();
      const std::string held = bytes.str();
      std::fprintf(stderr, "%s\n", entry.path().c_str());
      // Exactly as long as the file, so that a checker sees a byte too far.
      std::vector<uint8_t> exact(held.begin(), held.end());
      exact.shrink_to_fit();
      LLVMFuzzerTestOneInput(exact.data(), exact.size());
      ++files;
    }
  }
  std::printf("%d files\n", files);
  return files > 0 ? 0 : 1;
}
