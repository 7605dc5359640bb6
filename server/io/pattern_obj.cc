#include "server/io/pattern_obj.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "server/base/status.h"
#include "server/base/text.h"

namespace tryon {
namespace {

constexpr size_t kMaxVertices = 1'000'000, kMaxTriangles = 2'000'000, kMaxStitches = 500'000, kMaxCorners = 16;
constexpr double kFlatness = 0.05;  // height over width of vertices that lie flat already

struct Corner {
  int v = -1, vt = -1;
};

struct Obj {
  std::vector<Vec3> v;
  std::vector<Vec2> vt;
  std::vector<std::array<Corner, 3>> faces;
  std::vector<int> group;  // [face]
  std::vector<std::string> groups;
  std::vector<MeshStitch> stitches;
  std::map<std::string, int> other;  // kinds of lines that are not read -> count
};

absl::Status fault(int line, const std::string& what) {
  return invalid_input("PATTERN_OBJ", cat("line ", line), cat("line ", line, ": ", what),
                       "Export the mesh again as a plain OBJ file.");
}

std::string_view word(std::string_view* rest) {
  const size_t begin = rest->find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return *rest = std::string_view();
  const size_t end = std::min(rest->find_first_of(" \t\r", begin), rest->size());
  const std::string_view out = rest->substr(begin, end - begin);
  rest->remove_prefix(end);
  return out;
}

bool to_double(std::string_view s, double* out) {
  const auto result = std::from_chars(s.data(), s.data() + s.size(), *out);
  return result.ec == std::errc() && result.ptr == s.data() + s.size() && std::isfinite(*out) && std::abs(*out) < 1e9;
}
bool to_int(std::string_view s, int* out) {
  const auto result = std::from_chars(s.data(), s.data() + s.size(), *out);
  return result.ec == std::errc() && result.ptr == s.data() + s.size();
}

class Reader {
 public:
  absl::StatusOr<Obj> read(std::string_view bytes) {
    while (!bytes.empty()) {
      const size_t end = bytes.find('\n');
      ++line_;
      RETURN_IF_ERROR(line(bytes.substr(0, end)));
      bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
    }
    return std::move(obj_);
  }

 private:
  absl::Status numbers(std::string_view rest, int count, double* out) const {
    for (int i = 0; i < count; ++i) {
      if (!to_double(word(&rest), &out[i])) return fault(line_, cat("a number was expected at place ", i + 1));
    }
    return absl::OkStatus();
  }

  absl::Status corner(std::string_view text, Corner* out) const {
    const size_t slash = text.find('/');
    int v = 0, vt = 0;
    bool good = to_int(text.substr(0, slash), &v);
    if (slash != std::string_view::npos) {
      const std::string_view second = text.substr(slash + 1, text.find('/', slash + 1) - slash - 1);
      if (!second.empty()) good = good && to_int(second, &vt) && vt != 0;
    }
    out->v = v > 0 ? v - 1 : static_cast<int>(obj_.v.size()) + v;
    out->vt = vt == 0 ? -1 : vt > 0 ? vt - 1 : static_cast<int>(obj_.vt.size()) + vt;
    const bool inside = out->v >= 0 && out->v < static_cast<int>(obj_.v.size()) && out->vt >= -1 &&
                        out->vt < static_cast<int>(obj_.vt.size());
    if (good && v != 0 && inside) return absl::OkStatus();
    return fault(line_, cat("the corner \"", text.substr(0, 40), "\" names no vertex that came before"));
  }

  absl::Status face(std::string_view rest) {
    std::vector<Corner> corners;
    for (std::string_view w = word(&rest); !w.empty(); w = word(&rest)) {
      if (corners.size() >= kMaxCorners) return fault(line_, cat("a face of more than ", kMaxCorners, " corners"));
      corners.emplace_back();
      RETURN_IF_ERROR(corner(w, &corners.back()));
    }
    if (corners.size() < 3) return fault(line_, "a face needs three corners");
    if (obj_.groups.empty()) obj_.groups.emplace_back();
    for (size_t i = 2; i < corners.size(); ++i) {
      obj_.faces.push_back({corners[0], corners[i - 1], corners[i]});
      obj_.group.push_back(static_cast<int>(obj_.groups.size()) - 1);
    }
    return absl::OkStatus();
  }

  absl::Status stitch(std::string_view rest) {
    MeshStitch s;
    const std::string_view a = word(&rest), b = word(&rest), c = word(&rest), t = word(&rest);
    if (!to_int(a, &s.a) || !to_int(b, &s.b) || !to_int(c, &s.c) || !to_double(t, &s.t)) {
      return fault(line_, "a stitch is written: stitch a b c t");
    }
    obj_.stitches.push_back(s);
    return absl::OkStatus();
  }

