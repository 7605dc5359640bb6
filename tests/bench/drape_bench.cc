// What it is: a study of whole drapes: GarmentCode-family specifications on the body that they were made for, one line
// a garment with what it cost (CPU seconds of sewing, falling, calming) and what it is worth: grade, residuals, pairs
// of triangles that cross (exact), depth in the body and pairs of triangles that cross it, limbs beside their tubes,
// how far the seams were apart, strain, the first digits of the positions' SHA-256 (the same for any --threads).
// Options: kUsage, or --help.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "server/base/executor.h"
#include "server/base/hash.h"
#include "server/base/text.h"
#include "server/drape/assemble.h"
#include "server/drape/grade.h"
#include "server/drape/limb_ends.h"
#include "server/drape/settle.h"
#include "server/fabric/fabric.h"
#include "server/garment/template.h"
#include "server/io/mesh_export.h"
#include "server/io/pattern_json.h"
#include "server/metrics/metrics.h"
#include "tests/bench/drape_agreement.h"
#include "tests/bench/drape_scenes.h"
#include "tests/bench/study_options.h"
#include "tests/bench/study_person.h"
#include "tests/support/shared_data.h"

namespace tryon {
namespace {

constexpr char kUsage[] =
    "[--only=TEXT ...] [--every=N] [--edge=20] [--fabric=cotton_jersey] [--threads=1] [--repeat=1] [--png=DIR] "
    "[--obj=DIR] [--body=FILE] [--cut]\n"
    "  [--layers=where-needed|always|never] [--hinges] [--no-limits] [--grade=preview] [--coarsest=600] "
    "[--solver=NAME] [--where] "
    "[--templates] [--names]\n"
    "    every (Nth) specification of the data set whose name holds a TEXT, or with --templates each template in S, M\n"
    "    and L on five people; edge in mm; --hinges bends edge by edge; --no-limits:\n"
    "    cloth that never stiffens; --where tells the place of every crossing, and limbs beside; --obj leaves body "
    "and\n"
    "    cloth; --body, one of the data set's bodies, wears all of them (templates in women's sizes); --cut: "
    "people\n"
    "    without head and hands, as the service keeps them; --names only prints what would be draped\n"
    "  --scene=all|dress_knife|t_shirt|trousers|cusick ... [--size=VERTICES ...] [--on=THREADS ...] "
    "[--blender=FRAMES] [--dress=FABRIC]\n"
    "    timed scenes; dress_knife beside the drape of the simulator that staged it, in wool_lycra or what --dress\n"
    "    names (theirs: with that simulator's bending and friction too), and by Blender's cloth in the same run\n"
    "  --agree [--only=TEXT ...] [--edge=20] [--fabric=cotton_jersey]\n"
    "    how far girths of templates move when the edge is halved";

struct Options {
  std::vector<std::string> only;
  std::string fabric = "cotton_jersey", png, obj, body;
  double edge_mm = 20.0;
  int every = 1, threads = 1, repeat = 1;
  bool templates = false, where = false, agree = false, names = false;
  Kept kept = Kept::kAll;
  SettleOptions settle;
};

struct Tally {
  int count = 0, sound = 0;
  std::vector<double> seconds;
};

std::vector<std::string> chosen(const Options& options, const std::vector<std::string>& names) {
  std::vector<std::string> kept;
  for (size_t i = 0; i < names.size(); ++i) {
    if (is_chosen(options.only, names[i]) && i % static_cast<size_t>(options.every) == 0) kept.push_back(names[i]);
  }
  return kept;
}

std::vector<std::string> specifications(const Options& options) {
  std::vector<std::string> files;
  for (const char* folder : {"garment_pattern_generator", "garmentcode", "garmentcodedata"}) {
    const std::string path = testing::shared_data_path(std::string("patterns/") + folder);
    if (path.empty()) continue;
    for (const auto& entry : std::filesystem::directory_iterator(path))
      if (entry.path().extension() == ".json")
        files.push_back(std::string(folder) + "/" + entry.path().filename().string());
  }
  std::sort(files.begin(), files.end());
  return chosen(options, files);
}

double cpu_s() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void tell_crossings(const StudyPerson& study, const TriangleMesh& mesh) {
  for (const auto& [a, b] : self_intersections(mesh)) {
    Vec3 middle = Vec3::Zero();
    for (const int t : {a, b})
      for (const int corner : mesh.triangles[t]) middle += mesh.positions[corner] / 6;
    std::printf("  triangles %d and %d at %.3f %.3f %.3f, %.1f mm\n", a, b, middle.x(), middle.y(), middle.z(),
                1e3 * study.body->query(middle, 0.05).distance);
  }
}

void tell_limbs(const GarmentMesh& garment, const WeldedMesh& cloth) {
  for (const Finding& finding : limb_findings(garment, cloth)) std::printf("  %s\n", finding.message.c_str());
}

std::string digest_of(const TriangleMesh& mesh) {
  const auto* bytes = reinterpret_cast<const char*>(mesh.positions.data());
  return sha256_hex({bytes, mesh.positions.size() * sizeof(Vec3)}).substr(0, 8);
}

void judge(const StudyPerson& study, const std::string& name, const GarmentMesh& garment, const Settled& settled,
           double cpu, double wall, Tally* tally) {
  const SettleReport& r = settled.report;
  const TriangleMesh& mesh = settled.cloth.mesh;
  double deepest = 0.0;
  for (const Vec3& p : mesh.positions) deepest = std::max(deepest, -1e3 * study.body->query(p, 0.01).distance);
  const int crossings = count_self_intersections(mesh);
  const StrainField strain = measure_strain(mesh, settled.cloth.corner_flat);
  const auto percent = [](const std::vector<double>& of) { return 100 * percentiles(of).p99; };
  const std::vector<Finding> limbs = limb_findings(garment, settled.cloth);
  const bool sound =
      is_at_least(r.grade, "final") && crossings == 0 && deepest <= 0.1 && limbs.empty() && r.gap_before_weld_mm <= 2.0;
  std::printf(
      "%-34s %6d v %s| %6.2f s cpu %6.2f s wall, sew %3d fall+calm %3d steps %6lld it %5.2f ms/it | %-8s %-10s rms "
      "%.1e "
      "max %.1e | "
      "crossings %4d depth %4.2f mm, %d through the body, %zu limbs beside, gap %5.2f mm, strain p99 warp %.1f weft "
      "%.1f %%, digest %s "
      "%s\n",
      name.c_str(), mesh.vertex_count(), r.layers_kept_apart ? "layers " : "", cpu, wall, r.sew_steps, r.drape_steps,
      static_cast<long long>(r.iterations), 1e3 * cpu / std::max<double>(1.0, static_cast<double>(r.iterations)),
      r.grade.c_str(), r.termination.c_str(), r.residual_rms, r.residual_max, crossings, deepest,
      crossings_with_body(study, mesh), limbs.size(), r.gap_before_weld_mm, percent(strain.warp), percent(strain.weft),
      digest_of(mesh).c_str(), sound ? "SOUND" : "");
  std::fflush(stdout);
  ++tally->count, tally->sound += sound;
  tally->seconds.push_back(cpu);
}

void leave_meshes(const StudyPerson& study, const TriangleMesh& cloth, const std::string& path) {
  std::vector<ExportPiece> pieces(2);
  pieces[0].name = "body", pieces[0].mesh = study.person.skin.mesh;
  pieces[1].name = "garment", pieces[1].mesh = cloth;
  for (ExportPiece& piece : pieces) piece.normals = vertex_normals(piece.mesh);
  std::ofstream(path, std::ios::binary) << *write_obj(pieces);
}

void drape(const Options& options, const StudyPerson& study, const std::string& name,
           const absl::StatusOr<Pattern>& pattern, Tally* tally) {
  ArrangeReport report;
  RunContext run;
  Executor pool(options.threads);
  run.executor = &pool;
  auto garment = pattern.ok() ? assemble_garment(run, *pattern, study.person, options.edge_mm * 1e-3, &report)
                              : absl::StatusOr<GarmentMesh>(pattern.status());
  if (!garment.ok()) {
    std::printf("%-34s %s\n", name.c_str(), std::string(garment.status().message()).c_str());
    ++tally->count;
    return;
  }
  for (int i = 0; i < options.repeat; ++i) {
    const double cpu = cpu_s();
    const absl::Time start = absl::Now();
    const auto settled =
        sew_and_settle(run, *garment, *fabric_by_name(options.fabric), *study.collider, options.settle);
    if (!settled.ok()) {
      std::printf("%-34s %s\n", name.c_str(), std::string(settled.status().message()).c_str());
      ++tally->count;
      return;
    }
    if (options.where) tell_crossings(study, settled->cloth.mesh), tell_limbs(*garment, settled->cloth);
    judge(study, name, *garment, *settled, cpu_s() - cpu, absl::ToDoubleSeconds(absl::Now() - start), tally);
    if (!options.obj.empty() && i == 0)
      leave_meshes(study, settled->cloth.mesh, cat(options.obj, "/", as_file(name), ".obj"));
    if (!options.png.empty() && i == 0) picture(study, settled->cloth.mesh, options.png, as_file(name));
  }
}

void study_files(const Options& options, Tally* tally) {
  std::map<std::string, StudyPerson> people;
  for (const std::string& file : specifications(options)) {
    if (options.names) {
      std::printf("%s\n", file.c_str());
      continue;
    }
    const bool template_file = file.rfind("garment_pattern_generator", 0) == 0;
    const std::string body = !options.body.empty() ? options.body
                             : template_file       ? "smpl/f_smpl_template_T.obj"
                                                   : "garmentcode/mean_all.obj";
    if (people.find(body) == people.end()) people.emplace(body, study_person(body, options.kept));
    std::string name = std::filesystem::path(file).stem().string();
    if (const size_t at = name.find("_specification"); at != std::string::npos) name.resize(at);
    const auto pattern = read_pattern(testing::read_file(testing::shared_data_path("patterns/" + file)), file);
    drape(options, people.at(body), name, pattern, tally);
  }
}

// "t_shirt/M on woman L".
void study_templates(const Options& options, Tally* tally) {
  std::vector<std::pair<Figure, std::string>> people = {
      {Figure::kWomen, "S"}, {Figure::kWomen, "M"}, {Figure::kWomen, "L"}, {Figure::kMen, "M"}, {Figure::kMen, "XL"}};
  const bool given = !options.body.empty();
  if (given) people = {{Figure::kWomen, std::filesystem::path(options.body).stem().string()}};
  for (const auto& [figure, wearer] : people) {
    const std::string who = cat(given ? " on " : figure == Figure::kMen ? " on man " : " on woman ", wearer);
    std::vector<std::string> names;
    for (const TemplateInfo& info : list_templates()) {
      for (const char* size : {"S", "M", "L"}) names.push_back(cat(info.name, "/", size, who));
    }
    names = chosen(options, names);
    if (options.names) {
      for (const std::string& name : names) std::printf("%s\n", name.c_str());
      continue;
    }
    if (names.empty()) continue;
    const StudyPerson person =
        given ? study_person(options.body, options.kept) : person_of_size(figure, wearer, options.kept);
    for (const std::string& name : names) {
      const size_t slash = name.find('/');
      const std::string size = name.substr(slash + 1, name.find(' ') - slash - 1);
      drape(options, person, name, draft_template_graded(name.substr(0, slash), figure, size), tally);
    }
  }
}

int study(const Options& options) {
  Tally tally;
  options.templates ? study_templates(options, &tally) : study_files(options, &tally);
  if (options.names) return 0;
  std::sort(tally.seconds.begin(), tally.seconds.end());
  std::printf("%d drapes, %d sound (%.1f %%), median %.2f s of one core\n", tally.count, tally.sound,
              100.0 * tally.sound / std::max(tally.count, 1),
              tally.seconds.empty() ? 0.0 : tally.seconds[tally.seconds.size() / 2]);
  return 0;
}

bool take_settle_option(const std::string& arg, SettleOptions* settle) {
  return take_option(arg, "--coarsest=", &settle->coarsest) || take_option(arg, "--solver=", &settle->solver) ||
         take_flag(arg, "--hinges", &settle->bend, sim::BendLaw::kQuadratic) ||
         take_flag(arg, "--no-limits", &settle->strain_limits, false) ||
         take_flag(arg, "--grade=preview", &settle->target_grade, TargetGrade::kPreview) ||
         take_flag(arg, "--layers=where-needed", &settle->layers, LayerContact::kWhereNeeded) ||
         take_flag(arg, "--layers=always", &settle->layers, LayerContact::kAlways) ||
         take_flag(arg, "--layers=never", &settle->layers, LayerContact::kNever);
}

}  // namespace
}  // namespace tryon

