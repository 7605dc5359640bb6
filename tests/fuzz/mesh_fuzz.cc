// Our own readers of meshes: the looks that go before a library (PLY, STL, glTF, PCD), and OBJ and clouds whole.
#include "server/io/cloud_file.h"
#include "server/io/mesh_preflight.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tryon;
  if (size > 64 << 10) return 0;
  const std::string_view bytes = fuzz::text(data, size);
  ParseLimits limits;
  limits.max_vertices = limits.max_triangles = 20'000;
  for (const MeshFormat format :
       {MeshFormat::kObj, MeshFormat::kPly, MeshFormat::kStl, MeshFormat::kGlb, MeshFormat::kPcd}) {
    ParsedMesh cloud;
    const auto facts = inspect_mesh(bytes, format, "scan", limits, &cloud);
    fuzz::must_be_told(facts.status());
    if (facts.ok()) fuzz::must(facts->vertices <= limits.max_vertices, "no more vertices than allowed");
  }
  MeshFacts facts;
  const auto mesh = read_obj(bytes, "scan.obj", limits, &facts);
  fuzz::must_be_told(mesh.status());
  for (const MeshFormat format : {MeshFormat::kObj, MeshFormat::kPcd, MeshFormat::kPly}) {
    fuzz::must_be_told(read_cloud(bytes, format, "scan", limits).status());
  }
  fuzz::must_be_told(gltf_as_glb(bytes, "scan.gltf", limits).status());
  return 0;
}
