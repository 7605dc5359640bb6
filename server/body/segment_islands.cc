#include "server/body/segment_islands.h"

#include <algorithm>

namespace tryon {
namespace {

std::vector<int> flood(const VertexLinks& links, const std::vector<uint8_t>& label, int start,
                       std::vector<char>* seen) {
  std::vector<int> island = {start};
  (*seen)[start] = 1;
  for (size_t i = 0; i < island.size(); ++i) {
    for (int k = links.first[island[i]]; k < links.first[island[i] + 1]; ++k) {
      const int w = links.to[k];
      if ((*seen)[w] || label[w] != label[start]) continue;
      (*seen)[w] = 1;
      island.push_back(w);
    }
  }
  return island;
}

uint8_t commonest_beside(const VertexLinks& links, const std::vector<int>& island, int label_count,
                         const std::vector<uint8_t>& label) {
  const uint8_t own = label[island[0]];
  std::vector<int> count(static_cast<size_t>(label_count), 0);
  for (int v : island) {
    for (int k = links.first[v]; k < links.first[v + 1]; ++k) count[label[links.to[k]]] += label[links.to[k]] != own;
  }
  const auto best = std::max_element(count.begin(), count.end());
  return *best > 0 ? static_cast<uint8_t>(best - count.begin()) : own;
}

}  // namespace

VertexLinks vertex_links(const TriangleMesh& mesh) {
  VertexLinks links;
  links.first.assign(mesh.positions.size() + 1, 0);
  for (const Triangle& t : mesh.triangles) {
    for (int k = 0; k < 3; ++k) links.first[t[k] + 1] += 2;
  }
  for (size_t v = 0; v < mesh.positions.size(); ++v) links.first[v + 1] += links.first[v];
  links.to.resize(static_cast<size_t>(links.first.back()));
  std::vector<int> next(links.first.begin(), links.first.end() - 1);
  for (const Triangle& t : mesh.triangles) {
    for (int k = 0; k < 3; ++k) {
      links.to[next[t[k]]++] = t[(k + 1) % 3];
      links.to[next[t[k]]++] = t[(k + 2) % 3];
    }
  }
  return links;
}

void absorb_islands(const VertexLinks& links, int label_count, double share, std::vector<uint8_t>* label) {
  std::vector<char> seen(label->size(), 0);
  std::vector<std::vector<int>> islands;
  std::vector<size_t> main_size(static_cast<size_t>(label_count), 0);
  for (size_t start = 0; start < label->size(); ++start) {
    if (seen[start]) continue;
    islands.push_back(flood(links, *label, static_cast<int>(start), &seen));
    size_t& largest = main_size[(*label)[start]];
    largest = std::max(largest, islands.back().size());
  }
  for (const std::vector<int>& island : islands) {
    if (island.size() > share * static_cast<double>(main_size[(*label)[island[0]]])) continue;
    const uint8_t joins = commonest_beside(links, island, label_count, *label);
    for (int v : island) (*label)[v] = joins;
  }
}

}  // namespace tryon
