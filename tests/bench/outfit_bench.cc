// What it is: a study of garments over each other: pairs of templates on the sample body or on bodies of the data set,
// without heads and hands as the service dresses people, one line a pair: what the garment above cost (CPU seconds) and
// what both are worth (grade, residuals, crossings by the exact test, depth, limbs beside their tubes).
// Options: --only=TEXT (repeatable), --body=FILE (of the data set's bodies, repeatable), --edge=20 (mm), --threads=1,
// --deadline=0 (s: of the garment above), --png=DIR (pictures, and the garment above as OBJ).
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "nlohmann/json.hpp"
#include "server/base/executor.h"
#include "server/base/text.h"
#include "server/drape/grade.h"
#include "server/drape/pipeline.h"
#include "tests/bench/study_options.h"
#include "tests/support/shared_data.h"

namespace tryon {
namespace {
using Json = nlohmann::json;

struct Options {
  std::vector<std::string> only, bodies;
  std::string png;
  double edge_mm = 20.0, deadline_s = 0.0;
  int threads = 1;
};

struct Layer {
  const char *garment, *size, *fabric;
};
struct Pair {
  Layer below, above;
};
const Pair kPairs[] = {{{"t_shirt", "S", "cotton_jersey"}, {"shirt", "L", "poplin"}},
                       {{"trousers", "M", "denim_11oz"}, {"shirt", "L", "poplin"}},
                       {{"leggings", "M", "swim_knit"}, {"a_line_skirt", "M", "wool_suiting"}},
                       {{"tank_top", "M", "cotton_jersey"}, {"hoodie", "L", "fleece"}},
                       {{"trousers", "M", "wool_suiting"}, {"t_shirt", "M", "cotton_jersey"}},
                       {{"leggings", "M", "swim_knit"}, {"fitted_dress", "M", "cotton_twill"}},
                       {{"shirt", "M", "cotton_lawn"}, {"hoodie", "L", "fleece"}},
                       {{"t_shirt", "M", "cotton_jersey"}, {"trousers", "L", "cotton_twill"}},
                       {{"t_shirt", "S", "cotton_jersey"}, {"straight_skirt", "M", "wool_suiting"}},
                       {{"leggings", "S", "swim_knit"}, {"pleated_skirt", "M", "wool_suiting"}},
                       {{"t_shirt", "M", "cotton_jersey"}, {"hoodie", "L", "fleece"}},
                       {{"fitted_dress", "S", "cotton_twill"}, {"circle_skirt", "M", "poplin"}}};

// Whom the pairs are put on.
struct Wearer {
  std::string name;
  BodyRequest body;
  std::string stored;  // body.tryon
};

Wearer wearer_of(const RunContext& run, const std::string& file) {
  Wearer out{std::filesystem::path(file).stem().string(), {}, {}};
  if (file.empty()) {
    out.name = "the sample";
    out.body.sample = true;
    return out;
  }
  out.body.file_name = file;
  PipelineInput input;
  input.body_bytes = testing::read_file(testing::shared_data_path("bodies/" + file));
  const auto made = run_body(run, out.body, input);
  if (!made.ok()) {
    std::fprintf(stderr, "%s: %s\n", file.c_str(), std::string(made.status().message()).c_str());
    std::exit(1);
  }
  out.stored = made->artifacts.at(kStoredBodyName).bytes;
  return out;
}

DrapeRequest request_of(const Options& options, const Wearer& wearer, const Layer& layer) {
  DrapeRequest out;
  out.body = wearer.body;
  TemplateRequest& draft = out.garment.draft.emplace();
  draft.name = layer.garment, draft.size = layer.size;
  out.settings.fabric = layer.fabric;
  out.settings.resolution_mm = options.edge_mm;
  return out;
}

int limbs_beside(const Json& metrics) {
  int out = 0;
  for (const Json& finding : metrics.value("findings", Json::array()))
    out += finding["code"] == "LIMB_BESIDE_CLOTH" || finding["code"] == "SLEEVE_EMPTY";
  return out;
}

// True if final, free of crossings and outside the body, and the body inside it.
bool tell(const std::string& name, const Json& m, double cpu) {
  const Json& rest = m["equilibrium"];
  const int crossings = m["self_intersections"], limbs = limbs_beside(m);
  const double depth = m["penetration"]["max_depth_mm"];
  const bool sound =
      is_at_least(rest["grade"].get<std::string>(), "final") && crossings == 0 && depth <= 0.1 && limbs == 0;
  std::printf(
      "%-34s %5d v %7.2f s cpu, %4d steps %6lld it | %-8s %-10s rms %.1e max %.1e | crossings %4d depth %4.2f mm, %d "
      "limbs beside %s\n",
      name.c_str(), m["mesh"]["vertices"].get<int>(), cpu, rest["steps"].get<int>(),
      rest["iterations"].get<long long>(), rest["grade"].get<std::string>().c_str(),
      rest["termination"].get<std::string>().c_str(), rest["residual_rms"].get<double>(),
      rest["residual_max"].get<double>(), crossings, depth, limbs, sound ? "SOUND" : "");
  std::fflush(stdout);
  return sound;
}

void leave_files(const Options& options, const std::string& name, const Artifacts& artifacts) {
  if (options.png.empty()) return;
  const std::string file = cat(options.png, "/", as_file(name));
  for (const char* view : {"front", "back", "left"}) {
    std::ofstream out(cat(file, "_", view, ".png"), std::ios::binary);
    out << artifacts.at(cat("preview_", view, ".png")).bytes;
  }
  std::ofstream(cat(file, ".obj"), std::ios::binary) << artifacts.at("garment.obj").bytes;
}

// Whether it is sound.
bool dress(const Options& options, const RunContext& run, const Wearer& wearer, const Pair& pair,
           const std::string& name) {
  PipelineInput input;
  input.stored_body = wearer.stored;
  const auto first = run_drape(run, request_of(options, wearer, pair.below), input);
  if (!first.ok()) {
    std::printf("%-34s below: %s\n", name.c_str(), std::string(first.status().message()).c_str());
    return false;
  }
  DrapeRequest request = request_of(options, wearer, pair.above);
  request.over = std::string(64, 'a');
  input.worn = first->artifacts.at(kWornName).bytes;
  const std::clock_t start = std::clock();
  RunContext timed = run;
  if (options.deadline_s > 0) timed.deadline = absl::Now() + absl::Seconds(options.deadline_s);
  const auto second = run_drape(timed, request, input);
  if (!second.ok()) {
    std::printf("%-34s %s\n", name.c_str(), std::string(second.status().message()).c_str());
    return false;
  }
  leave_files(options, name, second->artifacts);
  return tell(name, Json::parse(second->summary_json), static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
}

int study(const Options& options) {
  int count = 0, sound = 0;
  Executor pool(options.threads);
  RunContext run;
  run.executor = &pool;
  for (const std::string& file : options.bodies) {
    const Wearer wearer = wearer_of(run, file);
    for (const Pair& pair : kPairs) {
      const std::string name = cat(pair.above.garment, " over ", pair.below.garment, " on ", wearer.name);
      if (!is_chosen(options.only, name)) continue;
      ++count;
      sound += dress(options, run, wearer, pair, name);
    }
  }
  std::printf("%d outfits, %d sound\n", count, sound);
  return 0;
}

}  // namespace
}  // namespace tryon

int main(int argc, char** argv) {
  tryon::Options options;
  tryon::read_options(
      argc, argv, "[--only=TEXT ...] [--body=FILE ...] [--edge=20] [--deadline=0] [--threads=1] [--png=DIR]",
      [&](const std::string& arg) {
        using tryon::take_option;
        return take_option(arg, "--only=", &options.only) || take_option(arg, "--body=", &options.bodies) ||
               take_option(arg, "--png=", &options.png) || take_option(arg, "--edge=", &options.edge_mm) ||
               take_option(arg, "--deadline=", &options.deadline_s) || take_option(arg, "--threads=", &options.threads);
      });
  if (options.bodies.empty()) options.bodies = {""};
  return tryon::study(options);
}
