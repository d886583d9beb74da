// ToneRun.swift: a session that plays a tone, and its output. SPDX-License-Identifier: MIT

import Foundation
import GraphTestSupport
import RealtimeKit
import RenderGraph
import Synchronization
import TestWaits
import Testing

@testable import PluginLoading
@testable import RigPlanning
@testable import Session

/// A running session whose first output is stored, with a mark for each action.
///
/// The rig plays the tone that `ClickDetector` expects: `ToneRun.tone` is a node that plays it.
final class ToneRun {
  /// A node that plays it.
  static let tone =
    "tone: {plugin: outboard.oscillator, parameters: {waveform: Sine, frequency: 100, level: -20}}"

  /// The output from one mark to the next.
  struct Passage {
    let name: String
    let samples: ArraySlice<Float>
  }

  private static let longestWait = Duration.seconds(patienceSeconds)

  let session: LiveSession
  private let ring = UnsafeMutablePointer<FrameRing>.allocate(capacity: 1)
  private var marks: [(frame: Int, name: String)] = []
  /// The messages that the session printed and no test waited for.
  private(set) var reported: [String] = []

  /// Opens a rig and renders it until it has faded in.
  init(_ rig: PreparedRig, _ library: PluginLibrary) throws {
    session = try LiveSession(rig, library) { try UnhurriedDriver(request: $0) }
    ring.initialize(to: FrameRing(channelCount: 2, frameCount: 48_000 * 60))
    session.graph.engine.pointer.pointee.outputTap.store(ring, ordering: .releasing)
    try session.start()
    try rest(seconds: 0.3)
    mark("start")
  }

  deinit {
    ring.deinitialize(count: 1)
    ring.deallocate()
  }

  /// Performs an edit, and renders until its fades have ended and `isDone` returns true.
  ///
  /// The passage begins before the edit: `ToneTracker` compares with the level at its start, and measures that over a
  /// quarter of a period, in which nothing may change.
  func step(
    _ name: String, until isDone: () -> Bool = { true }, _ edit: () throws -> Void
  ) throws {
    mark(name)
    try rest(seconds: 0.005)
    try edit()
    try rest(seconds: 0.15, until: isDone)
  }

  /// Renders until a notice arrives; every other notice is an issue, except that a test takes long.
  func waitForNotice(_ isWanted: (String) -> Bool) throws {
    let deadline = ContinuousClock.now + Self.longestWait
    while true {
      try #require(ContinuousClock.now < deadline, "The notice did not arrive.")
      let notices = try session.report().notices.map { "\($0)" }
      for notice in notices where !isWanted(notice) {
        // On a busy machine.
        if !notice.contains(" is being tested. ") { Issue.record("\(notice)") }
      }
      if notices.contains(where: isWanted) { return }
      Thread.sleep(forTimeInterval: 0.005)
    }
  }

  private func mark(_ name: String) { marks.append((ring.pointee.writtenFrameCount, name)) }

  /// Renders this many seconds of audio.
  ///
  /// A busy machine renders less than the clock indicates.
  private func rest(seconds: Double, until isDone: () -> Bool = { true }) throws {
    let end = ring.pointee.writtenFrameCount + Int(seconds * 48_000)
    let deadline = ContinuousClock.now + Self.longestWait
    while ring.pointee.writtenFrameCount < end || !session.graph.isAtRest || session.isMorphing
      || !isDone()
    {
      try #require(ContinuousClock.now < deadline, "The edit did not end.")
      session.advanceMorph()
      // The messages report faults, or the alignment of a node.
      reported += try session.report().notices.map { "\($0)" }
      Thread.sleep(forTimeInterval: 0.005)
    }
  }

  /// Ends the session and returns the output, without the fades at both ends.
  func end() -> [Passage] {
    // The fade at the end is faster than those of edits.
    mark("end")
    session.stop()
    let captured = UnsafeBufferPointer(
      start: ring.pointee.buffers[0], count: marks.last?.frame ?? 0)
    let samples = Array(captured)
    return zip(marks, marks.dropFirst()).map {
      Passage(name: $0.name, samples: samples[$0.frame ..< $1.frame])
    }
  }
}

extension LiveGraph {
  /// Whether no fade is active, neither between graphs nor between nodes.
  fileprivate var isAtRest: Bool {
    editor.isIdle
      && members.flatMap(\.nodes).allSatisfy { ($0 as? HotSwapNode)?.isSettled ?? true }
  }
}

/// Records an issue for every click in a tone.
///
/// - Parameters:
///   - passages: the output, in order.
///   - canDip: whether it may be quieter than before and after.
///   - canBend: whether a gain may start to move without a fade, which is sharper than a fade
///     but not a click.
func expectNoClick(
  in passages: [ToneRun.Passage], canDip: Bool = false, canBend: Bool = false
) {
  var detector = ClickDetector()
  for passage in passages {
    var worst = 0.0
    for sample in passage.samples {
      detector.hear(sample)
      worst = max(worst, detector.last)
    }
    let decibels = 20 * log10(worst)
    if decibels > (canBend ? -70 : -90) {
      Issue.record("\(passage.name): a click of \(decibels) dBFS")
    }
    // In a shorter one the spectral lines are too wide.
    let spurs = passage.samples.count < 6_000 ? [] : spurs(of: passage.samples, from: 400)
    for spur in spurs where spur.decibels > -90 {
      Issue.record("\(passage.name): a spur: \(spur)")
    }
    // Automation lanes change the level.
    guard !canDip, !passage.name.hasPrefix("lane") else { continue }
    let dip = ToneTracker(passage.samples).dipDecibels
    if dip < -0.5 { Issue.record("\(passage.name): a dip of \(dip) dB") }
  }
}
