// What it is: the claims of the papers, measured: `scripts/bench papers [NAME] [FOLDER]` prints each paper's figures
// beside ours as Markdown and writes the curves as SVG. Times are CPU seconds of one thread.
#include "tests/bench/papers_ji.h"
#include "tests/bench/papers_ma.h"
#include "tests/bench/papers_wan.h"
#include "tests/bench/papers_yong.h"

int main(int argc, char** argv) {
  const std::string only = argc > 1 ? argv[1] : "all", folder = argc > 2 ? argv[2] : "out/bench/papers";
  if (only == "all" || only == "wan") tryon::study::wan_study(folder);
  if (only == "all" || only == "ma") tryon::study::ma_study(folder);
  if (only == "all" || only == "ji") tryon::study::ji_study(folder);
  if (only == "all" || only == "yong") tryon::study::yong_study(folder);
  return 0;
}
