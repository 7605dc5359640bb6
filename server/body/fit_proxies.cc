// Ji 2004, section 2.1, in three passes:
//   1. chains: each part is cut across its own axis; the slices are placed by dynamic programming where the outline
//      bends most, each is bounded (by a circle, or an ellipse), and neighbours grow by the least that holds what lies
//      between them. Circular: a short cylinder a slice and oblique frusta between facing discs, as in the paper.
//      Elliptic: oblique frusta from slice to slice, and a trunk of two lobes and a body between them;
//   2. spheres at the joints, as large as fit inside the body;
//   3. spheres that touch the skin from within at what is still outside by more than the tolerance.
// A dedicated chain along the slope of each shoulder was tried: it stood 50 mm off the chest. The trunk's own stack of
// ever narrower slices follows the slope within a centimetre.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/base/units.h"
#include "server/body/body.h"
#include "server/body/bounding.h"

namespace tryon {
namespace {

constexpr double kBand = 0.002;             // metres: half the height of a slice
constexpr double kCapBand = 0.004;          // and of one that ends in a dome: a crown, a finger tip
constexpr double kUncovered = 0.0005;       // metres: a vertex farther outside counts as uncovered
constexpr double kCoverTolerance = 0.0003;  // metres: what the fit itself aims at

struct Slice {
  double height = 0.0, half = kBand;  // of the band's middle; half its height
  std::vector<Vec2> outline;          // convex hull of the part's surface within the band
  std::vector<Vec2> hull;             // what the slice bounds: the outline, or what the chain makes of it
  BoundingEllipse bound;
};

std::vector<BoundingEllipse> own_section(const Slice& slice) { return {slice.bound}; }

// For hands and feet: no tape goes round spread fingers, and their girths would drown the others in the summary.
std::vector<BoundingEllipse> no_section(const Slice&) { return {}; }

// A run of slices along one axis. Points in its frame are (along u, along v, height).
struct Chain {
  BodyPart part = BodyPart::kTorso;
  Vec3 origin = Vec3::Zero(), axis = Vec3::UnitY(), u = Vec3::UnitX(), v = Vec3::UnitZ();
  double low = 0.0, high = 0.0;  // metres along the axis
  int slice_count = 4;
  bool open_low = false, open_high = false;  // the end lies inside another solid
  double root_low = 0.0, root_high = 0.0;    // metres by which an open end is prolonged into its neighbour
  double shoulder = 0.0;                     // metres below `low` of a slice that only holds vertices: where the
                                             // section is not whole
  std::vector<int> triangles;
  // What a slice bounds, where that is not its own outline; and how, where that is not the smallest ellipse.
  std::function<void(std::vector<Vec2>* points, double height)> reshape;
  std::function<BoundingEllipse(const std::vector<Vec2>& points, double height)> bound;
  std::function<bool(const Vec3& local)> leaves;  // vertices that other solids cover
  bool fixed_width = false;                       // the radius along u stays as bound() gave it
  // The sections that stand for a slice together, where its own ellipse is not alone; none: the slice is not reported.
  std::function<std::vector<BoundingEllipse>(const Slice& slice)> sections = own_section;
  Vec3 local(const Vec3& p) const { return {(p - origin).dot(u), (p - origin).dot(v), (p - origin).dot(axis)}; }
  Vec3 world(const Vec2& q, double h) const { return origin + u * q.x() + v * q.y() + axis * h; }
};

BoundingEllipse bound_points(const Chain& chain, const std::vector<Vec2>& points, double height, ProxyShape shape) {
  if (chain.bound) return chain.bound(points, height);
  if (shape == ProxyShape::kElliptic) return smallest_ellipse(points, EllipseMeasure::kPerimeter);
  const BoundingCircle circle = smallest_circle(points);
  return {circle.center, Vec2(circle.radius, circle.radius)};
}

// The points of a triangle's edges where they cross height h, and the corners within [h - band, h + band].
void append_band_points(const std::array<Vec3, 3>& corner, double h, double half, std::vector<Vec2>* out) {
  for (int k = 0; k < 3; ++k) {
    const Vec3 &a = corner[k], &b = corner[(k + 1) % 3];
    if (std::abs(a.z() - h) <= half) out->push_back(a.head<2>());
    for (const double plane : {h - half, h + half}) {
      if ((a.z() < plane) == (b.z() < plane)) continue;
      const double s = (plane - a.z()) / (b.z() - a.z());
      out->push_back(a.head<2>() + s * (b.head<2>() - a.head<2>()));
    }
  }
}

// Candidate slices at equal steps from end to end, each with its hull.
std::vector<Slice> cut_candidates(const TriangleMesh& mesh, const Chain& chain, int count) {
  std::vector<Slice> slices(count);
  slices.front().half = chain.open_low ? kBand : kCapBand;
  slices.back().half = chain.open_high ? kBand : kCapBand;
  const double first = chain.low + slices.front().half;
  const double step = (chain.high - slices.back().half - first) / (count - 1);
  for (int i = 0; i < count; ++i) slices[i].height = first + step * i;
  for (const int t : chain.triangles) {
    std::array<Vec3, 3> corner;
    for (int k = 0; k < 3; ++k) corner[k] = chain.local(mesh.positions[mesh.triangles[t][k]]);
    const auto [low, high] = std::minmax({corner[0].z(), corner[1].z(), corner[2].z()});
    const int begin = std::max(0, static_cast<int>(std::ceil((low - kCapBand - first) / step)));
    const int end = std::min(count - 1, static_cast<int>(std::floor((high + kCapBand - first) / step)));
    for (int i = begin; i <= end; ++i) append_band_points(corner, slices[i].height, slices[i].half, &slices[i].hull);
  }
  for (Slice& slice : slices) {
    slice.outline = convex_hull(slice.hull);
    if (slice.outline.size() < 3) continue;
    if (chain.reshape) chain.reshape(&slice.hull, slice.height);
    slice.hull = convex_hull(std::move(slice.hull));
  }
  std::erase_if(slices, [](const Slice& slice) { return slice.outline.size() < 3 || slice.hull.empty(); });
  return slices;
}

// How far it reaches along -x, +x, -y and +y.
Eigen::Vector4d extent(const BoundingEllipse& e) {
  return {e.radii.x() - e.center.x(), e.radii.x() + e.center.x(), e.radii.y() - e.center.y(),
          e.radii.y() + e.center.y()};
}

// Chooses `count` of the candidates, the ends among them, so that straight lines between them follow the outline best.
std::vector<Slice> choose_slices(const std::vector<Slice>& all, int count) {
  const int n = static_cast<int>(all.size());
  count = std::clamp(count, 2, n);
  constexpr double kBulge = 4.0;  // an outline outside the straight line makes both its slices grow: worse than a gap
  const auto cost = [&](int a, int b) {
    double sum = 0.0;
    for (int k = a + 1; k < b; ++k) {
      const double s = (all[k].height - all[a].height) / (all[b].height - all[a].height);
      const Eigen::Vector4d out = extent(all[k].bound) - (1 - s) * extent(all[a].bound) - s * extent(all[b].bound);
      for (int i = 0; i < 4; ++i) sum += (out[i] > 0.0 ? kBulge : 1.0) * out[i] * out[i];
    }
    return sum;
  };
  std::vector<std::vector<double>> best(count, std::vector<double>(n, std::numeric_limits<double>::infinity()));
  std::vector<std::vector<int>> from(count, std::vector<int>(n, 0));
  best[0][0] = 0.0;
  for (int b = 1; b < n; ++b) {
    for (int a = 0; a < b; ++a) {
      const double link = cost(a, b);
      for (int k = 1; k < count; ++k) {
        if (best[k - 1][a] + link < best[k][b]) best[k][b] = best[k - 1][a] + link, from[k][b] = a;
      }
    }
  }
  std::vector<Slice> chosen(count);
  for (int k = count - 1, b = n - 1; k >= 0; b = from[k][b], --k) chosen[k] = all[b];
  return chosen;
}

// Where a height lies between two slices' facing ends: 0 at the lower, 1 at the upper.
double frustum_share(const Slice& low, const Slice& high, double height, ProxyShape shape) {
  const bool bands = shape == ProxyShape::kCircular;
  const double from = low.height + (bands ? low.half : 0.0), to = high.height - (bands ? high.half : 0.0);
  return to - from > 1e-6 ? std::clamp((height - from) / (to - from), 0.0, 1.0) : 0.5;
}

// One point that two neighbouring slices must hold between them (share 0: the lower alone).
struct Reach {
  Vec2 point;
  int slice = 0;
  double share = 0.0;
};

std::vector<Reach> collect_reaches(const TriangleMesh& mesh, const Chain& chain, ProxyShape shape,
                                   const std::vector<Slice>& slices) {
  std::vector<Reach> out;
  for (int i = 0; i < static_cast<int>(slices.size()); ++i) {
    for (const Vec2& q : slices[i].hull) out.push_back({q, i, 0.0});
  }
  std::vector<int> vertices;
  for (const int t : chain.triangles)
    vertices.insert(vertices.end(), mesh.triangles[t].begin(), mesh.triangles[t].end());
  std::sort(vertices.begin(), vertices.end());
  vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
  for (const int vertex : vertices) {
    const Vec3 p = chain.local(mesh.positions[vertex]);
    const auto above = std::find_if(slices.begin(), slices.end(), [&](const Slice& s) { return s.height > p.z(); });
    if (above == slices.begin() || above == slices.end() || (chain.leaves && chain.leaves(p))) continue;
    const int i = static_cast<int>(above - slices.begin()) - 1;
    out.push_back({p.head<2>(), i, frustum_share(slices[i], slices[i + 1], p.z(), shape)});
  }
  return out;
}

// Lets the slices hold every reach, each violated one by the least change of both centres and radii: linear in them for
// a fixed angle, so a few sweeps of projections converge close to the tight start.
void hold_reaches(const std::vector<Reach>& reaches, const Chain& chain, ProxyShape shape, std::vector<Slice>* slices) {
  constexpr int kSweeps = 100;
  constexpr double kRelax = 0.25;  // radii never shrink, so full steps would ratchet up what later ones make needless
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    bool moved = false;
    for (const Reach& reach : reaches) {
      BoundingEllipse& a = (*slices)[reach.slice].bound;
      BoundingEllipse& b = (*slices)[std::min<size_t>(reach.slice + 1, slices->size() - 1)].bound;
      const double wa = 1.0 - reach.share, wb = reach.share;
      const Vec2 center = wa * a.center + wb * b.center, radii = wa * a.radii + wb * b.radii;
      Vec2 unit = (reach.point - center).cwiseQuotient(radii);
      const double level = unit.norm();
      if ((level - 1.0) * radii.minCoeff() <= 0.5 * kCoverTolerance) continue;
      unit /= level;
      const Vec2 normal = unit.cwiseQuotient(radii).normalized();
      const double excess = normal.dot(reach.point - center - radii.cwiseProduct(unit));
      if (excess <= 0.5 * kCoverTolerance) continue;
      Vec2 center_slope = normal, radii_slope = normal.cwiseProduct(unit);
      if (shape == ProxyShape::kCircular) radii_slope.setOnes();  // both radii grow alike
      if (chain.fixed_width) center_slope.x() = radii_slope.x() = 0.0;
      const double slope = center_slope.dot(normal) + radii_slope.dot(normal.cwiseProduct(unit));
      if (slope < 1e-3) continue;
      const double step = kRelax * excess / (slope * (wa * wa + wb * wb));
      a.center += wa * step * center_slope, a.radii += wa * step * radii_slope;
      b.center += wb * step * center_slope, b.radii += wb * step * radii_slope;
      moved = true;
    }
    if (!moved) break;
  }
}

std::vector<Slice> fit_slices(const TriangleMesh& mesh, const Chain& chain, ProxyShape shape) {
  const int room = static_cast<int>((chain.high - chain.low) / (3.0 * kBand));
  if (room < 2) return {};
  std::vector<Slice> all = cut_candidates(mesh, chain, std::min({4 * chain.slice_count, room, 48}));
  if (all.size() < 2) return {};
  for (Slice& slice : all) slice.bound = bound_points(chain, slice.hull, slice.height, shape);
  std::vector<Slice> slices = choose_slices(all, chain.slice_count);
  if (chain.shoulder > 0.0) {
    Slice root = slices.front();
    root.height -= chain.shoulder;
    root.outline.clear(), root.hull.clear();
    slices.insert(slices.begin(), root);
  }
  hold_reaches(collect_reaches(mesh, chain, shape, slices), chain, shape, &slices);
  return slices;
}

Frustum make_frustum(const Chain& chain, const BoundingEllipse& low, double h_low, const BoundingEllipse& high,
                     double h_high) {
  Frustum f;
  f.axis = chain.axis, f.u = chain.u, f.v = chain.v;
  f.bottom = chain.world(low.center, h_low), f.top = chain.world(high.center, h_high);
  f.bottom_radii = low.radii, f.top_radii = high.radii;
  return f;
}

// Girth of the solids' sections together (as a tape takes it) against the outline's; and gaps, from points every 5 mm
// along the outline to the nearest flank.
void measure_slice(const Slice& slice, const std::vector<BoundingEllipse>& sections, Proxy* proxy) {
  if (sections.empty() || slice.outline.size() < 3) return;
  std::vector<Vec2> rim;
  std::vector<Frustum> flanks;
  for (const BoundingEllipse& e : sections) {
    for (int i = 0; i < 180; ++i) {
      const double angle = radians(2.0 * i);
      rim.push_back(e.center + e.radii.cwiseProduct(Vec2(std::cos(angle), std::sin(angle))));
    }
    flanks.push_back(make_frustum(Chain(), e, -1.0, e, 1.0));
  }
  proxy->girth_error_ratio = polygon_perimeter(convex_hull(rim)) / polygon_perimeter(slice.outline) - 1.0;
  double sum = 0.0, largest = 0.0;
  int count = 0;
  for (size_t i = 0; i < slice.outline.size(); ++i) {
    const Vec2 a = slice.outline[i], b = slice.outline[(i + 1) % slice.outline.size()];
    const int steps = 1 + static_cast<int>((b - a).norm() / 0.005);
    for (int k = 0; k < steps; ++k, ++count) {
      const Vec3 p = Chain().world(a + (b - a) * k / steps, 0.0);
      double nearest = std::numeric_limits<double>::infinity();
      for (const Frustum& flank : flanks) nearest = std::min(nearest, distance(flank, p).distance);
      sum += std::abs(nearest), largest = std::max(largest, std::abs(nearest));
    }
  }
  proxy->mean_gap_mm = to_mm(sum / count), proxy->max_gap_mm = to_mm(largest);
}

Proxy chain_proxy(const Chain& chain, Proxy::Kind kind, const Frustum& frustum) {
  Proxy proxy;
  proxy.kind = kind, proxy.part = chain.part, proxy.solid = frustum;
  return proxy;
}

// Prolongs an open end into the neighbour, so that what is near the join is pushed out sideways.
void append_root(const Chain& chain, const Slice& end, double length, double sign, std::vector<Proxy>* out) {
  if (length <= 0.0) return;
  const BoundingEllipse slim{end.bound.center, 0.9 * end.bound.radii};
  const double from = end.height + sign * end.half, to = from + sign * length;
  Frustum f =
      sign > 0 ? make_frustum(chain, end.bound, from, slim, to) : make_frustum(chain, slim, to, end.bound, from);
  f.open_bottom = f.open_top = true;
  out->push_back(chain_proxy(chain, Proxy::Kind::kFrustum, f));
}

// The paper's: a short cylinder a slice, a frustum between facing discs.
void append_cylinders(const Chain& chain, const std::vector<Slice>& slices, std::vector<Proxy>* out) {
  for (size_t i = 0; i < slices.size(); ++i) {
    const Slice& s = slices[i];
    Frustum f = make_frustum(chain, s.bound, s.height - s.half, s.bound, s.height + s.half);
    f.open_bottom = i > 0 || chain.open_low, f.open_top = i + 1 < slices.size() || chain.open_high;
    out->push_back(chain_proxy(chain, Proxy::Kind::kCylinder, f));
    measure_slice(s, chain.sections(s), &out->back());
    if (i + 1 == slices.size()) break;
    const Slice& next = slices[i + 1];
    f = make_frustum(chain, s.bound, s.height + s.half, next.bound, next.height - next.half);
    f.open_bottom = f.open_top = true;
    out->push_back(chain_proxy(chain, Proxy::Kind::kFrustum, f));
  }
}

// Frusta from slice to slice: the cylinders would only be as high as the slices are thick, and leaving them out allows
// twice the slices. Each frustum reports the slice at its bottom; the topmost slice has a cylinder to report it.
void append_frusta(const Chain& chain, const std::vector<Slice>& slices, std::vector<Proxy>* out) {
  for (size_t i = 0; i < slices.size(); ++i) {
    const Slice& s = slices[i];
    const bool last = i + 1 == slices.size();
    const double from = i == 0 ? s.height - s.half : s.height;
    Frustum f = last ? make_frustum(chain, s.bound, from, s.bound, s.height + s.half)
                     : make_frustum(chain, s.bound, from, slices[i + 1].bound, slices[i + 1].height);
    f.open_bottom = i > 0 || chain.open_low, f.open_top = !last || chain.open_high;
    out->push_back(chain_proxy(chain, last ? Proxy::Kind::kCylinder : Proxy::Kind::kFrustum, f));
    measure_slice(s, chain.sections(s), &out->back());
  }
}

void append_chain(const Chain& chain, const std::vector<Slice>& slices, ProxyShape shape, std::vector<Proxy>* out) {
  if (slices.empty()) return;
  append_root(chain, slices.front(), chain.root_low, -1.0, out);
  shape == ProxyShape::kCircular ? append_cylinders(chain, slices, out) : append_frusta(chain, slices, out);
  append_root(chain, slices.back(), chain.root_high, 1.0, out);
}

// --- What the body's parts say about where chains begin and end. ----------------------------------------------------

// The vertices on both sides of the border between two parts.
struct Seam {
  Box3 box;
  Vec3 center = Vec3::Zero(), lowest = Vec3::Zero();
  int vertex_count = 0;
};

class Anatomy {
 public:
  explicit Anatomy(const Body& body) : body_(body) {
    for (int t = 0; t < body.mesh.triangle_count(); ++t) {
      const Triangle& corner = body.mesh.triangles[t];
      const int a = index(corner[0]), b = index(corner[1]), c = index(corner[2]);
      if (a == b && b == c) {
        triangles_[a].push_back(t);
      } else {
        border_.push_back(t);
      }
    }
  }
  // Those with all corners in the part: a corner in the neighbour would have to be held by the wrong chain.
  const std::vector<int>& triangles(BodyPart part) const { return triangles_[static_cast<int>(part)]; }

