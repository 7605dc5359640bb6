#include "server/garment/mesh_outline.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/base/units.h"
#include "server/mesh/predicates.h"
#include "server/mesh/triangulate.h"

namespace tryon {
namespace {

constexpr double kCollapse = 0.15;      // shorter edges (fraction of edge_m) become one point: no needles
constexpr double kSagitta = 0.07;       // of a chord: a curve turns by no more than 32 degrees from chord to chord ...
constexpr double kShortestChord = 0.5;  // ... unless chords are shorter than this fraction of edge_m already
constexpr int64_t kParts = 64;          // a segment may be halved six times
constexpr int kMaxRounds = 24;
constexpr int kMaxOutlinePoints = 20'000;  // of one panel

absl::Status too_large(const Panel& panel, double edge_m) {
  return invalid_input("GARMENT_TOO_LARGE", cat("pattern.panels[", panel.name, "]"),
                       cat("the outline of panel ", panel.name, " would need more than ", kMaxOutlinePoints,
                           " points at ", to_mm(edge_m), " mm"),
                       "Ask for a coarser resolution, or check the unit of the file.");
}

absl::Status too_fine(const Panel& panel, double edge_m) {
  return invalid_input("PANEL_TOO_FINE", cat("pattern.panels[", panel.name, "]"),
                       cat("panel ", panel.name, " is too narrow to be cut at ", to_mm(edge_m), " mm"),
                       "Ask for a finer resolution, or widen the panel.");
}

}  // namespace

OutlinePlan::OutlinePlan(const Pattern& pattern, double edge_m) : pattern_(pattern), edge_m_(edge_m) {
  std::vector<std::vector<double>> lengths;
  for (const Panel& panel : pattern.panels) {
    lengths.emplace_back();
    for (size_t e = 0; e < panel.edges.size(); ++e) lengths.back().push_back(edge_length(panel, static_cast<int>(e)));
    edges_.emplace_back(panel.edges.size());
  }
  for (const Stitch& s : pattern.stitches) {
    double &a = lengths[s.a.panel][s.a.edge], &b = lengths[s.b.panel][s.b.edge];
    a = b = 0.5 * (a + b);
    Edge &left = at(s.a.panel, s.a.edge), &right = at(s.b.panel, s.b.edge);
    left.panel = s.b.panel, left.edge = s.b.edge, left.same_direction = s.right_wrong;
    right.panel = s.a.panel, right.edge = s.a.edge, right.same_direction = s.right_wrong;
  }
  for (size_t p = 0; p < lengths.size(); ++p) {
    for (size_t e = 0; e < lengths[p].size(); ++e) {
      const double length = lengths[p][e];
      const double count = std::min<double>(std::max(1.0, std::round(length / edge_m)), kMaxOutlinePoints + 1);
      set_count(static_cast<int>(p), static_cast<int>(e), length < kCollapse * edge_m ? 0 : static_cast<int>(count));
    }
  }
  outlines_.resize(edges_.size());
  middles_.resize(edges_.size());
  dirty_.assign(edges_.size(), true);
}

void OutlinePlan::set_count(int panel, int edge, int count) {
  Edge& e = at(panel, edge);
  e.count = count;
  e.cuts.clear();
  for (int64_t k = 0; k <= count && count > 0; ++k) e.cuts.push_back(k * kParts);
}

bool OutlinePlan::cut(int panel, int edge, int64_t where) {
  std::vector<int64_t>& cuts = at(panel, edge).cuts;
  const auto place = std::lower_bound(cuts.begin(), cuts.end(), where);
  if (place != cuts.end() && *place == where) return false;
  cuts.insert(place, where);
  return true;
}

// Samples each edge twice as finely as its shortest segment needs, so that middles of segments are at hand.
void OutlinePlan::sample(int panel) {
  PanelOutline out;
  std::vector<Vec2> middles;
  for (size_t e = 0; e < edges_[panel].size(); ++e) {
    out.first.push_back(static_cast<int>(out.points.size()));
    const Edge& edge = edges_[panel][e];
    if (edge.count == 0) continue;
    int64_t step = kParts;
    for (const int64_t c : edge.cuts) {
      while (c % step != 0) step /= 2;
    }
    const int64_t fine = std::max<int64_t>(1, step / 2);
    const std::vector<Vec2> points =
        sample_edge(pattern_.panels[panel], static_cast<int>(e), static_cast<int>(edge.count * kParts / fine));
    for (size_t i = 0; i + 1 < edge.cuts.size(); ++i) {
      out.points.push_back(points[edge.cuts[i] / fine]);
      middles.push_back(points[(edge.cuts[i] + edge.cuts[i + 1]) / 2 / fine]);
      out.side_edge.push_back(static_cast<int>(e));
      out.side_index.push_back(static_cast<int>(i));
    }
  }
  outlines_[panel] = std::move(out);
  middles_[panel] = std::move(middles);
}

void OutlinePlan::note_coarse_curves(int panel, std::vector<int>* sides) const {
  const std::vector<Vec2>& points = outlines_[panel].points;
  for (size_t i = 0; i < points.size(); ++i) {
    const Vec2 &a = points[i], &b = points[(i + 1) % points.size()];
    const double chord = (b - a).norm();
    if (chord < kShortestChord * edge_m_ || (middles_[panel][i] - 0.5 * (a + b)).norm() < kSagitta * chord) continue;
    sides->push_back(static_cast<int>(i));
  }
}

absl::StatusOr<OutlinePlan::Fault> OutlinePlan::look(int panel) const {
  Fault fault;
  const std::vector<Vec2>& points = outlines_[panel].points;
  fault.crosses = points.size() < 3 || find_crossing(points).has_value();
  if (fault.crosses) return fault;
  ASSIGN_OR_RETURN(fault.sides, long_sides(PlanarDomain{points, {}, {}}, edge_m_));
  note_coarse_curves(panel, &fault.sides);
  return fault;
}

// An outline that crosses itself when sampled coarsely: collapsed edges get their length back; where none are, every
// edge is halved. Partners follow.
void OutlinePlan::unfold(int panel, std::vector<bool>* changed) {
  bool collapsed = false;
  for (const Edge& e : edges_[panel]) collapsed = collapsed || e.count == 0;
  for (int e = 0; e < static_cast<int>(edges_[panel].size()); ++e) {
    const Edge edge = at(panel, e);
    if (collapsed && edge.count > 0) continue;
    const int count = std::max(1, 2 * edge.count);
    set_count(panel, e, count);
    (*changed)[panel] = true;
    if (edge.panel < 0) continue;
    set_count(edge.panel, edge.edge, count);
    (*changed)[edge.panel] = true;
  }
}

void OutlinePlan::halve(const std::vector<std::vector<int>>& sides) {
  const std::vector<std::vector<Edge>> before = edges_;
  for (int p = 0; p < static_cast<int>(sides.size()); ++p) {
    for (const int side : sides[p]) {
      const int e = outlines_[p].side_edge[side], i = outlines_[p].side_index[side];
      const Edge& edge = before[p][e];
      const int64_t middle = edge.cuts[i] + edge.cuts[i + 1];
      if (middle % 2 != 0 || edge.count != at(p, e).count) continue;
      if (cut(p, e, middle / 2)) dirty_[p] = true;
      if (edge.panel < 0) continue;
      const int64_t there = edge.same_direction ? middle / 2 : edge.count * kParts - middle / 2;
      if (cut(edge.panel, edge.edge, there)) dirty_[edge.panel] = true;
    }
  }
}

absl::Status OutlinePlan::check_size(int panel) const {
  double points = 0.0;
  for (const Edge& e : edges_[panel]) points += static_cast<double>(e.cuts.size());
  if (points > kMaxOutlinePoints) return too_large(pattern_.panels[panel], edge_m_);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<int>> OutlinePlan::refine(const RunContext& run) {
  const int count = static_cast<int>(edges_.size());
  std::vector<bool> sampled(count, false);
  for (int round = 0; round < kMaxRounds; ++round) {
    for (int p = 0; p < count; ++p) {
      if (dirty_[p]) RETURN_IF_ERROR(check_size(p));
      sampled[p] = sampled[p] || dirty_[p];
    }
    std::vector<std::optional<absl::StatusOr<Fault>>> faults(count);
    run.parallel_for(count, 1, [&](int64_t begin, int64_t end) {
      for (int p = static_cast<int>(begin); p < end; ++p) {
        if (!dirty_[p]) continue;
        sample(p);
        faults[p] = look(p);
      }
    });
    RETURN_IF_ERROR(run.check());
    std::vector<std::vector<int>> sides(count);
    std::vector<bool> unfolded(count, false);
    int crossing = -1;
    for (int p = 0; p < count; ++p) {
      if (!faults[p]) continue;
      RETURN_IF_ERROR(faults[p]->status());
      if ((*faults[p])->crosses) unfold(crossing = p, &unfolded);
      sides[p] = std::move((*faults[p])->sides);
    }
    if (crossing >= 0 && round >= kMaxRounds / 2) return too_fine(pattern_.panels[crossing], edge_m_);
    dirty_ = unfolded;
    if (crossing < 0) halve(sides);  // else they may count segments that are no more
    for (int p = 0; p < count && crossing >= 0; ++p) dirty_[p] = dirty_[p] || !sides[p].empty();
    if (std::find(dirty_.begin(), dirty_.end(), true) == dirty_.end()) break;
  }
  std::vector<int> changed;
  for (int p = 0; p < count; ++p) {
    if (sampled[p]) changed.push_back(p);
  }
  return changed;
}

}  // namespace tryon
