// SlowDiskTests.swift: recordings on a slow disk. SPDX-License-Identifier: MIT

import AudioFiles
import DummyDriver
import FileRecording
import Foundation
import Glibc
import RigSchema
import RigTestSupport
import TestWaits
import Testing

@testable import Session

@Suite(.serialized, .enabled(if: SlowDisk.obstacle == nil, "\(SlowDisk.obstacle ?? "")"))
struct SlowDiskTests {
  private static let rateHz = 48_000
  private static let channels = 16
  /// The data rate of the recording, in bytes a second: 3 MB.
  private static let neededRate = rateHz * channels * 4

  private let workshop: RigTestEnvironment
  private let disk: SlowDisk

  init() throws {
    workshop = try RigTestEnvironment(modules: ["oscillator"])
    disk = try SlowDisk(at: "\(workshop.path)/disk", megabytes: 256)
  }

  /// Sixteen tones of different pitch, which are recorded.
  ///
  /// One of them is also played.
  private func rig(tape: String) throws -> PreparedRig {
    let tones = (1 ... Self.channels).map {
      "  t\($0): {plugin: outboard.oscillator, parameters: {frequency: \(90 + $0 * 71) Hz, level: "
        + "-24}}"
    }
    let text = """
      outboard: 1
      period: 64
      output: {device: out, channels: 2}
      nodes:
      \(tones.joined(separator: "\n"))
        tape: {builtin: recorder, file: \(tape), channels: \(Self.channels), format: FLOAT}
      connections:
      \((1 ... Self.channels).map { "  - t\($0):1 -> tape:\($0)" }.joined(separator: "\n"))
        - t1 -> out
      """
    let path = try workshop.write(text, as: "rig.yaml")
    return try PreparedRig(try RigReader.read(path: path), workshop.library)
  }

  /// One run of this recording.
  private final class Run {
    let session: LiveSession
    private(set) var notices: [String] = []
    /// The largest delay of writing in frames.
    private(set) var maximumLag = 0

    init(_ session: LiveSession) { self.session = session }

    var rendered: Int { Int(session.renderedFrameCount) }
    var report: RecordingReport? { session.recordings.first }

    func wait(until isRight: () -> Bool) throws {
      let deadline = Deadline()
      while !isRight() {
        notices += try session.report().notices.map { "\($0)" }
        maximumLag = max(maximumLag, rendered - (report?.frameCount ?? 0))
        try deadline.rest(0.02)
      }
    }

    func wait(seconds: Double) throws {
      let end = ContinuousClock.now + .seconds(seconds)
      try wait { ContinuousClock.now >= end }
    }

    func stop() {
      session.stop()
      notices += session.takeNotices().map { "\($0)" }
    }
  }

  private func start() throws -> Run {
    let session = try LiveSession(rig(tape: "disk/live.wav"), workshop.library) {
      try DummyDriver(request: $0)
    }
    try session.start()
    return Run(session)
  }

  /// Renders the same signal, and returns the frames in which the recording is silent instead.
  ///
  /// - Throws: if it contains anything else.
  private func silentFrames(of count: Int) throws -> [Range<Int>] {
    var request = RenderRequest(output: "\(workshop.path)/out.wav")
    request.seconds = Double(count) / Double(Self.rateHz)
    request.tailSeconds = 0
    request.sampleRateHz = Self.rateHz
    _ = try RenderSession(rig(tape: "offline.wav"), workshop.library, request).run { _ in true }
    var live = try AudioFileReader(path: "\(workshop.path)/disk/live.wav")
    var offline = try AudioFileReader(path: "\(workshop.path)/offline.wav")
    let piece = 4_096
    let memory = UnsafeMutablePointer<Float>.allocate(capacity: 2 * Self.channels * piece)
    defer { memory.deallocate() }
    let rows = (0 ..< 2 * Self.channels).map { memory + $0 * piece }
    var silent: [Range<Int>] = []
    var done = 0
    while done < count {
      let wanted = min(piece, count - done)
      let got = try (
        live.read(into: Array(rows[..<Self.channels]), frameCount: wanted),
        offline.read(into: Array(rows[Self.channels...]), frameCount: wanted)
      )
      try #require(got == (wanted, wanted))
      for frame in 0 ..< wanted {
        let pairs = (0 ..< Self.channels).map { (rows[$0][frame], rows[$0 + Self.channels][frame]) }
        if pairs.allSatisfy({ $0.0.bitPattern == $0.1.bitPattern }) { continue }
        try #require(pairs.allSatisfy { $0.0 == 0 }, "frame \(done + frame)")
        let place = done + frame
        if let last = silent.last, last.upperBound == place {
          silent[silent.count - 1] = last.lowerBound ..< place + 1
        } else {
          silent.append(place ..< place + 1)
        }
      }
      done += wanted
    }
    return silent
  }

  @Test
  func `a disk at a tenth of the needed rate for five seconds loses no frames`()
    throws
  {
    let run = try start()
    try run.wait { run.rendered > Self.rateHz }
    // Five seconds of audio, not of the clock: on a busy machine rendering takes longer.
    let end = run.rendered + 5 * Self.rateHz
    try disk.limit(bytesPerSecond: Self.neededRate / 10)
    try run.wait { run.rendered >= end && run.maximumLag > Self.rateHz }
    try disk.limit(bytesPerSecond: nil)
    try run.wait { run.rendered - (run.report?.frameCount ?? 0) < Self.rateHz / 2 }
    run.stop()
    let report = try #require(run.report)
    #expect(report.lostFrameCount == 0 && report.isFinished && report.failure == nil)
    #expect(report.frameCount == run.rendered)
    #expect(!run.notices.contains { $0.contains("too slow") }, "\(run.notices)")
    let silent = try silentFrames(of: report.frameCount)
    #expect(silent == [])
  }

  @Test func `frames lost on a very slow disk are counted, reported once, silent and marked`()
    throws
  {
    let run = try start()
    try run.wait(seconds: 1)
    try disk.limit(bytesPerSecond: Self.neededRate / 50)
    // Ten seconds are buffered in memory. The report comes while the disk stalls, not after that.
    try run.wait {
      run.notices.contains { $0.contains("too slow") } || run.rendered > 60 * Self.rateHz
    }
    #expect(run.report?.lostFrameCount == 0 && run.rendered < 30 * Self.rateHz, "\(run.rendered)")
    try run.wait(seconds: 1)
    try disk.limit(bytesPerSecond: nil)
    try run.wait { run.rendered - (run.report?.frameCount ?? 0) < Self.rateHz / 2 }
    try run.wait(seconds: 0.5)
    run.stop()
    let report = try #require(run.report)
    let file = "\(workshop.path)/disk/live.wav"
    #expect(report.frameCount == run.rendered && report.isFinished && report.failure == nil)
    #expect(
      run.notices.filter { $0.contains("too slow") } == [
        "The disk is too slow for \(file). Lost frames are silent in the file. Playback is not "
          + "affected."
      ], "\(run.notices)")
    let silent = try silentFrames(of: report.frameCount)
    #expect(silent.reduce(0) { $0 + $1.count } == report.lostFrameCount && !silent.isEmpty)
    let marks = try String(contentsOfFile: file + ".labels.txt", encoding: .utf8)
      .split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
    #expect(marks.map { $0[2] } == silent.map { "\($0.count) frames lost" })
    for (mark, range) in zip(marks, silent) {
      let begin = (Double(mark[0]) ?? 0) * Double(Self.rateHz)
      #expect(abs(begin - Double(range.lowerBound)) < 1, "\(mark), \(range)")
    }
  }
}
