#include "server/garment/pleats.h"

#include <algorithm>
#include <cmath>

#include "server/garment/seam_graph.h"

namespace tryon {
namespace {

constexpr double kShortest = 1e-3;     // m: less cloth is not sewn
constexpr double kLayer = 4e-3;        // m between laid layers before they are sewn
constexpr double kApart = 0.75e-3;     // m that a visible crease stays back, so that two that face do not touch
constexpr double kOneDirection = 0.9;  // cosine: pleats of edges that run alike are laid together

bool takes_two(const Pleat& pleat) { return pleat.kind == Pleat::Kind::kBox || pleat.kind == Pleat::Kind::kInverted; }

// The pleat's own cloth, as shares of its edge.
std::pair<double, double> own_cloth(const Panel& panel, const Pleat& pleat) {
  const double half = pleat_reach(pleat) / edge_length(panel, pleat.edge);
  return {pleat.at - half, pleat.at + half};
}

// The cloth of an edge that shows: what no laid pleat takes, as ascending pairs of shares.
std::vector<std::pair<double, double>> shown(const Panel& panel, int edge) {
  std::vector<std::pair<double, double>> taken;
  const std::vector<bool> laid = laid_pleats(panel);
  for (size_t i = 0; i < panel.pleats.size(); ++i) {
    if (panel.pleats[i].edge == edge && laid[i]) taken.push_back(own_cloth(panel, panel.pleats[i]));
  }
  std::sort(taken.begin(), taken.end());
  std::vector<std::pair<double, double>> out;
  double from = 0.0;
  for (const auto& [low, high] : taken) {
    if (low - from > 1e-9) out.emplace_back(from, low);
    from = high;
  }
  if (1.0 - from > 1e-9) out.emplace_back(from, 1.0);
  return out;
}

// ---- seams ----------------------------------------------------------------------------------------------------

struct EdgeOf {
  int panel, edge;
};

const SeamSpec* seam_of(const Pattern& pattern, const EdgeOf& where, double from, double to) {
  for (const SeamSpec& seam : pattern.seams) {
    for (const auto* chain : {&seam.a, &seam.b}) {
      for (const SeamRange& r : *chain) {
        const bool inside = std::min(r.from, r.to) <= from + 1e-9 && std::max(r.from, r.to) >= to - 1e-9;
        if (!seam.pleat && r.panel == where.panel && r.edge == where.edge && inside) return &seam;
      }
    }
  }
  return nullptr;
}

bool holds(const SeamSpec& seam, const EdgeOf& where) {
  for (const auto* chain : {&seam.a, &seam.b}) {
    for (const SeamRange& r : *chain) {
      if (r.panel == where.panel && r.edge == where.edge) return true;
    }
  }
  return false;
}

// Ranges of shown cloth from a place on, `metres` of it at most, along edges that the same seam holds.
std::vector<SeamRange> shown_from(const Pattern& pattern, int p, EdgePlace place, bool forwards, double metres,
                                  const SeamSpec* seam) {
  const Panel& panel = pattern.panels[p];
  const int n = static_cast<int>(panel.edges.size());
  std::vector<SeamRange> out;
  for (int edges = 0; edges < n && metres > kShortest; ++edges) {
    const double length = edge_length(panel, place.edge);
    std::vector<std::pair<double, double>> runs = shown(panel, place.edge);
    if (!forwards) std::reverse(runs.begin(), runs.end());
    for (const auto& [low, high] : runs) {
      const double from = forwards ? std::max(low, place.at) : std::min(high, place.at);
      const double there = (forwards ? high - from : from - low) * length;
      if (there <= 1e-6 || metres <= 1e-6) continue;
      const double step = std::min(there, metres) / length;
      out.push_back({p, place.edge, from, forwards ? from + step : from - step});
      metres -= step * length;
    }
    const int next = (place.edge + (forwards ? 1 : n - 1)) % n;
    if (seam == nullptr || !holds(*seam, {p, next})) break;
    place = {next, forwards ? 0.0 : 1.0};
  }
  return out;
}

SeamSpec layer_seam(std::vector<SeamRange> a, std::vector<SeamRange> b) {
  SeamSpec seam;
  seam.name = "pleat";
  seam.a = std::move(a), seam.b = std::move(b);
  seam.pleat = true;
  seam.right_wrong = true;
  return seam;
}

// One fold pair: its halves meet at the inner crease, and lie under the shown cloth beside the visible one.
void lay_pair(const Pattern& pattern, int p, const Pleat& pleat, const FoldPair& pair, std::vector<SeamSpec>* out) {
  const Panel& panel = pattern.panels[p];
  const double length = edge_length(panel, pleat.edge), d = pleat.depth / length;
  const double middle = pleat.at + pair.middle / length, way = pair.to_end ? -1.0 : 1.0;
  const double visible = middle + way * d, other = middle - way * d;
  const auto range = [&](double from, double to) -> SeamRange { return {p, pleat.edge, from, to}; };
  out->push_back(layer_seam({range(visible, middle)}, {range(other, middle)}));
  const auto [low, high] = own_cloth(panel, pleat);
  const SeamSpec* held = seam_of(pattern, {p, pleat.edge}, low, high);
  const std::vector<SeamRange> over = shown_from(pattern, p, {pleat.edge, visible}, !pair.to_end, pleat.depth, held);
  const double reach = std::min(chain_length(pattern, over) / length, d);
  if (reach * length < kShortest) return;
  out->push_back(layer_seam({range(visible, visible - way * reach)}, over));
}

// The chain without what lies between two shares of an edge.
void take_out(int panel, int edge, double low, double high, std::vector<SeamRange>* chain) {
  std::vector<SeamRange> out;
  for (const SeamRange& r : *chain) {
    const double from = std::min(r.from, r.to), to = std::max(r.from, r.to);
    if (r.panel != panel || r.edge != edge || from > low + 1e-9 || to < high - 1e-9) {
      out.push_back(r);
      continue;
    }
    SeamRange before = r, after = r;
    (r.from < r.to ? before.to : before.from) = low;
    (r.from < r.to ? after.from : after.to) = high;
    if (r.from > r.to) std::swap(before, after);
    for (const SeamRange& part : {before, after}) {
      if (std::abs(part.to - part.from) > 1e-9) out.push_back(part);
    }
  }
  *chain = std::move(out);
}

// ---- laying ---------------------------------------------------------------------------------------------------

struct LaidPair {
  double middle, depth;
  bool to_end, on_top;
};

std::vector<LaidPair> pairs_along(const Panel& panel, const Vec2& origin, const Vec2& along) {
  std::vector<LaidPair> out;
  const std::vector<bool> is_laid = laid_pleats(panel);
  for (size_t i = 0; i < panel.pleats.size(); ++i) {
    const Pleat& pleat = panel.pleats[i];
    const PanelEdge& edge = panel.edges[pleat.edge];
    const Vec2 chord = panel.vertices[edge.end] - panel.vertices[edge.start];
    const double cosine = chord.normalized().dot(along);
    if (!is_laid[i] || std::abs(cosine) < kOneDirection) continue;
    const double length = edge_length(panel, pleat.edge);
    for (const FoldPair& pair : fold_pairs(pleat)) {
      const Vec2 at = edge_at(panel, pleat.edge, pleat.at + pair.middle / length);
      out.push_back(
          {(at - origin).dot(along), pleat.depth, pair.to_end == (cosine > 0.0), pleat.kind == Pleat::Kind::kBox});
    }
  }
  std::sort(out.begin(), out.end(), [](const LaidPair& x, const LaidPair& y) { return x.middle < y.middle; });
  return out;
}

// How many visible creases lie within `depth` of a place, on one side of it: so many pleats the pair goes under.
int overlapped(const std::vector<LaidPair>& pairs, const std::vector<double>& crease, size_t i) {
  int count = 0;
  for (size_t j = 0; j < pairs.size(); ++j) {
    const double off = pairs[i].to_end ? crease[i] - crease[j] : crease[j] - crease[i];
    count += j != i && pairs[j].to_end == pairs[i].to_end && off > kShortest && off < pairs[i].depth;
  }
  return count;
}

}  // namespace

std::vector<FoldPair> fold_pairs(const Pleat& pleat) {
  if (!takes_two(pleat)) return {{0.0, pleat.kind == Pleat::Kind::kKnifeToEnd}};
  return {{-pleat.depth, true}, {pleat.depth, false}};
}

std::vector<double> fold_offsets(const Pleat& pleat) {
  std::vector<double> out;
  for (const FoldPair& pair : fold_pairs(pleat)) {
    out.push_back(pair.middle);
    out.push_back(pair.middle + (pair.to_end ? -pleat.depth : pleat.depth));
  }
  std::sort(out.begin(), out.end());
  return out;
}

double pleat_reach(const Pleat& pleat) { return (takes_two(pleat) ? 2.0 : 1.0) * pleat.depth; }

std::vector<bool> laid_pleats(const Panel& panel) {
  std::vector<bool> laid(panel.pleats.size(), false);
  std::vector<std::pair<double, double>> own;
  for (size_t i = 0; i < panel.pleats.size(); ++i) {
    own.push_back(own_cloth(panel, panel.pleats[i]));
    laid[i] = own[i].first >= -1e-9 && own[i].second <= 1.0 + 1e-9;
    for (size_t j = 0; j < i && laid[i]; ++j) {
      const bool same = laid[j] && panel.pleats[j].edge == panel.pleats[i].edge;
      if (same && own[j].first < own[i].second - 1e-9 && own[j].second > own[i].first + 1e-9) laid[i] = false;
    }
  }
  return laid;
}

EdgePlace walk_outline(const Panel& panel, EdgePlace from, double metres) {
  const int n = static_cast<int>(panel.edges.size());
  for (int k = 0; k < 2 * n; ++k) {
    const double length = edge_length(panel, from.edge), at = from.at + metres / length;
    if (at >= -1e-9 && at <= 1.0 + 1e-9) return {from.edge, std::clamp(at, 0.0, 1.0)};
    metres = at < 0.0 ? at * length : (at - 1.0) * length;
    from = at < 0.0 ? EdgePlace{(from.edge + n - 1) % n, 1.0} : EdgePlace{(from.edge + 1) % n, 0.0};
  }
  return from;
}

void sew_pleats(Pattern* pattern) {
  bool any = false;
  for (const Panel& panel : pattern->panels) {
    for (const bool laid : laid_pleats(panel)) any = any || laid;
  }
  for (const SeamSpec& seam : pattern->seams) any = any && !seam.pleat;
  if (!any) return;
  pattern->seams = all_seams(*pattern);
  pattern->stitches.clear();
  std::vector<SeamSpec> layers;
  for (int p = 0; p < static_cast<int>(pattern->panels.size()); ++p) {
    const Panel& panel = pattern->panels[p];
    const std::vector<bool> laid = laid_pleats(panel);
    for (size_t i = 0; i < panel.pleats.size(); ++i) {
      if (!laid[i]) continue;
      for (const FoldPair& pair : fold_pairs(panel.pleats[i])) {
        lay_pair(*pattern, p, panel.pleats[i], pair, &layers);
      }
    }
  }
  for (int p = 0; p < static_cast<int>(pattern->panels.size()); ++p) {
    const Panel& panel = pattern->panels[p];
    const std::vector<bool> laid = laid_pleats(panel);
    for (size_t i = 0; i < panel.pleats.size(); ++i) {
      if (!laid[i]) continue;
      const auto [low, high] = own_cloth(panel, panel.pleats[i]);
      for (SeamSpec& seam : pattern->seams) {
        for (auto* chain : {&seam.a, &seam.b}) take_out(p, panel.pleats[i].edge, low, high, chain);
      }
    }
  }
  pattern->seams.insert(pattern->seams.end(), layers.begin(), layers.end());
}

LaidPanel::LaidPanel(const Panel& panel) {
  const std::vector<bool> laid = laid_pleats(panel);
  for (size_t i = 0; i < panel.pleats.size(); ++i) {
    if (!laid[i]) continue;
    const PanelEdge& edge = panel.edges[panel.pleats[i].edge];
    origin_ = panel.vertices[edge.start];
    along_ = (panel.vertices[edge.end] - origin_).normalized();
    break;
  }
  const std::vector<LaidPair> pairs = pairs_along(panel, origin_, along_);
  double take = 0.0;
  std::vector<double> crease;  // laid
  for (const LaidPair& pair : pairs) {
    crease.push_back(pair.middle - pair.depth - take);
    take += 2.0 * pair.depth;
  }
  for (size_t i = 0; i < pairs.size(); ++i) {
    const LaidPair& pair = pairs[i];
    const double under = pair.on_top ? -1.0 : 1.0, top = 0.5 * kLayer * under;
    const double deep = -(1.5 + 2.0 * overlapped(pairs, crease, i)) * kLayer * under;
    const double inner = crease[i] + (pair.to_end ? -pair.depth : pair.depth);
    const double before = pair.to_end ? crease[i] - kApart : crease[i],
                 after = pair.to_end ? crease[i] : crease[i] + kApart;
    knots_.push_back({pair.middle - pair.depth, before, pair.to_end ? top : -top});
    knots_.push_back({pair.middle, inner, deep});
    knots_.push_back({pair.middle + pair.depth, after, pair.to_end ? -top : top});
  }
  for (Knot& knot : knots_) knot.laid += 0.5 * take;  // its middle stays
}

double LaidPanel::between(const Vec2& flat, double Knot::*value) const {
  const double u = (flat - origin_).dot(along_);
  const bool laid = value == &Knot::laid;
  if (u <= knots_.front().u) return knots_.front().*value + (laid ? u - knots_.front().u : 0.0);
  if (u >= knots_.back().u) return knots_.back().*value + (laid ? u - knots_.back().u : 0.0);
  size_t i = 1;
  while (knots_[i].u < u) ++i;
  const Knot &a = knots_[i - 1], &b = knots_[i];
  if (b.u - a.u < 1e-12) return b.*value;
  return a.*value + (u - a.u) / (b.u - a.u) * (b.*value - a.*value);
}

Vec2 LaidPanel::at(const Vec2& flat) const {
  if (knots_.empty()) return flat;
  return flat + (between(flat, &Knot::laid) - (flat - origin_).dot(along_)) * along_;
}

double LaidPanel::height(const Vec2& flat) const { return knots_.empty() ? 0.0 : between(flat, &Knot::height); }

Pattern with_pleats_laid(Pattern pattern) {
  for (Panel& panel : pattern.panels) {
    const LaidPanel laid(panel);
    if (!laid.has_pleats()) continue;
    for (Vec2& v : panel.vertices) v = laid.at(v);
    panel.pleats.clear();
  }
  return pattern;
}

}  // namespace tryon
