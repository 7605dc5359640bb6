#include "server/io/mesh_lockdown.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <vector>

#include "server/base/sanitized.h"
#include "server/base/status.h"
#include "server/base/text.h"

namespace tryon {
namespace {

#if defined(__x86_64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "name the audit architecture of this machine"
#endif

absl::Status unavailable(std::string_view step) {
  return make_error(absl::StatusCode::kUnavailable, "MESH_SANDBOX_UNAVAILABLE", "tryon-meshparse",
                    cat("the mesh reader cannot lock itself in: ", step, ": ", std::strerror(errno)),
                    "Run on Linux 5.9 or newer with seccomp allowed for the container.");
}

bool limit(__rlimit_resource_t resource, rlim_t value) {
  rlimit current{};
  if (getrlimit(resource, &current) != 0) return false;
  const rlim_t allowed = std::min(value, current.rlim_max);
  const rlimit wanted{allowed, allowed};
  return setrlimit(resource, &wanted) == 0;
}

// CPU time: the soft limit ends the process with SIGXCPU, which the parent can tell from a memory kill.
bool limit_cpu(int seconds) {
  const rlimit wanted{static_cast<rlim_t>(seconds), static_cast<rlim_t>(seconds) + 1};
  return setrlimit(RLIMIT_CPU, &wanted) == 0;
}

// The calls that parsing needs. All else fails with EPERM: no files, sockets, processes or threads. mmap and mprotect
// are let through only without PROT_EXEC, so nothing new can be made to run.
constexpr long kAllowed[] = {SYS_read,          SYS_write,
                             SYS_close,         SYS_fstat,
                             SYS_lseek,         SYS_munmap,
                             SYS_mremap,        SYS_brk,
                             SYS_madvise,       SYS_futex,
                             SYS_exit,          SYS_exit_group,
                             SYS_rt_sigaction,  SYS_rt_sigprocmask,
                             SYS_rt_sigreturn,  SYS_sigaltstack,
                             SYS_clock_gettime, SYS_gettid,
                             SYS_getpid,        SYS_tgkill,
                             SYS_sched_yield,   SYS_getrandom,
                             SYS_readv,         SYS_writev,
                             SYS_sysinfo,       SYS_sched_getaffinity};

std::vector<sock_filter> build_filter() {
  constexpr uint32_t kErrno = SECCOMP_RET_ERRNO | EPERM;
  std::vector<sock_filter> f = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
  };
  for (long call : kAllowed) {
    f.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(call), 0, 1));
    f.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  }
  f.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(SYS_mmap), 1, 0));
  f.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(SYS_mprotect), 0, 3));
  f.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args) + 2 * sizeof(uint64_t)));
  f.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 1, 0));
  f.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  f.push_back(BPF_STMT(BPF_RET | BPF_K, kErrno));
  return f;
}

}  // namespace

absl::Status lock_down_process(const ParseLimits& limits) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return unavailable("parent death signal");
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return unavailable("no new privileges");
  if (syscall(SYS_close_range, 3u, ~0u, 0u) != 0) return unavailable("closing descriptors");
  const bool limited = limit(RLIMIT_CORE, 0) && limit(RLIMIT_FSIZE, 0) && limit(RLIMIT_NOFILE, 8) &&
                       limit(RLIMIT_NPROC, 0) && limit_cpu(limits.cpu_seconds) &&
                       (kSanitized || limit(RLIMIT_AS, static_cast<rlim_t>(limits.address_space_bytes)));
  if (!limited) return unavailable("resource limits");
  if (kSanitized) return absl::OkStatus();
  std::vector<sock_filter> filter = build_filter();
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) return unavailable("system call filter");
  return absl::OkStatus();
}

}  // namespace tryon
