// InterruptionTests.swift: Ctrl-C and closed pipes. SPDX-License-Identifier: MIT

import Foundation
import Testing

@Suite struct `Interruptions` {
  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func `a rendering that is stopped leaves no half file`(_ signal: Int32) throws {
    let scratch = try Scratch()
    let running = try Program.start(
      [
        Program.url.path, "render", "outboard.oscillator", "outboard.reverb", "--seconds",
        "864000", "-o", "out.wav",
      ], in: scratch)
    waitUntilOutputIsOpen(running.process.processIdentifier, in: scratch)
    kill(running.process.processIdentifier, signal)
    let result = try running.finish()
    #expect(result.status == 1)
    #expect(
      result.error.wholeMatch(
        of: /outboard: The rendering was stopped at \d+ s; no file was written\.\n/) != nil,
      "\(result.error)")
    #expect(try scratch.files() == [])
  }

  @Test func `a reader that has seen enough ends the list without a word`() throws {
    let scratch = try Scratch()
    let result = try Program.shell("\"$OUTBOARD\" list | head -1", in: scratch)
    #expect(result.text.hasPrefix("NAME "))
    #expect(result.text.split(separator: "\n").count == 1)
    #expect(result.error == "")
  }

  /// Until the file that is rendered, which may have no name yet, is among those the process has
  /// open.
  private func waitUntilOutputIsOpen(_ process: Int32, in scratch: Scratch) {
    let deadline = Date().addingTimeInterval(120)
    let files = FileManager.default
    while Date() < deadline {
      let numbers = (try? files.contentsOfDirectory(atPath: "/proc/\(process)/fd")) ?? []
      let targets = numbers.compactMap {
        try? files.destinationOfSymbolicLink(atPath: "/proc/\(process)/fd/\($0)")
      }
      let isOpen = targets.contains {
        $0.hasPrefix(scratch.folder.path + "/#") || $0.contains("out.wav.partial")
      }
      if isOpen { return }
      Thread.sleep(forTimeInterval: 0.02)
    }
    Issue.record("the rendering did not begin")
  }
}
