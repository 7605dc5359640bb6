#include "server/drape/setup.h"

#include <utility>
#include <vector>

namespace tryon {

std::unique_ptr<sim::Collider> make_collider(const DrapeSettings& settings, const FittedPerson& person) {
  std::vector<std::unique_ptr<sim::Collider>> parts;
  parts.push_back(settings.contact_scan ? sim::make_surface_collider(person.surface, person.sharp)
                                        : sim::make_solid_collider(person.solids.solids()));
  parts.push_back(sim::make_plane_collider(Vec3::Zero(), Vec3::UnitY()));  // the floor
  return sim::make_union_collider(std::move(parts));
}

SettleOptions settle_options(const DrapeSettings& s) {
  SettleOptions out;
  out.solver = s.solver;
  out.wind_mps = s.wind_mps;
  out.layers = s.layer_contact;
  out.air = s.air;
  out.motion = motion_of(s);
  constexpr sim::SpringLayout kLayouts[] = {sim::SpringLayout::kThreads, sim::SpringLayout::kMembrane,
                                            sim::SpringLayout::kEdges};
  out.membrane = kLayouts[static_cast<size_t>(s.membrane)];
  constexpr sim::BendLaw kLaws[] = {sim::BendLaw::kQuadratic, sim::BendLaw::kHinge, sim::BendLaw::kShape,
                                    sim::BendLaw::kIsometric};  // without the usual one, which is one of these
  out.target_grade = s.target_grade;
  out.strain_limits = takes_whole_fabric(s);
  out.bend = kLaws[static_cast<size_t>(bending_of(s)) - 1];
  return out;
}

}  // namespace tryon
