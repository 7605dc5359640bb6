#include "server/body/proxy_spheres.h"

#include <algorithm>
#include <limits>

namespace tryon {
namespace {

Proxy sphere_proxy(BodyPart part, const Vec3& center, double radius) {
  Proxy proxy;
  proxy.part = part, proxy.solid = Sphere{center, radius};
  return proxy;
}

// Holds no vertex: the distance to the nearest.
double room_about(const TriangleMesh& mesh, const Vec3& center) {
  double squared = std::numeric_limits<double>::infinity();
  for (const Vec3& p : mesh.positions) squared = std::min(squared, (p - center).squaredNorm());
  return std::sqrt(squared);
}

// The largest sphere that touches the skin at p from within: |q - p|^2 >= 2 r (p - q).n for all q. Vertices nearer
// than `noise` say nothing.
Sphere touching_sphere(const TriangleMesh& mesh, const Vec3& p, const Vec3& n, double largest) {
  constexpr double kNoise = 0.004;
  double radius = largest;
  for (const Vec3& q : mesh.positions) {
    const double depth = (p - q).dot(n), squared = (p - q).squaredNorm();
    if (depth > 0.0 && squared > kNoise * kNoise) radius = std::min(radius, squared / (2.0 * depth));
  }
  return {p - n * radius, radius};
}

// The part's vertex that lies farthest along a direction, between two heights.
int farthest_vertex(const ProxyAnatomy& anatomy, BodyPart part, const Vec3& along, double low, double high,
                    double side) {
  const std::vector<Vec3>& positions = anatomy.body().mesh.positions;
  int best = -1;
  for (const int v : anatomy.vertices(part)) {
    const Vec3& p = positions[v];
    if (p.y() < low || p.y() > high || side * p.x() < 0.03) continue;
    if (best < 0 || p.dot(along) > positions[best].dot(along)) best = v;
  }
  return best;
}

}  // namespace

std::vector<Proxy> joint_spheres(const ProxyAnatomy& anatomy) {
  const TriangleMesh& mesh = anatomy.body().mesh;
  std::vector<Proxy> out;
  const auto add = [&](BodyPart part, const Vec3& center) {
    out.push_back(sphere_proxy(part, center, room_about(mesh, center)));
  };
  for (const BodyPart part : {BodyPart::kLeftArm, BodyPart::kRightArm}) {
    const ArmJoints arm = anatomy.arm(part);
    if (arm.found) add(part, arm.shoulder), add(part, arm.elbow);
  }
  for (const BodyPart part : {BodyPart::kLeftLeg, BodyPart::kRightLeg}) {
    const LegJoints leg = anatomy.leg(part);
    if (leg.found) add(part, leg.hip), add(part, leg.knee);
  }
  const std::vector<Vec3> normals = vertex_normals(mesh);
  const double trunk = anatomy.neck_base() - anatomy.crotch();
  for (const double side : {1.0, -1.0}) {  // the foremost point of each half of the chest
    const double low = anatomy.crotch() + 0.55 * trunk, high = anatomy.crotch() + 0.85 * trunk;
    const int v = farthest_vertex(anatomy, BodyPart::kTorso, Vec3::UnitZ(), low, high, side);
    if (v < 0) continue;
    const Sphere bust = touching_sphere(mesh, mesh.positions[v], normals[v], 0.09);
    out.push_back(sphere_proxy(BodyPart::kTorso, bust.center, bust.radius));
  }
  return out;
}

std::vector<Proxy> protrusion_spheres(const Body& body, int most, double tolerance, std::vector<double>* gaps) {
  constexpr double kSwell = 0.0015, kLargest = 0.06;
  std::vector<Proxy> out;
  const std::vector<Vec3> normals = vertex_normals(body.mesh);
  while (static_cast<int>(out.size()) < most) {
    const size_t worst = std::max_element(gaps->begin(), gaps->end()) - gaps->begin();
    if (!((*gaps)[worst] > tolerance)) break;
    Sphere sphere = touching_sphere(body.mesh, body.mesh.positions[worst], normals[worst], kLargest);
    sphere.radius += kSwell;
    out.push_back(sphere_proxy(body.part[worst], sphere.center, sphere.radius));
    for (size_t v = 0; v < gaps->size(); ++v) {
      (*gaps)[v] = std::min((*gaps)[v], distance(sphere, body.mesh.positions[v]).distance);
    }
    (*gaps)[worst] = std::min((*gaps)[worst], 0.0);
  }
  return out;
}

}  // namespace tryon
