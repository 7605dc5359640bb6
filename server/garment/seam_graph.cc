#include "server/garment/seam_graph.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/garment/pleats.h"

namespace tryon {
namespace {

constexpr double kShortestPiece = 1e-4;  // metres: cuts nearer than this are one
constexpr double kSnap = 1e-3;           // metres: joints of the two sides nearer than this meet
constexpr double kSnapShare = 0.1;       // ... and than this part of the shorter piece beside them
constexpr size_t kMostPleats = 1000;     // of a pattern
constexpr int kMostRounds = 8;           // of cutting at joints

// Cut points of an edge without those that would leave a sliver.
std::vector<double> thinned(std::vector<double> shares, double length) {
  std::sort(shares.begin(), shares.end());
  const double near = std::min(0.1, kShortestPiece / std::max(length, kShortestPiece));
  std::vector<double> out;
  for (const double s : shares) {
    if (s < near || s > 1.0 - near || (!out.empty() && s - out.back() < near)) continue;
    out.push_back(s);
  }
  return out;
}

// Ends of ranges that lie within a sliver of a cut, or of an end of the edge, move there.
void snap_ends(const std::vector<double>& cuts, double length, int panel, int edge, Pattern* pattern) {
  std::vector<double> stops = {0.0, 1.0};
  stops.insert(stops.end(), cuts.begin(), cuts.end());
  auto snap = [&](double* x) {
    for (const double stop : stops) {
      if (std::abs(*x - stop) * length <= kShortestPiece || std::abs(*x - stop) < 1e-9) *x = stop;
    }
  };
  for (SeamSpec& seam : pattern->seams) {
    for (auto* chain : {&seam.a, &seam.b}) {
      for (SeamRange& r : *chain) {
        if (r.panel == panel && r.edge == edge) snap(&r.from), snap(&r.to);
      }
    }
  }
}

void cut_at_range_ends(Pattern* pattern) {
  std::map<std::pair<int, int>, std::vector<double>> cuts;  // (panel, -edge): the last edges of a panel first
  for (const SeamSpec& seam : pattern->seams) {
    for (const auto* chain : {&seam.a, &seam.b}) {
      for (const SeamRange& r : *chain) {
        std::vector<double>& list = cuts[{r.panel, -r.edge}];
        list.push_back(r.from), list.push_back(r.to);
      }
    }
  }
  for (const auto& [where, shares] : cuts) {
    const int panel = where.first, edge = -where.second;
    const double length = edge_length(pattern->panels[panel], edge);
    const std::vector<double> points = thinned(shares, length);
    snap_ends(points, length, panel, edge, pattern);
    cut_edge(pattern, panel, edge, points);
  }
}

// Where the other side's joints fall on a whole edge, so that both chains have equal pieces.
struct Cuts {
  std::map<std::pair<int, int>, std::vector<double>> of;
};

// Walks both chains at once. Joints that nearly meet are one; every other joint is cut into the partner.
void match_chains(const Pattern& pattern, const SeamSpec& seam, Cuts* cuts) {
  const double total[2] = {chain_length(pattern, seam.a), chain_length(pattern, seam.b)};
  const std::vector<SeamRange>* chain[2] = {&seam.a, &seam.b};
  const double longest = std::max(total[0], total[1]);
  size_t i[2] = {0, 0};
  double begin[2] = {0.0, 0.0};  // share of the chain where the present edge begins
  auto share = [&](int side) { return range_length(pattern, (*chain[side])[i[side]]) / total[side]; };
  while (i[0] < chain[0]->size() && i[1] < chain[1]->size()) {
    const bool last[2] = {i[0] + 1 == chain[0]->size(), i[1] + 1 == chain[1]->size()};
    const double size[2] = {share(0), share(1)};
    const double end[2] = {last[0] ? 1.0 : begin[0] + size[0], last[1] ? 1.0 : begin[1] + size[1]};
    const double near = std::min(kSnap / longest, kSnapShare * std::min(size[0], size[1]));
    const bool meet = std::abs(end[0] - end[1]) <= near || (last[0] && last[1]);
    if (meet && last[0] == last[1]) {
      for (int side : {0, 1}) begin[side] = end[0], ++i[side];
      continue;
    }
    // The side whose edge ends first goes on; the other one is cut there.
    const int first = last[0] ? 1 : last[1] ? 0 : end[0] < end[1] ? 0 : 1, other = 1 - first;
    const SeamRange& r = (*chain[other])[i[other]];
    const double inside = std::clamp((end[first] - begin[other]) / (end[other] - begin[other]), 1e-3, 1.0 - 1e-3);
    cuts->of[{r.panel, -r.edge}].push_back(r.from < r.to ? inside : 1.0 - inside);
    begin[first] = end[first], ++i[first];
  }
}

// Cloth that several seams hold (pleats) hands cuts on to its other partners: rounds, until all joints meet.
void cut_at_joints(Pattern* pattern) {
  for (int round = 0; round < kMostRounds; ++round) {
    Cuts cuts;
    for (const SeamSpec& seam : pattern->seams) {
      if (!seam.b.empty()) match_chains(*pattern, seam, &cuts);
    }
    for (auto& [where, shares] : cuts.of) {
      std::sort(shares.begin(), shares.end());
      const double near = kShortestPiece / edge_length(pattern->panels[where.first], -where.second);
      const auto same = [near](double x, double y) { return y - x < std::min(near, 1e-3); };
      shares.erase(std::unique(shares.begin(), shares.end(), same), shares.end());
      cut_edge(pattern, where.first, -where.second, shares);
    }
    if (cuts.of.empty()) break;
  }
}

void make_stitches(Pattern* pattern) {
  for (int s = 0; s < static_cast<int>(pattern->seams.size()); ++s) {
    const SeamSpec& seam = pattern->seams[s];
    if (seam.b.empty() || (seam.open && seam.closure != SeamSpec::Closure::kNone)) continue;
    for (size_t i = 0; i < std::min(seam.a.size(), seam.b.size()); ++i) {
      const SeamRange &a = seam.a[i], &b = seam.b[i];
      pattern->stitches.push_back(
          {{a.panel, a.edge}, {b.panel, b.edge}, (a.from < a.to) == (b.from < b.to), s, seam.pleat});
    }
  }
}

// ---- darts ----------------------------------------------------------------------------------------------------

// Takes the mouth's cloth out of every seam and mark; the mouth is a whole edge.
void drop_mouth(int panel_index, int edge, Pattern* pattern) {
  auto here = [&](int panel, int e) { return panel == panel_index && e == edge; };
  for (SeamSpec& seam : pattern->seams) {
    for (auto* chain : {&seam.a, &seam.b}) {
      std::erase_if(*chain, [&](const SeamRange& r) { return here(r.panel, r.edge); });
    }
  }
  Panel& panel = pattern->panels[panel_index];
  std::erase_if(panel.notches, [&](const Notch& n) { return n.edge == edge; });
  std::erase_if(panel.pleats, [&](const Pleat& p) { return p.edge == edge; });
}

// The mouth becomes two legs that meet at the tip: halved in place, then its middle moves to the tip in every size.
void sew_dart(int panel_index, size_t dart_index, Pattern* pattern) {
  Panel& panel = pattern->panels[panel_index];
  const Dart dart = panel.darts[dart_index];
  size_t mark = dart_index;
  for (const InternalLine& line : panel.lines) mark += line.points.size();
  panel.darts.erase(panel.darts.begin() + static_cast<long>(dart_index));
  const bool at_start = dart.from < 1e-9;
  const int mouth = dart.edge + (at_start ? 0 : 1);
  std::vector<double> shares;
  if (!at_start) shares.push_back(dart.from);
  if (dart.to < 1.0 - 1e-9) shares.push_back(dart.to);
  cut_edge(pattern, panel_index, dart.edge, shares);
  drop_mouth(panel_index, mouth, pattern);
  cut_edge(pattern, panel_index, mouth, {0.5});
  const int tip = panel.edges[mouth].end;
  panel.vertices[tip] = dart.tip;
  for (int leg : {mouth, mouth + 1}) panel.edges[leg].curve = {}, panel.edges[leg].label = "dart";
  for (SizeVariant& variant : pattern->sizes) {
    PanelShape& shape = variant.panels[panel_index];
    shape.vertices[tip] = shape.marks.empty() ? dart.tip : shape.marks[mark];
    for (int leg : {mouth, mouth + 1}) shape.curves[leg] = {};
    if (!shape.marks.empty()) shape.marks.erase(shape.marks.begin() + static_cast<long>(mark));
  }
  pattern->stitches.push_back({{panel_index, mouth}, {panel_index, mouth + 1}, false, -1, false});
}

// A dart's place on an edge changes when one before it is sewn: the last one of the panel goes first.
void sew_darts(Pattern* pattern) {
  for (int p = 0; p < static_cast<int>(pattern->panels.size()); ++p) {
    std::vector<Dart>& darts = pattern->panels[p].darts;
    while (!darts.empty()) {
      size_t last = 0;
      for (size_t i = 1; i < darts.size(); ++i) {
        const bool later =
            darts[i].edge != darts[last].edge ? darts[i].edge > darts[last].edge : darts[i].from > darts[last].from;
        if (later) last = i;
      }
      sew_dart(p, last, pattern);
    }
  }
}

}  // namespace

double range_length(const Pattern& pattern, const SeamRange& range) {
  return edge_length(pattern.panels[range.panel], range.edge) * std::abs(range.to - range.from);
}

double chain_length(const Pattern& pattern, const std::vector<SeamRange>& chain) {
  double sum = 0.0;
  for (const SeamRange& r : chain) sum += range_length(pattern, r);
  return sum;
}

double pleat_take(const Pattern& pattern, const SeamRange& range) {
  double sum = 0.0;
  for (const Pleat& p : pattern.panels[range.panel].pleats) {
    const bool inside = p.at >= std::min(range.from, range.to) && p.at <= std::max(range.from, range.to);
    const bool two = p.kind == Pleat::Kind::kBox || p.kind == Pleat::Kind::kInverted;
    if (p.edge == range.edge && inside) sum += (two ? 4.0 : 2.0) * p.depth;
  }
  return sum;
}

double sewn_length(const Pattern& pattern, const std::vector<SeamRange>& chain) {
  double sum = chain_length(pattern, chain);
  for (const SeamRange& r : chain) sum -= pleat_take(pattern, r);
  return sum;
}

absl::StatusOr<Pattern> split_seams(const Pattern& pattern) {
  bool marked = false;
  size_t pleats = 0;
  for (const Panel& panel : pattern.panels) {
    marked = marked || !panel.darts.empty() || !panel.pleats.empty();
    pleats += panel.pleats.size();
  }
  if (pleats > kMostPleats) {
    return invalid_input("PANEL_MARK", "pattern.panels", cat("the pattern has ", pleats, " pleats"),
                         cat("Lay at most ", kMostPleats, "."));
  }
  if (pattern.seams.empty() && !marked) return pattern;
  Pattern out = pattern;
  std::erase_if(out.stitches, [](const Stitch& s) { return s.seam >= 0; });
  RETURN_IF_ERROR(validate(out));
  sew_darts(&out);
  sew_pleats(&out);
  cut_at_range_ends(&out);
  cut_at_joints(&out);
  make_stitches(&out);
  RETURN_IF_ERROR(validate(out));
  return out;
}

std::vector<SeamSpec> all_seams(const Pattern& pattern) {
  std::vector<SeamSpec> out = pattern.seams;
  for (const Stitch& s : pattern.stitches) {
    if (s.seam >= 0) continue;
    SeamSpec seam;
    seam.a = {{s.a.panel, s.a.edge, 0.0, 1.0}};
    seam.b = {{s.b.panel, s.b.edge, s.right_wrong ? 0.0 : 1.0, s.right_wrong ? 1.0 : 0.0}};
    seam.right_wrong = s.right_wrong;
    out.push_back(std::move(seam));
  }
  return out;
}

}  // namespace tryon
