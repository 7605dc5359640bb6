// What a GLB file is checked for: container, JSON, every length and index that reading the triangles will follow.
#include <algorithm>
#include <cstring>

#include "nlohmann/json.hpp"
#include "server/io/mesh_inspect.h"

namespace tryon::mesh_inspect {
namespace {

using Json = nlohmann::json;
constexpr int kMaxDepth = 64;           // of JSON nesting and of the node tree
constexpr int64_t kMaxItems = 100'000;  // of any one top-level list

uint32_t word_at(std::string_view bytes, size_t at) {
  uint32_t value = 0;
  std::memcpy(&value, bytes.data() + at, 4);
  return value;
}

struct Chunks {
  std::string_view json, binary;
};

absl::StatusOr<Chunks> read_container(const MeshSource& source) {
  const std::string_view bytes = source.bytes;
  if (!bytes.starts_with("glTF")) return source.wrong_type("is not a GLB file: it does not begin with 'glTF'");
  if (bytes.size() < 20) return source.truncated("header", cat("it has ", bytes.size(), " bytes"));
  if (word_at(bytes, 4) != 2) {
    return source.unsupported("header", cat("is glTF version ", word_at(bytes, 4)), "Export as glTF 2.0.");
  }
  const uint64_t declared = word_at(bytes, 8);
  const std::string what = cat("its header declares ", declared, " bytes, the file has ", bytes.size());
  if (declared > bytes.size()) return source.truncated("header", what);
  if (declared < bytes.size()) return source.contradictory("header", what);
  Chunks chunks;
  int index = 0;
  for (size_t at = 12; at < bytes.size(); ++index) {
    const std::string where = cat("chunk ", index);
    if (bytes.size() - at < 8) return source.truncated(where, cat(where, " has no header"));
    const uint64_t length = word_at(bytes, at), kind = word_at(bytes, at + 4);
    if (length > bytes.size() - at - 8) {
      return source.truncated(where, cat(where, " declares ", length, " bytes, ", bytes.size() - at - 8, " are left"));
    }
    if (length % 4 != 0) return source.contradictory(where, cat(where, " has a length that is no multiple of 4"));
    const std::string_view content = bytes.substr(at + 8, length);
    if (index == 0 && kind != 0x4e4f534a) return source.contradictory(where, "its first chunk is not JSON");
    if (index == 0) chunks.json = content;
    if (index == 1 && kind == 0x004e4942) chunks.binary = content;
    at += 8 + length;
  }
  return chunks;
}

class GlbInspector {
 public:
  GlbInspector(const MeshSource& source, const Json& root, std::string_view binary)
      : source_(source), root_(root), binary_(binary) {}

  absl::StatusOr<MeshFacts> inspect() {
    RETURN_IF_ERROR(check_shape());
    RETURN_IF_ERROR(check_extensions());
    RETURN_IF_ERROR(check_buffers());
    RETURN_IF_ERROR(check_views());
    RETURN_IF_ERROR(check_accessors());
    RETURN_IF_ERROR(check_meshes());
    return walk_scene();
  }

 private:
  struct View {
    int64_t offset = 0, length = 0, stride = 0;
  };
  struct Accessor {
    int64_t view = 0, offset = 0, count = 0, component = 0, components = 0, stride = 0;
    int64_t begin = 0;  // absolute, in the binary chunk
  };

  const Json& list(const char* key) const {
    static const Json kNone = Json::array();
    return root_.contains(key) ? root_[key] : kNone;
  }
  // A whole number >= 0 under `key`; `fallback` where it is absent; nullopt where it is something else.
  static std::optional<int64_t> whole(const Json& object, const char* key, int64_t fallback) {
    if (!object.contains(key)) return fallback;
    const Json& value = object[key];
    if (!value.is_number_integer()) return std::nullopt;
    if (value.is_number_unsigned() && value.get<uint64_t>() > (1ull << 40)) return std::nullopt;
    const int64_t number = value.get<int64_t>();
    return number >= 0 ? std::optional<int64_t>(number) : std::nullopt;
  }
  absl::Status bad(const std::string& where, const char* key) const {
    return source_.contradictory(where, cat(where, " has no usable '", key, "'"));
  }
  absl::Status pick(const Json& object, const char* key, int64_t fallback, const std::string& where,
                    int64_t* out) const {
    const auto value = whole(object, key, fallback);
    if (!value) return bad(where, key);
    *out = *value;
    return absl::OkStatus();
  }
  absl::Status pick_index(const Json& object, const char* key, const char* of, const std::string& where,
                          int64_t* out) const {
    const auto value = object.contains(key) ? whole(object, key, 0) : std::nullopt;
    if (!value) return bad(where, key);
    const int64_t count = static_cast<int64_t>(list(of).size());
    if (*value >= count) return source_.index_out_of_range(cat(where, ".", key), *value, count);
    *out = *value;
    return absl::OkStatus();
  }

