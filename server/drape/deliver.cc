#include "server/drape/deliver.h"

#include <cmath>
#include <utility>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/base/units.h"
#include "server/io/mesh_export.h"
#include "server/render/preview.h"

namespace tryon {
namespace {

const Vec3 kSkin(0.60, 0.52, 0.46);
constexpr int kAround = 32, kAlong = 12;

// The garment as it is textured: a seam's two sides keep their own vertex (and pattern coordinates) at one place.
struct TexturedGarment {
  TriangleMesh mesh;
  std::vector<Vec3> normals;
};

TexturedGarment textured(const GarmentMesh& garment, const WeldedMesh& cloth) {
  const std::vector<Vec3> smooth = vertex_normals(cloth.mesh);
  TexturedGarment out;
  for (int source : cloth.source) {
    out.mesh.positions.push_back(cloth.mesh.positions[source]);
    out.normals.push_back(smooth[source]);
  }
  for (const Triangle& t : garment.triangles) {
    const int a = cloth.source[t[0]], b = cloth.source[t[1]], c = cloth.source[t[2]];
    if (a != b && b != c && c != a) out.mesh.triangles.push_back(t);  // a gathered corner may close a triangle up
  }
  return out;
}

ExportPiece garment_piece(const GarmentMesh& garment, const TexturedGarment& shown, const Fabric& fabric) {
  ExportPiece piece;
  piece.name = "garment";
  piece.mesh = shown.mesh;
  piece.normals = shown.normals;
  piece.uv = garment.flat;
  piece.colour = fabric.colour;
  piece.roughness = 0.92;
  return piece;
}

ExportPiece body_piece(const Body& body, double opacity) {
  ExportPiece piece;
  piece.name = "body";
  piece.mesh = body.mesh;
  piece.normals = vertex_normals(body.mesh);
  piece.colour = kSkin;
  piece.opacity = opacity;
  piece.roughness = 0.7;
  piece.double_sided = false;
  return piece;
}

Vec3 part_colour(BodyPart part) {
  static const Vec3 colours[kBodyPartCount] = {{0.80, 0.60, 0.20}, {0.85, 0.35, 0.20}, {0.15, 0.40, 0.60},
                                               {0.20, 0.55, 0.30}, {0.45, 0.65, 0.20}, {0.50, 0.25, 0.55},
                                               {0.65, 0.30, 0.40}};
  return colours[static_cast<int>(part)];
}

absl::Status add_view(const RunContext& run, const std::vector<RenderPiece>& pieces, View view, Artifacts* out) {
  RETURN_IF_ERROR(run.check());
  ASSIGN_OR_RETURN(const Image image, render_view(run, pieces, view, RenderSettings{}));
  ASSIGN_OR_RETURN(std::string png, encode_png(image));
  (*out)[cat("preview_", view_name(view), ".png")] = {std::move(png), "image/png"};
  return absl::OkStatus();
}

absl::Status add_glb(const std::string& name, const std::vector<ExportPiece>& pieces, Artifacts* out) {
  ASSIGN_OR_RETURN(std::string bytes, write_glb(pieces));
  (*out)[name] = {std::move(bytes), "model/gltf-binary"};
  return absl::OkStatus();
}

RenderPiece shown_body(const Body& body) {
  RenderPiece piece;
  piece.mesh = body.mesh;
  piece.normals = vertex_normals(body.mesh);
  piece.colour = kSkin;
  return piece;
}

// Points of a solid's surface on a grid of rows (along) and columns (around).
Vec3 surface_point(const Sphere& s, double along, double angle) {
  const double polar = kPi * along;
  return s.center +
         s.radius * Vec3(std::sin(polar) * std::cos(angle), -std::cos(polar), std::sin(polar) * std::sin(angle));
}

Vec3 surface_point(const Frustum& f, double along, double angle) {
  const double t = std::min(1.0, std::max(0.0, (along * kAlong - 1.0) / (kAlong - 2.0)));  // end rows close the caps
  const bool cap = along <= 0.0 || along >= 1.0;
  const Vec3 center = f.bottom + t * (f.top - f.bottom);
  const Vec2 radii = cap ? Vec2(0, 0) : Vec2(f.bottom_radii + t * (f.top_radii - f.bottom_radii));
  return center + radii.x() * std::cos(angle) * f.u + radii.y() * std::sin(angle) * f.v;
}

}  // namespace

TriangleMesh tessellate(const Solid& solid) {
  TriangleMesh mesh;
  for (int row = 0; row <= kAlong; ++row) {
    for (int column = 0; column < kAround; ++column) {
      const double along = static_cast<double>(row) / kAlong, angle = 2 * kPi * column / kAround;
      mesh.positions.push_back(std::visit([&](const auto& s) { return surface_point(s, along, angle); }, solid));
    }
  }
  for (int row = 0; row < kAlong; ++row) {
    for (int column = 0; column < kAround; ++column) {
      const int next = (column + 1) % kAround;
      const int a = row * kAround + column, b = row * kAround + next, c = a + kAround, d = b + kAround;
      if (row > 0) mesh.triangles.push_back({a, c, b});
      if (row + 1 < kAlong) mesh.triangles.push_back({b, c, d});
    }
  }
  if (signed_volume(mesh) < 0) {  // u, v, axis may be left-handed
    for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
  }
  return mesh;
}

absl::StatusOr<Artifacts> deliver_drape(const RunContext& run, const Person& person, const GarmentMesh& garment,
                                        const Settled& settled, const Fabric& fabric) {
  Artifacts out;
  const TexturedGarment shown = textured(garment, settled.cloth);
  const ExportPiece cloth = garment_piece(garment, shown, fabric);
  RETURN_IF_ERROR(add_glb("garment.glb", {cloth}, &out));
  RETURN_IF_ERROR(add_glb("scene.glb", {body_piece(person.body, 1.0), cloth}, &out));
  ASSIGN_OR_RETURN(std::string obj, write_obj({cloth}));
  out["garment.obj"] = {std::move(obj), "model/obj"};

  RenderPiece piece;
  piece.mesh = shown.mesh;
  piece.normals = shown.normals;
  piece.uv = garment.flat;
  piece.colour = fabric.colour;
  piece.cloth = true;
  const std::vector<RenderPiece> pieces = {shown_body(person.body), std::move(piece)};
  int done = 0;
  for (View view : {View::kFront, View::kBack, View::kLeft, View::kRight}) {
    RETURN_IF_ERROR(add_view(run, pieces, view, &out));
    run.report("export", ++done / 4.0);
  }
  return out;
}

absl::StatusOr<Artifacts> deliver_body(const RunContext& run, const Person& person) {
  Artifacts out;
  RETURN_IF_ERROR(add_glb("body.glb", {body_piece(person.body, 1.0)}, &out));
  std::vector<ExportPiece> pieces;
  RenderPiece veil = shown_body(person.body);
  veil.opacity = 0.35;
  std::vector<RenderPiece> shown = {std::move(veil)};
  for (size_t i = 0; i < person.proxies.proxies.size(); ++i) {
    const Proxy& proxy = person.proxies.proxies[i];
    ExportPiece piece;
    piece.name = cat("proxy ", body_part_name(proxy.part), " ", i);
    piece.mesh = tessellate(proxy.solid);
    piece.normals = vertex_normals(piece.mesh);
    piece.colour = part_colour(proxy.part);
    RenderPiece view;
    view.mesh = piece.mesh;
    view.normals = piece.normals;
    view.colour = piece.colour;
    shown.push_back(std::move(view));
    pieces.push_back(std::move(piece));
  }
  pieces.push_back(body_piece(person.body, 0.35));  // last: viewers blend it over the proxies
  RETURN_IF_ERROR(add_glb("proxies.glb", pieces, &out));
  for (View view : {View::kFront, View::kLeft}) RETURN_IF_ERROR(add_view(run, shown, view, &out));
  return out;
}

}  // namespace tryon
