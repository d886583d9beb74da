// RecorderNodeTests.swift: a recorder's file equals its input. SPDX-License-Identifier: MIT

import AudioFiles
import AudioTestSupport
import Foundation
import PluginModel
import RealtimeKit
import Testing

@testable import FileRecording

@Suite struct RecorderNodeTests {
  @Test(arguments: [
    ("wav", SampleFormat.float), ("wav", .s16), ("wav", .s24), ("wav", .s32), ("aiff", .s24),
    ("caf", .float), ("au", .s16), ("flac", .s16), ("flac", .s24),
  ])
  func `a file has the recorder's input bit for bit`(
    suffix: String, format: SampleFormat
  ) throws {
    let scratch = try TemporaryDirectory()
    for channels in [1, 2, 5] {
      let path = scratch.file("\(channels).\(suffix)")
      let fed = ManualRecorder(path, channels: channels, format: format)
      try fed.node.activate()
      let samples = noise(channels * 10_007, bits: format == .s16 ? 16 : 24)
      fed.feed(samples)
      fed.node.deactivate()
      #expect(try isAudible(path, samples))
      let report = fed.node.recording.report
      #expect(report.frameCount == 10_007 && report.lostFrameCount == 0 && report.isFinished)
      #expect("\(report.summary)" == "\(path): 0.2 s recorded.")
    }
  }

  @Test(arguments: ["ogg", "opus"])
  func `a lossy file has the right length`(suffix: String) throws {
    let scratch = try TemporaryDirectory()
    let fed = ManualRecorder(scratch.file("a.\(suffix)"))
    try fed.node.activate()
    fed.feed(noise(2 * 30_000))
    fed.node.deactivate()
    #expect(try decodeAudio(scratch.file("a.\(suffix)")).samples.count == 2 * 30_000)
  }

  @Test func `a file can be read while it grows`() throws {
    let scratch = try TemporaryDirectory()
    for suffix in ["wav", "aiff", "caf", "au"] {
      let path = scratch.file("a.\(suffix)")
      let fed = ManualRecorder(path, format: .s24)
      try fed.node.activate()
      #expect(FileManager.default.fileExists(atPath: path))
      let samples = noise(2 * 5_000, bits: 24)
      fed.feed(samples)
      fed.waitUntilWritten(5_000)
      #expect(try isAudible(path, samples), "\(suffix)")
      fed.feed(samples)
      fed.node.deactivate()
      #expect(try isAudible(path, samples + samples), "\(suffix)")
    }
  }

