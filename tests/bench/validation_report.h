// What it is: the long study's report: a table of targets and results side by side, and tables and curves of its own
// for each section. Prints as it goes; report.md and SVG curves go to a folder. Units: as each row says.
// How it fails: it does not; a missed target is a row that says so. Thread rules: one thread.
#pragma once

#include <cmath>
#include <cstdio>
#include <string>

#include "tests/bench/papers_plot.h"

namespace tryon::study {

class Report {
 public:
  explicit Report(std::string folder) : folder_(std::move(folder)) {}

  void print(const std::string& text) {
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
    text_ += text;
    write_text(folder_ + "/report.md", text_);
  }
  void section(const std::string& title) {
    print("\n## " + title +
          "\n\n| test | case | target | measured | error | allowed | holds |\n|---|---|---|---|---|---|---|\n");
  }
  // Within a share of the target.
  void near(const std::string& test, const std::string& what, double target, double measured, double share) {
    const double error = measured / target - 1;
    row(test, what, value(target), value(measured), percent(error), percent_of(share), std::abs(error) <= share);
  }
  // Within an absolute distance.
  void within(const std::string& test, const std::string& what, double target, double measured, double distance) {
    row(test, what, value(target), value(measured), value(measured - target), number(distance),
        std::abs(measured - target) <= distance);
  }
  void at_least(const std::string& test, const std::string& what, double least, double measured) {
    row(test, what, ">= " + value(least), value(measured), "", "", measured >= least);
  }
  void at_most(const std::string& test, const std::string& what, double most, double measured) {
    row(test, what, "<= " + value(most), value(measured), "", "", measured <= most);
  }
  void plot(const std::string& name, const Plot& plot) { write_plot(folder_ + "/" + name + ".svg", plot); }

  static std::string percent(double share) {
    char text[32];
    std::snprintf(text, sizeof text, "%+.2f %%", 100 * share);
    return text;
  }

  static std::string value(double v) {
    char text[32];
    std::snprintf(text, sizeof text, "%.5g", v);
    return text;
  }

 private:
  static std::string percent_of(double share) { return number(100 * share) + " %"; }
  void row(const std::string& test, const std::string& what, const std::string& target, const std::string& measured,
           const std::string& error, const std::string& allowed, bool holds) {
    print("| " + test + " | " + what + " | " + target + " | " + measured + " | " + error + " | " + allowed + " | " +
          (holds ? "yes" : "**no**") + " |\n");
  }
  std::string folder_, text_;
};

}  // namespace tryon::study
