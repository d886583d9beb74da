// PipeInputTests.swift: renderings that wait for another program. SPDX-License-Identifier: MIT

import Foundation
import Glibc
import Testing

@Suite struct `A named pipe as an input` {
  private let scratch: TemporaryDirectory

  init() throws {
    scratch = try TemporaryDirectory()
    #expect(mkfifo(scratch.path("in.pipe"), 0o600) == 0)
  }

  @Test(arguments: [false, true])
  func `is named while it has no data, and Ctrl-C ends the wait`(hasBegun: Bool) throws {
    let writer = hasBegun ? open(scratch.path("in.pipe"), O_RDWR) : -1
    defer { if writer >= 0 { close(writer) } }
    if hasBegun {
      // The header and some frames of a longer file.
      try scratch.addTone()
      let bytes = try scratch.data("in.wav").prefix(1_000)
      #expect(bytes.withUnsafeBytes { write(writer, $0.baseAddress, $0.count) } == bytes.count)
    }
    let running = try Program.start(
      [Program.url.path, "render", "outboard.gain", "-i", "in.pipe", "-o", "out.wav"],
      in: scratch)
    try wait(until: "it reports the wait", of: running) {
      running.errorText.contains("outboard: Waiting for data from in.pipe.")
    }
    let clock = ContinuousClock()
    let interrupted = clock.now
    kill(running.process.processIdentifier, SIGINT)
    let result = try running.finish()
    #expect(result.status == 128 + SIGINT, "\(result.error)")
    #expect(interrupted.duration(to: clock.now) < .seconds(4))
    #expect(scratch.samples("out.wav") == nil)
  }
}
