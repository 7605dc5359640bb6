// What it is: everything about a factor that its numbers do not change: the order of elimination, the panels with their
// rows, and where each value of the matrix and of a child's update goes in a panel's front (panels.h). Panels are the
// supernodes of the elimination tree, joined with children where reading a few zeros costs less than another panel.
// Units: none. Shapes: in the margin, n columns, panels in elimination order. How it fails: never. Thread rules: built
// once, then const. Cites: Liu 1990 (elimination trees); Ashcraft, Grimes 1989 (relaxed supernodes).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "Eigen/Sparse"
#include "server/sim/solvers/panels.h"

namespace tryon::sim {

// The order of a matrix that had most of the same entries: most of what a pattern costs is to find one.
struct KnownOrder {
  std::vector<int> place;  // [n] as CholeskyPattern::place; empty: none
  int64_t nonzeros = 0;    // as its ordered_nonzeros
};

struct CholeskyPattern {
  std::vector<int> place;            // [n] matrix row -> place in the factor
  std::vector<panels::Panel> panel;  // [panel_count]
  std::vector<int> row;              // rows below each panel, ascending
  std::vector<int> row_in_parent;    // the same rows' places in the parent's front
  std::vector<int> child_count;      // [panel_count]; children come right before, the last one next to it
  std::vector<int64_t> entry_begin;  // [panel_count + 1]
  std::vector<int> entry_source;     // where a value stands in the matrix
  std::vector<int> entry_place;      // and in the front, by columns
  int64_t nonzeros = 0, values = 0;  // of L below the diagonal; of all panels
  int64_t ordered_nonzeros = 0;      // of the matrix for which the order was found
  // What can be eliminated, and solved, beside others of its kind: order[begin .. end], ascending, the last of them the
  // root. What its panels do to the places above is added up at one place for each of the root's rows, then all of it
  // in order by the part above: no sum depends on who came first.
  struct Part {
    int begin = 0, end = 0;
    int sums_begin = 0;        // after the n places
    std::vector<int> beneath;  // parts, ascending by their roots
  };
  std::vector<int> order;        // panels: those of each part, then the others
  std::vector<Part> part;        // whole subtrees, ascending; then what lies above some of them
  int subtree_count = 0;         // of the former
  Part top;                      // the other panels, above all parts
  std::vector<int> row_in_part;  // as `row`, rows above the own part replaced by where their sums are
  std::vector<int> sum_goes_to;  // [length - n] a place, or where the sums of the part above are
  int length = 0;                // places and sums
  struct Needs {
    int64_t stack_values = 0;  // the most that children's updates take at once
    int largest_front = 0;     // rows
    int64_t below_values = 0;  // the most of panels::below_values
  };
  static constexpr int64_t update_values(int rows) { return int64_t{rows} * (rows + 1) / 2; }
  Needs top_needs, part_needs;  // the latter for any one of them
  // Panel `index` goes on in the front of the one before it: its front is what that one left there.
  bool goes_on(int index) const {
    const panels::Panel& p = panel[index];
    return p.stride > p.width + p.row_count();
  }
  // The last panel in its front, with rows to leave to its parent.
  bool leaves_front(int index) const {
    const bool last = index + 1 == static_cast<int>(panel.size()) || !goes_on(index + 1);
    return last && panel[index].row_count() > 0;
  }
  KnownOrder known() const { return {place, ordered_nonzeros}; }
  int root(const Part& of) const { return order[of.end - 1]; }
  int64_t work(int index) const {  // multiplications of its elimination, about
    const int64_t m = panel[index].width + panel[index].row_count();
    return m * m * (panel[index].width + 1);
  }
  int panel_at(int column) const {
    const auto after = std::upper_bound(panel.begin(), panel.end(), column,
                                        [](int at, const panels::Panel& p) { return at < p.first; });
    return static_cast<int>(after - panel.begin()) - 1;
  }
};
// Of a symmetric compressed matrix, whole or its lower triangle (the rest is not read). Rows come in blocks that are
// ordered as one: a block of the matrix is all there or not at all. A known order is kept where L is little larger.
CholeskyPattern find_pattern(const Eigen::SparseMatrix<double>& matrix, int block = 1, const KnownOrder& known = {});

}  // namespace tryon::sim