  @Test func `frames that do not fit in the ring are counted, and silent in the file`() throws {
    let scratch = try TemporaryDirectory()
    let path = scratch.file("a.wav")
    // A ring of 4,800 frames, which has no reader before the file is created.
    let fed = ManualRecorder(path, channels: 2, blockFrames: 100, ringSeconds: 0.1)
    let samples = noise(2 * 10_000)
    fed.feed(samples)
    #expect(fed.node.recording.ring.pointee.lostFrameCount == 5_200)
    try fed.node.activate()
    fed.waitUntilWritten(4_800)
    fed.feed(Array(samples[..<2_000]))
    fed.node.deactivate()
    let silence = [Float](repeating: 0, count: 2 * 5_200)
    #expect(try isAudible(path, samples[..<9_600] + silence + samples[..<2_000]))
    let report = fed.node.recording.report
    #expect(report.frameCount == 11_000 && report.lostFrameCount == 5_200)
    #expect("\(report.summary)" == "\(path): 0.2 s recorded, 5200 frames (108.3 ms) lost.")
    let notices = fed.node.recording.takeNotices().map { "\($0)" }
    #expect(
      notices == [
        "The disk is too slow for \(path). Lost frames are silent in the file. Playback is not "
          + "affected."
      ])
  }

  @Test func `frames that are lost at the very end are silent as well`() throws {
    let scratch = try TemporaryDirectory()
    let fed = ManualRecorder(scratch.file("a.wav"), channels: 1, blockFrames: 100, ringSeconds: 0.1)
    let samples = noise(6_000)
    fed.feed(samples)
    try fed.node.activate()
    fed.node.deactivate()
    let silence = [Float](repeating: 0, count: 1_200)
    #expect(try isAudible(scratch.file("a.wav"), samples[..<4_800] + silence))
  }

  @Test func `offline rendering never loses a frame`() throws {
    let scratch = try TemporaryDirectory()
    let fed = ManualRecorder(
      scratch.file("a.wav"), channels: 1, blockFrames: 100, ringSeconds: 0.1, isOffline: true)
    try fed.node.activate()
    let samples = noise(20_000)
    fed.feed(samples)
    fed.node.deactivate()
    #expect(try isAudible(scratch.file("a.wav"), samples))
    #expect(fed.node.recording.report.lostFrameCount == 0)
  }

  @Test func `samples beyond full scale are clipped and counted`() throws {
    let scratch = try TemporaryDirectory()
    let path = scratch.file("a.wav")
    let fed = ManualRecorder(path, channels: 1, format: .s16)
    try fed.node.activate()
    fed.feed([2, 0.5, -3])
    fed.node.deactivate()
    #expect(try isAudible(path, [32_767 / 32_768, 0.5, -1]))
    #expect("\(fed.node.recording.report.summary)" == "\(path): 0.0 s recorded, 2 samples clipped.")
  }

  @Test func `a recorder that is released completes its file`() throws {
    let scratch = try TemporaryDirectory()
    let samples = noise(2 * 700)
    do {
      let fed = ManualRecorder(scratch.file("a.flac"), format: .s16)
      try fed.node.activate()
      fed.feed(samples)
    }
    #expect(try isAudible(scratch.file("a.flac"), samples))
  }

  @Test func `a deleted file ends the recording, and a renamed one does not`() throws {
    let scratch = try TemporaryDirectory()
    let (gone, moved) = (
      ManualRecorder(scratch.file("a.wav")), ManualRecorder(scratch.file("b.wav"))
    )
    let samples = noise(2 * 48_000)
    for fed in [gone, moved] {
      try fed.node.activate()
      fed.feed(samples.prefix(2 * 24_000))
      fed.waitUntilWritten(24_000)
    }
    try FileManager.default.removeItem(atPath: scratch.file("a.wav"))
    try FileManager.default.moveItem(
      atPath: scratch.file("b.wav"), toPath: scratch.file("c.wav"))
    for fed in [gone, moved] {
      fed.feed(samples.dropFirst(2 * 24_000))
      fed.node.deactivate()
    }
    let path = scratch.file("a.wav")
    #expect(
      "\(gone.node.recording.report.summary)"
        == "\(path) was deleted during recording. 1.0 s lost.")
    #expect("\(moved.node.recording.report.summary)" == "\(scratch.file("b.wav")): 1.0 s recorded.")
    #expect(scratch.names == ["c.wav"])
    #expect(try isAudible(scratch.file("c.wav"), samples))
  }

  @Test func `a file without audio is removed, unless another file has its name`() throws {
    let scratch = try TemporaryDirectory()
    let fed = ManualRecorder(scratch.file("a.wav"))
    try fed.node.activate()
    fed.node.deactivate()
    #expect(scratch.names == [])
    #expect(
      "\(fed.node.recording.report.summary)".hasSuffix(
        "was deleted because it received no "
          + "audio."))

    let other = ManualRecorder(scratch.file("b.wav"))
    try other.node.activate()
    try FileManager.default.removeItem(atPath: scratch.file("b.wav"))
    try Data("mine".utf8).write(to: URL(fileURLWithPath: scratch.file("b.wav")))
    other.node.deactivate()
    #expect(scratch.names == ["b.wav"])
  }
}
