// What it is: whose call it is: the token of a call names the tenant, and the tenant's ServiceCore answers it. Without
// tokens there is one tenant, "".
// How it fails: it does not: the gate has let the call in; a call that no token speaks for sees nobody's things.
// Thread rules: all methods from any thread; a core lives as long as this.
#pragma once

#include <grpcpp/server_context.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "absl/base/thread_annotations.h"
#include "server/service/core.h"
#include "server/service/security/tokens.h"

namespace tryon {

class Tenants {
 public:
  // `tokens` may be null.
  Tenants(JobStore* jobs, BlobStore* blobs, std::shared_ptr<const TokenTable> tokens = nullptr)
      : jobs_(jobs), blobs_(blobs), tokens_(std::move(tokens)) {}

  ServiceCore& of(const std::string& tenant);
  ServiceCore& of(const grpc::ServerContext* context) { return of(caller(context).tenant); }
  // Who calls; the name is empty without tokens.
  Caller caller(const grpc::ServerContext* context) const;

  void know(std::shared_ptr<const TokenTable> tokens) { tokens_ = std::move(tokens); }  // before the first call
  void stop() { stopping_.cancel(); }                                                   // ends all watches
  JobStore& jobs() { return *jobs_; }                                                   // everybody's
  BlobStore& blobs() { return *blobs_; }

 private:
  JobStore* const jobs_;
  BlobStore* const blobs_;
  std::shared_ptr<const TokenTable> tokens_;
  CancelFlag stopping_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<ServiceCore>> cores_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tryon
