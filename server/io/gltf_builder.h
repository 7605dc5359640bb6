// What it is: the container of a GLB file while it is built: one binary buffer, views and accessors on it, images, and
// the JSON around them. What the pieces of a scene become stands in mesh_export.cc and gltf_material.h.
// Units: none. Shapes: values in rows of `components`; every element starts at a multiple of four bytes.
// How it fails: it does not. Thread rules: one object, one thread. The same calls give the same bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nlohmann/json.hpp"

namespace tryon {

using GltfJson = nlohmann::ordered_json;  // keys in the order written

class GltfBuilder {
 public:
  GltfBuilder();

  // Accessors; each returns its index. With `bounds`, min and max of the stored numbers are told.
  int add_floats(const std::vector<float>& values, int components, bool bounds = false);   // vertex attribute
  int add_keys(const std::vector<float>& values, int components, bool bounds = false);     // of an animation
  int add_shares(const std::vector<double>& values, int components, bool bounds = false);  // 0 .. 1 in 16 bits
  int add_signed_shares(const std::vector<float>& values, int components);                 // -1 .. 1 in 8 bits
  int add_indices(const std::vector<uint32_t>& values, bool compact);                      // in 16 bits where they fit
  int add_declared(int component_type, int components, size_t count);                      // without a view (Draco)
  GltfJson& accessor(int index) { return root_["accessors"][static_cast<size_t>(index)]; }

  int add_view(std::string_view bytes);                           // of no accessor
  int add_texture(const std::string& png);                        // clamped, smooth
  int add(const char* list, GltfJson element);                    // "nodes", "meshes", ...; returns its index
  void use_extension(const std::string& name, bool is_required);  // once or more
  GltfJson& root() { return root_; }

  std::string finish();  // the file; call once

 private:
  int add_accessor(const void* bytes, size_t size, size_t count, int component_type, int components, int target);
  int view_of(const void* bytes, size_t size);

  GltfJson root_;
  std::string binary_;
};

}  // namespace tryon
