#include "server/io/gltf_material.h"

#include <algorithm>

#include "server/base/text.h"

namespace tryon {
namespace {

constexpr char kVariants[] = "KHR_materials_variants";
constexpr double kRampPixels = 256.0;

double share(double x) { return std::clamp(x, 0.0, 1.0); }

std::vector<const ExportField*> shown_fields(const ExportPiece& piece) {
  std::vector<const ExportField*> out;
  for (const ExportField& field : piece.fields) {
    if (field.is_shown) out.push_back(&field);
  }
  return out;
}

}  // namespace

int add_material(const ExportPiece& piece, const std::string& name, GltfBuilder* gltf) {
  GltfJson pbr;
  pbr["baseColorFactor"] = {share(piece.colour.x()), share(piece.colour.y()), share(piece.colour.z()),
                            share(piece.opacity)};
  pbr["metallicFactor"] = 0.0;
  pbr["roughnessFactor"] = share(piece.roughness);
  GltfJson out{{"name", name}, {"pbrMetallicRoughness", pbr}};
  if (piece.opacity < 1.0) out["alphaMode"] = "BLEND";
  if (piece.double_sided) out["doubleSided"] = true;
  return gltf->add("materials", std::move(out));
}

std::vector<std::vector<double>> field_coordinates(const ExportPiece& piece) {
  std::vector<std::vector<double>> sets;
  const auto fields = shown_fields(piece);
  for (size_t f = 0; f < fields.size(); ++f) {
    if (f % 2 == 0) sets.emplace_back(2 * piece.mesh.positions.size(), 0.5);
    for (size_t v = 0; v < piece.mesh.positions.size(); ++v) {
      const double value = share((fields[f]->values[v] - fields[f]->low) / (fields[f]->high - fields[f]->low));
      sets.back()[2 * v + f % 2] = (0.5 + (kRampPixels - 1.0) * value) / kRampPixels;  // middle of a pixel
    }
  }
  return sets;
}

int VariantList::variant(const std::string& name) {
  auto at = std::find(names_.begin(), names_.end(), name);
  if (at == names_.end()) at = names_.insert(names_.end(), name);
  return static_cast<int>(at - names_.begin());
}

int VariantList::texture(bool about_zero, bool down) {
  int& index = textures_[about_zero ? 1 : 0][down ? 1 : 0];
  if (index < 0) index = gltf_->add_texture((down ? ramps_.down : ramps_.across)[about_zero ? 1 : 0]);
  return index;
}

GltfJson VariantList::mappings(const ExportPiece& piece, int own_material) {
  GltfJson out = GltfJson::array();
  const auto fields = shown_fields(piece);
  if (fields.empty()) return out;
  out.push_back({{"material", own_material}, {"variants", GltfJson::array({variant("Fabric")})}});
  for (size_t f = 0; f < fields.size(); ++f) {
    const ExportField& field = *fields[f];
    GltfJson pbr;
    pbr["baseColorTexture"] = {{"index", texture(field.about_zero, f % 2 == 1)}, {"texCoord", 1 + f / 2}};
    pbr["metallicFactor"] = 0.0;
    pbr["roughnessFactor"] = 1.0;
    GltfJson material{{"name", field.title}, {"pbrMetallicRoughness", pbr}, {"doubleSided", piece.double_sided}};
    material["extras"] = {
        {"attribute", field.attribute}, {"unit", field.unit}, {"scale_low", field.low}, {"scale_high", field.high}};
    out.push_back({{"material", gltf_->add("materials", std::move(material))},
                   {"variants", GltfJson::array({variant(field.title)})}});
  }
  return out;
}

void VariantList::finish() {
  if (names_.empty()) return;
  GltfJson list = GltfJson::array();
  for (const std::string& name : names_) list.push_back({{"name", name}});
  gltf_->root()["extensions"][kVariants] = {{"variants", list}};
  gltf_->use_extension(kVariants, false);
}

}  // namespace tryon
