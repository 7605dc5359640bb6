// write_glb: pieces to nodes, meshes, materials, variants and animations.
#include <algorithm>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/io/gltf_builder.h"
#include "server/io/gltf_draco.h"
#include "server/io/gltf_material.h"
#include "server/io/mesh_export.h"

namespace tryon {
namespace {

template <typename Vector>
void append(const Vector& v, std::vector<float>* out) {
  for (int k = 0; k < v.size(); ++k) out->push_back(static_cast<float>(v[k]));
}

std::vector<float> floats_of(const std::vector<Vec3>& rows) {
  std::vector<float> out;
  out.reserve(3 * rows.size());
  for (const Vec3& p : rows) append(p, &out);
  return out;
}

std::vector<float> normals_of(const std::vector<Vec3>& rows) {
  std::vector<float> out;
  out.reserve(3 * rows.size());
  for (const Vec3& n : rows) append(unit_normal(n), &out);
  return out;
}

std::vector<float> uv_of(const std::vector<Vec2>& rows) {
  std::vector<float> out;
  out.reserve(2 * rows.size());
  for (const Vec2& uv : rows) append(Vec2(uv.x(), 1.0 - uv.y()), &out);  // glTF counts v downwards
  return out;
}

std::vector<uint32_t> corners_of(const std::vector<Triangle>& triangles) {
  std::vector<uint32_t> out;
  out.reserve(3 * triangles.size());
  for (const Triangle& t : triangles) {
    for (int k = 0; k < 3; ++k) out.push_back(static_cast<uint32_t>(t[k]));
  }
  return out;
}

class SceneWriter {
 public:
  explicit SceneWriter(const GlbOptions& options) : options_(options), variants_(options.ramps, &gltf_) {
    gltf_.root()["scene"] = 0;
    gltf_.root()["scenes"] = GltfJson::array({GltfJson{{"nodes", GltfJson::array()}}});
  }

  absl::Status add(const ExportPiece& piece) {
    const std::string name = plain_name(piece.name);
    GltfJson node{{"mesh", 0}, {"name", name}}, primitive;
    if (options_.draco) {
      ASSIGN_OR_RETURN(primitive, compressed(piece));
    } else {
      primitive = plain(piece, &node);
    }
    const int material = add_material(piece, name, &gltf_);
    primitive["material"] = material;
    primitive["mode"] = 4;
    const GltfJson mappings = variants_.mappings(piece, material);
    if (!mappings.empty()) primitive["extensions"]["KHR_materials_variants"] = {{"mappings", mappings}};
    GltfJson mesh{{"name", name}, {"primitives", GltfJson::array()}};
    if (piece.frames.size() > 1) add_targets(piece, &primitive, &mesh);
    mesh["primitives"].push_back(std::move(primitive));
    node["mesh"] = gltf_.add("meshes", std::move(mesh));
    const int index = gltf_.add("nodes", std::move(node));
    gltf_.root()["scenes"][0]["nodes"].push_back(index);
    if (piece.frames.size() > 1) add_animation(piece, index);
    return absl::OkStatus();
  }

  std::string finish() {
    variants_.finish();
    return gltf_.finish();
  }

 private:
  GltfJson plain(const ExportPiece& piece, GltfJson* node) {
    GltfJson attributes;
    const auto& places = piece.frames.size() > 1 ? piece.frames[0] : piece.mesh.positions;
    attributes["POSITION"] =
        options_.quantise ? quantised_places(places, node) : gltf_.add_floats(floats_of(places), 3, true);
    const std::vector<float> normals = normals_of(piece.frames.size() > 1 ? frame_normals(piece, 0) : piece.normals);
    attributes["NORMAL"] = options_.quantise ? gltf_.add_signed_shares(normals, 3) : gltf_.add_floats(normals, 3);
    if (!piece.uv.empty()) attributes["TEXCOORD_0"] = gltf_.add_floats(uv_of(piece.uv), 2);
    int set = 0;
    for (const auto& pairs : field_coordinates(piece)) attributes[cat("TEXCOORD_", ++set)] = gltf_.add_shares(pairs, 2);
    for (const ExportField& field : piece.fields) {
      attributes[field.attribute] = gltf_.add_floats({field.values.begin(), field.values.end()}, 1);
    }
    return GltfJson{{"attributes", std::move(attributes)},
                    {"indices", gltf_.add_indices(corners_of(piece.mesh.triangles), options_.quantise)}};
  }

