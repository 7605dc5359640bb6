// What it is: the section refinement of the validation study: S3, a drape's mesh convergence: Cusick's disc and a skirt
// panel from 20 to 2.5 mm, each begun in the shape of the coarser one, and the disc on other meshes of 5 mm.
// Units: SI. How it fails: a missed target is a row that says so. Thread rules: one thread.
#pragma once

#include "tests/bench/validation_bending.h"
#include "tests/validation/panel_scene.h"

namespace tryon::sim::validation {

inline constexpr double kCells[] = {0.02, 0.01, 0.005, 0.0025};

// Order of the energy from the last three meshes, each half of the one before.
inline double last_order(const std::vector<double>& energy) {
  const size_t n = energy.size();
  return std::log2(std::abs((energy[n - 2] - energy[n - 3]) / (energy[n - 1] - energy[n - 2])));
}

inline void refine_disc(Report* report, const Law& law, study::Plot* plot) {
  std::vector<Draped> discs;
  std::vector<double> energy;
  plot->series.push_back({law.name, {}});
  for (double cell : kCells) {
    Cusick c;
    c.cell = cell, c.bend = law.law;
    if (!discs.empty()) c.from = &discs.back();
    discs.push_back(drape_disc("newton", c, 1e-3, 2000));
    const Draped& d = discs.back();
    energy.push_back(1e3 * d.energy);
    plot->series.back().points.emplace_back(1e3 * cell, d.coefficient);
    const double before = discs.size() > 1 ? discs[discs.size() - 2].coefficient : d.coefficient;
    report->within("S3",
                   std::string(law.name) + ", disc, " + number(1e3 * cell) + " mm, nodes " + std::to_string(d.nodes) +
                       ", energy mJ " + Report::value(energy.back()) + ", DC % against the coarser",
                   before, d.coefficient, 2);
    if (law.law != BendLaw::kShape || cell != 0.01) continue;
    const Draped base = d;
    for (const MeshKind mesh : {MeshKind::kM1, MeshKind::kM2, MeshKind::kM5}) {
      Cusick other;
      other.cell = 0.005, other.mesh = mesh, other.from = &base;
      const Draped on = drape_disc("newton", other, 1e-3, 2000);
      Cusick same = other;
      same.mesh = MeshKind::kM3;
      static const double even = drape_disc("newton", same, 1e-3, 2000).coefficient;
      report->within("S3", std::string("shape operator, 5 mm, ") + name_of(mesh) + " against M3, DC %", even,
                     on.coefficient, 3);
    }
  }
  report->at_least("S3", std::string(law.name) + ", disc, order of the energy", 1, last_order(energy));
}

inline void refine_panel(Report* report) {
  std::vector<Hanging> panels;
  std::vector<double> energy;
  for (double cell : kCells) {
    Panel p;
    p.cell = cell;
    panels.push_back(hang_panel("newton", p, panels.empty() ? nullptr : &panels.back()));
    energy.push_back(1e3 * panels.back().energy);
    const size_t n = panels.size();
    const std::string what = "panel, " + number(1e3 * cell) + " mm, energy mJ " + Report::value(energy.back());
    if (n == 1) continue;
    report->at_most("S3", what + ", hem rms mm against the coarser", 2, 1e3 * hem_rms(panels[n - 1], panels[n - 2]));
    report->at_most("S3", what + ", wrinkles of the hem", panels[n - 2].wrinkles, panels[n - 1].wrinkles);
  }
  report->at_least("S3", "panel, order of the energy", 1, last_order(energy));
}

inline void refinement_section(Report* report) {
  report->section("S3 mesh convergence of a drape, newton; only the last step, 5 to 2.5 mm, is asked to hold");
  study::Plot plot{"S3: drape coefficient of the Cusick disc", "edge, mm", "DC, %", true, false, {}};
  for (const Law& law : {kLaws[0], kLaws[1]}) refine_disc(report, law, &plot);
  report->plot("cusick_mesh", plot);
  refine_panel(report);
}

inline Sections refined_sections() { return {{"refinement", refinement_section}}; }

}  // namespace tryon::sim::validation
