#include "server/io/mesh_export.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "nlohmann/json.hpp"
#include "server/base/status.h"
#include "server/base/text.h"

namespace tryon {
namespace {

using Json = nlohmann::ordered_json;  // keys in the order written: the same mesh gives the same bytes

absl::Status check_piece(const ExportPiece& piece) {
  if (piece.mesh.triangles.empty()) return internal_fault(cat("piece '", piece.name, "' has no triangles to export"));
  const absl::Status sound = validate(piece.mesh, piece.name);
  if (!sound.ok()) return internal_fault(cat("piece to export: ", sound.message()));
  const size_t count = piece.mesh.positions.size();
  if (piece.normals.size() != count || (!piece.uv.empty() && piece.uv.size() != count)) {
    return internal_fault(cat("piece '", piece.name, "' has ", count, " vertices, ", piece.normals.size(),
                              " normals and ", piece.uv.size(), " texture coordinates"));
  }
  for (const Vec2& uv : piece.uv) {
    if (!uv.allFinite())
      return internal_fault(cat("piece '", piece.name, "' has a texture coordinate that is not finite"));
  }
  return absl::OkStatus();
}

Vec3 unit_normal(const Vec3& n) {
  const double length = n.norm();
  return length > 1e-12 && std::isfinite(length) ? Vec3(n / length) : Vec3(Vec3::UnitY());
}

// Names end up in JSON and in OBJ lines: no control characters, no quotes that need thought.
std::string plain_name(const std::string& name) {
  std::string out;
  for (char c : name) out.push_back(static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '_' : c);
  return out.empty() ? "piece" : out;
}

class GlbWriter {
 public:
  void add(const ExportPiece& piece) {
    const size_t count = piece.mesh.positions.size();
    Json attributes;
    attributes["POSITION"] = add_positions(piece.mesh.positions);
    std::vector<float> values;
    values.reserve(3 * count);
    for (const Vec3& n : piece.normals) append(unit_normal(n), &values);
    attributes["NORMAL"] = add_floats(values, count, "VEC3");
    if (!piece.uv.empty()) {
      values.clear();
      for (const Vec2& uv : piece.uv) append(Vec2(uv.x(), 1.0 - uv.y()), &values);  // glTF counts v downwards
      attributes["TEXCOORD_0"] = add_floats(values, count, "VEC2");
    }
    const int index = static_cast<int>(nodes_.size());
    Json primitive;
    primitive["attributes"] = attributes;
    primitive["indices"] = add_indices(piece.mesh.triangles);
    primitive["material"] = index;
    primitive["mode"] = 4;
    const std::string name = plain_name(piece.name);
    nodes_.push_back({{"mesh", index}, {"name", name}});
    meshes_.push_back({{"name", name}, {"primitives", Json::array({primitive})}});
    materials_.push_back(material(piece, name));
  }

  std::string finish() {
    Json root;
    root["asset"] = {{"generator", "tryon"}, {"version", "2.0"}};
    root["scene"] = 0;
    Json indices = Json::array();
    for (size_t i = 0; i < nodes_.size(); ++i) indices.push_back(i);
    root["scenes"] = Json::array({Json{{"nodes", indices}}});
    root["nodes"] = nodes_;
    root["meshes"] = meshes_;
    root["materials"] = materials_;
    root["accessors"] = accessors_;
    root["bufferViews"] = views_;
    root["buffers"] = Json::array({Json{{"byteLength", binary_.size()}}});
    std::string text = root.dump(-1, ' ', false, Json::error_handler_t::replace);
    text.append((4 - text.size() % 4) % 4, ' ');
    return container(text);
  }

 private:
  template <typename Vector>
  static void append(const Vector& v, std::vector<float>* out) {
    for (int k = 0; k < v.size(); ++k) out->push_back(static_cast<float>(v[k]));
  }

  static Json material(const ExportPiece& piece, const std::string& name) {
    auto share = [](double x) { return std::clamp(x, 0.0, 1.0); };
    Json pbr;
    pbr["baseColorFactor"] = {share(piece.colour.x()), share(piece.colour.y()), share(piece.colour.z()),
                              share(piece.opacity)};
    pbr["metallicFactor"] = 0.0;
    pbr["roughnessFactor"] = share(piece.roughness);
    Json out{{"name", name}, {"pbrMetallicRoughness", pbr}};
    if (piece.opacity < 1.0) out["alphaMode"] = "BLEND";
    if (piece.double_sided) out["doubleSided"] = true;
    return out;
  }

