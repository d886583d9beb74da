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
    try scratch.write("#!/bin/sh\ntouch begun\nexec sleep 20\n", to: "cc")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: scratch.path("cc"))
    let running = try Program.start(
      ["/usr/bin/env", "CC=\(scratch.path("cc"))", Program.url.path, "run", "silence.c"],
      in: scratch)
    let deadline = Deadline()
    while !scratch.exists("begun") { try deadline.rest(0.02) }
    running.process.terminate()
    #expect(try running.finish().status == 128 + SIGTERM)
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
