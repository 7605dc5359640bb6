#include "server/drape/exports.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/drape/body_pictures.h"
#include "server/mesh/simplify.h"
#include "server/render/preview.h"

namespace tryon {
namespace {

constexpr int kRampLength = 256, kRampWidth = 4;

absl::StatusOr<std::string> ramp(ColourMap map, bool down) {
  Image image{down ? kRampWidth : kRampLength, down ? kRampLength : kRampWidth, {}};
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      for (const uint8_t c : map_srgb(map, (down ? y : x) / (kRampLength - 1.0))) image.rgb.push_back(c);
    }
  }
  return encode_png(image);
}

absl::StatusOr<ExportRamps> make_ramps() {
  ExportRamps out;
  constexpr ColourMap kMaps[] = {ColourMap::kViridis, ColourMap::kAboutZero};
  for (size_t k = 0; k < 2; ++k) {
    ASSIGN_OR_RETURN(out.across[k], ramp(kMaps[k], false));
    ASSIGN_OR_RETURN(out.down[k], ramp(kMaps[k], true));
  }
  return out;
}

std::string attribute_name(const std::string& key) {
  std::string out = "_";
  for (const char c : key) out.push_back(static_cast<char>(std::toupper(static_cast<unsigned char>(c))));
  return out;
}

std::string si_unit(const ClothField& field) { return field.unit == "mm" ? "m" : field.unit == "%" ? "" : field.unit; }

void add_fields(const ShownGarment& shown, const std::vector<ClothField>& fields, ExportPiece* piece) {
  for (const ClothField& field : fields) {
    piece->fields.push_back({attribute_name(field.key), field.title, si_unit(field), spread_to(shown, field.values),
                             field.low, field.high, field.about_zero});
  }
}

// What the simulation knew of each vertex: its piece of the pattern, and its place in the cloth.
void add_origin(const DrapeGoods& goods, const ShownGarment& shown, ExportPiece* piece) {
  ExportField panel{"_PANEL", "", "", {}}, cloth{"_CLOTH_VERTEX", "", "", {}};
  panel.is_shown = cloth.is_shown = false;
  panel.values.assign(goods.garment.panel.begin(), goods.garment.panel.end());
  cloth.values.assign(shown.welded.begin(), shown.welded.end());
  piece->fields.push_back(std::move(panel));
  piece->fields.push_back(std::move(cloth));
}

ExportPiece simplified(const ExportPiece& piece, int most_triangles) {
  SimplifiedMesh fewer = simplify_mesh(piece.mesh, most_triangles);
  ExportPiece out = piece;
  out.mesh = std::move(fewer.mesh);
  if (!piece.normals.empty()) out.normals = picked(piece.normals, fewer.source);
  if (!piece.uv.empty()) out.uv = picked(piece.uv, fewer.source);
  for (ExportField& field : out.fields) field.values = picked(field.values, fewer.source);
  return out;
}

void add_frames(const std::vector<std::vector<Vec3>>& frames, double seconds, const ShownGarment& shown,
                ExportPiece* piece) {
  const ShownFrames taken = shown_frames(frames.size(), seconds);
  for (const size_t k : taken.index) piece->frames.push_back(spread_to(shown, frames[k]));
  piece->frame_seconds = taken.seconds;
}

ExportPiece cloth_piece(std::string name, const ShownGarment& shown, const Vec3& colour) {
  ExportPiece piece;
  piece.name = std::move(name);
  piece.mesh = shown.mesh;
  piece.normals = shown.normals;
  piece.uv = shown.uv;
  piece.colour = colour;
  piece.roughness = 0.92;
  return piece;
}

absl::Status add_animation(const DrapeGoods& goods, const ShownGarment& shown, Artifacts* out) {
  ExportPiece moving = garment_piece(goods, shown);
  add_frames(goods.settled.report.blown, goods.settled.report.blown_step_s, shown, &moving);
  std::vector<ExportPiece> pieces = dressed_body(goods, true);
  pieces.push_back(std::move(moving));
  ASSIGN_OR_RETURN(std::string bytes, write_glb(pieces));
  (*out)["wind.glb"] = {std::move(bytes), "model/gltf-binary"};
  return absl::OkStatus();
}

}  // namespace

