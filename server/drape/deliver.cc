#include "server/drape/deliver.h"

#include <utility>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/drape/body_pictures.h"
#include "server/drape/drape_pictures.h"
#include "server/drape/exports.h"
#include "server/io/mesh_export.h"
#include "server/render/preview.h"

namespace tryon {
namespace {

// So many of kFourViews; the first is the front.
size_t view_count(Pictures pictures) {
  return pictures == Pictures::kNone ? 0 : pictures == Pictures::kFront ? 1 : kFourViews.size();
}

absl::StatusOr<std::vector<Image>> add_views(const RunContext& run, const DrapeSettings& settings,
                                             const std::vector<RenderPiece>& pieces, Artifacts* out) {
  std::vector<Image> views;
  const size_t count = view_count(settings.pictures);
  if (count == 0) return views;
  const double share = settings.exports.empty() ? 1.0 : 0.5;
  ASSIGN_OR_RETURN(const Studio studio, Studio::of(pieces));
  while (views.size() < count) {
    RETURN_IF_ERROR(run.check());
    const View view = kFourViews[views.size()];
    ASSIGN_OR_RETURN(Image image, studio.view(run, view, RenderSettings{}));
    ASSIGN_OR_RETURN(std::string png, encode_png(image));
    (*out)[cat("preview_", view_name(view), ".png")] = {std::move(png), "image/png"};
    views.push_back(std::move(image));
    run.report("export", share * static_cast<double>(views.size()) / static_cast<double>(count));
  }
  return views;
}

absl::Status add_glb(const std::string& name, const std::vector<ExportPiece>& pieces, Artifacts* out) {
  ASSIGN_OR_RETURN(std::string bytes, write_glb(pieces));
  (*out)[name] = {std::move(bytes), "model/gltf-binary"};
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Artifacts> deliver_drape(const RunContext& run, const DrapeGoods& goods) {
  Artifacts out;
  run.report("export", 0.0);
  const ShownGarment shown = shown_garment(goods.garment, goods.settled.cloth);
  const ExportPiece cloth = garment_piece(goods, shown);
  RETURN_IF_ERROR(add_glb("garment.glb", {cloth}, &out));
  std::vector<ExportPiece> scene = dressed_body(goods, false);
  scene.push_back(cloth);
  RETURN_IF_ERROR(add_glb("scene.glb", scene, &out));
  ASSIGN_OR_RETURN(std::string obj, write_obj({cloth}));
  out["garment.obj"] = {std::move(obj), "model/obj"};
  const std::vector<RenderPiece> pieces = picture_pieces(goods, shown);
  ASSIGN_OR_RETURN(const std::vector<Image> views, add_views(run, goods.settings, pieces, &out));
  if (goods.settings.exports.empty()) return out;
  const std::vector<ClothField> fields = cloth_fields(run, goods.person, goods.settled);
  RETURN_IF_ERROR(add_exports(run, goods, shown, fields, &out));
  RETURN_IF_ERROR(add_drape_pictures(run, goods, shown, pieces, fields, views, &out));
  run.report("export", 1.0);
  return out;
}

absl::StatusOr<Artifacts> deliver_body(const RunContext& run, const FittedPerson& person) {
  Artifacts out;
  run.report("export", 0.0);
  RETURN_IF_ERROR(add_glb("body.glb", {body_piece(person.body.mesh, 1.0)}, &out));
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
  pieces.push_back(body_piece(person.body.mesh, 0.35));  // last: viewers blend it over the proxies
  RETURN_IF_ERROR(add_glb("proxies.glb", pieces, &out));
  RETURN_IF_ERROR(add_body_pictures(run, person, &out));
  return out;
}

}  // namespace tryon
