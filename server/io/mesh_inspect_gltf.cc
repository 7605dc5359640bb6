// A glTF whose buffer lies in the file itself, as base64: made into the GLB that it stands for, and then checked and
// read as one, so that there is one judge of both.
#include "absl/strings/escaping.h"
#include "nlohmann/json.hpp"
#include "server/io/mesh_inspect.h"

namespace tryon::mesh_inspect {
namespace {

using Json = nlohmann::json;

void append_word(uint32_t value, std::string* out) { out->append(reinterpret_cast<const char*>(&value), 4); }

void append_chunk(std::string content, char padding, uint32_t kind, std::string* out) {
  content.resize((content.size() + 3) / 4 * 4, padding);
  append_word(static_cast<uint32_t>(content.size()), out), append_word(kind, out);
  *out += content;
}

// The bytes of the file's one buffer, which is taken out of `root`.
absl::StatusOr<std::string> take_buffer(const MeshSource& source, Json* root) {
  if (!root->contains("buffers")) return std::string();
  Json& buffers = (*root)["buffers"];
  if (!buffers.is_array()) return source.contradictory("buffers", "its 'buffers' is not a list");
  if (buffers.empty()) return std::string();
  if (buffers.size() > 1) {
    return source.unsupported("buffers", cat("has ", buffers.size(), " buffers; one is read"),
                              "Export as one .glb file.");
  }
  Json& buffer = buffers[0];
  const bool embedded = buffer.is_object() && buffer.contains("uri") && buffer["uri"].is_string() &&
                        buffer["uri"].get_ref<const std::string&>().starts_with("data:");
  if (!embedded) return source.external_file("buffers[0]");
  const std::string& uri = buffer["uri"].get_ref<const std::string&>();
  const size_t comma = uri.find(',');
  std::string bytes;
  const bool readable = comma != std::string::npos && std::string_view(uri).substr(0, comma).ends_with(";base64") &&
                        absl::Base64Unescape(absl::string_view(uri.data() + comma + 1, uri.size() - comma - 1), &bytes);
  if (!readable) return source.contradictory("buffers[0]", "the data of buffers[0] is not base64");
  buffer.erase("uri");
  return bytes;
}

}  // namespace

absl::StatusOr<std::string> glb_of_gltf(const MeshSource& source) {
  RETURN_IF_ERROR(check_json_depth(source, "json", source.bytes));
  const size_t first = source.bytes.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || source.bytes[first] != '{') {
    return source.wrong_type("is not a GLB file: it begins neither with 'glTF' nor, as text does, with '{'");
  }
  Json root = Json::parse(source.bytes, nullptr, /*allow_exceptions=*/false);
  if (root.is_discarded()) {
    const size_t last = source.bytes.find_last_not_of(" \t\r\n");
    if (source.bytes[last] != '}') return source.truncated("json", "its JSON has no end");
    return source.contradictory("json", "its JSON does not parse");
  }
  ASSIGN_OR_RETURN(std::string binary, take_buffer(source, &root));
  std::string chunks;
  append_chunk(root.dump(-1, ' ', false, Json::error_handler_t::replace), ' ', 0x4e4f534a, &chunks);
  if (!binary.empty()) append_chunk(std::move(binary), '\0', 0x004e4942, &chunks);
  std::string out = "glTF";
  append_word(2, &out), append_word(static_cast<uint32_t>(12 + chunks.size()), &out);
  return out + chunks;
}

absl::StatusOr<MeshFacts> inspect_gltf(const MeshSource& source) {
  ASSIGN_OR_RETURN(const std::string glb, glb_of_gltf(source));
  return inspect_glb(MeshSource{glb, source.name, source.limits});
}

}  // namespace tryon::mesh_inspect
