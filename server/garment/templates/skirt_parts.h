// What it is: what hangs from the waist shares: a waistband of two halves, and the skirt of a front and a back. The
// band is cut to the waist girth less 2 %, so that it holds by its own tension and friction, as a stay or a ribbed band
// does. Side seams curve from the waist to the hip, at the body's own hip depth, and run straight to the hem. Units:
// metres; x from the centre line, y from the hem. How it fails: never. Thread rules: pure functions.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "server/garment/templates/entry.h"

namespace tryon {

double waist_of(const TemplateInput& in);
double hip_depth(const TemplateInput& in, double length);
// Both halves of the waistband, sewn at the sides; each one's lower side is in `parts`, then come end, upper, end. The
// back one's edges are numbered backwards.
std::pair<int, int> add_bands(PatternDraft* draft, double waist, const std::vector<double>& parts);
// Sides, and the waist to the bands, of a front and a back with `sides` and `tops` as edges of n.
void sew_two(PatternDraft* draft, int f, int b, std::pair<int, int> bands, const std::vector<int>& sides,
             const std::vector<int>& tops, int n);
// The dart's width is added to the half waist. Edges: 0 hem, 1 side, 2 hip, 3 .. 10 waist from the left (part, dart,
// dart, part, part, dart, dart, part), 11 hip, 12 side.
Panel darted_skirt(double waist, double dart, double dart_at, double hip, double hem, double depth, double length,
                   std::string name);
inline constexpr int kDartedSkirt = 13;
TemplateParameters skirt_parameters(double length, double ease, double flare);
Pattern draw_two_piece_skirt(const TemplateInput& in);  // straight and A-line, by their flare

}  // namespace tryon
