#include "server/drape/worn.h"

#include <utility>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/drape/outfit.h"

namespace tryon {

absl::StatusOr<std::vector<Worn>> worn_beneath(const DrapeRequest& request, const PipelineInput& input) {
  std::vector<Worn> out;
  if (request.over.empty()) return out;
  ASSIGN_OR_RETURN(StoredOutfit outfit, read_worn_file(input.worn));
  if (outfit.body != digest(request.body)) {
    return invalid_input("OUTFIT_OF_ANOTHER_BODY", "over", "the drape beneath lies on another body",
                         "Drape both garments on the same body.");
  }
  if (outfit.garments.size() >= kMostWorn) {
    return invalid_input("OUTFIT_TOO_THICK", "over",
                         cat("the body wears ", outfit.garments.size(), " garments already"),
                         cat("Wear at most ", kMostWorn, " over each other."));
  }
  for (StoredGarment& garment : outfit.garments) {
    ASSIGN_OR_RETURN(Fabric fabric, fabric_by_name(garment.fabric));
    out.push_back({std::move(garment), std::move(fabric), {}});
  }
  return out;
}

FittedPerson clothed(const FittedPerson& person, const std::vector<Worn>& beneath) {
  FittedPerson out = person;
  out.solids = solids_of_worn(person.solids, beneath);
  return out;
}

std::string worn_file(const DrapeRequest& request, const std::string& name, const CutCloth& cut,
                      const Settled& settled) {
  StoredOutfit outfit;
  outfit.body = digest(request.body);
  for (const Worn& worn : settled.beneath) outfit.garments.push_back(worn.garment);
  outfit.garments.push_back({name, request.settings.fabric, settled.cloth, cut.garment.all_on_cloth(),
                             cut.garment.triangles, digest(in_size(request.garment, "")), cut.meshed_in,
                             request.settings.resolution_mm * 1e-3});
  return write_worn_file(outfit);
}

}  // namespace tryon
