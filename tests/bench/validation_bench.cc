// What it is: the long form of tests/validation: `scripts/bench validation [SECTION ...]` prints targets of the
// physics validation specification beside what the solvers here measure, with errors and whether the tolerance holds.
// report.md and curves go to out/bench/validation. Sections: patch, cantilever, stability, fabric, cusick, pull,
// curved, air, incline, refinement, membrane, motion, contact, layers, orders, lbfgs, queries.
#include <algorithm>
#include <vector>

#include "tests/bench/validation_bending.h"
#include "tests/bench/validation_refined.h"
#include "tests/bench/validation_rest.h"
#include "tests/bench/validation_strips.h"

int main(int argc, char** argv) {
  tryon::study::Report report("out/bench/validation");
  const std::vector<std::string> wanted(argv + 1, argv + argc);
  using namespace tryon::sim::validation;
  for (const Sections& sections : {bending_sections(), strip_sections(), refined_sections(), other_sections()})
    for (const auto& [name, run] : sections)
      if (wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end()) run(&report);
  return 0;
}
