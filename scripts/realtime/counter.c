// counter.c: counts real-time violations of rendering threads, in any program. SPDX-License-Identifier: MIT
//
// Preloaded (LD_PRELOAD), it defines the two hooks that bracket the render path (crealtime_enter,
// crealtime_exit) and counts violations between them, only on that thread:
//
// - allocations and frees, locks and waits, by wrappers of the C library's functions;
// - system calls of any form, by the kernel's Syscall User Dispatch: between the hooks each of them
//   raises SIGSYS, whose handler counts and executes it. This needs Linux 5.11 on x86-64; elsewhere
//   the report says that system calls are not counted.
//
// At the end of the program a line on standard error has the counts, followed by the call stacks of the
// first violations. The exit status is then 43, like that of the real-time sanitizer, unless
// nothing was counted or REALTIME_COUNTER_LENIENT is set.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__x86_64__) && defined(PR_SET_SYSCALL_USER_DISPATCH)
#define COUNTS_SYSTEM_CALLS 1
#else
#define COUNTS_SYSTEM_CALLS 0
#endif

// MARK: - Counts

typedef enum { ALLOCATION, FREE, LOCK, SYSTEM_CALL, KIND_COUNT } offence_kind;

static atomic_ullong block_count;
static atomic_ullong counts[KIND_COUNT];
static atomic_bool dispatch_failed;

enum { SITE_LIMIT = 16, SITE_DEPTH = 24 };

/// The call stack of the first violation of a kind.
typedef struct {
  const char *what;
  /// The number of the system call; 0 for other kinds.
  long number;
  void *frames[SITE_DEPTH];
  int depth;
} offence_site;

static offence_site sites[SITE_LIMIT];
static atomic_int site_count;

/// The value that the kernel reads before every system call of this thread: 0 lets it pass, 1
/// raises SIGSYS.
static __thread volatile char selector __attribute__((tls_model("initial-exec")));
static __thread bool is_inside __attribute__((tls_model("initial-exec")));
static __thread bool is_prepared __attribute__((tls_model("initial-exec")));

/// Returns whether this violation was recorded before. If two threads are first at the same time, it is
/// reported twice.
static bool is_known(const char *what, long number) {
  int known = atomic_load(&site_count);
  for (int site = 0; site < known && site < SITE_LIMIT; site++) {
    if (sites[site].what == what && sites[site].number == number) return true;
  }
  return false;
}

static void remember(const char *what, long number) {
  int site = atomic_fetch_add(&site_count, 1);
  if (site >= SITE_LIMIT) return;
  sites[site].what = what;
  sites[site].number = number;
  sites[site].depth = backtrace(sites[site].frames, SITE_DEPTH);
}

/// Counts one violation, without counting its own calls.
static void count(offence_kind kind, const char *what, long number) {
  int error = errno;
  char armed = selector;
  is_inside = false;
  selector = 0;
  atomic_fetch_add(&counts[kind], 1);
  if (!is_known(what, number)) remember(what, number);
  is_inside = true;
  selector = armed;
  errno = error;
}

// MARK: - Memory

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

void *malloc(size_t size) {
  if (is_inside) count(ALLOCATION, "malloc", 0);
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  if (is_inside) count(ALLOCATION, "calloc", 0);
  return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
  if (is_inside) count(ALLOCATION, "realloc", 0);
  return __libc_realloc(memory, size);
}

void *reallocarray(void *memory, size_t number, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(number, size, &bytes)) {
    errno = ENOMEM;
    return NULL;
  }
  return realloc(memory, bytes);
}

