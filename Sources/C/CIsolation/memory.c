// memory.c: shared memory, its owner, and crashes of the owner. SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <dirent.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cisolation.h"

int cisolation_create_memory(size_t byte_count) {
  const int descriptor = memfd_create("outboard-node", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (descriptor < 0) return -errno;
  int code = ftruncate(descriptor, (off_t)byte_count) == 0 ? 0 : errno;
  // Reserved now, because a page that is missing later would end the host.
  if (code == 0) code = posix_fallocate(descriptor, 0, (off_t)byte_count);
  // A worker that shortened the memory would end the host.
  if (code == 0 && fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    code = errno;
  if (code == 0) return descriptor;
  close(descriptor);
  return -code;
}

void *cisolation_map(int descriptor, size_t byte_count) {
  void *address = mmap(NULL, byte_count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                       descriptor, 0);
  if (address == MAP_FAILED) return NULL;
  // The pages are there anyway; locked, they stay.
  (void)!mlock(address, byte_count);
  return address;
}

void cisolation_unmap(void *address, size_t byte_count) { munmap(address, byte_count); }

/// The deepest directory that is removed, which limits the open directories.
enum { DEPTH_LIMIT = 128 };

/// Removes an entry relative to an open directory, because a plugin may replace a directory by a link meanwhile.
static void remove_entry(int parent, const char *name, int depth) {
  if (unlinkat(parent, name, 0) == 0 || depth == DEPTH_LIMIT) return;
  const int directory = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR *listing = directory < 0 ? NULL : fdopendir(directory);
  if (!listing) {
    if (directory >= 0) close(directory);
    return;
  }
  for (struct dirent *entry; (entry = readdir(listing));)
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
      remove_entry(directory, entry->d_name, depth + 1);
  closedir(listing);
  unlinkat(parent, name, AT_REMOVEDIR);
}

void cisolation_remove_tree(const char *path) { remove_entry(AT_FDCWD, path, 0); }

// MARK: - Descriptors

bool cisolation_send_descriptor(int socket, int descriptor) {
  char byte = 0;
  struct iovec data = {.iov_base = &byte, .iov_len = 1};
  union {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr aligned;
  } control = {.bytes = {0}};
  struct msghdr message = {.msg_iov = &data,
                           .msg_iovlen = 1,
                           .msg_control = control.bytes,
                           .msg_controllen = sizeof control.bytes};
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof descriptor);
  memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  ssize_t sent;
  do sent = sendmsg(socket, &message, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent == 1;
}

int cisolation_receive_descriptor(int socket) {
  char byte;
  struct iovec data = {.iov_base = &byte, .iov_len = 1};
  union {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr aligned;
  } control;
  struct msghdr message = {.msg_iov = &data,
                           .msg_iovlen = 1,
                           .msg_control = control.bytes,
                           .msg_controllen = sizeof control.bytes};
  ssize_t got;
  do got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  const struct cmsghdr *header = got == 1 ? CMSG_FIRSTHDR(&message) : NULL;
  if (!header || header->cmsg_type != SCM_RIGHTS) return -1;
  int descriptor;
  memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
  return descriptor;
}

// MARK: - Owners

/// The signal for a rehearsal of the handler; the kernel ignores it by default.
enum { REHEARSAL = SIGWINCH };

/// The memory of all nodes of this worker process.
enum { OWNED_COUNT = 1024 };
static _Atomic(cisolation_block *) owned[OWNED_COUNT];
/// How many entries were ever used. After a crash, each page that is read for the first time takes time.
static _Atomic int owned_end;

/// The kernel walks this list when the thread ends, however it ends.
static __thread struct robust_list_head owner_list;
static __thread struct robust_list owner_entry;

/// Runs the handler of crashes once on this thread, without an effect. Its stack and its code are then in memory, which
/// makes a crash visible some 10 us sooner.
static void rehearse_crash(void) {
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, REHEARSAL);
  pthread_sigmask(SIG_UNBLOCK, &blocked, &before);
  syscall(SYS_tgkill, getpid(), (pid_t)syscall(SYS_gettid), REHEARSAL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

uint32_t cisolation_own(cisolation_block *block) {
  rehearse_crash();
  owner_entry.next = &owner_list.list;
  owner_list.list.next = &owner_entry;
  owner_list.futex_offset = (char *)&block->owner - (char *)&owner_entry;
  owner_list.list_op_pending = NULL;
  if (syscall(SYS_set_robust_list, &owner_list, sizeof owner_list) != 0) return 0;
  const uint32_t number = (uint32_t)syscall(SYS_gettid);
  __atomic_store_n(&block->owner, number, __ATOMIC_RELEASE);
  for (int i = 0; i < OWNED_COUNT; i++) {
    cisolation_block *unused = NULL;
    if (!atomic_compare_exchange_strong(&owned[i], &unused, block)) continue;
    for (int end = atomic_load(&owned_end);
         end <= i && !atomic_compare_exchange_weak(&owned_end, &end, i + 1);) {
    }
    break;
  }
  return number;
}

void cisolation_disown(cisolation_block *block) {
  for (int i = 0; i < OWNED_COUNT; i++) {
    cisolation_block *expected = block;
    atomic_compare_exchange_strong(&owned[i], &expected, NULL);
  }
}

static const int crash_signals[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP};
enum { crash_signal_count = sizeof crash_signals / sizeof crash_signals[0] };
/// The handlers that were installed before, which report the location.
static struct sigaction earlier[crash_signal_count];

/// Faster than the kernel, which ends all threads of the process first.
static void report_crash(int number, siginfo_t *info, void *context) {
  // The signals are stored before any owner is marked, because the host then kills this process.
  const uint32_t thread = (uint32_t)syscall(SYS_gettid);
  const int end = atomic_load(&owned_end);
  for (int i = 0; i < end; i++) {
    cisolation_block *block = atomic_load(&owned[i]);
    if (!block || number == REHEARSAL) continue;
    const uint32_t owner = __atomic_load_n(&block->owner, __ATOMIC_RELAXED) & FUTEX_TID_MASK;
    __atomic_store_n(&block->has_crashed, owner == thread, __ATOMIC_RELAXED);
    __atomic_store_n(&block->signal, (uint32_t)number, __ATOMIC_RELAXED);
  }
  for (int i = 0; i < end; i++) {
    cisolation_block *block = atomic_load(&owned[i]);
    if (!block || number == REHEARSAL) continue;
    __atomic_store_n(&block->owner, FUTEX_OWNER_DIED, __ATOMIC_RELEASE);
    syscall(SYS_futex, &block->owner, FUTEX_WAKE, 1, NULL, NULL, 0);
  }
  if (number == REHEARSAL) return;
  // The end of the process takes a while. Threads of other workers may need this processor meanwhile.
  const struct sched_param lowest = {.sched_priority = 1};
  sched_setparam(0, &lowest);
  for (int i = 0; i < crash_signal_count; i++)
    if (crash_signals[i] == number && earlier[i].sa_flags & SA_SIGINFO)
      earlier[i].sa_sigaction(number, info, context);
  // The default action follows when the handler returns.
  raise(number);
}

void cisolation_begin_worker(void) {
  const struct rlimit none = {.rlim_cur = 0, .rlim_max = 0};
  setrlimit(RLIMIT_CORE, &none);
  // After a stack overflow, the stack has no room for the handler.
  static _Alignas(16) char memory[1 << 16];
  const stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
  sigaltstack(&stack, NULL);
  const struct sigaction action = {.sa_sigaction = report_crash,
                                   .sa_flags = SA_ONSTACK | SA_SIGINFO | (int)SA_RESETHAND};
  for (int i = 0; i < crash_signal_count; i++) sigaction(crash_signals[i], &action, &earlier[i]);
  const struct sigaction rehearsal = {.sa_sigaction = report_crash,
                                      .sa_flags = SA_ONSTACK | SA_SIGINFO};
  sigaction(REHEARSAL, &rehearsal, NULL);
}

int cisolation_lock_memory(void) {
  return mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) == 0 ? 0 : errno;
}
