#include "server/drape/size_advice.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "nlohmann/json.hpp"
#include "server/base/hash.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/drape/assemble.h"
#include "server/drape/drape_pictures.h"
#include "server/drape/garment_source.h"
#include "server/drape/rehang.h"
#include "server/drape/setup.h"
#include "server/garment/regrade.h"
#include "server/garment/size_table.h"

namespace tryon {
namespace {

using Json = nlohmann::json;

Figure figure_of(const TemplateRequest& draft) {
  return draft.figure == FigureType::kMale ? Figure::kMen : Figure::kWomen;
}

bool is_template(const GarmentRequest& garment) { return garment.draft.has_value(); }

std::vector<std::string> sizes_of(const Pattern& pattern) {
  std::vector<std::string> out;
  if (!pattern.size.empty()) out.push_back(pattern.size);
  for (const SizeVariant& variant : pattern.sizes) out.push_back(variant.name);
  return out;
}

// In the order of the grading: by the cloth that they take.
absl::StatusOr<std::vector<std::string>> ordered(const Pattern& pattern, const std::vector<std::string>& wanted) {
  const std::vector<std::string> known = sizes_of(pattern);
  if (known.size() < 2) {
    return invalid_input("SIZES_MISSING", "garment",
                         "the garment has only one size, so there is nothing to choose from",
                         "Use a template without a body of its own, or a pattern that is graded.");
  }
  std::vector<std::pair<double, std::string>> order;
  for (const std::string& name : wanted.empty() ? known : wanted) {
    ASSIGN_OR_RETURN(const Pattern size, at_size(pattern, name));
    double area = 0.0;
    for (const Panel& panel : size.panels) area += panel_area(panel);
    order.emplace_back(area, name);
  }
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> out;
  for (const auto& [area, name] : order) {
    if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  }
  return out;
}

// The pattern with all its sizes, whatever size the garment was made in.
absl::StatusOr<LoadedGarment> load_sizes(const RunContext& run, GarmentRequest garment, const PipelineInput& input,
                                         const FittedPerson& person) {
  garment.size.clear();
  if (is_template(garment)) {
    garment.draft->body.clear();
    garment.draft->size = std::string(1, 'M');  // the base size of graded drafts
  }
  return load_garment(run, garment, input, Wearer(person.body));
}

// The size whose figure is nearest to the person: others begin where it lies.
size_t nearest_size(const std::vector<std::string>& sizes, const AdviceRequest& request, const FittedPerson& person) {
  if (!is_template(request.drape.garment)) return sizes.size() / 2;
  const DraftMeasurements own = draft_measurements(person.body);
  size_t best = 0;
  double least = 1e30;
  for (size_t s = 0; s < sizes.size(); ++s) {
    const auto chart = size_measurements(figure_of(*request.drape.garment.draft), sizes[s]);
    if (!chart.ok()) return sizes.size() / 2;
    const double off = std::abs(chart->bust_girth - own.bust_girth) + std::abs(chart->hip_girth - own.hip_girth);
    if (off < least) least = off, best = s;
  }
  return best;
}

struct Trial {
  GarmentMesh garment;
  Settled settled;
  bool carried = false;
};

struct Trials {
  const RunContext& run;
  const Pattern& pattern;
  const FittedPerson& person;
  const Fabric& fabric;
  const sim::Collider& collider;
  const DrapeSettings& settings;
  GarmentMesh base;  // of the pattern's own size
};

absl::StatusOr<Trial> drape_afresh(const Trials& all, const std::string& size) {
  Trial out;
  ASSIGN_OR_RETURN(const Pattern pattern, at_size(all.pattern, size));
  auto garment = regraded(all.base, all.pattern, size);
  if (!garment.ok()) garment = mesh_garment(all.run, pattern, all.settings.resolution_mm * 1e-3);
  if (!garment.ok()) return garment.status();
  out.garment = *std::move(garment);
  ArrangeReport arranged;
  RETURN_IF_ERROR(place_garment(all.run, pattern, all.person, &out.garment, &arranged));
  ASSIGN_OR_RETURN(out.settled,
                   sew_and_settle(all.run, out.garment, all.fabric, all.collider, settle_options(all.settings)));
  return out;
}

// From where the neighbouring size lies; afresh where the mesh cannot be shared.
absl::StatusOr<Trial> drape_from(const Trials& all, const std::string& size, const Trial& neighbour) {
  Trial out;
  auto garment = regraded(all.base, all.pattern, size);
  if (!garment.ok() || garment->vertex_count() != neighbour.garment.vertex_count()) return drape_afresh(all, size);
  out.garment = *std::move(garment);
  out.garment.placed = neighbour.garment.placed;
  out.carried = true;
  const auto from = rehung(out.garment, neighbour.garment.flat, neighbour.settled.cloth);
  ASSIGN_OR_RETURN(out.settled,
                   settle_from(all.run, out.garment, all.fabric, all.collider, settle_options(all.settings), from));
  return out;
}

TriedSize tried_of(const Trials& all, const AdviceRequest& request, const std::string& size, const Trial& trial) {
  TriedSize out;
  out.size = size;
  out.fit = measure_fit(all.run, all.person, trial.garment, trial.settled, all.fabric);
  out.grade = trial.settled.report.grade;
  out.carried = trial.carried;
  if (is_template(request.drape.garment)) {
    const auto chart = size_measurements(figure_of(*request.drape.garment.draft), size);
    if (chart.ok()) out.chart = *chart;
  }
  return out;
}

std::vector<RenderPiece> look_of(const Trials& all, const Trial& trial) {
  const DrapeGoods goods{all.person, trial.garment, trial.settled, all.fabric, all.settings};
  return picture_pieces(goods, shown_garment(trial.garment, trial.settled.cloth));
}

// sizes.png: the sizes beside each other as they are graded, with their ranks.
absl::Status add_strip(const RunContext& run, const SizeAdvice& advice, const std::vector<std::string>& sizes,
                       std::vector<std::vector<RenderPiece>> looks, Artifacts* out) {
  std::vector<SizeOnBody> strip;
  for (size_t s = 0; s < sizes.size(); ++s) {
    SizeOnBody shown{{cat("size ", sizes[s])}, std::move(looks[s])};
    for (size_t rank = 0; rank < advice.sizes.size(); ++rank) {
      if (advice.sizes[rank].size != sizes[s]) continue;
      shown.caption.push_back(rank == 0 ? "advised" : cat("rank ", rank + 1));
      shown.caption.push_back(cat("misfit ", std::round(100.0 * advice.sizes[rank].misfit) / 100.0));
    }
    strip.push_back(std::move(shown));
  }
  ASSIGN_OR_RETURN(const Image image, size_strip(run, strip));
  ASSIGN_OR_RETURN(std::string png, encode_png(image));
  (*out)["sizes.png"] = {std::move(png), "image/png"};
  return absl::OkStatus();
}

// Outwards from the nearest size, each from its neighbour.
absl::StatusOr<std::vector<TriedSize>> try_all(const Trials& all, const AdviceRequest& request,
                                               const std::vector<std::string>& sizes,
                                               std::vector<std::vector<RenderPiece>>* looks) {
  std::vector<TriedSize> out(sizes.size());
  looks->resize(sizes.size());
  const size_t start = nearest_size(sizes, request, all.person);
  ASSIGN_OR_RETURN(const Trial first, drape_afresh(all, sizes[start]));
  out[start] = tried_of(all, request, sizes[start], first);
  (*looks)[start] = look_of(all, first);
  size_t done = 1;
  all.run.report("advise", static_cast<double>(done) / static_cast<double>(sizes.size()));
  for (const int way : {-1, 1}) {
    Trial neighbour = first;
    for (size_t s = start; way < 0 ? s-- > 0 : ++s < sizes.size();) {
      RETURN_IF_ERROR(all.run.check());
      ASSIGN_OR_RETURN(neighbour, drape_from(all, sizes[s], neighbour));
      out[s] = tried_of(all, request, sizes[s], neighbour);
      (*looks)[s] = look_of(all, neighbour);
      all.run.report("advise", static_cast<double>(++done) / static_cast<double>(sizes.size()));
    }
  }
  return out;
}

// The stages of one drape would begin again with every size: what is told outside is how many are done.
RunContext quiet(const RunContext& run) {
  RunContext out = run;
  out.on_progress = [outer = run.on_progress](const Progress& p) {
    if (outer && p.stage == "advise") outer(p);
  };
  return out;
}

}  // namespace

absl::StatusOr<PipelineResult> run_advice(const RunContext& given, const AdviceRequest& request,
                                          const PipelineInput& input) {
  const RunContext run = with_reserve(given);
  const DrapeSettings& settings = request.drape.settings;
  RETURN_IF_ERROR(validate(settings));
  ASSIGN_OR_RETURN(const Fabric fabric, fabric_by_name(settings.fabric));
  ASSIGN_OR_RETURN(StoredBody stored, load_body(run, request.drape.body, input));
  ASSIGN_OR_RETURN(const FittedPerson person, person_to_dress(run, std::move(stored), settings.proxy_shape));
  run.report("advise", 0.0);
  const RunContext inner = quiet(run);
  ASSIGN_OR_RETURN(const LoadedGarment garment, load_sizes(inner, request.drape.garment, input, person));
  if (garment.made.mesh) {
    return invalid_input("SIZES_MISSING", "garment", "a garment that comes as a mesh has only one size",
                         "Use a template without a body of its own, or a pattern that is graded.");
  }
  const Pattern& pattern = garment.made.pattern;
  ASSIGN_OR_RETURN(const std::vector<std::string> sizes, ordered(pattern, request.sizes));
  const auto collider = make_collider(settings, person);
  ASSIGN_OR_RETURN(GarmentMesh base, mesh_garment(inner, pattern, settings.resolution_mm * 1e-3));
  const Trials all{inner, pattern, person, fabric, *collider, settings, std::move(base)};
  std::vector<std::vector<RenderPiece>> looks;
  ASSIGN_OR_RETURN(const std::vector<TriedSize> tried, try_all(all, request, sizes, &looks));
  const SizeAdvice advice = rank_sizes(person, fabric, tried);
  PipelineResult result;
  result.summary_json = advice_json(request, person, tried, advice);
  result.artifacts["size_advice.json"] = {result.summary_json, "application/json"};
  RETURN_IF_ERROR(add_strip(inner, advice, sizes, std::move(looks), &result.artifacts));
  result.settled = std::none_of(tried.begin(), tried.end(), [](const TriedSize& t) { return t.grade == "none"; });
  return result;
}

}  // namespace tryon
