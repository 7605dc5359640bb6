// What it is: agreement of meshes: templates of size S through the whole pipeline on the sample body, at an edge length
// and at half of it; how far the ease and room of each girth and the length of each opening move (wanted: 3 mm at the
// most). Units: mm. How it fails: a drape that fails is told in its place. Thread rules: one call.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"
#include "server/base/executor.h"
#include "server/drape/pipeline.h"
#include "server/garment/template.h"
#include "tests/bench/study_options.h"

namespace tryon::agreement {

struct Options {
  std::vector<std::string> only;
  std::string fabric;
  double edge_mm = 20.0;
  int threads = 1;
};

struct Measured {
  std::string grade;
  std::map<std::string, double> girth_mm;  // ease of "bust_girth" and others, length of each opening
  std::map<std::string, double> room_mm;   // of the former
};

inline absl::StatusOr<Measured> measured(const std::string& name, const Options& options, double edge_mm) {
  DrapeRequest request;
  request.body.sample = true;
  request.garment.draft = TemplateRequest();
  request.garment.draft->name = name, request.garment.draft->size = "S";
  request.settings.fabric = options.fabric;
  request.settings.resolution_mm = edge_mm;
  Executor pool(options.threads);
  RunContext run;
  run.executor = &pool;
  auto result = run_drape(run, request, PipelineInput());
  if (!result.ok()) return result.status();
  const auto metrics = nlohmann::json::parse(result->summary_json);
  Measured out;
  out.grade = metrics["equilibrium"]["grade"];
  for (const auto& [item, ease] : metrics["ease_mm"].items()) out.girth_mm[item] = ease;
  for (const auto& [item, girth] : metrics["ease"].items()) out.room_mm[item] = girth["room_mm"];
  for (const auto& opening : metrics["openings"]) {
    std::string key = opening["kind"];
    while (out.girth_mm.count(key) > 0) key += "'";  // the other side's
    out.girth_mm[key] = opening["length_mm"];
  }
  return out;
}

inline void print_sum(const std::string& what, const std::vector<double>& moves) {
  const auto within = [&](double mm) {
    return std::count_if(moves.begin(), moves.end(), [=](double m) { return m < mm; });
  };
  std::printf("of %zu %s %td move by less than 1.5 mm, %td by less than 3, the worst by %.1f\n", moves.size(),
              what.c_str(), within(1.5), within(3.0),
              moves.empty() ? 0.0 : *std::max_element(moves.begin(), moves.end()));
}

inline int study(const Options& options) {
  std::vector<double> moves, rooms;
  for (const TemplateInfo& info : list_templates()) {
    if (!is_chosen(options.only, info.name)) continue;
    const auto coarse = measured(info.name, options, options.edge_mm);
    const auto fine = measured(info.name, options, 0.5 * options.edge_mm);
    if (!coarse.ok() || !fine.ok()) {
      std::printf("%s: %s %s\n", info.name.c_str(), std::string(coarse.status().message()).c_str(),
                  std::string(fine.status().message()).c_str());
      continue;
    }
    std::printf("%s: %s, %s\n", info.name.c_str(), coarse->grade.c_str(), fine->grade.c_str());
    for (const auto& [item, ease] : coarse->girth_mm) {
      if (fine->girth_mm.count(item) == 0) continue;
      moves.push_back(std::abs(fine->girth_mm.at(item) - ease));
      std::printf("  %-24s %7.1f %7.1f  moved %5.1f mm%s", item.c_str(), ease, fine->girth_mm.at(item), moves.back(),
                  moves.back() > 3.0 ? "  *" : "");
      if (coarse->room_mm.count(item) > 0 && fine->room_mm.count(item) > 0) {
        rooms.push_back(std::abs(fine->room_mm.at(item) - coarse->room_mm.at(item)));
        std::printf("  room %7.1f %7.1f  moved %5.1f mm%s", coarse->room_mm.at(item), fine->room_mm.at(item),
                    rooms.back(), rooms.back() > 3.0 ? "  *" : "");
      }
      std::printf("\n");
    }
    std::fflush(stdout);
  }
  print_sum("girths and openings", moves);
  print_sum("tapes' rooms", rooms);
  return 0;
}

}  // namespace tryon::agreement
