#include "server/body/yielding.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "server/base/status.h"
#include "server/body/scan_points.h"
#include "server/mesh/closest_point.h"
#include "server/mesh/winding_number.h"

namespace tryon {
namespace {

constexpr double kAlike = 0.3;      // of the normals: the same skin
constexpr double kNear = 0.012;     // metres within which a vertex that faces another one is looked for
constexpr double kDeepest = 0.015;  // metres that parts may lie in one another
constexpr double kJustOut = 1e-4;   // metres
constexpr double kApart = 0.004;    // metres, points that are asked; a dense mesh has more than that, which follow
constexpr double kShared = 0.008;   // metres within which they follow those that were asked
constexpr int kSpread = 2;          // rings of neighbours that give way with a vertex

struct Skin {
  std::vector<Vec3> points, normals;
};

// Points of the skin that stand for the others: closer together than kApart, and turned the same way, one does.
std::vector<int> stand_ins(const Skin& skin) {
  std::array<std::vector<int>, 8> turned;
  for (size_t v = 0; v < skin.points.size(); ++v) {
    const Vec3& n = skin.normals[v];
    turned[4 * (n.x() > 0) + 2 * (n.y() > 0) + (n.z() > 0)].push_back(static_cast<int>(v));
  }
  std::vector<int> out;
  for (const std::vector<int>& group : turned) {
    std::vector<Vec3> points;
    for (const int v : group) points.push_back(skin.points[v]);
    for (const int k : thin_points(points, kApart)) out.push_back(group[k]);
  }
  std::sort(out.begin(), out.end());
  return out;
}

Skin only(const Skin& skin, const std::vector<int>& chosen) {
  Skin out;
  for (const int v : chosen) out.points.push_back(skin.points[v]), out.normals.push_back(skin.normals[v]);
  return out;
}

// Those that have another point near that faces them.
std::vector<int> facing(const Skin& skin) {
  const PointGrid grid(skin.points, kNear);
  std::vector<int> out;
  for (size_t v = 0; v < skin.points.size(); ++v) {
    bool faced = false;
    grid.for_near(skin.points[v], kNear,
                  [&](int w) { faced |= skin.normals[v].dot(skin.normals[w]) < kOppositeNormals; });
    if (faced) out.push_back(static_cast<int>(v));
  }
  return out;
}

class Gaps {
 public:
  explicit Gaps(const TriangleMesh& body) : body_(body), surface_(body, SideRule::kPseudoNormal), winding_(body) {}

  // From a point of the skin straight out to what faces it, at most `room`; negative inside another part.
  double at(const Vec3& point, const Vec3& normal, double room) const {
    if (winding_.at(point + kJustOut * normal) > 0.5) return -depth(point, normal);  // just out of its own part
    const ClosestPoint found = surface_.query(point + 0.5 * room * normal, 0.5 * room);
    if (found.triangle < 0) return room;
    const bool faces = triangle_normal(body_, found.triangle).normalized().dot(normal) < kOppositeNormals;
    return faces ? std::clamp((found.point - point).dot(normal), 0.0, room) : room;
  }

 private:
  // How far in it leaves the other part.
  double depth(const Vec3& point, const Vec3& normal) const {
    constexpr double kStep = 1e-3, kFine = 1e-4;
    const auto in_both = [&](double in) { return winding_.at(point - in * normal) > 1.5; };
    double in = kJustOut;
    while (in < kDeepest && in_both(in)) in += kStep;
    for (double step = 0.5 * kStep; step > kFine && in > step; step *= 0.5) {
      if (!in_both(in - step)) in -= step;
    }
    return std::min(in, kDeepest);
  }
  const TriangleMesh& body_;
  const ClosestPointIndex surface_;
  const WindingNumber winding_;
};

// Neighbours follow by half, and theirs by a quarter.
void spread(const TriangleMesh& mesh, std::vector<double>* depth) {
  const std::vector<EdgeUse> edges = mesh_edges(mesh);
  for (int ring = 0; ring < kSpread; ++ring) {
    std::vector<double> wider = *depth;
    for (const EdgeUse& e : edges) {
      wider[e.a] = std::max(wider[e.a], 0.5 * (*depth)[e.b]);
      wider[e.b] = std::max(wider[e.b], 0.5 * (*depth)[e.a]);
    }
    *depth = std::move(wider);
  }
}

// What those beside it that are turned the same way give, the nearer the more.
double shared_depth(const PointGrid& grid, const Skin& asked, const std::vector<double>& depth, const Vec3& point,
                    const Vec3& normal) {
  double weights = 0.0, sum = 0.0;
  grid.for_near(point, kShared, [&](int k) {
    if (asked.normals[k].dot(normal) < kAlike) return;
    const double weight = 1.0 - (asked.points[k] - point).norm() / kShared;
    weights += weight, sum += weight * depth[k];
  });
  return weights > 0.0 ? sum / weights : 0.0;
}

// [vertex_count] from those of the points that stand for them.
std::vector<double> depth_of_all(const Skin& skin, const std::vector<int>& chosen, const Skin& asked,
                                 const std::vector<double>& depth) {
  std::vector<double> out(skin.points.size(), 0.0);
  const PointGrid grid(asked.points, kShared);
  std::vector<bool> own(out.size(), false);
  for (size_t k = 0; k < chosen.size(); ++k) out[chosen[k]] = depth[k], own[chosen[k]] = true;
  for (size_t v = 0; v < out.size(); ++v) {
    if (!own[v]) out[v] = shared_depth(grid, asked, depth, skin.points[v], skin.normals[v]);
  }
  return out;
}

}  // namespace

absl::StatusOr<YieldingSkin> give_way(const RunContext& run, const TriangleMesh& body, double room) {
  YieldingSkin out{body, std::vector<double>(body.positions.size(), 0.0)};
  const Skin skin{body.positions, vertex_normals(body)};
  const std::vector<int> chosen = stand_ins(skin);
  const Skin asked = only(skin, chosen);
  const std::vector<int> faced = facing(asked);
  if (faced.empty()) return out;
  RETURN_IF_ERROR(run.check());
  const Gaps gaps(body);
  std::vector<double> depth(chosen.size(), 0.0);
  for (const int k : faced) {
    RETURN_IF_ERROR(run.check());
    depth[k] = 0.5 * (room - gaps.at(asked.points[k], asked.normals[k], room));
  }
  out.depth = depth_of_all(skin, chosen, asked, depth);
  if (out.deepest() <= 0.0) return out;
  spread(body, &out.depth);
  for (size_t v = 0; v < out.depth.size(); ++v) out.mesh.positions[v] -= out.depth[v] * skin.normals[v];
  return out;
}

}  // namespace tryon
