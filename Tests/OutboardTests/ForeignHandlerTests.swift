// ForeignHandlerTests.swift: plugins that remove crash handlers, or fail when they are unloaded.
// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import Testing

@Suite struct `Code that crashes without the handler of the host` {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  private static let source = """
    #define _GNU_SOURCE
    #include <signal.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/syscall.h>
    #include <unistd.h>
    void crash(void) { *(volatile int *)8 = 1; }
    int deep(int n) { volatile char m[4096]; m[n & 7] = 1; return n ? deep(n + 1) + m[3] : 0; }
    static void prepare(const char *deed) {
      struct sigaction none;
      memset(&none, 0, sizeof none);
      stack_t off;
      memset(&off, 0, sizeof off);
      off.ss_flags = SS_DISABLE;
      sigset_t all;
      sigfillset(&all);
      if (strstr(deed, "signal")) signal(SIGSEGV, SIG_DFL);
      if (strstr(deed, "sigaction")) sigaction(SIGSEGV, &none, 0);
      if (strstr(deed, "sysv")) sysv_signal(SIGSEGV, SIG_DFL);
      if (strstr(deed, "number")) syscall(SYS_rt_sigaction, SIGSEGV, &none, 0, 8);
      if (strstr(deed, "mask")) sigprocmask(SIG_SETMASK, &all, 0);
      if (strstr(deed, "block")) pthread_sigmask(SIG_BLOCK, &all, 0);
      if (strstr(deed, "stack")) sigaltstack(&off, 0);
      if (strstr(deed, "stack")) deep(1);
      crash();
    }
    void *create(double rate, unsigned longest) {
      if (getenv("CREATE") && getenv("OUTBOARD_TEST")) prepare(getenv("CREATE"));
      return malloc(1);
    }
    void destroy(void *state) { free(state); }
    void process(void *state, const float *const *in, float *const *out, const float *parameters,
                 unsigned frames) {
      static unsigned count;
      for (unsigned i = 0; i < frames; i++) out[0][i] = in[0][i];
      if (++count == 500 && getenv("DEED")) prepare(getenv("DEED"));
    }
    """

  private static let deeds = [
    "signal", "sigaction", "sysv", "number", "mask", "block", "stack",
  ]

  @Test(arguments: deeds)
  func `is named in a rendering and in a session`(deed: String) throws {
    try scratch.write(Self.source, to: "late.c")
    try scratch.addTone(frames: 24_000)
    let uses = [
      ["render", "late.c", "-i", "in.wav", "-o", "out.wav", "--block-length", "8"],
      [
        "run", "late.c", "--in", "dummy", "--out", "dummy", "--period", "16", "--isolate", "off",
        "--no-restart",
      ],
    ]
    for arguments in uses {
      let result = try Program.start(
        [Program.url.path] + arguments, in: scratch, environment: ["DEED": deed]
      ).finish()
      let statement = "\(deed): \(result.status) \(result.error)"
      #expect(result.status == 128 + SIGSEGV, "\(statement)")
      #expect(result.error.contains("late.c (late) crashed (signal 11"), "\(statement)")
      #expect(result.error.contains("late.c:\(deed == "stack" ? 8 : 7)"), "\(statement)")
    }
  }

  @Test(arguments: deeds)
  func `is named while it is created`(deed: String) throws {
    try scratch.write(Self.source, to: "late.c")
    try scratch.addTone(frames: 2_400)
    let result = try Program.start(
      [
        Program.url.path, "render", "late.c", "-i", "in.wav", "-o", "out.wav", "--skip-preflight",
      ], in: scratch, environment: ["CREATE": deed, "OUTBOARD_TEST": "1"]
    ).finish()
    #expect(result.status == 128 + SIGSEGV, "\(deed): \(result.error)")
    #expect(result.error.contains("late.c"), "\(deed): \(result.error)")
    #expect(result.error.contains("crashed (signal 11"), "\(deed): \(result.error)")
  }
}

@Suite struct `Code that fails when a rendering is complete` {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  private static let source = """
    #include <stdlib.h>
    #include <string.h>
    #include <unistd.h>
    /* A variable that changes: each node has a copy of the library. */
    unsigned count;
    static volatile int sink;
    static void act(const char *when) {
      const char *deed = getenv("DEED");
      if (!deed || count < 10 || strncmp(deed, when, strlen(when))) return;
      deed += strlen(when);
      if (!strcmp(deed, "-crashes")) *(volatile int *)8 = 1;
      if (!strcmp(deed, "-hangs")) for (;;) sink++;
      if (!strcmp(deed, "-exits")) exit(0);
    }
    static void at_exit(void) { act("atexit"); }
    __attribute__((destructor)) static void unload(void) { act("library"); }
    void *create(double rate, unsigned longest) { return malloc(1); }
    void destroy(void *state) { act("destroy"); free(state); }
    void process(void *state, const float *const *in, float *const *out, const float *parameters,
                 unsigned frames) {
      for (unsigned i = 0; i < frames; i++) out[0][i] = in[0][i];
      if (++count == 10 && getenv("DEED")) atexit(at_exit);
    }
    """

  @Test(arguments: [
    "destroy-hangs", "destroy-crashes", "destroy-exits", "atexit-hangs", "atexit-crashes",
    "atexit-exits", "library-crashes", "library-exits", "library-hangs",
  ])
  func `is named, and the file is complete`(deed: String) throws {
    try scratch.write(Self.source, to: "late.c")
    let samples = try scratch.addTone(frames: 2_400)
    let result = try Program.start(
      [Program.url.path, "render", "late.c", "-i", "in.wav", "-o", "out.wav"]
        + ["--block-length", "8", "--tail", "0", "--skip-preflight"],
      in: scratch, environment: ["DEED": deed]
    ).finish()
    let statement = "\(deed): \(result.status) \(result.error)"
    #expect(result.status == (deed.hasSuffix("exits") ? 1 : 0), "\(statement)")
    #expect(result.error.contains("late.c"), "\(statement)")
    #expect(result.error.contains("out.wav is complete."), "\(statement)")
    #expect(scratch.samples("out.wav") == samples)
    let deeds = [
      "crashes": "crashed (signal 11", "exits": "called exit(0)",
      "hangs": deed == "destroy-hangs"
        ? "has not returned from `destroy` for 2"
        : "late.c (late) has not returned from `dlclose` for 2",
    ]
    let words = try #require(deeds[String(deed.split(separator: "-")[1])])
    #expect(result.error.contains(words), "\(statement)")
  }
}
