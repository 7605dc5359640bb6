// What it is: a study of the start and of the sewing: every GarmentCode-family specification of the data set, on the
// body that it was made for, sewn without weight at a given edge length. One line a garment: does anything start inside
// the body or through another panel, how far apart are seam partners at the end (2 mm is closed), what it cost, and why
// it failed. Options: --start=file|roles (roles: the file's placement is thrown away), --only=TEXT, --edge=20,
// --templates (instead of the files: every template in S, L and XXL for women and men, on people of these sizes),
// --made-to-measure (the same people, drafted for each from the measurements taken on it),
// --dxf (instead of the files: the DXF and FreeSewing garments of tests/fixtures/patterns with their seams, on people
// with the measurements that they were drafted for; always by roles), --slice=K/N (only every Nth, from the Kth),
// --png=DIR (pictures of starts and sewn garments), --settle (drape as well, slow). Times are CPU seconds.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "server/drape/assemble.h"
#include "server/drape/settle.h"
#include "server/fabric/fabric.h"
#include "server/garment/crossings.h"
#include "server/garment/template.h"
#include "server/io/pattern_import.h"
#include "server/io/pattern_json.h"
#include "server/metrics/metrics.h"
#include "server/render/preview.h"
#include "tests/bench/study_options.h"
#include "tests/bench/study_person.h"
#include "tests/support/shared_data.h"

