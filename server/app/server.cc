// tryon-server: the API over SQLite and a directory of blobs, with local workers.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "server/app/ephemeral.h"
#include "server/app/layered_settings.h"
#include "server/app/stores.h"
#include "server/base/hash.h"
#include "server/base/program.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/ops/log.h"
#include "server/ops/metrics.h"
#include "server/ops/process.h"
#include "server/service/host.h"
#include "server/service/security/credentials.h"
#include "server/service/tasks/supervisor.h"
#include "server/store/crypto.h"

namespace {

using namespace tryon;

constexpr double kDrainPollSeconds = 0.05;
constexpr absl::Duration kLeastForCalls = absl::Seconds(1);

struct Settings {
  std::string data, postgres, blobs, master_key, metrics = "127.0.0.1:8002", port_file, worker_binary;
  int workers = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  bool ephemeral = false;
  double retention_days = 30.0;
  double drain_delay_s = 0.0, drain_s = 8.0;  // less than the 10 s after which container engines kill
  HostOptions host;
};

int fail(std::string_view what, const absl::Status& status) {
  log_error(what, {{"message", std::string(status.message())}});
  return EXIT_FAILURE;
}

SupervisorOptions worker_options(const Settings& settings) {
  SupervisorOptions options;
  options.program = settings.worker_binary.empty() ? beside_this_program("tryon-worker") : settings.worker_binary;
  options.arguments = {"--data", settings.data, "--drain-timeout", cat(settings.drain_s)};
  if (!settings.postgres.empty()) options.name_prefix = cat("local-", random_hex(4));  // others have workers too
  // No arguments: `ps` would show them.
  if (!settings.postgres.empty()) setenv("TRYON_POSTGRES", settings.postgres.c_str(), 1);
  if (!settings.blobs.empty()) setenv("TRYON_BLOBS", settings.blobs.c_str(), 1);
  if (!settings.master_key.empty()) {
    options.arguments.insert(options.arguments.end(), {"--master-key-file", settings.master_key});
  }
  options.count = settings.workers;
  return options;
}

void log_exit(const WorkerExit& exit) {
  log_warning("worker_ended", {{"worker", exit.worker}, {"exit_code", cat(exit.exit_code)}});
}

// First what the workers do, then what callers wait for; another signal cuts it short.
void drain(const Settings& settings, WorkerSupervisor* workers, ServiceHost* host) {
  const absl::Time end = absl::Now() + absl::Seconds(settings.drain_s);
  bool hurried = false;
  workers->drain();
  while (workers->alive() > 0 && absl::Now() < end && !hurried) hurried = wait_for_stop_signal(kDrainPollSeconds) != 0;
  host->stop(hurried ? absl::ZeroDuration() : std::max(end - absl::Now(), kLeastForCalls));
  workers->stop();
}

int serve(const Settings& settings) {
  HostOptions options = settings.host;
  options.retention =
      settings.retention_days > 0.0 ? absl::Hours(24) * settings.retention_days : absl::InfiniteDuration();
  auto stores = open_stores({settings.data, settings.postgres, settings.blobs, settings.master_key});
  if (!stores.ok()) return fail("store_unavailable", stores.status());
  auto& [jobs, blobs] = *stores;
  Metrics metrics;
  const auto metrics_port = metrics.serve(settings.metrics);
  if (!metrics_port.ok()) return fail("metrics_unavailable", metrics_port.status());
  WorkerSupervisor workers(jobs.get(), worker_options(settings), log_exit);
  if (const absl::Status started = workers.start(); !started.ok()) return fail("workers_unavailable", started);
  ServiceHost host(jobs.get(), blobs.get(), &metrics);
  const auto port = host.start(options);
  if (!port.ok()) return fail("listen_failed", port.status());
  log_info("serving", {{"port", cat(*port)}, {"metrics_port", cat(*metrics_port)}, {"workers", cat(settings.workers)}});
  if (!settings.port_file.empty()) std::ofstream(settings.port_file) << *port << "\n";

  wait_for_stop_signal();
  log_info("stopping");
  host.withdraw();
  if (wait_for_stop_signal(settings.drain_delay_s) != 0) return EXIT_SUCCESS;  // asked twice: at once
  drain(settings, &workers, &host);
  log_info("stopped");
  return EXIT_SUCCESS;
}

absl::Status check_ephemeral(const Settings& settings) {
  if (!settings.ephemeral || (settings.postgres.empty() && settings.blobs.empty())) return absl::OkStatus();
  return invalid_input("SETTINGS_CONFLICT", "--ephemeral", "a database and an object store write to disks",
                       "Leave --ephemeral out, or --postgres and --blobs.");
}

// Everything that can be known before anybody is served.
int check(const Settings& settings) {
  if (const absl::Status able = check_ephemeral(settings); !able.ok()) return fail("configuration", able);
  if (const auto guards = open_guards(settings.host.security); !guards.ok()) {
    return fail("configuration", guards.status());
  }
  if (access(settings.data.c_str(), W_OK | X_OK) != 0) {
    return fail("configuration", absl::InvalidArgumentError(cat(settings.data, " cannot be written")));
  }
  if (const absl::StatusOr<MasterKey> key =
          settings.master_key.empty() ? MasterKey() : MasterKey::load(settings.master_key);
      !key.ok()) {
    return fail("configuration", key.status());
  }
  std::puts("the configuration will do");
  return EXIT_SUCCESS;
}

void add_options(CLI::App& app, Settings* s) {
  app.add_option("--data", s->data, "folder for the queue and the blobs")->required();
  app.add_option("--postgres", s->postgres,
                 "the queue of many machines instead of DATA/tasks.sqlite, as libpq has it: postgresql://host/db");
  app.add_option("--blobs", s->blobs,
                 "an object store instead of DATA/blobs: s3+https://HOST/BUCKET?region=REGION, keys from "
                 "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
  app.add_option("--master-key-file", s->master_key,
                 "64 hex digits: the keys of stored blobs are kept under this one (openssl rand -hex 32)");
  app.add_option("--retention-days", s->retention_days,
                 "days after which a body is deleted, with all drapes of it; 0 keeps bodies until they are deleted")
      ->check(CLI::Range(0.0, 36500.0))
      ->capture_default_str();
  app.add_flag("--ephemeral", s->ephemeral,
               "write nothing to a disk: the data folder must lie in memory, and is emptied before and after");
  app.add_option("--listen", s->host.listen, "address of the API; port 0 picks one")->capture_default_str();
  app.add_option("--metrics", s->metrics, "address of /metrics; port 0 picks one")->capture_default_str();
  app.add_option("--workers", s->workers, "local workers")->check(CLI::Range(0, 256))->capture_default_str();
  app.add_option("--worker-binary", s->worker_binary, "path of tryon-worker (default: beside this program)");
  app.add_option("--drain-delay", s->drain_delay_s,
                 "seconds between saying NOT_SERVING and stopping, for load balancers to notice")
      ->check(CLI::Range(0.0, 600.0))
      ->capture_default_str();
  app.add_option("--drain-timeout", s->drain_s, "seconds that running tasks and calls then get to end")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str();
  app.add_option("--port-file", s->port_file, "write the bound port here once serving");
  app.add_flag("--insecure-listen", s->host.insecure_listen,
               "allow an address that is not loopback to whoever reaches it");
  SecurityOptions& security = s->host.security;
  app.add_option("--tls-certificate", security.certificate_file, "PEM file of the server's certificates");
  app.add_option("--tls-key", security.key_file, "PEM file of its private key");
  app.add_option("--tls-client-ca", security.client_ca_file,
                 "PEM file: every client must show a certificate signed by it");
  app.add_option("--token-file", security.token_file, "JSON file of tokens: every call needs one (needs TLS)");
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  LayeredSettings layers("Serves virtual try-on over gRPC.");
  add_options(layers.app(), &settings);
  if (const int code = layers.read(argc, argv); code >= 0) return code;
  std::error_code error;
  std::filesystem::create_directories(settings.data, error);
  if (layers.checks_only()) return check(settings);
  block_stop_signals();
  if (const absl::Status able = check_ephemeral(settings); !able.ok()) return fail("not_ephemeral", able);
  if (!settings.ephemeral) return serve(settings);
  if (const absl::Status begun = begin_ephemeral(settings.data); !begun.ok()) return fail("not_ephemeral", begun);
  const int code = serve(settings);
  end_ephemeral(settings.data);
  return code;
}
