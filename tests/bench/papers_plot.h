// What it is: curves and wire drawings as small SVG files, for the studies of tests/bench alone. Units: as given; an
// axis may be logarithmic. Shapes: a series is x, y pairs. How it fails: an unwritable file ends the program with a
// message.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace tryon::study {

struct Series {
  std::string name;
  std::vector<std::pair<double, double>> points;
};

struct Plot {
  std::string title, x_label, y_label;
  bool log_x = true, log_y = true;
  std::vector<Series> series;
};

inline std::string number(double v) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", v);
  return text;
}

inline void write_text(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (!file || std::fwrite(text.data(), 1, text.size(), file) != text.size() || std::fclose(file) != 0) {
    std::fprintf(stderr, "cannot write %s\n", path.c_str());
    std::exit(1);
  }
}

class Axis {
 public:
  Axis(bool logarithmic, double from, double to) : log_(logarithmic), from_(from), to_(to) {}
  void take(double v) {
    if (log_ && v <= 0) return;
    low_ = std::min(low_, v), high_ = std::max(high_, v);
  }
  void finish() {
    if (low_ > high_) low_ = 1, high_ = 10;
    if (log_) {
      low_ = std::pow(10, std::floor(std::log10(low_) + 1e-9)),
      high_ = std::pow(10, std::ceil(std::log10(high_) - 1e-9));
      if (high_ <= low_) high_ = 10 * low_;
    } else {
      low_ = std::min(low_, 0.0);
      if (high_ <= low_) high_ = low_ + 1;
    }
  }
  bool shows(double v) const { return !log_ || v > 0; }
  double at(double v) const {
    const double share = log_ ? std::log(v / low_) / std::log(high_ / low_) : (v - low_) / (high_ - low_);
    return from_ + (to_ - from_) * share;
  }
  std::vector<double> ticks() const {
    std::vector<double> out;
    if (log_) {
      for (double v = low_; v <= high_ * 1.001; v *= 10) out.push_back(v);
    } else {
      for (int i = 0; i <= 5; ++i) out.push_back(low_ + (high_ - low_) * i / 5);
    }
    return out;
  }

 private:
  bool log_;
  double from_, to_, low_ = 1e300, high_ = -1e300;
};

inline std::string text_at(double x, double y, const std::string& text, const char* anchor = "middle") {
  return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" text-anchor=\"" + anchor + "\">" + text + "</text>\n";
}

inline const char* colour(size_t i) {
  static const char* const list[] = {"#1b6ca8", "#d1495b", "#2a9d4b", "#8d5fb0",
                                     "#e08e1b", "#3aa6a6", "#555555", "#a0522d"};
  return list[i % 8];
}

inline std::string svg_open(int width, int height) {
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + std::to_string(width) + " " +
         std::to_string(height) + "\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"" +
         std::to_string(width) + "\" height=\"" + std::to_string(height) + "\" fill=\"white\"/>\n";
}

inline void write_plot(const std::string& path, const Plot& plot) {
  Axis x(plot.log_x, 60, 460), y(plot.log_y, 300, 40);
  for (const Series& s : plot.series)
    for (const auto& [a, b] : s.points) x.take(a), y.take(b);
  x.finish(), y.finish();
  std::string out = svg_open(640, 350) + text_at(260, 22, plot.title) + text_at(260, 340, plot.x_label) +
                    "<text transform=\"translate(14 170) rotate(-90)\" text-anchor=\"middle\">" + plot.y_label +
                    "</text>\n";
  for (double t : x.ticks())
    out += "<path d=\"M" + number(x.at(t)) + " 300V40\" stroke=\"#ddd\"/>\n" + text_at(x.at(t), 317, number(t));
  for (double t : y.ticks())
    out +=
        "<path d=\"M60 " + number(y.at(t)) + "H460\" stroke=\"#ddd\"/>\n" + text_at(55, y.at(t) + 4, number(t), "end");
  for (size_t i = 0; i < plot.series.size(); ++i) {
    std::string path_data, dots;
    for (const auto& [a, b] : plot.series[i].points) {
      if (!x.shows(a) || !y.shows(b)) continue;
      path_data += (path_data.empty() ? "M" : "L") + number(x.at(a)) + " " + number(y.at(b));
      dots += "<circle cx=\"" + number(x.at(a)) + "\" cy=\"" + number(y.at(b)) + "\" r=\"2.2\" fill=\"" + colour(i) +
              "\"/>\n";
    }
    out += "<path d=\"" + path_data + "\" fill=\"none\" stroke-width=\"1.6\" stroke=\"" + colour(i) + "\"/>\n" + dots;
    const double line = 50 + 18.0 * static_cast<double>(i);
    out += "<path d=\"M472 " + number(line) + "h18\" stroke-width=\"2\" stroke=\"" + colour(i) + "\"/>\n" +
           text_at(495, line + 4, plot.series[i].name, "start");
  }
  write_text(path, out + "</svg>\n");
}

}  // namespace tryon::study
