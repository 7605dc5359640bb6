// What it is: cloth as particles and springs: DrapeModel is built once and const, DrapeState is all that moves.
// Units and frame: SI, world +Y up. Shapes: in the margin. Real is float or double (see real.h).
// How it fails: build_model names the first impossible number. Thread rules: model shared const; one state, one thread.
// Cites: Ji 2004 section 1; Wan 2020; notes on mass-spring models (structural, shear, bend springs); Bergou 2006.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "Eigen/Core"
#include "absl/status/statusor.h"
#include "server/mesh/triangle_mesh.h"
#include "server/sim/collision/collider.h"
#include "server/sim/constraints/membrane.h"
#include "server/sim/forces/wind.h"
#include "server/sim/real.h"

namespace tryon::sim {

// kTether pulls only when longer than its rest length: it holds a particle within reach of another, a pin as a rule.
enum class SpringKind : uint8_t { kStructural, kShear, kBend, kSeam, kTether };

struct Springs {                 // structure of arrays, sorted by kind then index
  std::vector<int> a, b;         // [spring_count] particles
  std::vector<Real> rest;        // [spring_count] m
  std::vector<Real> stiffness;   // [spring_count] N/m
  std::vector<SpringKind> kind;  // [spring_count]
  int count() const { return static_cast<int>(a.size()); }
};

// Thread springs: every triangle carries a weft, a warp and two bias springs of rest length 1, along directions of the
// cloth instead of edges of the mesh, so stiffness does not depend on the triangulation (see constraints/threads.h).
// SpringKind: weft and warp are kStructural, the two bias springs kShear.
struct Threads {                             // empty when the layout is kEdges
  std::vector<std::array<Real, 4>> shape;    // [triangle_count] 1/m: weft = s0 e1 + s1 e2, warp = s2 e1 + s3 e2
  std::vector<Real> weft, warp, bias;        // [triangle_count] N m: stiffness per width times rest area
  std::vector<Real> limit_weft, limit_warp;  // [triangle_count] strain beyond which they stiffen; empty: nowhere
  int count() const { return static_cast<int>(shape.size()); }
};

// Orthotropic membrane triangles (constraints/membrane.h): the same two vectors f_x, f_y, a continuum between them.
struct Membranes {                             // empty unless the layout is kMembrane
  std::vector<std::array<Real, 4>> shape;      // [triangle_count] 1/m, as in Threads
  std::vector<membrane::Stiffness> stiffness;  // [triangle_count] N m
  int count() const { return static_cast<int>(shape.size()); }
};

// Quadratic bending (Bergou 2006): E = 1/2 stiffness |sum_i weight_i x_i|^2 across an interior edge.
struct Hinges {
  std::vector<std::array<int, 4>> particle;  // [hinge_count] edge ends, then the two opposite vertices
  std::vector<std::array<Real, 4>> weight;   // [hinge_count] from rest cotangents
  std::vector<Real> stiffness;               // [hinge_count] N/m
  int count() const { return static_cast<int>(particle.size()); }
};

// Bending by dihedral angles theta (constraints/folds.h): E = 1/2 theta^T B theta over the interior edges, B constant.
struct Folds {
  std::vector<std::array<int, 4>> particle;  // [fold_count] edge ends, then the two opposite vertices
  std::vector<Real> rest_angle;              // [fold_count] rad
  std::vector<Real> edge_length;             // [fold_count] m, at rest
  std::vector<std::array<Real, 4>> weight;   // [fold_count] as Hinges: |sum weight x| is edge length times angle
  std::vector<int> row_begin, column;        // B by rows, symmetric, columns ascending
  std::vector<Real> stiffness;               // N m
  int count() const { return static_cast<int>(particle.size()); }
};

// Bending that is quadratic in the positions and knows the shape operator (constraints/bend_matrix.h): E = 1/2 sum Q_ij
// x_i . x_j, Q symmetric with rows that sum to zero. The diagonal is left out: Q x = sum Q_ij (x_j - x_i).
struct BendMatrix {                    // in place of hinges; empty unless the law is kIsometric
  std::vector<int> row_begin, column;  // [particle_count + 1]; columns ascending
  std::vector<Real> stiffness;         // N/m
  int count() const { return static_cast<int>(column.size()); }
};

// How the cloth resists bending (layouts kThreads and kMembrane). kQuadratic: isometric, quadratic in the positions,
// for every solver: the default. kHinge: the dihedral angle of each edge. kShape: the shape operator averaged over each
// triangle, with warp, weft and twist apart: the reference, for the minimisers. kIsometric: the same shape operator,
// quadratic in the positions for a constant Hessian: exact where cloth bends without stretching, for solvers that
// descend an energy.
enum class BendLaw : uint8_t { kQuadratic, kHinge, kShape, kIsometric };

// The bending matrix's energy triangle by triangle, and what friction between the threads holds against bending
// (constraints/bend_elements.h): E = sum 1/2 stiffness S^2 + moment (sqrt(|S|^2 + slack^2) - slack), S = sum weight x
// the curvature. Forces come from these, matrices from the other.
struct BendElements {  // empty unless the law is kIsometric
  // Corners and those across the edges; more where a third triangle is sewn to an edge, which folds both ways there.
  static constexpr int kUsual = 6, kMost = 9;
  std::vector<int> triangle;                                   // [element_count]
  std::vector<std::array<int, kMost>> particle;                // of weight 0, and the first one, where none
  std::vector<std::array<std::array<Real, kMost>, 3>> weight;  // 1/m^2, of S_11, S_22, sqrt(2) S_12
  std::vector<std::array<Real, 3>> stiffness;                  // N m^3: of each curvature, times the rest area
  std::vector<Real> moment;  // N m^2: the moment a width times the rest area; 0: bends elastically
  int count() const { return static_cast<int>(moment.size()); }
  int particle_count(int i) const { return particle[i][kUsual] == particle[i][0] ? kUsual : kMost; }
};

struct Tether {
  int a = 0, b = 0;   // particles
  double length = 0;  // m, below which it is slack
};

// kThreads: thread springs and quadratic bending, exact for the declared fabric on any mesh: the default.
// kEdges: the papers' network, springs along edges (structural, shear) and across them (bend); it carries a Poisson
// ratio of about 1/3 and a shear stiffness of about 3/8 of the stretch stiffness whatever the fabric says.
// kMembrane: continuum triangles with the fabric's Poisson ratio and strain limit, and quadratic bending; for the
// minimisers (lbfgs, newton, baraff_witkin), since it is not made of springs.
enum class SpringLayout : uint8_t { kThreads, kEdges, kMembrane };

struct SpringFabric {  // what the springs are made from; per unit width
  double areal_density = 0.15, stretch_warp = 500, stretch_weft = 500, shear = 40, bend_warp = 5e-6, bend_weft = 5e-6;
  double bend_twist = 0.0;  // kShape, kIsometric: D_66, N m; 0 = half the geometric mean of warp and weft (isotropic)
  double bend_friction = 0.0;  // N: moment a width that friction between threads holds; kIsometric only
  double poisson = 0.0;        // kMembrane only: -0.9 .. 0.9
  // Engineering strain beyond which the cloth stiffens, 0 = nowhere; for solvers that descend an energy, kThreads and
  // kMembrane (which has one limit, the lower).
  double limit_warp = 0.0, limit_weft = 0.0;
  double thickness = 0.5e-3;
  double bend_damping = 0.0;   // s: viscous over elastic bending stiffness, whatever the bending law; 0 .. 10
  double shear_damping = 0.0;  // s: viscous over elastic shear stiffness, kThreads and kMembrane; 0 .. 10
  double friction_static = 0.4, friction_kinetic = 0.35;
  double sticking_friction() const { return std::max(friction_static, friction_kinetic); }
};

struct ClothInput {
  std::vector<Vec3> positions;                   // [particle_count] world start
  std::vector<Triangle> triangles;               // [triangle_count]
  std::vector<std::array<Vec2, 3>> corner_flat;  // [triangle_count] rest shape per corner; warp runs along +y
  SpringFabric fabric;
  std::vector<std::pair<int, int>> ties;  // particle pairs that seam springs pull together
  std::vector<int> pinned;                // particles that do not move
  SpringLayout layout = SpringLayout::kThreads;
  BendLaw bend = BendLaw::kQuadratic;
  bool rest_angles = false;         // kHinge, kShape: the start shape's folds are at rest (pleats, curved strips)
  std::vector<Tether> tethers;      // see pin_tethers()
  double tether_stiffness = 200.0;  // N/m, 0 .. 1e6
};

struct DrapeModel {
  int particle_count = 0;
  std::vector<Real> mass;          // [particle_count] kg, lumped from rest area
  std::vector<Real> inverse_mass;  // [particle_count] 0 = pinned
  Springs springs;                 // edge springs (layout kEdges) and seam springs
  Threads threads;
  Membranes membranes;
  Hinges hinges;
  Folds folds;                                   // in place of hinges
  BendMatrix bend_matrix;                        // the same
  BendElements bend_elements;                    // beside it
  Hinges viscous;                                // bend_damping: stiffness in N s/m; empty without
  std::vector<Real> shear_viscosity;             // [triangle_count] shear_damping: N m s; empty without
  std::vector<Triangle> triangles;               // [triangle_count] for normals and areas (wind)
  std::vector<std::array<Vec2, 3>> corner_flat;  // [triangle_count] rest shape, as in ClothInput
  std::vector<Real> rest_area;                   // [triangle_count]
  std::vector<SpringFabric> fabrics;             // one, or one a garment where several are worn together
  std::vector<uint8_t> fabric_index;             // [particle_count] into fabrics
  Real mean_weight = 0;                          // N: mean mass x g; the unit of residuals
  const SpringFabric& fabric_of(int particle) const { return fabrics[fabric_index[static_cast<size_t>(particle)]]; }
};
absl::StatusOr<DrapeModel> build_model(const ClothInput& cloth);
// Several cloths as one, in their order: nothing joins them but contact between layers. At most 255, of one layout.
DrapeModel merge_models(const std::vector<DrapeModel>& parts);
// One from each particle to its nearest pinned one along the mesh's rest edges, times `slack`; none without pins.
std::vector<Tether> pin_tethers(const ClothInput& cloth, double slack = 1.0);

struct DrapeState {
  std::vector<RVec3> x, v;  // [particle_count] m, m/s
  Real tie_rest_ratio = 1;  // seam springs' rest length over their start length: 1 -> 0 while sewing
  double time = 0;          // simulated seconds
  int step = 0;
};
DrapeState start_state(const ClothInput& cloth);

// m that corners of a triangle are raised beyond the offset, for its middle's sake or that of a sharp point beneath it
constexpr double kMostLift = 6e-3;
constexpr double kMostBulge = 4e-3;  // m that a body may lack there of its room: what is deeper is a limb in the cloth

// The middle of a limb, which cloth may not pass (collision/bone_contact.h).
struct Bone {
  Eigen::Vector3d from = Eigen::Vector3d::Zero(), to = Eigen::Vector3d::Zero();
  bool operator==(const Bone& other) const { return from == other.from && to == other.to; }
};

// Everything outside the cloth.
struct Scene {
  const Collider* collider = nullptr;  // may be null
  Wind wind;
  Eigen::Vector3d gravity{0, -9.80665, 0};
  double contact_offset = 2e-3;  // m kept between cloth and body
  // m that middles of triangles, and triangles above sharp points, keep off the body, below contact_offset; 0: not
  // asked
  double middle_room = 0.0;
  double pressure = 0.0;      // Pa along the triangles' normals, wherever they turn
  double self_contact = 0.0;  // m kept between layers of the cloth (minimisers only); 0 = they pass through each other
  // [particle_count] layers are so only where all corners of their triangles are of these; empty: everywhere.
  std::vector<uint8_t> kept_apart;
  double steep_share = 0.02;      // of self_contact: layers that are nearer push back little harder
  std::vector<Bone> bones;        // that go through no triangle (minimisers only)
  std::vector<Triangle> bridges;  // of particles, across open seams: cloth to bones, and to nothing else
};
// What Scene::kept_apart says of a triangle.
inline bool is_kept_apart(const std::vector<uint8_t>& kept_apart, const Triangle& corner) {
  return kept_apart.empty() || (kept_apart[corner[0]] && kept_apart[corner[1]] && kept_apart[corner[2]]);
}

}  // namespace tryon::sim
