#include "server/drape/deliver.h"

#include <utility>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/drape/body_pictures.h"
#include "server/io/mesh_export.h"
#include "server/render/preview.h"

namespace tryon {
namespace {

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
  piece.uv = garment.all_on_cloth();
  piece.colour = fabric.colour;
  piece.roughness = 0.92;
  return piece;
}

ExportPiece body_piece(const Body& body, double opacity) {
  ExportPiece piece;
  piece.name = "body";
  piece.mesh = body.mesh;
  piece.normals = vertex_normals(body.mesh);
  piece.colour = skin_colour();
  piece.opacity = opacity;
  piece.roughness = 0.7;
  piece.double_sided = false;
  return piece;
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
  piece.colour = skin_colour();
  return piece;
}

}  // namespace

absl::StatusOr<Artifacts> deliver_drape(const RunContext& run, const FittedPerson& person, const GarmentMesh& garment,
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
  piece.uv = garment.all_on_cloth();
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

absl::StatusOr<Artifacts> deliver_body(const RunContext& run, const FittedPerson& person) {
  Artifacts out;
  run.report("export", 0.0);
  RETURN_IF_ERROR(add_glb("body.glb", {body_piece(person.body, 1.0)}, &out));
  std::vector<ExportPiece> pieces;
  for (size_t i = 0; i < person.proxies.proxies.size(); ++i) {
    const Proxy& proxy = person.proxies.proxies[i];
    ExportPiece piece;
    piece.name = cat("proxy ", body_part_name(proxy.part), " ", i);
    piece.mesh = tessellate(proxy.solid);
    piece.normals = vertex_normals(piece.mesh);
    piece.colour = part_colour(proxy.part);
    pieces.push_back(std::move(piece));
  }
  pieces.push_back(body_piece(person.body, 0.35));  // last: viewers blend it over the proxies
  RETURN_IF_ERROR(add_glb("proxies.glb", pieces, &out));
  RETURN_IF_ERROR(add_body_pictures(run, person, &out));
  return out;
}

}  // namespace tryon
