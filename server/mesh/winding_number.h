// What it is: the generalized winding number of a triangle mesh: 1 inside a closed one, 0 outside, and smooth across
// the holes of an open one, so that 0.5 tells the sides apart. Far triangles are summed up as dipoles in a tree. Units
// and frame: the mesh's. Error: below 0.02. How it fails: an empty mesh is 0 everywhere, and so is a
// point that is no number. Thread rules: const questions from any thread. Cites: Jacobson et al. 2013 (generalized
// winding numbers); Barill et al. 2018, section 3 (the far field).
#pragma once

#include <array>
#include <vector>

#include "server/mesh/triangle_mesh.h"

namespace tryon {

class WindingNumber {
 public:
  explicit WindingNumber(const TriangleMesh& mesh);
  double at(const Vec3& point) const;

 private:
  struct Node {
    Vec3 center = Vec3::Zero();                        // weighted by area
    Vec3 normal = Vec3::Zero();                        // sum of area times unit normal
    Eigen::Matrix3d moment = Eigen::Matrix3d::Zero();  // sum of normal (centroid - center)^T: the next term
    double radius = 0.0;                               // all corners lie within it about the center
    int begin = 0, end = 0;                            // triangles, in order
    int right = -1;                                    // second child; the first is the next node; -1: leaf
  };
  struct Builder;
  double far_field(const Node& node, const Vec3& offset, double distance) const;
  std::vector<std::array<Vec3, 3>> corners_;  // [triangle_count], in the tree's order
  std::vector<Node> nodes_;
};

}  // namespace tryon