  // Steps of the piece's box; the node takes them back to metres. One scale for all axes: normals stay normals.
  int quantised_places(const std::vector<Vec3>& places, GltfJson* node) {
    Box3 box;
    for (const Vec3& p : places) box.extend(p);
    const double size = std::max(1e-9, box.sizes().maxCoeff());
    std::vector<double> shares;
    shares.reserve(3 * places.size());
    for (const Vec3& p : places) {
      for (int k = 0; k < 3; ++k) shares.push_back((p[k] - box.min()[k]) / size);
    }
    (*node)["translation"] = {box.min().x(), box.min().y(), box.min().z()};
    (*node)["scale"] = {size, size, size};
    gltf_.use_extension("KHR_mesh_quantization", true);
    return gltf_.add_shares(shares, 3, true);
  }

  static std::vector<DracoAttribute> draco_attributes(const ExportPiece& piece, std::vector<std::string>* names) {
    using Kind = DracoAttribute::Kind;
    std::vector<DracoAttribute> out = {{Kind::kPosition, 3, floats_of(piece.mesh.positions)},
                                       {Kind::kNormal, 3, normals_of(piece.normals)}};
    *names = {"POSITION", "NORMAL"};
    auto add = [&](std::string name, Kind kind, int components, std::vector<float> values) {
      names->push_back(std::move(name));
      out.push_back({kind, components, std::move(values)});
    };
    if (!piece.uv.empty()) add("TEXCOORD_0", Kind::kTexture, 2, uv_of(piece.uv));
    int set = 0;
    for (const auto& pairs : field_coordinates(piece)) {
      add(cat("TEXCOORD_", ++set), Kind::kTexture, 2, {pairs.begin(), pairs.end()});
    }
    for (const ExportField& field : piece.fields) {
      add(field.attribute, Kind::kGeneric, 1, {field.values.begin(), field.values.end()});
    }
    return out;
  }

  absl::StatusOr<GltfJson> compressed(const ExportPiece& piece) {
    constexpr char kDraco[] = "KHR_draco_mesh_compression";
    constexpr int kFloat = 5126, kUnsignedInt = 5125;
    std::vector<std::string> names;
    const std::vector<DracoAttribute> attributes = draco_attributes(piece, &names);
    ASSIGN_OR_RETURN(const DracoMesh draco, encode_draco(piece.mesh.triangles, attributes));
    GltfJson out, ids;
    for (size_t a = 0; a < names.size(); ++a) {
      const int accessor = gltf_.add_declared(kFloat, attributes[a].components, draco.vertex_count);
      if (a == 0) gltf_.accessor(accessor)["min"] = draco.low, gltf_.accessor(accessor)["max"] = draco.high;
      out["attributes"][names[a]] = accessor;
      ids[names[a]] = draco.ids[a];
    }
    out["indices"] = gltf_.add_declared(kUnsignedInt, 1, draco.index_count);
    out["extensions"][kDraco] = {{"bufferView", gltf_.add_view(draco.bytes)}, {"attributes", ids}};
    gltf_.use_extension(kDraco, true);
    return out;
  }

