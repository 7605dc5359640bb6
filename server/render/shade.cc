#include "server/render/shade.h"

#include <algorithm>
#include <cmath>

#include "server/base/units.h"

namespace tryon {
namespace {

constexpr int kSurfaceRays = 10, kFloorRays = 12, kKeyRays = 3;  // a sample
constexpr int kMaxLayers = 64;                                   // veils that one ray may pass
constexpr double kKeyRadius = 0.11;                              // of the soft light, at distance 1
const Vec3 kKeyLight(1.02, 0.985, 0.93), kFillLight(0.15, 0.165, 0.19), kRimLight(0.16, 0.16, 0.17);
const Vec3 kSky(0.40, 0.41, 0.43), kGround(0.30, 0.28, 0.265);
const Vec3 kTop(0.930, 0.922, 0.905), kBottom(0.855, 0.840, 0.815);  // of the backdrop

double clamp01(double x) { return std::min(1.0, std::max(0.0, x)); }

uint32_t hash(uint32_t x) {  // a 32-bit finaliser of the xorshift-multiply family
  x ^= x >> 16;
  x *= 0x7feb352dU;
  x ^= x >> 15;
  x *= 0x846ca68bU;
  return x ^ (x >> 16);
}

double hash_unit(int32_t x, int32_t y) {
  return hash(static_cast<uint32_t>(x) * 0x9e3779b9U + hash(static_cast<uint32_t>(y))) / 4294967296.0;
}

// Smooth noise in [0, 1] on the integer lattice.
double value_noise(double x, double y) {
  const double fx = std::floor(x), fy = std::floor(y);
  const auto ix = static_cast<int32_t>(fx), iy = static_cast<int32_t>(fy);
  auto smooth = [](double t) { return t * t * (3.0 - 2.0 * t); };
  const double u = smooth(x - fx), v = smooth(y - fy);
  const double low = (1 - u) * hash_unit(ix, iy) + u * hash_unit(ix + 1, iy);
  const double high = (1 - u) * hash_unit(ix, iy + 1) + u * hash_unit(ix + 1, iy + 1);
  return (1 - v) * low + v * high;
}

// Two unit vectors that span the plane across n.
void span(const Vec3& n, Vec3* s, Vec3* t) {
  *s = (std::abs(n.x()) > 0.7 ? Vec3::UnitY() : Vec3::UnitX()).cross(n).normalized();
  *t = n.cross(*s);
}

Vec3 around(const Vec3& n, double angle, double across, double along) {
  Vec3 s, t;
  span(n, &s, &t);
  return across * (std::cos(angle) * s + std::sin(angle) * t) + along * n;
}

Vec3 multiply(const Vec3& a, const Vec3& b) { return a.cwiseProduct(b); }

template <typename T>
T at_corners(const std::vector<T>& values, const Triangle& t, const Hit& hit) {
  return (1.0 - hit.b1 - hit.b2) * values[t[0]] + hit.b1 * values[t[1]] + hit.b2 * values[t[2]];
}

// The point lifted to the curved surface that the corner normals tell of, on the side that is seen, so that a coarse
// triangle throws no shadow on its neighbour (Hanika 2021, Hacking the shadow terminator).
Vec3 lifted(const RenderPiece& piece, const Triangle& t, const Hit& hit, const Vec3& point, double side) {
  const double weight[3] = {1.0 - hit.b1 - hit.b2, hit.b1, hit.b2};
  Vec3 out = point;
  for (int k = 0; k < 3; ++k) {
    const Vec3 n = side * piece.normals[t[k]];
    out -= weight[k] * std::min(0.0, (point - piece.mesh.positions[t[k]]).dot(n)) * n;
  }
  return out;
}

}  // namespace

SampleStream::SampleStream(uint32_t x, uint32_t y, uint32_t purpose) {
  const uint32_t seed = hash(x + hash(y + hash(purpose)));
  x_ = seed / 4294967296.0;
  y_ = hash(seed ^ 0x68bc21ebU) / 4294967296.0;
}

Vec2 SampleStream::next() {  // additive recurrence with the plastic number's powers
  x_ += 0.7548776662466927;
  y_ += 0.5698402909980532;
  x_ -= std::floor(x_), y_ -= std::floor(y_);
  return {x_, y_};
}

struct Shader::Surface {
  const RenderPiece* piece = nullptr;
  Vec3 point;                // on the surface that the smooth normals stand for
  Vec3 flat_normal, normal;  // both face the viewer
  Vec3 colour;
  bool back = false;  // seen from behind
};

Shader::Shader(const std::vector<RenderPiece>& pieces, const Camera& camera, int height)
    : pieces_(pieces), camera_(camera), scene_(pieces), height_(height) {
  Box3 box;
  for (const RenderPiece& piece : pieces) box.extend(bounds(piece.mesh));
  floor_ = box.min().y();
  size_ = std::max(1e-3, box.sizes().maxCoeff());
  pixel_ = camera.slope_per_pixel * camera.distance;
  key_ = camera.to_world(Vec3(-0.55, 0.75, 0.62).normalized());
  fill_ = camera.to_world(Vec3(0.85, 0.20, 0.50).normalized());
  rim_ = camera.to_world(Vec3(0.70, 0.45, -0.60).normalized());
}

Shader::Surface Shader::surface_at(const Hit& hit, const Vec3& ray) const {
  Surface out;
  out.piece = &pieces_[hit.piece];
  const Triangle& t = out.piece->mesh.triangles[hit.triangle];
  out.point = at_corners(out.piece->mesh.positions, t, hit);
  out.flat_normal = triangle_normal(out.piece->mesh, hit.triangle).normalized();
  out.normal = at_corners(out.piece->normals, t, hit).normalized();
  if (out.normal.dot(out.flat_normal) < 0.0) out.normal = -out.normal;
  out.back = out.flat_normal.dot(ray) > 0.0;
  if (out.back) out.flat_normal = -out.flat_normal, out.normal = -out.normal;
  out.point = lifted(*out.piece, t, hit, out.point, out.back ? -1.0 : 1.0);
  const double away = out.normal.dot(ray);  // a smooth normal may look away at the rim
  if (away > -0.02) out.normal = (out.normal - (away + 0.02) * ray).normalized();
  out.colour = out.piece->colours.empty() ? out.piece->colour : at_corners(out.piece->colours, t, hit);
  if (out.piece->cloth && !out.piece->uv.empty()) out.colour *= weave(*out.piece, hit);
  if (out.piece->cloth && out.back) out.colour *= 0.82;
  return out;
}

// Yarns of uneven thickness along both pattern directions; never finer than the picture can show.
double Shader::weave(const RenderPiece& piece, const Hit& hit) const {
  const Vec2 uv = at_corners(piece.uv, piece.mesh.triangles[hit.triangle], hit);
  const double yarn = std::max(1.6e-3, 1.1 * pixel_), run = 22.0 * yarn;
  const double warp = value_noise(uv.x() / yarn, uv.y() / run), weft = value_noise(uv.x() / run, uv.y() / yarn + 57.0);
  return 1.0 + 0.075 * (warp - 0.5) + 0.075 * (weft - 0.5);
}

// Share of the hemisphere, weighted by the cosine, from which a nearby obstacle does not keep the light.
double Shader::openness(const Vec3& point, const Vec3& normal, int rays, SampleStream* samples) const {
  int open = 0;
  for (int i = 0; i < rays; ++i) {
    const Vec2 s = samples->next();
    const Vec3 d = around(normal, 2 * kPi * s.x(), std::sqrt(s.y()), std::sqrt(1.0 - s.y()));
    open += scene_.blocked(point, d, 0.30 * size_) ? 0 : 1;
  }
  return static_cast<double>(open) / rays;
}

double Shader::key_visibility(const Vec3& point, SampleStream* samples) const {
  int open = 0;
  for (int i = 0; i < kKeyRays; ++i) {
    const Vec2 s = samples->next();
    const Vec3 d = around(key_, 2 * kPi * s.x(), kKeyRadius * std::sqrt(s.y()), 1.0).normalized();
    open += scene_.blocked(point, d, 4.0 * size_) ? 0 : 1;
  }
  return static_cast<double>(open) / kKeyRays;
}

Vec3 Shader::shade(const Surface& surface, const Vec3& ray, PixelSamples* samples) const {
  const Vec3& n = surface.normal;
  const Vec3 start = surface.point + 2e-4 * size_ * surface.flat_normal;
  const double open = openness(start, surface.flat_normal, kSurfaceRays, &samples->sky);
  const double wrap = surface.piece->cloth ? 0.18 : 0.25;  // light bleeds round the edge of fibres and of skin
  const double facing = clamp01((n.dot(key_) + wrap) / (1.0 + wrap));
  const double key = facing > 0.0 ? facing * key_visibility(start, &samples->key) : 0.0;
  const double fill = clamp01(0.5 + 0.5 * n.dot(fill_)) * open;
  const double rim = std::pow(clamp01(n.dot(rim_)), 2.0) * open;
  const double up = 0.5 + 0.5 * n.y();
  const Vec3 ambient = open * (up * kSky + (1.0 - up) * kGround);
  Vec3 colour = multiply(surface.colour, key * kKeyLight + fill * kFillLight + rim * kRimLight + ambient);
  const double grazing = std::pow(1.0 - clamp01(-n.dot(ray)), 4.0);
  if (surface.piece->cloth) {  // fibre ends catch the light at the rim
    return colour + 0.16 * grazing * open * (0.6 * surface.colour + Vec3::Constant(0.4));
  }
  const double glint = std::pow(clamp01(n.dot((key_ - ray).normalized())), 24.0);
  return colour + (0.05 * glint * (key > 0.0 ? 1.0 : 0.0) + 0.05 * grazing * open) * Vec3::Ones();
}

// A floor that runs into a wall without an edge: only its shadow shows where it is.
Vec3 Shader::backdrop(const Vec3& ray, double y, PixelSamples* samples) const {
  const double t = clamp01(y / height_);
  Vec3 colour = (1.0 - t) * kTop + t * kBottom;
  if (ray.y() > -1e-6) return colour;
  const Vec3 point = camera_.eye + (floor_ - camera_.eye.y()) / ray.y() * ray;
  const Vec3 from_middle = point - (camera_.eye + camera_.distance * camera_.forward);
  if (Vec2(from_middle.x(), from_middle.z()).norm() > 1.2 * size_) return colour;
  const Vec3 start = point + 2e-4 * size_ * Vec3::UnitY();
  const double open = openness(start, Vec3::UnitY(), kFloorRays, &samples->sky);
  const double lit = key_visibility(start, &samples->key);
  return colour * (1.0 - 0.60 * (1.0 - open)) * (1.0 - 0.10 * (1.0 - lit));
}

Vec3 Shader::radiance(double x, double y, PixelSamples* samples) const {
  const Vec3 ray = camera_.direction(x, y);
  Vec3 sum = Vec3::Zero();
  double through = 1.0, from = 0.0;
  for (int layer = 0; layer < kMaxLayers && through > 0.004; ++layer) {
    const Hit hit = scene_.nearest(camera_.eye, ray, from);
    if (hit.piece < 0) break;
    const Surface surface = surface_at(hit, ray);
    const double opacity = clamp01(surface.piece->opacity);
    const bool far_side = opacity < 1.0 && surface.back && !surface.piece->cloth;  // a veil is seen once
    if (!far_side && opacity > 0.0) {
      sum += through * opacity * shade(surface, ray, samples);
      through *= 1.0 - opacity;
    }
    from = hit.distance + 1e-5 * size_;
  }
  if (through > 0.004) sum += through * backdrop(ray, y, samples);
  return sum;
}

}  // namespace tryon
