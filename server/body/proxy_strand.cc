#include "server/body/proxy_strand.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace tryon {
namespace {

using Profile = Eigen::Vector4d;  // how far a level reaches along -u, +u, -v, +v

Profile profile(const StrandLevel& l) {
  return {l.radii.x() - l.center.x(), l.radii.x() + l.center.x(), l.radii.y() - l.center.y(),
          l.radii.y() + l.center.y()};
}

// Of replacing the levels between a and b by the straight line.
double line_cost(const std::vector<StrandLevel>& dense, const std::vector<Profile>& profiles,
                 const std::vector<LevelShares>& shares, double bulge, int a, int b) {
  const double span = dense[b].height - dense[a].height;
  double sum = 0.0;
  for (int k = a + 1; k < b; ++k) {
    const double s = (dense[k].height - dense[a].height) / span;
    const Profile out = profiles[k] - (1 - s) * profiles[a] - s * profiles[b];
    for (int i = 0; i < 4; ++i) sum += shares[k][i] * (out[i] > 0.0 ? bulge * out[i] : -out[i]);
  }
  return sum;
}

}  // namespace

void aim_strand(const Vec3& from, const Vec3& to, const Vec3& along_u, Strand* strand) {
  strand->origin = from;
  strand->axis = (to - from).normalized();
  strand->u = (along_u - strand->axis * along_u.dot(strand->axis)).normalized();
  strand->v = strand->axis.cross(strand->u);
}

StrandLevel strand_level_at(const std::vector<StrandLevel>& levels, double height) {
  if (height <= levels.front().height) return levels.front();
  if (height >= levels.back().height) return levels.back();
  size_t i = 1;
  while (levels[i].height < height) ++i;
  const StrandLevel &a = levels[i - 1], &b = levels[i];
  const double s = (height - a.height) / (b.height - a.height);
  return {height, (1 - s) * a.center + s * b.center, (1 - s) * a.radii + s * b.radii};
}

std::vector<Frustum> strand_frusta(const Strand& strand) {
  std::vector<Frustum> out;
  for (size_t i = 0; i + 1 < strand.levels.size(); ++i) {
    const StrandLevel &a = strand.levels[i], &b = strand.levels[i + 1];
    Frustum f;
    f.axis = strand.axis, f.u = strand.u, f.v = strand.v;
    f.bottom = strand.world(a.center, a.height), f.top = strand.world(b.center, b.height);
    f.bottom_radii = a.radii, f.top_radii = b.radii;
    f.open_bottom = i > 0 || strand.open_low;
    f.open_top = i + 2 < strand.levels.size() || strand.open_high;
    out.push_back(f);
  }
  return out;
}

Skin vertex_skin(const Body& body) {
  const TriangleMesh& mesh = body.mesh;
  Skin skin{mesh.positions, std::vector<double>(mesh.positions.size(), 0.0), body.part, vertex_normals(mesh)};
  double total = 0.0;
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    const double size = triangle_normal(mesh, t).norm();
    total += 3.0 * size;
    for (const int v : mesh.triangles[t]) skin.area[v] += size;
  }
  for (double& area : skin.area) area /= std::max(total, 1e-12);
  return skin;
}

Skin sample_skin(const Body& body, int even, int corners) {
  const TriangleMesh& mesh = body.mesh;
  Skin skin;
  const auto add = [&](const Vec3& p, double area, BodyPart part, const Vec3& normal) {
    skin.points.push_back(p), skin.area.push_back(area), skin.part.push_back(part), skin.normal.push_back(normal);
  };
  double total = 0.0;
  for (int t = 0; t < mesh.triangle_count(); ++t) total += triangle_normal(mesh, t).norm();
  double passed = 0.0;
  int taken = 0;
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    passed += triangle_normal(mesh, t).norm();
    for (; (taken + 0.5) * total <= passed * even; ++taken) {
      double a = std::fmod(0.7548776662466927 * taken, 1.0), b = std::fmod(0.5698402909980532 * taken, 1.0);
      if (a + b > 1.0) a = 1.0 - a, b = 1.0 - b;
      const Triangle& corner = mesh.triangles[t];
      const Vec3 p =
          mesh.positions[corner[0]] * (1.0 - a - b) + mesh.positions[corner[1]] * a + mesh.positions[corner[2]] * b;
      add(p, 1.0 / even, body.part[corner[0]], triangle_normal(mesh, t).normalized());
    }
  }
  const std::vector<Vec3> normals = vertex_normals(mesh);
  const size_t step = 1 + mesh.positions.size() / static_cast<size_t>(std::max(1, corners));
  for (size_t v = 0; v < mesh.positions.size(); v += step) add(mesh.positions[v], 0.0, body.part[v], normals[v]);
  return skin;
}

std::vector<LevelChoice> choose_levels(const std::vector<StrandLevel>& dense, const std::vector<LevelShares>& shares,
                                       double bulge, int most) {
  const int n = static_cast<int>(dense.size());
  most = std::min(most, n);
  std::vector<Profile> profiles;
  for (const StrandLevel& level : dense) profiles.push_back(profile(level));
  constexpr double kNever = std::numeric_limits<double>::infinity();
  std::vector<std::vector<double>> best(most, std::vector<double>(n, kNever));
  std::vector<std::vector<int>> from(most, std::vector<int>(n, 0));
  best[0][0] = 0.0;
  for (int b = 1; b < n; ++b) {
    for (int a = 0; a < b; ++a) {
      const double link = line_cost(dense, profiles, shares, bulge, a, b);
      for (int k = 1; k < most; ++k) {
        if (best[k - 1][a] + link < best[k][b]) best[k][b] = best[k - 1][a] + link, from[k][b] = a;
      }
    }
  }
  std::vector<LevelChoice> out(most + 1);
  for (LevelChoice& choice : out) choice.cost = kNever;
  for (int count = 2; count <= most; ++count) {
    out[count].cost = best[count - 1][n - 1];
    out[count].levels.resize(count);
    for (int k = count - 1, b = n - 1; k >= 0; b = from[k][b], --k) out[count].levels[k] = dense[b];
  }
  return out;
}

}  // namespace tryon