void *memalign(size_t alignment, size_t size) {
  if (is_inside) count(ALLOCATION, "memalign", 0);
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

void *valloc(size_t size) { return memalign((size_t)sysconf(_SC_PAGESIZE), size); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  int error = errno;
  void *made = memalign(alignment, size);
  errno = error;
  if (!made) return ENOMEM;
  *memory = made;
  return 0;
}

void free(void *memory) {
  // free(NULL) does nothing.
  if (is_inside && memory) count(FREE, "free", 0);
  __libc_free(memory);
}

// MARK: - Locks and waits

/// Returns the C library's function, looked up once. Condition functions also have an older version, which
/// a plain lookup would return.
static void *original(atomic_uintptr_t *known, const char *name, const char *version) {
  uintptr_t found = atomic_load_explicit(known, memory_order_relaxed);
  if (!found) {
    void *symbol = version ? dlvsym(RTLD_NEXT, name, version) : NULL;
    found = (uintptr_t)(symbol ? symbol : dlsym(RTLD_NEXT, name));
    atomic_store_explicit(known, found, memory_order_relaxed);
  }
  return (void *)found;
}

#define LOCK_FUNCTION(name, version, parameters, arguments)                              \
  int name parameters {                                                                  \
    static atomic_uintptr_t known;                                                       \
    if (is_inside) count(LOCK, #name, 0);                                                \
    return ((int(*) parameters)original(&known, #name, version))arguments;               \
  }

LOCK_FUNCTION(pthread_mutex_lock, NULL, (pthread_mutex_t * mutex), (mutex))
LOCK_FUNCTION(pthread_mutex_timedlock, NULL,
              (pthread_mutex_t * mutex, const struct timespec *time), (mutex, time))
LOCK_FUNCTION(pthread_rwlock_rdlock, NULL, (pthread_rwlock_t * lock), (lock))
LOCK_FUNCTION(pthread_rwlock_wrlock, NULL, (pthread_rwlock_t * lock), (lock))
LOCK_FUNCTION(pthread_spin_lock, NULL, (pthread_spinlock_t * lock), (lock))
LOCK_FUNCTION(pthread_cond_wait, "GLIBC_2.3.2",
              (pthread_cond_t * condition, pthread_mutex_t *mutex), (condition, mutex))
LOCK_FUNCTION(pthread_cond_timedwait, "GLIBC_2.3.2",
              (pthread_cond_t * condition, pthread_mutex_t *mutex, const struct timespec *time),
              (condition, mutex, time))
LOCK_FUNCTION(pthread_join, NULL, (pthread_t thread, void **value), (thread, value))
LOCK_FUNCTION(sem_wait, NULL, (sem_t * semaphore), (semaphore))
LOCK_FUNCTION(sem_timedwait, NULL, (sem_t * semaphore, const struct timespec *time),
              (semaphore, time))

// MARK: - System calls

#if COUNTS_SYSTEM_CALLS

// Calls from this code are not counted: those of the handler, and its return.
__asm__(
    ".text\n"
    ".type counter_pass_start, @function\n"
    "counter_pass_start:\n"
    ".type counter_pass, @function\n"
    "counter_pass:\n"  // (number, six arguments in memory)
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
    ".type counter_return, @function\n"
    "counter_return:\n"
    "  movq $15, %rax\n"  // rt_sigreturn
    "  syscall\n"
    ".type counter_pass_end, @function\n"
    "counter_pass_end:\n"
    "  nop\n");

extern long counter_pass(long number, const long arguments[6])
    __attribute__((visibility("hidden")));
extern const char counter_pass_start[] __attribute__((visibility("hidden")));
extern const char counter_pass_end[] __attribute__((visibility("hidden")));
extern void counter_return(void) __attribute__((visibility("hidden")));

/// The kernel's form of sigaction, which includes the return address.
struct kernel_action {
  void (*handler)(int, siginfo_t *, void *);
  unsigned long flags;
  void (*restorer)(void);
  unsigned long mask;
};

/// Returns whether a call must run in place, because it returns twice or on another stack.
static bool returns_elsewhere(long number) {
  return number == SYS_rt_sigreturn || number == SYS_clone || number == SYS_clone3 ||
         number == SYS_fork || number == SYS_vfork;
}

static void take_call(int signal, siginfo_t *info, void *user) {
  (void)signal;
  greg_t *registers = ((ucontext_t *)user)->uc_mcontext.gregs;
  long number = info->si_syscall;
  // A signal handler that returns was not called by the render path.
  if (is_inside && number != SYS_rt_sigreturn) count(SYSTEM_CALL, "system call", number);
  if (returns_elsewhere(number)) {
    // Executes the instruction again, uncounted, with the rest of this block. It is two bytes long.
    selector = 0;
    registers[REG_RIP] -= 2;
    registers[REG_RAX] = number;
    return;
  }
  const long arguments[6] = {registers[REG_RDI], registers[REG_RSI], registers[REG_RDX],
                             registers[REG_R10], registers[REG_R8],  registers[REG_R9]};
  registers[REG_RAX] = counter_pass(number, arguments);
}

static void install_handler(void) {
  struct kernel_action action = {
      .handler = take_call,
      // SA_RESTORER, which the headers hide. SA_NODEFER: the handler may count itself.
      .flags = SA_SIGINFO | SA_NODEFER | 0x04000000,
      .restorer = counter_return,
  };
  if (syscall(SYS_rt_sigaction, SIGSYS, &action, NULL, sizeof action.mask) != 0) {
    atomic_store(&dispatch_failed, true);
  }
}

/// Enables the dispatch for this thread. Calls pass until `selector` is set.
static void watch_thread(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGSYS);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  unsigned long length = (unsigned long)(counter_pass_end - counter_pass_start);
  if (prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, counter_pass_start, length,
            &selector) != 0) {
    atomic_store(&dispatch_failed, true);
  }
}

#else

static void install_handler(void) { atomic_store(&dispatch_failed, true); }
static void watch_thread(void) {}

#endif

// MARK: - Entry and exit of the render path

void __rtsan_realtime_enter(void) {
  if (!is_prepared) {
    is_prepared = true;
    watch_thread();
  }
  atomic_fetch_add_explicit(&block_count, 1, memory_order_relaxed);
  is_inside = true;
  selector = COUNTS_SYSTEM_CALLS;
}

void __rtsan_realtime_exit(void) {
  selector = 0;
  is_inside = false;
}

// MARK: - Start and end

__attribute__((constructor)) static void begin(void) {
  // The first backtrace loads a library, which must not be counted.
  void *frames[SITE_DEPTH];
  backtrace(frames, SITE_DEPTH);
  install_handler();
}

static void tell_sites(void) {
  int reported = atomic_load(&site_count);
  for (int site = 0; site < reported && site < SITE_LIMIT; site++) {
    fprintf(stderr, "realtime-counter: %s", sites[site].what);
    if (sites[site].number) fprintf(stderr, " %ld", sites[site].number);
    fprintf(stderr, " in the render path, called from:\n");
    fflush(stderr);
    // The first frame is the counter itself.
    backtrace_symbols_fd(sites[site].frames + 1, sites[site].depth - 1, STDERR_FILENO);
  }
}

/// Ends the process by the instruction itself: the program takes calls of the C library from elsewhere for a plugin's.
static void end_with(long status) {
#if defined(__x86_64__)
  __asm__ volatile("syscall" : : "a"(SYS_exit_group), "D"(status) : "rcx", "r11", "memory");
#elif defined(__aarch64__)
  register long number __asm__("x8") = SYS_exit_group;
  register long first __asm__("x0") = status;
  __asm__ volatile("svc 0" : : "r"(number), "r"(first) : "memory");
#else
  syscall(SYS_exit_group, status);
#endif
}

__attribute__((destructor)) static void end(void) {
  unsigned long long blocks = atomic_load(&block_count);
  // Helper processes of the program render nothing.
  if (blocks == 0) return;
  unsigned long long total = 0;
  for (int kind = 0; kind < KIND_COUNT; kind++) total += atomic_load(&counts[kind]);
  fprintf(stderr, "realtime-counter: %llu blocks, %llu allocations, %llu frees, %llu locks, ",
          blocks, atomic_load(&counts[ALLOCATION]), atomic_load(&counts[FREE]),
          atomic_load(&counts[LOCK]));
  if (atomic_load(&dispatch_failed)) {
    fprintf(stderr, "system calls not counted\n");
  } else {
    fprintf(stderr, "%llu system calls\n", atomic_load(&counts[SYSTEM_CALL]));
  }
  tell_sites();
  fflush(NULL);
  if (total > 0 && !getenv("REALTIME_COUNTER_LENIENT")) end_with(43);
}
