#include "server/store/s3_blob_store.h"

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

class S3BlobStore : public BlobStore {
 public:
  S3BlobStore(const S3Options& options, std::unique_ptr<BlobStore> spool)
      : bucket_(options), spool_(std::move(spool)) {}

  absl::Status look() {
    const Answer answer = bucket_.ask({"HEAD", sha256_hex("tryon")});
    return answer.code == 200 || answer.code == 404 ? absl::OkStatus() : s3_error(answer);
  }

  // What is in the bucket already is brought here, so that the upload ends at once and nothing is sent again.
  absl::StatusOr<int64_t> begin_upload(const std::string& upload, const std::string& digest, int64_t size) override {
    RETURN_IF_ERROR(check_new_upload(upload, digest, size, kMaxSealedBytes));
    RETURN_IF_ERROR(bring(digest));
    RETURN_IF_ERROR(remember(upload, digest));
    return spool_->begin_upload(upload, digest, size);
  }

  absl::StatusOr<int64_t> append_upload(const std::string& upload, int64_t offset, std::string_view bytes) override {
    return spool_->append_upload(upload, offset, bytes);
  }

  absl::StatusOr<int64_t> upload_size(const std::string& upload) override {
    RETURN_IF_ERROR(bring(digest_of(upload)));
    return spool_->upload_size(upload);
  }

  absl::Status finish_upload(const std::string& upload) override {
    RETURN_IF_ERROR(check_upload_name(upload));
    const std::string digest = forget(upload);
    if (digest.empty()) return upload_not_found(upload);  // whoever begins it again goes on
    RETURN_IF_ERROR(bring(digest));
    RETURN_IF_ERROR(spool_->finish_upload(upload));
    ASSIGN_OR_RETURN(const std::string bytes, spool_->read(digest, 0, 0));
    const auto there = blob_size(digest);
    if (!there.ok() || *there != static_cast<int64_t>(bytes.size())) {
      const Answer answer = bucket_.ask({"PUT", digest, bytes});
      if (answer.code != 200) return s3_error(answer);
    }
    return spool_->erase(digest);
  }

  absl::StatusOr<int64_t> blob_size(const std::string& digest) override {
    RETURN_IF_ERROR(check_digest(digest));
    if (digest == empty_) return 0;
    const Answer answer = bucket_.ask({"HEAD", digest});
    if (answer.code == 404) return blob_not_found(digest);
    if (answer.code != 200 || answer.total < 0) return s3_error(answer);
    return answer.total;
  }

  absl::StatusOr<std::string> read(const std::string& digest, int64_t offset, int64_t limit) override {
    RETURN_IF_ERROR(check_digest(digest));
    if (offset < 0 || limit < 0) return check_read(0, offset, limit);
    if (digest == empty_) {
      RETURN_IF_ERROR(check_read(0, offset, limit));
      return std::string();
    }
    const std::string end = limit == 0 ? "" : cat(offset + limit - 1);
    Answer answer = bucket_.ask({"GET", digest, {}, cat(offset, "-", end)});
    if (answer.code == 404) return blob_not_found(digest);
    if (answer.code == 206) return std::move(answer.body);
    if (answer.code == 200 && offset == 0) return std::move(answer.body);
    if (answer.code != 416) return s3_error(answer);
    ASSIGN_OR_RETURN(const int64_t size, blob_size(digest));
    RETURN_IF_ERROR(check_read(size, offset, limit));
    return std::string();
  }

  absl::Status erase(const std::string& digest) override {
    RETURN_IF_ERROR(check_digest(digest));
    const Answer answer = bucket_.ask({"DELETE", digest});
    return answer.code == 204 || answer.code == 200 || answer.code == 404 ? absl::OkStatus() : s3_error(answer);
  }

 private:
  // What is in the bucket already, so that an upload of it ends at once; no news is no error.
  absl::Status bring(const std::string& digest) {
    if (digest.empty() || digest == empty_ || spool_->blob_size(digest).ok() || !blob_size(digest).ok()) {
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(const std::string bytes, read(digest, 0, 0));
    return spool_->put(bytes).status();
  }

  absl::Status remember(const std::string& upload, const std::string& digest) {
    std::lock_guard lock(mutex_);
    if (digests_.size() > 100'000) digests_.clear();  // whoever is left begins its upload again, and goes on
    digests_[upload] = digest;
    return absl::OkStatus();
  }
  std::string digest_of(const std::string& upload) {
    std::lock_guard lock(mutex_);
    const auto found = digests_.find(upload);
    return found == digests_.end() ? std::string() : found->second;
  }
  std::string forget(const std::string& upload) {
    std::lock_guard lock(mutex_);
    const auto found = digests_.find(upload);
    if (found == digests_.end()) return {};
    std::string out = found->second;
    digests_.erase(found);
    return out;
  }

  const std::string empty_ = sha256_hex("");  // needs no place: it is there always
  Bucket bucket_;
  const std::unique_ptr<BlobStore> spool_;
  std::mutex mutex_;
  std::map<std::string, std::string> digests_ ABSL_GUARDED_BY(mutex_);  // of uploads
};

}  // namespace

absl::StatusOr<std::unique_ptr<BlobStore>> open_s3_blob_store(const S3Options& options) {
  ASSIGN_OR_RETURN(auto spool, open_directory_blob_store(options.spool));
  auto store = std::make_unique<S3BlobStore>(options, std::move(spool));
  RETURN_IF_ERROR(store->look());
  return store;
}

absl::StatusOr<S3Options> s3_options_of(const std::string& address, const std::string& spool) {
  S3Options out;
  out.spool = spool;
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
