// What it is: the constrained Delaunay triangulation of one polygon, that points and lines can be put into.
// The polygon's sides and the lines put in are fixed for ever; every other edge obeys the empty-circle rule after each
// change. Units: any. Shapes: positions [point_count], the polygon first; triangles counter-clockwise, neighbour k is
// opposite corner k (-1 outside). How it fails: build() returns false if no ear can be cut (the loop is not simple).
// Thread rules: one object, one thread. Cites: Lawson 1977, Sloan 1993 (flips); Shewchuk 1996 (walk, insertion).
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "server/mesh/triangle_mesh.h"

namespace tryon {

class Delaunay {
 public:
  struct Tri {
    std::array<int, 3> v;
    std::array<int, 3> n;  // neighbour across the edge opposite v[k]; -1: a side of the polygon
    uint32_t stamp = 0;    // changes whenever the triangle does
    uint8_t fixed = 0;     // bit k: the edge opposite v[k] is a side or part of a line and is never flipped

    bool is_fixed(int k) const { return (fixed >> k & 1) != 0; }
  };

  struct Location {
    int triangle = -1;      // that holds the point, or the last one inside
    int blocked_edge = -1;  // the walk met a side or a line: the edge of `triangle` opposite this corner
  };

  enum class Line { kDone, kLeaves, kCrosses };
  struct LineResult {
    Line outcome = Line::kDone;
    int a = -1, b = -1;  // kCrosses: the line that is in the way
  };

  bool build(const std::vector<Vec2>& counter_clockwise_loop);

  enum class Walk { kThroughLines, kStopAtLines };
  // Visibility walk from a triangle towards p; a side of the polygon always stops it.
  Location locate(const Vec2& p, int from, Walk walk = Walk::kThroughLines) const;
  // Puts p into the triangle that holds it; returns its index, or -1 if p falls on a point or a fixed edge there is.
  // The triangles made or changed are in touched().
  int insert(const Vec2& p, int triangle);
  const std::vector<int>& touched() const { return touched_; }
  // Makes the straight line from a to b a chain of fixed edges (through points that lie on it exactly, appended to
  // `chain` with b). Stops where it would leave the polygon or cross another line: what it reached before stays.
  LineResult fix_line(int a, int b, std::vector<int>* chain);
  void free_edge(int a, int b);  // takes an inner fixed edge's mark away and restores the rule
  // Flips until every free edge obeys the empty-circle rule again.
  void restore();
  // Every triangle round the point keeps its direction with the point at p; call restore() after.
  void move(int point, const Vec2& p) { positions_[point] = p; }

  const std::vector<Vec2>& positions() const { return positions_; }
  const std::vector<Tri>& triangles() const { return triangles_; }
  int boundary_count() const { return boundary_count_; }
  const Vec2& corner(int t, int k) const { return positions_[triangles_[t].v[k]]; }
  // Triangles round a point as (triangle, the point's corner), counter-clockwise; from side to side on the outline.
  void around(int point, std::vector<std::pair<int, int>>* out) const;

 private:
  void link_neighbours();
  void set(int t, const std::array<int, 3>& v, const std::array<int, 3>& n, int fixed);
  void replace_neighbour(int t, int before, int after);
  void split_triangle(int point, int t);
  void split_edge(int point, int t, int k);
  void flip(int t, int k);
  bool flip_if_illegal(int t, int k);
  void settle();                                       // works off pending_
  bool find_edge(int a, int b, int* t, int* k) const;  // t holds a then b counter-clockwise, opposite corner k
  void fix_edge(int a, int b);
  LineResult fix_piece(int a, int b, int* reached);
  void clear_way(int a, int b, std::vector<std::pair<int, int>> crossing);

  std::vector<Vec2> positions_;
  std::vector<Tri> triangles_;
  std::vector<int> anchor_;                   // [point_count] one triangle that holds the point
  std::vector<std::pair<int, int>> pending_;  // triangle, corner opposite the edge to look at
  std::vector<int> touched_;
  int boundary_count_ = 0;
  bool whole_ = false;  // settle() looks at all four edges round a flip, not only those away from a new point
};

}  // namespace tryon
