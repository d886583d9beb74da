// syscalls.c: monitors every system call of a thread with Syscall User Dispatch.
// SPDX-License-Identifier: MIT
//
// While the selector is set, each system call of the thread raises SIGSYS instead. The handler records the
// call and makes it. Requires Linux 5.11 on x86-64.
#define _GNU_SOURCE
#include "syscalls.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "violation_log.h"

#if defined(__x86_64__) && defined(PR_SET_SYSCALL_USER_DISPATCH)

// System calls from here are not dispatched: those of the handler, and its return.
__asm__(
    ".text\n"
    ".type calls_pass_start, @function\n"
    "calls_pass_start:\n"
    ".type calls_pass, @function\n"
    "calls_pass:\n"  // (number, six arguments in memory)
    "  movq %rdi, %rax\n"
    "  movq %rsi, %r11\n"
    "  movq 0(%r11), %rdi\n"
    "  movq 8(%r11), %rsi\n"
    "  movq 16(%r11), %rdx\n"
    "  movq 24(%r11), %r10\n"
    "  movq 32(%r11), %r8\n"
    "  movq 40(%r11), %r9\n"
    "  syscall\n"
    "  ret\n"
    ".type calls_return, @function\n"
    "calls_return:\n"
    "  movq $15, %rax\n"  // rt_sigreturn
    "  syscall\n"
    "  nop\n"  // where the kernel checks the address after the call; it must be within the range
    ".type calls_pass_end, @function\n"
    "calls_pass_end:\n");

extern long calls_pass(long number, const long arguments[6]) __attribute__((visibility("hidden")));
extern const char calls_pass_start[] __attribute__((visibility("hidden")));
extern const char calls_pass_end[] __attribute__((visibility("hidden")));
extern void calls_return(void) __attribute__((visibility("hidden")));

/// The kernel's sigaction, which contains the return address.
struct kernel_action {
  void (*handler)(int, siginfo_t *, void *);
  unsigned long flags;
  void (*restorer)(void);
  unsigned long mask;
};

static const char *name_of(long number) {
  switch (number) {
#define NAME(call) \
  case SYS_##call: return #call;
    NAME(read) NAME(write) NAME(readv) NAME(writev) NAME(pread64) NAME(pwrite64) NAME(open)
    NAME(openat) NAME(close) NAME(stat) NAME(fstat) NAME(lstat) NAME(newfstatat) NAME(lseek)
    NAME(access) NAME(getcwd) NAME(readlink) NAME(unlink) NAME(rename) NAME(mkdir) NAME(fsync)
    NAME(ioctl) NAME(fcntl) NAME(poll) NAME(ppoll) NAME(select) NAME(pselect6) NAME(epoll_wait)
    NAME(mmap) NAME(munmap) NAME(mremap) NAME(mprotect) NAME(madvise) NAME(brk) NAME(mlock)
    NAME(futex) NAME(nanosleep) NAME(clock_nanosleep) NAME(sched_yield) NAME(clone) NAME(clone3)
    NAME(fork) NAME(vfork) NAME(execve) NAME(exit) NAME(exit_group) NAME(wait4) NAME(kill)
    NAME(tgkill) NAME(socket) NAME(connect) NAME(sendto) NAME(recvfrom) NAME(sendmsg)
    NAME(recvmsg) NAME(getrandom) NAME(sched_setscheduler) NAME(sched_setaffinity) NAME(prctl)
    NAME(rt_sigaction) NAME(times) NAME(sysinfo) NAME(uname) NAME(pipe2)
#undef NAME
  default: return "a system call";
  }
}

/// Returns whether a call neither waits nor does much work, and is often not a system call at all: reading
/// the time or the number of waits, or waking another thread.
static bool is_harmless(long number, long second_argument) {
  switch (number) {
  case SYS_futex: {
    const long operation = second_argument & 0x7f;
    return operation == 1 || operation == 5 || operation == 10;  // FUTEX_WAKE, _OP, _BITSET
  }
  case SYS_clock_gettime:
  case SYS_gettimeofday:
  case SYS_time:
  case SYS_getcpu:
  case SYS_getrusage:
  case SYS_gettid:
  case SYS_getpid:
  case SYS_rt_sigprocmask:
  case SYS_rt_sigreturn: return true;
  default: return false;
  }
}

/// Returns whether a call must be made in place, because it returns twice or on another stack.
static bool returns_elsewhere(long number) {
  return number == SYS_rt_sigreturn || number == SYS_clone || number == SYS_clone3 ||
         number == SYS_fork || number == SYS_vfork;
}

static void take_call(int signal, siginfo_t *info, void *user) {
  (void)signal;
  greg_t *registers = ((ucontext_t *)user)->uc_mcontext.gregs;
  const long number = info->si_syscall;
  if (ledger_is_watching && !is_harmless(number, registers[REG_RSI]))
    ledger_add(CWATCH_SYSTEM_CALL, name_of(number), number);
  if (returns_elsewhere(number)) {
    // Repeats the call, and does not monitor the rest of this block. The instruction has two bytes.
    ledger_selector = 0;
    registers[REG_RIP] -= 2;
    registers[REG_RAX] = number;
    return;
  }
  const long arguments[6] = {registers[REG_RDI], registers[REG_RSI], registers[REG_RDX],
                             registers[REG_R10], registers[REG_R8],  registers[REG_R9]};
  registers[REG_RAX] = calls_pass(number, arguments);
}

bool calls_begin(void) {
  const struct kernel_action action = {
      .handler = take_call,
      // SA_RESTORER, which the headers hide. SA_NODEFER: the handler may be dispatched itself.
      .flags = SA_SIGINFO | SA_NODEFER | 0x04000000,
      .restorer = calls_return,
  };
  return syscall(SYS_rt_sigaction, SIGSYS, &action, NULL, sizeof action.mask) == 0 &&
         calls_begin_thread();
}

bool calls_begin_thread(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGSYS);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  const unsigned long length = (unsigned long)(calls_pass_end - calls_pass_start);
  return prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, calls_pass_start, length,
               &ledger_selector) == 0;
}

#else

bool calls_begin(void) { return false; }
bool calls_begin_thread(void) { return false; }

#endif
