// The seals of the memory task store; the SQL one (sql_seals.cc) does the same.
#include "server/store/memory_job_store.h"

namespace tryon {

absl::StatusOr<Seal> MemoryJobStore::keep_seal(const Seal& seal) {
  std::lock_guard lock(mutex_);
  const auto [there, is_new] = seals_.try_emplace(seal.name, seal);
  if (is_new) there->second.made_us = clock_();
  return there->second;
}

absl::StatusOr<std::optional<Seal>> MemoryJobStore::find_seal(const std::string& name) {
  std::lock_guard lock(mutex_);
  const auto found = seals_.find(name);
  if (found == seals_.end()) return std::nullopt;
  return std::optional<Seal>(found->second);
}

absl::Status MemoryJobStore::forget_seal(const std::string& name) {
  std::lock_guard lock(mutex_);
  seals_.erase(name);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> MemoryJobStore::unneeded_seals(int64_t before_us, int limit) {
  std::lock_guard lock(mutex_);
  std::vector<std::string> out;
  for (const auto& [name, seal] : seals_) {
    if (static_cast<int>(out.size()) < limit && seal.made_us < before_us && !needed(name)) out.push_back(name);
  }
  return out;
}

}  // namespace tryon
