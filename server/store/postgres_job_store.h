// What it is: the task store for any number of machines, on PostgreSQL: leases by FOR UPDATE SKIP LOCKED, news by
// LISTEN/NOTIFY.
// Times: microseconds since the epoch; every machine needs a clock that is right to a fraction of a lease.
// How it fails: as job_store.h; a connection that was cut is made again. Thread rules: as job_store.h.
#pragma once

#include <memory>
#include <string>

#include "server/store/job_store.h"

namespace tryon {

// Makes the tables where there are none. `conninfo` as libpq has it: "postgresql://host/db" or "host=... dbname=...";
// a password belongs into PGPASSFILE or PGPASSWORD.
absl::StatusOr<std::unique_ptr<JobStore>> open_postgres_job_store(const std::string& conninfo, Clock clock = {},
                                                                  MasterKey master = {});

}  // namespace tryon
