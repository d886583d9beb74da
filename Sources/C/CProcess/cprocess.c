// cprocess.c: see cprocess.h. SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "cprocess.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

int cprocess_memory_file(void) { return memfd_create("noise", MFD_CLOEXEC); }

int cprocess_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int cprocess_limit(pid_t process, uint64_t address_space_bytes) {
  const struct rlimit space = {.rlim_cur = address_space_bytes, .rlim_max = address_space_bytes};
  const struct rlimit core = {.rlim_cur = 0, .rlim_max = 0};
  if (prlimit(process, RLIMIT_AS, &space, NULL) != 0) return errno;
  return prlimit(process, RLIMIT_CORE, &core, NULL) == 0 ? 0 : errno;
}

int cprocess_replace(const char *path, char *const *arguments, char *const *environment,
                     const int *kept, int kept_count, uint64_t ignored) {
  // The new program would inherit the alarm and the blocked signals of this thread.
  alarm(0);
  sigset_t blocked;
  sigemptyset(&blocked);
  static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
  for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) sigaddset(&blocked, signals[i]);
  sigprocmask(SIG_SETMASK, &blocked, NULL);
  // A plugin may have changed what the new program inherits. Handlers end with this program.
  const uint64_t changed = ignored ^ cprocess_ignored_signals();
  for (int number = 1; number < NSIG && number < 64; number++)
    if (changed >> number & 1) signal(number, ignored >> number & 1 ? SIG_IGN : SIG_DFL);
  close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
  for (int i = 0; i < kept_count; i++) fcntl(kept[i], F_SETFD, 0);
  execve(path, arguments, environment);
  return errno;
}