  // A view and an accessor over `bytes` at the end of the binary; every element here is a multiple of 4 bytes.
  Json& add_view(const void* bytes, size_t size, size_t count, int component, const char* type, int target) {
    views_.push_back({{"buffer", 0}, {"byteOffset", binary_.size()}, {"byteLength", size}, {"target", target}});
    binary_.append(static_cast<const char*>(bytes), size);
    accessors_.push_back(
        {{"bufferView", views_.size() - 1}, {"componentType", component}, {"count", count}, {"type", type}});
    return accessors_.back();
  }
  int add_floats(const std::vector<float>& values, size_t count, const char* type) {
    add_view(values.data(), values.size() * sizeof(float), count, 5126, type, 34962);
    return static_cast<int>(accessors_.size()) - 1;
  }
  int add_positions(const std::vector<Vec3>& positions) {
    std::vector<float> values;
    values.reserve(3 * positions.size());
    for (const Vec3& p : positions) append(p, &values);
    Json& accessor = add_view(values.data(), values.size() * sizeof(float), positions.size(), 5126, "VEC3", 34962);
    std::array<double, 3> low, high;  // of the floats as stored, to the last bit
    for (size_t k = 0; k < 3; ++k) {
      low[k] = high[k] = values[k];
      for (size_t i = k; i < values.size(); i += 3) {
        low[k] = std::min<double>(low[k], values[i]), high[k] = std::max<double>(high[k], values[i]);
      }
    }
    accessor["min"] = low;
    accessor["max"] = high;
    return static_cast<int>(accessors_.size()) - 1;
  }
  int add_indices(const std::vector<Triangle>& triangles) {
    std::vector<uint32_t> values;
    values.reserve(3 * triangles.size());
    for (const Triangle& t : triangles) {
      for (int k = 0; k < 3; ++k) values.push_back(static_cast<uint32_t>(t[k]));
    }
    add_view(values.data(), values.size() * sizeof(uint32_t), values.size(), 5125, "SCALAR", 34963);
    return static_cast<int>(accessors_.size()) - 1;
  }

  std::string container(const std::string& text) const {
    auto word = [](size_t value) {
      const auto narrow = static_cast<uint32_t>(value);
      return std::string(reinterpret_cast<const char*>(&narrow), 4);
    };
    return cat("glTF", word(2), word(12 + 8 + text.size() + 8 + binary_.size()), word(text.size()), "JSON", text,
               word(binary_.size()), std::string_view("BIN\0", 4), binary_);
  }

  Json nodes_ = Json::array(), meshes_ = Json::array(), materials_ = Json::array(), accessors_ = Json::array(),
       views_ = Json::array();
  std::string binary_;
};

void append_float(double value, std::string* out) {  // shortest text that reads back as the same float
  char buffer[32];
  const float stored = static_cast<float>(value);
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), stored == 0.0f ? 0.0f : stored).ptr;
  out->append(buffer, end);
}

template <typename Vector>
void append_line(std::string_view key, const Vector& v, std::string* out) {
  out->append(key);
  for (int k = 0; k < v.size(); ++k) {
    out->push_back(' ');
    append_float(v[k], out);
  }
  out->push_back('\n');
}

void append_obj_faces(const ExportPiece& piece, size_t first_vertex, size_t first_uv, std::string* out) {
  for (const Triangle& t : piece.mesh.triangles) {
    out->push_back('f');
    for (int k = 0; k < 3; ++k) {
      const std::string v = std::to_string(first_vertex + static_cast<size_t>(t[k]));
      out->append(cat(" ", v, "/"));
      if (!piece.uv.empty()) out->append(std::to_string(first_uv + static_cast<size_t>(t[k])));
      out->append(cat("/", v));
    }
    out->push_back('\n');
  }
}

}  // namespace

absl::StatusOr<std::string> write_glb(const std::vector<ExportPiece>& pieces) {
  if (pieces.empty()) return internal_fault("nothing to export");
  size_t bytes = 0;
  for (const ExportPiece& piece : pieces) {
    RETURN_IF_ERROR(check_piece(piece));
    bytes += piece.mesh.positions.size() * 32 + piece.mesh.triangles.size() * 12;
  }
  if (bytes > (size_t{1} << 31)) return internal_fault("the meshes to export pass 2 GB, more than a GLB file holds");
  GlbWriter writer;
  for (const ExportPiece& piece : pieces) writer.add(piece);
  return writer.finish();
}

absl::StatusOr<std::string> write_obj(const std::vector<ExportPiece>& pieces) {
  if (pieces.empty()) return internal_fault("nothing to export");
  std::string out = "# tryon: metres, +Y up\n";
  size_t vertex = 1, uv = 1;
  for (const ExportPiece& piece : pieces) {
    RETURN_IF_ERROR(check_piece(piece));
    out.append(cat("g ", plain_name(piece.name), "\n"));
    for (const Vec3& p : piece.mesh.positions) append_line("v", p, &out);
    for (const Vec2& t : piece.uv) append_line("vt", t, &out);
    for (const Vec3& n : piece.normals) append_line("vn", unit_normal(n), &out);
    append_obj_faces(piece, vertex, uv, &out);
    vertex += piece.mesh.positions.size();
    uv += piece.uv.size();
  }
  return out;
}

}  // namespace tryon
