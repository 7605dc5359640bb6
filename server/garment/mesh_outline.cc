#include "server/garment/mesh_outline.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/base/units.h"
#include "server/garment/pattern_curve.h"
#include "server/mesh/predicates.h"
#include "server/mesh/triangulate.h"

namespace tryon {
namespace {

constexpr double kCollapse = 0.15;      // shorter edges (fraction of edge_m) become one point: no needles
constexpr double kSagitta = 0.07;       // of a chord: a curve turns by no more than 32 degrees from chord to chord ...
constexpr double kStopGap = 0.5;        // of an edge: notches and ends of lines nearer than this are one point
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
    marks_.push_back(panel_marks(panel, edge_m));
  }
  join_partners();
  for (int p = 0; p < static_cast<int>(edges_.size()); ++p) {
    for (int e = 0; e < static_cast<int>(edges_[p].size()); ++e) {
      const std::vector<Partner>& others = at(p, e).partners;
      const bool first = std::all_of(others.begin(), others.end(), [&](const Partner& other) {
        return std::pair(p, e) < std::pair(other.panel, other.edge);
      });
      if (first) share_out(p, e, lengths);
    }
  }
  outlines_.resize(edges_.size());
  middles_.resize(edges_.size());
  dirty_.assign(edges_.size(), true);
}

// Everything that stitches join to an edge, whether directly or by way of others, is its partner.
void OutlinePlan::join_partners() {
  std::vector<std::vector<std::vector<Partner>>> joined(edges_.size());
  for (size_t p = 0; p < edges_.size(); ++p) joined[p].resize(edges_[p].size());
  for (const Stitch& s : pattern_.stitches) {
    joined[s.a.panel][s.a.edge].push_back({s.b.panel, s.b.edge, s.right_wrong});
    joined[s.b.panel][s.b.edge].push_back({s.a.panel, s.a.edge, s.right_wrong});
  }
  for (int p = 0; p < static_cast<int>(edges_.size()); ++p) {
    for (int e = 0; e < static_cast<int>(edges_[p].size()); ++e) {
      std::vector<Partner> found = {{p, e, true}};
      for (size_t i = 0; i < found.size(); ++i) {
        const Partner from = found[i];
        for (const Partner& next : joined[from.panel][from.edge]) {
          const bool known = std::any_of(found.begin(), found.end(), [&](const Partner& x) {
            return x.panel == next.panel && x.edge == next.edge;
          });
          if (!known) found.push_back({next.panel, next.edge, next.same_direction == from.same_direction});
        }
      }
      at(p, e).partners.assign(found.begin() + 1, found.end());
    }
  }
}

double OutlinePlan::Edge::share(double cut) const {
  const double segment = cut / static_cast<double>(kParts);
  size_t piece = 0;
  int first = 0;
  while (piece + 1 < counts.size() && segment > first + counts[piece]) first += counts[piece++];
  const double from = stops[piece], to = stops[piece + 1];
  return segment >= first + counts[piece] ? to : from + (to - from) * (segment - first) / counts[piece];
}

// Notches and ends of lines on an edge, ascending.
std::vector<double> OutlinePlan::marked_shares(int panel, int edge) const {
  std::vector<double> out;
  for (const OutlinePlace& n : marks_[panel].notches) {
    if (n.edge == edge) out.push_back(n.at);
  }
  for (const MarkedLine& line : marks_[panel].lines) {
    if (line.starts_on_outline && line.start.edge == edge) out.push_back(line.start.at);
    if (line.ends_on_outline && line.end.edge == edge) out.push_back(line.end.at);
  }
  std::sort(out.begin(), out.end());
  return out;
}

// A mark of a partner meets the edge's own mark that it nearly faces; else it stands alone, on all of them.
void OutlinePlan::add_stop(const Edge& e, int partner, double share, double gap, std::vector<Stop>* wanted) const {
  const auto k = static_cast<size_t>(partner);
  Stop* near = nullptr;
  for (Stop& stop : *wanted) {
    const bool free = stop.there[k] == stop.here;
    if (free && std::abs(stop.here - share) < gap &&
        (near == nullptr || std::abs(stop.here - share) < std::abs(near->here - share))) {
      near = &stop;
    }
  }
  if (near != nullptr) {
    near->there[k] = share;
  } else {
    wanted->push_back({share, std::vector<double>(e.partners.size(), share)});
  }
}

// Stops of an edge and of its partners, seen in the edge's own direction. Those that nearly face each other meet; where
// two would lie too near to each other, the one nearer to an end of the edge stays.
std::vector<OutlinePlan::Stop> OutlinePlan::stops_of(int panel, int edge, double length) const {
  const Edge& e = edges_[panel][edge];
  const double gap = kStopGap * edge_m_ / std::max(length, 1e-9);
  std::vector<Stop> wanted;
  for (const double h : marked_shares(panel, edge)) wanted.push_back({h, std::vector<double>(e.partners.size(), h)});
  for (size_t k = 0; k < e.partners.size(); ++k) {
    const Partner& partner = e.partners[k];
    for (const double t : marked_shares(partner.panel, partner.edge)) {
      add_stop(e, static_cast<int>(k), partner.same_direction ? t : 1.0 - t, gap, &wanted);
    }
  }
  auto from_end = [](const Stop& s) { return std::min(s.here, 1.0 - s.here); };
  std::stable_sort(wanted.begin(), wanted.end(), [&](const Stop& x, const Stop& y) {
    return std::pair(from_end(x), x.here) < std::pair(from_end(y), y.here);
  });
  const std::vector<double> zeros(e.partners.size(), 0.0), ones(e.partners.size(), 1.0);
  std::vector<Stop> out = {{0.0, zeros}, {1.0, ones}};
  for (const Stop& s : wanted) {
    const bool room = std::all_of(out.begin(), out.end(), [&](const Stop& o) {
      const double x = s.here - o.here;
      bool apart = std::abs(x) >= gap;
      for (size_t k = 0; k < s.there.size(); ++k) {
        const double y = s.there[k] - o.there[k];
        apart = apart && std::abs(y) >= gap && (x > 0.0) == (y > 0.0);
      }
      return apart;
    });
    if (room) out.push_back(s);
  }
  std::sort(out.begin(), out.end(), [](const Stop& x, const Stop& y) { return x.here < y.here; });
  return out;
}