uint64_t cprocess_ignored_signals(void) {
  uint64_t ignored = 0;
  for (int number = 1; number < NSIG && number < 64; number++) {
    struct sigaction action;
    if (sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
      ignored |= UINT64_C(1) << number;
  }
  return ignored;
}

int cprocess_close_from(posix_spawn_file_actions_t *actions, int first) {
  return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

// If the parent has ended before this call, the child notices the end of its socket.
void cprocess_end_with_parent(void) { prctl(PR_SET_PDEATHSIG, SIGKILL); }

// glibc fills memory with the complement of this value.
void cprocess_fill_heap(uint8_t byte) {
  char text[4];
  snprintf(text, sizeof text, "%d", byte);
  setenv("OUTBOARD_HEAP_FILL", text, 1);
  mallopt(M_PERTURB, byte ^ 0xff);
}

/// Whether a probe or a developer has enabled the filling of the heap.
static bool is_filled(void) {
  const char *tunables = getenv("GLIBC_TUNABLES");
  return getenv("OUTBOARD_HEAP_FILL") || getenv("MALLOC_PERTURB_") ||
         (tunables && strstr(tunables, "malloc.perturb"));
}

void cprocess_clear_heap(void) {
  if (!is_filled()) mallopt(M_PERTURB, 0xff);
}

void cprocess_leave_heap(void) {
  if (!is_filled()) mallopt(M_PERTURB, 0);
}

__attribute__((noinline)) void cprocess_fill_stack(uint8_t byte) {
  char memory[1 << 16];
  memset(memory, byte, sizeof memory);
  // Without this the compiler removes the writes, because nothing reads them.
  __asm__ volatile("" : : "r"(memory) : "memory");
}

void cprocess_render_on_filled_stack(uint8_t byte, cprocess_render_function render, void *context,
                                     float *const *channels, uint32_t frame_count) {
  cprocess_fill_stack(byte);
  render(context, channels, frame_count);
}

pid_t cprocess_fork(void) {
  static const int signals[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP};
  const pid_t process = fork();
  if (process == 0) {
    cprocess_end_with_parent();
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) signal(signals[i], SIG_DFL);
  }
  return process;
}

uint32_t cprocess_serve_forks(int requests, int messages) {
  uint32_t request;
  while (read(requests, &request, sizeof request) == sizeof request) {
    const pid_t process = cprocess_fork();
    if (process == 0) return request;
    cprocess_fork_message message = {.kind = CPROCESS_FORK_BEGAN, .value = process};
    if (write(messages, &message, sizeof message) != sizeof message) break;
    int status = -1;
    while (process > 0 && waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    message = (cprocess_fork_message){.kind = CPROCESS_FORK_ENDED, .value = status};
    if (write(messages, &message, sizeof message) != sizeof message) break;
  }
  _exit(0);
}

static uint64_t count_entries(const char *path) {
  DIR *directory = opendir(path);
  if (!directory) return 0;
  uint64_t count = 0;
  for (struct dirent *entry; (entry = readdir(directory));) count += entry->d_name[0] != '.';
  closedir(directory);
  return count;
}

cprocess_holdings cprocess_measure_holdings(void) {
  cprocess_holdings holdings = {.threads = count_entries("/proc/self/task"),
                                .descriptors = count_entries("/proc/self/fd")};
  const struct mallinfo2 heap = mallinfo2();
  holdings.heap_bytes = heap.uordblks + heap.hblkhd;
  FILE *file = fopen("/proc/self/statm", "re");
  unsigned long long pages = 0;
  if (file) {
    if (fscanf(file, "%llu", &pages) != 1) pages = 0;
    fclose(file);
  }
  holdings.mapped_bytes = pages * (uint64_t)sysconf(_SC_PAGESIZE);
  return holdings;
}

/// Whether a debugger is attached.
static int is_traced(void) {
  char text[4096];
  int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  ssize_t count = read(file, text, sizeof text - 1);
  close(file);
  if (count < 0) return 0;
  text[count] = 0;
  const char *line = strstr(text, "\nTracerPid:");
  return line && atoi(line + sizeof "\nTracerPid:" - 1) > 0;
}

int cprocess_wait_for_debugger(void) {
  // Yama otherwise lets only parents attach.
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  sigset_t continues, former;
  sigemptyset(&continues);
  sigaddset(&continues, SIGCONT);
  // Signals that end the program may be blocked.
  sigprocmask(SIG_SETMASK, &continues, &former);
  struct pollfd waits[2] = {
    {.fd = signalfd(-1, &continues, SFD_CLOEXEC | SFD_NONBLOCK), .events = POLLIN},
    {.fd = isatty(STDIN_FILENO) ? STDIN_FILENO : -1, .events = POLLIN},
  };
  int traced = 0;
  // The kernel reports no attachment.
  while (!(traced = is_traced())) {
    if (poll(waits, 2, 100) <= 0) continue;
    if (waits[1].revents) {
      char byte;
      if (read(STDIN_FILENO, &byte, 1) == 1) {
        if (byte == '\n') break;
      } else {
        waits[1].fd = -1;
      }
    }
    struct signalfd_siginfo signal;
    if (waits[0].revents && read(waits[0].fd, &signal, sizeof signal) == sizeof signal) break;
  }
  close(waits[0].fd);
  sigprocmask(SIG_SETMASK, &former, NULL);
  return traced;
}

int cprocess_exit_status(int32_t process) {
  siginfo_t info = {.si_pid = 0};
  int code;
  do code = waitid(P_PID, (id_t)process, &info, WEXITED | WNOHANG | WNOWAIT);
  while (code != 0 && errno == EINTR);
  // A plugin that ignores SIGCHLD makes the kernel release all child processes.
  if (code != 0) return SIGKILL;
  if (info.si_pid == 0) return -1;
  return info.si_code == CLD_EXITED ? (info.si_status & 0xff) << 8 : info.si_status & 0x7f;
}

void cprocess_release_threads(int32_t process) {
  char path[32];
  snprintf(path, sizeof path, "/proc/%d/task", (int)process);
  DIR *threads = opendir(path);
  if (!threads) return;
  for (const struct dirent *entry; (entry = readdir(threads));) {
    const pid_t thread = (pid_t)atoi(entry->d_name);
    if (thread > 0 && thread != process) (void)waitpid(thread, NULL, __WALL | WNOHANG);
  }
  closedir(threads);
}

int cprocess_wait(int32_t process) {
  int status = 0;
  useconds_t pause = 100;
  for (pid_t ended; (ended = waitpid(process, &status, WNOHANG)) == 0 || (ended < 0 && errno == EINTR);) {
    usleep(pause);
    if (pause < 10000)
      pause *= 2;
    else
      cprocess_release_threads(process);
  }
  return status;
}
