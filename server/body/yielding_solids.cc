#include <algorithm>
#include <array>
#include <cmath>
#include <variant>

#include "server/base/units.h"
#include "server/body/yielding.h"

namespace tryon {
namespace {

constexpr int kRounds = 4;         // both sides yield at once, by what they still lack
constexpr int kRim = 48;           // points round an end that ask
constexpr double kHidden = 0.030;  // metres within the rest of the body where cloth cannot come
constexpr double kLeast = 0.4;     // of a radius that is kept

// What one leg has about it: the other leg, and the rest of the body, which hides what lies within it.
struct Beside {
  const SolidSet &other, &rest;
};

struct Pinch {
  double lacking = 0.0;
  Vec3 way = Vec3::Zero();  // towards the other
};

void ask(const Beside& beside, const Vec3& point, const Vec3& normal, double room, Pinch* worst) {
  const SurfaceAnswer found = beside.other.surface(point, room);
  const double lacking = room - found.distance;
  if (lacking <= worst->lacking || found.normal.dot(normal) > kOppositeNormals) return;
  if (beside.rest.surface(point, room).distance < -kHidden) return;
  *worst = {lacking, normal};
}

// An end ellipse: its other side stays where it is.
void yield(const Beside& beside, const Frustum& f, double room, Vec3* center, Eigen::Vector2d* radii) {
  Pinch worst;
  for (int k = 0; k < kRim; ++k) {
    const double c = std::cos(2 * kPi * k / kRim), s = std::sin(2 * kPi * k / kRim);
    const Vec3 normal = (c * radii->y() * f.u + s * radii->x() * f.v).normalized();
    ask(beside, *center + c * radii->x() * f.u + s * radii->y() * f.v, normal, room, &worst);
  }
  const double half = 0.25 * worst.lacking;  // of its own way: the middle goes by half, the radius shrinks by half
  *center -= half * worst.way;
  const Eigen::Vector2d along(std::abs(worst.way.dot(f.u)), std::abs(worst.way.dot(f.v)));
  *radii = (*radii - half * along).cwiseMax(kLeast * *radii);
}

void yield(const Beside& beside, double room, Frustum* f) {
  const Frustum was = *f;
  yield(beside, was, room, &f->bottom, &f->bottom_radii);
  yield(beside, was, room, &f->top, &f->top_radii);
}

void yield(const Beside& beside, double room, Sphere* s) {
  const SurfaceAnswer found = beside.other.surface(s->center, s->radius + room);
  Pinch worst;
  if (found.element >= 0) ask(beside, s->center - s->radius * found.normal, -found.normal, room, &worst);
  const double half = 0.25 * worst.lacking;
  s->center -= half * worst.way, s->radius = std::max(s->radius - half, kLeast * s->radius);
}

SolidSet only(const std::vector<Solid>& solids, const std::vector<size_t>& chosen) {
  std::vector<Solid> out;
  for (const size_t i : chosen) out.push_back(solids[i]);
  return SolidSet(out);
}

}  // namespace

std::vector<Solid> solids_that_yield(const ProxySet& proxies, double room) {
  std::vector<Solid> out = proxies.solids();
  std::array<std::vector<size_t>, 2> legs;
  std::vector<size_t> others;
  for (size_t i = 0; i < out.size(); ++i) {
    const BodyPart part = proxies.proxies[i].part;
    (part < BodyPart::kLeftLeg ? others : legs[part == BodyPart::kRightLeg]).push_back(i);
  }
  const SolidSet rest = only(out, others);
  for (int round = 0; round < kRounds; ++round) {
    const std::array<SolidSet, 2> as_they_are = {only(out, legs[0]), only(out, legs[1])};
    for (size_t side = 0; side < legs.size(); ++side) {
      const Beside beside{as_they_are[1 - side], rest};
      for (const size_t i : legs[side]) std::visit([&](auto& solid) { yield(beside, room, &solid); }, out[i]);
    }
  }
  return out;
}

}  // namespace tryon