  // Each later frame is a target: how far every vertex and normal is from where it begins.
  void add_targets(const ExportPiece& piece, GltfJson* primitive, GltfJson* mesh) {
    const std::vector<Vec3> first = frame_normals(piece, 0);
    GltfJson names = GltfJson::array();
    for (size_t f = 1; f < piece.frames.size(); ++f) {
      std::vector<Vec3> way, turn = frame_normals(piece, f);
      for (size_t v = 0; v < turn.size(); ++v) {
        turn[v] = unit_normal(turn[v]) - unit_normal(first[v]);
        way.push_back(piece.frames[f][v] - piece.frames[0][v]);
      }
      (*primitive)["targets"].push_back(
          {{"POSITION", gltf_.add_floats(floats_of(way), 3, true)}, {"NORMAL", gltf_.add_floats(floats_of(turn), 3)}});
      names.push_back(cat("frame ", f));
    }
    (*mesh)["weights"] = std::vector<double>(piece.frames.size() - 1, 0.0);
    (*mesh)["extras"] = {{"targetNames", names}};
  }

  // Normals of a seam's two sides are one: vertices that lie at one place at first belong together.
  static std::vector<Vec3> frame_normals(const ExportPiece& piece, size_t f) {
    std::vector<Vec3> out = vertex_normals({piece.frames[f], piece.mesh.triangles});
    std::vector<int> order(out.size());
    for (size_t v = 0; v < order.size(); ++v) order[v] = static_cast<int>(v);
    const std::vector<Vec3>& at = piece.frames[0];
    auto before = [&](int a, int b) {
      const auto u = static_cast<size_t>(a), v = static_cast<size_t>(b);
      return std::lexicographical_compare(at[u].data(), at[u].data() + 3, at[v].data(), at[v].data() + 3);
    };
    std::stable_sort(order.begin(), order.end(), before);
    for (size_t i = 0; i < order.size();) {
      size_t end = i + 1;
      while (end < order.size() && !before(order[i], order[end])) ++end;
      Vec3 sum = Vec3::Zero();
      for (size_t k = i; k < end; ++k) sum += out[static_cast<size_t>(order[k])];
      for (; i < end; ++i) out[static_cast<size_t>(order[i])] = sum;
    }
    return out;
  }

  void add_animation(const ExportPiece& piece, int node) {
    const size_t count = piece.frames.size();
    std::vector<float> times, weights;
    for (size_t f = 0; f < count; ++f) {
      times.push_back(static_cast<float>(static_cast<double>(f) * piece.frame_seconds));
      for (size_t target = 1; target < count; ++target) weights.push_back(target == f ? 1.0f : 0.0f);
    }
    const int input = gltf_.add_keys(times, 1, true), output = gltf_.add_keys(weights, 1);
    GltfJson animation{{"name", "wind"}};
    animation["samplers"] =
        GltfJson::array({GltfJson{{"input", input}, {"output", output}, {"interpolation", "LINEAR"}}});
    animation["channels"] =
        GltfJson::array({GltfJson{{"sampler", 0}, {"target", {{"node", node}, {"path", "weights"}}}}});
    gltf_.add("animations", std::move(animation));
  }

  GltfBuilder gltf_;
  const GlbOptions& options_;
  VariantList variants_;
};

size_t bytes_of(const ExportPiece& piece) {
  const size_t rows = 40 + 12 * piece.fields.size() + 24 * piece.frames.size();
  return piece.mesh.positions.size() * rows + piece.mesh.triangles.size() * 12;
}

}  // namespace

absl::StatusOr<std::string> write_glb(const std::vector<ExportPiece>& pieces, const GlbOptions& options) {
  if (pieces.empty()) return internal_fault("nothing to export");
  size_t bytes = 0;
  for (const ExportPiece& piece : pieces) {
    RETURN_IF_ERROR(check_piece(piece));
    if ((options.draco || options.quantise) && piece.frames.size() > 1) {
      return internal_fault(cat("piece '", piece.name, "' moves, and moving pieces are not compressed"));
    }
    bytes += bytes_of(piece);
  }
  if (bytes > (size_t{1} << 31)) return internal_fault("the meshes to export pass 2 GB, more than a GLB file holds");
  SceneWriter writer(options);
  for (const ExportPiece& piece : pieces) RETURN_IF_ERROR(writer.add(piece));
  return writer.finish();
}

}  // namespace tryon
