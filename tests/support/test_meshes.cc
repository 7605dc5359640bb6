#include "tests/support/test_meshes.h"

#include <cmath>
#include <map>
#include <sstream>
#include <tuple>

#include "server/base/units.h"
#include "tests/support/shared_data.h"

namespace tryon::testing {
namespace {

// Welds by exact position, so that patches made side by side close.
class Patches {
 public:
  int add(const Vec3& p) {
    const auto key = std::make_tuple(std::lround(p.x() * 1e7), std::lround(p.y() * 1e7), std::lround(p.z() * 1e7));
    const auto [it, fresh] = index_.try_emplace(key, mesh_.vertex_count());
    if (fresh) mesh_.positions.push_back(p);
    return it->second;
  }
  void triangle(int a, int b, int c) {
    if (a != b && b != c && c != a) mesh_.triangles.push_back({a, b, c});
  }
  void quad(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {  // counter-clockwise from outside
    const int i = add(a), j = add(b), k = add(c), l = add(d);
    triangle(i, j, k);
    triangle(i, k, l);
  }
  // A flat patch spanned by two edges, normal along u x v.
  void grid(const Vec3& corner, const Vec3& u, const Vec3& v, int cuts) {
    for (int i = 0; i < cuts; ++i) {
      for (int j = 0; j < cuts; ++j) {
        auto at = [&](int a, int b) { return Vec3(corner + u * a / cuts + v * b / cuts); };
        quad(at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
      }
    }
  }
  TriangleMesh take() { return std::move(mesh_); }

 private:
  TriangleMesh mesh_;
  std::map<std::tuple<long, long, long>, int> index_;
};

// A closed surface of revolution about y: radius and height of each ring, the first and last of radius 0.
TriangleMesh revolve(const std::vector<Vec2>& profile, int sides) {
  Patches out;
  auto at = [&](size_t ring, int side) {
    const double angle = 2 * kPi * (side % sides) / sides;
    return Vec3(profile[ring].x() * std::sin(angle), profile[ring].y(), profile[ring].x() * std::cos(angle));
  };
  for (size_t r = 0; r + 1 < profile.size(); ++r) {
    for (int s = 0; s < sides; ++s) out.quad(at(r, s), at(r, s + 1), at(r + 1, s + 1), at(r + 1, s));
  }
  return out.take();
}

}  // namespace

TriangleMesh read_obj(const std::string& path) {
  TriangleMesh mesh;
  std::istringstream in(read_file(path));
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string kind, word;
    words >> kind;
    if (kind == "v") {
      Vec3 p;
      words >> p.x() >> p.y() >> p.z();
      mesh.positions.push_back(p);
    } else if (kind == "f") {
      std::vector<int> corner;
      while (words >> word) {
        const int index = std::stoi(word);
        corner.push_back(index > 0 ? index - 1 : mesh.vertex_count() + index);
      }
      for (size_t k = 2; k < corner.size(); ++k) mesh.triangles.push_back({corner[0], corner[k - 1], corner[k]});
    }
  }
  return mesh;
}

TriangleMesh make_box(const Vec3& size, int cuts) {
  Patches out;
  const Vec3 x(size.x(), 0, 0), y(0, size.y(), 0), z(0, 0, size.z()), low = -0.5 * size;
  out.grid(low, y, x, cuts), out.grid(low + z, x, y, cuts);
  out.grid(low, z, y, cuts), out.grid(low + x, y, z, cuts);
  out.grid(low, x, z, cuts), out.grid(low + y, z, x, cuts);
  return out.take();
}

TriangleMesh make_ball(double radius, int rings) {
  std::vector<Vec2> profile;
  for (int r = 0; r <= rings; ++r) {
    const double angle = kPi * r / rings;
    profile.push_back({r == 0 || r == rings ? 0.0 : radius * std::sin(angle), -radius * std::cos(angle)});
  }
  return revolve(profile, 2 * rings);
}

TriangleMesh make_cylinder(double radius, double height, int sides, int rings) {
  std::vector<Vec2> profile = {{0, -0.5 * height}};
  for (int r = 0; r <= rings; ++r) profile.push_back({radius, height * (static_cast<double>(r) / rings - 0.5)});
  profile.push_back({0, 0.5 * height});
  return revolve(profile, sides);
}

TriangleMesh make_cloth_sheet(double width, double depth, int cuts) {
  Patches out;
  out.grid(Vec3(-0.5 * width, 0, -0.5 * depth), Vec3(0, 0, depth), Vec3(width, 0, 0), cuts);
  return out.take();
}

TriangleMesh make_chair() {
  auto part = [](const Vec3& low, const Vec3& high) {
    return moved(make_box(high - low, 8), Eigen::Affine3d(Eigen::Translation3d(0.5 * (low + high))));
  };
  TriangleMesh chair = part({-0.22, 0.43, -0.22}, {0.22, 0.47, 0.22});
  chair = joined(chair, part({-0.22, 0.46, -0.22}, {0.22, 0.95, -0.19}));
  for (double x : {-0.2, 0.2}) {
    for (double z : {-0.2, 0.2}) {
      chair = joined(chair, part({x - 0.02, 0, z - 0.02}, {x + 0.02, 0.44, z + 0.02}));
    }
  }
  return chair;
}

TriangleMesh joined(const TriangleMesh& a, const TriangleMesh& b) {
  TriangleMesh out = a;
  out.positions.insert(out.positions.end(), b.positions.begin(), b.positions.end());
  for (const Triangle& t : b.triangles) out.triangles.push_back(t + Triangle::Constant(a.vertex_count()));
  return out;
}

TriangleMesh moved(const TriangleMesh& mesh, const Eigen::Affine3d& by) {
  TriangleMesh out = mesh;
  for (Vec3& p : out.positions) p = by * p;
  if (by.linear().determinant() < 0) {
    for (Triangle& t : out.triangles) std::swap(t[1], t[2]);
  }
  return out;
}

}  // namespace tryon::testing
