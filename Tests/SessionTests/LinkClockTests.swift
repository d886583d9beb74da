// LinkClockTests.swift: tests of LinkClock.swift and LinkHelper.swift. SPDX-License-Identifier: MIT

import Dispatch
import FoundationEssentials
import Glibc
import MIDIClock
import PluginModel
import RenderGraph
import Session
import TestWaits
import Testing

/// A program instead of outboard-link, and a clock that uses it.
private final class ScriptedHelper {
  let directory = FileManager.default.temporaryDirectory.path + "/link-\(UUID().uuidString)"
  let engine: Engine
  let clock: LinkClock
  private var notices: [String] = []

  /// The time since the epoch until the clock of this program began, negative in ns.
  private static var monotonicOffset: Int64 {
    Int64(DispatchTime.now().uptimeNanoseconds) - Int64(Date().timeIntervalSince1970 * 1e9)
  }

  /// The script is of `bash`; `$log` is a file that `log` returns, and `report PEERS` prints a valid line.
  ///
  /// A process that waits for the processor must not be taken for one that hangs.
  init(_ script: String, timeoutSeconds: Int = 600, retrySeconds: Double = 0) throws {
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true)
    let program = directory + "/outboard-link"
    let text = """
      #!/bin/bash
      log=\(directory)/log
      report() {
        local now=$((${EPOCHREALTIME/[.,]/} * 1000 + \(Self.monotonicOffset)))
        echo "state $now 1.5 140 1 $now $1"
      }
      # Reports all the time, and stores what it receives.
      serve() {
        while true; do
          report "$1"
          if read -r -t 0.1 line; then echo "$line" >>$log; elif (($? <= 128)); then break; fi
        done
      }
      \(script)
      """
    try Data(text.utf8).write(to: URL(fileURLWithPath: program))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
    engine = Engine(
      .init(
        inputChannelCount: 0, outputChannelCount: 2, maximumFrameCount: 64, sampleRateHz: 48_000,
        startsFadedOut: false),
      transport: Transport(TransportSettings(), sampleRateHz: 48_000))
    clock = LinkClock(
      program: program, TransportSettings(), timeoutSeconds: timeoutSeconds,
      retrySeconds: retrySeconds)
    try clock.start(engine)
  }

  deinit {
    clock.stop()
    try? FileManager.default.removeItem(atPath: directory)
  }

  var log: [String] {
    let text = (try? String(contentsOfFile: directory + "/log", encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map(String.init)
  }

  /// The messages so far.
  func messages() -> [String] {
    notices += clock.takeNotices().map { "\($0)" }
    return notices
  }

  func wait(for condition: () -> Bool) throws {
    let deadline = Deadline()
    while !condition() { try deadline.rest() }
  }
}

@Suite struct `A clock of outboard-link` {
  @Test func `starts it with the state of the transport, and sends it changes`() throws {
    let test = try ScriptedHelper(
      "echo \"$*\" >>$log; serve 1; echo end >>$log"
    )
    try test.wait { test.clock.status?.state == .locked }
    #expect(test.clock.status?.peers == 1)
    #expect(test.clock.request(.tempo(128.5)))
    #expect(test.clock.request(.stop))
    #expect(test.clock.request(.start))
    #expect(test.clock.request(.rewind))
    try test.wait { test.log.count == 5 }
    test.clock.stop()
    // The process leaves the session by itself.
    try test.wait { test.log.count == 6 }
    #expect(
      test.log == [
        "--tempo 120.0 --quantum 4.0 --beat 0.0 --playing", "tempo 128.5", "stop", "start",
        "rewind", "end",
      ])
    #expect(!test.clock.request(.stop))
    #expect(test.messages() == ["The tempo is shared by Ableton Link."])
  }

  @Test func `that is missing is reported once, and the transport is changed here`() throws {
    let clock = LinkClock(program: "/nowhere/outboard-link", TransportSettings())
    let engine = Engine(
      .init(
        inputChannelCount: 0, outputChannelCount: 2, maximumFrameCount: 64, sampleRateHz: 48_000,
        startsFadedOut: false),
      transport: Transport(TransportSettings(), sampleRateHz: 48_000))
    try clock.start(engine)
    #expect(
      clock.takeNotices().map { "\($0)" } == [
        "The tempo does not follow Ableton Link because outboard-link did not start"
          + " (No such file or directory)."
          + " Run `make link install-link` in the source tree of this program."
      ])
    #expect(clock.takeNotices().isEmpty)
    #expect(clock.status?.state == .waiting)
    #expect(!clock.request(.tempo(100)))
  }

  @Test func `that ends is started again five times at most`() throws {
    let test = try ScriptedHelper("echo \"$*\" >>$log; report 2")
    let again = "outboard-link has ended. The tempo stays. The program is started again."
    let last =
      "outboard-link has ended. The tempo stays. Start the session again to follow Ableton Link."
    try test.wait { test.messages().last == last }
    #expect(test.messages().filter { $0 == again }.count == 4)
    #expect(test.log.count == 5)
    #expect(test.clock.status?.state == .lost)
  }

  @Test func `that hangs is killed and started again`() throws {
    let test = try ScriptedHelper("echo run >>$log; exec sleep 1000", timeoutSeconds: 1)
    try test.wait {
      _ = test.messages()
      return test.log.count == 2
    }
    #expect(test.messages().first?.hasPrefix("outboard-link has ended.") == true)
  }

  @Test func `that sends garbage and endless lines has no effect`() throws {
    let test = try ScriptedHelper(
      "head -c 300000 /dev/urandom; head -c 3000000 /dev/zero; echo; echo 'state 1 2 nan 1 5 6'; serve 3"
    )
    try test.wait { test.clock.status?.state == .locked }
    #expect(test.clock.status?.peers == 3)
    #expect(test.messages().filter { $0.contains("invalid line") }.count == 1)
    test.clock.stop()
  }
}
