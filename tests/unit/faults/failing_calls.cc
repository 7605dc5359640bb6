#include "tests/unit/faults/failing_calls.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>

namespace tryon::testing {
namespace {

std::atomic<int> seen{0}, at{0}, with{0};
std::atomic<bool> fired{false};

bool fails() {
  if (++seen != at.load()) return false;
  fired = true;
  return true;
}

int failed() {
  errno = with.load();
  return -1;
}

template <typename Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

ssize_t write_at(const char* name, int fd, const void* bytes, size_t count, off_t offset) {
  static const auto next = real<ssize_t (*)(int, const void*, size_t, off_t)>(name);
  if (!fails()) return next(fd, bytes, count, offset);
  (void)next(fd, bytes, count / 2, offset);
  return failed();
}

int open_at(const char* name, const char* path, int flags, mode_t mode) {
  static const auto next = real<int (*)(const char*, int, mode_t)>(name);
  const bool writes = (flags & O_ACCMODE) != O_RDONLY;
  return writes && fails() ? failed() : next(path, flags, mode);
}

mode_t mode_of(int flags, va_list rest) {
  return (flags & O_CREAT) != 0 ? static_cast<mode_t>(va_arg(rest, int)) : mode_t{0};
}

}  // namespace

void fail_call(int nth, int error) { seen = 0, at = nth, with = error, fired = false; }
int calls_seen() { return seen; }
bool call_failed() { return fired; }

}  // namespace tryon::testing

using namespace tryon::testing;  // the names below must be libc's

extern "C" {

ssize_t pwrite(int fd, const void* bytes, size_t count, off_t offset) {
  return write_at("pwrite", fd, bytes, count, offset);
}
ssize_t pwrite64(int fd, const void* bytes, size_t count, off64_t offset) {
  return write_at("pwrite64", fd, bytes, count, offset);
}
int fsync(int fd) {
  static const auto next = real<int (*)(int)>("fsync");
  return fails() ? failed() : next(fd);
}
int fdatasync(int fd) {
  static const auto next = real<int (*)(int)>("fdatasync");
  return fails() ? failed() : next(fd);
}
int ftruncate(int fd, off_t length) noexcept {
  static const auto next = real<int (*)(int, off_t)>("ftruncate");
  return fails() ? failed() : next(fd, length);
}
int ftruncate64(int fd, off64_t length) noexcept {
  static const auto next = real<int (*)(int, off64_t)>("ftruncate64");
  return fails() ? failed() : next(fd, length);
}
int rename(const char* from, const char* to) noexcept {
  static const auto next = real<int (*)(const char*, const char*)>("rename");
  return fails() ? failed() : next(from, to);
}
int unlink(const char* path) noexcept {
  static const auto next = real<int (*)(const char*)>("unlink");
  return fails() ? failed() : next(path);
}
int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = mode_of(flags, rest);
  va_end(rest);
  return open_at("open", path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = mode_of(flags, rest);
  va_end(rest);
  return open_at("open64", path, flags, mode);
}

}  // extern "C"
