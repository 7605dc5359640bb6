// What it is: the clean bodies of the data set in all their formats, read by small readers that know just these files,
// so that anatomy is judged apart from the mesh parser. Units and frame: the file's own (GLB without its node).
// How it fails: a file that cannot be read fails the process. Thread rules: pure functions.
#pragma once

#include <array>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/shared_data.h"
#include "tests/support/test_meshes.h"

namespace tryon::testing {

inline const std::vector<std::string>& clean_body_files() {
  static const std::vector<std::string> files = {
      "garmentcode/mean_all.obj",
      "garmentcode/mean_female.obj",
      "garmentcode/mean_all_tpose.obj",
      "smpl/f_smpl_average_A40.obj",
      "smpl/f_smpl_template_T.obj",
      "makehuman/mh_f_young_avg_A_dm.obj",
      "makehuman/mh_m_young_tall_A_mm_zup.ply",
      "makehuman/mh_f_young_plus_armsdown_mm_zup.stl",
      "makehuman/mh_m_child_T_m.glb",
      "makehuman/mh_m_old_thin_T_cm_zup.obj",
      "makehuman/mh_f_young_plus_A_m_bigendian.ply",
      "makehuman/mh_f_young_avg_T_cm_zup_node.glb",
  };
  return files;
}

inline uint32_t word_at(const std::string& bytes, size_t at, bool big = false) {
  if (at + 4 > bytes.size()) throw std::runtime_error("file ends early");
  std::array<unsigned char, 4> b{};
  std::memcpy(b.data(), bytes.data() + at, 4);
  return big ? static_cast<uint32_t>(b[0]) << 24 | b[1] << 16 | b[2] << 8 | b[3]
             : static_cast<uint32_t>(b[3]) << 24 | b[2] << 16 | b[1] << 8 | b[0];
}

inline double float_at(const std::string& bytes, size_t at, bool big = false) {
  const uint32_t word = word_at(bytes, at, big);
  float value = 0;
  std::memcpy(&value, &word, 4);
  return value;
}

inline Vec3 point_at(const std::string& bytes, size_t at, bool big = false) {
  return {float_at(bytes, at, big), float_at(bytes, at + 4, big), float_at(bytes, at + 8, big)};
}

inline size_t count_after(const std::string& text, const std::string& words) {
  const size_t at = text.find(words);
  if (at == std::string::npos) throw std::runtime_error("no " + words);
  return std::stoul(text.substr(at + words.size()));
}

inline TriangleMesh ply_mesh(const std::string& bytes) {
  const bool big = bytes.find("binary_big_endian") != std::string::npos;
  size_t at = bytes.find("end_header\n") + 11;
  TriangleMesh mesh;
  for (size_t n = count_after(bytes, "element vertex "); n > 0; --n, at += 12) {
    mesh.positions.push_back(point_at(bytes, at, big));
  }
  for (size_t n = count_after(bytes, "element face "); n > 0; --n, at += 13) {
    mesh.triangles.push_back({static_cast<int>(word_at(bytes, at + 1, big)),
                              static_cast<int>(word_at(bytes, at + 5, big)),
                              static_cast<int>(word_at(bytes, at + 9, big))});
  }
  return mesh;
}

inline TriangleMesh stl_mesh(const std::string& bytes) {
  TriangleMesh mesh;
  std::map<std::array<double, 3>, int> index;
  for (size_t t = 0; t < word_at(bytes, 80); ++t) {
    Triangle corners;
    for (int k = 0; k < 3; ++k) {
      const Vec3 p = point_at(bytes, 84 + 50 * t + 12 + 12 * k);
      const auto [it, fresh] = index.try_emplace({p.x(), p.y(), p.z()}, mesh.vertex_count());
      if (fresh) mesh.positions.push_back(p);
      corners[k] = it->second;
    }
    mesh.triangles.push_back(corners);
  }
  return mesh;
}

// Positions first, indices in the third view, as in the set's two files.
inline TriangleMesh glb_mesh(const std::string& bytes) {
  const size_t json_size = word_at(bytes, 12), bin = 20 + json_size + 8;
  const std::string json = bytes.substr(20, json_size);
  const size_t vertices = count_after(json, "\"count\":");
  const size_t indices = count_after(json.substr(json.find("5125")), "\"count\":");
  TriangleMesh mesh;
  for (size_t v = 0; v < vertices; ++v) mesh.positions.push_back(point_at(bytes, bin + 12 * v));
  for (size_t i = 0; i + 2 < indices; i += 3) {
    const size_t at = bin + 24 * vertices + 4 * i;
    mesh.triangles.push_back({static_cast<int>(word_at(bytes, at)), static_cast<int>(word_at(bytes, at + 4)),
                              static_cast<int>(word_at(bytes, at + 8))});
  }
  return mesh;
}

inline TriangleMesh read_clean_body(const std::string& file) {
  const std::string path = shared_data_path("bodies/" + file), ending = file.substr(file.size() - 3);
  if (ending == "obj") return read_obj(path);
  if (ending == "ply") return ply_mesh(read_file(path));
  return ending == "stl" ? stl_mesh(read_file(path)) : glb_mesh(read_file(path));
}

}  // namespace tryon::testing
