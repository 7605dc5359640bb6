#include "server/body/measure.h"

#include "server/body/measure_parts.h"
#include "server/body/segment_limbs.h"

namespace tryon {

void measure_body(const BodyLevels& levels, Body* body) {
  BodyRuler ruler(levels, body);
  const TrunkLevels at = measure_trunk(&ruler);
  measure_head_and_neck(at, &ruler);
  double angle = 0.0;
  int arms = 0;
  for (int side = 0; side < 2; ++side) {
    measure_leg(side, at, &ruler);
    if (const std::optional<double> found = measure_arm(side, &ruler)) angle += *found, ++arms;
  }
  measure_lengths(at, &ruler);
  measure_back_and_slopes(at, &ruler);
  ruler.finish();
  body->arm_angle_deg = arms > 0 ? angle / arms : 0.0;
  body->pose = body->arm_angle_deg < 22 ? Pose::kT : body->arm_angle_deg < 68 ? Pose::kA : Pose::kArmsDown;
  body->segment = segment_limbs(*body);
}

}  // namespace tryon
