#include "server/shape/solid_batch.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "server/shape/rounding.h"

namespace tryon {
namespace {

using Vec2 = Eigen::Vector2d;
using Vec3 = Eigen::Vector3d;
using batch::kLanes;

constexpr int kFlushAt = 512;       // pairs
constexpr double kThinnest = 1e-3;  // m

// Needles, blades and solids that lean far or twist: left to the one-point function.
bool is_wild(const LocalFrustum& f) {
  const double least = std::min({f.a0, f.b0, f.a0 + f.da, f.b0 + f.db, f.height});
  return !f.tame() || !(least > kThinnest);
}

void put(const Vec3& from, double (&to)[3]) {
  for (int k = 0; k < 3; ++k) to[k] = from[k];
}

double wall_of(End end) { return end == End::kWall ? 2.0 : end == End::kBuried ? 1.0 : 0.0; }

batch::FrustumRecord make_record(const Frustum& f, Ends ends) {
  batch::FrustumRecord out{};
  const LocalFrustum local = local_frustum(f);
  put(f.bottom, out.origin), put(f.u, out.u), put(f.v, out.v), put(f.axis, out.axis);
  out.ex = local.ex, out.ey = local.ey, out.height = local.height;
  out.a0 = local.a0, out.b0 = local.b0, out.da = local.da, out.db = local.db;
  const auto bend = [](double a, double b) { return std::min(a, b) * std::min(a, b) / std::max(a, b); };
  const double upright =
      local.height * local.height / (local.height * local.height + local.ex * local.ex + local.ey * local.ey);
  out.bend = 0.7 * upright * std::min(bend(local.a0, local.b0), bend(local.a0 + local.da, local.b0 + local.db));
  const Ends alone = ends_of(f);
  out.wall[0][0] = wall_of(ends.bottom), out.wall[0][1] = wall_of(ends.top);
  out.wall[1][0] = wall_of(alone.bottom), out.wall[1][1] = wall_of(alone.top);
  return out;
}

struct LaneFrame {
  Vec3 origin, u, v, axis;
};

void put_frame(const LaneFrame& frame, const Vec3& center, int lane, batch::SolidGroup* g) {
  for (int k = 0; k < 3; ++k) {
    g->origin[k][lane] = static_cast<float>(frame.origin[k] - center[k]);
    g->u[k][lane] = static_cast<float>(frame.u[k]), g->v[k][lane] = static_cast<float>(frame.v[k]);
    g->axis[k][lane] = static_cast<float>(frame.axis[k]);
  }
}

void put_sphere(const Sphere& s, const Vec3& center, int lane, batch::SolidGroup* g) {
  put_frame({s.center, Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()}, center, lane, g);
  const double radius = std::max(s.radius > 0.0 ? s.radius : 0.0, 1e-4);
  g->inverse_a2[lane] = g->inverse_b2[lane] = g->inverse_c2[lane] = static_cast<float>(1.0 / (radius * radius));
  g->low[lane] = -3e38f, g->high[lane] = 3e38f;
  g->a0[lane] = g->b0[lane] = static_cast<float>(std::max(s.radius > 0.0 ? s.radius : 0.0, 1e-9));
  g->round[lane] = 1.0f;
}

// The cylinder holds both end ellipses: A = stretch * a, with what the lean adds in the metric of (a, b).
void put_frustum(const Frustum& f, const Vec3& center, int lane, batch::SolidGroup* g) {
  put_frame({f.bottom, f.u, f.v, f.axis}, center, lane, g);
  const LocalFrustum l = local_frustum(f);
  const double a = std::max({l.a0, l.a0 + l.da, 1e-4}), b = std::max({l.b0, l.b0 + l.db, 1e-4});
  const double stretch = (1.0 + std::hypot(0.5 * l.ex / a, 0.5 * l.ey / b)) * (1.0 + 1e-6);
  g->mx[lane] = static_cast<float>(0.5 * l.ex), g->my[lane] = static_cast<float>(0.5 * l.ey);
  g->inverse_a2[lane] = static_cast<float>(1.0 / (stretch * a * stretch * a));
  g->inverse_b2[lane] = static_cast<float>(1.0 / (stretch * b * stretch * b));
  g->high[lane] = static_cast<float>(l.height);
  g->inverse_height[lane] = static_cast<float>(1.0 / std::max(l.height, 1e-9));
  g->ex[lane] = static_cast<float>(l.ex), g->ey[lane] = static_cast<float>(l.ey);
  g->a0[lane] = static_cast<float>(l.a0), g->b0[lane] = static_cast<float>(l.b0);
  g->da[lane] = static_cast<float>(l.da), g->db[lane] = static_cast<float>(l.db);
}

// A lane without a solid: nowhere near, and no upper bound.
void put_nothing(int lane, batch::SolidGroup* g) {
  put_sphere(Sphere{Vec3::Constant(1e15), 1e-3}, Vec3::Zero(), lane, g);
  g->solid[lane] = -1;
}

}  // namespace

SolidBatch::SolidBatch(const std::vector<Solid>& solids, const std::vector<Eigen::AlignedBox3d>& boxes,
                       const std::vector<int>& order)
    : solids_(solids), chains_(find_chains(solids)), kernels_(&batch::best_kernels()) {
  for (size_t i = 0; i < solids_.size(); ++i) {
    const auto* f = std::get_if<Frustum>(&solids_[i]);
    single_.push_back(f == nullptr || is_wild(local_frustum(*f)));
    records_.push_back(f != nullptr ? make_record(*f, chains_.ends[i]) : batch::FrustumRecord{});
  }
  lay_out(boxes, order);
}

void SolidBatch::lay_out(const std::vector<Eigen::AlignedBox3d>& boxes, const std::vector<int>& order) {
  Eigen::AlignedBox3d all;
  for (const Eigen::AlignedBox3d& box : boxes) all.extend(box);
  if (!order.empty()) center_ = all.center();
  const size_t count = order.size(), group_count = (count + kLanes - 1) / kLanes;
  groups_.resize(group_count);
  boxes_.resize((group_count + kLanes - 1) / kLanes);
  for (size_t g = 0; g < boxes_.size() * kLanes; ++g) {
    Eigen::AlignedBox3d box;
    for (size_t lane = 0; lane < kLanes && g < group_count; ++lane) {
      const size_t at = g * kLanes + lane;
      if (at >= count) {
        put_nothing(static_cast<int>(lane), &groups_[g]);
        continue;
      }
      const Solid& solid = solids_[order[at]];
      if (const auto* f = std::get_if<Frustum>(&solid)) put_frustum(*f, center_, static_cast<int>(lane), &groups_[g]);
      if (const auto* s = std::get_if<Sphere>(&solid)) put_sphere(*s, center_, static_cast<int>(lane), &groups_[g]);
      groups_[g].solid[lane] = order[at];
      box.extend(boxes[order[at]]);
    }
    for (int k = 0; k < 3; ++k) {
      boxes_[g / kLanes].low[k][g % kLanes] = box.isEmpty() ? 1e15f : static_cast<float>(box.min()[k] - center_[k]);
      boxes_[g / kLanes].high[k][g % kLanes] = box.isEmpty() ? 1e15f : static_cast<float>(box.max()[k] - center_[k]);
    }
  }
}

// Pairs of the points in hand. A point's pairs lie together; those that the kernel answers are listed beside.
struct SolidBatch::Workspace {
  explicit Workspace(size_t solid_count) {
    const size_t most = kFlushAt + solid_count + kLanes, groups = (solid_count + kLanes - 1) / kLanes;
    pairs.resize(most), point.resize(most), slot.resize(most), solid.resize(most);
    for (auto* array : {&x, &y, &z, &distance, &nx, &ny, &nz, &sound}) array->resize(most);
    candidates.resize(solid_count + kLanes), group_distance.resize((groups + kLanes) * kLanes);
    lower.resize((groups + kLanes) * kLanes), gathered.resize((groups + kLanes) * kLanes);
  }
  void push(int solid_index, const Vec3& p, bool single) {
    pairs[pair_count] = {solid_index, {}};
    point[pair_count] = p;
    if (!single) {
      slot[kernel_count] = pair_count, solid[kernel_count] = solid_index;
      x[kernel_count] = p.x(), y[kernel_count] = p.y(), z[kernel_count] = p.z();
      ++kernel_count;
    }
    ++pair_count;
  }
  struct Owner {
    size_t index;
    int begin, end;
  };
  int pair_count = 0, kernel_count = 0;
  std::vector<SolidSet::Hit> pairs;
  std::vector<Vec3> point;
  std::vector<Owner> owners;
  std::vector<int32_t> slot, solid, candidates, gathered;
  std::vector<double> x, y, z, distance, nx, ny, nz, sound;
  std::vector<float> group_distance, lower;
};

SurfacePoint SolidBatch::one(Mode mode, int solid, const Vec3& point) const {
  return mode == kAlone ? distance(solids_[solid], point) : member_distance(solids_[solid], chains_.ends[solid], point);
}

void SolidBatch::evaluate(Mode mode, Workspace* work) const {
  const int n = work->kernel_count;
  for (int i = n; i < n + kLanes - 1 && n > 0; ++i) {  // whole eights
    work->solid[i] = work->solid[n - 1];
    work->x[i] = work->x[n - 1], work->y[i] = work->y[n - 1], work->z[i] = work->z[n - 1];
  }
  kernels_->distances(records_.data(), mode,
                      {n, work->solid.data(), work->x.data(), work->y.data(), work->z.data(), work->distance.data(),
                       work->nx.data(), work->ny.data(), work->nz.data(), work->sound.data()});
  for (int k = 0; k < n; ++k) {
    SurfacePoint& out = work->pairs[work->slot[k]].surface;
    out = {work->distance[k], Vec3(work->nx[k], work->ny[k], work->nz[k])};
    if (work->sound[k] == 0.0) out = one(mode, work->solid[k], work->point[work->slot[k]]);
  }
  for (int k = 0; k < work->pair_count; ++k) {
    SolidSet::Hit& pair = work->pairs[k];
    if (single_[pair.solid]) pair.surface = one(mode, pair.solid, work->point[k]);
  }
}

template <typename Reduce>
void SolidBatch::flush(Mode mode, Workspace* work, Reduce reduce) const {
  evaluate(mode, work);
  for (const Workspace::Owner& owner : work->owners) {
    reduce(owner.index, std::span<const SolidSet::Hit>(work->pairs.data() + owner.begin, owner.end - owner.begin));
  }
  work->owners.clear();
  work->pair_count = work->kernel_count = 0;
}

template <typename Reduce>
void SolidBatch::ask(std::span<const Vec3> points, Mode mode, double reach, double extra, Reduce reduce) const {
  const batch::BoundsView view{boxes_.data(), groups_.data(), static_cast<int>(groups_.size())};
  batch::BoundsQuery query{};
  query.reach = static_cast<float>(std::clamp(reach, 0.0, 1e30)), query.extra = static_cast<float>(extra);
  query.depth_weight = mode == kChained ? 1.0f : 0.0f;
  Workspace work(solids_.size());
  const batch::BoundsWork scratch{work.group_distance.data(), work.lower.data(), work.gathered.data()};
  for (size_t i = 0; i < points.size(); ++i) {
    const Vec3& p = points[i];
    int count = 0;
    if (is_somewhere(p) && !solids_.empty()) {
      for (int k = 0; k < 3; ++k) query.point[k] = static_cast<float>(p[k] - center_[k]);
      count = kernels_->bounds(view, query, scratch, work.candidates.data());
    }
    const int begin = work.pair_count;
    for (int k = 0; k < count; ++k) work.push(work.candidates[k], p, single_[work.candidates[k]]);
    work.owners.push_back({i, begin, work.pair_count});
    if (work.pair_count >= kFlushAt) flush(mode, &work, reduce);
  }
  flush(mode, &work, reduce);
}

SolidSet::Hit SolidBatch::nearest_of(std::span<const SolidSet::Hit> candidates) const {
  SolidSet::Hit best;
  for (const SolidSet::Hit& c : candidates) {
    if (best.solid < 0 || std::pair(c.surface.distance, c.solid) < std::pair(best.surface.distance, best.solid))
      best = c;
  }
  if (best.solid < 0 || !(best.surface.distance < 0.0)) return best;
  SolidSet::Hit deepest;
  for (const SolidSet::Hit& holder : candidates) {  // inside: the chains that hold the point
    if (!(holder.surface.distance < 0.0)) continue;
    SolidSet::Hit nearest = holder;
    for (const SolidSet::Hit& c : candidates) {
      if (chains_.of[c.solid] == chains_.of[holder.solid]) nearest = nearer_member(nearest, c);
    }
    if (deepest.solid < 0 || nearest.surface.distance < deepest.surface.distance ||
        (nearest.surface.distance == deepest.surface.distance && nearest.solid < deepest.solid))
      deepest = nearest;
  }
  return deepest;
}

void SolidBatch::nearest(std::span<const Vec3> points, double max_distance, std::span<SolidSet::Hit> hits) const {
  ask(points, kChained, max_distance, 0.0, [&](size_t i, std::span<const SolidSet::Hit> candidates) {
    hits[i] = nearest_of(candidates);
    if (!(hits[i].surface.distance <= max_distance)) hits[i] = {};
  });
}

void SolidBatch::rounded(std::span<const Vec3> points, double max_distance, double width,
                         std::span<SurfacePoint> surfaces) const {
  const double reach = max_distance + rounding_reach(width, solids_.size());
  ask(points, kAlone, reach, kRoundingWidths * width, [&](size_t i, std::span<const SolidSet::Hit> candidates) {
    surfaces[i] = {max_distance, Vec3::UnitY()};
    SolidSet::Hit first;
    for (const SolidSet::Hit& c : candidates) {
      if (first.solid < 0 || std::pair(c.surface.distance, c.solid) < std::pair(first.surface.distance, first.solid))
        first = c;
    }
    if (first.solid < 0 || !(first.surface.distance <= reach)) return;
    RoundedSum sum(first.surface, width);
    for (const SolidSet::Hit& c : candidates) sum.add(c.surface);
    surfaces[i] = sum.within(max_distance);
  });
}

}  // namespace tryon
