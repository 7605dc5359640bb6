// What it is: plane sections of solids and of triangles, as points whose convex hull is what a tape spans.
// Units and frame: metres, any frame; section points are (along u, along v) of the plane's own axes.
// Shapes: points [any count], in no order; empty where the plane misses. Solids' curves are cut into kSectionSides
// chords, which understates a circle's length by 0.02 %. How it fails: it does not. Thread rules: pure functions.
#pragma once

#include <vector>

#include "server/mesh/triangle_mesh.h"
#include "server/shape/solids.h"

namespace tryon {

inline constexpr int kSectionSides = 96;

struct SectionPlane {
  Vec3 origin = Vec3::Zero(), normal = Vec3::UnitY(), u = Vec3::UnitX(), v = Vec3::UnitZ();
  Vec2 flat(const Vec3& p) const { return {(p - origin).dot(u), (p - origin).dot(v)}; }
  double height(const Vec3& p) const { return (p - origin).dot(normal); }
};

void append_section(const SectionPlane& plane, const Solid& solid, std::vector<Vec2>* out);

// Many parallel cuts of some of a mesh's triangles: result [offsets.size()], offsets along the plane's normal, rising
// in equal steps.
std::vector<std::vector<Vec2>> section_triangles(const TriangleMesh& mesh, const std::vector<int>& triangles,
                                                 const SectionPlane& plane, double first, double step, int count);

}  // namespace tryon
