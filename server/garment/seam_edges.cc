#include "server/garment/seam_edges.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "server/base/units.h"

namespace tryon {
namespace {

constexpr double kReach = 0.01;  // metres of an edge that give its direction at a corner

// Words of a name in lower case; "sleeve_L" gives "sleeve" and "l".
std::vector<std::string> words_of(const std::string& name) {
  std::vector<std::string> out(1);
  for (const char c : name) {
    const unsigned char u = static_cast<unsigned char>(c);
    if (std::isalpha(u)) {
      out.back() += static_cast<char>(std::tolower(u));
    } else if (!out.back().empty()) {
      out.emplace_back();
    }
  }
  return out;
}

double doubled_area(const std::vector<Vec2>& outline) {
  double sum = 0.0;
  for (size_t i = 0; i < outline.size(); ++i) {
    const Vec2 &a = outline[i], &b = outline[(i + 1) % outline.size()];
    sum += a.x() * b.y() - a.y() * b.x();
  }
  return sum;
}

PieceName read_name(const Panel& panel) {
  PieceName out;
  for (const std::string& w : words_of(panel.name + " " + panel.role)) {
    if (w == "left" || w == "l") out.side = -1;
    if (w == "right" || w == "r") out.side = 1;
    if (w == "front" || w == "f") out.face = 1;
    if (w == "back" || w == "b") out.face = -1;
    if (w.find("sleeve") != std::string::npos && !panel.grain_given) out.lies = true;
  }
  return out;
}

}  // namespace

SeamEdges::SeamEdges(const Pattern& pattern) : pattern_(pattern) {
  for (int p = 0; p < static_cast<int>(pattern.panels.size()); ++p) {
    first_.push_back(static_cast<int>(edges_.size()));
    counter_clockwise_.push_back(doubled_area(outline_points(pattern.panels[p], 16)) >= 0.0);
    for (int e = 0; e < static_cast<int>(pattern.panels[p].edges.size()); ++e) edges_.push_back(describe(p, e));
    area_.push_back(panel_area(pattern.panels[p]));
    pieces_.push_back(read_name(pattern.panels[p]));
    pieces_.back().symmetric = is_symmetric(p);
  }
}

int SeamEdges::count(int panel) const { return static_cast<int>(pattern_.panels[panel].edges.size()); }

int SeamEdges::next(int i) const {
  const SeamEdge& e = edges_[i];
  return first_[e.panel] + (e.edge + 1) % count(e.panel);
}

int SeamEdges::before(int i) const {
  const SeamEdge& e = edges_[i];
  return first_[e.panel] + (e.edge + count(e.panel) - 1) % count(e.panel);
}

Vec2 SeamEdges::direction(int panel, int edge, bool at_end) const {
  const Panel& p = pattern_.panels[panel];
  const double share = std::min(0.25, kReach / std::max(edge_length(p, edge), 1e-9));
  const Vec2 d = at_end ? Vec2(edge_at(p, edge, 1.0) - edge_at(p, edge, 1.0 - share))
                        : Vec2(edge_at(p, edge, share) - edge_at(p, edge, 0.0));
  return d.normalized();
}

double SeamEdges::inner_angle(int panel, int edge, double sign) const {
  const Vec2 in = direction(panel, edge, true);
  const Vec2 out = direction(panel, (edge + 1) % count(panel), false);
  const double turn = std::atan2(in.x() * out.y() - in.y() * out.x(), in.dot(out));
  return 180.0 - sign * degrees(turn);
}

SeamEdge SeamEdges::describe(int p, int e) const {
  const Panel& panel = pattern_.panels[p];
  SeamEdge out;
  out.panel = p, out.edge = e;
  out.length = edge_length(panel, e);
  const std::vector<Vec2> outline = outline_points(panel, 16);
  const double sign = counter_clockwise_[p] ? 1.0 : -1.0;
  out.angle[0] = inner_angle(p, (e + count(p) - 1) % count(p), sign);
  out.angle[1] = inner_angle(p, e, sign);
  const Vec2 s = edge_at(panel, e, 0.0), chord = edge_at(panel, e, 1.0) - s;
  const double size = std::max(chord.norm(), 1e-9);
  for (double t = 0.1; t < 0.95; t += 0.1) {
    const Vec2 d = edge_at(panel, e, t) - s;
    const double height = -sign * (chord.x() * d.y() - chord.y() * d.x()) / (size * size);
    if (std::abs(height) > std::abs(out.bow)) out.bow = height;
  }
  out.curved = std::abs(out.bow) > 0.012;
  out.rises = chord.dot(panel.grain) > 0.0;
  out.chord = chord;
  Eigen::AlignedBox2d box, own;
  for (const Vec2& q : outline) box.extend(q);
  for (double t = 0.0; t <= 1.0; t += 0.25) own.extend(edge_at(panel, e, t));
  const Vec2 size_of_piece = box.sizes();
  out.hem = own.max().y() < box.min().y() + 0.08 * size_of_piece.y() && own.sizes().x() > 0.55 * size_of_piece.x();
  out.slope = degrees(std::acos(std::min(1.0, std::abs(chord.dot(panel.grain)) / size)));
  return out;
}

bool SeamEdges::congruent(int p, int q) const {
  if (p == q || count(p) != count(q)) return false;
  for (int shift = 0; shift < count(p); ++shift) {
    bool same = true, turned = true;
    for (int e = 0; e < count(p); ++e) {
      const double length = edges_[first_[p] + e].length;
      same = same && std::abs(length - edges_[first_[q] + (e + shift) % count(q)].length) < 1e-3;
      turned = turned && std::abs(length - edges_[first_[q] + (shift + count(q) - e) % count(q)].length) < 1e-3;
    }
    if (same || turned) return true;
  }
  return false;
}

bool SeamEdges::is_symmetric(int p) const {
  for (int shift = 0; shift < count(p); ++shift) {
    bool same = true;
    for (int e = 0; e < count(p) && same; ++e) {
      const int f = (shift + count(p) - e) % count(p);
      same = std::abs(edges_[first_[p] + e].length - edges_[first_[p] + f].length) < 1e-3;
    }
    if (same) return true;
  }
  return false;
}

double SeamEdges::angle_score(const SeamEdge& a, const SeamEdge& b, bool against) const {
  const double there[2] = {b.angle[against ? 1 : 0], b.angle[against ? 0 : 1]};
  const double start = a.angle[0] + there[0] - 180.0, end = a.angle[1] + there[1] - 180.0;
  auto flat_at = [&](int k, double sum) {  // or the seam goes on with the next edges of both
    return std::max(bell(sum, 28.0), bell(a.angle[k] - 180.0, 15.0) * bell(there[k] - 180.0, 15.0));
  };
  const double flat = std::sqrt(flat_at(0, start) * flat_at(1, end));
  // Pieces that mirror each other along the seam, as the halves of a sleeve, may make a corner at its end.
  const double s = a.angle[0] - there[0], e = a.angle[1] - there[1];
  const double alike = std::sqrt(bell(s, 12.0) * bell(e, 12.0)) * std::sqrt(bell(start, 60.0) * bell(end, 60.0));
  return std::max(flat, 0.9 * alike);
}

double SeamEdges::cap_score(const SeamEdge& a, const SeamEdge& b) {
  if (a.bow * b.bow >= 0.0 || std::min(std::abs(a.bow), std::abs(b.bow)) < 0.03) return 0.0;
  return 0.8 * bell(a.bow + b.bow, 0.15);
}

double SeamEdges::facing_score(const SeamEdge& a, const SeamEdge& b) const {
  if (a.panel == b.panel) return 0.0;
  const double small = std::min(area_[a.panel], area_[b.panel]), large = std::max(area_[a.panel], area_[b.panel]);
  if (small > 0.4 * large || std::abs(a.length - b.length) > 1e-3 || std::abs(a.bow - b.bow) > 0.02) return 0.0;
  const double turned = std::sqrt(bell(a.angle[0] - b.angle[1], 15.0) * bell(a.angle[1] - b.angle[0], 15.0));
  const double straight = std::sqrt(bell(a.angle[0] - b.angle[0], 15.0) * bell(a.angle[1] - b.angle[1], 15.0));
  return 0.85 * std::max({turned, straight, a.curved ? 0.7 : 0.0});
}

bool SeamEdges::fits_opening(double length, int panel) const {
  for (const SeamEdge& x : edges_) {
    for (const SeamEdge& y : edges_) {
      if (x.panel >= y.panel || x.panel == panel || y.panel == panel) continue;
      const bool like = std::min(x.length, y.length) > 0.3 * length && std::abs(x.slope - y.slope) < 25.0;
      if (like && std::abs(x.length + y.length - length) < 0.002 + 0.002 * length) return true;
    }
  }
  return false;
}

double SeamEdges::self_score(const SeamEdge& a, const SeamEdge& b) const {
  if (std::min(a.length, b.length) < 0.05) return 0.0;
  const int i = first_[a.panel] + a.edge;
  const double across = edges_[next(i)].length, back = edges_[before(i)].length;
  const bool rectangle = count(a.panel) == 4 && !a.curved && !b.curved && std::abs(across - back) < 0.1 * across;
  if (!rectangle) return 1.0;
  if (std::max(a.length, across) > 3.0 * std::min(a.length, across)) return 0.2;
  return edges_.size() < 400 && fits_opening(across, a.panel) ? 0.95 : 0.7;
}

bool SeamEdges::has_partner_piece(const SeamEdge& a) const {
  for (int q = 0; q < static_cast<int>(first_.size()); ++q) {
    const bool faces = pieces_[q].face * pieces_[a.panel].face < 0;
    if (q == a.panel || (!faces && congruent(a.panel, q))) continue;
    int like = 0;
    for (int e = 0; e < count(q); ++e) {
      const SeamEdge& b = edges_[first_[q] + e];
      like += std::abs(a.length - b.length) < 0.002 + 0.004 * a.length && std::abs(a.slope - b.slope) < 20.0;
    }
    if (like >= 2) return true;
  }
  return false;
}

std::vector<double> SeamEdges::notches_along(const SeamEdge& e, bool against) const {
  std::vector<double> out;
  for (const Notch& n : pattern_.panels[e.panel].notches) {
    if (n.edge == e.edge) out.push_back((against ? 1.0 - n.at : n.at) * e.length);
  }
  std::sort(out.begin(), out.end());
  return out;
}

double SeamEdges::notch_score(const SeamEdge& a, const SeamEdge& b, bool against) const {
  const std::vector<double> x = notches_along(a, false), y = notches_along(b, against);
  if (x.empty() && y.empty()) return 1.0;
  if (x.empty() || y.empty()) return 0.85;
  if (x.size() != y.size()) return 0.6;
  for (size_t i = 0; i < x.size(); ++i) {
    if (std::abs(x[i] - y[i]) > 0.004 + 0.01 * a.length) return 0.5;
  }
  return 1.2;
}

double SeamEdges::names_score(const SeamEdge& a, const SeamEdge& b) const {
  const PieceName &p = pieces_[a.panel], &q = pieces_[b.panel];
  if (a.panel == b.panel) {
    const bool whole = p.symmetric && has_partner_piece(a);
    return (whole ? 0.4 : 1.0) * (p.face != 0 ? 0.6 : 1.0);
  }
  double score = 1.0;
  if (p.side * q.side < 0) score *= 0.4;
  if (p.side * q.side > 0) score *= 1.05;
  if (p.face * q.face < 0) score *= 1.1;
  // Whole pieces are drawn as they are worn: their outlines run against each other along a seam.
  if (p.symmetric && q.symmetric && a.chord.dot(b.chord) > 0.0) score *= 0.85;
  if (p.face * q.face > 0 && p.side * q.side == 0) score *= 0.8;
  return score;
}

bool SeamEdges::opposite(const SeamEdge& a, const SeamEdge& b) const {
  if (a.slope < 50.0 && b.slope < 50.0) return a.rises != b.rises;
  return 1.4 * angle_score(a, b, true) >= angle_score(a, b, false);
}

}  // namespace tryon
