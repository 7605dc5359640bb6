#include "server/io/gltf_builder.h"

#include <algorithm>
#include <cmath>

#include "server/base/text.h"

namespace tryon {
namespace {

constexpr int kByte = 5120, kUnsignedShort = 5123, kUnsignedInt = 5125, kFloat = 5126;
constexpr int kVertices = 34962, kIndices = 34963, kNoTarget = 0;
constexpr const char* kTypes[] = {"", "SCALAR", "VEC2", "VEC3", "VEC4"};

template <typename T>
void tell_bounds(const std::vector<T>& values, int components, int stride, GltfJson* accessor) {
  GltfJson low = GltfJson::array(), high = GltfJson::array();
  for (int k = 0; k < components; ++k) {
    T least = values[static_cast<size_t>(k)], most = least;
    for (size_t i = static_cast<size_t>(k); i < values.size(); i += static_cast<size_t>(stride)) {
      least = std::min(least, values[i]), most = std::max(most, values[i]);
    }
    low.push_back(least), high.push_back(most);
  }
  (*accessor)["min"] = low;
  (*accessor)["max"] = high;
}

std::string word(size_t value) {
  const auto narrow = static_cast<uint32_t>(value);
  return std::string(reinterpret_cast<const char*>(&narrow), 4);
}

}  // namespace

GltfBuilder::GltfBuilder() { root_["asset"] = {{"generator", "tryon"}, {"version", "2.0"}}; }

int GltfBuilder::add(const char* list, GltfJson element) {
  root_[list].push_back(std::move(element));
  return static_cast<int>(root_[list].size()) - 1;
}

void GltfBuilder::use_extension(const std::string& name, bool is_required) {
  for (const char* list : {"extensionsUsed", "extensionsRequired"}) {
    if (!is_required && std::string_view(list) == "extensionsRequired") continue;
    GltfJson& names = root_[list];
    if (names.is_null() || std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
}

int GltfBuilder::view_of(const void* bytes, size_t size) {
  binary_.append((4 - binary_.size() % 4) % 4, '\0');
  const size_t offset = binary_.size();
  binary_.append(static_cast<const char*>(bytes), size);
  return add("bufferViews", {{"buffer", 0}, {"byteOffset", offset}, {"byteLength", size}});
}

int GltfBuilder::add_view(std::string_view bytes) { return view_of(bytes.data(), bytes.size()); }

int GltfBuilder::add_accessor(const void* bytes, size_t size, size_t count, int component_type, int components,
                              int target) {
  const int view = view_of(bytes, size);
  if (target != kNoTarget) root_["bufferViews"].back()["target"] = target;
  return add("accessors",
             {{"bufferView", view}, {"componentType", component_type}, {"count", count}, {"type", kTypes[components]}});
}

int GltfBuilder::add_floats(const std::vector<float>& values, int components, bool bounds) {
  const int index = add_accessor(values.data(), values.size() * sizeof(float),
                                 values.size() / static_cast<size_t>(components), kFloat, components, kVertices);
  if (bounds) tell_bounds(values, components, components, &accessor(index));
  return index;
}

int GltfBuilder::add_keys(const std::vector<float>& values, int components, bool bounds) {
  const int index = add_accessor(values.data(), values.size() * sizeof(float),
                                 values.size() / static_cast<size_t>(components), kFloat, components, kNoTarget);
  if (bounds) tell_bounds(values, components, components, &accessor(index));
  return index;
}

int GltfBuilder::add_shares(const std::vector<double>& values, int components, bool bounds) {
  const int stride = components + components % 2;  // of 16-bit numbers: four bytes or eight
  const size_t count = values.size() / static_cast<size_t>(components);
  std::vector<uint16_t> stored(count * static_cast<size_t>(stride), 0);
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t row = i / static_cast<size_t>(components), column = i % static_cast<size_t>(components);
    stored[row * static_cast<size_t>(stride) + column] =
        static_cast<uint16_t>(std::lround(65535.0 * std::clamp(values[i], 0.0, 1.0)));
  }
  const int index =
      add_accessor(stored.data(), stored.size() * sizeof(uint16_t), count, kUnsignedShort, components, kVertices);
  accessor(index)["normalized"] = true;
  if (stride != components) root_["bufferViews"].back()["byteStride"] = stride * 2;
  if (bounds) tell_bounds(stored, components, stride, &accessor(index));
  return index;
}

int GltfBuilder::add_signed_shares(const std::vector<float>& values, int components) {
  const size_t count = values.size() / static_cast<size_t>(components);
  std::vector<int8_t> stored(4 * count, 0);
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t row = i / static_cast<size_t>(components), column = i % static_cast<size_t>(components);
    stored[4 * row + column] = static_cast<int8_t>(std::lround(127.0f * std::clamp(values[i], -1.0f, 1.0f)));
  }
  const int index = add_accessor(stored.data(), stored.size(), count, kByte, components, kVertices);
  accessor(index)["normalized"] = true;
  root_["bufferViews"].back()["byteStride"] = 4;
  return index;
}

int GltfBuilder::add_indices(const std::vector<uint32_t>& values, bool compact) {
  const uint32_t most = values.empty() ? 0 : *std::max_element(values.begin(), values.end());
  if (compact && most < 65535) {
    const std::vector<uint16_t> narrow(values.begin(), values.end());
    return add_accessor(narrow.data(), narrow.size() * 2, narrow.size(), kUnsignedShort, 1, kIndices);
  }
  return add_accessor(values.data(), values.size() * 4, values.size(), kUnsignedInt, 1, kIndices);
}

int GltfBuilder::add_declared(int component_type, int components, size_t count) {
  return add("accessors", {{"componentType", component_type}, {"count", count}, {"type", kTypes[components]}});
}

int GltfBuilder::add_texture(const std::string& png) {
  constexpr int kLinear = 9729, kClamp = 33071;
  if (!root_.contains("samplers")) {
    add("samplers", {{"magFilter", kLinear}, {"minFilter", kLinear}, {"wrapS", kClamp}, {"wrapT", kClamp}});
  }
  const int image = add("images", {{"bufferView", add_view(png)}, {"mimeType", "image/png"}});
  return add("textures", {{"sampler", 0}, {"source", image}});
}

std::string GltfBuilder::finish() {
  binary_.append((4 - binary_.size() % 4) % 4, '\0');
  root_["buffers"] = GltfJson::array({GltfJson{{"byteLength", binary_.size()}}});
  std::string text = root_.dump(-1, ' ', false, GltfJson::error_handler_t::replace);
  text.append((4 - text.size() % 4) % 4, ' ');
  return cat("glTF", word(2), word(12 + 8 + text.size() + 8 + binary_.size()), word(text.size()), "JSON", text,
             word(binary_.size()), std::string_view("BIN\0", 4), binary_);
}

}  // namespace tryon
