// What it is: which vertices, edges and triangles of one cloth may touch each other, and which of them are near now:
// a binary tree of boxes over the triangles, built once and refitted, met with itself; every vertex and every edge
// belongs to one triangle, so that a pair of triangles tells each pair of their elements once.
// Units: m. Shapes: pairs as indices. Tie partners (seams being sewn) count as one vertex, so that what is sewn
// together or shares a corner is never a pair. How it fails: never; positions must be finite.
// Thread rules: one object, one calling thread; the search runs on the context's executor, the pairs come in one order.
// Cites: Curtis 2008 (representative triangles); Ericson, Real-Time Collision Detection, 6.3 (simultaneous traversal).
#pragma once

#include <array>
#include <vector>

#include "server/base/run_context.h"
#include "server/sim/collision/boxes.h"
#include "server/sim/model.h"

namespace tryon::sim {

class ClothElements {
 public:
  // of: as Scene::kept_apart, whose triangles alone are meant; empty: all.
  explicit ClothElements(const DrapeModel& model, const std::vector<uint8_t>& of = {});

  struct Edge {
    int a, b;
    int left = -1, right = -1;  // triangles beside it; right = -1 on a hem
  };
  struct VertexTriangle {
    int vertex, triangle;
  };
  struct EdgeEdge {
    int first, second;
  };
  struct EdgeTriangle {
    int edge, triangle;
  };
  // All pairs whose boxes come within `reach` of each other, and all whose boxes overlap.
  void find(const std::vector<RVec3>& x, Real reach, const RunContext& run = {});
  const std::vector<VertexTriangle>& vertex_triangles() const { return found_.vertex_triangles; }
  const std::vector<EdgeEdge>& edge_edges() const { return found_.edge_edges; }
  const std::vector<EdgeTriangle>& edge_triangles() const { return found_.edge_triangles; }  // those that may cross

  const std::vector<Edge>& edges() const { return edges_; }
  const std::vector<Triangle>& triangles() const { return triangles_; }
  // Size of the smallest rest triangle at a vertex: closer than a part of it, neighbours of neighbours are no contact.
  Real rest_length(int vertex) const { return rest_length_[vertex]; }
  // Whether an edge of the mesh joins them (or the seam to be).
  bool joined(int a, int b) const;
  Real mean_edge() const { return mean_edge_; }

 private:
  struct Node {
    int right = -1;          // child; the left one is the next node; -1: a leaf
    int begin = 0, end = 0;  // triangles in order_
  };
  void collect_edges(const DrapeModel& model, const std::vector<uint8_t>& of);
  void collect_neighbours();
  void represent(const std::vector<uint8_t>& of);
  int build(const std::vector<RVec3>& x, int begin, int end);
  void refit(const std::vector<RVec3>& x, Real reach);
  struct Found {
    std::vector<VertexTriangle> vertex_triangles;
    std::vector<EdgeEdge> edge_edges;
    std::vector<EdgeTriangle> edge_triangles;
    void clear();
    void append(const Found& other);
  };
  struct Leaf {  // a triangle as the leaves hold it; lanes: its corners, and its edges from each corner to the next
    int triangle = 0, own_vertices = 0, own_edges = 0;  // bits of those for which it stands
    std::array<int, 3> vertex = {}, edge = {};
    I4 same = {-1, -1, -1, -1}, next = same;  // same_ of its corners, and of the corners after them; -1: no corner
  };
  struct Lanes {  // where a leaf's elements are
    FourBoxes vertices, edges;
  };
  Lanes lanes_of(int at) const;
  void pair_one_way(int at, const Lanes& from, int other, Found* found) const;
  void pair_edges(int at, const Lanes& from, int other, const Lanes& to, Found* found) const;
  using NodePair = std::array<int, 2>;
  void split_walk();
  // Calls next(first, second) for what a pair of nodes that are not both leaves goes on with, in order.
  template <typename Next>
  void descend(int first, int second, const Next& next) const;
  void meet(int first, int second, Found* found) const;
  void pair_leaves(const Node& first, const Node& second, Found* found) const;

  std::vector<Triangle> triangles_;
  std::vector<int> same_;  // [particle_count] smallest particle that it is sewn to
  std::vector<Edge> edges_;
  std::vector<Real> rest_length_;
  std::vector<std::vector<int>> neighbours_;  // by same_, sorted
  Real mean_edge_ = 0;
  std::vector<Node> nodes_;
  std::vector<int> order_;                // triangles that are meant, as the leaves hold them
  std::vector<Leaf> leaves_;              // [triangle_count], [order_] once there is a tree
  std::vector<Corners> place_;            // [order_] where corners are
  std::vector<F4> plane_;                 // [order_] of the triangle: unit normal, distance from the origin
  std::vector<Box> node_box_, leaf_box_;  // grown by half the reach; [nodes_], [order_]
  float grow_ = 0, reach_ = 0;            // by which boxes are grown; the whole reach
  std::vector<NodePair> walks_, split_;   // parts of the walk, in its order
  std::vector<Found> part_;               // [walks_]
  Found found_;
};

}  // namespace tryon::sim
