#include "server/io/pattern_svg.h"

#include <algorithm>
#include <cmath>

#include "server/base/text.h"
#include "server/base/units.h"
#include "server/garment/flat_layout.h"
#include "server/garment/seam_graph.h"

namespace tryon {
namespace {

constexpr double kInside = 0.012;  // metres that seam numbers stand inside the outline

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += ' ';
    } else {
      out += c;
    }
  }
  return out;
}

class Drawing {
 public:
  explicit Drawing(const Pattern& pattern) : pattern_(pattern), layout_(lay_flat(pattern)) {}

  std::string text() {
    const std::string w = number(to_mm(layout_.width)), h = number(to_mm(layout_.height));
    out_ = cat("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", w, "mm\" height=\"", h, "mm\" viewBox=\"0 0 ", w,
               " ", h, "\" font-family=\"sans-serif\">\n<title>", escaped(pattern_.name),
               "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
    for (int p = 0; p < static_cast<int>(pattern_.panels.size()); ++p) panel(p);
    seams();
    for (int p = 0; p < static_cast<int>(pattern_.panels.size()); ++p) name(p);
    return out_ + "</svg>\n";
  }

 private:
  // Thousandths of a millimetre, the same text everywhere.
  static std::string number(double mm) {
    const long long thousandths = std::llround(mm * 1000.0);
    std::string digits = std::to_string(std::abs(thousandths) % 1000);
    digits.insert(0, 3 - digits.size(), '0');
    return cat(thousandths < 0 ? "-" : "", std::abs(thousandths) / 1000, ".", digits);
  }

  std::string point(int p, const Vec2& at) const {
    const Vec2 q = at + layout_.offset[p];
    return cat(number(to_mm(q.x())), ",", number(to_mm(layout_.height - q.y())));
  }

  std::string points(int p, const std::vector<Vec2>& list) const {
    std::string out;
    for (const Vec2& q : list) out += cat(out.empty() ? "" : " ", point(p, q));
    return out;
  }

  void line(int p, const std::vector<Vec2>& list, const std::string& style, bool closed = false) {
    out_ += cat("<", closed ? "polygon" : "polyline", " points=\"", points(p, list), "\" ", style, "/>\n");
  }

  std::string place(int p, const Vec2& at) const {
    const std::string xy = point(p, at);
    const size_t comma = xy.find(',');
    return cat("x=\"", xy.substr(0, comma), "\" y=\"", xy.substr(comma + 1), "\"");
  }

  void panel(int p) {
    const Panel& panel = pattern_.panels[p];
    line(p, outline_points(panel, 32), "fill=\"#f4f1ea\" stroke=\"#444444\" stroke-width=\"1\"", true);
    for (const InternalLine& inner : panel.lines) {
      const bool cut = inner.kind == InternalLine::Kind::kCut;
      line(p, inner.points,
           cat("fill=\"", cut && inner.closed ? "#ffffff" : "none", "\" stroke=\"#888888\" stroke-width=\"0.8\"",
               cut ? "" : " stroke-dasharray=\"6 4\""),
           inner.closed);
    }
    for (const Dart& d : panel.darts) {
      line(p, {edge_at(panel, d.edge, d.from), d.tip, edge_at(panel, d.edge, d.to)},
           "fill=\"none\" stroke=\"#888888\" stroke-width=\"0.8\"");
    }
    for (const Notch& n : panel.notches) notch(p, n);
    for (const DrillHole& h : panel.drill_holes) {
      line(p, {h.at - Vec2(0.003, 0), h.at + Vec2(0.003, 0)}, "stroke=\"#444444\" stroke-width=\"0.8\"");
      line(p, {h.at - Vec2(0, 0.003), h.at + Vec2(0, 0.003)}, "stroke=\"#444444\" stroke-width=\"0.8\"");
    }
    if (panel.grain_given) grain(p);
  }

  Vec2 inward(int p, int edge, double share) const {
    const Panel& panel = pattern_.panels[p];
    const double a = std::max(0.0, share - 0.01), b = std::min(1.0, share + 0.01);
    const Vec2 d = (edge_at(panel, edge, b) - edge_at(panel, edge, a)).normalized();
    double area = 0.0;
    const std::vector<Vec2> outline = outline_points(panel, 8);
    for (size_t i = 0; i < outline.size(); ++i) {
      const Vec2 &u = outline[i], &v = outline[(i + 1) % outline.size()];
      area += u.x() * v.y() - u.y() * v.x();
    }
    return area >= 0.0 ? Vec2(-d.y(), d.x()) : Vec2(d.y(), -d.x());
  }

  void notch(int p, const Notch& n) {
    const Vec2 at = edge_at(pattern_.panels[p], n.edge, n.at);
    line(p, {at, at + 0.007 * inward(p, n.edge, n.at)}, "stroke=\"#000000\" stroke-width=\"1.2\"");
  }

  Vec2 middle(int p) const {
    Eigen::AlignedBox2d box;
    for (const Vec2& q : outline_points(pattern_.panels[p], 16)) box.extend(q);
    return box.center();
  }

  void grain(int p) {
    const Panel& panel = pattern_.panels[p];
    const Vec2 centre = middle(p), half = 0.04 * panel.grain;
    const Vec2 side(-panel.grain.y(), panel.grain.x());
    line(p, {centre - half, centre + half}, "stroke=\"#999999\" stroke-width=\"0.8\"");
    line(p, {centre + 0.8 * half + 0.006 * side, centre + half, centre + 0.8 * half - 0.006 * side},
         "fill=\"none\" stroke=\"#999999\" stroke-width=\"0.8\"");
  }

  void range(const SeamRange& r, int seam, const std::string& colour, bool dashed) {
    const Panel& panel = pattern_.panels[r.panel];
    constexpr int kSpans = 24;
    std::vector<Vec2> list;
    for (int k = 0; k <= kSpans; ++k) list.push_back(edge_at(panel, r.edge, r.from + (r.to - r.from) * k / kSpans));
    line(r.panel, list,
         cat("fill=\"none\" stroke=\"", colour, "\" stroke-width=\"3\" stroke-linecap=\"round\"",
             dashed ? " stroke-dasharray=\"8 6\"" : ""));
    const double share = 0.5 * (r.from + r.to);
    const Vec2 at = edge_at(panel, r.edge, share) + kInside * inward(r.panel, r.edge, share);
    out_ += cat("<text ", place(r.panel, at), " font-size=\"11\" text-anchor=\"middle\" dominant-baseline=\"middle\" ",
                "fill=\"", colour, "\">", seam, "</text>\n");
  }

  void seams() {
    const std::vector<SeamSpec> all = all_seams(pattern_);
    for (int s = 0; s < static_cast<int>(all.size()); ++s) {
      const auto rgb = seam_colour(s);
      constexpr char kHex[] = "0123456789abcdef";
      std::string colour = "#";
      for (const uint8_t c : rgb) colour += {kHex[c >> 4], kHex[c & 15]};
      for (const auto* chain : {&all[s].a, &all[s].b}) {
        for (const SeamRange& r : *chain) range(r, s, colour, all[s].open || all[s].b.empty());
      }
    }
  }

  void name(int p) {
    const Panel& panel = pattern_.panels[p];
    const std::string more = panel.quantity > 1 ? cat(" (", panel.quantity, "x)") : "";
    out_ += cat("<text ", place(p, middle(p)), " font-size=\"14\" text-anchor=\"middle\" fill=\"#222222\">",
                escaped(panel.name), more, "</text>\n");
  }

  const Pattern& pattern_;
  const FlatLayout layout_;
  std::string out_;
};

}  // namespace

// Hues by the golden angle, at three lightnesses.
std::array<uint8_t, 3> seam_colour(int seam) {
  const double hue = std::fmod(seam * 137.50776405, 360.0) / 60.0, value = 0.85 - 0.18 * (seam / 7 % 3);
  std::array<uint8_t, 3> out{};
  for (int c = 0; c < 3; ++c) {
    const double k = std::fmod(hue + (c == 0 ? 5.0 : c == 1 ? 3.0 : 1.0), 6.0);
    const double x = value - value * 0.85 * std::max(0.0, std::min({k, 4.0 - k, 1.0}));
    out[c] = static_cast<uint8_t>(std::lround(255.0 * x));
  }
  return out;
}

std::string pattern_svg(const Pattern& pattern) { return Drawing(pattern).text(); }

}  // namespace tryon
