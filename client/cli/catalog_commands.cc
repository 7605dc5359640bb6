#include "client/cli/catalog_commands.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>

#include "client/cli/commands.h"
#include "client/cli/drape_order.h"
#include "client/cli/files.h"
#include "client/cli/manifest.h"
#include "client/lib/batch_client.h"
#include "nlohmann/json.hpp"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/service/batch_manifest.h"

namespace tryon::cli {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

CancelFlag interrupted;

// Ctrl-C stops the looking; the work goes on at the server, or with the next run of the same command.
void stop_on_interrupt() {
  struct sigaction action = {};
  action.sa_handler = [](int) { interrupted.cancel(); };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
}

int64_t done_count(const v1::Batch& batch) {
  return batch.succeeded_count() + batch.unsettled_count() + batch.failed_count() + batch.cancelled_count();
}

std::string clock_text(double seconds) {
  const auto s = static_cast<int64_t>(seconds + 0.5);
  char out[32];
  std::snprintf(out, sizeof(out), "%lld:%02lld:%02lld", static_cast<long long>(s / 3600),
                static_cast<long long>(s / 60 % 60), static_cast<long long>(s % 60));
  return out;
}

std::string state_word(const v1::Batch& batch) { return v1::BatchState_Name(batch.state()).substr(12); }

std::string line_of(const v1::Batch& batch) {
  std::string out = cat(done_count(batch), "/", batch.item_count(), "  ok ", batch.succeeded_count());
  if (batch.unsettled_count() > 0) out += cat("  not settled ", batch.unsettled_count());
  if (batch.failed_count() > 0) out += cat("  failed ", batch.failed_count());
  if (batch.cancelled_count() > 0) out += cat("  cancelled ", batch.cancelled_count());
  if (batch.items_per_second() > 0) out += cat("  ", batch.items_per_second(), "/s");
  if (batch.remaining_seconds() > 0) out += cat("  ", clock_text(batch.remaining_seconds()), " left");
  return out;
}

// One line on a terminal, nothing in a pipe.
class BatchBar {
 public:
  ~BatchBar() {
    if (shown_) std::fprintf(stderr, "\r\033[K");
  }
  void say(const std::string& text) {
    if (!terminal_) return;
    shown_ = true;
    std::fprintf(stderr, "\r\033[K%s", text.c_str());
    std::fflush(stderr);
  }
  void show(const v1::Batch& batch) {
    constexpr int64_t kWidth = 24;
    const int64_t filled = kWidth * done_count(batch) / std::max<int64_t>(1, batch.item_count());
    say(cat("[", std::string(static_cast<size_t>(filled), '#'), std::string(static_cast<size_t>(kWidth - filled), ' '),
            "] ", line_of(batch)));
  }

 private:
  const bool terminal_ = isatty(STDERR_FILENO) != 0;
  bool shown_ = false;
};

int report(const absl::StatusOr<v1::Batch>& batch, const Options& o) {
  if (!batch.ok()) return report_error(batch.status(), o.json);
  if (o.json) {
    print_json(*batch);
  } else {
    std::printf("%s  %s  %s\n", batch->name().c_str(), state_word(*batch).c_str(), line_of(*batch).c_str());
  }
  return kOk;
}

absl::Status save_table(client::BatchClient* batches, const std::string& name, const fs::path& path) {
  std::error_code error;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), error);
  const fs::path draft = path.string() + ".part";
  std::ofstream out;
  const absl::Status status = batches->export_table(
      name, [&] { out = std::ofstream(draft, std::ios::binary | std::ios::trunc); },
      [&](std::string_view bytes) { out.write(bytes.data(), static_cast<std::streamsize>(bytes.size())); });
  RETURN_IF_ERROR(status);
  out.close();
  if (out) fs::rename(draft, path, error);
  if (out && !error) return absl::OkStatus();
  return invalid_input("FILE_UNWRITABLE", path.string(), "the table cannot be written",
                       "Check the folder and the disk.");
}

