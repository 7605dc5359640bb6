// What it is: the cost of reading pattern files, each format by a real file of it (TRYON_SHARED_DATA names the folder)
// and by files written here of growing size; of splitting seams, linting and proposing seams. Times are CPU times.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "server/garment/lint.h"
#include "server/garment/suggest_seams.h"
#include "server/io/pattern_import.h"

namespace tryon {
namespace {

std::string read(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream bytes;
  bytes << in.rdbuf();
  return bytes.str();
}

const char* const kFiles[] = {"patterns/garmentcode/shirt_mean_specification.json",
                              "patterns/garment_pattern_generator/jacket_hood.json",
                              "patterns/valentina/gent_jacket_aama.dxf",
                              "patterns/valentina/gent_jacket_astm.dxf",
                              "patterns/freesewing/simon_cisMaleAdult42.paths.json",
                              "patterns/berkeley_meshes/robe.obj",
                              "scenes/dress_knife/stage.obj"};

// Arg: which of the files.
void BM_ImportFile(benchmark::State& state) {
  const char* root = std::getenv("TRYON_SHARED_DATA");
  const std::string file = kFiles[state.range(0)];
  if (root == nullptr || !std::filesystem::exists(std::filesystem::path(root) / file)) {
    state.SkipWithError("set TRYON_SHARED_DATA to the folder of the real patterns");
    return;
  }
  const std::string bytes = read(std::filesystem::path(root) / file);
  size_t panels = 0;
  for (auto _ : state) panels = import_pattern(bytes, file)->pattern.panels.size();
  state.SetLabel(file.substr(file.rfind('/') + 1));
  state.SetBytesProcessed(static_cast<int64_t>(bytes.size()) * static_cast<int64_t>(state.iterations()));
  state.counters["panels"] = static_cast<double>(panels);
}
BENCHMARK(BM_ImportFile)->DenseRange(0, std::size(kFiles) - 1)->Unit(benchmark::kMillisecond);

// Every pattern file of the folders, once.
void BM_ImportAll(benchmark::State& state) {
  const char* root = std::getenv("TRYON_SHARED_DATA");
  if (root == nullptr) {
    state.SkipWithError("set TRYON_SHARED_DATA to the folder of the real patterns");
    return;
  }
  std::vector<std::pair<std::string, std::string>> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(std::filesystem::path(root) / "patterns")) {
    const std::string ending = entry.path().extension();
    if (ending == ".json" || ending == ".dxf" || ending == ".obj") {
      files.emplace_back(entry.path().filename(), read(entry.path()));
    }
  }
  size_t taken = 0;
  for (auto _ : state) {
    taken = 0;
    for (const auto& [name, bytes] : files) taken += import_pattern(bytes, name).ok();
  }
  state.counters["files"] = static_cast<double>(files.size());
  state.counters["taken"] = static_cast<double>(taken);
}
BENCHMARK(BM_ImportAll)->Unit(benchmark::kMillisecond);

// A DXF of round pieces; arg: points of each of its 40 outlines.
std::string large_dxf(int points) {
  std::string out = "0\nSECTION\n2\nBLOCKS\n";
  for (int piece = 0; piece < 40; ++piece) {
    out += "0\nBLOCK\n8\n1\n2\nP" + std::to_string(piece) + "\n0\nLWPOLYLINE\n8\n1\n70\n1\n";
    for (int i = 0; i < points; ++i) {
      const double a = 2.0 * M_PI * i / points;
      out += "10\n" + std::to_string(300.0 * std::cos(a)) + "\n20\n" + std::to_string(200.0 * std::sin(a)) + "\n";
    }
    out += "0\nENDBLK\n";
  }
  return out + "0\nENDSEC\n0\nEOF\n";
}

void BM_ImportLargeDxf(benchmark::State& state) {
  const std::string bytes = large_dxf(static_cast<int>(state.range(0)));
  size_t panels = 0;
  for (auto _ : state) {
    const auto pattern = import_pattern(bytes, "large.dxf");
    if (!pattern.ok()) {
      state.SkipWithError(std::string(pattern.status().message()).c_str());
      return;
    }
    panels = pattern->pattern.panels.size();
  }
  state.SetBytesProcessed(static_cast<int64_t>(bytes.size()) * static_cast<int64_t>(state.iterations()));
  state.counters["panels"] = static_cast<double>(panels);
}
BENCHMARK(BM_ImportLargeDxf)->Arg(100)->Arg(1000)->Arg(4000)->Unit(benchmark::kMillisecond);

// Our own JSON of a pattern: written, read, linted, and seams proposed for it.
void BM_OwnJson(benchmark::State& state) {
  const Pattern pattern = import_pattern(large_dxf(200), "large.dxf")->pattern;
  for (auto _ : state) benchmark::DoNotOptimize(import_pattern(write_pattern(pattern), "own.json")->pattern.panels);
}
BENCHMARK(BM_OwnJson)->Unit(benchmark::kMillisecond);

void BM_LintAndSuggest(benchmark::State& state) {
  const char* root = std::getenv("TRYON_SHARED_DATA");
  if (root == nullptr) {
    state.SkipWithError("set TRYON_SHARED_DATA to the folder of the real patterns");
    return;
  }
  const std::string file = kFiles[3];
  const Pattern pattern = import_pattern(read(std::filesystem::path(root) / file), file)->pattern;
  size_t proposals = 0, findings = 0;
  for (auto _ : state) {
    proposals = suggest_seams(pattern).size();
    findings = lint(pattern).size();
  }
  state.counters["proposals"] = static_cast<double>(proposals);
  state.counters["findings"] = static_cast<double>(findings);
}
BENCHMARK(BM_LintAndSuggest)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tryon
