#include "server/mesh/hierarchy.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/mesh/qem.h"

namespace tryon {
namespace {

absl::Status bad_input(const std::string& field, const std::string& message) {
  return invalid_input("HIERARCHY_INPUT", field, message, "Give indices of corners and vertices that exist.");
}

absl::Status check_settings(const HierarchySettings& s) {
  const auto refuse = [](const std::string& field, const std::string& message) {
    return invalid_input("HIERARCHY_SETTING", field, message, "Choose a value in the range beside the field.");
  };
  if (s.levels < 1 || s.levels > 8) return refuse("levels", cat(s.levels, " levels are not 1 to 8"));
  if (!(s.keep >= 0.05 && s.keep <= 0.95)) return refuse("keep", cat("a share of ", s.keep, " is not 0.05 to 0.95"));
  if (!(s.distance_power > 0.0 && std::isfinite(s.distance_power))) {
    return refuse("distance_power", cat("a power of ", s.distance_power, " is not above 0"));
  }
  if (!(s.corner_turn_degrees > 0.0 && s.corner_turn_degrees <= 180.0)) {
    return refuse("corner_turn_degrees", cat(s.corner_turn_degrees, " degrees are not above 0 up to 180"));
  }
  return absl::OkStatus();
}

absl::Status check_cloth(const FlatCloth& cloth) {
  const int corners = static_cast<int>(cloth.flat.size());
  if (cloth.vertex.size() != cloth.flat.size()) return bad_input("vertex", "not every corner names its vertex");
  for (int w = 0; w < corners; ++w) {
    if (cloth.vertex[w] < 0 || cloth.vertex[w] >= cloth.vertex_count) {
      return bad_input(cat("vertex[", w, "]"), cat("there is no vertex ", cloth.vertex[w]));
    }
    if (!cloth.flat[w].allFinite()) return bad_input(cat("flat[", w, "]"), "it is not finite");
  }
  for (size_t t = 0; t < cloth.triangles.size(); ++t) {
    const Triangle& v = cloth.triangles[t];
    const bool distinct = v[0] != v[1] && v[1] != v[2] && v[2] != v[0];
    if (v.minCoeff() < 0 || v.maxCoeff() >= corners || !distinct) {
      return bad_input(cat("triangles[", t, "]"), "it does not name three corners");
    }
  }
  for (const int v : cloth.locked) {
    if (v < 0 || v >= cloth.vertex_count) return bad_input("locked", cat("there is no vertex ", v));
  }
  for (const auto& line : cloth.lines) {
    for (const int w : line) {
      if (w < 0 || w >= corners) return bad_input("lines", cat("there is no corner ", w));
    }
  }
  return absl::OkStatus();
}

using Row = std::vector<std::pair<int, double>>;  // column, weight

void append_row(Row* row, SparseRows* rows) {
  std::sort(row->begin(), row->end());
  for (size_t i = 0; i < row->size(); ++i) {
    const bool again = i > 0 && (*row)[i].first == (*row)[i - 1].first;
    if (again) {
      rows->weight.back() += (*row)[i].second;
    } else {
      rows->column.push_back((*row)[i].first), rows->weight.push_back((*row)[i].second);
    }
  }
  rows->first.push_back(static_cast<int>(rows->column.size()));
}

// Makes one level after the other; between two of them it knows the finer one's triangles and vertices.
class Builder {
 public:
  Builder(const FlatCloth& cloth, const HierarchySettings& settings)
      : cloth_(cloth), settings_(settings), collapser_(cloth, settings.corner_turn_degrees) {
    fine_.resize(cloth.vertex_count);
    std::iota(fine_.begin(), fine_.end(), 0);
    fine_triangles_ = cloth.triangles;
  }

  CoarseLevel next() {
    collapser_.forget_removed();
    collapser_.reduce(static_cast<int>(std::ceil(settings_.keep * static_cast<double>(fine_.size()))));
    CoarseLevel level;
    std::vector<int> coarse_index(cloth_.vertex_count, -1);
    for (size_t i = 0; i < fine_.size(); ++i) {
      if (!collapser_.is_alive(fine_[i])) continue;
      coarse_index[fine_[i]] = level.vertex_count();
      level.kept.push_back(static_cast<int>(i));
      level.finest.push_back(fine_[i]);
    }
    add_triangles(coarse_index, &level);
    add_rows(coarse_index, &level);
    fine_ = level.finest;
    fine_triangles_.clear();
    for (const Triangle& t : collapser_.triangles()) {
      if (t[0] >= 0) fine_triangles_.push_back(t);
    }
    return level;
  }

 private:
  void add_triangles(const std::vector<int>& coarse_index, CoarseLevel* level) const {
    for (const Triangle& t : collapser_.triangles()) {
      if (t[0] < 0) continue;
      const auto id = [&](int k) { return coarse_index[cloth_.vertex[t[k]]]; };
      if (id(0) == id(1) || id(1) == id(2) || id(2) == id(0)) continue;  // closed up by its own seam, as weld() does
      level->triangles.emplace_back(id(0), id(1), id(2));
      level->corners.push_back(t);
      level->corner_flat.push_back({cloth_.flat[t[0]], cloth_.flat[t[1]], cloth_.flat[t[2]]});
    }
  }

