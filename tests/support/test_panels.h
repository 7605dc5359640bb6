// What it is: plain panels for tests of patterns. Units and frame: metres, the panel's own frame. Shapes: one straight
// edge a corner, edge k from corner k to the next. How it fails: it does not. Thread rules: pure functions.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "server/garment/pattern.h"

namespace tryon::testing {

inline Panel polygon(const std::string& name, std::vector<Vec2> corners) {
  Panel panel;
  panel.name = name;
  panel.vertices = std::move(corners);
  const int n = static_cast<int>(panel.vertices.size());
  for (int i = 0; i < n; ++i) panel.edges.push_back({i, (i + 1) % n, {}, ""});
  return panel;
}

inline Panel rectangle(const std::string& name, double width, double height) {
  return polygon(name, {{0, 0}, {width, 0}, {width, height}, {0, height}});
}

}  // namespace tryon::testing
