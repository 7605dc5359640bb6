// What watchers cost: scripts/bench watch [COUNT, 1000 unless said]. So many WatchOperation streams on one task that
// waits, on the real service over SQLite, from this process: until all have had their first word, the processor's share
// while nothing happens (of server and clients together), and until all have heard of the end.
#include <grpcpp/grpcpp.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "absl/time/clock.h"
#include "google/longrunning/operations.grpc.pb.h"
#include "tests/bench/served.h"
#include "tryon/v1/body.grpc.pb.h"
#include "tryon/v1/drape.grpc.pb.h"

namespace tryon {
namespace {

using google::longrunning::Operation;
constexpr int kStreamsAConnection = 90;  // the server allows 100
constexpr double kIdleSeconds = 5.0;

double seconds_since(absl::Time begin) { return absl::ToDoubleSeconds(absl::Now() - begin); }

double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

struct Heard {
  std::atomic<int> first{0}, done{0}, failed{0};
};

class Watcher : public grpc::ClientReadReactor<Operation> {
 public:
  Watcher(const std::shared_ptr<grpc::Channel>& channel, const std::string& operation, Heard* heard)
      : stub_(v1::DrapeService::NewStub(channel)), heard_(heard) {
    request_.set_name(operation);
    stub_->async()->WatchOperation(&context_, &request_, this);
    StartRead(&now_);
    StartCall();
  }
  void OnReadDone(bool ok) override {
    if (!ok) return;
    if (!std::exchange(spoken_, true)) ++heard_->first;
    last_ = now_.done();
    StartRead(&now_);
  }
  void OnDone(const grpc::Status& status) override { ++(status.ok() && last_ ? heard_->done : heard_->failed); }

 private:
  const std::unique_ptr<v1::DrapeService::Stub> stub_;
  Heard* const heard_;
  grpc::ClientContext context_;
  v1::WatchOperationRequest request_;
  Operation now_;
  bool spoken_ = false, last_ = false;
};

std::shared_ptr<grpc::Channel> connection(const std::string& address) {
  grpc::ChannelArguments own;
  own.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), own);
}

// False after a minute.
bool until(const std::function<bool()>& holds) {
  for (int i = 0; i < 60'000 && !holds(); ++i) absl::SleepFor(absl::Milliseconds(1));
  return holds();
}

bool measure(const std::string& address, int count) {
  const auto channel = connection(address);
  Operation operation;
  {
    grpc::ClientContext context;
    v1::CreateBodyRequest request;
    request.mutable_source()->set_sample(true);
    if (!v1::BodyService::NewStub(channel)->CreateBody(&context, request, &operation).ok()) return false;
  }
  Heard heard;
  std::vector<std::unique_ptr<Watcher>> watchers;
  std::shared_ptr<grpc::Channel> shared;
  const absl::Time begin = absl::Now();
  for (int i = 0; i < count; ++i) {
    if (i % kStreamsAConnection == 0) shared = connection(address);
    watchers.push_back(std::make_unique<Watcher>(shared, operation.name(), &heard));
  }
  const bool all = until([&] { return heard.first == count; });
  std::printf("%d of %d watchers had their first word after %.2f s\n", heard.first.load(), count, seconds_since(begin));
  const double before = cpu_seconds();
  absl::SleepFor(absl::Seconds(kIdleSeconds));
  std::printf("while nothing happened: %.2f of a core\n", (cpu_seconds() - before) / kIdleSeconds);
  const absl::Time end = absl::Now();
  grpc::ClientContext context;
  google::longrunning::CancelOperationRequest cancel;
  google::protobuf::Empty nothing;
  cancel.set_name(operation.name());
  google::longrunning::Operations::NewStub(channel)->CancelOperation(&context, cancel, &nothing);
  until([&] { return heard.done + heard.failed == count; });
  std::printf("%d heard of the end within %.2f s, %d were cut off\n", heard.done.load(), seconds_since(end),
              heard.failed.load());
  return all && heard.done == count;
}

}  // namespace
}  // namespace tryon

int main(int argc, char** argv) {
  if (std::freopen("/dev/null", "w", stderr) == nullptr)
    return EXIT_FAILURE;  // the log: a line for each watch that ends
  const int count = argc > 1 ? std::atoi(argv[1]) : 1000;
  const bool all =
      tryon::with_service([&](const tryon::Served& served) { return tryon::measure(served.address, count); });
  return all ? EXIT_SUCCESS : EXIT_FAILURE;
}
