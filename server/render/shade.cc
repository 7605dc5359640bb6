#include "server/render/shade.h"

#include <algorithm>
#include <cmath>

#include "server/base/units.h"

namespace tryon {
namespace {

constexpr int kMaxLayers = 64;         // veils that one ray may pass
constexpr double kSmoothCosine = 0.5;  // between a face and its corner normal: beyond it is a crease
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

Vec3 multiply(const Vec3& a, const Vec3& b) { return a.cwiseProduct(b); }

Box3 box_of(const std::vector<RenderPiece>& pieces) {
  Box3 box;
  for (const RenderPiece& piece : pieces) box.extend(bounds(piece.mesh));
  return box;
}

double size_of(const std::vector<RenderPiece>& pieces) { return std::max(1e-3, box_of(pieces).sizes().maxCoeff()); }

template <typename T>
T at_corners(const std::vector<T>& values, const Triangle& t, const Hit& hit) {
  const double b1 = hit.b1, b2 = hit.b2;
  return (1.0 - b1 - b2) * values[t[0]] + b1 * values[t[1]] + b2 * values[t[2]];
}

// The point lifted to the curved surface that the corner normals tell of, on the side that is seen, so that a coarse
// triangle throws no shadow on its neighbour (Hanika 2021, Hacking the shadow terminator). A corner on a crease tells
// of none: its normal is the mean of two sides, and lifting by it would end under the layer above.
Vec3 lifted(const RenderPiece& piece, const Triangle& t, const Hit& hit, const Vec3& point, const Vec3& flat_normal,
            double side) {
  const double weight[3] = {1.0 - double{hit.b1} - double{hit.b2}, hit.b1, hit.b2};
  Vec3 out = point;
  for (int k = 0; k < 3; ++k) {
    const Vec3 n = side * piece.normals[t[k]];
    if (n.dot(flat_normal) < kSmoothCosine) continue;
    out -= weight[k] * std::min(0.0, (point - piece.mesh.positions[t[k]]).dot(n)) * n;
  }
  return out;
}

}  // namespace

struct Shader::Surface {
  const RenderPiece* piece = nullptr;
  Vec3 point;                // on the surface that the smooth normals stand for
  Vec3 flat_normal, normal;  // both face the viewer
  Vec3 colour;
  bool back = false;  // seen from behind
  int index = 0;      // of the piece
};

LitPoint Shader::lit_by(const Surface& surface) {
  return {surface.index, surface.point.cast<float>(), surface.flat_normal.cast<float>(), surface.normal.cast<float>()};
}

Shader::Shader(const std::vector<RenderPiece>& pieces, const RayScene& scene, const Camera& camera, int height)
    : pieces_(pieces),
      camera_(camera),
      scene_(scene),
      height_(height),
      size_(size_of(pieces)),
      pixel_(camera.slope_per_pixel * camera.distance),
      key_(camera.to_world(Vec3(-0.55, 0.75, 0.62).normalized())),
      light_(scene_, key_, size_, pixel_) {
  floor_ = box_of(pieces).min().y();
  fill_ = camera.to_world(Vec3(0.85, 0.20, 0.50).normalized());
  rim_ = camera.to_world(Vec3(0.70, 0.45, -0.60).normalized());
}

Shader::Surface Shader::surface_at(const Hit& hit, const Vec3& ray) const {
  Surface out;
  out.index = hit.piece;
  out.piece = &pieces_[hit.piece];
  const Triangle& t = out.piece->mesh.triangles[hit.triangle];
  out.point = at_corners(out.piece->mesh.positions, t, hit);
  out.flat_normal = triangle_normal(out.piece->mesh, hit.triangle).normalized();
  out.normal = at_corners(out.piece->normals, t, hit).normalized();
  if (out.normal.dot(out.flat_normal) < 0.0) out.normal = -out.normal;
  out.back = out.flat_normal.dot(ray) > 0.0;
  if (out.back) out.flat_normal = -out.flat_normal, out.normal = -out.normal;
  out.point = lifted(*out.piece, t, hit, out.point, out.flat_normal, out.back ? -1.0 : 1.0);
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

Vec3 Shader::shade(const Surface& surface, const Vec3& ray, const LightSeen& light) const {
  const Vec3& n = surface.normal;
  const double wrap = surface.piece->cloth ? 0.18 : 0.25;  // light bleeds round the edge of fibres and of skin
  const double key = clamp01((n.dot(key_) + wrap) / (1.0 + wrap)) * light.key;
  const double fill = clamp01(0.5 + 0.5 * n.dot(fill_)) * light.open;
  const double behind = clamp01(n.dot(rim_));
  const double up = 0.5 + 0.5 * n.y();
  const Vec3 ambient = light.open * (up * kSky + (1.0 - up) * kGround);
  Vec3 colour = multiply(surface.colour,
                         key * kKeyLight + fill * kFillLight + behind * behind * light.open * kRimLight + ambient);
  const double away = 1.0 - clamp01(-n.dot(ray)), grazing = away * away * away * away;
  if (surface.piece->cloth) {  // fibre ends catch the light at the rim
    return colour + 0.16 * grazing * light.open * (0.6 * surface.colour + Vec3::Constant(0.4));
  }
  const double glint = std::pow(clamp01(n.dot((key_ - ray).normalized())), 24.0);
  return colour + (0.05 * glint * (key > 0.0 ? 1.0 : 0.0) + 0.05 * grazing * light.open) * Vec3::Ones();
}

LitPoint Shader::floor_point(const Vec3& ray) const {
  LitPoint lit;
  if (ray.y() > -1e-6) return lit;
  const Vec3 point = camera_.eye + (floor_ - camera_.eye.y()) / ray.y() * ray;
  const Vec3 from_middle = point - (camera_.eye + camera_.distance * camera_.forward);
  if (Vec2(from_middle.x(), from_middle.z()).norm() > 1.2 * size_) return lit;
  lit.piece = LitPoint::kFloor;
  lit.point = point.cast<float>();
  lit.normal = lit.flat_normal = Eigen::Vector3f::UnitY();
  return lit;
}

Vec3 Shader::backdrop(int y) const {
  const double t = clamp01((y + 0.5) / height_);
  return (1.0 - t) * kTop + t * kBottom;
}

// A floor that runs into a wall without an edge: only its shadow shows where it is.
Vec3 Shader::backdrop(const Vec3& ray, int x, int y) const {
  const Vec3 colour = backdrop(y);
  const LitPoint lit = floor_point(ray);
  if (lit.piece == LitPoint::kNothing) return colour;
  const LightSeen light = light_.at(lit, x, y);
  return colour * (1.0 - 0.60 * (1.0 - light.open)) * (1.0 - 0.10 * (1.0 - light.key));
}

void Shader::look(int x, int y, int count, PixelSeen* out) const {
  Packet rays;
  for (int k = 0; k < kPacket; ++k)
    rays[k] = camera_.direction(x + std::min(k, count - 1) + 0.5, y + 0.5).cast<float>();
  const auto hits = scene_.nearest(camera_.eye, rays, count);
  for (int k = 0; k < count; ++k) {
    out[k] = {hits[k], false, Eigen::Vector3f::Zero()};
    if (hits[k].piece < 0) continue;
    out[k].veiled = pieces_[hits[k].piece].opacity < 1.0;
    if (!out[k].veiled) out[k].normal = surface_at(hits[k], rays[k].cast<double>()).normal.cast<float>();
  }
}

LitPoint Shader::lit_point(const PixelSeen& seen, int x, int y) const {
  const Vec3 ray = camera_.direction(x + 0.5, y + 0.5);
  Hit hit = seen.hit;
  for (int layer = 0; layer < kMaxLayers && hit.piece >= 0 && pieces_[hit.piece].opacity < 1.0; ++layer) {
    hit = scene_.nearest(camera_.eye, ray, hit.distance + 1e-5 * size_);
  }
  return hit.piece < 0 ? floor_point(ray) : lit_by(surface_at(hit, ray));
}

Vec3 Shader::colour_of(const PixelSeen& seen, int x, int y) const {
  if (seen.hit.piece < 0 && light_.clear_at(x, y)) return backdrop(y);
  const Vec3 ray = camera_.direction(x + 0.5, y + 0.5);
  if (seen.hit.piece < 0) return backdrop(ray, x, y);
  const Surface surface = surface_at(seen.hit, ray);
  return shade(surface, ray, light_.at(lit_by(surface), x, y));
}

Vec3 Shader::radiance(double px, double py, int x, int y) const {
  const Vec3 ray = camera_.direction(px, py);
  Vec3 sum = Vec3::Zero();
  double through = 1.0, from = 0.0;
  for (int layer = 0; layer < kMaxLayers && through > 0.004; ++layer) {
    const Hit hit = scene_.nearest(camera_.eye, ray, from);
    if (hit.piece < 0) break;
    const Surface surface = surface_at(hit, ray);
    const double opacity = clamp01(surface.piece->opacity);
    const bool far_side = opacity < 1.0 && surface.back && !surface.piece->cloth;  // a veil is seen once
    if (!far_side && opacity > 0.0) {
      const LightSeen light = opacity < 1.0 ? LightSeen{} : light_.at(lit_by(surface), x, y);
      sum += through * opacity * shade(surface, ray, light);
      through *= 1.0 - opacity;
    }
    from = hit.distance + 1e-5 * size_;
  }
  if (through > 0.004) sum += through * backdrop(ray, x, y);
  return sum;
}

}  // namespace tryon
