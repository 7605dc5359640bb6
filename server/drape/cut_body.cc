#include "server/drape/cut_body.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "Eigen/Eigenvalues"
#include "server/base/units.h"

namespace tryon {
namespace {

constexpr double kOnPlane = 2e-4;  // metres: a vertex so near is on the cut
constexpr double kStray = 0.02;    // share of a region's vertices that may lie on the wrong side of its border
constexpr double kDome = 0.3;      // height of a cap over the radius of its cut
constexpr int kDomeRings = 5;
constexpr double kAboveTape = 0.008;  // metres from the tape round the neck up to the cut
constexpr double kUpright = 0.6;      // of its normal, for the tape's plane to be a neck's
constexpr double kMeansCut = 0.005;   // metres beyond the cut: what is drawn there is drawn on what was cut off

using HalfEdge = std::pair<int, int>;

// What is taken off, what it hangs on, and the plane between: positive on the side that goes.
struct Cut {
  BodySegment gone, host;
  Vec3 point = Vec3::Zero(), normal = Vec3::UnitY();
  double distance(const Vec3& p) const { return (p - point).dot(normal); }
};

std::vector<BodySegment> segments_of(const Body& body) {
  if (!body.segment.empty()) return body.segment;
  std::vector<BodySegment> out(body.part.size(), BodySegment::kTorso);
  for (size_t v = 0; v < out.size(); ++v) {
    if (body.part[v] == BodyPart::kHead) out[v] = BodySegment::kHead;
    if (body.part[v] == BodyPart::kNeck) out[v] = BodySegment::kNeck;
  }
  return out;
}

Vec3 mean(const std::vector<Vec3>& points) {
  Vec3 sum = Vec3::Zero();
  for (const Vec3& p : points) sum += p;
  return sum / std::max<double>(1.0, static_cast<double>(points.size()));
}

// The direction in which the points spread least.
Vec3 thin_direction(const std::vector<Vec3>& points) {
  const Vec3 center = mean(points);
  Eigen::Matrix3d spread = Eigen::Matrix3d::Zero();
  for (const Vec3& p : points) spread += (p - center) * (p - center).transpose();
  return Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(spread).eigenvectors().col(0);
}

// Lays the plane along the border of the two segments, then moves it back to where (almost) all that goes is beyond it.
// False where they do not meet.
bool lay_plane(const Body& body, const std::vector<BodySegment>& segment, Cut* cut) {
  std::vector<Vec3> gone, host, border;
  for (size_t v = 0; v < segment.size(); ++v) {
    if (segment[v] == cut->gone) gone.push_back(body.mesh.positions[v]);
    if (segment[v] == cut->host) host.push_back(body.mesh.positions[v]);
  }
  for (const EdgeUse& edge : mesh_edges(body.mesh)) {
    const auto ends = std::minmax(segment[edge.a], segment[edge.b]);
    if (ends != std::minmax(cut->gone, cut->host)) continue;
    border.push_back(0.5 * (body.mesh.positions[edge.a] + body.mesh.positions[edge.b]));
  }
  if (border.size() < 3) return false;
  const Vec3 away = (mean(gone) - mean(host)).normalized();
  cut->normal = thin_direction(border);
  if (cut->normal.dot(away) < 0.0) cut->normal = -cut->normal;
  if (cut->normal.dot(away) < 0.5) cut->normal = away;  // a border too ragged to be a plane
  std::vector<double> along;
  for (const Vec3& p : gone) along.push_back(p.dot(cut->normal));
  const auto low = along.begin() + static_cast<std::ptrdiff_t>(kStray * static_cast<double>(along.size()));
  std::nth_element(along.begin(), low, along.end());
  cut->point = mean(border);
  cut->point += (*low - cut->point.dot(cut->normal)) * cut->normal;
  return true;
}

// A head ends under the chin: the cut follows the tape round the neck, which leans as the neck does, where that is
// lower at the throat than the border of the segments.
void follow_neck_tape(const Body& body, Cut* cut) {
  const auto tape = body.curves.find("neck_girth");
  if (tape == body.curves.end() || tape->second.points.size() < 8) return;
  Vec3 normal = thin_direction(tape->second.points);
  if (normal.y() < 0.0) normal = -normal;
  if (normal.y() < kUpright) return;
  const Vec3 point = mean(tape->second.points) + kAboveTape * normal;
  if (cut->distance(point) > 0.0) return;
  cut->point = point, cut->normal = normal;
}

std::vector<HalfEdge> open_half_edges(const TriangleMesh& mesh) {  // sorted
  std::vector<HalfEdge> all, open;
  for (const Triangle& t : mesh.triangles) {
    for (int k = 0; k < 3; ++k) all.emplace_back(t[k], t[(k + 1) % 3]);
  }
  std::sort(all.begin(), all.end());
  for (const HalfEdge& e : all) {
    if (!std::binary_search(all.begin(), all.end(), HalfEdge(e.second, e.first))) open.push_back(e);
  }
  return open;
}

// One cut through one body: clips the triangles, caps what that opened.
class Clipper {
 public:
  Clipper(Body* body, std::vector<BodySegment>* segment, const Cut& cut) : body_(*body), segment_(*segment), cut_(cut) {
    for (size_t v = 0; v < segment_.size(); ++v) {
      const bool in_reach = segment_[v] == cut.gone || segment_[v] == cut.host;
      beyond_.push_back(in_reach ? cut.distance(body_.mesh.positions[v]) : -1.0);
      in_reach_.push_back(in_reach);
    }
  }

