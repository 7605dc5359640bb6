// What it is: the commands about catalogs: catalog run|list|get|pause|resume|cancel|export|delete; and of whoever runs
// the service: queue dead|requeue. How it fails: as commands.h. Thread rules: the main thread.
#pragma once

#include "client/cli/options.h"
#include "client/lib/client.h"

namespace tryon::cli {

int catalog_run(const Options& options, client::Client* client);
int catalog_list(const Options& options, client::Client* client);
int catalog_get(const Options& options, client::Client* client);
int catalog_pause(const Options& options, client::Client* client);
int catalog_resume(const Options& options, client::Client* client);
int catalog_cancel(const Options& options, client::Client* client);
int catalog_export(const Options& options, client::Client* client);
int catalog_delete(const Options& options, client::Client* client);
int queue_dead(const Options& options, client::Client* client);
int queue_requeue(const Options& options, client::Client* client);

}  // namespace tryon::cli
