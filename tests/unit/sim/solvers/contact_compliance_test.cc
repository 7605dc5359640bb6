// A direction by a factor that knows nothing of new contacts, corrected for them by a few columns, is that of the whole
// model: the judge solves for every particle with dense matrices.
#include "server/sim/solvers/contact_compliance.h"

#include <memory>

#include "Eigen/LU"
#include "gtest/gtest.h"
#include "tests/unit/sim/cloth_fixtures.h"

namespace tryon::sim {
namespace {

using namespace tryon::sim::testing;

// A sheet that hovers over a sphere by just more than the contact offset, and falls on it in one long step.
struct Fall {
  explicit Fall(int cells) : sphere(Vec3(0, 0, 0), 0.1), scene(still_scene(&sphere)), cloth(soft_sheet(cells, 0.1025)) {
    settings.time_step = 0.3;
    model = build_model(cloth).value();
    potential = std::make_unique<IncrementalPotential>(model, settings);
    state = start_state(cloth);
    StepReport report;
    EXPECT_TRUE(potential->begin({}, scene, state, &report).ok());
    hessian = std::make_unique<PotentialHessian>(*potential, settings);
    EXPECT_TRUE(hessian->assemble(state.x, PotentialHessian::kConvexHessian));
    EXPECT_EQ(hessian->factor(), -1);
    gradient.assign(state.x.size(), RVec3::Zero());
    potential->evaluate({}, state.x, &gradient);
    free_way = gradient;
    hessian->solve(gradient, &free_way);
  }

  // The judge: the minimum of the quadratic model with the exact pushes along the normals of all particles.
  std::vector<RVec3> whole_way() const {
    const int n = static_cast<int>(state.x.size());
    Eigen::MatrixXd matrix(3 * n, 3 * n);
    for (int k = 0; k < 3 * n; ++k) {
      std::vector<RVec3> unit(n, RVec3::Zero()), column(n, RVec3::Zero());
      unit[k / 3][k % 3] = 1;
      hessian->multiply(unit, &column);
      for (int i = 0; i < n; ++i) matrix.block<3, 1>(3 * i, k) = column[i].cast<double>();
    }
    Eigen::VectorXd way = Eigen::VectorXd::Zero(3 * n);
    for (int round = 0; round < 60; ++round) {
      Eigen::VectorXd force = matrix * way;
      Eigen::MatrixXd slope = matrix;
      for (int i = 0; i < n; ++i) {
        const ContactSet& contact = potential->contact();
        const Eigen::Vector3d normal = contact.normal(i).cast<double>();
        const double out = -normal.dot(way.segment<3>(3 * i));
        const Push before = contact.pressing(i, state.x[i], 0), after = contact.pressing(i, state.x[i], Real(out));
        force.segment<3>(3 * i) -= gradient[i].cast<double>();
        force.segment<3>(3 * i) -=
            (static_cast<double>(before.force - after.force) - static_cast<double>(before.curvature) * out) * normal;
        slope.block<3, 3>(3 * i, 3 * i) +=
            static_cast<double>(after.curvature - before.curvature) * normal * normal.transpose();
      }
      way -= 0.5 * slope.partialPivLu().solve(force);
    }
    std::vector<RVec3> out(n);
    for (int i = 0; i < n; ++i) out[i] = way.segment<3>(3 * i).cast<Real>();
    return out;
  }

  SphereCollider sphere;
  Scene scene;
  ClothInput cloth;
  SolverSettings settings;
  DrapeModel model;
  std::unique_ptr<IncrementalPotential> potential;
  std::unique_ptr<PotentialHessian> hessian;
  DrapeState state;
  std::vector<RVec3> gradient, free_way;
};

double distance(const std::vector<RVec3>& a, const std::vector<RVec3>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += static_cast<double>((a[i] - b[i]).squaredNorm());
  return std::sqrt(sum);
}

TEST(ContactCompliance, GivesTheDirectionOfTheWholeModel) {
  const Fall fall(6);
  ContactCompliance compliance(*fall.potential, fall.hessian.get());
  compliance.renew(fall.state.x);
  std::vector<RVec3> way = fall.gradient;
  EXPECT_TRUE(compliance.solve({}, fall.state.x, fall.gradient, &way));
  const std::vector<RVec3> whole = fall.whole_way();
  EXPECT_LT(distance(way, whole), 0.05 * distance(fall.free_way, whole));
}

TEST(ContactCompliance, LeavesAWayThatTouchesNothingAsItIs) {
  const Fall fall(6);
  ContactCompliance compliance(*fall.potential, fall.hessian.get());
  compliance.renew(fall.state.x);
  std::vector<RVec3> right = fall.gradient, up = right, expected = right;
  for (RVec3& v : right) v = -v;
  fall.hessian->solve(right, &expected);
  EXPECT_TRUE(compliance.solve({}, fall.state.x, right, &up));
  EXPECT_EQ(distance(up, expected), 0);
}

TEST(ContactCompliance, SaysWhereContactsAreMoreThanItsColumnsAndGivesTheNearestItCan) {
  const Fall fall(14);
  ContactCompliance compliance(*fall.potential, fall.hessian.get());
  compliance.renew(fall.state.x);
  std::vector<RVec3> way = fall.gradient;
  bool all = true;
  for (int iteration = 0; all && iteration < 50; ++iteration) all = compliance.solve({}, fall.state.x, fall.gradient, &way);
  EXPECT_FALSE(all);
  const std::vector<RVec3> whole = fall.whole_way();
  EXPECT_LT(distance(way, whole), distance(fall.free_way, whole));
  EXPECT_FALSE(compliance.solve({}, fall.state.x, fall.gradient, &way));  // and again, without more columns
}

}  // namespace
}  // namespace tryon::sim
