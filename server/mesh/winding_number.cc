#include "server/mesh/winding_number.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tryon {
namespace {

using Corners = std::array<Vec3, 3>;

constexpr int kLeaf = 8;
constexpr double kFar = 4.0;  // radii from which a node is seen as a whole

Vec3 centroid(const Corners& c) { return (c[0] + c[1] + c[2]) / 3.0; }
Vec3 area_normal(const Corners& c) { return 0.5 * (c[1] - c[0]).cross(c[2] - c[0]); }

// Van Oosterom and Strackee 1983, over 4 pi.
double solid_angle_share(const Corners& corners, const Vec3& q) {
  const Vec3 a = corners[0] - q, b = corners[1] - q, c = corners[2] - q;
  const double la = a.norm(), lb = b.norm(), lc = c.norm();
  const double over = a.dot(b.cross(c));
  const double under = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
  return std::atan2(over, under) / (2.0 * M_PI);
}

}  // namespace

// Moves numbers of triangles, not triangles: what is asked of each is worked out once.
struct WindingNumber::Builder {
  explicit Builder(const TriangleMesh& mesh) {
    const size_t count = mesh.triangles.size();
    corners.reserve(count), middles.reserve(count), normals.reserve(count), order.reserve(count);
    nodes.reserve(count / 2 + 1);
    for (const Triangle& t : mesh.triangles) {
      order.push_back(static_cast<int>(order.size()));
      corners.push_back({mesh.positions[t[0]], mesh.positions[t[1]], mesh.positions[t[2]]});
      middles.push_back(centroid(corners.back())), normals.push_back(area_normal(corners.back()));
    }
    keys.resize(count);
    if (!order.empty()) build(0, static_cast<int>(count));
  }

  void build(int begin, int end) {
    const size_t self = nodes.size();
    nodes.push_back(summary(begin, end));
    if (end - begin <= kLeaf) return;
    const int middle = (begin + end) / 2;
    halve(begin, middle, end);
    build(begin, middle);
    nodes[self].right = static_cast<int>(nodes.size());
    build(middle, end);
  }

  // Along the longest side of their box; equal ones by their number, so that the halves are the same everywhere.
  void halve(int begin, int middle, int end) {
    Box3 box;
    for (int i = begin; i < end; ++i) box.extend(middles[order[i]]);
    int axis = 0;
    box.sizes().maxCoeff(&axis);
    for (int i = begin; i < end; ++i) keys[i] = {middles[order[i]][axis], order[i]};
    std::nth_element(keys.begin() + begin, keys.begin() + middle, keys.begin() + end);
    for (int i = begin; i < end; ++i) order[i] = keys[i].second;
  }

  Node summary(int begin, int end) const {
    Node node;
    node.begin = begin, node.end = end;
    double area = 0.0;
    for (int i = begin; i < end; ++i) {
      const Vec3& normal = normals[order[i]];
      const double weight = normal.norm() + 1e-300;
      area += weight, node.normal += normal, node.center += weight * middles[order[i]];
    }
    node.center /= area;
    double squared = 0.0;
    for (int i = begin; i < end; ++i) {
      node.moment += normals[order[i]] * (middles[order[i]] - node.center).transpose();
      for (const Vec3& corner : corners[order[i]]) squared = std::max(squared, (corner - node.center).squaredNorm());
    }
    node.radius = std::sqrt(squared);
    return node;
  }

  std::vector<int> order;        // triangles, in the tree's order
  std::vector<Corners> corners;  // [triangle_count], in the mesh's order, as what follows
  std::vector<Vec3> middles, normals;
  std::vector<std::pair<double, int>> keys;
  std::vector<Node> nodes;
};

WindingNumber::WindingNumber(const TriangleMesh& mesh) {
  Builder builder(mesh);
  corners_.reserve(builder.order.size());
  for (const int t : builder.order) corners_.push_back(builder.corners[t]);
  nodes_ = std::move(builder.nodes);
}

// Barill 2018, equation 12: the dipole and its first derivative.
double WindingNumber::far_field(const Node& node, const Vec3& offset, double distance) const {
  const double cube = distance * distance * distance;
  const double dipole = node.normal.dot(offset);
  const double bend = node.moment.trace() - 3.0 * offset.dot(node.moment * offset) / (distance * distance);
  return (dipole + bend) / (4.0 * M_PI * cube);
}

double WindingNumber::at(const Vec3& point) const {
  if (nodes_.empty() || !point.allFinite()) return 0.0;
  std::array<int, 64> stack;
  int depth = 0;
  stack[depth++] = 0;
  double sum = 0.0;
  while (depth > 0) {
    const int index = stack[--depth];
    const Node& node = nodes_[index];
    const Vec3 offset = node.center - point;
    const double distance = offset.norm();
    if (distance > kFar * node.radius) {
      sum += distance > 0.0 ? far_field(node, offset, distance) : 0.0;
    } else if (node.right < 0) {
      for (int i = node.begin; i < node.end; ++i) sum += solid_angle_share(corners_[i], point);
    } else {
      stack[depth++] = node.right;
      stack[depth++] = index + 1;
    }
  }
  return sum;
}

}  // namespace tryon
