// filter.c: limits the system calls of a process with seccomp. SPDX-License-Identifier: MIT
//
// The filter knows what is refused, because the calls of plugins are not known. It returns SIGSYS to the caller, whose
// handler records the call. Calls that the C library makes with all signals blocked fail without a signal; library.c
// records them.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox.h"

#if defined(__x86_64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define OWN_ARCHITECTURE AUDIT_ARCH_RISCV64
#endif

// Calls that are newer than the headers, with the same numbers for all architectures.
enum { NUMBER_clone3 = 435, NUMBER_openat2 = 437, NUMBER_fchmodat2 = 452 };
/// The last call that this file has considered (mseal, Linux 6.10). Later ones do not exist here.
enum { LAST_NUMBER = 462 };
/// The first call of the x32 ABI.
enum { X32_NUMBER = 0x40000000 };
/// `prctl` and `fcntl` values: the death signal, and the receiver of SIGIO.
enum { SET_DEATH_SIGNAL = 1, SET_OWNER = 8, SET_SIGNAL = 10, SET_OWNER_EX = 15 };
/// Requests of `ioctl` with the same effect, and input to a terminal.
enum { SET_SOCKET_OWNER = 0x8901, SET_SOCKET_GROUP = 0x8902, PUSH_INPUT = 0x5412 };

typedef struct {
  uint32_t number;
  csandbox_kind kind;
  const char *name;
} refused_call;

static const refused_call refused[] = {
#define CALL(kind, name) {SYS_##name, CSANDBOX_##kind, #name},
#include "calls.h"
#undef CALL
};
enum { REFUSED_COUNT = sizeof refused / sizeof *refused };

/// Calls that are refused only with some arguments, or recorded by library.c.
static const refused_call limited[] = {
    {SYS_socket, CSANDBOX_NETWORK, "socket"},
    {SYS_clone, CSANDBOX_PROCESS, "clone"},
    {SYS_kill, CSANDBOX_SIGNAL, "kill"},
    {SYS_tgkill, CSANDBOX_SIGNAL, "tgkill"},
    {SYS_rt_sigqueueinfo, CSANDBOX_SIGNAL, "rt_sigqueueinfo"},
    {SYS_rt_tgsigqueueinfo, CSANDBOX_SIGNAL, "rt_tgsigqueueinfo"},
    {SYS_setpriority, CSANDBOX_SIGNAL, "setpriority"},
    {SYS_ioprio_set, CSANDBOX_SIGNAL, "ioprio_set"},
    {SYS_prlimit64, CSANDBOX_SIGNAL, "prlimit64"},
    {SYS_prctl, CSANDBOX_SIGNAL, "prctl"},
    {SYS_fcntl, CSANDBOX_SIGNAL, "fcntl"},
    {SYS_ioctl, CSANDBOX_SIGNAL, "ioctl"},
    {SYS_unshare, CSANDBOX_SYSTEM, "unshare"},
    {SYS_utimensat, CSANDBOX_WRITE, "utimensat"},
    {SYS_openat, CSANDBOX_WRITE, "openat"},
    {NUMBER_fchmodat2, CSANDBOX_WRITE, "fchmodat2"},
};

const char *csandbox_call_name(uint32_t call) {
  for (size_t i = 0; i < REFUSED_COUNT; i++)
    if (refused[i].number == call) return refused[i].name;
  for (size_t i = 0; i < sizeof limited / sizeof *limited; i++)
    if (limited[i].number == call) return limited[i].name;
  return NULL;
}

// MARK: - The program

/// A filter while it is written.
typedef struct {
  struct sock_filter code[512];
  unsigned short count;
} program;

static void add(program *it, uint16_t code, uint32_t value, uint8_t then, uint8_t otherwise) {
  it->code[it->count++] = (struct sock_filter){code, then, otherwise, value};
}