std::string folder_name(const std::string& index, const std::string& label) {
  std::string out = std::string(index.size() < 6 ? 6 - index.size() : 0, '0') + index;
  if (!label.empty()) out += '-';
  for (const char c : label.substr(0, 60)) out += isalnum(static_cast<unsigned char>(c)) || c == '-' ? c : '_';
  return out;
}

// The wanted files of one row that are not there yet.
absl::Status fetch_row(client::Client* client, const std::vector<std::string>& head,
                       const std::vector<std::string>& row, const std::set<std::string>& wanted, const fs::path& out) {
  const fs::path folder = out / folder_name(row[0], row[1]);
  for (size_t i = 0; i < head.size(); ++i) {
    const std::vector<std::string> link = split(row[i], '/');
    const bool is_file = link.size() == 3 && link[0] == "blobs";
    if (!is_file || !(wanted.contains("all") || wanted.contains(head[i]))) continue;
    v1::Artifact artifact;
    artifact.set_file_name(head[i]);
    artifact.set_sha256(link[1]);
    artifact.set_size_bytes(std::strtoll(link[2].c_str(), nullptr, 10));
    const fs::path path = folder / head[i];
    std::error_code error;
    if (fs::file_size(path, error) == static_cast<uintmax_t>(artifact.size_bytes()) && !error) continue;
    fs::create_directories(folder, error);
    ASSIGN_OR_RETURN(const std::string bytes, client->fetch(artifact));
    RETURN_IF_ERROR(write_file(path, bytes));
  }
  return absl::OkStatus();
}

absl::Status fetch_files(const Options& o, client::Client* client, BatchBar* bar) {
  const std::vector<std::string> words = split(o.fetch, ',');
  const std::set<std::string> wanted(words.begin(), words.end());
  if (wanted.contains("none")) return absl::OkStatus();
  std::ifstream table(fs::path(o.out) / "results.csv", std::ios::binary);
  std::vector<std::string> head;
  for (std::string line; std::getline(table, line) && !interrupted.cancelled();) {
    ASSIGN_OR_RETURN(const std::vector<std::string> row, csv_cells(line));
    if (head.empty()) {
      head = row;
      continue;
    }
    if (row.size() != head.size()) return internal_fault("a row of the table has other columns than its head");
    bar->say(cat("fetching ", row[0]));
    RETURN_IF_ERROR(fetch_row(client, head, row, wanted, fs::path(o.out) / "drapes"));
  }
  return absl::OkStatus();
}

absl::StatusOr<v1::CreateBatchRequest> batch_request(const Options& o, client::Client* client, BatchBar* bar) {
  v1::CreateBatchRequest request;
  ManifestReader reader(o, client, [&](int64_t lines) { bar->say(cat("reading the manifest: ", lines, " lines")); });
  ASSIGN_OR_RETURN(const std::vector<std::string> parts, reader.upload(o.file));
  for (const std::string& part : parts) request.add_manifest_sha256(part);
  v1::CreateDrapeRequest* settings = request.mutable_settings();
  settings->set_fabric(o.fabric);
  settings->set_solver(o.solver);
  settings->set_resolution_mm(o.resolution_mm);
  settings->set_thread_count(o.threads);
  settings->set_layer_contact(layers_of(o));
  request.set_validate_only(o.validate_only);
  return request;
}

// Begins, or goes on with what the same command began.
absl::StatusOr<v1::Batch> begin(client::BatchClient* batches, const v1::CreateBatchRequest& request) {
  ASSIGN_OR_RETURN(v1::Batch batch, batches->create(request));
  const bool ended = batch.state() == v1::BATCH_STATE_COMPLETED || batch.state() == v1::BATCH_STATE_CANCELLED;
  const bool left = batch.failed_count() + batch.cancelled_count() + batch.pending_count() > 0;
  if (batch.state() == v1::BATCH_STATE_PAUSED || (ended && left)) return batches->resume(batch.name());
  return batch;
}

int outcome(const v1::Batch& batch) {
  if (batch.failed_count() + batch.cancelled_count() + batch.pending_count() > 0) return kBadInput;
  return batch.unsettled_count() > 0 ? kNotSettled : kOk;
}

