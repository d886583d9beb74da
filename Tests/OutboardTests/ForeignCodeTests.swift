// ForeignCodeTests.swift: plugins that hang, exit or crash after their preflight. SPDX-License-Identifier: MIT

import Foundation
import Testing

@Suite struct `Code that fails late` {
  private let scratch: TemporaryDirectory

  init() throws {
    scratch = try TemporaryDirectory()
    try scratch.addTone()
    try scratch.write(Self.source, to: "late.c")
  }

  /// Does `DEED` after its start, later than the end of its preflight.
  private static let source = """
    #define _GNU_SOURCE
    #include <err.h>
    #include <poll.h>
    #include <pthread.h>
    #include <signal.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/syscall.h>
    #include <unistd.h>
    static volatile int sink;
    static int deep(int n) { volatile char room[4096]; room[n % 4096] = n; return deep(n + 1) + room[7]; }
    static void *leave(void *own) { exit(0); }
    static void *rest(void *own) { for (;;) sleep(1000); }
    static void wait_for_nobody(void) { int ends[2]; char c; pipe(ends); for (;;) read(ends[0], &c, 1); }
    static void act(const char *deed) {
      pthread_t thread;
      if (!strcmp(deed, "loop")) for (;;) sink++;
      if (!strcmp(deed, "sleep")) for (;;) sleep(1000);
      if (!strcmp(deed, "read")) wait_for_nobody();
      // A signal ends this wait.
      if (!strcmp(deed, "poll")) poll(0, 0, -1);
      if (!strcmp(deed, "pthread_exit")) pthread_exit(0);
      if (!strcmp(deed, "SYS_exit")) syscall(SYS_exit, 0);
      if (!strcmp(deed, "exit")) exit(0);
      if (!strcmp(deed, "_exit")) _exit(0);
      if (!strcmp(deed, "_Exit")) _Exit(0);
      if (!strcmp(deed, "quick_exit")) quick_exit(0);
      if (!strcmp(deed, "errx")) errx(0, "no more");
      if (!strcmp(deed, "kill")) kill(getpid(), SIGKILL);
      if (!strcmp(deed, "term")) kill(getpid(), SIGTERM);
      if (!strcmp(deed, "raise")) raise(SIGTERM);
      if (!strcmp(deed, "abort")) abort();
      char *words[] = {"true", 0};
      if (!strcmp(deed, "exit_group")) syscall(SYS_exit_group, 0);
      if (!strcmp(deed, "SYS_kill")) syscall(SYS_kill, getpid(), SIGKILL);
      if (!strcmp(deed, "killpg")) killpg(0, SIGTERM);
      if (!strcmp(deed, "tgkill")) tgkill(getpid(), gettid(), SIGTERM);
      if (!strcmp(deed, "other thread")) {
        pthread_create(&thread, 0, rest, 0);
        pthread_kill(thread, SIGSEGV);
      }
      if (!strcmp(deed, "pthread_kill")) pthread_kill(pthread_self(), SIGSTOP);
      if (!strcmp(deed, "sigqueue")) sigqueue(getpid(), SIGKILL, (union sigval){0});
      if (!strcmp(deed, "execl")) execl("/bin/true", "true", (char *)0);
      if (!strcmp(deed, "execvp")) execvp("true", words);
      if (!strcmp(deed, "execve")) execve("/bin/true", words, 0);
      if (!strcmp(deed, "crash")) *(volatile int *)0 = 1;
      if (!strcmp(deed, "trap")) __builtin_trap();
      if (!strcmp(deed, "overflow")) sink = deep(1);
      if (!strcmp(deed, "thread")) { pthread_create(&thread, 0, leave, 0); for (;;) sleep(1); }
    }
    void process(void *state, const float *const *in, float *const *out, const float *parameters,
                 unsigned frames) {
      static unsigned count;
      for (unsigned i = 0; i < frames; i++) out[0][i] = out[1][i] = in[0][i];
      if (++count == 500) act(getenv("DEED"));
    }
    """

