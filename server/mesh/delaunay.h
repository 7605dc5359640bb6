// What it is: the constrained Delaunay triangulation of one polygon, that points can be put into and moved in.
// The polygon's sides are fixed for ever; every other edge obeys the empty-circle rule after each change.
// Units: any. Shapes: positions [point_count], the polygon first; triangles counter-clockwise, neighbour k is
// opposite corner k (-1 outside). How it fails: build() returns false if no ear can be cut (the loop is not simple).
// Thread rules: one object, one thread. Cites: Lawson 1977 (flips); Shewchuk 1996 (walk, constrained insertion).
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
    uint32_t stamp;        // changes whenever the triangle does
  };

  struct Location {
    int triangle = -1;      // that holds the point, or the last one inside
    int blocked_edge = -1;  // the walk met a side of the polygon: the edge of `triangle` opposite this corner
  };

  bool build(const std::vector<Vec2>& counter_clockwise_loop);

  // Visibility walk from a triangle towards p.
  Location locate(const Vec2& p, int from) const;
  // Puts p into the triangle that holds it; returns its index, or -1 if p falls on a point or a side there is.
  // The triangles made or changed are in touched().
  int insert(const Vec2& p, int triangle);
  const std::vector<int>& touched() const { return touched_; }
  // Flips until every free edge obeys the empty-circle rule again.
  void restore();
  // Every triangle round the point keeps its direction with the point at p.
  void move(int point, const Vec2& p) { positions_[point] = p; }

  const std::vector<Vec2>& positions() const { return positions_; }
  const std::vector<Tri>& triangles() const { return triangles_; }
  int boundary_count() const { return boundary_count_; }

 private:
  void link_neighbours();
  void set(int t, const std::array<int, 3>& v, const std::array<int, 3>& n);
  void replace_neighbour(int t, int before, int after);
  void split_triangle(int point, int t);
  void split_edge(int point, int t, int k);
  bool flip_if_illegal(int t, int k);
  void settle();  // works off pending_

  std::vector<Vec2> positions_;
  std::vector<Tri> triangles_;
  std::vector<std::pair<int, int>> pending_;  // triangle, corner opposite the edge to look at
  std::vector<int> touched_;
  int boundary_count_ = 0;
  bool whole_ = false;  // settle() looks at all four edges round a flip, not only those away from a new point
};

}  // namespace tryon
