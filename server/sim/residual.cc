// The certificate of rest, written apart from the solver: forces from the energies' definitions triangle by triangle,
// in double, with its own questions to the collider. It shares data with the solver (the model,
// the stiffness of contacts), no forces.
#include <algorithm>
#include <cmath>

#include "server/base/units.h"
#include "server/sim/cloth_forces.h"
#include "server/sim/collision/pinch.h"
#include "server/sim/constraints/bend_elements.h"
#include "server/sim/constraints/elastic.h"
#include "server/sim/constraints/threads.h"
#include "server/sim/forces/air.h"
#include "server/sim/solvers/solver.h"

namespace tryon::sim {

namespace {

using Forces = std::vector<Vec3>;
constexpr double kContactGap = 1e-4;  // m beyond the offset that still counts as touching

Vec3 at(const DrapeState& state, int i) { return state.x[i].cast<double>(); }

// What weft (0) and warp (1) pull more per stiffness past their limit.
double raised(const Threads& threads, int t, int direction, double strain) {
  if (direction > 1 || threads.limit_weft.empty()) return 0;
  const double over = strain - double((direction == 0 ? threads.limit_weft : threads.limit_warp)[t]);
  return over > 0 ? double(thread::kLimitGain) * over * over : 0;
}

// First Piola-Kirchhoff stress of the four threads, P = sum k (1 - 1/|F d|) F d d^T, then nodal forces -P grad N.
void add_thread_forces(const DrapeModel& model, const DrapeState& state, Forces* forces) {
  const double r = std::sqrt(0.5);
  for (int t = 0; t < model.threads.count(); ++t) {
    const Triangle& c = model.triangles[t];
    const auto& s = model.threads.shape[t];
    Eigen::Matrix<double, 3, 2> edges;
    edges << at(state, c[1]) - at(state, c[0]), at(state, c[2]) - at(state, c[0]);
    Eigen::Matrix2d inverse;
    inverse << s[0], s[2], s[1], s[3];
    const Eigen::Matrix<double, 3, 2> deformation = edges * inverse;
    const Vec2 directions[4] = {{1, 0}, {0, 1}, {r, r}, {r, -r}};
    const double stiffness[4] = {double(model.threads.weft[t]), double(model.threads.warp[t]),
                                 double(model.threads.bias[t]), double(model.threads.bias[t])};
    Eigen::Matrix<double, 3, 2> stress = Eigen::Matrix<double, 3, 2>::Zero();
    for (int k = 0; k < 4; ++k) {
      const Vec3 image = deformation * directions[k];
      const double length = image.norm();
      if (length > 0) stress += stiffness[k] * (1 - 1 / length) * image * directions[k].transpose();
      if (const double more = raised(model.threads, t, k, length - 1); more > 0)
        stress += stiffness[k] * more / length * image * directions[k].transpose();
    }
    const Eigen::Matrix<double, 3, 2> corner = -stress * inverse.transpose();
    (*forces)[c[1]] += corner.col(0);
    (*forces)[c[2]] += corner.col(1);
    (*forces)[c[0]] -= corner.col(0) + corner.col(1);
  }
}

// P = F S with S from Green's strain, written out component by component.
void add_membrane_forces(const DrapeModel& model, const DrapeState& state, Forces* forces) {
  for (int t = 0; t < model.membranes.count(); ++t) {
    const Triangle& c = model.triangles[t];
    const auto& s = model.membranes.shape[t];
    const membrane::Stiffness& k = model.membranes.stiffness[t];
    Eigen::Matrix<double, 3, 2> edges;
    edges << at(state, c[1]) - at(state, c[0]), at(state, c[2]) - at(state, c[0]);
    Eigen::Matrix2d inverse;
    inverse << s[0], s[2], s[1], s[3];
    const Eigen::Matrix<double, 3, 2> deformation = edges * inverse;
    const Eigen::Matrix2d strain = 0.5 * (deformation.transpose() * deformation - Eigen::Matrix2d::Identity());
    const auto raised = [&](double e) {
      return k.limit > 0 && e > double(k.limit) ? double(membrane::kLimitGain) * std::pow(e - double(k.limit), 2) : 0.0;
    };
    Eigen::Matrix2d stress;
    stress(0, 0) = double(k.weft) * (strain(0, 0) + raised(strain(0, 0))) + double(k.cross) * strain(1, 1);
    stress(1, 1) = double(k.warp) * (strain(1, 1) + raised(strain(1, 1))) + double(k.cross) * strain(0, 0);
    stress(0, 1) = stress(1, 0) = 2 * double(k.shear) * strain(0, 1);
    const Eigen::Matrix<double, 3, 2> corner = -deformation * stress * inverse.transpose();
    (*forces)[c[1]] += corner.col(0);
    (*forces)[c[2]] += corner.col(1);
    (*forces)[c[0]] -= corner.col(0) + corner.col(1);
  }
}

void add_bend_forces(const DrapeModel& model, const DrapeState& state, Forces* forces) {
  for (int h = 0; h < model.hinges.count(); ++h) {
    Vec3 curvature = Vec3::Zero();
    for (int k = 0; k < 4; ++k) curvature += double(model.hinges.weight[h][k]) * at(state, model.hinges.particle[h][k]);
    for (int k = 0; k < 4; ++k)
      (*forces)[model.hinges.particle[h][k]] -=
          double(model.hinges.stiffness[h]) * double(model.hinges.weight[h][k]) * curvature;
  }
}

void add_bend_matrix_forces(const DrapeModel& model, const DrapeState& state, Forces* forces) {
  const BendMatrix& bend = model.bend_matrix;
  for (size_t i = 0; i + 1 < bend.row_begin.size(); ++i)
    for (int k = bend.row_begin[i]; k < bend.row_begin[i + 1]; ++k)
      (*forces)[i] -= double(bend.stiffness[k]) * (at(state, bend.column[k]) - at(state, static_cast<int>(i)));
}

// Of M A sqrt(|S|^2 + slack^2): M A S / sqrt(|S|^2 + slack^2) by each curvature, spread by how it hangs on the corners.
void add_bend_friction_forces(const DrapeModel& model, const DrapeState& state, Forces* forces) {
  const BendElements& f = model.bend_elements;
  for (int i = 0; i < f.count(); ++i) {
    if (f.moment[i] == 0) continue;
    Eigen::Matrix<double, 3, BendElements::kMost> x, weight;
    for (int j = 0; j < BendElements::kMost; ++j) {
      x.col(j) = at(state, f.particle[i][j]) - at(state, f.particle[i][0]);
      for (int k = 0; k < 3; ++k) weight(k, j) = double(f.weight[i][k][j]);
    }
    const Eigen::Matrix3d curvature = x * weight.transpose();
    const double size = std::hypot(curvature.norm(), double(bend_elements::kSlack));
    const Eigen::Matrix<double, 3, BendElements::kMost> force = double(f.moment[i]) / size * curvature * weight;
    for (int j = 0; j < BendElements::kMost; ++j) (*forces)[f.particle[i][j]] -= force.col(j);
  }
}

double dihedral(const std::array<Vec3, 4>& x) {
  const Vec3 e = (x[1] - x[0]).normalized();
  const Vec3 left = (x[2] - x[0]) - e * e.dot(x[2] - x[0]), right = (x[3] - x[0]) - e * e.dot(x[3] - x[0]);
  return std::atan2(e.dot(left.cross(right)), -left.dot(right));
}

// Moments of all folds, then each angle's slope by central differences.
void add_fold_forces(const DrapeModel& model, const DrapeState& state, Forces* forces) {
  const Folds& folds = model.folds;
  const auto corners = [&](int f) {
    std::array<Vec3, 4> x;
    for (int k = 0; k < 4; ++k) x[k] = at(state, folds.particle[f][k]);
    return x;
  };
  for (int f = 0; f < folds.count(); ++f) {
    double moment = 0;
    for (int k = folds.row_begin[f]; k < folds.row_begin[f + 1]; ++k)
      moment +=
          double(folds.stiffness[k]) * (dihedral(corners(folds.column[k])) - double(folds.rest_angle[folds.column[k]]));
    const double step = 1e-5 * double(folds.edge_length[f]);
    for (int k = 0; k < 12; ++k) {
      std::array<Vec3, 4> plus = corners(f), minus = plus;
      plus[k / 3][k % 3] += step;
      minus[k / 3][k % 3] -= step;
      (*forces)[folds.particle[f][k / 3]][k % 3] -= moment * (dihedral(plus) - dihedral(minus)) / (2 * step);
    }
  }
}

void add_spring_forces(const DrapeModel& model, const DrapeState& state, double tie_stiffness, Forces* forces) {
  for (int s = 0; s < model.springs.count(); ++s) {
    const bool tie = model.springs.kind[s] == SpringKind::kSeam;
    const double k = tie ? tie_stiffness : double(model.springs.stiffness[s]);
    const double rest = double(model.springs.rest[s]) * (tie ? double(state.tie_rest_ratio) : 1.0);
    const Vec3 apart = at(state, model.springs.b[s]) - at(state, model.springs.a[s]);
    const double length = apart.norm();
    if (model.springs.kind[s] == SpringKind::kTether && length < rest) continue;
    const Vec3 pull = length > 0 ? Vec3(apart * (k * (length - rest) / length)) : Vec3(Vec3::Zero());
    (*forces)[model.springs.a[s]] += pull;
    (*forces)[model.springs.b[s]] -= pull;
  }
}

void add_vertex_wind(const DrapeModel& model, const Scene& scene, const DrapeState& state, Forces* forces) {
  TriangleMesh mesh;
  for (int i = 0; i < model.particle_count; ++i) mesh.positions.push_back(at(state, i));
  mesh.triangles = model.triangles;
  const std::vector<Vec3> normals = vertex_normals(mesh);
  const AirField field(scene.wind);
  for (int i = 0; i < model.particle_count; ++i) {
    Wind here = scene.wind;
    here.velocity = field.velocity(mesh.positions[i], state.time);
    const double area = double(model.mass[i]) / model.fabric_of(i).areal_density;
    (*forces)[i] += wind_force(here, state.v[i].cast<double>(), normals[i], area);
  }
}

void add_triangle_wind(const DrapeModel& model, const Scene& scene, const DrapeState& state, Forces* forces) {
  const AirField field(scene.wind);
  for (const Triangle& t : model.triangles) {
    const Vec3 doubled = (at(state, t[1]) - at(state, t[0])).cross(at(state, t[2]) - at(state, t[0]));
    Vec3 middle = Vec3::Zero(), velocity = Vec3::Zero();
    for (int corner : t) {
      middle += at(state, corner) / 3;
      velocity += state.v[corner].cast<double>() / 3;
    }
    const Vec3 force = triangle_wind_force(scene.wind, velocity - field.velocity(middle, state.time),
                                           doubled.normalized(), 0.5 * doubled.norm());
    for (int corner : t) (*forces)[corner] += force / 3;
  }
}

void add_outer_forces(const DrapeModel& model, const Scene& scene, const DrapeState& state, Forces* forces) {
  for (int i = 0; i < model.particle_count; ++i) (*forces)[i] += double(model.mass[i]) * scene.gravity;
  for (const Triangle& t : model.triangles) {
    const Vec3 doubled = (at(state, t[1]) - at(state, t[0])).cross(at(state, t[2]) - at(state, t[0]));
    for (int corner : t) (*forces)[corner] += scene.pressure / 6 * doubled;
  }
  if (scene.wind.model == WindModel::kVertex) {
    add_vertex_wind(model, scene, state, forces);
  } else {
    add_triangle_wind(model, scene, state, forces);
  }
}

void add_layer_forces(const DrapeModel& model, const Scene& scene, const DrapeState& state, Forces* forces,
                      LayerForces* layers) {
  std::vector<Vec3> x;
  for (int i = 0; i < model.particle_count; ++i) x.push_back(at(state, i));
  std::vector<double> stiffness;
  for (Real k : contact_stiffness(model)) stiffness.push_back(static_cast<double>(k));
  *layers = layer_forces(model, x, scene.self_contact, stiffness, scene.steep_share, scene.kept_apart);
  for (int i = 0; i < model.particle_count; ++i) (*forces)[i] += layers->normal[i];
}

// What is left of a force once the surfaces that touch here have pushed back as best they can.
double after_reactions(const Vec3& force, const std::vector<Vec3>& normals, double mu) {
  constexpr int kRounds = 400;
  constexpr double kSettled = 1e-6;  // of the force, by which a round still changes what is left
  std::vector<Vec3> reaction(normals.size(), Vec3::Zero());
  Vec3 left = force, before = Vec3::Zero();
  for (int round = 0; round < kRounds && (left - before).norm() > kSettled * force.norm(); ++round) {
    before = left;
    for (size_t k = 0; k < normals.size(); ++k) {
      left -= reaction[k];
      reaction[k] = reaction_to(left, normals[k], mu);
      left += reaction[k];
    }
  }
  return left.norm();
}

// Normals of the surfaces that touch a point: the nearest and, in a pinch, the one across.
std::vector<Vec3> touching(const Scene& scene, const Vec3& point, double reach) {
  const Contact near = scene.collider->query(point, reach + 10 * kContactGap);
  if (near.distance > reach + kContactGap) return {};
  if (near.distance < -kPinchReach) return {near.normal};
  const Contact across = surface_across(*scene.collider, point, near);
  if (across.distance > scene.contact_offset + kContactGap) return {near.normal};
  return {near.normal, across.normal};
}

}  // namespace

Vec3 reaction_to(const Vec3& force, const Vec3& normal, double mu) {
  const double press = -force.dot(normal);
  const Vec3 along = -force - press * normal;
  const double slide = along.norm();
  if (slide <= mu * press) return -force;
  if (press <= -mu * slide) return Vec3::Zero();
  const double size = (press + mu * slide) / (1 + mu * mu);  // nearest point of the cone's side
  return size * normal + (mu * size / slide) * along;
}

NetForces net_forces(const DrapeModel& model, const Scene& scene, const DrapeState& state, double tie_stiffness,
                     const RunContext& run) {
  NetForces out;
  out.force.assign(model.particle_count, Vec3::Zero());
  add_thread_forces(model, state, &out.force);
  add_membrane_forces(model, state, &out.force);
  add_bend_forces(model, state, &out.force);
  add_bend_matrix_forces(model, state, &out.force);
  add_bend_friction_forces(model, state, &out.force);
  add_fold_forces(model, state, &out.force);
  add_spring_forces(model, state, tie_stiffness, &out.force);
  add_outer_forces(model, scene, state, &out.force);
  out.layers.friction.assign(model.particle_count, 0.0);
  if (scene.self_contact > 0) add_layer_forces(model, scene, state, &out.force, &out.layers);
  out.reach = contact_reach(model, scene, state, run);
  return out;
}

Residual equilibrium_residual(const DrapeModel& model, const Scene& scene, const DrapeState& state,
                              const NetForces& net, const RunContext& run) {
  std::vector<double> left(model.particle_count, 0.0);
  for_each(run, left.size(), [&](size_t k) {
    const int i = static_cast<int>(k);
    if (model.inverse_mass[i] == 0) return;
    double size = net.force[i].norm();
    const double mu = model.fabric_of(i).sticking_friction();
    if (scene.collider) size = after_reactions(net.force[i], touching(scene, at(state, i), net.reach[i]), mu);
    left[i] = std::max(0.0, size - net.layers.friction[i]);
  });
  double mass = 0, sum = 0, largest = 0;
  int count = 0;
  for (int i = 0; i < model.particle_count; ++i) {
    mass += double(model.mass[i]);
    if (model.inverse_mass[i] == 0) continue;
    largest = std::max(largest, left[i]);
    sum += left[i] * left[i];
    ++count;
  }
  if (count == 0) return {};
  const double unit = kGravity * mass / model.particle_count;
  return {largest / unit, std::sqrt(sum / count) / unit};
}

Residual equilibrium_residual(const DrapeModel& model, const Scene& scene, const DrapeState& state,
                              double tie_stiffness, const RunContext& run) {
  return equilibrium_residual(model, scene, state, net_forces(model, scene, state, tie_stiffness, run), run);
}

}  // namespace tryon::sim
