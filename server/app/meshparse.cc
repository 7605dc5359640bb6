// tryon-meshparse FORMAT|reconstruct FILE_NAME [max_file_bytes max_vertices max_triangles address_space_bytes
// cpu_seconds] One throw-away process a file: locks itself in, reads the file from descriptor 0, writes encode_mesh()
// on 1. With "reconstruct" descriptor 0 holds encode_cloud_request() and the answer is encode_reconstruction(). Exit
// code 0 = an answer was written (a mesh, or why there is none); 2 = wrong usage.
#include <assimp/BaseImporter.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <open3d/geometry/PointCloud.h>
#include <open3d/geometry/TriangleMesh.h>
#include <open3d/utility/Logging.h>
#include <pthread.h>
#include <unistd.h>

#include <assimp/IOSystem.hpp>
#include <assimp/Importer.hpp>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/io/cloud_file.h"
#include "server/io/cloud_reconstruct.h"
#include "server/io/cloud_wire.h"
#include "server/io/mesh_lockdown.h"
#include "server/io/mesh_preflight.h"
#include "server/io/mesh_wire.h"

// Debian's Assimp calls this where an assertion of its own fails, and would abort. The program's symbol wins over the
// library's, and an exception ends the reading of this file in good order.
namespace Assimp {
__attribute__((visibility("default"))) void aiAssertViolation(const char* expression, const char* file, int line) {
  throw std::runtime_error(tryon::cat("assertion ", expression, " in ", file, ":", line));
}
}  // namespace Assimp

// Open3D's Poisson starts each of its few tasks with std::async and waits for it. There are no threads in the sandbox
// (the filter forbids them), so a task runs where it is started, to its end; the order is then fixed, too.
namespace {
bool run_tasks_inline = false;
constexpr pthread_t kInlineTask = 1;
}  // namespace
extern "C" __attribute__((visibility("default"))) int pthread_create(pthread_t* id, const pthread_attr_t*,
                                                                     void* (*task)(void*), void* argument) noexcept {
  if (!run_tasks_inline) return EAGAIN;
  *id = kInlineTask;
  task(argument);
  return 0;
}
extern "C" __attribute__((visibility("default"))) int pthread_join(pthread_t id, void** result) {
  if (id != kInlineTask) return ESRCH;
  if (result != nullptr) *result = nullptr;
  return 0;
}