  // Of the border between two parts the lowest vertex: an armpit, or the crotch.
  Vec3 lowest_of(BodyPart a, BodyPart b) const { return seam(a, b).lowest; }

  Seam seam(BodyPart a, BodyPart b) const {
    Seam seam;
    for (const int t : border_) {
      const Triangle& corner = body_.mesh.triangles[t];
      const auto has = [&](BodyPart part) {
        return std::any_of(corner.begin(), corner.end(), [&](int v) { return body_.part[v] == part; });
      };
      if (!has(a) || !has(b)) continue;
      for (const int v : corner) {
        seam.box.extend(body_.mesh.positions[v]);
        seam.center += body_.mesh.positions[v];
        if (seam.vertex_count == 0 || body_.mesh.positions[v].y() < seam.lowest.y())
          seam.lowest = body_.mesh.positions[v];
        ++seam.vertex_count;
      }
    }
    if (seam.vertex_count > 0) seam.center /= seam.vertex_count;
    return seam;
  }

 private:
  int index(int vertex) const { return static_cast<int>(body_.part[vertex]); }
  const Body& body_;
  std::array<std::vector<int>, kBodyPartCount> triangles_;
  std::vector<int> border_;
};

void set_frame(const Vec3& from, const Vec3& to, const Vec3& along_u, Chain* chain) {
  chain->origin = from;
  chain->axis = (to - from).normalized();
  chain->u = (along_u - chain->axis * along_u.dot(chain->axis)).normalized();
  chain->v = chain->axis.cross(chain->u);
}

// Gives the chain the triangles that reach into [low, high] of its axis; an infinite bound means to the very end.
constexpr double kEnd = std::numeric_limits<double>::infinity();
void take_triangles(const TriangleMesh& mesh, const std::vector<int>& from, double low, double high, Chain* chain) {
  double lowest = kEnd, highest = -kEnd;
  for (const int t : from) {
    double bottom = kEnd, top = -kEnd;
    for (const int v : mesh.triangles[t]) {
      const double h = (mesh.positions[v] - chain->origin).dot(chain->axis);
      bottom = std::min(bottom, h), top = std::max(top, h);
    }
    if (top < low || bottom > high) continue;
    chain->triangles.push_back(t);
    lowest = std::min(lowest, bottom), highest = std::max(highest, top);
  }
  chain->low = std::max(low, lowest), chain->high = std::min(high, highest);
}

// Turns u and v to the principal directions of the chain's points across its axis.
void align_sections(const TriangleMesh& mesh, Chain* chain) {
  Vec2 mean = Vec2::Zero();
  Eigen::Matrix2d spread = Eigen::Matrix2d::Zero();
  for (const int t : chain->triangles) mean += chain->local(mesh.positions[mesh.triangles[t][0]]).head<2>();
  mean /= std::max<double>(1.0, static_cast<double>(chain->triangles.size()));
  for (const int t : chain->triangles) {
    const Vec2 q = chain->local(mesh.positions[mesh.triangles[t][0]]).head<2>() - mean;
    spread += q * q.transpose();
  }
  const double angle = 0.5 * std::atan2(2.0 * spread(0, 1), spread(0, 0) - spread(1, 1));
  const Vec3 u = std::cos(angle) * chain->u + std::sin(angle) * chain->v;
  chain->v = std::cos(angle) * chain->v - std::sin(angle) * chain->u;
  chain->u = u;
}

// The centre of the part's slice between two shares of the way along a direction.
Vec3 center_between(const TriangleMesh& mesh, const std::vector<int>& triangles, const Vec3& from, const Vec3& along,
                    double low, double high) {
  Box3 box;
  Vec3 sum = Vec3::Zero();
  int count = 0;
  for (const int t : triangles) {
    for (const int v : mesh.triangles[t]) {
      const double share = (mesh.positions[v] - from).dot(along) / along.squaredNorm();
      if (share < low || share > high) continue;
      sum += mesh.positions[v], ++count;
    }
  }
  return count > 0 ? Vec3(sum / count) : Vec3(from + 0.5 * (low + high) * along);
}

constexpr double kLobe = 0.37;  // where a lobe of the trunk has its middle, in half widths

// Half the trunk's width and its middle, by height.
struct Breadth {
  double low = 0.0, step = 1.0;
  std::vector<double> middle, half;
  double at(const std::vector<double>& values, double height) const {
    const double place = std::clamp((height - low) / step, 0.0, static_cast<double>(values.size()) - 1.0);
    const size_t i = std::min(static_cast<size_t>(place), values.size() - 2);
    return values[i] + (place - static_cast<double>(i)) * (values[i + 1] - values[i]);
  }
};

Breadth measure_breadth(const TriangleMesh& mesh, const Chain& chain) {
  const std::vector<Slice> cuts = cut_candidates(mesh, chain, 48);
  Breadth out;
  if (cuts.size() < 2) return out;
  out.low = cuts.front().height;
  out.step = (cuts.back().height - out.low) / static_cast<double>(cuts.size() - 1);
  for (const Slice& cut : cuts) {
    double least = kEnd, most = -kEnd;
    for (const Vec2& q : cut.outline) least = std::min(least, q.x()), most = std::max(most, q.x());
    out.middle.push_back(0.5 * (least + most)), out.half.push_back(0.5 * (most - least));
  }
  return out;
}

// The flattest ellipse of given width about x = middle over the points: the least b with |z - c| <= b g(x).
BoundingEllipse flattest_ellipse(const std::vector<Vec2>& points, double middle, double half_width) {
  const auto height_for = [&](double c) {
    double b = 1e-3;
    for (const Vec2& q : points) {
      const double x = (q.x() - middle) / half_width;
      b = std::max(b, std::abs(q.y() - c) / std::sqrt(std::max(1.0 - x * x, 0.1)));
    }
    return b;
  };
  double low = kEnd, high = -kEnd;
  for (const Vec2& q : points) low = std::min(low, q.y()), high = std::max(high, q.y());
  for (int i = 0; i < 60 && high - low > 1e-6; ++i) {  // height_for is convex
    const double a = low + (high - low) / 3.0, b = high - (high - low) / 3.0;
    (height_for(a) < height_for(b) ? high : low) = height_for(a) < height_for(b) ? b : a;
  }
  const double c = 0.5 * (low + high);
  return {Vec2(middle, c), Vec2(half_width, height_for(c))};
}

class ProxyFitter {
 public:
  ProxyFitter(const RunContext& run, const Body& body, ProxyShape shape)
      : run_(run), body_(body), mesh_(body.mesh), anatomy_(body), shape_(shape) {
    set_.shape = shape;
    crotch_ = std::numeric_limits<double>::infinity();
    for (int v = 0; v < mesh_.vertex_count(); ++v) {
      if (body.part[v] == BodyPart::kTorso) crotch_ = std::min(crotch_, mesh_.positions[v].y());
    }
  }
  absl::StatusOr<ProxySet> fit();