  // Coarse vertices beside each removed one on the finer level, with the flat distance.
  std::vector<Row> parents(const std::vector<int>& coarse_index) const {
    std::vector<Row> out(cloth_.vertex_count);
    for (const Triangle& t : fine_triangles_) {
      for (int k = 0; k < 3; ++k) {
        for (const auto& [w, n] : {std::pair(t[k], t[(k + 1) % 3]), std::pair(t[(k + 1) % 3], t[k])}) {
          const int v = cloth_.vertex[w], parent = coarse_index[cloth_.vertex[n]];
          if (coarse_index[v] >= 0 || parent < 0) continue;
          Row& row = out[v];
          const double distance = (cloth_.flat[w] - cloth_.flat[n]).norm();
          const auto found = std::find_if(row.begin(), row.end(), [&](const auto& e) { return e.first == parent; });
          if (found == row.end()) {
            row.emplace_back(parent, distance);
          } else {
            found->second = std::min(found->second, distance);
          }
        }
      }
    }
    return out;
  }

  // Of a removed vertex in the coarse triangles that hold its corners, evenly where it has two.
  Row barycentric(int vertex, const std::vector<int>& hosts, const std::vector<int>& coarse_index) const {
    Row row;
    const std::vector<int>& corners = collapser_.corners_of()[vertex];
    for (const int w : corners) {
      const Triangle& t = collapser_.triangles()[hosts[w]];
      const Vec2 &a = cloth_.flat[t[0]], u = cloth_.flat[t[1]] - a, v = cloth_.flat[t[2]] - a, p = cloth_.flat[w] - a;
      const double whole = u.x() * v.y() - u.y() * v.x();
      const double second = (p.x() * v.y() - p.y() * v.x()) / whole, third = (u.x() * p.y() - u.y() * p.x()) / whole;
      const double weights[3] = {1.0 - second - third, second, third};
      for (int k = 0; k < 3; ++k) {
        row.emplace_back(coarse_index[cloth_.vertex[t[k]]], weights[k] / static_cast<double>(corners.size()));
      }
    }
    return row;
  }

  // Where all its neighbours went too, the corners of the triangles that hold it stand in.
  Row stand_ins(int vertex, const std::vector<int>& hosts, const std::vector<int>& coarse_index) const {
    Row row;
    for (const int w : collapser_.corners_of()[vertex]) {
      const Triangle& t = collapser_.triangles()[hosts[w]];
      for (int k = 0; k < 3; ++k) {
        const int parent = coarse_index[cloth_.vertex[t[k]]];
        const double distance = (cloth_.flat[w] - cloth_.flat[t[k]]).norm();
        const bool known = std::any_of(row.begin(), row.end(), [&](const auto& e) { return e.first == parent; });
        if (!known) row.emplace_back(parent, distance);
      }
    }
    return row;
  }

  void weigh_by_distance(Row* row) const {
    double sum = 0.0;
    for (auto& [parent, weight] : *row) sum += weight = std::pow(std::max(weight, 1e-12), -settings_.distance_power);
    for (auto& [parent, weight] : *row) weight /= sum;
  }

  void add_rows(const std::vector<int>& coarse_index, CoarseLevel* level) const {
    const std::vector<int> hosts = collapser_.hosts();
    std::vector<Row> near = parents(coarse_index);
    level->inverse_distance.first = level->barycentric.first = {0};
    for (const int v : fine_) {
      Row same = {{coarse_index[v], 1.0}}, held = same;
      if (coarse_index[v] < 0) {
        same = near[v].empty() ? stand_ins(v, hosts, coarse_index) : std::move(near[v]);
        weigh_by_distance(&same);
        held = barycentric(v, hosts, coarse_index);
      }
      append_row(&same, &level->inverse_distance);
      append_row(&held, &level->barycentric);
    }
  }

  const FlatCloth& cloth_;
  const HierarchySettings& settings_;
  Collapser collapser_;
  std::vector<int> fine_;                 // vertices of the level that is being made coarser
  std::vector<Triangle> fine_triangles_;  // its triangles, of corners
};

}  // namespace

FlatCloth flat_sheet(const std::vector<Vec2>& flat, const std::vector<Triangle>& triangles) {
  FlatCloth cloth;
  cloth.flat = flat;
  cloth.triangles = triangles;
  cloth.vertex.resize(flat.size());
  std::iota(cloth.vertex.begin(), cloth.vertex.end(), 0);
  cloth.vertex_count = static_cast<int>(flat.size());
  return cloth;
}

absl::StatusOr<Hierarchy> build_hierarchy(const FlatCloth& cloth, const HierarchySettings& settings) {
  RETURN_IF_ERROR(check_settings(settings));
  RETURN_IF_ERROR(check_cloth(cloth));
  Builder builder(cloth, settings);
  Hierarchy out;
  for (int level = 1; level < settings.levels; ++level) out.coarser.push_back(builder.next());
  return out;
}

}  // namespace tryon