namespace tryon {
namespace {

struct Options {
  bool by_role = false, settle = false, to_measure = false;
  std::string only, png;
  double edge_mm = 20.0;
  int slice = 0, slices = 1;
  bool wanted(const std::string& name, int number) const {
    return name.find(only) != std::string::npos && number % slices == slice;
  }
};

struct Row {
  std::vector<Vec3> middles;
  std::string name, cause, crossing, told;  // crossing: the pairs of panels that start through each other
  int panels = 0, vertices = 0, below = 0, inside = 0, body_crossings = 0, panel_crossings = 0, steps = 0;
  int64_t iterations = 0;
  double start_gap_mm = 0.0, gap_mm = -1.0, depth_mm = 0.0, off_mm = 0.0, seconds = 0.0, arrange_s = 0.0;
  bool closed() const { return gap_mm >= 0.0 && gap_mm <= 2.0; }
};

// Seams that stay open, the worst first: "a.3-b.1 12 mm".
std::string open_seams(const Pattern& pattern, const GarmentMesh& garment, const std::vector<Vec3>& x) {
  std::vector<std::pair<double, std::string>> open;
  for (const Seam& seam : garment.seams) {
    double gap = 0.0;
    for (size_t k = 0; k < seam.left.size(); ++k) gap = std::max(gap, (x[seam.left[k]] - x[seam.right[k]]).norm());
    if (gap <= 2e-3) continue;
    if (seam.stitch < 0) {
      open.emplace_back(-gap, "tack " + std::to_string(std::lround(gap * 1e3)) + " mm");
      continue;
    }
    const Stitch& s = pattern.stitches[static_cast<size_t>(seam.stitch)];
    const auto name = [&](const StitchSide& side) {
      return pattern.panels[static_cast<size_t>(side.panel)].name + "." + std::to_string(side.edge);
    };
    open.emplace_back(-gap, name(s.a) + "-" + name(s.b) + " " + std::to_string(std::lround(gap * 1e3)) + " mm");
  }
  std::sort(open.begin(), open.end());
  std::string text;
  for (size_t i = 0; i < std::min<size_t>(open.size(), 4); ++i) text += (i > 0 ? "; " : "") + open[i].second;
  return text;
}

double seam_gap_mm(const GarmentMesh& garment, const std::vector<Vec3>& x) {
  double gap = 0.0;
  for (const Seam& seam : garment.seams) {
    for (size_t k = 0; k < seam.left.size(); ++k) gap = std::max(gap, (x[seam.left[k]] - x[seam.right[k]]).norm());
  }
  return gap * 1e3;
}

std::vector<Vec3> panel_middles(const GarmentMesh& garment, const std::vector<Vec3>& x) {
  std::vector<Vec3> sums(garment.panel_names.size(), Vec3::Zero());
  std::vector<int> counts(sums.size(), 0);
  for (size_t v = 0; v < x.size(); ++v) {
    sums[static_cast<size_t>(garment.panel[v])] += x[v];
    ++counts[static_cast<size_t>(garment.panel[v])];
  }
  for (size_t p = 0; p < sums.size(); ++p) sums[p] /= std::max(counts[p], 1);
  return sums;
}

void judge_start(const StudyPerson& study, const GarmentMesh& garment, Row* row) {
  row->panels = static_cast<int>(garment.panel_names.size());
  row->vertices = garment.vertex_count();
  for (const Vec3& p : garment.placed) {
    row->below += p.y() < 0.0;
    row->inside += study.body->query(p, 0.01).distance < 0.0;
  }
  const TriangleMesh cloth{garment.placed, garment.triangles};
  std::map<std::pair<int, int>, int> pairs;
  for (const auto& [a, b] : panel_crossings(garment)) {
    const int p = garment.triangle_panel[static_cast<size_t>(a)], q = garment.triangle_panel[static_cast<size_t>(b)];
    ++pairs[{std::min(p, q), std::max(p, q)}];
    ++row->panel_crossings;
  }
  for (const auto& [pair, count] : pairs) {
    row->crossing += garment.panel_names[static_cast<size_t>(pair.first)] + " x " +
                     garment.panel_names[static_cast<size_t>(pair.second)] + " " + std::to_string(count) + "; ";
  }
  row->body_crossings = crossings_with_body(study, cloth);
  row->start_gap_mm = seam_gap_mm(garment, garment.placed);
}

absl::StatusOr<GarmentMesh> started(const Options& options, const StudyPerson& study, const Pattern& pattern,
                                    ArrangeReport* report, Row* row) {
  auto garment = mesh_garment(RunContext(), pattern, options.edge_mm * 1e-3);
  if (!garment.ok()) return garment;
  const std::clock_t begin = std::clock();
  const absl::Status placed = place_garment(RunContext(), pattern, study.person, &*garment, report);
  row->arrange_s = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  if (!placed.ok()) return placed;
  return garment;
}

void sew(const Options& options, const StudyPerson& study, const Pattern& pattern, Row* row) {
  ArrangeReport report;
  const auto garment = started(options, study, pattern, &report, row);
  if (!garment.ok()) {
    row->cause = std::string(garment.status().message());
    return;
  }
  judge_start(study, *garment, row);
  for (const Finding& finding : report.findings) row->told += finding.message + "; ";
  if (!options.png.empty()) picture(study, {garment->placed, garment->triangles}, options.png, row->name + "_start");
  const auto fabric = fabric_by_name("cotton_jersey");
  const std::clock_t begin = std::clock();
  const auto sewn = sew_panels(RunContext(), *garment, *fabric, *study.collider, SettleOptions());
  row->seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  if (!sewn.ok()) {
    row->cause = std::string(sewn.status().message());
    return;
  }
  row->steps = sewn->report.sew_steps;
  row->iterations = sewn->report.iterations;
  row->gap_mm = seam_gap_mm(*garment, sewn->positions);
  for (const Vec3& p : sewn->positions) {
    row->depth_mm = std::max(row->depth_mm, -1e3 * study.body->query(p, 0.01).distance);
  }
  row->middles = panel_middles(*garment, sewn->positions);
  if (!row->closed()) row->cause = open_seams(pattern, *garment, sewn->positions);
  if (!options.png.empty()) picture(study, {sewn->positions, garment->triangles}, options.png, row->name + "_sewn");
  if (!options.settle) return;
  const auto settled = sew_and_settle(RunContext(), *garment, *fabric, *study.collider, SettleOptions());
  if (!settled.ok()) row->cause += " settle: " + std::string(settled.status().message());
  if (settled.ok() && !options.png.empty()) picture(study, settled->cloth.mesh, options.png, row->name + "_drape");
}

// How far the panels end from where they end when they start as the file says: middles, the farthest.
double off_from_file(const Options& options, const StudyPerson& study, const Pattern& pattern,
                     const std::vector<Vec3>& middles) {
  ArrangeReport report;
  const auto garment = assemble_garment(RunContext(), pattern, study.person, options.edge_mm * 1e-3, &report);
  if (!garment.ok()) return -1.0;
  const auto sewn =
      sew_panels(RunContext(), *garment, *fabric_by_name("cotton_jersey"), *study.collider, SettleOptions());
  if (!sewn.ok()) return -1.0;
  const std::vector<Vec3> theirs = panel_middles(*garment, sewn->positions);
  double off = 0.0;
  for (size_t p = 0; p < theirs.size(); ++p) off = std::max(off, (theirs[p] - middles[p]).norm());
  return 1e3 * off;
}

void print(const Row& r) {
  std::printf(
      "%-30s %2d panels %5d vertices | below floor %4d inside %3d body x %3d panel x %3d | start %4.0f mm ->"
      " %6.2f mm %-6s depth %4.1f mm off %4.0f mm %3d steps %5lld it arrange %5.2f s sew %6.2f s  %s%s%s\n",
      r.name.c_str(), r.panels, r.vertices, r.below, r.inside, r.body_crossings, r.panel_crossings, r.start_gap_mm,
      r.gap_mm, r.closed() ? "closed" : "OPEN", r.depth_mm, r.off_mm, r.steps, static_cast<long long>(r.iterations),
      r.arrange_s, r.seconds, r.cause.c_str(), r.crossing.c_str(), r.told.c_str());
  std::fflush(stdout);
}

struct Total {
  int count = 0, closed = 0, clean = 0;
  double arrange_s = 0.0, sew_s = 0.0;
  void add(const Row& row) {
    ++count, closed += row.closed(), clean += row.inside + row.body_crossings + row.panel_crossings == 0;
    arrange_s += row.arrange_s, sew_s += row.seconds;
  }
  int print() const {
    const double n = std::max(count, 1);
    std::printf("%d garments, %d closed (%.1f %%), %d start clear of the body and of each other;", count, closed,
                100.0 * closed / n, clean);
    std::printf(" CPU a garment: arranging %.0f ms, sewing %.0f ms\n", 1e3 * arrange_s / n, 1e3 * sew_s / n);
    return 0;
  }
};

std::vector<std::string> specifications() {
  std::vector<std::string> files;
  for (const char* folder : {"garment_pattern_generator", "garmentcode", "garmentcodedata"}) {
    const std::string path = testing::shared_data_path(std::string("patterns/") + folder);
    if (path.empty()) continue;
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
      if (entry.path().extension() == ".json")
        files.push_back(std::string(folder) + "/" + entry.path().filename().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

void forget_placement(Pattern* pattern) {
  for (Panel& panel : pattern->panels) {
    panel.placed = false;
    panel.translation.setZero();
    panel.rotation.setIdentity();
  }
}

int study_files(const Options& options) {
  std::map<std::string, StudyPerson> people;
  Total total;
  int number = 0;
  for (const std::string& file : specifications()) {
    if (!options.wanted(file, number++)) continue;
    const bool template_file = file.rfind("garment_pattern_generator", 0) == 0;
    const std::string body = template_file ? "smpl/f_smpl_template_T.obj" : "garmentcode/mean_all.obj";
    if (people.find(body) == people.end()) people.emplace(body, study_person(body));
    Row row;
    row.name = std::filesystem::path(file).stem().string();
    if (const size_t at = row.name.find("_specification"); at != std::string::npos) row.name.resize(at);
    auto pattern = read_pattern(testing::read_file(testing::shared_data_path("patterns/" + file)), file);
    if (pattern.ok()) {
      Pattern bare = *pattern;
      if (options.by_role) forget_placement(&bare);
      sew(options, people.at(body), bare, &row);
      if (options.by_role && row.gap_mm >= 0.0) {
        row.off_mm = off_from_file(options, people.at(body), *pattern, row.middles);
      }
    } else {
      row.cause = std::string(pattern.status().message());
    }
    print(row);
    total.add(row);
  }
  return total.print();
}

bool any_wanted(const Options& options, const std::string& who) {
  for (const TemplateInfo& info : list_templates()) {
    if ((info.name + who).find(options.only) != std::string::npos) return true;
  }
  return false;
}

int study_templates(const Options& options) {
  Total total;
  int number = 0;
  for (const Figure figure : {Figure::kWomen, Figure::kMen}) {
    for (const char* size : {"S", "L", "XXL"}) {
      const std::string who = std::string(figure == Figure::kMen ? "_man_" : "_woman_") + size;
      if (!any_wanted(options, who)) continue;
      const StudyPerson person = person_of_size(figure, size);
      for (const TemplateInfo& info : list_templates()) {
        Row row;
        row.name = info.name + who;
        if (!options.wanted(row.name, number++)) continue;
        const auto pattern = options.to_measure ? draft_template(info.name, draft_measurements(person.person.body))
                                                : draft_template_graded(info.name, figure, size);
        if (pattern.ok()) sew(options, person, *pattern, &row);
        if (!pattern.ok()) row.cause = std::string(pattern.status().message());
        print(row);
        total.add(row);
      }
    }
  }
  return total.print();
}

struct SidecarGarment {
  const char *name, *file;
  BodyTable wearer;
};

// Whom the pattern was drafted for: the measurement files beside the patterns; the T-shirt has numbers instead of
// measurements (90 cm half of the chest with its ease) and is tried on a woman of size M.
std::vector<SidecarGarment> sidecar_garments() {
  const auto male = FigureType::kMale, female = FigureType::kFemale;
  const std::map<std::string, double> gost = {{"bust_girth", 1044}, {"waist_girth", 780}, {"hip_girth", 964}};
  const auto worn = [](double bust, double waist, double hip) {
    return std::map<std::string, double>{{"bust_girth", bust}, {"waist_girth", waist}, {"hip_girth", hip}};
  };
  const char *astm = "valentina/%s_astm.dxf", *paths = "freesewing/%s.paths.json";
  return {{"tshirt", astm, {1680, worn(900, 740, 980), female}},
          {"keiko_skirt", astm, {0, worn(820, 595, 890), female}},
          {"pantsM1_52-176", astm, {1760, worn(1044, 780, 984), male}},
          {"jacketM1_52-176", astm, {1760, gost, male}},
          {"pajama_top_wrap", astm, {0, worn(1050, 950, 1060), female}},
          {"maleshirt", astm, {1730, worn(1020, 920, 1010), male}},
          {"teagan_cisFemaleAdult36", paths, {0, worn(979, 788, 1046), female}},
          {"penelope_cisFemaleAdult36", paths, {0, worn(979, 788, 1046), female}},
          {"brian_cisMaleAdult40", paths, {0, worn(1053, 846, 1052), male}},
          {"aaron_cisMaleAdult40", paths, {0, worn(1053, 846, 1052), male}},
          {"titan_cisMaleAdult40", paths, {0, worn(1053, 846, 1052), male}}};
}

int study_dxf(const Options& options) {
  Total total;
  int number = 0;
  for (const SidecarGarment& known : sidecar_garments()) {
    if (!options.wanted(known.name, number++)) continue;
    Row row;
    row.name = known.name;
    std::string file = known.file;
    file.replace(file.find("%s"), 2, row.name);
    const std::string path = testing::shared_data_path("patterns/" + file);
    const std::string seams =
        testing::read_file(testing::source_dir() + "/tests/fixtures/patterns/" + row.name + ".seams.json");
    ImportOptions import;
    import.sidecar = seams;
    const auto made = import_pattern(testing::read_file(path), row.name, import);
    if (made.ok()) sew(options, person_of_table(row.name, known.wearer), made->pattern, &row);
    if (!made.ok()) row.cause = std::string(made.status().message());
    print(row);
    total.add(row);
  }
  return total.print();
}

}  // namespace
}  // namespace tryon

int main(int argc, char** argv) {
  tryon::Options options;
  bool templates = false, dxf = false;
  const auto take = [&](const std::string& arg) {
    using tryon::take_flag, tryon::take_option;
    return take_flag(arg, "--start=file", &options.by_role, false) ||
           take_flag(arg, "--start=roles", &options.by_role) || take_flag(arg, "--templates", &templates) ||
           take_flag(arg, "--made-to-measure", &options.to_measure) || take_flag(arg, "--dxf", &dxf) ||
           std::sscanf(arg.c_str(), "--slice=%d/%d", &options.slice, &options.slices) == 2 ||
           take_flag(arg, "--settle", &options.settle) || take_option(arg, "--only=", &options.only) ||
           take_option(arg, "--png=", &options.png) || take_option(arg, "--edge=", &options.edge_mm);
  };
  tryon::read_options(argc, argv,
                      "[--start=file|roles] [--templates | --made-to-measure | --dxf] [--slice=K/N] [--settle]\n"
                      "  [--only=TEXT] [--png=DIR] [--edge=20]",
                      take);
  options.slices = std::max(options.slices, 1);
  if (dxf) return tryon::study_dxf(options);
  return templates || options.to_measure ? tryon::study_templates(options) : tryon::study_files(options);
}
