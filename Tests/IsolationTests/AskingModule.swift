// AskingModule.swift: a module that asks for what a sandbox refuses. SPDX-License-Identifier: MIT

/// What the module asks for, in the order of its parameter from 1.
enum Ask: Int, CaseIterable {
  case socket = 1
  case localSocket, readSecret, listHome, fork, spawn, system, rawClone, execute, trace
  case readMemory, signalParent, mount, unshare, ring, writeTemporary, changeMode, deathSignal
  case openForTruncation
  // Allowed:
  case ownState, thread, ownSignal, executable, systemFile, device, processor
  // Refused, although the module blocks all signals.
  case blocked
}

/// Returns a module that halves its input and, when its parameter changes, asks for something.
///
/// Its state has a byte for each request: 255 if it was not made, 0 if it succeeded, otherwise the errno value.
func askingSource(secret: String) -> String {
  """
  // outboard: inputs: 2, outputs: 2, parameters: [{symbol: ask, name: Ask, minimum: 0, default: 0, maximum: 40}]
  #define _GNU_SOURCE
  #include <dirent.h>
  #include <errno.h>
  #include <fcntl.h>
  #include <pthread.h>
  #include <sched.h>
  #include <signal.h>
  #include <spawn.h>
  #include <stdio.h>
  #include <stdlib.h>
  #include <string.h>
  #include <sys/mman.h>
  #include <sys/mount.h>
  #include <sys/prctl.h>
  #include <sys/ptrace.h>
  #include <sys/socket.h>
  #include <sys/stat.h>
  #include <sys/syscall.h>
  #include <sys/uio.h>
  #include <sys/un.h>
  #include <sys/wait.h>
  #include <unistd.h>
  extern char **environ;
  typedef struct { int last; unsigned char results[40]; } asking;
  void *create(double rate, unsigned longest) {
    asking *it = calloc(1, sizeof(asking));
    memset(it->results, 255, sizeof it->results);
    return it;
  }
  void destroy(void *state) { free(state); }
  unsigned save(void *state, void *bytes, unsigned size) {
    if (bytes && size >= 40) memcpy(bytes, ((asking *)state)->results, 40);
    return 40;
  }
  int restore(void *state, const void *bytes, unsigned size) { return size != 40; }
  static void *run(void *seen) { *(int *)seen = 1; return NULL; }
  static int has_failed(int result) { return result < 0 ? errno : 0; }
  static int ask(int number) {
    char path[4096], word[8] = "";
    const char *home = getenv("HOME"), *own = getenv("TMPDIR");
    char *const arguments[] = {"true", NULL};
    pid_t child = 0;
    struct iovec part = {word, sizeof word};
    errno = 0;
    switch (number) {
    case 1: return has_failed(socket(AF_INET, SOCK_STREAM, 0));
    case 2: return has_failed(socket(AF_UNIX, SOCK_STREAM, 0));
    case 3: return has_failed(open("\(secret)", O_RDONLY));
    case 4: return opendir(home) ? 0 : errno;
    case 5: child = fork(); if (child == 0) _exit(0); return has_failed(child);
    case 6: return posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environ);
    case 7: return has_failed(system("true"));
    case 8:
      child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
      if (child == 0) syscall(SYS_exit_group, 0);
      return has_failed(child);
    case 9: return has_failed(execve("/bin/true", arguments, environ));
    case 10: return has_failed((int)ptrace(PTRACE_TRACEME, 0, 0, 0));
    case 11: return has_failed((int)process_vm_readv(getppid(), &part, 1, &part, 1, 0));
    case 12: return has_failed(kill(getppid(), 0));
    case 13: return has_failed(mount("none", "/mnt", "tmpfs", 0, ""));
    case 14: return has_failed(unshare(CLONE_NEWNS));
    case 15: return has_failed((int)syscall(SYS_io_uring_setup, 1, NULL));
    case 16: return has_failed(open("/tmp/outboard-asking", O_WRONLY | O_CREAT, 0600));
    case 17: return has_failed(chmod("\(secret)", 0644));
    case 18: return has_failed(prctl(PR_SET_PDEATHSIG, 0));
    case 19: return has_failed(open("/usr/lib/os-release", O_RDONLY | O_TRUNC));
    case 20:
      snprintf(path, sizeof path, "%s/notes", own);
      { FILE *file = fopen(path, "w"); if (!file) return errno; fputs("x", file); return fclose(file) == 0 ? 0 : errno; }
    case 21: {
      pthread_t thread; int seen = 0;
      const int code = pthread_create(&thread, NULL, run, &seen);
      if (code) return code;
      pthread_join(thread, NULL);
      return seen ? 0 : 1;
    }
    case 22: return has_failed(kill(getpid(), 0));
    case 23: {
      void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      return code == MAP_FAILED ? errno : 0;
    }
    case 24: return has_failed(open("/etc/ld.so.cache", O_RDONLY));
    case 25: return has_failed(open("/dev/urandom", O_RDONLY));
    case 26: return has_failed(sched_setaffinity(0, 0, (cpu_set_t *)word)) == EPERM;
    case 27: {
      sigset_t all;
      sigfillset(&all);
      signal(SIGSYS, SIG_IGN);
      pthread_sigmask(SIG_BLOCK, &all, NULL);
      return has_failed(socket(AF_INET, SOCK_STREAM, 0)) == EPERM ? 0 : 1;
    }
    }
    return 1;
  }
  void process(void *state, const float *const *in, float *const *out, const float *p, unsigned n) {
    asking *it = state;
    const int number = (int)p[0];
    if (number != it->last && number > 0 && number < 40) it->results[number] = (unsigned char)ask(number);
    it->last = number;
    for (int c = 0; c < 2; c++)
      for (unsigned i = 0; i < n; i++) out[c][i] = 0.5f * in[c][i];
  }
  """
}
