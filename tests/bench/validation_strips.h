// What it is: the sections pull, curved, air and incline of the validation study: T7, T3, T12 b and T13. Units: SI.
// How it fails: a missed target is a row that says so. Thread rules: one thread.
#pragma once

#include "tests/bench/validation_bending.h"
#include "tests/validation/air_scenes.h"
#include "tests/validation/incline_scenes.h"
#include "tests/validation/pull_scenes.h"

namespace tryon::sim::validation {

inline void pull_section(Report* report) {
  report->section("T7 strips pulled off the axes, newton, continuum: modulus N/m, seeds of M5 0 to 2");
  for (const MeshKind mesh : kAllMeshes)
    for (uint32_t seed = 0; seed < (mesh == MeshKind::kM5 ? 3u : 1u); ++seed)
      for (double degrees : {0.0, 15.0, 30.0, 45.0, 60.0, 75.0, 90.0}) {
        Pull p;
        p.degrees = degrees, p.mesh = mesh, p.seed = seed;
        report->near("T7", std::string(name_of(mesh)) + ", " + number(degrees) + " degrees", off_axis_exact(p),
                     pull_strip(p).modulus, mesh == MeshKind::kM5 ? 0.02 : 0.01);
      }
  for (const char* solver : {"newton", "lbfgs", "spring_projection", "pd_direct"})
    for (double degrees : {0.0, 30.0, 45.0}) {
      Pull p;
      p.degrees = degrees, p.layout = SpringLayout::kThreads, p.poisson = 0;
      const Pulled pulled = pull_strip(p, solver, 300);
      report->near(
          "T7",
          std::string("threads, ") + solver + ", " + number(degrees) + " degrees, residual " + number(pulled.residual),
          off_axis_exact(p), pulled.modulus, 0.01);
    }
  Pull edges;
  edges.layout = SpringLayout::kEdges, edges.poisson = 0;
  report->near("T7", "springs along edges must fail, 45 degrees", off_axis_exact(edges), pull_strip(edges).modulus,
               0.01);
}

inline void curved_section(Report* report) {
  report->section("T3 strips with rest curvature hung from one end, newton: tip over L");
  const double table[][4] = {{1, 10, 0.2369775, 0.9546745},   {2, 1, 0.6793914, 0.5252908},
                             {2, 10, 0.4447093, 0.8200009},   {2, 100, 0.1177210, 0.9800003},
                             {kPi, 10, 0.6012974, 0.5638724}, {5, 100, 0.2699842, 0.8750024},
                             {10, 1000, 0.1182229, 0.9500000}};
  for (const auto& [curvature, gamma, aside, drop] : table)
    for (int elements : {20, 40}) {
      const CurvedTip tip = hang_curved("newton", curvature, gamma, elements);
      const std::string what =
          "k L " + number(curvature) + ", Gamma " + number(gamma) + ", N = " + std::to_string(elements);
      report->within("T3", what + ", aside", aside, tip.aside, elements < 40 ? 0.01 : 0.003);
      report->within("T3", what + ", drop", drop, tip.drop, elements < 40 ? 0.01 : 0.003);
    }
}

inline void air_section(Report* report) {
  report->section("T12 b sheet hung in a steady wind, newton");
  const double table[][6] = {{0.1, 5.6827, 5.8546, 0.99509, 1.00494, 0.97524},
                             {0.5, 24.4698, 27.1723, 0.91018, 1.09868, 0.97405},
                             {1, 38.1727, 43.0843, 0.78615, 1.27202, 1.06921},
                             {2, 51.3317, 57.6295, 0.62481, 1.60049, 1.26779},
                             {5, 64.8216, 71.5818, 0.42544, 2.35052, 1.66505}};
  for (const auto& [q, plain, lifted, normal, drag, lift] : table) {
    const struct {
      const char* name;
      WindModel law;
      double ratio, angle, tension;
    } cases[] = {{"N", WindModel::kTriangle, 0, plain, normal},
                 {"J without lift", WindModel::kVertex, 0, plain, drag},
                 {"J, lift 0.3", WindModel::kVertex, 0.3, lifted, lift}};
    for (const auto& c : cases) {
      const InWind rest = hang_in_wind("newton", c.law, q, c.ratio);
      const std::string what = std::string(c.name) + ", q " + number(q);
      report->within("T12 b", what + ", degrees", c.angle, rest.degrees, 0.5);
      report->within("T12 b", what + ", tension over weight", c.tension, rest.tension, 0.01);
      report->at_most("T12 b", what + ", crooked over L", 0.01, rest.crooked);
    }
  }
}

inline void incline_section(Report* report) {
  report->section("T13 incline: sliding angle and acceleration, stopping distance");
  for (const char* solver : {"newton", "lbfgs"})
    for (bool triangles : {false, true}) {
      const std::string what = std::string(solver) + (triangles ? ", triangles" : ", plane");
      for (double mu : {0.1, 0.3, 0.5}) {
        Block b;
        b.mu = mu, b.triangles = triangles;
        double low = critical_degrees(mu) - 0.5, high = low + 1;
        while (high - low > 0.01) {
          b.degrees = 0.5 * (low + high);
          (slide_block(solver, b, 3).distance.back() > 1e-3 ? high : low) = b.degrees;
        }
        report->within("T13", what + ", mu " + number(mu) + ", threshold degrees", critical_degrees(mu),
                       0.5 * (low + high), 0.1);
      }
      for (double extra : {1.0, 5.0, 10.0}) {
        Block b;
        b.degrees = critical_degrees(b.mu) + extra, b.triangles = triangles;
        report->near("T13", what + ", " + number(extra) + " degrees above, m/s after 1 s", slope_acceleration(b),
                     slide_block(solver, b, 1).speed, extra < 5 ? 0.05 : 0.01);
      }
      Block b;
      b.speed = 1, b.h = 1.0 / 240, b.triangles = triangles;
      report->near("T13", what + ", stopping distance from 1 m/s", 0.5 / (b.mu * kGravity) - b.h / 2,
                   slide_block(solver, b, 1).distance.back(), 0.01);
    }
}

inline Sections strip_sections() {
  return {{"pull", pull_section}, {"curved", curved_section}, {"air", air_section}, {"incline", incline_section}};
}

}  // namespace tryon::sim::validation
