// What it is: people and garments for tests of limbs in tubes of cloth: a woman of size M, whole, without hands and
// with bent arms, or with her legs apart, and templates placed round her. Units and frame: metres, +Y up. How it fails:
// a person that cannot be made ends the test. Thread rules: plain values.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "server/body/body_from_measurements.h"
#include "server/drape/assemble.h"
#include "server/drape/cut_body.h"
#include "server/garment/template.h"
#include "tests/unit/drape/fitted_person.h"

namespace tryon::testing {

inline const FittedPerson& woman() {
  static const FittedPerson person = [] {
    const DraftMeasurements m = *size_measurements(Figure::kWomen, "M");
    BodyTable table;
    table.figure = FigureType::kFemale;
    table.height_mm = 1680;
    table.measurements_mm = {{"bust_girth", m.bust_girth}, {"waist_girth", m.waist_girth}, {"hip_girth", m.hip_girth}};
    return fitted_person(body_from_measurements(RunContext(), table)->body, true);
  }();
  return person;
}

inline GarmentMesh placed(const std::string& name, const std::string& size) {
  ArrangeReport arranged;
  return *assemble_garment(RunContext(), *draft_template_graded(name, Figure::kWomen, size), woman(), 0.02, &arranged);
}

// The woman without hands, as the service keeps her, her forearms turned forward by so much.
inline FittedPerson with_bent_arms(double degrees) {
  Body body = without_head_and_hands(woman().body);
  const ProxyAnatomy anatomy(body);
  for (const BodyPart part : {BodyPart::kLeftArm, BodyPart::kRightArm}) {
    const ArmJoints arm = anatomy.arm(part);
    const Vec3 along = (arm.wrist - arm.elbow).normalized();
    const Vec3 axis = along.cross(Vec3::UnitZ()).normalized();
    const auto bent = [&](const Vec3& p) {
      const double share = std::clamp(0.5 + (p - arm.elbow).dot(along) / 0.1, 0.0, 1.0);
      return Vec3(arm.elbow + Eigen::AngleAxisd(share * degrees * M_PI / 180.0, axis) * (p - arm.elbow));
    };
    for (const int v : anatomy.vertices(part)) body.mesh.positions[v] = bent(body.mesh.positions[v]);
    const auto wrist = body.landmarks.find(part == BodyPart::kLeftArm ? "left_wrist" : "right_wrist");
    if (wrist != body.landmarks.end()) wrist->second = bent(wrist->second);
  }
  return fitted_person(std::move(body));
}

// The woman, her arms turned down by so much about the shoulders.
inline FittedPerson with_arms_lowered(double degrees) {
  Body body = woman().body;
  const ProxyAnatomy anatomy(body);
  for (const BodyPart part : {BodyPart::kLeftArm, BodyPart::kRightArm}) {
    const ArmJoints arm = anatomy.arm(part);
    const double side = std::copysign(1.0, arm.elbow.x() - arm.shoulder.x()),
                 length = (arm.elbow - arm.shoulder).norm();
    for (const int v : anatomy.vertices(part)) {
      Vec3& p = body.mesh.positions[v];
      const double share = std::clamp((p - arm.shoulder).norm() / length, 0.0, 1.0);
      const Eigen::AngleAxisd turn(-side * share * degrees * M_PI / 180.0, Vec3::UnitZ());
      p = arm.shoulder + turn * (p - arm.shoulder);
    }
  }
  body.landmarks.erase("left_wrist");
  body.landmarks.erase("right_wrist");
  return fitted_person(std::move(body), true);
}

// The woman, her feet so much farther apart on either side, m.
inline FittedPerson with_legs_apart(double out) {
  Body body = woman().body;
  const ProxyAnatomy anatomy(body);
  for (const BodyPart part : {BodyPart::kLeftLeg, BodyPart::kRightLeg}) {
    const LegJoints leg = anatomy.leg(part);
    for (const int v : anatomy.vertices(part)) {
      Vec3& p = body.mesh.positions[v];
      const double share = std::clamp((leg.hip.y() - p.y()) / leg.hip.y(), 0.0, 1.0);
      p.x() += std::copysign(share * out, leg.hip.x());
    }
  }
  return fitted_person(std::move(body), true);
}

}  // namespace tryon::testing