static void load(program *it, size_t offset) {
  add(it, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

/// Loads the low half of an argument; `socket` and similar calls have 32 bits.
static void load_argument(program *it, int index) {
  load(it, offsetof(struct seccomp_data, args) + 8 * (size_t)index);
}

static void give(program *it, uint32_t result) { add(it, BPF_RET | BPF_K, result, 0, 0); }

/// Refuses a call with a signal, for the record.
static void refuse(program *it, csandbox_kind kind) { give(it, SECCOMP_RET_TRAP | (uint32_t)kind); }

static void give_error(program *it, int error) { give(it, SECCOMP_RET_ERRNO | (uint32_t)error); }

static void allow(program *it) { give(it, SECCOMP_RET_ALLOW); }

/// Begins the part for a call, which `end_part` completes. The part must not fall through.
static unsigned short begin_part(program *it, uint32_t number) {
  add(it, BPF_JMP | BPF_JEQ | BPF_K, number, 0, 0);
  return (unsigned short)(it->count - 1);
}

static void end_part(program *it, unsigned short start) {
  it->code[start].jf = (uint8_t)(it->count - start - 1);
}

/// Allows a call if an argument has a value, and refuses it otherwise.
static void allow_only(program *it, uint32_t number, int index, uint32_t value, csandbox_kind kind) {
  const unsigned short start = begin_part(it, number);
  load_argument(it, index);
  add(it, BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
  allow(it);
  refuse(it, kind);
  end_part(it, start);
}

/// Refuses a call if an argument has one of some values.
static void refuse_values(program *it, uint32_t number, int index, const uint32_t *values,
                          size_t count, csandbox_kind kind) {
  const unsigned short start = begin_part(it, number);
  load_argument(it, index);
  for (size_t i = 0; i < count; i++) {
    add(it, BPF_JMP | BPF_JEQ | BPF_K, values[i], 0, 1);
    refuse(it, kind);
  }
  allow(it);
  end_part(it, start);
}

/// Allows threads. The C library forks with all signals blocked.
static void limit_clone(program *it) {
  const unsigned short start = begin_part(it, SYS_clone);
  load_argument(it, 0);
  add(it, BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1);
  allow(it);
  add(it, BPF_JMP | BPF_JSET | BPF_K, CLONE_CHILD_SETTID | CLONE_VFORK, 0, 1);
  give_error(it, EPERM);
  refuse(it, CSANDBOX_PROCESS);
  end_part(it, start);
}

/// Allows a thread to have its own working directory, as the host's threads for plugins have.
static void limit_namespaces(program *it) {
  const unsigned short start = begin_part(it, SYS_unshare);
  load_argument(it, 0);
  add(it, BPF_JMP | BPF_JSET | BPF_K, ~(uint32_t)(CLONE_FS | CLONE_FILES), 1, 0);
  allow(it);
  refuse(it, CSANDBOX_SYSTEM);
  end_part(it, start);
}

static void limit_socket(program *it) {
  const unsigned short start = begin_part(it, SYS_socket);
  load_argument(it, 0);
  add(it, BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 0, 1);
  refuse(it, CSANDBOX_COMMUNICATION);
  refuse(it, CSANDBOX_NETWORK);
  end_part(it, start);
}

/// Before Landlock 3, a file that may be read can be shortened while it is opened.
static void limit_open(program *it, uint32_t number, int flags) {
  const unsigned short start = begin_part(it, number);
  load_argument(it, flags);
  add(it, BPF_ALU | BPF_AND | BPF_K, O_TRUNC | O_ACCMODE, 0, 0);
  add(it, BPF_JMP | BPF_JEQ | BPF_K, O_TRUNC | O_RDONLY, 0, 1);
  refuse(it, CSANDBOX_WRITE);
  allow(it);
  end_part(it, start);
}

/// Allows other times for an open file, which has no path.
static void limit_times(program *it) {
  const unsigned short start = begin_part(it, SYS_utimensat);
  const size_t path = offsetof(struct seccomp_data, args) + 8;
  load(it, path);
  add(it, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0);
  refuse(it, CSANDBOX_WRITE);
  load(it, path + 4);
  add(it, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0);
  refuse(it, CSANDBOX_WRITE);
  allow(it);
  end_part(it, start);
}

/// Allows limits of this process, and to read those of others.
static void limit_limits(program *it, uint32_t process) {
  const unsigned short start = begin_part(it, SYS_prlimit64);
  const size_t limit = offsetof(struct seccomp_data, args) + 16;
  load_argument(it, 0);
  add(it, BPF_JMP | BPF_JEQ | BPF_K, 0, 6, 0);
  add(it, BPF_JMP | BPF_JEQ | BPF_K, process, 5, 0);
  load(it, limit);
  add(it, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 2);
  load(it, limit + 4);
  add(it, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0);
  refuse(it, CSANDBOX_SIGNAL);
  allow(it);
  end_part(it, start);
}

static void limit_others(program *it, uint32_t process) {
  static const uint32_t owners[] = {SET_OWNER, SET_SIGNAL, SET_OWNER_EX};
  static const uint32_t requests[] = {SET_SOCKET_OWNER, SET_SOCKET_GROUP, PUSH_INPUT};
  static const uint32_t death[] = {SET_DEATH_SIGNAL};
  allow_only(it, SYS_kill, 0, process, CSANDBOX_SIGNAL);
  allow_only(it, SYS_tgkill, 0, process, CSANDBOX_SIGNAL);
  allow_only(it, SYS_rt_sigqueueinfo, 0, process, CSANDBOX_SIGNAL);
  allow_only(it, SYS_rt_tgsigqueueinfo, 0, process, CSANDBOX_SIGNAL);
  allow_only(it, SYS_setpriority, 1, 0, CSANDBOX_SIGNAL);
  allow_only(it, SYS_ioprio_set, 1, 0, CSANDBOX_SIGNAL);
  limit_limits(it, process);
  refuse_values(it, SYS_fcntl, 1, owners, 3, CSANDBOX_SIGNAL);
  refuse_values(it, SYS_ioctl, 1, requests, 3, CSANDBOX_SIGNAL);
  refuse_values(it, SYS_prctl, 0, death, 1, CSANDBOX_SIGNAL);
}

static void begin(program *it, uint32_t architecture) {
  load(it, offsetof(struct seccomp_data, arch));
  add(it, BPF_JMP | BPF_JEQ | BPF_K, architecture, 1, 0);
  give_error(it, EPERM);
  load(it, offsetof(struct seccomp_data, nr));
  add(it, BPF_JMP | BPF_JGT | BPF_K, LAST_NUMBER, 0, 1);
  give_error(it, ENOSYS);
  // The filter cannot read their arguments. Libraries use older calls instead.
  static const uint32_t unreadable[] = {NUMBER_clone3, NUMBER_openat2};
  for (size_t i = 0; i < 2; i++) {
    add(it, BPF_JMP | BPF_JEQ | BPF_K, unreadable[i], 0, 1);
    give_error(it, ENOSYS);
  }
}

static void write_program(program *it, uint32_t architecture) {
  const uint32_t process = (uint32_t)getpid();
  begin(it, architecture);
  for (size_t i = 0; i < REFUSED_COUNT; i++) {
    add(it, BPF_JMP | BPF_JEQ | BPF_K, refused[i].number, 0, 1);
    refuse(it, refused[i].kind);
  }
  add(it, BPF_JMP | BPF_JEQ | BPF_K, NUMBER_fchmodat2, 0, 1);
  refuse(it, CSANDBOX_WRITE);
  limit_clone(it);
  limit_namespaces(it);
  limit_socket(it);
  limit_times(it);
  limit_open(it, SYS_openat, 2);
#ifdef SYS_open
  limit_open(it, SYS_open, 1);
#endif
  limit_others(it, process);
  allow(it);
}

#ifdef OWN_ARCHITECTURE

bool sandbox_has_calls(void) {
  uint32_t action = SECCOMP_RET_TRAP;
  return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

bool sandbox_limit_calls(void) {
  static program filter;
  filter.count = 0;
  write_program(&filter, OWN_ARCHITECTURE);
  const struct sock_fprog code = {.len = filter.count, .filter = filter.code};
  // Otherwise older kernels make the code of the process slower, against attacks that need no system calls.
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &code) == 0;
}

#else

bool sandbox_has_calls(void) { return false; }
bool sandbox_limit_calls(void) { return false; }

#endif
