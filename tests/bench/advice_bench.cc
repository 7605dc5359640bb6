// What it is: a study of size advice: all sizes of the graded templates on five bodies, one line a pair: what the chart
// says, what is advised, how sure, why they differ; what the shared mesh and the warm starts save in CPU seconds.
// Options: --only=TEXT (of "body template"), --edge=25 (mm), --fabric=NAME, --cold (also every size afresh), --json=DIR
// (what was answered, a file a pair).
#include <cstdio>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"
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
  std::string only, fabric = "cotton_jersey", json;
  double edge_mm = 25.0;
  bool cold = false;
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

}  // namespace
}  // namespace tryon

int main(int argc, char** argv) {
  tryon::Options options;
  tryon::read_options(
      argc, argv, "[--only=TEXT] [--edge=25] [--fabric=NAME] [--json=DIR] [--cold]", [&](const std::string& arg) {
        using tryon::take_flag, tryon::take_option;
        return take_option(arg, "--only=", &options.only) || take_option(arg, "--edge=", &options.edge_mm) ||
               take_option(arg, "--fabric=", &options.fabric) || take_option(arg, "--json=", &options.json) ||
               take_flag(arg, "--cold", &options.cold);
      });
  return tryon::study(options);
}