ExportPiece garment_piece(const DrapeGoods& goods, const ShownGarment& shown) {
  return cloth_piece("garment", shown, goods.fabric.colour);
}

std::vector<ExportPiece> dressed_body(const DrapeGoods& goods, bool moving) {
  std::vector<ExportPiece> out = {body_piece(goods.person.skin.mesh, 1.0)};
  for (const Worn& worn : goods.settled.beneath) {
    const ShownGarment shown = shown_garment(worn);
    out.push_back(cloth_piece(cat("beneath ", out.size(), " ", worn.garment.name), shown, worn.fabric.colour));
    if (moving) add_frames(worn.blown, goods.settled.report.blown_step_s, shown, &out.back());
  }
  return out;
}

ExportPiece body_piece(const TriangleMesh& skin, double opacity) {
  ExportPiece piece;
  piece.name = "body";
  piece.mesh = skin;
  piece.normals = vertex_normals(skin);
  piece.colour = skin_colour();
  piece.opacity = opacity;
  piece.roughness = 0.7;
  piece.double_sided = false;
  return piece;
}

absl::StatusOr<std::string> write_web_glb(const ExportPiece& piece, const GlbOptions& options, int most_triangles,
                                          size_t most_bytes) {
  constexpr int kAttempts = 12;
  int triangles = std::min(most_triangles, piece.mesh.triangle_count());
  for (int attempt = 0; attempt < kAttempts && triangles > 0; ++attempt) {
    const ExportPiece fewer = simplified(piece, triangles);
    ASSIGN_OR_RETURN(std::string bytes, write_glb({fewer}, options));
    if (bytes.size() <= most_bytes && fewer.mesh.triangle_count() <= most_triangles) return bytes;
    const double share = std::min(0.9, 0.95 * static_cast<double>(most_bytes) / static_cast<double>(bytes.size()));
    triangles = static_cast<int>(share * std::min(triangles, fewer.mesh.triangle_count()));
  }
  return internal_fault(cat("the garment cannot be made smaller than ", most_bytes, " bytes"));
}

absl::Status add_exports(const RunContext& run, const DrapeGoods& goods, const ShownGarment& shown,
                         const std::vector<ClothField>& fields, Artifacts* out) {
  ExportPiece piece = garment_piece(goods, shown);
  add_fields(shown, fields, &piece);
  GlbOptions options;
  ASSIGN_OR_RETURN(options.ramps, make_ramps());
  const auto put = [&](const char* name, absl::StatusOr<std::string> bytes, const char* type) -> absl::Status {
    RETURN_IF_ERROR(bytes.status());
    (*out)[name] = {*std::move(bytes), type};
    return run.check();
  };
  constexpr char kGltf[] = "model/gltf-binary";
  if (goods.wants(Export::kPly)) RETURN_IF_ERROR(put("garment.ply", write_ply(piece), "model/ply"));
  if (goods.wants(Export::kStl)) {
    RETURN_IF_ERROR(put("garment.stl", write_stl({garment_piece(goods, shown)}), "model/stl"));
  }
  options.draco = goods.settings.draco;
  if (goods.wants(Export::kDesktop)) RETURN_IF_ERROR(put("garment_desktop.glb", write_glb({piece}, options), kGltf));
  options.quantise = !options.draco;
  if (goods.wants(Export::kWeb)) {
    RETURN_IF_ERROR(put("garment_web.glb", write_web_glb(piece, options, kWebTriangles, kWebBytes), kGltf));
  }
  options.quantise = options.draco = false;
  if (goods.wants(Export::kWind)) RETURN_IF_ERROR(add_animation(goods, shown, out));
  if (!goods.wants(Export::kSource)) return absl::OkStatus();
  add_origin(goods, shown, &piece);
  std::vector<ExportPiece> pieces = dressed_body(goods, false);
  pieces.push_back(std::move(piece));
  return put("garment_source.glb", write_glb(pieces, options), kGltf);
}

}  // namespace tryon
