#include "server/garment/ring_sector.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tryon {
namespace {

constexpr double kRound = 0.02;     // of the outer radius
constexpr double kLeastBow = 0.03;  // of the longest edge: flatter ones have no centre worth the name
constexpr int kSamples = 8;         // of an edge

// Of the circle through three points; nothing where they lie on a line.
std::optional<Vec2> centre_of(const Vec2& a, const Vec2& b, const Vec2& c) {
  const Vec2 p = b - a, q = c - a;
  const double twice = 2.0 * (p.x() * q.y() - p.y() * q.x());
  if (std::abs(twice) < 2.0 * kLeastBow * q.squaredNorm()) return std::nullopt;
  return Vec2(
      a + Vec2(q.y() * p.squaredNorm() - p.y() * q.squaredNorm(), p.x() * q.squaredNorm() - q.x() * p.squaredNorm()) /
              twice);
}

}  // namespace

std::optional<RingSector> ring_sector(const Panel& panel) {
  const int count = static_cast<int>(panel.edges.size());
  int longest = -1;
  for (int e = 0; e < count; ++e) {
    const bool curved = panel.edges[e].curve.kind != EdgeCurve::Kind::kLine;
    if (curved && (longest < 0 || edge_length(panel, e) > edge_length(panel, longest))) longest = e;
  }
  if (longest < 0) return std::nullopt;
  const auto centre =
      centre_of(edge_at(panel, longest, 0.0), edge_at(panel, longest, 0.5), edge_at(panel, longest, 1.0));
  if (!centre) return std::nullopt;
  RingSector out;
  out.centre = *centre;
  out.inner = 1e30;
  const auto radius = [&](int e, double share) { return (edge_at(panel, e, share) - out.centre).norm(); };
  for (int e = 0; e < count; ++e) {
    out.inner = std::min(out.inner, radius(e, 0.0));
    out.outer = std::max(out.outer, radius(e, 0.0));
  }
  const double off = kRound * out.outer;
  if (out.outer - out.inner < 4.0 * off) return std::nullopt;
  for (int e = 0; e < count; ++e) {
    const double from = radius(e, 0.0), to = radius(e, 1.0);
    const bool across = std::abs(from - to) > 0.5 * (out.outer - out.inner);
    if (!across && std::abs(from - out.inner) > off && std::abs(from - out.outer) > off) return std::nullopt;
    for (int k = 0; k <= kSamples; ++k) {
      const double share = static_cast<double>(k) / kSamples;
      if (std::abs(radius(e, share) - (from + share * (to - from))) > off) return std::nullopt;
    }
    if (across && std::abs(edge_length(panel, e) - std::abs(from - to)) > off) return std::nullopt;
    if (!across && std::abs(from - out.outer) <= off) out.angle += edge_length(panel, e) / out.outer;
  }
  return out;
}

}  // namespace tryon
