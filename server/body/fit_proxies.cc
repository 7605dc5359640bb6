// The two fits end to end: Ji's circles (proxy_circular.h) or strands of ellipses (proxy_elliptic.h), spheres, and what
// came of it (proxy_audit.h).
// A strand along the slope of each shoulder was tried: with the same budget it gained nothing in girth and its ends
// made larger steps than the trunk's own narrowing ellipses.
#include <algorithm>

#include "server/base/status.h"
#include "server/body/body.h"
#include "server/body/proxy_audit.h"
#include "server/body/proxy_circular.h"
#include "server/body/proxy_elliptic.h"
#include "server/body/proxy_fit.h"
#include "server/body/proxy_refine.h"
#include "server/body/proxy_spheres.h"

namespace tryon {
namespace {

constexpr int kEllipticBudget = 120;   // solids in all
constexpr int kProtrusions = 2;        // of them spheres
constexpr int kCircularSpheres = 12;   // at protrusions, besides those at joints
constexpr double kUncovered = 0.0005;  // metres
constexpr double kAllowed = 0.0049;    // share of the vertices that may stay uncovered

void append(const std::vector<Proxy>& more, ProxySet* set) {
  set->proxies.insert(set->proxies.end(), more.begin(), more.end());
}

// A thigh goes on into the trunk; what lies above the crotch is the trunk's.
BodyPart part_of(const ProxyAnatomy& anatomy, const Strand& strand, const Frustum& frustum) {
  const bool leg = strand.part == BodyPart::kLeftLeg || strand.part == BodyPart::kRightLeg;
  return leg && std::min(frustum.bottom.y(), frustum.top.y()) > anatomy.crotch() ? BodyPart::kTorso : strand.part;
}

// The vertices' gaps, to first order; what seems to be uncovered is asked again for its true distance.
std::vector<double> gaps_of(const Skin& vertices, const std::vector<Strand>& strands) {
  constexpr double kFarthest = 0.003;
  std::vector<Solid> solids;
  for (const Strand& strand : strands) {
    for (const Frustum& frustum : strand_frusta(strand)) solids.push_back(frustum);
  }
  const SolidSet set(std::move(solids));
  std::vector<double> gaps = strand_gaps(vertices, strands);
  for (size_t v = 0; v < gaps.size(); ++v) {
    if (gaps[v] <= kUncovered) continue;
    const SolidSet::Hit hit = set.nearest(vertices.points[v], kFarthest);
    if (hit.solid >= 0) gaps[v] = hit.surface.distance;
  }
  return gaps;
}

void fit_elliptic(const ProxyAnatomy& anatomy, ProxySet* set) {
  const Skin vertices = vertex_skin(anatomy.body());
  const auto allowed = static_cast<size_t>(kAllowed * static_cast<double>(vertices.points.size()));
  std::vector<Strand> strands = fit_strands(anatomy, vertices, kEllipticBudget - kProtrusions, allowed);
  if (strands.empty()) return;
  std::vector<double> gaps = gaps_of(vertices, strands);
  const std::vector<Proxy> spheres = protrusion_spheres(anatomy.body(), kProtrusions, 4.0 * kUncovered, &gaps);
  for (const Strand& strand : strands) {
    for (const Frustum& frustum : strand_frusta(strand)) {
      set->proxies.push_back({Proxy::Kind::kFrustum, part_of(anatomy, strand, frustum), frustum});
    }
  }
  append(spheres, set);
}

void fit_circles(const ProxyAnatomy& anatomy, ProxySet* set) {
  append(fit_circular(anatomy), set);
  append(joint_spheres(anatomy), set);
  const SolidSet solids(set->solids());
  std::vector<double> gaps;
  for (const Vec3& p : anatomy.body().mesh.positions) gaps.push_back(solids.nearest(p, 1.0).surface.distance);
  append(protrusion_spheres(anatomy.body(), kCircularSpheres, kUncovered, &gaps), set);
}

}  // namespace

std::vector<Solid> ProxySet::solids() const {
  std::vector<Solid> out;
  for (const Proxy& proxy : proxies) out.push_back(proxy.solid);
  return out;
}

ProxySet bound_by_solids(const ProxyAnatomy& anatomy, ProxyShape shape) {
  ProxySet set;
  set.shape = shape;
  shape == ProxyShape::kElliptic ? fit_elliptic(anatomy, &set) : fit_circles(anatomy, &set);
  return set;
}

absl::StatusOr<ProxySet> fit_proxies(const RunContext& run, const Body& body, ProxyShape shape) {
  if (body.part.size() != body.mesh.positions.size() || body.mesh.triangles.empty()) {
    return invalid_input("BODY_WITHOUT_PARTS", "body.part", "the body has no surface, or its vertices have no parts",
                         "make the body with make_body");
  }
  RETURN_IF_ERROR(run.check());
  const ProxyAnatomy anatomy(body);
  ProxySet set = bound_by_solids(anatomy, shape);
  RETURN_IF_ERROR(run.check());
  audit_proxies(anatomy, &set);
  return set;
}

}  // namespace tryon
