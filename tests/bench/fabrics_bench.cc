// The fabric library under Cusick's drape meter, beside what was published:
// scripts/bench fabrics [--cell MM] [--markdown] [NAME ...]. "elastic" leaves the bending hysteresis out.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "server/fabric/fabric.h"
#include "server/lab/drape_meter.h"

namespace tryon {
namespace {

struct Row {
  Fabric fabric;
  double elastic = 0, simulated = 0;
  int nodes = 0;
};

std::string published(const Fabric& f) {
  char text[32];
  if (f.drape_high == 0) return "-";
  if (f.drape_low == f.drape_high)
    std::snprintf(text, sizeof text, "%.1f", 100 * f.drape_low);
  else
    std::snprintf(text, sizeof text, "%.0f .. %.0f", 100 * f.drape_low, 100 * f.drape_high);
  return text;
}

double off(const Row& row) {  // points beyond the published value or band
  const double low = 100 * row.fabric.drape_low, high = 100 * row.fabric.drape_high, at = 100 * row.simulated;
  return at < low ? at - low : at > high ? at - high : 0;
}

absl::StatusOr<Row> measure(const Fabric& fabric, const lab::DrapeMeter& meter) {
  Row row{fabric};
  Fabric elastic = fabric;
  elastic.bend_hysteresis = 0;
  const auto bare = lab::drape_specimen({}, elastic, meter);
  if (!bare.ok()) return bare.status();
  row.elastic = row.simulated = bare->coefficient;
  row.nodes = bare->nodes;
  if (fabric.bend_hysteresis == 0) return row;
  const auto held = lab::drape_specimen({}, fabric, meter);
  if (!held.ok()) return held.status();
  row.simulated = held->coefficient;
  row.nodes = held->nodes;
  return row;
}

int study(int argc, char** argv) {
  lab::DrapeMeter meter;
  meter.seeds = {6, 7};
  std::vector<std::string> names;
  const char* line = "%-18s %8.1f %10.1f %6d %12s %8s\n";
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--cell" && i + 1 < argc)
      meter.cell = 1e-3 * std::atof(argv[++i]);
    else if (word == "--markdown")
      line = "| `%s` | %.1f | %.1f | %d | %s | %s |\n";
    else
      names.push_back(word);
  }
  if (names.empty()) names = fabric_names();
  std::printf("Cusick's drape coefficient in %%, 300 mm over 180 mm, cells of %.0f mm, seeds 6 and 7\n",
              1e3 * meter.cell);
  std::printf("fabric | elastic | with hysteresis | nodes | published | off\n");
  double sum = 0, worst = 0;
  int measured = 0;
  for (const std::string& name : names) {
    const auto fabric = fabric_by_name(name);
    if (!fabric.ok()) return std::printf("%s\n", fabric.status().ToString().c_str()), 1;
    const auto row = measure(*fabric, meter);
    if (!row.ok()) return std::printf("%s\n", row.status().ToString().c_str()), 1;
    const bool known = fabric->drape_high > 0;
    char text[16] = "";
    if (known) std::snprintf(text, sizeof text, "%+.1f", off(*row));
    std::printf(line, name.c_str(), 100 * row->elastic, 100 * row->simulated, row->nodes, published(*fabric).c_str(),
                text);
    std::fflush(stdout);
    if (fabric->drape_source.rfind("Petrak", 0) != 0) continue;
    sum += std::abs(off(*row)), worst = std::max(worst, std::abs(off(*row))), ++measured;
  }
  if (measured > 0)
    std::printf("the %d wovens of Petrak 2025: %.1f points on average, %.1f at the most\n", measured, sum / measured,
                worst);
  return 0;
}

}  // namespace
}  // namespace tryon

int main(int argc, char** argv) { return tryon::study(argc, argv); }
