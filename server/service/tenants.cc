#include "server/service/tenants.h"

namespace tryon {
namespace {

constexpr char kNobody[] = "?";  // no token file can name it

}  // namespace

ServiceCore& Tenants::of(const std::string& tenant) {
  std::lock_guard lock(mutex_);
  std::unique_ptr<ServiceCore>& core = cores_[tenant];
  if (core == nullptr) core = std::make_unique<ServiceCore>(jobs_, blobs_, tenant, stopping_);
  return *core;
}

Caller Tenants::caller(const grpc::ServerContext* context) const {
  if (tokens_ == nullptr) return {};
  const auto& metadata = context->client_metadata();
  const auto found = metadata.find("authorization");
  const Caller* caller = nullptr;
  if (found != metadata.end()) {
    caller = tokens_->find(token_of(std::string_view(found->second.data(), found->second.size())));
  }
  return caller != nullptr ? *caller : Caller{"", kNobody, {}};
}

}  // namespace tryon
