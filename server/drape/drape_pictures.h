// What it is: pictures of a drape on request: a turntable (animated PNG), the four views in one, heat maps with their
// legend, cuts of body and garment, several sizes beside each other.
// Units: legends in the fields' shown units; cuts in mm. Shapes: file name -> PNG. How it fails: as render_view.
// Thread rules: as RunContext; the same bytes for any number of threads.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/drape/cloth_fields.h"
#include "server/drape/cross_sections.h"
#include "server/drape/drape_goods.h"
#include "server/drape/pipeline.h"
#include "server/drape/shown_garment.h"
#include "server/render/preview.h"

namespace tryon {

// The body, what it wears beneath, and last the garment.
std::vector<RenderPiece> picture_pieces(const DrapeGoods& goods, const ShownGarment& shown);
// turntable.png, views.png, heat_KEY.png, sections.png, as the settings ask. `pieces`: picture_pieces(); `views`:
// kFourViews.
absl::Status add_drape_pictures(const RunContext& run, const DrapeGoods& goods, const ShownGarment& shown,
                                const std::vector<RenderPiece>& pieces, const std::vector<ClothField>& fields,
                                const std::vector<Image>& views, Artifacts* out);

Image section_picture(const std::vector<CrossSection>& sections);

// A size of a garment on the body, from the front and the back.
struct SizeOnBody {
  std::vector<std::string> caption;  // "size M", "advised", ...
  std::vector<RenderPiece> pieces;
};
absl::StatusOr<Image> size_strip(const RunContext& run, const std::vector<SizeOnBody>& sizes);

}  // namespace tryon
