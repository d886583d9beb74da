// LongRecordingTests.swift: a recording of many channels, compared with a rendering. SPDX-License-Identifier: MIT
//
// scripts/check-recordings runs the same test with the frames of an hour: OUTBOARD_STREAM_SECONDS.

import AudioDriver
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

@Suite(.serialized) struct LongRecordingTests {
  private static let rateHz = 192_000
  private static let seconds =
    ProcessInfo.processInfo.environment["OUTBOARD_STREAM_SECONDS"].flatMap(Double.init) ?? 1

  private let workshop: RigTestEnvironment

  init() throws {
    workshop = try RigTestEnvironment(modules: ["oscillator", "reverb", "compressor"])
  }

  /// Sixteen tones on as many channels of a recorder, four of them also through a chain to the loudspeaker.
  private func rig(channels: Int, tape: String, more: String = "") throws -> PreparedRig {
    let tones = (1 ... 16).map {
      "  t\($0): {plugin: outboard.oscillator, parameters: {frequency: \(90 + $0 * 71) Hz, level: -24}}"
    }
    let links = (1 ... channels).map { "  - t\(($0 - 1) % 16 + 1):1 -> tape:\($0)" }
    let sends = (1 ... 4).map { "  - t\($0) -> hall" }
    let text = """
      outboard: 1
      rate: \(Self.rateHz)
      period: 64
      output: {device: out, channels: 2}
      nodes:
      \(tones.joined(separator: "\n"))
        hall: {plugin: outboard.reverb}
        press: {plugin: outboard.compressor}
        tape: {builtin: recorder, file: \(tape), channels: \(channels), format: FLOAT\(more)}
      connections:
      \((links + sends).joined(separator: "\n"))
        - hall -> press -> out
      """
    let path = try workshop.write(text, as: "rig.yaml")
    return try PreparedRig(try RigReader.read(path: path), workshop.library)
  }

  /// The first position at which two files differ, within a number of frames; nil if they are
  /// equal.
  private func difference(_ first: String, _ second: String, frames: Int) throws -> Int? {
    var one = try AudioFileReader(path: "\(workshop.path)/\(first)")
    var two = try AudioFileReader(path: "\(workshop.path)/\(second)")
    let piece = 16_384
    let channels = one.channelCount
    let memory = UnsafeMutablePointer<Float>.allocate(capacity: 2 * channels * piece)
    defer { memory.deallocate() }
    let rows = (0 ..< 2 * channels).map { memory + $0 * piece }
    var done = 0
    while done < frames {
      let count = min(piece, frames - done)
      let got = try (
        one.read(into: Array(rows[..<channels]), frameCount: count),
        two.read(into: Array(rows[channels...]), frameCount: count)
      )
      guard got == (count, count) else { return done + min(got.0, got.1) }
      for channel in 0 ..< channels
      where memcmp(rows[channel], rows[channels + channel], count * 4) != 0 { return done }
      done += count
    }
    return nil
  }

  /// Returns the number of xruns of the same rig while its recorder waits for a start.
  private func xrunsWithoutDisk(channels: Int, frames: Int) throws -> Int {
    let waiting = try rig(channels: channels, tape: "none.wav", more: ", autostart: no")
    let live = try LiveSession(waiting, workshop.library) { try DummyDriver(request: $0) }
    try live.start()
    let deadline = Deadline()
    while live.renderedFrameCount < frames {
      _ = try live.report()
      try deadline.rest(0.02)
    }
    live.stop()
    return live.status.xrunCount
  }

  @Test(arguments: [16, 64])
  func `many channels at 192 kHz lose no frame while a chain runs, and match the offline rendering`(
    channels: Int
  ) throws {
    let seconds = channels == 16 ? Self.seconds : min(Self.seconds, 0.5)
    let wanted = Int(seconds * Double(Self.rateHz))
    let live = try LiveSession(rig(channels: channels, tape: "live.wav"), workshop.library) {
      try DummyDriver(request: $0)
    }
    try live.start()
    let deadline = Deadline()
    while live.recordings.first?.frameCount ?? 0 < wanted {
      _ = try live.report()
      try deadline.rest(0.02)
    }
    live.stop()
    let rendered = Int(live.renderedFrameCount)
    let xruns = live.status.xrunCount
    let report = try #require(live.recordings.first)
    #expect(report.lostFrameCount == 0 && report.frameCount == rendered)
    if Self.seconds > 1 {
      let usual = try xrunsWithoutDisk(channels: channels, frames: wanted)
      print(
        "\(channels) channels: \(report.frameCount) frames, \(xruns) xruns (\(usual) where nothing is"
          + " written), \(report.lostFrameCount) frames lost")
    }

    var request = RenderRequest(output: "\(workshop.path)/out.wav")
    request.seconds = Double(report.frameCount) / Double(Self.rateHz)
    request.tailSeconds = 0
    _ = try RenderSession(
      rig(channels: channels, tape: "offline.wav"), workshop.library, request
    ).run { _ in true }
    #expect(try difference("live.wav", "offline.wav", frames: report.frameCount) == nil)
  }
}
