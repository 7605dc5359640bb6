// tryon-server: the API over SQLite and a directory of blobs, with local workers.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "server/base/program.h"
#include "server/base/text.h"
#include "server/ops/log.h"
#include "server/ops/metrics.h"
#include "server/ops/process.h"
#include "server/service/host.h"
#include "server/service/tasks/supervisor.h"

namespace {

using namespace tryon;

struct Settings {
  std::string data, metrics = "127.0.0.1:8002", port_file, worker_binary;
  int workers = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  double drain_s = 10.0;
  HostOptions host;
};

int fail(std::string_view what, const absl::Status& status) {
  log_error(what, {{"message", std::string(status.message())}});
  return EXIT_FAILURE;
}

SupervisorOptions worker_options(const Settings& settings) {
  SupervisorOptions options;
  options.program = settings.worker_binary.empty() ? beside_this_program("tryon-worker") : settings.worker_binary;
  options.arguments = {"--data", settings.data};
  options.count = settings.workers;
  return options;
}

void log_exit(const WorkerExit& exit) {
  log_warning("worker_ended", {{"worker", exit.worker}, {"exit_code", cat(exit.exit_code)}});
}

int serve(const Settings& settings) {
  auto jobs = open_sqlite_job_store(settings.data + "/tasks.sqlite");
  if (!jobs.ok()) return fail("store_unavailable", jobs.status());
  auto blobs = open_directory_blob_store(settings.data + "/blobs");
  if (!blobs.ok()) return fail("blobs_unavailable", blobs.status());
  Metrics metrics;
  const auto metrics_port = metrics.serve(settings.metrics);
  if (!metrics_port.ok()) return fail("metrics_unavailable", metrics_port.status());
  WorkerSupervisor workers(jobs->get(), worker_options(settings), log_exit);
  if (const absl::Status started = workers.start(); !started.ok()) return fail("workers_unavailable", started);
  ServiceHost host(jobs->get(), blobs->get(), &metrics);
  const auto port = host.start(settings.host);
  if (!port.ok()) return fail("listen_failed", port.status());
  log_info("serving", {{"port", cat(*port)}, {"metrics_port", cat(*metrics_port)}, {"workers", cat(settings.workers)}});
  if (!settings.port_file.empty()) std::ofstream(settings.port_file) << *port << "\n";

  wait_for_stop_signal();
  log_info("stopping");
  host.stop(absl::Seconds(settings.drain_s));
  workers.stop();
  log_info("stopped");
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app("Serves virtual try-on over gRPC.");
  app.add_option("--data", settings.data, "folder for the queue and the blobs")->required();
  app.add_option("--listen", settings.host.listen, "address of the API; port 0 picks one")->capture_default_str();
  app.add_option("--metrics", settings.metrics, "address of /metrics; port 0 picks one")->capture_default_str();
  app.add_option("--workers", settings.workers, "local workers")->check(CLI::Range(0, 256))->capture_default_str();
  app.add_option("--worker-binary", settings.worker_binary, "path of tryon-worker (default: beside this program)");
  app.add_option("--drain-timeout", settings.drain_s, "seconds that calls get to end")->check(CLI::Range(0.0, 3600.0));
  app.add_option("--port-file", settings.port_file, "write the bound port here once serving");
  app.add_flag("--insecure-listen", settings.host.insecure_listen,
               "allow an address that is not loopback, without TLS");
  CLI11_PARSE(app, argc, argv);
  std::error_code error;
  std::filesystem::create_directories(settings.data, error);
  block_stop_signals();
  return serve(settings);
}
