// What it is: the long form of tests/validation: `scripts/bench validation` prints as Markdown, for every Gamma, mesh
// and resolution, the cantilever beside the exact elastica with its order, for the bending laws and solvers; catenaries
// are in the short form. Curves go to out/bench/validation as SVG, the tables to report.md there.
#include <cstdio>

#include "tests/bench/papers_plot.h"
#include "tests/validation/strips.h"

namespace tryon::sim::validation {
namespace {

std::string report;
void print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
  report += text;
}

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%+.2f", 100 * share);
  return text;
}

double error_of(const Cantilever& c, const std::string& solver) {
  return bend_cantilever(c, solver, 0.1, solver == "newton" ? 50 : 300, 600).slope / exact_slope(c.gamma) - 1;
}

void cantilever_table(const std::string& solver, BendLaw law, const char* law_name, study::Plot* plot) {
  print("\n### T1 cantilever, " + solver + ", " + law_name +
        ": error of H/W_x in %\n\n| mesh | Gamma | N = 10 | N = 20 | N = 40 | order |\n|---|---|---|---|---|---|\n");
  for (const MeshKind mesh : {MeshKind::kM1, MeshKind::kM2, MeshKind::kM3, MeshKind::kM5})
    for (double gamma : {0.1, 1.0, 8.0, 30.0, 100.0}) {
      double error[3];
      for (int k = 0; k < 3; ++k) {
        Cantilever c;
        c.gamma = gamma;
        c.mesh = mesh;
        c.bend = law;
        c.elements = 10 << k;
        c.rows = 1 << k;
        error[k] = error_of(c, solver);
        if (gamma == 8) plot->series.back().points.emplace_back(c.elements, std::abs(error[k]));
      }
      print(std::string("| ") + name_of(mesh) + " | " + study::number(gamma) + " | " + percent(error[0]) + " | " +
            percent(error[1]) + " | " + percent(error[2]) + " | " +
            study::number(std::log2(std::abs(error[1] / error[2]))) + " |\n");
      if (gamma == 8 && mesh != MeshKind::kM5)
        plot->series.push_back({name_of(static_cast<MeshKind>(static_cast<int>(mesh) + 1)), {}});
    }
}

}  // namespace
}  // namespace tryon::sim::validation

int main(int argc, char** argv) {
  using namespace tryon::sim;
  using namespace tryon::sim::validation;
  const std::string folder = argc > 1 ? argv[1] : "out/bench/validation";
  const struct {
    BendLaw law;
    const char *name, *file;
  } laws[] = {{BendLaw::kShape, "shape operator", "cantilever_shape"},
              {BendLaw::kHinge, "hinge", "cantilever_hinge"},
              {BendLaw::kQuadratic, "isometric quadratic", "cantilever_quadratic"}};
  for (const auto& law : laws) {
    tryon::study::Plot plot{std::string("Cantilever, Gamma = 8: ") + law.name,
                            "elements along the length",
                            "|error of H/W|",
                            true,
                            true,
                            {{"M1", {}}}};
    cantilever_table("newton", law.law, law.name, &plot);
    tryon::study::write_plot(folder + "/" + law.file + ".svg", plot);
  }
  tryon::study::write_text(folder + "/report.md", report);
  return 0;
}