namespace tryon {
namespace {

// A file that names another (materials, buffers, textures) finds nothing: all that counts is in the bytes given.
class NoFiles : public Assimp::IOSystem {
 public:
  bool Exists(const char*) const override { return false; }
  char getOsSeparator() const override { return '/'; }
  Assimp::IOStream* Open(const char*, const char*) override { return nullptr; }
  void Close(Assimp::IOStream*) override {}
};

absl::Status unreadable(const std::string& name, std::string_view why) {
  return invalid_input("MESH_UNREADABLE", name, cat(name, " could not be read: ", why),
                       "Export the mesh again with another program.");
}

// Only the importer of the wanted format stays, so that content sniffing cannot hand the bytes to any other.
void keep_only(MeshFormat format, Assimp::Importer* importer) {
  const std::string_view wanted = format == MeshFormat::kPly   ? "Polygon Library"
                                  : format == MeshFormat::kStl ? "Stereolithography"
                                                               : "glTF2";
  std::vector<Assimp::BaseImporter*> others;
  for (size_t i = 0; i < importer->GetImporterCount(); ++i) {
    const std::string_view name = importer->GetImporterInfo(i)->mName;
    if (name.find(wanted) == std::string_view::npos) others.push_back(importer->GetImporter(i));
  }
  for (Assimp::BaseImporter* other : others) {
    importer->UnregisterLoader(other);
    delete other;
  }
}

Eigen::Matrix4d matrix_of(const aiMatrix4x4& m) {
  Eigen::Matrix4d out;
  out << m.a1, m.a2, m.a3, m.a4, m.b1, m.b2, m.b3, m.b4, m.c1, m.c2, m.c3, m.c4, m.d1, m.d2, m.d3, m.d4;
  return out;
}

void append_mesh(const aiMesh& part, const Eigen::Matrix4d& place, TriangleMesh* out) {
  const int first = static_cast<int>(out->positions.size());
  const Eigen::Matrix3d linear = place.topLeftCorner<3, 3>();
  const Vec3 shift = place.topRightCorner<3, 1>();
  for (unsigned i = 0; i < part.mNumVertices; ++i) {
    const aiVector3D& v = part.mVertices[i];
    out->positions.push_back(linear * Vec3(v.x, v.y, v.z) + shift);
  }
  const bool mirrored = linear.determinant() < 0.0;  // a mirror turns triangles inside out
  for (unsigned i = 0; i < part.mNumFaces; ++i) {
    const aiFace& face = part.mFaces[i];
    if (face.mNumIndices != 3) continue;  // stray points and lines
    Triangle t(static_cast<int>(face.mIndices[0]), static_cast<int>(face.mIndices[1]),
               static_cast<int>(face.mIndices[2]));
    if (mirrored) std::swap(t[1], t[2]);
    out->triangles.push_back(t + Triangle::Constant(first));
  }
}

void append_points(const aiMesh& part, const Eigen::Matrix4d& place, PointCloud* out, bool* normals) {
  const Eigen::Matrix3d linear = place.topLeftCorner<3, 3>();
  const Eigen::Matrix3d turn = linear.determinant() != 0.0 ? Eigen::Matrix3d(linear.inverse().transpose()) : linear;
  const Vec3 shift = place.topRightCorner<3, 1>();
  *normals = *normals && part.HasNormals();
  for (unsigned i = 0; i < part.mNumVertices; ++i) {
    const aiVector3D& v = part.mVertices[i];
    out->positions.push_back(linear * Vec3(v.x, v.y, v.z) + shift);
    if (!*normals) continue;
    const aiVector3D& n = part.mNormals[i];
    out->normals.push_back((turn * Vec3(n.x, n.y, n.z)).normalized());
    *normals = out->normals.back().allFinite();
  }
}

// All meshes of all nodes, each where its node puts it, in the order of the file.
template <typename Append>
void for_each_part(const aiScene& scene, Append append) {
  struct Visit {
    const aiNode* node;
    Eigen::Matrix4d place;
  };
  std::vector<Visit> open = {{scene.mRootNode, matrix_of(scene.mRootNode->mTransformation)}};
  while (!open.empty()) {
    const Visit visit = open.back();
    open.pop_back();
    for (unsigned i = 0; i < visit.node->mNumMeshes; ++i) {
      append(*scene.mMeshes[visit.node->mMeshes[i]], visit.place);
    }
    for (unsigned i = visit.node->mNumChildren; i-- > 0;) {
      const aiNode* child = visit.node->mChildren[i];
      open.push_back({child, visit.place * matrix_of(child->mTransformation)});
    }
  }
}

TriangleMesh flatten(const aiScene& scene) {
  TriangleMesh out;
  for_each_part(scene, [&](const aiMesh& part, const Eigen::Matrix4d& place) { append_mesh(part, place, &out); });
  return out;
}

// Of a scene without triangles.
PointCloud flatten_points(const aiScene& scene) {
  PointCloud out;
  bool normals = true;
  for_each_part(scene, [&](const aiMesh& part, const Eigen::Matrix4d& place) {
    if (part.mPrimitiveTypes == aiPrimitiveType_POINT) append_points(part, place, &out, &normals);
  });
  if (!normals) out.normals.clear();
  return out;
}

// Removes what is no triangle and what is there twice, telling how much.
void clean(open3d::geometry::TriangleMesh* mesh, std::vector<std::string>* healed) {
  const size_t read = mesh->triangles_.size();
  mesh->RemoveDegenerateTriangles();
  const size_t kept = mesh->triangles_.size();
  if (kept < read) healed->push_back(cat("removed ", read - kept, " triangles without area"));
  mesh->RemoveDuplicatedTriangles();
  if (mesh->triangles_.size() < kept) {
    healed->push_back(cat("removed ", kept - mesh->triangles_.size(), " repeated triangles"));
  }
}

// Exact repairs only, each told. Nothing moves.
ParsedMesh heal(TriangleMesh mesh, const MeshFacts& facts) {
  ParsedMesh out;
  const auto read = static_cast<int64_t>(mesh.triangles.size());
  if (read != facts.triangles) out.healed.push_back(cat("kept ", read, " of ", facts.triangles, " triangles"));
  if (facts.referenced < facts.vertices) {
    out.healed.push_back(cat("dropped ", facts.vertices - facts.referenced, " vertices that no face uses"));
  }
  const int64_t welded = weld_open_edges(&mesh);
  if (welded > 0) out.healed.push_back(cat("welded ", facts.referenced, " vertices into ", facts.referenced - welded));
  open3d::geometry::TriangleMesh work(std::move(mesh.positions), std::move(mesh.triangles));
  clean(&work, &out.healed);
  work.RemoveUnreferencedVertices();
  out.mesh.positions = std::move(work.vertices_);
  out.mesh.triangles = std::move(work.triangles_);
  return out;
}

absl::StatusOr<ParsedMesh> judged(ParsedMesh out, const std::string& name, const ParseLimits& limits) {
  if (out.mesh.triangles.empty()) {
    return invalid_input("MESH_EMPTY", name, cat(name, " has no triangle with an area"), "Export the body again.");
  }
  RETURN_IF_ERROR(check_mesh_counts(out.mesh.vertex_count(), out.mesh.triangle_count(), name, limits));
  RETURN_IF_ERROR(validate(out.mesh, name));
  return out;
}

// What the library makes of the file, while it lives.
template <typename Use>
absl::StatusOr<ParsedMesh> read_with_assimp(const std::string& bytes, MeshFormat format, const std::string& name,
                                            Use use) {
  Assimp::Importer importer;
  importer.SetIOHandler(new NoFiles);
  keep_only(format, &importer);
  const aiScene* scene = importer.ReadFileFromMemory(bytes.data(), bytes.size(), aiProcess_Triangulate,
                                                     std::string(mesh_format_name(format)).c_str());
  if (scene == nullptr || scene->mRootNode == nullptr) return unreadable(name, importer.GetErrorString());
  return use(*scene);
}

absl::StatusOr<ParsedMesh> parse_points(const std::string& bytes, const std::string& name) {
  ASSIGN_OR_RETURN(ParsedMesh out, read_with_assimp(bytes, MeshFormat::kGlb, name, [](const aiScene& scene) {
                     return ParsedMesh{{}, flatten_points(scene), {}};
                   }));
  if (out.cloud.positions.empty()) return unreadable(name, "its points are not there");
  RETURN_IF_ERROR(validate(out.cloud, name));
  return out;
}

absl::StatusOr<ParsedMesh> parse_triangles(const std::string& bytes, MeshFormat format, const std::string& name,
                                           const MeshFacts& facts, const ParseLimits& limits) {
  ASSIGN_OR_RETURN(ParsedMesh out, read_with_assimp(bytes, format, name,
                                                    [&](const aiScene& scene) { return heal(flatten(scene), facts); }));
  return judged(std::move(out), name, limits);
}

absl::StatusOr<ParsedMesh> parse_obj(const std::string& bytes, const std::string& name, const ParseLimits& limits) {
  MeshFacts facts;
  ASSIGN_OR_RETURN(TriangleMesh mesh, read_obj(bytes, name, limits, &facts));
  if (facts.points > 0) return read_cloud(bytes, MeshFormat::kObj, name, limits);
  return judged(heal(std::move(mesh), facts), name, limits);
}

absl::StatusOr<ParsedMesh> parse(const std::string& bytes, MeshFormat format, const std::string& name,
                                 const ParseLimits& limits) {
  if (format == MeshFormat::kObj) return parse_obj(bytes, name, limits);
  ParsedMesh cloud;
  ASSIGN_OR_RETURN(const MeshFacts facts, inspect_mesh(bytes, format, name, limits, &cloud));
  if (format == MeshFormat::kGlb && !bytes.starts_with("glTF")) {
    ASSIGN_OR_RETURN(const std::string glb, gltf_as_glb(bytes, name, limits));
    return parse(glb, MeshFormat::kGlb, name, limits);
  }
  if (facts.points == 0) return parse_triangles(bytes, format, name, facts, limits);
  return format == MeshFormat::kGlb ? parse_points(bytes, name) : cloud;
}

// Screened Poisson by Open3D, on this thread alone: more threads give other bytes in every run.
TriangleMesh solve_poisson(const std::vector<Vec3>& points, const std::vector<Vec3>& normals, int depth, double scale) {
  open3d::geometry::PointCloud cloud(points);
  cloud.normals_ = normals;
  run_tasks_inline = true;
  const auto [mesh, densities] = open3d::geometry::TriangleMesh::CreateFromPointCloudPoisson(
      cloud, static_cast<size_t>(depth), 0.0f, static_cast<float>(scale), /*linear_fit=*/false, /*n_threads=*/1);
  run_tasks_inline = false;
  return {std::move(mesh->vertices_), std::move(mesh->triangles_)};
}

absl::StatusOr<Reconstruction> reconstruct(const std::string& bytes, const ParseLimits& limits) {
  ASSIGN_OR_RETURN(const CloudRequest request, decode_cloud_request(bytes, limits));
  ASSIGN_OR_RETURN(Reconstruction out, reconstruct_cloud(request.cloud, request.settings, solve_poisson));
  RETURN_IF_ERROR(check_mesh_counts(out.mesh.vertex_count(), out.mesh.triangle_count(), "surface", limits));
  return out;
}

bool write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(1, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

// Written where memory has run out: nothing may be allocated then, so the answer lies ready.
std::string out_of_memory_answer;
[[noreturn]] void on_out_of_memory() {
  write_all(out_of_memory_answer);
  _exit(0);
}

std::optional<std::string> read_input(const ParseLimits& limits) {
  std::string bytes;
  std::vector<char> buffer(1 << 18);
  for (;;) {
    const ssize_t n = read(0, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return std::nullopt;
    if (n == 0) return bytes;
    bytes.append(buffer.data(), static_cast<size_t>(n));
    if (static_cast<int64_t>(bytes.size()) > limits.max_file_bytes) return bytes;  // inspect_mesh says so
  }
}

// Locked in, then the answer to what descriptor 0 holds: a parsed file for a format, a surface without one.
absl::StatusOr<std::string> answer(std::optional<MeshFormat> format, const std::string& name,
                                   const ParseLimits& limits) {
  RETURN_IF_ERROR(lock_down_process(limits));
  const auto bytes = read_input(limits);
  if (!bytes) return internal_fault("the mesh reader cannot read its input");
  try {
    return format ? encode_mesh(parse(*bytes, *format, name, limits))
                  : encode_reconstruction(reconstruct(*bytes, limits));
  } catch (const std::exception& e) {
    if (format) return unreadable(name, e.what());
    return invalid_input("RECONSTRUCTION_FAILED", name, cat("no surface could be made of the points: ", e.what()),
                         "Scan the person again, from all sides.");
  }
}

int usage() { return 2; }

int run(int argc, char** argv) {
  if (argc != 3 && argc != 8) return usage();
  std::optional<MeshFormat> format;
  if (std::string_view(argv[1]) != "reconstruct") {
    const auto named = mesh_format_from_name(cat(".", argv[1]));
    if (!named.ok()) return usage();
    format = *named;
  }
  const std::string name = clean_file_name(argv[2]);
  ParseLimits limits;
  if (argc == 8) {
    limits.max_file_bytes = std::atoll(argv[3]);
    limits.max_vertices = std::atoi(argv[4]);
    limits.max_triangles = std::atoi(argv[5]);
    limits.address_space_bytes = std::atoll(argv[6]);
    limits.cpu_seconds = std::atoi(argv[7]);
  }
  out_of_memory_answer = encode_mesh(invalid_input(
      "MESH_PARSER_MEMORY", name, cat("reading ", name, " takes more than ", limits.address_space_bytes >> 20, " MB"),
      "Decimate the mesh, or export it again with another program."));
  std::set_new_handler(on_out_of_memory);
  open3d::utility::SetVerbosityLevel(open3d::utility::VerbosityLevel::Error);
  const auto said = answer(format, name, limits);
  const bool written = write_all(said.ok() ? *said : encode_mesh(said.status()));
  _exit(written ? 0 : 1);  // no clean-up of libraries that a hostile file may have upset
}

}  // namespace
}  // namespace tryon

int main(int argc, char** argv) { return tryon::run(argc, argv); }
