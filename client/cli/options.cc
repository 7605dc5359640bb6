#include "client/cli/options.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <functional>

#include "server/base/text.h"
#include "server/base/version.h"
#include "server/drape/export_kind.h"

namespace tryon::cli {
namespace {

// Whose body: a scan and what is declared about it, or a table of measurements.
void add_body(CLI::App* app, Options* o) {
  app->add_option("--body", o->body, "scan file (OBJ, PLY, STL, GLB, glTF, PCD; mesh or points), or `sample`")
      ->capture_default_str();
  app->add_option("--unit", o->unit, "the scan's unit; found if absent")
      ->check(CLI::IsMember({"mm", "cm", "dm", "m", "in"}));
  app->add_option("--up", o->up, "the scan's up axis; found if absent")->check(CLI::IsMember({"x", "y", "z"}));
  app->add_option("--facing", o->facing, "the scan's axis that the person looks along, as --facing=-y; found if absent")
      ->check(CLI::IsMember({"+x", "-x", "+y", "-y", "+z", "-z"}));
  app->add_option("--pose", o->pose, "how the scanned person holds the arms; found if absent")
      ->check(CLI::IsMember({"A", "T", "arms_down"}));
  app->add_option("--height", o->height_mm, "no scan: a body of this height, mm")->excludes("--body");
  app->add_option("--measure", o->measures, "no scan: NAME=MM, of `tryon measurements`; may be repeated")
      ->excludes("--body");
  app->add_option("--figure", o->figure, "no scan: whose statistics fill in what is not given")
      ->check(CLI::IsMember({"female", "male"}))
      ->excludes("--body");
  app->add_option("--arm-angle", o->arm_angle_deg, "of such a body's arms below the horizontal, 0 .. 60 degrees");
  app->add_flag("--keep-head-and-hands", o->keep_head_and_hands,
                "store them too (hoods, hats and gloves need them); else they are cut off");
  app->add_flag("--keep-scan", o->keep_scan, "leave the scan's file on the server; else it is erased once read");
}

// How a garment is to be read or drafted.
void add_garment(CLI::App* app, Options* o) {
  app->add_option("--size", o->size, "one of the pattern's graded sizes, or a template's XS .. XXL");
  app->add_option("--seams", o->seams, "seam sidecar (tryon.seams.v1) of a pattern whose format has no seams");
  app->add_option("--rul", o->grading, "grading rules (RUL, ASTM or AAMA) of a DXF pattern: its other sizes");
  app->add_option("--pattern-unit", o->pattern_unit, "the pattern file's unit, where its format states none")
      ->check(CLI::IsMember({"mm", "cm", "in", "m"}));
  app->add_option("--set", o->parameters, "of a template: NAME=VALUE, of `tryon templates`; may be repeated");
}

// How the air blows and what resists it.
void add_models(CLI::App* app, Options* o) {
  app->add_option("--wind-model", o->wind_model, "drag and lift on each particle, or pressure on each triangle")
      ->check(CLI::IsMember({"vertex", "triangle"}))
      ->capture_default_str();
  app->add_option("--gusts", o->gust_ratio, "how far a gust exceeds the wind, as a share of it, 0 .. 5")
      ->capture_default_str();
  app->add_option("--gust-period", o->gust_period_s, "seconds from gust to gust")->capture_default_str();
  app->add_option("--turbulence", o->turbulence_ratio, "random flow (rms) as a share of the wind, 0 .. 1")
      ->capture_default_str();
  app->add_option("--turbulence-length", o->turbulence_length_m, "size of its eddies, m")->capture_default_str();
  app->add_option("--turbulence-seed", o->turbulence_seed, "another seed, another flow")->capture_default_str();
  app->add_option("--motion", o->motion_s, "seconds that the cloth moves once it is at rest, 0.1 .. 20")
      ->check(CLI::PositiveNumber);
  app->add_option("--frame-rate", o->frame_rate, "frames a second of the motion, 1 .. 60")->check(CLI::PositiveNumber);
  app->add_option("--wind-for", o->wind_for_s, "seconds after which the wind stops, and the cloth comes to rest again")
      ->check(CLI::PositiveNumber);
  app->add_flag("--let-go", o->let_go, "the motion begins with the garment as it was sewn, instead of at rest");
  app->add_option("--membrane", o->membrane, "what resists stretch and shear")
      ->check(CLI::IsMember({"threads", "continuum", "springs"}))
      ->capture_default_str();
  app->add_option(
         "--bending", o->bending,
         "what resists bending; usual: isometric where the solver takes it, else quadratic. hinge and shape need "
         "drape, lbfgs, newton or baraff_witkin; isometric takes spring_projection too")
      ->check(CLI::IsMember({"usual", "quadratic", "hinge", "shape", "isometric"}))
      ->capture_default_str();
}

void add_layers(CLI::App* app, Options* o) {
  app->add_option("--layers", o->layers, "whether layers of the cloth are kept from passing through each other")
      ->check(CLI::IsMember({"where-needed", "always", "never"}))
      ->capture_default_str();
  app->add_flag_callback(
      "--self-contact", [o] { o->layers = "always"; }, "as --layers=always");
}

void add_drape_settings(CLI::App* app, Options* o) {
  add_body(app, o);
  app->add_option("--garment", o->garment, "pattern file, or `template:NAME` of `tryon templates`")
      ->capture_default_str();
  add_garment(app, o);
  app->add_option("--fabric", o->fabric,
                  "a name of `tryon fabrics` or fabrics/{id}, or a file: JSON, U3M, KES-F or FAST sheet");
  app->add_option("--solver", o->solver, "a name of `tryon solvers`");
  app->add_option("--resolution", o->resolution_mm, "edge length of the cloth's triangles, mm")->capture_default_str();
  app->add_option("--contact", o->contact, "what the cloth rests on")
      ->check(CLI::IsMember({"proxies", "scan"}))
      ->capture_default_str();
  app->add_option("--shape", o->shape, "bounding solids")->check(CLI::IsMember({"circular", "elliptic"}));
  add_layers(app, o);
  app->add_option(
      "--under", o->under,
      "a garment to wear beneath, as GARMENT or GARMENT@FABRIC; several: innermost first, one --under each");
  app->add_option("--over", o->over, "drapes/{id}, on the same body, that the garment goes over");
  app->add_option(
      "--starts-from", o->starts_from,
      "drapes/{id} of the same garment on the same body, in another size or fabric: begins where that lies");
  app->add_option("--wind", o->wind, "the air's velocity X,Y,Z in m/s; the body faces +Z");
  add_models(app, o);
  app->add_option("--grade", o->grade, "how far it is brought to rest: final, or preview, which is sooner there")
      ->check(CLI::IsMember({"final", "preview"}))
      ->capture_default_str();
  app->add_option("--deadline", o->deadline_s, "seconds; the best drape until then")->check(CLI::NonNegativeNumber);
  app->add_option("--preview-every", o->preview_every_s,
                  "seconds; writes OUT/preview.glb, the cloth of the moment, while it is draped")
      ->check(CLI::PositiveNumber);
  app->add_option("--threads", o->threads, "threads inside the drape")->capture_default_str();
  app->add_option(
         "--export", o->exports,
         "files beyond the usual ones, e.g. web,ply; web, desktop, source, wind: GLB; turntable, views, heatmaps, "
         "sections: pictures; frames: the motion, as it is made")
      ->delimiter(',')
      ->check(CLI::IsMember(std::vector<std::string>(kExportNames.begin(), kExportNames.end())));
  app->add_option("--pictures", o->pictures, "preview_*.png: four, front or none")
      ->check(CLI::IsMember({"four", "front", "none"}))
      ->capture_default_str();
  app->add_flag("--draco", o->draco, "compress the GLBs for web and desktop");
}

void add_drape(CLI::App* app, Options* o) {
  add_drape_settings(app, o);
  app->add_option("--out", o->out, "folder for the results")->required();
}

void add_perf(CLI::App* app, Options* o) {
  add_drape_settings(app, o);
  app->add_option("--call", o->perf_call,
                  "drape: each another; cached: one drape, made before; upload: a new file; info: GetServerInfo")
      ->check(CLI::IsMember({"drape", "cached", "upload", "info"}))
      ->capture_default_str();
  app->add_option("--mebibytes", o->upload_mib, "of an upload")->check(CLI::Range(1, 64))->capture_default_str();
  CLI::Option* at_once = app->add_option("--concurrency", o->concurrency, "so many calls at once, without a pause")
                             ->check(CLI::Range(1, 1000))
                             ->capture_default_str();
  CLI::Option* rate =
      app->add_option("--rate", o->rate, "so many calls a second, however long they take")->check(CLI::PositiveNumber);
  CLI::Option* gaps = app->add_option("--intervals", o->intervals,
                                      "file with the seconds from call to call, one a line, again and again")
                          ->check(CLI::ExistingFile);
  at_once->excludes(rate)->excludes(gaps), rate->excludes(gaps);
  app->add_option("--at-most", o->most_at_once, "calls at once, with a rate or gaps; others wait, and their time runs")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app->add_option("--window", o->window_s, "seconds")->check(CLI::Range(0.1, 3600.0))->capture_default_str();
  app->add_option("--window-calls", o->window_calls, "a window ends after so many calls instead")
      ->check(CLI::Range(1, 1'000'000));
  app->add_option("--agree", o->agree_percent,
                  "the end: calls a second and p95 of three windows lie within so many percent of their mean")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str();
  app->add_option("--most-windows", o->most_windows, "the end in any case")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
}

void add_fit(CLI::App* app, Options* o) {
  add_body(app, o);
  app->add_option("--shape", o->shape, "bounding solids")
      ->check(CLI::IsMember({"circular", "elliptic"}))
      ->capture_default_str();
  app->add_option("--out", o->out, "folder for the results")->required();
}

CLI::App* add_command(CLI::App* parent, Options* o, const std::string& word, const std::string& command,
                      const std::string& what) {
  CLI::App* app = parent->add_subcommand(word, what);
  app->callback([o, command] { o->command = command; });
  return app;
}

// list, get and delete of what the server keeps: `kind` is "bodies" or "garments".
void add_kept(CLI::App* app, Options* o, const std::string& kind, const std::string& get_says,
              const std::string& delete_says) {
  CLI::App* kept = app->add_subcommand(kind, "the " + kind + " that the server keeps");
  kept->require_subcommand(1);
  add_command(kept, o, "list", kind + " list", "newest first");
  CLI::App* get = add_command(kept, o, "get", kind + " get", get_says);
  get->add_option("name", o->name, kind + "/{id}")->required();
  get->add_option("--out", o->out, "folder for its files");
  add_command(kept, o, "delete", kind + " delete", delete_says)
      ->add_option("name", o->name, kind + "/{id}")
      ->required();
}

void add_bodies(CLI::App* app, Options* o) {
  add_kept(app, o, "bodies", "a body's numbers, and its files", "erase a body and all drapes of it");
  add_command(app, o, "measurements", "measurements", "what is measured on a body, and how");
}

CLI::App* add_pattern_command(CLI::App* parent, Options* o, const std::string& word, const std::string& what) {
  CLI::App* command = add_command(parent, o, word, "garment " + word, what);
  command->add_option("file", o->file, "pattern file, or `template:NAME`")->required();
  command->add_option("--out", o->out, "folder for the report and the flat pattern's pictures");
  add_garment(command, o);
  return command;
}

void add_garments(CLI::App* app, Options* o) {
  CLI::App* garment = app->add_subcommand("garment", "work with patterns");
  garment->require_subcommand(1);
  add_pattern_command(garment, o, "check", "read a pattern and say all that is wrong with it")
      ->add_flag("--suggest-seams", o->suggest_seams,
                 "of a pattern without seams: which edges probably belong together");
  add_pattern_command(garment, o, "create", "make a garment that the server keeps");
  add_kept(app, o, "garments", "a garment's pieces and files", "erase a garment");
  add_command(app, o, "templates", "templates", "the garments that can be drafted, with their parameters");
}

void add_security(CLI::App* app, Options* o) {
  app->add_option("--ca", o->ca, "PEM file of who signed the server's certificate; then over TLS")
      ->envname("TRYON_CA")
      ->check(CLI::ExistingFile);
  CLI::Option* certificate = app->add_option("--certificate", o->certificate, "PEM file of a certificate of your own")
                                 ->envname("TRYON_CERTIFICATE")
                                 ->check(CLI::ExistingFile);
  CLI::Option* key =
      app->add_option("--key", o->key, "PEM file of its key")->envname("TRYON_KEY")->check(CLI::ExistingFile);
  certificate->needs(key), key->needs(certificate);
  app->add_option("--token-file", o->token_file, "file with the token that the server wants")
      ->envname("TRYON_TOKEN_FILE")
      ->check(CLI::ExistingFile);
}

void add_catalog_run(CLI::App* app, Options* o) {
  app->add_option(
         "manifest", o->file,
         "JSON Lines, or CSV: body, garment, size, fabric, label (or lists of them) and settings a line; files "
         "are looked for beside it")
      ->required();
  app->add_option("--out", o->out, "folder for results.csv and the drapes; running again goes on with it")->required();
  app->add_option("--fetch", o->fetch, "files of each drape to bring along, with commas; `all` or `none`")
      ->capture_default_str();
  app->add_flag("--validate-only", o->validate_only, "read and check everything, drape nothing");
  app->add_option("--workers", o->workers, "without a server: drapes at a time (default: one per core)")
      ->check(CLI::Range(0, 256));
  app->add_option("--fabric", o->fabric, "for lines that name none: a name of `tryon fabrics`");
  app->add_option("--solver", o->solver, "a name of `tryon solvers`");
  app->add_option("--resolution", o->resolution_mm, "edge length of the cloth's triangles, mm")->capture_default_str();
  add_layers(app, o);
  app->add_option("--unit", o->unit, "the scans' unit; found if absent")
      ->check(CLI::IsMember({"mm", "cm", "dm", "m", "in"}));
}

void add_catalog(CLI::App* app, Options* o) {
  CLI::App* catalog = app->add_subcommand("catalog", "many drapes under one name");
  catalog->require_subcommand(1);
  add_catalog_run(add_command(catalog, o, "run", "catalog run", "drape all that a manifest names"), o);
  add_command(catalog, o, "list", "catalog list", "the batches that the server has, newest first");
  const std::pair<const char*, const char*> named[] = {
      {"get", "how far a batch is"},
      {"pause", "start nothing new"},
      {"resume", "go on; of one that has ended: what failed or was cancelled"},
      {"cancel", "end it; what is done stays"},
      {"export", "all results as one CSV table"},
      {"delete", "forget a batch that has ended; its drapes stay"}};
  for (const auto& [word, what] : named) {
    CLI::App* command = add_command(catalog, o, word, cat("catalog ", word), what);
    command->add_option("name", o->name, "batches/{id}")->required();
    if (std::string(word) == "export") command->add_option("--out", o->out, "the table's file")->required();
  }
  CLI::App* queue = app->add_subcommand("queue", "for whoever runs the server");
  queue->require_subcommand(1);
  add_command(queue, o, "dead", "queue dead", "work whose tries are used up, the latest first");
  add_command(queue, o, "requeue", "queue requeue", "try such work again")
      ->add_option("name", o->name, "operations/{id}")
      ->required();
}

void add_fabric(CLI::App* app, Options* o) {
  CLI::App* fabric = app->add_subcommand("fabric", "work with fabrics: files, and what the server keeps");
  fabric->require_subcommand(1);
  CLI::App* check = add_command(fabric, o, "check", "fabric check", "read a fabric's file and say what it holds");
  check->add_option("file", o->file, "tryon.fabric.v1 JSON, U3M, KES-F or FAST sheet")->required();
  CLI::App* fit =
      add_command(fabric, o, "fit", "fabric fit", "a fabric from its weight, drape coefficient and stretch");
  fit->add_option("--set", o->parameters, "NAME=VALUE of density (g/m2), drape (%), e100_warp, e100_weft, eb5 (%)");
  fit->add_option("--name", o->name, "the fabric's name");
  CLI::App* create = add_command(fabric, o, "create", "fabric create", "make a fabric that the server keeps");
  create->add_option("file", o->file, "tryon.fabric.v1 JSON, U3M, KES-F or FAST sheet")->required();
  add_command(fabric, o, "list", "fabric list", "what the server keeps, newest first, then its library");
  CLI::App* get = add_command(fabric, o, "get", "fabric get", "a fabric's numbers");
  CLI::App* erase = add_command(fabric, o, "delete", "fabric delete", "erase a fabric; its drapes stay");
  for (CLI::App* command : {get, erase})
    command->add_option("name", o->name, "fabrics/{id}, or fabrics/ and a name of the library")->required();
  for (CLI::App* command : {check, fit, create, get})
    command->add_option("--out", o->out, "folder for the fabric's JSON");
}

}  // namespace

int parse_options(int argc, char** argv, Options* options) {
  CLI::App app("Virtual try-on: drapes sewing patterns on body scans.");
  app.set_version_flag("--version", kEngineVersion);
  app.require_subcommand(1);
  app.add_option("--server", options->server, "HOST:PORT of tryon-server; without it the service runs in-process")
      ->envname("TRYON_SERVER");
  add_security(&app, options);
  app.add_flag("--json", options->json, "machine output");
  app.fallthrough();
  add_drape(add_command(&app, options, "drape", "drape", "drape a garment on a body"), options);
  CLI::App* advise =
      add_command(&app, options, "advise", "advise", "drape all sizes of a garment on a body, rank them");
  add_drape(advise, options);
  advise->add_option("--sizes", options->sizes, "NAME ...: only these; all if absent");
  add_fit(add_command(&app, options, "fit", "fit", "measure a body and fit its bounding solids"), options);
  add_bodies(&app, options);
  add_garments(&app, options);
  add_catalog(&app, options);
  add_command(&app, options, "fabrics", "fabrics", "list the fabric library");
  add_fabric(&app, options);
  add_command(&app, options, "solvers", "solvers", "list the simulation methods");
  add_perf(add_command(&app, options, "perf", "perf", "load a server and tell how long its calls take"), options);
  add_command(&app, options, "replay", "replay", "run the failed steps of a drape's replay.tryon again, here")
      ->add_option("file", options->file, "replay.tryon of a failed drape")
      ->required();
  for (const char* word : {"watch", "get", "cancel"}) {
    CLI::App* command = add_command(&app, options, word, word, std::string(word) + " a drape or operation by name");
    command->add_option("name", options->name, "drapes/{id} or operations/{id}")->required();
    if (std::string(word) == "get") command->add_option("--out", options->out, "folder for the results");
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? kOk : kUsage;
  }
  return -1;
}

}  // namespace tryon::cli
