// What it is: garments whose seams are known, with their seams taken away: for judging proposals of seams and for
// finding their weights. Units: as Pattern. How it fails: throws what a test cannot do without.
#pragma once

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "server/garment/pattern.h"
#include "tests/support/shared_data.h"

namespace tryon::testing {

using EdgeName = std::pair<int, int>;  // panel, edge
using Joint = std::pair<EdgeName, EdgeName>;
inline Joint joint(EdgeName a, EdgeName b) { return a < b ? Joint{a, b} : Joint{b, a}; }

inline std::vector<std::string> all_specifications() {
  std::vector<std::string> files;
  for (const char* folder : {"garmentcode", "garmentcodedata", "garment_pattern_generator"}) {
    const std::string where = shared_data_path(std::string("patterns/") + folder);
    for (const auto& entry : std::filesystem::directory_iterator(where)) {
      if (entry.path().extension() == ".json") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

// The edge of `other`'s outline that is edge e of `panel` seen in a mirror, or an empty list where they are no pair.
inline std::vector<int> mirror_edges(const Panel& panel, const Panel& other) {
  const int n = static_cast<int>(panel.edges.size());
  if (n != static_cast<int>(other.edges.size())) return {};
  for (int shift = 0; shift < n; ++shift) {
    std::vector<int> edges;
    bool same = true;
    for (int e = 0; e < n && same; ++e) {
      edges.push_back(((shift - e) % n + n) % n);
      same = std::abs(edge_length(panel, e) - edge_length(other, edges.back())) < 1e-4;
    }
    if (same) return edges;
  }
  return {};
}

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  return at == std::string::npos ? std::string() : text.replace(at, from.size(), to);
}

// Pieces as they are cut: of left and right ones that mirror each other only one, without any place; and the seams.
struct Pieces {
  Pattern pattern;
  std::set<Joint> seams;  // those of a piece with its own mirror image are not among them
};
inline Pieces as_cut(const Pattern& pattern) {
  const int count = static_cast<int>(pattern.panels.size());
  Pieces out;
  std::vector<int> place(count, -1);
  std::vector<std::vector<int>> edge_of(count);
  for (int p = 0; p < count; ++p) {
    const Panel& panel = pattern.panels[p];
    int twin = -1;
    for (int q = 0; q < p && twin < 0; ++q) {
      const std::string& name = pattern.panels[q].name;
      if (panel.name != replaced(name, "left", "right") && panel.name != replaced(name, "_l", "_r")) continue;
      edge_of[p] = mirror_edges(panel, pattern.panels[q]);
      if (!edge_of[p].empty()) twin = q;
    }
    if (twin >= 0) {
      place[p] = place[twin];
      continue;
    }
    place[p] = static_cast<int>(out.pattern.panels.size());
    for (int e = 0; e < static_cast<int>(panel.edges.size()); ++e) edge_of[p].push_back(e);
    out.pattern.panels.push_back(panel);
    Panel& piece = out.pattern.panels.back();
    piece.placed = false, piece.translation = Vec3::Zero(), piece.rotation = Eigen::Matrix3d::Identity();
    piece.label.clear();
  }
  for (const Stitch& s : pattern.stitches) {
    const EdgeName a = {place[s.a.panel], edge_of[s.a.panel][s.a.edge]};
    const EdgeName b = {place[s.b.panel], edge_of[s.b.panel][s.b.edge]};
    if (a != b) out.seams.insert(joint(a, b));
  }
  return out;
}

}  // namespace tryon::testing
