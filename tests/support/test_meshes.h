// What it is: meshes for tests: a reader of plain OBJ files, and closed shapes that are not people.
// Units and frame: the file's own; shapes are centred on the origin, +Y along their axis, triangles outward.
// Shapes: polygons are cut into fans. How it fails: a file that cannot be read fails the process.
// Thread rules: pure functions.
#pragma once

#include <string>

#include "server/mesh/triangle_mesh.h"

namespace tryon::testing {

// Only v and f lines are read (texture and normal indices are dropped, negative indices count from the end).
TriangleMesh read_obj(const std::string& path);

TriangleMesh make_box(const Vec3& size, int cuts);  // cuts: squares along each edge
TriangleMesh make_ball(double radius, int rings);
TriangleMesh make_cylinder(double radius, double height, int sides, int rings);
TriangleMesh make_cloth_sheet(double width, double depth, int cuts);  // open, flat in y = 0
TriangleMesh make_chair();                                            // seat, back and four legs, one closed piece each

// All of b after a, as separate pieces.
TriangleMesh joined(const TriangleMesh& a, const TriangleMesh& b);
TriangleMesh moved(const TriangleMesh& mesh, const Eigen::Affine3d& by);  // a mirroring one keeps triangles outward

}  // namespace tryon::testing
