// TerminationSignalsTests.swift: Ctrl-C and closed pipes. SPDX-License-Identifier: MIT

import Foundation
import TestWaits
import Testing

@Suite struct `Interruptions` {
  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func `a rendering that is stopped leaves no partial file`(_ signal: Int32) throws {
    let scratch = try TemporaryDirectory()
    let running = try Program.start(
      [
        Program.url.path, "render", "outboard.oscillator", "outboard.reverb", "--duration",
        "864000", "-o", "out.wav",
      ], in: scratch)
    waitUntilOutputIsOpen(running.process.processIdentifier, in: scratch.directory.path)
    kill(running.process.processIdentifier, signal)
    let result = try running.finish()
    #expect(result.status == 1)
    #expect(
      result.error.wholeMatch(
        of: /outboard: The rendering was stopped at \d+ s\. No file was written\.\n/) != nil,
      "\(result.error)")
    #expect(try scratch.files() == [])
  }

  @Test func `a run with a compiled source ends cleanly`() throws {
    let scratch = try TemporaryDirectory()
    try scratch.write(Self.silence, to: "silence.c")
    for _ in 0 ..< 5 {
      // Compiled again each time.
      try? FileManager.default.removeItem(atPath: scratch.path("home/cache"))
      let running = try Program.start(
        [Program.url.path, "run", "silence.c", "--in", "null", "--out", "null"], in: scratch)
      let deadline = Deadline()
      while try Program.run(["status"], in: scratch).text.isEmpty {
        try deadline.rest(0.05)
      }
      running.process.terminate()
      #expect(try running.finish().status == 0)
    }
  }

  @Test func `a running compiler is ended at once`() throws {
    let scratch = try TemporaryDirectory()
    try scratch.write(Self.silence, to: "silence.c")
    // The driver's own compiler must end as well.
    try scratch.write("#!/bin/sh\nsleep 1000 &\necho $! >child\ntouch begun\nwait\n", to: "cc")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: scratch.path("cc"))
    let running = try Program.start(
      ["/usr/bin/env", "CC=\(scratch.path("cc"))", Program.url.path, "run", "silence.c"],
      in: scratch)
    let deadline = Deadline()
    while !scratch.exists("begun") { try deadline.rest(0.02) }
    running.process.terminate()
    #expect(try running.finish().status == 128 + SIGTERM)
    let child = try String(contentsOfFile: scratch.path("child"), encoding: .utf8)
    while isRunning(child.split(separator: "\n").joined()) { try deadline.rest(0.02) }
  }

  /// Whether a process exists and is not a zombie.
  private func isRunning(_ process: String) -> Bool {
    let state = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    return state.map { !$0.contains(") Z ") } ?? false
  }

  @Test(arguments: ["--no-helpers", "--skip-preflight"])
  func `a plugin whose constructor never returns is ended at once`(option: String) throws {
    let scratch = try TemporaryDirectory()
    try scratch.addTone()
    try scratch.write(
      """
      #include <fcntl.h>
      #include <unistd.h>
      __attribute__((constructor)) static void begin(void) {
        close(open("begun", O_CREAT | O_WRONLY, 0600));
        for (;;) pause();
      }
      \(Self.silence)
      """, to: "stays.c")
    let running = try Program.start(
      [Program.url.path, "render", option, "stays.c", "-i", "in.wav", "-o", "out.wav"], in: scratch)
    let deadline = Deadline()
    while !scratch.exists("begun") { try deadline.rest(0.02) }
    let begin = ContinuousClock.now
    running.process.terminate()
    #expect(try running.finish().status == 128 + SIGTERM)
    #expect(ContinuousClock.now - begin < .seconds(4))
    #expect(!scratch.exists("out.wav"))
  }

  private static let silence = """
    void process(void *s, const float *const *in, float *const *out, const float *p, unsigned n) {
      for (unsigned i = 0; i < n; i++) out[0][i] = 0 * in[0][i];
    }
    """

  @Test func `a reader that closes early ends the list without a message`() throws {
    let scratch = try TemporaryDirectory()
    let result = try Program.shell("\"$OUTBOARD\" list | head -1", in: scratch)
    #expect(result.text.hasPrefix("NAME "))
    #expect(result.text.split(separator: "\n").count == 1)
    #expect(result.error == "")
  }
}
