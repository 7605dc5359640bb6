// What it is: where the vertices on a pattern's outlines go, decided before any panel is meshed and for both partners
// of a seam at once: the same fractions of their arc lengths, so that gathers are even and no side gets a point alone.
// Notches, and places where internal lines end, are points on both sides; a notch that faces one of the partner's meets
// it, and the cloth between them is shared out evenly.
// Units: metres. Shapes: outlines [panel]; points of edge e are first[e] .. first[e + 1], its end included.
// How it fails: GARMENT_TOO_LARGE, PANEL_TOO_FINE naming the panel. Thread rules: one object, one thread; refine() runs
// its panels on the executor; the result depends neither on their order nor on the number of threads.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "server/base/run_context.h"
#include "server/garment/mesh_lines.h"
#include "server/garment/pattern.h"

namespace tryon {

struct PanelOutline {
  std::vector<Vec2> points;
  std::vector<int> first;       // [edge_count] index of the edge's first point; its last is the next edge's first
  std::vector<int> side_edge;   // [point_count] the edge that the side from point i runs along
  std::vector<int> side_index;  // [point_count] and which of its segments that is
  std::vector<double> share;    // [point_count] where on that edge the point lies
};

class OutlinePlan {
 public:
  OutlinePlan(const Pattern& pattern, double edge_m);

  // Halves segments until no curve is coarse and Ruppert's rule is content; the panels sampled anew, ascending.
  absl::StatusOr<std::vector<int>> refine(const RunContext& run);
  // Halves the given sides of each panel, and their partners. refine() after.
  void halve(const std::vector<std::vector<int>>& sides);

  const std::vector<PanelOutline>& outlines() const { return outlines_; }
  const std::vector<PanelMarks>& marks() const { return marks_; }  // [panel]
  MarkedDomain domain(int panel) const { return marked_domain(marks_[panel], outlines_[panel], edge_m_); }

 private:
  struct Partner {
    int panel = 0, edge = 0;
    bool same_direction = false;
  };
  struct Edge {
    std::vector<double> stops = {0.0, 1.0};  // shares that are points in any case, ascending
    std::vector<int> counts;                 // even segments between them to begin with
    int count = 0;                           // their sum; 0: so short that the edge is one point
    std::vector<int64_t> cuts;               // ascending, in 1/kParts of a segment, from 0 to count * kParts
    std::vector<Partner> partners;           // all that seams join to it: one, or the layers of a pleat

    double share(double cut) const;
  };
  struct Stop {
    double here;                // a share of an edge
    std::vector<double> there;  // [partners] and of its partners, in the edge's own direction
  };
  struct Fault {
    bool crosses = false;
    std::vector<int> sides;
  };

  Edge& at(int panel, int edge) { return edges_[panel][edge]; }
  void join_partners();
  std::vector<double> marked_shares(int panel, int edge) const;
  std::vector<Stop> stops_of(int panel, int edge, double length) const;
  void add_stop(const Edge& e, int partner, double share, double gap, std::vector<Stop>* wanted) const;
  void share_out(int panel, int edge, const std::vector<std::vector<double>>& lengths);
  void set_counts(int panel, int edge, const std::vector<int>& counts);
  void set_partner(const Partner& partner, std::vector<double> stops, std::vector<int> counts);
  bool cut(int panel, int edge, int64_t where);
  void sample(int panel);
  void note_coarse_curves(int panel, std::vector<int>* sides) const;
  absl::StatusOr<Fault> look(int panel) const;
  void unfold(int panel, std::vector<bool>* changed);
  absl::Status check_size(int panel) const;

  const Pattern& pattern_;
  const double edge_m_;
  std::vector<PanelMarks> marks_;         // [panel]
  std::vector<std::vector<Edge>> edges_;  // [panel][edge]
  std::vector<PanelOutline> outlines_;
  std::vector<std::vector<Vec2>> middles_;  // [panel][side] the point of the curve between a side's ends
  std::vector<bool> dirty_;
};

}  // namespace tryon
