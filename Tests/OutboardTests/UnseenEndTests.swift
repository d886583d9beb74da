// UnseenEndTests.swift: plugins that end the program without a return address in their code. SPDX-License-Identifier: MIT

import Foundation
import Testing

@Suite struct `Code that ends the program unseen` {
  private let scratch: TemporaryDirectory

  init() throws {
    scratch = try TemporaryDirectory()
    try scratch.addTone(frames: 48_000)
    try scratch.write(Self.source, to: "late.c")
  }

  /// Each deed is a tail call, so that its return address is in the program or in the C library.
  private static let source = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <linux/seccomp.h>
    #include <pthread.h>
    #include <signal.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/prctl.h>
    #include <sys/syscall.h>
    #include <unistd.h>
    static void start(void *(*function)(void *)) {
      pthread_t thread;
      pthread_create(&thread, 0, function, 0);
      pthread_join(thread, 0);
    }
    static __attribute__((noinline)) void act(const char *deed) {
      if (!strcmp(deed, "syscall")) { syscall(SYS_exit_group, 0); return; }
      if (!strcmp(deed, "execlp")) { execlp("true", "true", (char *)0); return; }
      if (!strcmp(deed, "raise")) { raise(SIGKILL); return; }
      if (!strcmp(deed, "sigqueue")) { sigqueue(getpid(), SIGTERM, (union sigval){0}); return; }
      if (!strcmp(deed, "dlsym")) { ((void (*)(int))dlsym(RTLD_DEFAULT, "_exit"))(0); return; }
      if (!strcmp(deed, "thread")) { start((void *(*)(void *))_exit); return; }
      if (!strcmp(deed, "seccomp")) { prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT); return; }
    }
    void process(void *state, const float *const *in, float *const *out, const float *parameters,
                 unsigned frames) {
      static unsigned count;
      for (unsigned i = 0; i < frames; i++) out[0][i] = out[1][i] = in[0][i];
      if (++count == 500 && getenv("DEED")) act(getenv("DEED"));
    }
    """

  private static let deeds = [
    "syscall": "called SYS_exit_group(0)",
    "execlp": "replaced the program by another one (execlp)",
    "raise": "sent signal 9 to the program (raise)",
    "sigqueue": "sent signal 15 to the program (sigqueue)",
    "dlsym": "called _exit(0)", "thread": "called _exit(", "seccomp": "ended the render thread",
  ]

  @Test(arguments: deeds.keys.sorted())
  func `is named by render and by run`(deed: String) throws {
    let words = try #require(Self.deeds[deed])
    let rendered = try start(
      ["render", "late.c", "-i", "in.wav", "-o", "out.wav", "--block-length", "8"], deed)
    #expect(rendered.status == 1, "\(rendered.error)")
    #expect(rendered.error.contains("late.c (late) \(words)"), "\(rendered.error)")
    #expect(!scratch.exists("out.wav"))
    let ran = try start(
      [
        "run", "--isolate", "off", "--no-restart", "late.c", "--in", "dummy", "--out", "dummy",
        "--period", "16", "--duration", "5",
        "--record", "take.wav", "--events", "json",
      ], deed)
    #expect(ran.status == 1, "\(ran.error)")
    #expect(ran.error.contains("late.c (late) \(words)"), "\(ran.error)")
    #expect(ran.text.contains(#""event":"failure""#), "\(ran.text)")
    #expect(ran.text.contains(#""event":"stopped""#), "\(ran.text)")
    #expect(try Program.run(["analyse", "take.wav"], in: scratch).status == 0)
  }

  @Test func `is not blamed on a deleted file when it closes a recording`() throws {
    try scratch.write(
      """
      #include <stdio.h>
      #include <string.h>
      #include <unistd.h>
      static void close_take(void) {
        for (int file = 3; file < 300; file++) {
          char link[64], path[4096];
          snprintf(link, sizeof link, "/proc/self/fd/%d", file);
          const ssize_t length = readlink(link, path, sizeof path - 1);
          if (length < 0) continue;
          path[length] = 0;
          if (strstr(path, "take.wav")) close(file);
        }
      }
      void process(void *state, const float *const *in, float *const *out, const float *parameters,
                   unsigned frames) {
        static unsigned count;
        for (unsigned i = 0; i < frames; i++) out[0][i] = in[0][i];
        if (++count == 500) close_take();
      }
      """, to: "closes.c")
    let result = try start(
      [
        "run", "--isolate", "off", "--no-restart", "closes.c", "--in", "dummy", "--out", "dummy",
        "--period", "64", "--duration", "2",
        "--record", "take.wav",
      ], "close")
    #expect(result.status == 1, "\(result.error)")
    #expect(
      result.error.contains("take.wav failed at "), "\(result.error)")
    #expect(result.error.contains("; a plugin may have closed it."), "\(result.error)")
    #expect(!result.error.contains("deleted"), "\(result.error)")
  }

  @Test func `leaves a complete file when it exits after the rendering`() throws {
    try scratch.write(
      """
      #include <stdlib.h>
      #include <unistd.h>
      static void end(void) { _exit(0); }
      void *create(double rate, unsigned frames) { return calloc(1, sizeof(unsigned)); }
      void destroy(void *state) { free(state); }
      void process(void *state, const float *const *in, float *const *out, const float *parameters,
                   unsigned frames) {
        unsigned *count = state;
        for (unsigned i = 0; i < frames; i++) out[0][i] = in[0][i];
        if (++*count == 500) atexit(end);
      }
      """, to: "ends.c")
    let result = try start(
      ["render", "ends.c", "-i", "in.wav", "-o", "out.wav", "--block-length", "8"], "end")
    #expect(result.status == 1, "\(result.error)")
    #expect(result.error.contains("ends.c (ends) called _exit(0) at "), "\(result.error)")
    #expect(result.error.contains("out.wav is complete."), "\(result.error)")
    #expect(scratch.exists("out.wav"))
  }

  @Test func `is not blamed for the render thread when it calls chroot`() throws {
    try scratch.write(
      """
      #include <unistd.h>
      void process(void *state, const float *const *in, float *const *out, const float *parameters,
                   unsigned frames) {
        static unsigned count;
        for (unsigned i = 0; i < frames; i++) out[0][i] = in[0][i];
        if (++count == 500) chroot("/proc");
        if (count > 500 && count < 1000) usleep(1000);
      }
      """, to: "roots.c")
    let result = try start(
      ["render", "roots.c", "-i", "in.wav", "-o", "out.wav", "--block-length", "8"], "root")
    #expect(!result.error.contains("thread"), "\(result.error)")
  }

  private func start(_ arguments: [String], _ deed: String) throws -> Program.Result {
    try Program.start(
      [Program.url.path] + arguments, in: scratch, environment: ["DEED": deed]
    ).finish()
  }
}
