#include "server/sim/collision/tangle.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "server/sim/model_part.h"

namespace tryon::sim {
namespace {

constexpr int kSweeps = 60;

// Neighbours by the mesh's edges; of a vertex on a hem only those along it.
std::vector<std::vector<int>> neighbours_of(const DrapeModel& model) {
  std::vector<std::vector<int>> all(model.particle_count), hem(model.particle_count);
  for (const EdgeUse& e : mesh_edges(TriangleMesh{std::vector<Vec3>(model.particle_count), model.triangles})) {
    all[e.a].push_back(e.b), all[e.b].push_back(e.a);
    if (e.right < 0) hem[e.a].push_back(e.b), hem[e.b].push_back(e.a);
  }
  for (size_t i = 0; i < all.size(); ++i)
    if (!hem[i].empty()) all[i] = hem[i];
  return all;
}

// Who is farther off than it goes is not asked again: a query that looks as deep as a body is costs microseconds.
class KeptOutside {
 public:
  KeptOutside(const Scene& scene, size_t count) : scene_(scene), spare_(count, 0.0) {}
  // Nearest to `to` of what the collider leaves free; the i-th goes there from where it was left the last time.
  RVec3 go(size_t i, const RVec3& from, const RVec3& to) {
    if (!scene_.collider) return to;
    spare_[i] -= static_cast<double>((to - from).norm());
    if (spare_[i] > kSure) return to;
    const Contact contact = scene_.collider->query(to.cast<double>(), kDeepestInside);
    const double lacking = scene_.contact_offset - contact.distance;
    spare_[i] = std::max(0.0, -lacking);
    return lacking > 0 ? RVec3(to + (lacking * contact.normal).cast<Real>()) : to;
  }

 private:
  static constexpr double kSure = 1e-6;  // m; more than rounding
  const Scene& scene_;
  std::vector<double> spare_;  // m that it may go before it has to be asked
};

}  // namespace

std::optional<Real> crossing_of(const RVec3& a, const RVec3& b, const RVec3& p, const RVec3& q, const RVec3& r) {
  const RVec3 ab = q - p, ac = r - p, d = b - a, from = a - p;
  const RVec3 n = ab.cross(ac);
  const Real along = -n.dot(d);
  if (std::abs(along) < Real(1e-18)) return std::nullopt;
  const Real s = n.dot(from) / along;
  if (s < 0 || s > 1) return std::nullopt;
  const RVec3 c = d.cross(from);
  const Real u = -ac.dot(c) / along, v = ab.dot(c) / along;
  if (u < 0 || v < 0 || u + v > 1) return std::nullopt;
  return s;
}

TangledCloth::TangledCloth(const DrapeModel& model) : model_(model), elements_(model), beside_(neighbours_of(model)) {}

std::vector<int> TangledCloth::vertices(const std::vector<RVec3>& x, const RunContext& run) {
  elements_.find(x, Real(0), run);
  std::vector<int> out;
  each_crossing(elements_, x, [&](int edge, int triangle, Real) {
    const auto& e = elements_.edges()[edge];
    const Triangle& t = elements_.triangles()[triangle];
    for (const int v : {e.a, e.b, t[0], t[1], t[2]}) out.push_back(v);
  });
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

void TangledCloth::smooth(const Scene& scene, const std::vector<int>& vertices, int rings,
                          std::vector<RVec3>* x) const {
  std::vector<uint8_t> in(x->size(), 0);
  for (const int v : vertices) in[v] = 1;
  in = widened(model_, std::move(in), rings);
  KeptOutside outside(scene, x->size());
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (size_t i = 0; i < in.size(); ++i) {
      if (!in[i] || beside_[i].empty() || model_.inverse_mass[i] == 0) continue;
      RVec3 sum = RVec3::Zero();
      for (const int j : beside_[i]) sum += (*x)[j];
      (*x)[i] = outside.go(i, (*x)[i], sum / static_cast<Real>(beside_[i].size()));
    }
  }
}

}  // namespace tryon::sim
