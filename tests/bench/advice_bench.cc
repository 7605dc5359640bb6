// What it is: a study of size advice: all sizes of the graded templates on five bodies, one line a pair: what the chart
// says, what is advised, how sure, why they differ; what the shared mesh and the warm starts save in CPU seconds.
// Options: --only=TEXT (of "body template"), --edge=25 (mm), --fabric=NAME, --cold (also every size afresh), --json=DIR
// (what was answered, a file a pair), --next (instead: one size from a drape of another, --from=M and --to=L, beside
// both sewn afresh, on the sample body: what it saves, and how far the girths lie apart).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "nlohmann/json.hpp"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/drape/cut_body.h"
#include "server/drape/size_advice.h"
#include "server/garment/template.h"
#include "tests/bench/study_options.h"
#include "tests/support/shared_data.h"
#include "tests/support/test_meshes.h"

namespace tryon {
namespace {
using Json = nlohmann::json;

struct Options {
  std::string only, fabric = "cotton_jersey", json, from = "M", to = "L";
  double edge_mm = 25.0;
  bool cold = false, next = false;
};

struct Wearers {
  std::string name, file;
  FigureType figure;
};
const Wearers kBodies[] = {{"sample", "", FigureType::kFemale},
                           {"mean_all", "garmentcode/mean_all.obj", FigureType::kFemale},
                           {"smpl_f", "smpl/f_smpl_average_A40.obj", FigureType::kFemale},
                           {"mh_f_plus", "makehuman/mh_f_young_plus_A_m_bigendian.ply", FigureType::kFemale},
                           {"mh_m_tall", "makehuman/mh_m_young_tall_A_mm_zup.ply", FigureType::kMale}};

double cpu_s() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

int study(const Options& options) {
  int pairs = 0, agree = 0, told = 0;
  for (const Wearers& body : kBodies) {
    PipelineInput input;
    AdviceRequest request;
    request.drape.body.sample = body.file.empty();
    request.drape.body.file_name = body.file;
    if (!body.file.empty()) {
      const std::string path = testing::shared_data_path("bodies/" + body.file);
      if (path.empty()) {
        std::printf("%-10s (no such file here)\n", body.name.c_str());
        continue;
      }
      input.body_bytes = testing::read_file(path);
    }
    const auto made = run_body(RunContext(), request.drape.body, input);
    if (!made.ok()) {
      std::printf("%-10s %s\n", body.name.c_str(), std::string(made.status().message()).c_str());
      continue;
    }
    input.stored_body = made->artifacts.at(kStoredBodyName).bytes;
    for (const TemplateInfo& info : list_templates()) {
      if (!options.only.empty() && (body.name + " " + info.name).find(options.only) == std::string::npos) continue;
      TemplateRequest& draft = request.drape.garment.draft.emplace();
      draft.name = info.name;
      draft.figure = body.figure;
      request.drape.settings.resolution_mm = options.edge_mm;
      request.drape.settings.fabric = options.fabric;
      const double before = cpu_s();
      const auto advised = run_advice(RunContext(), request, input);
      const double spent = cpu_s() - before;
      if (!advised.ok()) {
        std::printf("%-10s %-16s %s\n", body.name.c_str(), info.name.c_str(),
                    std::string(advised.status().message()).c_str());
        continue;
      }
      const Json json = Json::parse(advised->summary_json);
      if (!options.json.empty())
        std::ofstream(cat(options.json, "/", body.name, "_", info.name, ".json")) << json.dump(1);
      const bool same = json["chart"]["agrees"];
      ++pairs, agree += same, told += !same && json["chart"].contains("why");
      std::printf("%-10s %-16s chart %-4s advised %-4s confidence %.2f misfit %.2f  %5.1f s cpu", body.name.c_str(),
                  info.name.c_str(), json["chart"]["size"].get<std::string>().c_str(),
                  json["advised"].get<std::string>().c_str(), json["confidence"].get<double>(),
                  json["sizes"][0]["misfit"].get<double>(), spent);
      if (options.cold) {
        const double from = cpu_s();
        for (const Json& size : json["sizes"]) {
          DrapeRequest one = request.drape;
          one.garment.draft->size = size["size"];
          if (!run_drape(RunContext(), one, input).ok()) std::printf(" (a size failed)");
        }
        std::printf(", %5.1f s one by one", cpu_s() - from);
      }
      std::printf("  %s\n", same ? "" : json["chart"].value("why", "").c_str());
      std::fflush(stdout);
    }
  }
  std::printf("%d pairs: %d agree with the chart, %d say why not, %d do neither\n", pairs, agree, told,
              pairs - agree - told);
  return pairs - agree - told == 0 ? 0 : 1;
}

struct Timed {
  Json metrics;
  Artifacts files;
  double cpu_s = 0.0;
};

absl::StatusOr<Timed> timed(const DrapeRequest& request, const PipelineInput& input) {
  const double from = cpu_s();
  ASSIGN_OR_RETURN(PipelineResult made, run_drape(RunContext(), request, input));
  return Timed{Json::parse(made.summary_json), std::move(made.artifacts), cpu_s() - from};
}

// Of the girths that both have: how far they lie apart, ascending, mm, and their names; never empty.
std::vector<std::pair<double, std::string>> apart(const Json& one, const Json& other) {
  std::vector<std::pair<double, std::string>> out;
  for (const auto& [girth, ease] : one["ease_mm"].items())
    if (other["ease_mm"].contains(girth))
      out.emplace_back(std::abs(ease.get<double>() - other["ease_mm"].at(girth).get<double>()), girth);
  if (out.empty()) out.emplace_back(std::nan(""), "none");
  std::sort(out.begin(), out.end());
  return out;
}

std::string quality(const Json& m) {
  return cat(m["equilibrium"]["grade"].get<std::string>(), ", ", m["self_intersections"].get<int>(), " crossings");
}

struct Spent {
  double first_s = 0.0, afresh_s = 0.0, carried_s = 0.0;
};

absl::Status next_size(const Options& options, const DrapeRequest& base, PipelineInput input, Spent* spent) {
  DrapeRequest one = base, next = base;
  one.garment.draft->size = options.from, next.garment.draft->size = options.to;
  ASSIGN_OR_RETURN(const Timed first, timed(one, input));
  ASSIGN_OR_RETURN(const Timed afresh, timed(next, input));
  input.start = first.files.at(kWornName).bytes;
  next.starts_from = std::string(64, 'a');  // a digest that only the service reads
  ASSIGN_OR_RETURN(const Timed carried, timed(next, input));
  const auto girths = apart(afresh.metrics, carried.metrics);
  std::printf(
      "%-16s first %5.1f s cpu, next afresh %5.1f s, %5d it (%s)  %s %5.1f s, %5d it (%s)  share %3.0f %%  girths "
      "apart %.0f, at most %.0f mm (%s)\n",
      base.garment.draft->name.c_str(), first.cpu_s, afresh.cpu_s,
      afresh.metrics["equilibrium"]["iterations"].get<int>(), quality(afresh.metrics).c_str(),
      carried.metrics.value("carried", false) ? "carried" : "sewn   ", carried.cpu_s,
      carried.metrics["equilibrium"]["iterations"].get<int>(), quality(carried.metrics).c_str(),
      100 * carried.cpu_s / afresh.cpu_s, girths[girths.size() / 2].first, girths.back().first,
      girths.back().second.c_str());
  std::fflush(stdout);
  spent->first_s += first.cpu_s, spent->afresh_s += afresh.cpu_s, spent->carried_s += carried.cpu_s;
  return absl::OkStatus();
}

int study_next(const Options& options) {
  BodyRequest sample;
  sample.sample = true;
  const auto made = run_body(RunContext(), sample, PipelineInput());
  if (!made.ok()) return std::printf("%s\n", std::string(made.status().message()).c_str()), 1;
  PipelineInput input;
  input.stored_body = made->artifacts.at(kStoredBodyName).bytes;
  Spent spent;
  bool good = true;
  for (const TemplateInfo& info : list_templates()) {
    if (!options.only.empty() && ("sample " + info.name).find(options.only) == std::string::npos) continue;
    DrapeRequest request;
    request.body = sample;
    request.garment.draft.emplace().name = info.name;
    request.settings.resolution_mm = options.edge_mm;
    request.settings.fabric = options.fabric;
    request.settings.pictures = Pictures::kNone;
    const absl::Status status = next_size(options, request, input, &spent);
    if (!status.ok()) std::printf("%-16s %s\n", info.name.c_str(), std::string(status.message()).c_str());
    good = good && status.ok();
  }
  std::printf("together %.1f s carried, %.1f s afresh: %.0f %%; the first size %.1f s: %.0f %% of it\n",
              spent.carried_s, spent.afresh_s, 100 * spent.carried_s / spent.afresh_s, spent.first_s,
              100 * spent.carried_s / spent.first_s);
  return good ? 0 : 1;
}

}  // namespace
}  // namespace tryon

int main(int argc, char** argv) {
  tryon::Options options;
  tryon::read_options(
      argc, argv, "[--only=TEXT] [--edge=25] [--fabric=NAME] [--json=DIR] [--cold] [--next] [--from=M] [--to=L]",
      [&](const std::string& arg) {
        using tryon::take_flag, tryon::take_option;
        return take_option(arg, "--only=", &options.only) || take_option(arg, "--edge=", &options.edge_mm) ||
               take_option(arg, "--fabric=", &options.fabric) || take_option(arg, "--json=", &options.json) ||
               take_option(arg, "--from=", &options.from) || take_option(arg, "--to=", &options.to) ||
               take_flag(arg, "--cold", &options.cold) || take_flag(arg, "--next", &options.next);
      });
  return options.next ? tryon::study_next(options) : tryon::study(options);
}