// Even segments between stops, of the mean length of all sides, for an edge and its partners at once.
void OutlinePlan::share_out(int panel, int edge, const std::vector<std::vector<double>>& lengths) {
  Edge& e = at(panel, edge);
  const auto side_length = [&](size_t k) { return lengths[e.partners[k].panel][e.partners[k].edge]; };
  const double sides = 1.0 + static_cast<double>(e.partners.size());
  double mean = lengths[panel][edge];
  for (size_t k = 0; k < e.partners.size(); ++k) mean += side_length(k);
  mean /= sides;
  std::vector<Stop> stops = {{0.0, std::vector<double>(e.partners.size(), 0.0)},
                             {1.0, std::vector<double>(e.partners.size(), 1.0)}};
  std::vector<int> counts = {0};
  if (mean >= kCollapse * edge_m_) {
    stops = stops_of(panel, edge, mean);
    counts.clear();
    for (size_t i = 0; i + 1 < stops.size(); ++i) {
      const Stop &a = stops[i], &b = stops[i + 1];
      double length = (b.here - a.here) * lengths[panel][edge];
      for (size_t k = 0; k < e.partners.size(); ++k) length += (b.there[k] - a.there[k]) * side_length(k);
      const double count = std::min<double>(std::max(1.0, std::round(length / sides / edge_m_)), kMaxOutlinePoints + 1);
      counts.push_back(static_cast<int>(count));
    }
  }
  e.stops.clear();
  for (const Stop& s : stops) e.stops.push_back(s.here);
  set_counts(panel, edge, counts);
  for (size_t k = 0; k < e.partners.size(); ++k) {
    std::vector<double> there;
    for (const Stop& s : stops) there.push_back(s.there[k]);
    set_partner(e.partners[k], std::move(there), counts);
  }
}

// What was decided in an edge's own direction, for one of its partners; no stops: those that it has.
void OutlinePlan::set_partner(const Partner& partner, std::vector<double> stops, std::vector<int> counts) {
  if (!partner.same_direction) {
    for (double& t : stops) t = 1.0 - t;
    std::reverse(stops.begin(), stops.end()), std::reverse(counts.begin(), counts.end());
  }
  if (!stops.empty()) at(partner.panel, partner.edge).stops = std::move(stops);
  set_counts(partner.panel, partner.edge, counts);
}

void OutlinePlan::set_counts(int panel, int edge, const std::vector<int>& counts) {
  Edge& e = at(panel, edge);
  e.counts = counts;
  e.count = std::accumulate(counts.begin(), counts.end(), 0);
  e.cuts.clear();
  for (int64_t k = 0; k <= e.count && e.count > 0; ++k) e.cuts.push_back(k * kParts);
}

bool OutlinePlan::cut(int panel, int edge, int64_t where) {
  std::vector<int64_t>& cuts = at(panel, edge).cuts;
  const auto place = std::lower_bound(cuts.begin(), cuts.end(), where);
  if (place != cuts.end() && *place == where) return false;
  cuts.insert(place, where);
  return true;
}

void OutlinePlan::sample(int panel) {
  PanelOutline out;
  std::vector<Vec2> middles;
  const Panel& cloth = pattern_.panels[panel];
  for (size_t e = 0; e < edges_[panel].size(); ++e) {
    out.first.push_back(static_cast<int>(out.points.size()));
    const Edge& edge = edges_[panel][e];
    if (edge.count == 0) continue;
    const PanelEdge& drawn = cloth.edges[e];
    const CurveShape shape(cloth.vertices[drawn.start], cloth.vertices[drawn.end], drawn.curve);
    for (size_t i = 0; i + 1 < edge.cuts.size(); ++i) {
      out.share.push_back(edge.share(static_cast<double>(edge.cuts[i])));
      out.points.push_back(shape.at(out.share.back()));
      middles.push_back(shape.at(edge.share(0.5 * static_cast<double>(edge.cuts[i] + edge.cuts[i + 1]))));
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
  note_coarse_curves(panel, &fault.sides);
  MarkedDomain marked{PlanarDomain{points, {}, {}}, {}};
  if (fault.sides.empty()) marked = domain(panel);  // lines are drawn when the curves are smooth
  ASSIGN_OR_RETURN(const std::vector<int> sides,
                   without_faulty_marks(&marked, [&](const PlanarDomain& d) { return long_sides(d, edge_m_); }));
  fault.sides.insert(fault.sides.end(), sides.begin(), sides.end());
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
    std::vector<int> counts = edge.counts;
    for (int& count : counts) count = std::max(1, 2 * count);
    set_counts(panel, e, counts);
    (*changed)[panel] = true;
    for (const Partner& partner : edge.partners) {
      set_partner(partner, {}, counts);
      (*changed)[partner.panel] = true;
    }
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
      for (const Partner& partner : edge.partners) {
        const int64_t there = partner.same_direction ? middle / 2 : edge.count * kParts - middle / 2;
        if (cut(partner.panel, partner.edge, there)) dirty_[partner.panel] = true;
      }
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
