#include "server/garment/crossings.h"

#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>

#include <algorithm>
#include <numeric>

namespace tryon {
namespace {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
constexpr double kSamePlace = 1e-6;  // m

Kernel::Point_3 exact(const Vec3& p) { return {p.x(), p.y(), p.z()}; }

Box3 box_of(const GarmentMesh& garment, int triangle) {
  Box3 box;
  for (const int v : garment.triangles[static_cast<size_t>(triangle)]) box.extend(garment.placed[v]);
  return box;
}

}  // namespace

PanelCrossings::PanelCrossings(const GarmentMesh& garment)
    : garment_(garment), triangles_(garment.panel_names.size()), boxes_(garment.panel_names.size()) {
  for (size_t t = 0; t < garment.triangles.size(); ++t) {
    triangles_[garment.triangle_panel[t]].push_back(static_cast<int>(t));
  }
  for (int p = 0; p < panel_count(); ++p) moved(p);
}

void PanelCrossings::moved(int p) {
  boxes_[p].setEmpty();
  for (const int t : triangles_[p]) boxes_[p].extend(box_of(garment_, t));
  join_partners();
}

void PanelCrossings::join_partners() {
  same_.resize(garment_.placed.size());
  std::iota(same_.begin(), same_.end(), 0);
  const auto root = [this](int v) {
    while (same_[v] != v) v = same_[v] = same_[same_[v]];
    return v;
  };
  for (const Seam& seam : garment_.seams) {
    for (size_t k = 0; k < seam.left.size(); ++k) {
      if ((garment_.placed[seam.left[k]] - garment_.placed[seam.right[k]]).norm() > kSamePlace) continue;
      const int a = root(seam.left[k]), b = root(seam.right[k]);
      same_[std::max(a, b)] = std::min(a, b);
    }
  }
  for (size_t v = 0; v < same_.size(); ++v) same_[v] = root(static_cast<int>(v));
}

bool PanelCrossings::triangles_cross(int a, int b) const {
  const Triangle &s = garment_.triangles[a], &t = garment_.triangles[b];
  for (const int v : s) {
    for (const int w : t) {
      if (same_[v] == same_[w]) return false;
    }
  }
  const auto place = [this](int v) { return exact(garment_.placed[v]); };
  const Kernel::Triangle_3 first(place(s[0]), place(s[1]), place(s[2])), second(place(t[0]), place(t[1]), place(t[2]));
  return !first.is_degenerate() && !second.is_degenerate() && CGAL::do_intersect(first, second);
}

std::vector<std::pair<int, int>> PanelCrossings::between(int p, int q, size_t limit) const {
  std::vector<std::pair<int, int>> pairs;
  const Box3 shared = boxes_[p].intersection(boxes_[q]);
  if (shared.isEmpty()) return pairs;
  struct Entry {
    Box3 box;
    int triangle;
  };
  const auto near = [&](int panel) {
    std::vector<Entry> entries;
    for (const int t : triangles_[panel]) {
      const Box3 box = box_of(garment_, t);
      if (box.intersects(shared)) entries.push_back({box, t});
    }
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      return std::make_pair(a.box.min().y(), a.triangle) < std::make_pair(b.box.min().y(), b.triangle);
    });
    return entries;
  };
  const std::vector<Entry> first = near(p), second = near(q);
  double tallest = 0.0;
  for (const Entry& e : second) tallest = std::max(tallest, e.box.sizes().y());
  for (const Entry& a : first) {
    const auto begin = std::lower_bound(second.begin(), second.end(), a.box.min().y() - tallest,
                                        [](const Entry& e, double y) { return e.box.min().y() < y; });
    for (auto b = begin; b != second.end() && b->box.min().y() <= a.box.max().y(); ++b) {
      if ((p == q && a.triangle >= b->triangle) || !a.box.intersects(b->box) ||
          !triangles_cross(a.triangle, b->triangle))
        continue;
      pairs.emplace_back(std::min(a.triangle, b->triangle), std::max(a.triangle, b->triangle));
      if (pairs.size() >= limit) return pairs;
    }
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

std::vector<std::pair<int, int>> panel_crossings(const GarmentMesh& garment) {
  const PanelCrossings crossings(garment);
  std::vector<std::pair<int, int>> pairs;
  for (int p = 0; p < crossings.panel_count(); ++p) {
    for (int q = p + 1; q < crossings.panel_count(); ++q) {
      const auto found = crossings.between(p, q);
      pairs.insert(pairs.end(), found.begin(), found.end());
    }
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

std::vector<std::pair<int, int>> crossing_panels(const GarmentMesh& garment) {
  const PanelCrossings crossings(garment);
  std::vector<std::pair<int, int>> pairs;
  for (int p = 0; p < crossings.panel_count(); ++p) {
    for (int q = p + 1; q < crossings.panel_count(); ++q) {
      if (crossings.cross(p, q)) pairs.emplace_back(p, q);
    }
  }
  return pairs;
}

}  // namespace tryon