  /// The number of the line that contains this text.
  private func line(of text: String) -> Int {
    let lines = Self.source.split(separator: "\n", omittingEmptySubsequences: false)
    return (lines.firstIndex { $0.contains(text) } ?? -1) + 1
  }

  private static let hangs = ["loop", "sleep", "read", "poll"]
  private static let ended = ["pthread_exit", "SYS_exit"]
  private static let left = [
    "exit": "called exit(0)", "_exit": "called _exit(0)", "_Exit": "called _Exit(0)",
    "quick_exit": "called quick_exit(0)", "errx": "called exit", "kill": "sent signal 9",
    "term": "sent signal 15", "raise": "sent signal 15", "thread": "called exit(0)",
    "exit_group": "called SYS_exit_group(0)", "SYS_kill": "sent signal 9",
    "killpg": "sent signal 15", "tgkill": "sent signal 15", "pthread_kill": "sent signal 19",
    "sigqueue": "sent signal 9", "other thread": "sent signal 11",
    "execl": "replaced the program by another one (execl)",
    "execvp": "replaced the program by another one (execvp)",
    "execve": "replaced the program by another one (execve)",
  ]
  private static let crashed = [
    "abort": SIGABRT, "crash": SIGSEGV, "trap": SIGILL, "overflow": SIGSEGV,
  ]

  private func start(_ arguments: [String], _ deed: String) throws -> Program.Running {
    try Program.start(
      [Program.url.path] + arguments, in: scratch,
      environment: ["DEED": deed, "OUTBOARD_TEST": deed])
  }

  private func check(_ result: Program.Result, _ deed: String) throws {
    let statement = "\(deed): \(result.status) \(result.error)"
    #expect(result.error.contains("late.c (late) "), "\(statement)")
    if Self.hangs.contains(deed) {
      #expect(result.status == 1, "\(statement)")
      #expect(result.error.contains(" has not returned from its process call for "), "\(statement)")
      #expect(result.error.contains("late.c:"), "\(statement)")
    } else if Self.ended.contains(deed) {
      #expect(result.status == 1, "\(statement)")
      #expect(result.error.contains(" ended the render thread, so audio stopped."), "\(statement)")
    } else if let words = Self.left[deed] {
      #expect(result.status == 1, "\(statement)")
      #expect(result.error.contains(" \(words)"), "\(statement)")
    } else {
      let signal = try #require(Self.crashed[deed])
      #expect(result.status == 128 + signal, "\(statement)")
      #expect(result.error.contains(" crashed (signal \(signal), "), "\(statement)")
      #expect(result.error.contains("late.c:"), "\(statement)")
    }
  }

  private static let deeds = hangs + ended + left.keys.sorted() + crashed.keys.sorted()

  @Test(arguments: [
    ["render", "late.c", "-i", "in.wav", "-o", "out.wav", "--block-length", "8"],
    [
      "run", "--isolate", "off", "--no-restart", "late.c", "--in", "dummy", "--out", "dummy",
      "--period", "16",
      "--no-overload-protection",
    ],
    [
      "run", "--isolate", "off", "--no-restart", "--rig", "two.yaml", "--threads", "2", "--in",
      "dummy", "--out", "dummy", "--period",
      "16", "--no-overload-protection",
    ],
  ])
  func `is named, and fails the work`(arguments: [String]) throws {
    try scratch.write(
      """
      outboard: 1
      input: {device: dummy, channels: 2}
      output: {device: dummy, channels: 2}
      nodes:
        other: {plugin: outboard.reverb}
        late: {plugin: ./late.c}
      connections: [in -> late -> out, in -> other -> out]
      """, to: "two.yaml")
    let isRender = arguments[0] == "render"
    // Compiled and tested once.
    #expect(try start(arguments + ["--duration", "0.01"], "none").finish().status == 0)
    try? FileManager.default.removeItem(atPath: scratch.path("out.wav"))
    for start in stride(from: 0, to: Self.deeds.count, by: 6) {
      let deeds = Self.deeds[start ..< min(start + 6, Self.deeds.count)]
      let running = try deeds.map { deed in
        let own = arguments.map { $0 == "out.wav" ? "\(deed).wav" : $0 }
        return (deed, try self.start(own, deed))
      }
      for (deed, program) in running { try check(try program.finish(), deed) }
    }
    if isRender {
      #expect(try scratch.files().filter { $0.hasSuffix(".wav") } == ["in.wav"])
    }
  }

