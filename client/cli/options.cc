#include "client/cli/options.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <functional>

#include "server/base/version.h"

namespace tryon::cli {
namespace {

void add_drape(CLI::App* app, Options* o) {
  app->add_option("--body", o->body, "scan file (OBJ, PLY, STL, GLB), or `sample`")->capture_default_str();
  app->add_option("--garment", o->garment, "pattern file, or `sample:tshirt|skirt|trousers`")->capture_default_str();
  app->add_option("--fabric", o->fabric, "a name of `tryon fabrics`");
  app->add_option("--solver", o->solver, "a name of `tryon solvers`");
  app->add_option("--resolution", o->resolution_mm, "edge length of the cloth's triangles, mm")->capture_default_str();
  app->add_option("--contact", o->contact, "what the cloth rests on")
      ->check(CLI::IsMember({"proxies", "scan"}))
      ->capture_default_str();
  app->add_option("--shape", o->shape, "bounding solids")->check(CLI::IsMember({"circular", "elliptic"}));
  app->add_option("--wind", o->wind, "the air's velocity X,Y,Z in m/s; the body faces +Z");
  app->add_option("--deadline", o->deadline_s, "seconds; the best drape until then")->check(CLI::NonNegativeNumber);
  app->add_option("--threads", o->threads, "threads inside the drape")->capture_default_str();
  app->add_option("--out", o->out, "folder for the results")->required();
}

void add_fit(CLI::App* app, Options* o) {
  app->add_option("--body", o->body, "scan file (OBJ, PLY, STL, GLB), or `sample`")->capture_default_str();
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

}  // namespace

int parse_options(int argc, char** argv, Options* options) {
  CLI::App app("Virtual try-on: drapes sewing patterns on body scans.");
  app.set_version_flag("--version", kEngineVersion);
  app.require_subcommand(1);
  app.add_option("--server", options->server, "HOST:PORT of tryon-server; without it the service runs in-process")
      ->envname("TRYON_SERVER");
  app.add_flag("--json", options->json, "machine output");
  app.fallthrough();
  add_drape(add_command(&app, options, "drape", "drape", "drape a garment on a body"), options);
  add_fit(add_command(&app, options, "fit", "fit", "measure a body and fit its bounding solids"), options);
  CLI::App* garment = app.add_subcommand("garment", "work with patterns");
  garment->require_subcommand(1);
  add_command(garment, options, "check", "garment check", "read and check a pattern file")
      ->add_option("file", options->file, "pattern file")
      ->required();
  add_command(&app, options, "fabrics", "fabrics", "list the fabric library");
  add_command(&app, options, "solvers", "solvers", "list the simulation methods");
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