  std::vector<Vec3> run() {  // what was taken off
    std::vector<Vec3> gone;
    for (size_t v = 0; v < beyond_.size(); ++v) {
      if (is_out(static_cast<int>(v))) gone.push_back(body_.mesh.positions[v]);
    }
    const std::vector<HalfEdge> open_before = open_half_edges(body_.mesh);
    std::vector<Triangle> triangles;
    std::swap(triangles, body_.mesh.triangles);
    for (const Triangle& t : triangles) clip(t);
    drop_islands();
    for (auto& s : segment_) s = s == cut_.gone ? cut_.host : s;
    cap(open_before);
    drop_unused();
    return gone;
  }

 private:
  bool is_out(int v) const { return beyond_[v] > kOnPlane; }

  int add_vertex(const Vec3& p) {
    body_.mesh.positions.push_back(p);
    body_.part.push_back(host_part());
    segment_.push_back(cut_.host);
    beyond_.push_back(0.0);
    in_reach_.push_back(true);
    return body_.mesh.vertex_count() - 1;
  }

  BodyPart host_part() const {
    return cut_.host == BodySegment::kNeck           ? BodyPart::kNeck
           : cut_.host == BodySegment::kLeftLowerArm ? BodyPart::kLeftArm
                                                     : BodyPart::kRightArm;
  }

  // Where the edge from a vertex that stays to one that goes meets the plane.
  int meet(int in, int out) {
    if (beyond_[in] > -kOnPlane) return in;
    const auto [found, is_new] = met_.try_emplace({in, out}, -1);
    if (is_new) {
      const double s = beyond_[in] / (beyond_[in] - beyond_[out]);
      const Vec3 p = body_.mesh.positions[in] + s * (body_.mesh.positions[out] - body_.mesh.positions[in]);
      found->second = add_vertex(p);
    }
    return found->second;
  }

  void keep(int a, int b, int c) {
    if (a != b && b != c && c != a) body_.mesh.triangles.push_back({a, b, c});
  }

  void clip(const Triangle& t) {
    const int out_count = is_out(t[0]) + is_out(t[1]) + is_out(t[2]);
    if (out_count == 0) return keep(t[0], t[1], t[2]);
    if (out_count == 3 || !(in_reach_[t[0]] && in_reach_[t[1]] && in_reach_[t[2]])) return;
    int k = 0;  // the corner that is alone on its side comes first
    while (is_out(t[k]) != (out_count == 1)) ++k;
    const int a = t[k], b = t[(k + 1) % 3], c = t[(k + 2) % 3];
    if (out_count == 2) return keep(a, meet(a, b), meet(a, c));
    const int ab = meet(b, a), ca = meet(c, a);
    keep(ab, b, c);
    keep(ab, c, ca);
  }

  // What hangs below the plane but only on what went: a chin.
  void drop_islands() {
    const auto [component, count] = connected_components(body_.mesh);
    std::vector<char> stays(count, 0);
    for (size_t t = 0; t < component.size(); ++t) {
      for (const int v : body_.mesh.triangles[t]) {
        const bool is_rim = in_reach_[v] && std::abs(beyond_[v]) <= kOnPlane;
        if (segment_[v] != cut_.gone && !is_rim) stays[component[t]] = 1;
      }
    }
    std::vector<Triangle> kept;
    for (size_t t = 0; t < component.size(); ++t) {
      if (stays[component[t]]) kept.push_back(body_.mesh.triangles[t]);
    }
    body_.mesh.triangles = std::move(kept);
  }

  void cap(const std::vector<HalfEdge>& open_before) {
    std::multimap<int, int> next;  // walked against the triangles that are there
    for (const HalfEdge& e : open_half_edges(body_.mesh)) {
      if (!std::binary_search(open_before.begin(), open_before.end(), e)) next.emplace(e.second, e.first);
    }
    while (!next.empty()) {
      std::vector<int> loop;
      for (auto at = next.begin(); at != next.end(); at = next.find(loop.back())) {
        if (loop.empty()) loop.push_back(at->first);
        const int to = at->second;
        next.erase(at);
        if (to == loop.front()) break;
        loop.push_back(to);
      }
      if (loop.size() >= 3) cap(loop);
    }
  }

