#include <algorithm>
#include <cmath>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/base/units.h"
#include "server/sim/constraints/bend.h"
#include "server/sim/constraints/bend_elements.h"
#include "server/sim/constraints/bend_matrix.h"
#include "server/sim/constraints/edge_side.h"
#include "server/sim/constraints/folds.h"
#include "server/sim/constraints/hinges.h"
#include "server/sim/constraints/threads.h"
#include "server/sim/model.h"

namespace tryon::sim {

namespace {

constexpr double kMinRestArea = 1e-10;  // m^2, a hundredth of a millimetre square

absl::Status check_number(std::string_view field, double value, double low, double high) {
  if (value >= low && value <= high) return absl::OkStatus();
  return invalid_input("NUMBER_OUT_OF_RANGE", field, cat(field, " is ", value, "; it must lie in ", low, " .. ", high),
                       cat("give ", field, " in SI units between ", low, " and ", high));
}

absl::Status check_fabric(const SpringFabric& f) {
  RETURN_IF_ERROR(check_number("fabric.areal_density", f.areal_density, 1e-3, 10));
  RETURN_IF_ERROR(check_number("fabric.stretch_warp", f.stretch_warp, 0.1, 1e6));
  RETURN_IF_ERROR(check_number("fabric.stretch_weft", f.stretch_weft, 0.1, 1e6));
  RETURN_IF_ERROR(check_number("fabric.shear", f.shear, 0, 1e6));
  RETURN_IF_ERROR(check_number("fabric.bend_warp", f.bend_warp, 0, 1));
  RETURN_IF_ERROR(check_number("fabric.bend_weft", f.bend_weft, 0, 1));
  RETURN_IF_ERROR(check_number("fabric.bend_twist", f.bend_twist, 0, 1));
  RETURN_IF_ERROR(check_number("fabric.bend_friction", f.bend_friction, 0, 1));
  RETURN_IF_ERROR(check_number("fabric.poisson", f.poisson, -0.9, 0.9));
  RETURN_IF_ERROR(check_number("fabric.limit_warp", f.limit_warp, 0, 2));
  RETURN_IF_ERROR(check_number("fabric.limit_weft", f.limit_weft, 0, 2));
  RETURN_IF_ERROR(check_number("fabric.thickness", f.thickness, 0, 0.1));
  RETURN_IF_ERROR(check_number("fabric.bend_damping", f.bend_damping, 0, 10));
  RETURN_IF_ERROR(check_number("fabric.shear_damping", f.shear_damping, 0, 10));
  RETURN_IF_ERROR(check_number("fabric.friction_static", f.friction_static, 0, 10));
  return check_number("fabric.friction_kinetic", f.friction_kinetic, 0, 10);
}

absl::Status bad_particle(std::string_view where, int particle, int count) {
  return invalid_input("PARTICLE_OUT_OF_RANGE", where,
                       cat(where, " names particle ", particle, ", but the cloth has ", count), "use existing indices");
}

absl::Status check_triangles(const ClothInput& cloth) {
  if (cloth.corner_flat.size() != cloth.triangles.size())
    return invalid_input(
        "SIZES_DIFFER", "corner_flat",
        cat("there are ", cloth.triangles.size(), " triangles and ", cloth.corner_flat.size(), " rest shapes"),
        "give one rest shape for each triangle");
  RETURN_IF_ERROR(validate(TriangleMesh{cloth.positions, cloth.triangles}, "cloth"));
  for (size_t t = 0; t < cloth.triangles.size(); ++t) {
    const double area = std::abs(signed_rest_area(cloth.corner_flat[t]));
    if (!(area >= kMinRestArea) || !std::isfinite(area))
      return invalid_input("FLAT_TRIANGLE", cat("corner_flat[", t, "]"),
                           cat("triangle ", t, " has a rest area of ", area * 1e6, " mm2"),
                           "triangulate the panel without slivers");
  }
  return absl::OkStatus();
}

absl::Status check_cloth(const ClothInput& cloth) {
  RETURN_IF_ERROR(check_fabric(cloth.fabric));
  const int count = static_cast<int>(cloth.positions.size());
  if (count == 0 || cloth.triangles.empty())
    return invalid_input("NO_CLOTH", "cloth", "the cloth has no triangles", "give at least one triangle");
  RETURN_IF_ERROR(check_triangles(cloth));
  for (size_t i = 0; i < cloth.ties.size(); ++i)
    for (int p : {cloth.ties[i].first, cloth.ties[i].second})
      if (p < 0 || p >= count) return bad_particle(cat("ties[", i, "]"), p, count);
  for (size_t i = 0; i < cloth.pinned.size(); ++i)
    if (cloth.pinned[i] < 0 || cloth.pinned[i] >= count)
      return bad_particle(cat("pinned[", i, "]"), cloth.pinned[i], count);
  RETURN_IF_ERROR(check_number("tether_stiffness", cloth.tether_stiffness, 0, 1e6));
  for (size_t i = 0; i < cloth.tethers.size(); ++i) {
    const Tether& tether = cloth.tethers[i];
    for (int p : {tether.a, tether.b})
      if (p < 0 || p >= count) return bad_particle(cat("tethers[", i, "]"), p, count);
    RETURN_IF_ERROR(check_number(cat("tethers[", i, "].length"), tether.length, 0, 100));
  }
  if (cloth.layout == SpringLayout::kEdges && cloth.bend != BendLaw::kQuadratic)
    return invalid_input("MODEL_UNSUPPORTED", "bend", "springs along edges bend by springs across them, not by angles",
                         "choose thread springs or membrane triangles, or leave the bending law");
  return absl::OkStatus();
}

absl::Status add_masses(const ClothInput& cloth, DrapeModel* model) {
  std::vector<double> mass(model->particle_count, 0.0);
  for (size_t t = 0; t < cloth.triangles.size(); ++t) {
    const double area = std::abs(signed_rest_area(cloth.corner_flat[t]));
    model->rest_area.push_back(static_cast<Real>(area));
    for (int corner : cloth.triangles[t]) mass[corner] += cloth.fabric.areal_density * area / 3;
  }
  double sum = 0;
  for (int i = 0; i < model->particle_count; ++i) {
    if (mass[i] <= 0)
      return invalid_input("LOOSE_PARTICLE", cat("cloth.vertex[", i, "]"),
                           cat("particle ", i, " belongs to no triangle and has no mass"), "remove unused vertices");
    sum += mass[i];
    model->mass.push_back(static_cast<Real>(mass[i]));
    model->inverse_mass.push_back(static_cast<Real>(1 / mass[i]));
  }
  for (int p : cloth.pinned) model->inverse_mass[p] = 0;
  model->mean_weight = static_cast<Real>(kGravity * sum / model->particle_count);
  return absl::OkStatus();
}

// Rows of the inverse of the rest edges: F = [e1 e2] inverse.
std::array<Real, 4> rest_shape(const std::array<Vec2, 3>& c) {
  Eigen::Matrix2d rest;
  rest << c[1] - c[0], c[2] - c[0];
  const Eigen::Matrix2d inverse = rest.inverse();
  return {static_cast<Real>(inverse(0, 0)), static_cast<Real>(inverse(1, 0)), static_cast<Real>(inverse(0, 1)),
          static_cast<Real>(inverse(1, 1))};
}

double lower_limit(const SpringFabric& f) {
  return f.limit_warp > 0 && f.limit_weft > 0 ? std::min(f.limit_warp, f.limit_weft)
                                              : std::max(f.limit_warp, f.limit_weft);
}

void add_membranes(const ClothInput& cloth, DrapeModel* model) {
  const SpringFabric& f = cloth.fabric;
  const membrane::Stiffness k =
      membrane::from_fabric(f.stretch_warp, f.stretch_weft, f.shear, f.poisson, lower_limit(f));
  for (size_t t = 0; t < cloth.triangles.size(); ++t) {
    model->membranes.shape.push_back(rest_shape(cloth.corner_flat[t]));
    model->membranes.stiffness.push_back(membrane::scaled(k, model->rest_area[t]));
  }
}

void add_threads(const ClothInput& cloth, DrapeModel* model) {
  const thread::Stiffness k =
      thread::from_fabric(cloth.fabric.stretch_warp, cloth.fabric.stretch_weft, cloth.fabric.shear);
  for (size_t t = 0; t < cloth.triangles.size(); ++t) {
    model->threads.shape.push_back(rest_shape(cloth.corner_flat[t]));
    const Real area = model->rest_area[t];
    model->threads.weft.push_back(k.weft * area);
    model->threads.warp.push_back(k.warp * area);
    model->threads.bias.push_back(k.bias * area);
  }
  const double warp = cloth.fabric.limit_warp, weft = cloth.fabric.limit_weft;
  if (warp == 0 && weft == 0) return;
  model->threads.limit_warp.assign(cloth.triangles.size(), warp > 0 ? static_cast<Real>(warp) : thread::kNoLimit);
  model->threads.limit_weft.assign(cloth.triangles.size(), weft > 0 ? static_cast<Real>(weft) : thread::kNoLimit);
}

void add_spring(SpringKind kind, int a, int b, double rest, double stiffness, Springs* springs) {
  springs->a.push_back(a);
  springs->b.push_back(b);
  springs->rest.push_back(static_cast<Real>(rest));
  springs->stiffness.push_back(static_cast<Real>(stiffness));
  springs->kind.push_back(kind);
}

// k = sum over the edge's triangles of Y(theta) A / L^2. On equilateral triangles the tensor (1/A) sum k L^2 dddd
// is then 9/8 Y, 3/8 Y (C1111, C1122): pulled with free sides it answers with exactly Y. Edges within 22.5 degrees of
// the bias are the shear springs.
void add_edge_springs(const ClothInput& cloth, const std::vector<EdgeUse>& edges, SpringKind wanted, Springs* out) {
  for (const EdgeUse& edge : edges) {
    double stiffness = 0, rest = 0;
    bool bias = false;
    const int sides = edge.right < 0 ? 1 : 2;
    for (int s = 0; s < sides; ++s) {
      const EdgeSide side = edge_side(cloth, edge, s == 0 ? edge.left : edge.right);
      const Vec2 d = side.along().normalized();
      bias = std::abs(std::abs(d.x() * d.y()) - 0.5) < 0.5 * (1 - std::sin(kPi / 4));
      const double along = cloth.fabric.stretch_warp * d.y() * d.y() + cloth.fabric.stretch_weft * d.x() * d.x();
      stiffness += along * side.area / (side.length() * side.length());
      rest += side.length() / sides;
    }
    if (bias == (wanted == SpringKind::kShear)) add_spring(wanted, edge.a, edge.b, rest, stiffness, out);
  }
}

// A straight spring between opposite vertices has no linear stiffness where the cloth is flat: its shortening is
// h0 h1 theta^2 / (2 (h0 + h1)). k is chosen to store the hinge's energy at a fold of 3 cm radius.
void add_bend_springs(const ClothInput& cloth, const std::vector<EdgeUse>& edges, Springs* out) {
  constexpr double kFoldRadius = 0.03;
  for (const EdgeUse& edge : edges) {
    if (edge.right < 0) continue;
    const EdgeSide left = edge_side(cloth, edge, edge.left), right = edge_side(cloth, edge, edge.right);
    const double h0 = left.height(), h1 = right.height(), span = h0 + h1, fold = span / (2 * kFoldRadius);
    const double b = 0.5 * (bend_across(cloth.fabric, left) + bend_across(cloth.fabric, right));
    const double stiffness = 8 * b * left.length() * span / (h0 * h0 * h1 * h1 * fold * fold);
    // Rest distance: the right triangle unfolded beside the left one.
    const double foot0 = (left.opposite - left.end0).dot(left.along().normalized());
    const double foot1 = (right.opposite - right.end0).dot(right.along().normalized());
    add_spring(SpringKind::kBend, left.opposite_particle, right.opposite_particle, std::hypot(span, foot0 - foot1),
               stiffness, out);
  }
}

}  // namespace

namespace {
void add_bending(const ClothInput& cloth, const std::vector<EdgeUse>& edges, DrapeModel* model) {
  if (cloth.bend == BendLaw::kQuadratic) {
    model->hinges = hinges_of(cloth, edges, 1.0);
  } else if (cloth.bend == BendLaw::kIsometric) {
    bend_elements::build(cloth, edges, model);
    bend_matrix::build(model);
  } else {
    fold::build(cloth, model);
  }
}
}  // namespace

absl::StatusOr<DrapeModel> build_model(const ClothInput& cloth) {
  RETURN_IF_ERROR(check_cloth(cloth));
  DrapeModel model;
  model.particle_count = static_cast<int>(cloth.positions.size());
  model.triangles = cloth.triangles;
  model.corner_flat = cloth.corner_flat;
  model.fabrics = {cloth.fabric};
  model.fabric_index.assign(cloth.positions.size(), 0);
  RETURN_IF_ERROR(add_masses(cloth, &model));
  const std::vector<EdgeUse> edges = mesh_edges(TriangleMesh{cloth.positions, cloth.triangles});
  if (cloth.layout != SpringLayout::kEdges) {
    cloth.layout == SpringLayout::kThreads ? add_threads(cloth, &model) : add_membranes(cloth, &model);
    add_bending(cloth, edges, &model);
    if (cloth.fabric.shear_damping > 0) {
      for (const Real area : model.rest_area)
        model.shear_viscosity.push_back(static_cast<Real>(cloth.fabric.shear_damping * cloth.fabric.shear) * area);
    }
  } else {
    add_edge_springs(cloth, edges, SpringKind::kStructural, &model.springs);
    add_edge_springs(cloth, edges, SpringKind::kShear, &model.springs);
    add_bend_springs(cloth, edges, &model.springs);
  }
  if (cloth.fabric.bend_damping > 0) model.viscous = hinges_of(cloth, edges, cloth.fabric.bend_damping);
  for (const auto& [a, b] : cloth.ties)
    if (a != b)
      add_spring(SpringKind::kSeam, a, b, (cloth.positions[a] - cloth.positions[b]).norm(), 0.0, &model.springs);
  for (const Tether& tether : cloth.tethers)
    add_spring(SpringKind::kTether, tether.a, tether.b, tether.length, cloth.tether_stiffness, &model.springs);
  return model;
}

}  // namespace tryon::sim
