// What it is: labels of a mesh's vertices made to hang together: small islands of a label join what surrounds them.
// Units and frame: none. Shapes: label [vertex_count], values below label_count. How it fails: it does not; an island
// without other neighbours stays. Thread rules: pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "server/mesh/triangle_mesh.h"

namespace tryon {

// Vertices that share an edge; those of v stand at [first[v], first[v + 1]) of `to` (each once a triangle).
struct VertexLinks {
  std::vector<int> first;  // [vertex_count + 1]
  std::vector<int> to;
};
VertexLinks vertex_links(const TriangleMesh& mesh);

// Islands of at most `share` of their label's largest one take the commonest label beside them.
void absorb_islands(const VertexLinks& links, int label_count, double share, std::vector<uint8_t>* label);

}  // namespace tryon