absl::StatusOr<v1::Batch> run(const Options& o, client::Client* client, client::BatchClient* batches) {
  BatchBar bar;
  ASSIGN_OR_RETURN(const v1::CreateBatchRequest request, batch_request(o, client, &bar));
  if (o.validate_only) return batches->create(request);
  ASSIGN_OR_RETURN(v1::Batch batch, begin(batches, request));
  stop_on_interrupt();
  ASSIGN_OR_RETURN(batch, batches->watch(batch.name(), [&](const v1::Batch& now) {
    bar.show(now);
    return !interrupted.cancelled();
  }));
  RETURN_IF_ERROR(save_table(batches, batch.name(), fs::path(o.out) / "results.csv"));
  RETURN_IF_ERROR(fetch_files(o, client, &bar));
  return batch;
}

template <typename Call>
int with_batch(const Options& o, client::Client* client, Call call) {
  client::BatchClient batches(client->channel());
  return report(call(&batches), o);
}

}  // namespace

int catalog_run(const Options& o, client::Client* client) {
  client::BatchClient batches(client->channel());
  const auto batch = run(o, client, &batches);
  const int code = report(batch, o);
  if (code != kOk || o.validate_only) return code;
  if (interrupted.cancelled()) std::fprintf(stderr, "stopped looking; the same command goes on with it\n");
  if (!o.json) std::printf("results: %s\n", (fs::path(o.out) / "results.csv").c_str());
  return outcome(*batch);
}

int catalog_list(const Options& o, client::Client* client) {
  client::BatchClient batches(client->channel());
  const auto list = batches.list();
  if (!list.ok()) return report_error(list.status(), o.json);
  Json out = Json::array();
  for (const v1::Batch& batch : *list) {
    out.push_back({{"name", batch.name()},
                   {"state", state_word(batch)},
                   {"done", done_count(batch)},
                   {"items", batch.item_count()}});
    if (!o.json) report(batch, o);
  }
  if (o.json) std::printf("%s\n", out.dump(2).c_str());
  return kOk;
}

int catalog_get(const Options& o, client::Client* client) {
  return with_batch(o, client, [&](client::BatchClient* batches) { return batches->get(o.name); });
}
int catalog_pause(const Options& o, client::Client* client) {
  return with_batch(o, client, [&](client::BatchClient* batches) { return batches->pause(o.name); });
}
int catalog_resume(const Options& o, client::Client* client) {
  return with_batch(o, client, [&](client::BatchClient* batches) { return batches->resume(o.name); });
}
int catalog_cancel(const Options& o, client::Client* client) {
  return with_batch(o, client, [&](client::BatchClient* batches) { return batches->cancel(o.name); });
}

int catalog_export(const Options& o, client::Client* client) {
  client::BatchClient batches(client->channel());
  const absl::Status status = save_table(&batches, o.name, o.out);
  return status.ok() ? kOk : report_error(status, o.json);
}

int catalog_delete(const Options& o, client::Client* client) {
  client::BatchClient batches(client->channel());
  const absl::Status status = batches.remove(o.name);
  return status.ok() ? kOk : report_error(status, o.json);
}

int queue_dead(const Options& o, client::Client* client) {
  client::BatchClient batches(client->channel());
  const auto letters = batches.dead_letters();
  if (!letters.ok()) return report_error(letters.status(), o.json);
  Json out = Json::array();
  for (const v1::DeadLetter& letter : *letters) {
    out.push_back({{"name", letter.name()},
                   {"target", letter.target()},
                   {"attempts", letter.attempt_count()},
                   {"reason", letter.reason()}});
    if (!o.json) {
      std::printf("%s  %d tries  %s: %s\n", letter.name().c_str(), letter.attempt_count(), letter.reason().c_str(),
                  letter.message().c_str());
    }
  }
  if (o.json) std::printf("%s\n", out.dump(2).c_str());
  return kOk;
}

int queue_requeue(const Options& o, client::Client* client) {
  client::BatchClient batches(client->channel());
  const absl::Status status = batches.requeue(o.name);
  return status.ok() ? kOk : report_error(status, o.json);
}

}  // namespace tryon::cli