  absl::Status line(std::string_view rest) {
    const std::string_view kind = word(&rest);
    if (kind.empty() || kind[0] == '#') return absl::OkStatus();
    if (obj_.v.size() > kMaxVertices || obj_.vt.size() > 4 * kMaxVertices || obj_.faces.size() > kMaxTriangles ||
        obj_.stitches.size() > kMaxStitches) {
      return invalid_input(
          "PATTERN_TOO_LARGE", cat("line ", line_),
          cat("more than ", kMaxVertices, " vertices, ", kMaxTriangles, " triangles or ", kMaxStitches, " stitches"),
          "Send a coarser mesh.");
    }
    double x[3] = {0.0, 0.0, 0.0};
    if (kind == "v") {
      RETURN_IF_ERROR(numbers(rest, 3, x));
      obj_.v.emplace_back(x[0], x[1], x[2]);
    } else if (kind == "vt") {
      RETURN_IF_ERROR(numbers(rest, 2, x));
      obj_.vt.emplace_back(x[0], x[1]);
    } else if (kind == "f") {
      return face(rest);
    } else if (kind == "stitch") {
      return stitch(rest);
    } else if (kind == "g" || kind == "o") {
      if (obj_.groups.size() < 10'000) obj_.groups.emplace_back(word(&rest).substr(0, 100));
    } else if (obj_.other.size() < 50 || obj_.other.count(std::string(kind.substr(0, 20)))) {
      ++obj_.other[std::string(kind.substr(0, 20))];
    }
    return absl::OkStatus();
  }

  Obj obj_;
  int line_ = 0;
};

Vec3 y_up(const Vec3& p) { return {p.x(), p.z(), -p.y()}; }

bool lies_flat(const Obj& obj) {
  Eigen::AlignedBox3d box;
  for (const Vec3& p : obj.v) box.extend(p);
  const Vec3 size = box.sizes();
  return size.z() < kFlatness * std::max(size.x(), size.y());
}

// Vertices are flat; their place, if any, comes from a second file of equal topology.
absl::Status take_flat(const Obj& obj, const ImportOptions& options, double unit, MeshPattern* mesh) {
  for (const Vec3& p : obj.v) mesh->flat.emplace_back(p.x() * unit, p.y() * unit);
  for (const auto& f : obj.faces) mesh->triangles.emplace_back(f[0].v, f[1].v, f[2].v);
  mesh->stitches = obj.stitches;
  if (options.placed_mesh.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const Obj placed, Reader().read(options.placed_mesh));
  if (placed.v.size() != obj.v.size()) {
    return invalid_input("MESH_PATTERN_INDEX", "placed mesh",
                         cat("the placed mesh has ", placed.v.size(), " vertices, the flat one ", obj.v.size()),
                         "Send the two meshes of one garment.");
  }
  for (const Vec3& p : placed.v) mesh->placed.push_back(unit * y_up(p));
  return absl::OkStatus();
}

// A vertex in space with several flat places is sewn: it is taken apart, and stitched.
absl::Status take_texture(const Obj& obj, double unit, MeshPattern* mesh) {
  std::map<std::array<double, 3>, int> number;  // (vertex, flat place) -> new vertex
  std::vector<int> first(obj.v.size(), -1);
  auto vertex = [&](const Corner& c, const Vec2& flat) {
    const auto [it, fresh] = number.insert({{double(c.v), flat.x(), flat.y()}, mesh->vertex_count()});
    if (!fresh) return it->second;
    mesh->flat.push_back(flat * unit);
    mesh->placed.push_back(unit * y_up(obj.v[c.v]));
    if (first[c.v] >= 0) mesh->stitches.push_back({it->second, first[c.v], first[c.v], 0.0});
    if (first[c.v] < 0) first[c.v] = it->second;
    return it->second;
  };
  const bool same_index = obj.vt.size() == obj.v.size();
  if (same_index) {  // one flat place a vertex: the file's numbering stays, stitches refer to it
    for (size_t v = 0; v < obj.v.size(); ++v) {
      mesh->flat.push_back(obj.vt[v] * unit);
      mesh->placed.push_back(unit * y_up(obj.v[v]));
    }
  }
  for (size_t i = 0; i < obj.faces.size(); ++i) {
    Triangle t;
    for (int k = 0; k < 3; ++k) {
      const Corner& c = obj.faces[i][k];
      if (!same_index && c.vt < 0) {
        return invalid_input("MESH_PATTERN_FLAT", cat("face ", i), cat("face ", i, " has no flat coordinates"),
                             "Export the mesh with texture coordinates in metres of cloth.");
      }
      t[k] = same_index ? c.v : vertex(c, obj.vt[c.vt]);
    }
    mesh->triangles.push_back(t);
  }
  if (same_index) mesh->stitches = obj.stitches;
  return absl::OkStatus();
}

// Texture coordinates that were made for a picture have another scale than the cloth.
absl::Status check_scale(const MeshPattern& mesh) {
  std::vector<double> ratios;
  for (const Triangle& t : mesh.triangles) {
    const Vec2 a = mesh.flat[t[1]] - mesh.flat[t[0]], b = mesh.flat[t[2]] - mesh.flat[t[0]];
    const Vec3 p = mesh.placed[t[1]] - mesh.placed[t[0]], q = mesh.placed[t[2]] - mesh.placed[t[0]];
    const double space = p.cross(q).norm();
    if (space > 1e-12) ratios.push_back(std::abs(a.x() * b.y() - a.y() * b.x()) / space);
  }
  if (!ratios.empty()) {
    std::nth_element(ratios.begin(), ratios.begin() + static_cast<long>(ratios.size() / 2), ratios.end());
    const double median = ratios[ratios.size() / 2];
    if (median > 0.4 && median < 2.5) return absl::OkStatus();
  }
  return invalid_input("MESH_PATTERN_FLAT", "the file",
                       "the texture coordinates are no flat cloth: their areas do not agree with the mesh in space",
                       "Send the flat mesh, and this one as the placed mesh beside it.");
}

void take_groups(const Obj& obj, MeshPattern* mesh) {
  // The file's names for pieces that connected cloth agrees with.
  std::vector<int> vote(mesh->panel_names.size(), -1);
  std::vector<bool> clear(mesh->panel_names.size(), true);
  for (size_t i = 0; i < obj.faces.size(); ++i) {
    const int p = mesh->panel[mesh->triangles[i][0]];
    if (vote[p] < 0) vote[p] = obj.group[i];
    if (vote[p] != obj.group[i]) clear[p] = false;
  }
  std::map<std::string, int> used;
  for (size_t p = 0; p < vote.size(); ++p) {
    if (vote[p] >= 0 && clear[p]) ++used[obj.groups[vote[p]]];
  }
  for (size_t p = 0; p < vote.size(); ++p) {
    if (vote[p] < 0 || !clear[p] || obj.groups[vote[p]].empty() || used[obj.groups[vote[p]]] != 1) continue;
    mesh->panel_names[p] = obj.groups[vote[p]];
  }
}

}  // namespace

bool looks_like_obj(std::string_view bytes) {
  for (int i = 0; i < 200 && !bytes.empty(); ++i) {
    const size_t end = bytes.find('\n');
    std::string_view line = bytes.substr(0, end);
    const std::string_view kind = word(&line);
    double x = 0.0;
    if (kind == "v" || kind == "vt" || kind == "vn") return to_double(word(&line), &x);
    if (!kind.empty() && kind[0] != '#' && kind != "mtllib" && kind != "g" && kind != "o" && kind != "s" &&
        kind != "usemtl") {
      return false;
    }
    bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
  }
  return false;
}

absl::StatusOr<ImportedPattern> read_obj_pattern(std::string_view bytes, std::string_view /*file_name*/,
                                                 const ImportOptions& options) {
  ASSIGN_OR_RETURN(const Obj obj, Reader().read(bytes));
  ImportedPattern out;
  out.format = ImportedPattern::Format::kMesh;
  out.metres_per_unit = options.metres_per_unit > 0.0 ? options.metres_per_unit : 1.0;
  MeshPattern mesh;
  if (!obj.v.empty() && lies_flat(obj)) {
    RETURN_IF_ERROR(take_flat(obj, options, out.metres_per_unit, &mesh));
  } else if (!obj.vt.empty()) {
    RETURN_IF_ERROR(take_texture(obj, out.metres_per_unit, &mesh));
  } else {
    return invalid_input("MESH_PATTERN_FLAT", "the file", "the mesh stands in space and has no flat coordinates",
                         "Send the flat mesh, and this one as the placed mesh beside it.");
  }
  RETURN_IF_ERROR(complete(&mesh));
  if (!obj.vt.empty() && !lies_flat(obj)) RETURN_IF_ERROR(check_scale(mesh));
  take_groups(obj, &mesh);
  ASSIGN_OR_RETURN(out.pattern, outlines_of(mesh));
  if (!mesh.placed.empty()) out.notes.push_back("the placed mesh was taken as z up and turned to y up");
  for (const auto& [kind, count] : obj.other) {
    static const std::set<std::string> kLooks = {"vn", "s", "mtllib", "usemtl", "seam"};
    if (!kLooks.count(kind)) out.notes.push_back(cat("not understood: ", count, " lines \"", kind, "\""));
  }
  out.mesh = std::move(mesh);
  return out;
}

}  // namespace tryon
