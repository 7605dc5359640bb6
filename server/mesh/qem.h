// What it is: half-edge collapses of flat cloth in order of a quadric error, with the points that were removed kept in
// the triangles that hold them. The working part of hierarchy.h, which says what the error is.
// Units and shapes: as FlatCloth. How it fails: it does not; reduce() stops where nothing more may collapse.
// Thread rules: one object, one thread.
#pragma once

#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

#include "server/mesh/hierarchy.h"

namespace tryon {

// Sum of weighted squared distances to points and lines of the plane: x'Ax + 2b'x + c.
struct Quadric2 {
  double xx = 0, xy = 0, yy = 0, bx = 0, by = 0, c = 0;

  void add_point(const Vec2& p, double weight);
  void add_line(const Vec2& a, const Vec2& b, double weight);  // the infinite line through two points
  void add(const Quadric2& other);
  double at(const Vec2& p) const;
};

class Collapser {
 public:
  Collapser(const FlatCloth& cloth, double corner_turn_degrees);

  void reduce(int vertex_target);  // collapses until no more than these are left, or none may go
  void forget_removed();           // a new level begins: points removed so far are held no longer

  int vertices_left() const { return alive_count_; }
  bool is_alive(int vertex) const { return alive_[vertex]; }
  bool is_triangle(int t) const { return triangles_[t][0] >= 0; }
  const std::vector<Triangle>& triangles() const { return triangles_; }  // of corners
  const std::vector<std::vector<int>>& corners_of() const { return corners_of_; }
  std::vector<int> hosts() const;  // [corner_count] triangle that holds a removed corner, or -1

 private:
  enum class Kind : uint8_t { kLocked, kInner, kLine, kRim, kSeam };
  struct Move {
    int target = -1;  // vertex
    int count = 0;
    std::pair<int, int> corner[2];  // from -> to, one for each side
  };
  struct Key {
    double cost;
    int vertex;
    uint32_t version;
    bool operator<(const Key& o) const { return cost > o.cost || (cost == o.cost && vertex > o.vertex); }
  };

  void build_quadrics();
  void classify(double corner_turn_degrees);
  Kind kind_of(int vertex, double straight_cosine) const;
  bool is_free_edge(int corner, int neighbour) const;
  bool outline_neighbours(int corner, int* a, int* b) const;
  void neighbours(int corner, std::vector<int>* out) const;  // corners
  void moves(int vertex, std::vector<Move>* out) const;
  double error(const Move& move) const;
  bool keeps_topology(int vertex, const Move& move);
  double worst_shape(const Move& move) const;  // of the new triangles: 1 even, 0 flat; negative: one turns over
  void apply(int vertex, const Move& move);
  void collapse_corner(int from, int to);
  void push(int vertex);
  bool try_collapse(int vertex, double least_shape);

  const FlatCloth& cloth_;
  std::vector<Triangle> triangles_;                // [triangle_count] -1 where gone
  std::vector<int8_t> direction_;                  // [triangle_count] +1 counter-clockwise, -1 clockwise
  std::vector<std::vector<int>> around_;           // [corner_count] triangles
  std::vector<std::vector<int>> corners_of_;       // [vertex_count]
  std::vector<std::vector<int>> line_neighbours_;  // [corner_count]
  std::vector<std::vector<int>> held_;             // [triangle_count] removed corners
  std::vector<Quadric2> quadric_;                  // [corner_count]
  std::vector<Kind> kind_;                         // [vertex_count]
  std::vector<bool> alive_;                        // [vertex_count]
  std::vector<uint32_t> version_;                  // [vertex_count]
  std::vector<int> mark_;                          // [vertex_count]
  int stamp_ = 0, alive_count_ = 0;
  std::priority_queue<Key> queue_;
  std::vector<Move> moves_;
  std::vector<int> scratch_;
};

}  // namespace tryon
