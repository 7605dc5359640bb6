#include "server/store/s3_object_store.h"

#include <curl/curl.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/time/clock.h"
#include "server/base/hash.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/store/blob_rules.h"

namespace tryon {
namespace {

constexpr int kTries = 4;
constexpr absl::Duration kFirstPause = absl::Milliseconds(100);

struct Answer {
  long code = 0;  // of HTTP; 0: none came
  std::string body;
  int64_t total = -1;  // the object's size, where the answer has it
};

struct Request {
  const char* method;
  std::string digest;
  std::string_view body = {};
  std::string range = {};  // "5-12"
};

absl::Status s3_error(const Answer& answer) {
  const bool refused = answer.code == 401 || answer.code == 403;
  return make_error(absl::StatusCode::kUnavailable, "BLOB_STORE_UNAVAILABLE", "",
                    answer.code == 0 ? std::string("the object store does not answer")
                                     : cat("the object store answered ", answer.code),
                    refused ? "Check the access key and what it may do with the bucket."
                            : "Check the object store and the network to it.");
}

size_t take_body(char* bytes, size_t size, size_t count, void* to) {
  static_cast<Answer*>(to)->body.append(bytes, size * count);
  return size * count;
}

// "Content-Range: bytes 5-12/13" or "bytes */13"; without a range "Content-Length: 13".
size_t take_header(char* bytes, size_t size, size_t count, void* to) {
  std::string line(bytes, size * count);
  std::transform(line.begin(), line.end(), line.begin(), [](unsigned char c) { return std::tolower(c); });
  auto* const answer = static_cast<Answer*>(to);
  const bool range = line.rfind("content-range:", 0) == 0;
  const bool length = line.rfind("content-length:", 0) == 0 && answer->total < 0;
  if (!range && !length) return size * count;
  const size_t at = range ? line.find('/') : line.find_first_of("0123456789") - 1;
  if (at != std::string::npos) {
    int64_t total = -1;
    std::from_chars(line.data() + at + 1, line.data() + line.size(), total);
    if (total >= 0) answer->total = total;
  }
  return size * count;
}

// Connections that live from request to request.
class Bucket {
 public:
  explicit Bucket(S3Options options) : options_(std::move(options)) {
    static const bool ready = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
    (void)ready;
  }
  ~Bucket() {
    for (CURL* handle : idle_) curl_easy_cleanup(handle);
  }
  Bucket(const Bucket&) = delete;
  Bucket& operator=(const Bucket&) = delete;

  // Tries again what may be better in a moment.
  Answer ask(const Request& request) {
    absl::Duration pause = kFirstPause;
    for (int i = 1;; ++i, pause *= 2) {
      Answer answer = ask_once(request);
      const bool passing = answer.code == 0 || answer.code >= 500 || answer.code == 429;
      if (!passing || i == kTries) return answer;
      absl::SleepFor(pause);
    }
  }

 private:
  CURL* take() {
    std::lock_guard lock(mutex_);
    if (idle_.empty()) return curl_easy_init();
    CURL* const handle = idle_.back();
    idle_.pop_back();
    return handle;
  }
  void give_back(CURL* handle) {
    curl_easy_reset(handle);  // keeps the connection
    std::lock_guard lock(mutex_);
    idle_.push_back(handle);
  }

  Answer ask_once(const Request& request) {
    CURL* const handle = take();
    Answer answer;
    const std::string url = cat(options_.endpoint, "/", options_.bucket, "/blobs/", request.digest);
    const std::string signature = cat("aws:amz:", options_.region, ":s3");
    const std::string keys = cat(options_.access_key, ":", options_.secret_key);
    const std::string sum = cat("x-amz-content-sha256: ", sha256_hex(request.body));
    curl_slist* headers = curl_slist_append(nullptr, sum.c_str());
    headers = curl_slist_append(headers, "Content-Type: application/octet-stream");
    headers = curl_slist_append(headers, "Expect:");
    curl_easy_setopt(handle, CURLOPT_URL, url.c_str());
    curl_easy_setopt(handle, CURLOPT_AWS_SIGV4, signature.c_str());
    curl_easy_setopt(handle, CURLOPT_USERPWD, keys.c_str());
    curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST, request.method);
    curl_easy_setopt(handle, CURLOPT_NOBODY, std::string_view(request.method) == "HEAD" ? 1L : 0L);
    if (std::string_view(request.method) == "PUT") {
      curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
      curl_easy_setopt(handle, CURLOPT_POSTFIELDS, request.body.empty() ? "" : request.body.data());
    }
    if (!request.range.empty()) curl_easy_setopt(handle, CURLOPT_RANGE, request.range.c_str());
    set_limits(handle);
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, &answer);
    curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, take_header);
    curl_easy_setopt(handle, CURLOPT_HEADERDATA, &answer);
    if (curl_easy_perform(handle) == CURLE_OK) {
      curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &answer.code);
    } else {
      answer = Answer();
    }
    curl_slist_free_all(headers);
    give_back(handle);
    return answer;
  }

  static void set_limits(CURL* handle) {
    curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(handle, CURLOPT_NOPROXY, "127.0.0.1,localhost");
    curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, 5000L);
    curl_easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, 1L);  // bytes a second, over
    curl_easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, 20L);  // seconds
  }

  const S3Options options_;
  std::mutex mutex_;
  std::vector<CURL*> idle_ ABSL_GUARDED_BY(mutex_);
};

