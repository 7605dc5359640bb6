// What it is: a study of garments over each other: pairs of templates on the sample body, one line a pair: what the
// garment above cost (CPU seconds) and what both are worth (grade, residuals, crossings by the exact test, depth).
// Options: --only=TEXT (repeatable), --edge=20 (mm), --threads=1, --deadline=0 (s: of the garment above).
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "nlohmann/json.hpp"
#include "server/base/executor.h"
#include "server/base/text.h"
#include "server/drape/grade.h"
#include "server/drape/pipeline.h"
#include "tests/bench/study_options.h"

namespace tryon {
namespace {
using Json = nlohmann::json;

struct Options {
  std::vector<std::string> only;
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
                       {{"leggings", "M", "swim_knit"}, {"fitted_dress", "M", "cotton_twill"}}};

DrapeRequest request_of(const Options& options, const Layer& layer) {
  DrapeRequest out;
  out.body.sample = true;
  TemplateRequest& draft = out.garment.draft.emplace();
  draft.name = layer.garment, draft.size = layer.size;
  out.settings.fabric = layer.fabric;
  out.settings.resolution_mm = options.edge_mm;
  return out;
}

// True if final, free of crossings and outside the body.
bool tell(const std::string& name, const Json& m, double cpu) {
  const Json& rest = m["equilibrium"];
  const int crossings = m["self_intersections"];
  const double depth = m["penetration"]["max_depth_mm"];
  const bool sound = is_at_least(rest["grade"].get<std::string>(), "final") && crossings == 0 && depth <= 0.1;
  std::printf(
      "%-34s %5d v %7.2f s cpu, %4d steps %6lld it | %-8s %-10s rms %.1e max %.1e | crossings %4d depth %4.2f mm %s\n",
      name.c_str(), m["mesh"]["vertices"].get<int>(), cpu, rest["steps"].get<int>(),
      rest["iterations"].get<long long>(), rest["grade"].get<std::string>().c_str(),
      rest["termination"].get<std::string>().c_str(), rest["residual_rms"].get<double>(),
      rest["residual_max"].get<double>(), crossings, depth, sound ? "SOUND" : "");
  std::fflush(stdout);
  return sound;
}

int study(const Options& options) {
  int count = 0, sound = 0;
  Executor pool(options.threads);
  RunContext run;
  run.executor = &pool;
  for (const auto& [below, above] : kPairs) {
    const std::string name = cat(above.garment, " over ", below.garment);
    if (!is_chosen(options.only, name)) continue;
    ++count;
    const auto first = run_drape(run, request_of(options, below), {});
    if (!first.ok()) {
      std::printf("%-34s below: %s\n", name.c_str(), std::string(first.status().message()).c_str());
      continue;
    }
    DrapeRequest request = request_of(options, above);
    request.over = std::string(64, 'a');
    PipelineInput input;
    input.worn = first->artifacts.at(kWornName).bytes;
    const std::clock_t start = std::clock();
    RunContext timed = run;
    if (options.deadline_s > 0) timed.deadline = absl::Now() + absl::Seconds(options.deadline_s);
    const auto second = run_drape(timed, request, input);
    if (!second.ok()) {
      std::printf("%-34s %s\n", name.c_str(), std::string(second.status().message()).c_str());
      continue;
    }
    sound += tell(name, Json::parse(second->summary_json), static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  std::printf("%d outfits, %d sound\n", count, sound);
  return 0;
}

}  // namespace
}  // namespace tryon

int main(int argc, char** argv) {
  tryon::Options options;
  tryon::read_options(
      argc, argv, "[--only=TEXT ...] [--edge=20] [--deadline=0] [--threads=1]", [&](const std::string& arg) {
        using tryon::take_option;
        return take_option(arg, "--only=", &options.only) || take_option(arg, "--edge=", &options.edge_mm) ||
               take_option(arg, "--deadline=", &options.deadline_s) || take_option(arg, "--threads=", &options.threads);
      });
  return tryon::study(options);
}