 private:
  void fit_arm(BodyPart part);
  void fit_leg(BodyPart part);
  void fit_head_and_neck();
  void fit_torso();
  std::vector<Slice> fit_lobe(const Chain& torso, const Breadth& breadth, double side);
  void add_sphere(BodyPart part, const Vec3& center);
  void add(const Chain& chain);
  // The elliptic chains have no cylinders, and so room for more slices.
  int slices(int circular, int elliptic) const { return shape_ == ProxyShape::kCircular ? circular : elliptic; }
  void cover_protrusions();
  void summarise();

  const RunContext& run_;
  const Body& body_;
  const TriangleMesh& mesh_;
  Anatomy anatomy_;
  ProxyShape shape_;
  double crotch_ = 0.0;  // metres: where the trunk ends and two legs begin
  ProxySet set_;
};

void ProxyFitter::add(const Chain& chain) {
  append_chain(chain, fit_slices(mesh_, chain, shape_), shape_, &set_.proxies);
}

// The largest sphere about the centre that stays inside the body.
void ProxyFitter::add_sphere(BodyPart part, const Vec3& center) {
  double squared = std::numeric_limits<double>::infinity();
  for (const Vec3& p : mesh_.positions) squared = std::min(squared, (p - center).squaredNorm());
  Proxy proxy;
  proxy.part = part;
  proxy.solid = Sphere{center, std::sqrt(squared)};
  set_.proxies.push_back(proxy);
}

// Upper arm, forearm and hand are chains of their own: an arm is bent.
void ProxyFitter::fit_arm(BodyPart part) {
  const std::vector<int>& triangles = anatomy_.triangles(part);
  const Seam shoulder = anatomy_.seam(BodyPart::kTorso, part);
  if (triangles.empty() || shoulder.vertex_count == 0) return;
  Vec3 tip = shoulder.center;
  for (const int t : triangles) {
    const Vec3& p = mesh_.positions[mesh_.triangles[t][0]];
    if ((p - shoulder.center).squaredNorm() > (tip - shoulder.center).squaredNorm()) tip = p;
  }
  constexpr double kElbow = 0.42, kWrist = 0.76;  // shares of the way from shoulder to finger tip
  const Vec3 along = tip - shoulder.center;
  const std::string side = part == BodyPart::kLeftArm ? "left_" : "right_";
  const auto joint_center = [&](const std::string& name, double fallback) {
    const auto found = body_.landmarks.find(side + name);
    const double share =
        found == body_.landmarks.end() ? fallback : (found->second - shoulder.center).dot(along) / along.squaredNorm();
    return center_between(mesh_, triangles, shoulder.center, along, share - 0.02, share + 0.02);
  };
  const Vec3 elbow = joint_center("elbow", kElbow), wrist = joint_center("wrist", kWrist);
  const std::array<Vec3, 4> joint = {shoulder.center, elbow, wrist, tip};
  const std::array<int, 3> count = {slices(4, 5), slices(3, 5), slices(3, 4)};
  for (int bone = 0; bone < 3; ++bone) {
    Chain chain;
    chain.part = part, chain.slice_count = count[bone];
    chain.open_low = true, chain.open_high = bone < 2;
    set_frame(joint[bone], joint[bone + 1], Vec3::UnitZ(), &chain);
    const double length = (joint[bone + 1] - joint[bone]).norm();
    double low = 0.0;
    if (bone == 0) {  // from the armpit on the section is whole
      low = std::max(0.0, (anatomy_.lowest_of(BodyPart::kTorso, part) - chain.origin).dot(chain.axis));
      chain.shoulder = 0.03;
    }
    take_triangles(mesh_, triangles, low - chain.shoulder, bone < 2 ? length : kEnd, &chain);
    chain.low = std::max(chain.low, low);
    align_sections(mesh_, &chain);
    if (bone == 2) chain.sections = no_section;
    add(chain);
  }
  add_sphere(part, shoulder.center);
  add_sphere(part, elbow);
  add_sphere(part, 0.5 * (wrist + tip));
}

void ProxyFitter::fit_leg(BodyPart part) {
  const std::vector<int>& triangles = anatomy_.triangles(part);
  if (triangles.empty()) return;
  const double ankle = 0.042 * body_.height_m, knee = 0.285 * body_.height_m;
  Chain leg;
  leg.part = part, leg.slice_count = slices(7, 12), leg.open_low = leg.open_high = true, leg.root_high = 0.035;
  take_triangles(mesh_, triangles, 0.8 * ankle, crotch_, &leg);
  add(leg);
  const Vec3 ankle_center = center_between(mesh_, triangles, Vec3::Zero(), Vec3::UnitY() * ankle, 0.9, 1.1);
  Vec3 toe = ankle_center;
  for (const int t : triangles) {
    const Vec3& p = mesh_.positions[mesh_.triangles[t][0]];
    if (p.y() < ankle && p.z() > toe.z()) toe = p;
  }
  Chain foot;
  foot.part = part, foot.slice_count = slices(3, 3);
  set_frame(Vec3(ankle_center.x(), 0, ankle_center.z()), Vec3(toe.x(), 0, toe.z()), Vec3::UnitY(), &foot);
  std::vector<int> low;
  std::copy_if(triangles.begin(), triangles.end(), std::back_inserter(low),
               [&](int t) { return mesh_.positions[mesh_.triangles[t][0]].y() < ankle; });
  take_triangles(mesh_, low, -kEnd, kEnd, &foot);
  foot.sections = no_section;
  add(foot);
  add_sphere(part, ankle_center);
  add_sphere(part, center_between(mesh_, triangles, Vec3::Zero(), Vec3::UnitY() * knee, 0.95, 1.05));
}

void ProxyFitter::fit_head_and_neck() {
  Chain neck;
  neck.part = BodyPart::kNeck, neck.slice_count = slices(3, 4), neck.open_low = neck.open_high = true,
  neck.root_low = 0.02;
  const Seam base = anatomy_.seam(BodyPart::kNeck, BodyPart::kTorso);
  const Seam jaw = anatomy_.seam(BodyPart::kNeck, BodyPart::kHead);
  take_triangles(mesh_, anatomy_.triangles(BodyPart::kNeck), base.vertex_count > 0 ? base.center.y() : -kEnd,
                 jaw.vertex_count > 0 ? jaw.center.y() : kEnd, &neck);
  add(neck);
  Chain head;
  head.part = BodyPart::kHead, head.slice_count = slices(5, 7);
  take_triangles(mesh_, anatomy_.triangles(BodyPart::kHead), -kEnd, kEnd, &head);
  add(head);
}

// The trunk's section is a rounded oblong with a hollow along spine and breastbone; an ellipse about it stands
// centimetres off both. So the elliptic fit has a lobe a side, which bounds the outer part of the section mirrored
// about the lobe's middle, and between them a body that only has to cover what the lobes leave:
//
//        .-----.-----.      o  the lobes' middles, at kLobe of the half width
//       (   o  |  o   )
//        '-----'-----'
void ProxyFitter::fit_torso() {
  const Seam base = anatomy_.seam(BodyPart::kNeck, BodyPart::kTorso);
  Chain torso;
  torso.slice_count = slices(11, 15), torso.open_high = true;
  std::vector<int> trunk = anatomy_.triangles(BodyPart::kTorso);
  for (const BodyPart leg : {BodyPart::kLeftLeg, BodyPart::kRightLeg}) {
    trunk.insert(trunk.end(), anatomy_.triangles(leg).begin(), anatomy_.triangles(leg).end());
  }
  take_triangles(mesh_, trunk, crotch_, base.vertex_count > 0 ? base.center.y() : kEnd, &torso);
  const Breadth breadth = measure_breadth(mesh_, torso);
  if (shape_ == ProxyShape::kCircular || breadth.half.empty()) return add(torso);
  std::array<std::vector<Slice>, 2> lobes = {fit_lobe(torso, breadth, 1.0), fit_lobe(torso, breadth, -1.0)};
  const SolidSet covered(set_.solids());
  const auto half = [&](double h) { return 0.985 * breadth.at(breadth.half, h); };
  const auto middle = [&](double h) { return breadth.at(breadth.middle, h); };
  const auto left_to_lobes = [&](const Vec2& q, double h) {
    const double x = std::abs(q.x() - middle(h)) / half(h);
    return x > kLobe + 0.02 || (x > 0.1 && covered.nearest(torso.world(q, h), kCoverTolerance).solid >= 0);
  };
  torso.reshape = [&](std::vector<Vec2>* points, double h) {
    std::erase_if(*points, [&](const Vec2& q) { return left_to_lobes(q, h); });
  };
  torso.bound = [&](const std::vector<Vec2>& points, double h) { return flattest_ellipse(points, middle(h), half(h)); };
  torso.fixed_width = true;
  torso.leaves = [&](const Vec3& p) { return left_to_lobes(p.head<2>(), p.z()); };
  torso.sections = [&](const Slice& slice) {
    std::vector<BoundingEllipse> out = {slice.bound};
    for (const std::vector<Slice>& lobe : lobes) {
      for (size_t i = 0; i + 1 < lobe.size(); ++i) {
        const Slice &a = lobe[i], &b = lobe[i + 1];
        if (slice.height < a.height || slice.height > b.height) continue;
        const double s = (slice.height - a.height) / (b.height - a.height);
        out.push_back({(1 - s) * a.bound.center + s * b.bound.center, (1 - s) * a.bound.radii + s * b.bound.radii});
        break;
      }
    }
    return out;
  };
  add(torso);
}

std::vector<Slice> ProxyFitter::fit_lobe(const Chain& torso, const Breadth& breadth, double side) {
  Chain lobe = torso;
  lobe.slice_count = 13;
  const auto middle = [&](double h) {
    return breadth.at(breadth.middle, h) + side * kLobe * breadth.at(breadth.half, h);
  };
  lobe.reshape = [&](std::vector<Vec2>* points, double h) {
    std::erase_if(*points, [&](const Vec2& q) { return side * (q.x() - middle(h)) < 0.0; });
    const size_t count = points->size();
    for (size_t i = 0; i < count; ++i) points->emplace_back(2.0 * middle(h) - (*points)[i].x(), (*points)[i].y());
  };
  lobe.leaves = [&](const Vec3& p) { return side * (p.x() - middle(p.z())) < 0.0; };
  lobe.sections = [](const Slice&) { return std::vector<BoundingEllipse>(); };
  std::vector<Slice> found = fit_slices(mesh_, lobe, shape_);
  append_chain(lobe, found, shape_, &set_.proxies);
  return found;
}

// What the chains leave outside: from the farthest vertex on, each gets the largest sphere that touches the surface
// there from within, a little swollen. |q - p|^2 >= 2 r (p - q).n for all q is the sphere's emptiness.
void ProxyFitter::cover_protrusions() {
  constexpr int kSpheres = 12;
  constexpr double kSwell = 0.002, kLargest = 0.06, kNoise = 0.004;
  const std::vector<Vec3> normals = vertex_normals(mesh_);
  const SolidSet solids(set_.solids());
  std::vector<double> outside(mesh_.positions.size());
  for (size_t v = 0; v < outside.size(); ++v) outside[v] = solids.nearest(mesh_.positions[v], 1.0).surface.distance;
  for (int i = 0; i < kSpheres; ++i) {
    const size_t worst = std::max_element(outside.begin(), outside.end()) - outside.begin();
    if (outside[worst] <= kUncovered) return;
    const Vec3 &p = mesh_.positions[worst], &n = normals[worst];
    double radius = kLargest;
    for (const Vec3& q : mesh_.positions) {
      const double depth = (p - q).dot(n), squared = (p - q).squaredNorm();
      if (depth > 0.0 && squared > kNoise * kNoise) radius = std::min(radius, squared / (2.0 * depth));
    }
    const Sphere sphere{p - n * radius, radius + kSwell};
    Proxy proxy;
    proxy.part = body_.part[worst], proxy.solid = sphere;
    set_.proxies.push_back(proxy);
    for (size_t v = 0; v < outside.size(); ++v) {
      outside[v] = std::min(outside[v], distance(sphere, mesh_.positions[v]).distance);
    }
  }
}

void ProxyFitter::summarise() {
  const SolidSet solids(set_.solids());
  double sum = 0.0;
  for (const Vec3& p : mesh_.positions) {
    const SolidSet::Hit hit = solids.nearest(p, 1.0);
    if (hit.solid < 0 || hit.surface.distance > kUncovered) ++set_.uncovered_vertices;
    sum += std::abs(hit.surface.distance);
  }
  set_.mean_gap_mm = to_mm(sum / std::max(1, mesh_.vertex_count()));
  std::vector<double> errors;
  for (const Proxy& proxy : set_.proxies) {
    if (proxy.mean_gap_mm >= 0.0) errors.push_back(std::abs(proxy.girth_error_ratio));
  }
  if (errors.empty()) return;
  std::sort(errors.begin(), errors.end());
  set_.girth_error_p95 = errors[static_cast<size_t>(std::ceil(0.95 * static_cast<double>(errors.size()))) - 1];
}

absl::StatusOr<ProxySet> ProxyFitter::fit() {
  fit_head_and_neck();
  for (const BodyPart arm : {BodyPart::kLeftArm, BodyPart::kRightArm}) fit_arm(arm);
  for (const BodyPart leg : {BodyPart::kLeftLeg, BodyPart::kRightLeg}) fit_leg(leg);
  RETURN_IF_ERROR(run_.check());
  fit_torso();
  RETURN_IF_ERROR(run_.check());
  cover_protrusions();
  summarise();
  return std::move(set_);
}

}  // namespace

std::vector<Solid> ProxySet::solids() const {
  std::vector<Solid> out;
  for (const Proxy& proxy : proxies) out.push_back(proxy.solid);
  return out;
}

absl::StatusOr<ProxySet> fit_proxies(const RunContext& run, const Body& body, ProxyShape shape) {
  if (body.part.size() != body.mesh.positions.size() || body.mesh.triangles.empty()) {
    return invalid_input("BODY_WITHOUT_PARTS", "body.part", "the body has no surface, or its vertices have no parts",
                         "make the body with make_body");
  }
  return ProxyFitter(run, body, shape).fit();
}

}  // namespace tryon
