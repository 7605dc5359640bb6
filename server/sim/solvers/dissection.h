// What it is: an order of elimination for sparse symmetric matrices of meshes, by nested dissection: the graph is cut
// by a small separator, which comes last, and so again in both halves; what is small is ordered by exact minimum
// degree, its border in sight. Cuts are tried across several directions of a map made of breadth-first distances from
// far corners, and made smaller by moving vertices across (Fiduccia, Mattheyses).
// Units: none. Shapes: begin [n + 1], neighbour [begin[n]]: the graph without loops, symmetric; the result [n]: vertex
// by place. How it fails: never; vertices without neighbours are placed first. Thread rules: a pure function, the same
// bytes every time. Cites: George 1973; Ashcraft, Liu 1998 (multisection); Fiduccia, Mattheyses 1982.
#pragma once

#include <vector>

namespace tryon::sim {

std::vector<int> nested_dissection(const std::vector<int>& begin, const std::vector<int>& neighbour);

}  // namespace tryon::sim