  absl::Status check_shape() const;
  absl::Status check_extensions() const;
  absl::Status check_buffers();
  absl::Status check_views();
  absl::Status check_accessors();
  absl::Status check_meshes();
  absl::Status check_primitive(const Json& primitive, const std::string& where, MeshFacts* facts);
  absl::Status check_attributes(const Json& attributes, const std::string& where, const Accessor& position) const;
  absl::Status check_positions(const Accessor& position, const std::string& where) const;
  absl::Status check_indices(const Accessor& indices, int64_t vertex_count, const std::string& where,
                             UsedSet* used) const;
  absl::StatusOr<MeshFacts> walk_scene() const;
  absl::Status check_node(const Json& node, const std::string& where) const;

  const MeshSource& source_;
  const Json& root_;
  std::string_view binary_;
  std::vector<View> views_;
  std::vector<Accessor> accessors_;
  std::vector<MeshFacts> meshes_;
};

absl::Status GlbInspector::check_shape() const {
  if (!root_.is_object()) return source_.contradictory("chunk 0", "its JSON is not an object");
  const bool has_version = root_.contains("asset") && root_["asset"].is_object() &&
                           root_["asset"].contains("version") && root_["asset"]["version"].is_string();
  if (!has_version) return bad("asset", "version");
  if (!root_["asset"]["version"].get_ref<const std::string&>().starts_with("2.")) {
    return source_.unsupported("asset", "is not glTF 2", "Export as glTF 2.0.");
  }
  for (const char* key : {"buffers", "bufferViews", "accessors", "meshes", "nodes", "scenes", "images", "textures",
                          "materials", "samplers", "skins", "animations", "cameras"}) {
    if (!root_.contains(key)) continue;
    if (!root_[key].is_array()) return source_.contradictory(key, cat("its '", key, "' is not a list"));
    if (static_cast<int64_t>(root_[key].size()) > kMaxItems) {
      return source_.contradictory(key, cat("its '", key, "' has more than ", kMaxItems, " entries"));
    }
    for (size_t i = 0; i < root_[key].size(); ++i) {
      if (!root_[key][i].is_object()) return source_.contradictory(cat(key, "[", i, "]"), "an entry is not an object");
    }
  }
  return absl::OkStatus();
}

absl::Status GlbInspector::check_extensions() const {
  if (!root_.contains("extensionsRequired")) return absl::OkStatus();
  if (!root_["extensionsRequired"].is_array()) return bad("extensionsRequired", "list");
  for (const Json& extension : root_["extensionsRequired"]) {
    const std::string name = extension.is_string() ? extension.get<std::string>() : "?";
    if (name.starts_with("KHR_materials_") || name == "KHR_texture_transform") continue;  // about looks, not shape
    return source_.unsupported("extensionsRequired", cat("needs the extension ", shown(name), ", which is not read"),
                               "Export without compression or quantisation.");
  }
  return absl::OkStatus();
}

absl::Status GlbInspector::check_buffers() {
  const Json& buffers = list("buffers");
  for (size_t i = 0; i < list("images").size(); ++i) {
    const Json& image = list("images")[i];
    const bool embedded = !image.contains("uri") ||
                          (image["uri"].is_string() && image["uri"].get_ref<const std::string&>().starts_with("data:"));
    if (!embedded) return source_.external_file(cat("images[", i, "]"));
  }
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (i > 0 || buffers[i].contains("uri")) return source_.external_file(cat("buffers[", i, "]"));
    int64_t length = 0;
    RETURN_IF_ERROR(pick(buffers[i], "byteLength", -1, "buffers[0]", &length));
    if (length < 0) return bad("buffers[0]", "byteLength");
    if (length > static_cast<int64_t>(binary_.size())) {
      return source_.truncated("buffers[0]",
                               cat("buffers[0] declares ", length, " bytes, the binary chunk has ", binary_.size()));
    }
    binary_ = binary_.substr(0, static_cast<size_t>(length));
  }
  if (buffers.empty()) binary_ = {};
  return absl::OkStatus();
}

absl::Status GlbInspector::check_views() {
  const Json& views = list("bufferViews");
  for (size_t i = 0; i < views.size(); ++i) {
    const std::string where = cat("bufferViews[", i, "]");
    int64_t buffer = 0;
    View view;
    RETURN_IF_ERROR(pick_index(views[i], "buffer", "buffers", where, &buffer));
    RETURN_IF_ERROR(pick(views[i], "byteOffset", 0, where, &view.offset));
    RETURN_IF_ERROR(pick(views[i], "byteLength", 0, where, &view.length));
    RETURN_IF_ERROR(pick(views[i], "byteStride", 0, where, &view.stride));
    if (view.stride != 0 && (view.stride < 4 || view.stride > 252 || view.stride % 4 != 0))
      return bad(where, "byteStride");
    if (view.offset + view.length > static_cast<int64_t>(binary_.size())) {
      return source_.contradictory(where,
                                   cat(where, " ends at byte ", view.offset + view.length, " of ", binary_.size()));
    }
    views_.push_back(view);
  }
  return absl::OkStatus();
}

int64_t component_bytes(int64_t component) {
  switch (component) {
    case 5120:
    case 5121:
      return 1;
    case 5122:
    case 5123:
      return 2;
    case 5125:
    case 5126:
      return 4;
    default:
      return 0;
  }
}

int64_t component_count(const Json& accessor) {
  if (!accessor.contains("type") || !accessor["type"].is_string()) return 0;
  const std::string& type = accessor["type"].get_ref<const std::string&>();
  if (type == "SCALAR") return 1;
  if (type == "VEC2") return 2;
  if (type == "VEC3") return 3;
  if (type == "VEC4" || type == "MAT2") return 4;
  if (type == "MAT3") return 9;
  return type == "MAT4" ? 16 : 0;
}

absl::Status GlbInspector::check_accessors() {
  const Json& accessors = list("accessors");
  for (size_t i = 0; i < accessors.size(); ++i) {
    const std::string where = cat("accessors[", i, "]");
    if (accessors[i].contains("sparse") || !accessors[i].contains("bufferView")) {
      return source_.unsupported(where, cat(where, " is sparse or without data, which is not read"),
                                 "Export plain triangles with all vertices stored.");
    }
    Accessor a;
    RETURN_IF_ERROR(pick_index(accessors[i], "bufferView", "bufferViews", where, &a.view));
    RETURN_IF_ERROR(pick(accessors[i], "byteOffset", 0, where, &a.offset));
    RETURN_IF_ERROR(pick(accessors[i], "count", 0, where, &a.count));
    RETURN_IF_ERROR(pick(accessors[i], "componentType", 0, where, &a.component));
    a.components = component_count(accessors[i]);
    const int64_t unit = component_bytes(a.component), size = unit * a.components;
    if (unit == 0) return bad(where, "componentType");
    if (a.components == 0) return bad(where, "type");
    if (a.count == 0) return bad(where, "count");
    const View& view = views_[static_cast<size_t>(a.view)];
    a.stride = view.stride != 0 ? view.stride : size;
    a.begin = view.offset + a.offset;
    if (a.stride < size || a.begin % unit != 0) return bad(where, "byteOffset");
    const bool fits = a.offset <= view.length && size <= view.length - a.offset &&
                      a.count - 1 <= (view.length - a.offset - size) / a.stride;
    if (!fits) {
      return source_.contradictory(
          where, cat(where, " declares ", a.count, " entries, its buffer view has ", view.length, " bytes"));
    }
    accessors_.push_back(a);
  }
  return absl::OkStatus();
}

absl::Status GlbInspector::check_meshes() {
  const Json& meshes = list("meshes");
  if (meshes.empty()) return source_.empty("has no mesh");
  for (size_t m = 0; m < meshes.size(); ++m) {
    MeshFacts facts;
    if (!meshes[m].contains("primitives") || !meshes[m]["primitives"].is_array()) {
      return bad(cat("meshes[", m, "]"), "primitives");
    }
    const Json& primitives = meshes[m]["primitives"];
    for (size_t p = 0; p < primitives.size(); ++p) {
      RETURN_IF_ERROR(check_primitive(primitives[p], cat("meshes[", m, "].primitives[", p, "]"), &facts));
    }
    meshes_.push_back(facts);
  }
  return absl::OkStatus();
}

absl::Status GlbInspector::check_primitive(const Json& primitive, const std::string& where, MeshFacts* facts) {
  if (!primitive.is_object() || !primitive.contains("attributes") || !primitive["attributes"].is_object()) {
    return bad(where, "attributes");
  }
  int64_t mode = 0, position_index = 0;
  RETURN_IF_ERROR(pick(primitive, "mode", 4, where, &mode));
  if (mode > 0 && mode < 4) return absl::OkStatus();  // no cloth rests on lines
  if (mode > 6) return bad(where, "mode");
  RETURN_IF_ERROR(pick_index(primitive["attributes"], "POSITION", "accessors", where, &position_index));
  const Accessor& position = accessors_[static_cast<size_t>(position_index)];
  if (position.component != 5126 || position.components != 3) return bad(where, "POSITION");
  RETURN_IF_ERROR(source_.check_counts(position.count, 0));
  RETURN_IF_ERROR(check_attributes(primitive["attributes"], where, position));
  RETURN_IF_ERROR(check_positions(position, where));
  int64_t corners = position.count, used_count = position.count;
  if (primitive.contains("indices")) {
    int64_t indices_index = 0;
    RETURN_IF_ERROR(pick_index(primitive, "indices", "accessors", where, &indices_index));
    UsedSet used(position.count);
    const Accessor& indices = accessors_[static_cast<size_t>(indices_index)];
    RETURN_IF_ERROR(check_indices(indices, position.count, where, &used));
    corners = indices.count;
    used_count = used.count();
  }
  if (mode == 0) {  // a scan, if there is nothing else
    facts->points += position.count;
    return source_.check_counts(facts->points, 0);
  }
  if (mode == 4 ? corners % 3 != 0 : corners < 3) {
    return source_.contradictory(where, cat(where, " has ", corners, " corners, which make no whole triangles"));
  }
  facts->vertices += position.count;
  facts->referenced += used_count;
  facts->triangles += mode == 4 ? corners / 3 : corners - 2;
  return source_.check_counts(facts->vertices, facts->triangles);
}

absl::Status GlbInspector::check_attributes(const Json& attributes, const std::string& where,
                                            const Accessor& position) const {
  for (const auto& [name, value] : attributes.items()) {
    int64_t index = 0;
    RETURN_IF_ERROR(pick_index(attributes, name.c_str(), "accessors", where, &index));
    const int64_t count = accessors_[static_cast<size_t>(index)].count;
    if (count != position.count) {
      return source_.contradictory(where,
                                   cat(where, " has ", position.count, " positions but ", count, " of ", shown(name)));
    }
  }
  return absl::OkStatus();
}

absl::Status GlbInspector::check_positions(const Accessor& position, const std::string& where) const {
  for (int64_t i = 0; i < position.count; ++i) {
    float xyz[3];
    std::memcpy(xyz, binary_.data() + position.begin + i * position.stride, sizeof(xyz));
    for (float x : xyz) {
      if (!usable(x)) return source_.not_finite(cat(where, " vertex ", i));
    }
  }
  return absl::OkStatus();
}

absl::Status GlbInspector::check_indices(const Accessor& indices, int64_t vertex_count, const std::string& where,
                                         UsedSet* used) const {
  const bool whole_type = indices.component == 5121 || indices.component == 5123 || indices.component == 5125;
  if (indices.components != 1 || !whole_type) return bad(where, "indices");
  const size_t size = static_cast<size_t>(component_bytes(indices.component));
  for (int64_t i = 0; i < indices.count; ++i) {
    uint32_t index = 0;  // little-endian: the low bytes come first
    std::memcpy(&index, binary_.data() + indices.begin + i * indices.stride, size);
    if (index >= vertex_count) return source_.index_out_of_range(cat(where, " index ", i), index, vertex_count);
    used->mark(index);
  }
  return absl::OkStatus();
}

absl::Status GlbInspector::check_node(const Json& node, const std::string& where) const {
  const std::pair<const char*, size_t> transforms[] = {
      {"matrix", 16}, {"rotation", 4}, {"scale", 3}, {"translation", 3}};
  for (const auto& [key, size] : transforms) {
    if (!node.contains(key)) continue;
    if (!node[key].is_array() || node[key].size() != size) return bad(where, key);
    for (const Json& number : node[key]) {
      if (!number.is_number() || !usable(number.get<double>())) return bad(where, key);
    }
  }
  if (node.contains("matrix") &&
      (node.contains("rotation") || node.contains("scale") || node.contains("translation"))) {
    return source_.contradictory(where, cat(where, " has a matrix and its parts at once"));
  }
  return absl::OkStatus();
}

// Visits each node below the scene once; a node met twice would be a loop or a shared child, and both are forbidden.
absl::StatusOr<MeshFacts> GlbInspector::walk_scene() const {
  const Json& nodes = list("nodes");
  if (list("scenes").empty()) return source_.empty("has no scene");
  int64_t scene = 0;
  if (root_.contains("scene")) RETURN_IF_ERROR(pick_index(root_, "scene", "scenes", "scene", &scene));
  struct Visit {
    int64_t node;
    int depth;
  };
  std::vector<Visit> open;
  std::vector<bool> met(nodes.size(), false);
  auto add = [&](const Json& children, int depth, const std::string& where) -> absl::Status {
    if (!children.is_array()) return bad(where, "nodes");
    for (const Json& child : children) {
      if (!child.is_number_unsigned()) return bad(where, "children");
      const uint64_t index = child.get<uint64_t>();
      if (index >= nodes.size()) {
        return source_.index_out_of_range(where, static_cast<int64_t>(std::min<uint64_t>(index, 1ull << 40)),
                                          static_cast<int64_t>(nodes.size()));
      }
      if (met[index]) return source_.contradictory(where, cat("nodes[", index, "] hangs below the scene twice"));
      if (depth > kMaxDepth) return source_.contradictory(where, cat("its nodes are nested deeper than ", kMaxDepth));
      met[index] = true;
      open.push_back({static_cast<int64_t>(index), depth});
    }
    return absl::OkStatus();
  };
  const Json& root_scene = list("scenes")[static_cast<size_t>(scene)];
  if (root_scene.contains("nodes")) RETURN_IF_ERROR(add(root_scene["nodes"], 0, cat("scenes[", scene, "]")));
  MeshFacts facts;
  while (!open.empty()) {
    const Visit visit = open.back();
    open.pop_back();
    const Json& node = nodes[static_cast<size_t>(visit.node)];
    const std::string where = cat("nodes[", visit.node, "]");
    RETURN_IF_ERROR(check_node(node, where));
    if (node.contains("children")) RETURN_IF_ERROR(add(node["children"], visit.depth + 1, where));
    if (!node.contains("mesh")) continue;
    int64_t mesh = 0;
    RETURN_IF_ERROR(pick_index(node, "mesh", "meshes", where, &mesh));
    const MeshFacts& part = meshes_[static_cast<size_t>(mesh)];
    facts.vertices += part.vertices, facts.referenced += part.referenced, facts.triangles += part.triangles;
    facts.points += part.points;
    RETURN_IF_ERROR(source_.check_counts(std::max(facts.vertices, facts.points), facts.triangles));
  }
  if (facts.vertices == 0 && facts.points == 0) {
    return source_.has_no_faces("has neither triangles nor points in its scene");
  }
  if (facts.vertices > 0) facts.points = 0;  // a mesh with a few stray points is a mesh
  return facts;
}

}  // namespace

absl::Status check_json_depth(const MeshSource& source, std::string_view where, std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kMaxDepth) return source.contradictory(where, cat("its JSON is nested deeper than ", kMaxDepth));
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<MeshFacts> inspect_glb(const MeshSource& source) {
  ASSIGN_OR_RETURN(const Chunks chunks, read_container(source));
  RETURN_IF_ERROR(check_json_depth(source, "chunk 0", chunks.json));
  const Json root = Json::parse(chunks.json, nullptr, /*allow_exceptions=*/false);
  if (root.is_discarded()) return source.contradictory("chunk 0", "its JSON does not parse");
  return GlbInspector(source, root, chunks.binary).inspect();
}

}  // namespace tryon::mesh_inspect