int main(int argc, char** argv) {
  tryon::Options options;
  tryon::scenes::Options scenes;
  const auto take = [&](const std::string& arg) {
    using tryon::take_flag, tryon::take_option;
    return take_option(arg, "--only=", &options.only) || take_option(arg, "--png=", &options.png) ||
           take_option(arg, "--obj=", &options.obj) || take_option(arg, "--body=", &options.body) ||
           take_option(arg, "--fabric=", &options.fabric) || take_option(arg, "--edge=", &options.edge_mm) ||
           take_option(arg, "--every=", &options.every) || take_option(arg, "--threads=", &options.threads) ||
           take_option(arg, "--repeat=", &options.repeat) || take_flag(arg, "--templates", &options.templates) ||
           take_flag(arg, "--agree", &options.agree) || take_flag(arg, "--where", &options.where) ||
           take_flag(arg, "--names", &options.names) ||
           take_flag(arg, "--cut", &options.kept, tryon::Kept::kWithoutHeadAndHands) ||
           tryon::take_settle_option(arg, &options.settle) || take_option(arg, "--scene=", &scenes.scenes) ||
           take_option(arg, "--size=", &scenes.sizes) || take_option(arg, "--on=", &scenes.threads) ||
           take_option(arg, "--blender=", &scenes.blender_frames) || take_option(arg, "--dress=", &scenes.dress_fabric);
  };
  tryon::read_options(argc, argv, tryon::kUsage, take);
  if (options.agree) return tryon::agreement::study({options.only, options.fabric, options.edge_mm, options.threads});
  if (scenes.scenes.empty()) return tryon::study(options);
  scenes.png = options.png, scenes.repeat = options.repeat, scenes.settle = options.settle;
  return tryon::scenes::study(scenes);
}