class S3ObjectStore : public ObjectStore {
 public:
  explicit S3ObjectStore(const S3Options& options) : bucket_(options) {}

  absl::Status look() {
    const Answer answer = bucket_.ask({"HEAD", sha256_hex("tryon")});
    return answer.code == 200 || answer.code == 404 ? absl::OkStatus() : s3_error(answer);
  }

  absl::StatusOr<int64_t> size(const std::string& name) override {
    RETURN_IF_ERROR(check_digest(name));
    const Answer answer = bucket_.ask({"HEAD", name});
    if (answer.code == 404) return blob_not_found(name);
    if (answer.code != 200 || answer.total < 0) return s3_error(answer);
    return answer.total;
  }

  absl::StatusOr<std::string> read(const std::string& name, int64_t offset, int64_t limit) override {
    RETURN_IF_ERROR(check_digest(name));
    if (offset < 0 || limit < 0) return check_read(0, offset, limit);
    const std::string end = limit == 0 ? "" : cat(offset + limit - 1);
    Answer answer = bucket_.ask({"GET", name, {}, cat(offset, "-", end)});
    if (answer.code == 404) return blob_not_found(name);
    if (answer.code == 206) return std::move(answer.body);
    if (answer.code == 200 && offset == 0) return std::move(answer.body);
    if (answer.code != 416) return s3_error(answer);
    ASSIGN_OR_RETURN(const int64_t all, size(name));
    RETURN_IF_ERROR(check_read(all, offset, limit));
    return std::string();
  }

  absl::Status put(const std::string& name, std::string_view bytes) override {
    RETURN_IF_ERROR(check_digest(name));
    const Answer answer = bucket_.ask({"PUT", name, std::string(bytes)});
    return answer.code == 200 ? absl::OkStatus() : s3_error(answer);
  }

  absl::Status erase(const std::string& name) override {
    RETURN_IF_ERROR(check_digest(name));
    const Answer answer = bucket_.ask({"DELETE", name});
    return answer.code == 204 || answer.code == 200 || answer.code == 404 ? absl::OkStatus() : s3_error(answer);
  }

 private:
  Bucket bucket_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<ObjectStore>> open_s3_object_store(const S3Options& options) {
  auto store = std::make_unique<S3ObjectStore>(options);
  RETURN_IF_ERROR(store->look());
  return store;
}

absl::StatusOr<S3Options> s3_options_of(const std::string& address) {
  S3Options out;
  const size_t scheme = address.find("://"), slash = address.find('/', scheme + 3), query = address.find('?');
  const bool known = address.rfind("s3+http://", 0) == 0 || address.rfind("s3+https://", 0) == 0;
  if (!known || slash == std::string::npos || slash + 1 >= std::min(query, address.size())) {
    return invalid_input("S3_ADDRESS", "--blobs", "this is no address of a bucket",
                         "Write s3+https://HOST/BUCKET?region=REGION.");
  }
  out.endpoint = address.substr(3, slash - 3);
  out.bucket = address.substr(slash + 1, std::min(query, address.size()) - slash - 1);
  if (query != std::string::npos && address.compare(query, 8, "?region=") == 0) out.region = address.substr(query + 8);
  for (const auto& [name, to] :
       {std::pair{"AWS_ACCESS_KEY_ID", &out.access_key}, {"AWS_SECRET_ACCESS_KEY", &out.secret_key}}) {
    const char* value = std::getenv(name);
    *to = value != nullptr ? value : "";
  }
  return out;
}

}  // namespace tryon