  @Test(arguments: ["loop", "poll", "exit", "crash"])
  func `is reported in the event output, and recordings stay complete`(deed: String) throws {
    let running = try start(
      [
        "run", "--isolate", "off", "--no-restart", "late.c", "--in", "dummy", "--out", "dummy",
        "--period", "64", "--record",
        "take.wav", "--events", "json",
      ], deed)
    let result = try running.finish()
    try check(result, deed)
    let events = try result.text.split(separator: "\n").map { line in
      try #require(
        JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
    }
    let failure = try #require(events.first { $0["event"] as? String == "failure" })
    #expect(failure["node"] as? String == "late")
    #expect(failure["plugin"] as? String == "late.c")
    #expect(
      failure["kind"] as? String
        == ["loop": "hung", "poll": "hung", "exit": "exited", "crash": "crashed"][deed])
    let stopped = try #require(events.last)
    #expect(stopped["event"] as? String == "stopped")
    #expect(stopped["failure"] as? String == failure["failure"] as? String)
    let recordings = stopped["recordings"] as? [[String: Any]]
    // All 499 blocks before the fault are in the file. A wait that the search for its location interrupts returns, and
    // later blocks follow.
    let frames = try #require(recordings?.first?["frames"] as? Int)
    #expect(deed == "poll" ? frames >= 499 * 64 : frames == 499 * 64)
    if Self.hangs.contains(deed) {
      // A busy machine may have caused others before.
      #expect(stopped["xruns"] as? Int ?? 0 >= 1)
      let lost = try #require(stopped["lostSeconds"] as? Double)
      #expect(lost >= 1.9)
      #expect(lost < (stopped["seconds"] as? Double ?? 0), "counted twice")
    }
    let info = try Program.run(["analyse", "take.wav", "--json"], in: scratch)
    #expect(info.status == 0, "\(info.error)")
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func `does not delay the end of a run after a signal`(signal: Int32) throws {
    let running = try start(
      [
        "run", "--isolate", "off", "--no-restart", "late.c", "--in", "dummy", "--out", "dummy",
        "--period", "16", "--events", "json",
      ],
      "loop")
    // Every request is refused once the session is known to have no output. On a busy machine the
    // session may have ended before that.
    var reply = try Program.run(["set", "late", "x=1"], in: scratch)
    while running.process.isRunning, !reply.error.contains("has not returned") {
      reply = try Program.run(["set", "late", "x=1"], in: scratch)
      #expect(reply.status != 0)
    }
    kill(running.process.processIdentifier, signal)
    let result = try running.finish()
    #expect(result.status == 1, "\(result.error)")
    #expect(result.error.contains("late.c (late) has not returned"), "\(result.error)")
  }

  @Test func `does not change the duration of a run`() throws {
    let running = try start(
      [
        "run", "--isolate", "off", "--no-restart", "late.c", "--in", "dummy", "--out", "dummy",
        "--period", "16", "--duration", "0.5",
      ], "sleep")
    try check(try running.finish(), "sleep")
  }

  @Test func `fails one file of many, and names itself`() throws {
    try scratch.addTone("b.wav")
    let result = try start(
      ["render", "late.c", "in.wav", "b.wav", "-o", "wet/", "--block-length", "8"], "loop"
    ).finish()
    #expect(result.status == 1)
    for name in ["in.wav", "b.wav"] {
      #expect(
        result.error.contains("\(name): late.c (late) has not returned from its process call"),
        "\(result.error)")
    }
    #expect(!scratch.exists("wet"), "the new directory has no file")
  }
}