  void cap(const std::vector<int>& loop) {
    const size_t n = loop.size();
    std::vector<Vec3> rim;
    bool is_straight = true;
    for (const int v : loop) {
      rim.push_back(body_.mesh.positions[v]);
      is_straight = is_straight && in_reach_[v] && std::abs(beyond_[v]) <= 2 * kOnPlane;
    }
    const Vec3 center = mean(rim);
    double radius = 0.0;
    for (const Vec3& p : rim) radius += (p - center).norm() / static_cast<double>(n);
    const Vec3 rise = is_straight ? Vec3(kDome * radius * cut_.normal) : Vec3(Vec3::Zero());
    std::vector<int> ring = loop;
    for (int k = 1; k < kDomeRings; ++k) {
      const double angle = 0.5 * kPi * k / kDomeRings;
      std::vector<int> inner;
      for (const Vec3& p : rim) {
        inner.push_back(add_vertex(center + std::cos(angle) * (p - center) + std::sin(angle) * rise));
      }
      for (size_t i = 0; i < n; ++i) {
        const size_t j = (i + 1) % n;
        keep(ring[i], ring[j], inner[j]);
        keep(ring[i], inner[j], inner[i]);
      }
      ring = std::move(inner);
    }
    const int apex = add_vertex(center + rise);
    for (size_t i = 0; i < n; ++i) keep(ring[i], ring[(i + 1) % n], apex);
  }

  void drop_unused() {
    std::vector<int> index(body_.mesh.positions.size(), -1);
    for (const Triangle& t : body_.mesh.triangles) {
      for (int k = 0; k < 3; ++k) index[t[k]] = 0;
    }
    int count = 0;
    for (size_t v = 0; v < index.size(); ++v) {
      if (index[v] < 0) continue;
      index[v] = count;
      body_.mesh.positions[count] = body_.mesh.positions[v];
      body_.part[count] = segment_[v] == cut_.host ? host_part() : body_.part[v];
      segment_[count] = segment_[v];
      ++count;
    }
    body_.mesh.positions.resize(count);
    body_.part.resize(count);
    segment_.resize(count);
    for (Triangle& t : body_.mesh.triangles) {
      for (int k = 0; k < 3; ++k) t[k] = index[t[k]];
    }
  }

  Body& body_;
  std::vector<BodySegment>& segment_;
  const Cut& cut_;
  std::vector<double> beyond_;  // [vertex_count] metres beyond the plane; -1 for what is out of the cut's reach
  std::vector<char> in_reach_;
  std::map<HalfEdge, int> met_;
};

double nearest_squared(const std::vector<Vec3>& points, const Vec3& p) {
  double best = std::numeric_limits<double>::infinity();
  for (const Vec3& q : points) best = std::min(best, (p - q).squaredNorm());
  return best;
}

// Whether a point was drawn on what a cut took off, not merely beyond its plane.
bool was_cut(const Body& body, const Cut& cut, const std::vector<Vec3>& gone, const Vec3& p) {
  if (gone.empty() || cut.distance(p) < kMeansCut) return false;
  return nearest_squared(gone, p) < nearest_squared(body.mesh.positions, p);
}

void drop_what_was_drawn_there(const Cut& cut, const std::vector<Vec3>& gone, Body* body) {
  std::erase_if(body->curves, [&](const auto& entry) {
    const std::vector<Vec3>& points = entry.second.points;
    return std::any_of(points.begin(), points.end(), [&](const Vec3& p) { return was_cut(*body, cut, gone, p); });
  });
  std::erase_if(body->landmarks,
                [&](const auto& entry) { return entry.first != "crown" && was_cut(*body, cut, gone, entry.second); });
}

}  // namespace

Body without_head_and_hands(Body body) {
  const bool has_segments = !body.segment.empty();
  std::vector<BodySegment> segment = segments_of(body);
  for (const auto& [gone_segment, host] : {std::pair{BodySegment::kHead, BodySegment::kNeck},
                                           {BodySegment::kLeftHand, BodySegment::kLeftLowerArm},
                                           {BodySegment::kRightHand, BodySegment::kRightLowerArm}}) {
    Cut cut{gone_segment, host};
    if (!lay_plane(body, segment, &cut)) continue;
    if (gone_segment == BodySegment::kHead) follow_neck_tape(body, &cut);
    const std::vector<Vec3> gone = Clipper(&body, &segment, cut).run();
    drop_what_was_drawn_there(cut, gone, &body);
  }
  if (has_segments) body.segment = std::move(segment);
  return body;
}

}  // namespace tryon
