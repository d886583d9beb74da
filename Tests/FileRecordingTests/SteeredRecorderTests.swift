// SteeredRecorderTests.swift: recorders that are started, stopped, paused and split. SPDX-License-Identifier: MIT

import AudioFiles
import AudioTestSupport
import Foundation
import PluginModel
import Testing

@testable import FileRecording

@Suite struct SteeredRecorderTests {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  private func recorder(
    _ name: String, channels: Int = 1, _ change: (inout RecorderSettings) -> Void = { _ in }
  ) throws -> ManualRecorder {
    var request = RecorderSettings(path: scratch.file(name), channelCount: channels)
    change(&request)
    let fed = ManualRecorder(request, blockFrames: 64)
    try fed.node.activate()
    return fed
  }

  private func labels(_ name: String) -> [String] {
    let text = try? String(contentsOfFile: scratch.file(name + ".labels.txt"), encoding: .utf8)
    return text?.split(separator: "\n").map(String.init) ?? []
  }

  @Test func `takes begin and end at the exact frame, and are numbered`() throws {
    let fed = try recorder("%take.wav") { $0.startsWaiting = true }
    let samples = noise(64 * 100)
    let recording = fed.node.recording
    #expect(recording.state == "waits for its start" && scratch.names == [])
    fed.feed(samples[..<640])
    #expect(try recording.perform(.start) == "records to \(scratch.file("001.wav"))")
    fed.feed(samples[640 ..< 1_280])
    #expect(try recording.perform(.stop) == "completes \(scratch.file("001.wav"))")
    fed.feed(samples[1_280 ..< 1_920])
    #expect(try recording.perform(.start) == "records to \(scratch.file("002.wav"))")
    fed.feed(samples[1_920 ..< 6_400])
    fed.node.deactivate()
    #expect(try isAudible(scratch.file("001.wav"), samples[640 ..< 1_280]))
    #expect(try isAudible(scratch.file("002.wav"), samples[1_920...]))
    #expect(
      recording.takeSummaries().map { "\($0)" } == [
        "\(scratch.file("001.wav")): 0.0 s recorded.",
        "\(scratch.file("002.wav")): 0.1 s recorded.",
      ])
    #expect(recording.takeSummaries() == [] && recording.takeNotices() == [])
    #expect(recording.reports.map(\.isFinished) == [true, true])
  }

  @Test func `a recorder that never starts creates no file`() throws {
    let fed = try recorder("a.wav") { $0.startsWaiting = true }
    fed.feed(noise(6_400))
    fed.node.deactivate()
    #expect(scratch.names == [] && fed.node.recording.takeSummaries() == [])
  }

  @Test(arguments: [1_000, 64, 4_800, 9_000])
  func `the pre-roll is in the file`(_ frames: Int) throws {
    let fed = try recorder("a.wav", channels: 2) {
      $0.startsWaiting = true
      $0.prerollSeconds = Double(frames) / 48_000
    }
    let samples = noise(2 * 64 * 150)
    fed.feed(samples[..<12_800])
    _ = try fed.node.recording.perform(.start)
    fed.feed(samples[12_800...])
    fed.node.deactivate()
    let start = max(0, 12_800 - 2 * frames)
    #expect(try isAudible(scratch.file("a.wav"), samples[start...]))
  }

  @Test func `a pause is not in the file, but has a mark`() throws {
    let fed = try recorder("a.flac") { $0.format = .s24 }
    let samples = noise(64 * 3_000, bits: 24)
    let recording = fed.node.recording
    fed.feed(samples[..<48_000])
    _ = try recording.perform(.pause)
    fed.feed(samples[48_000 ..< 120_000])
    #expect(recording.state.hasPrefix("is paused, "))
    #expect(try recording.perform(.resume) == "continues in \(scratch.file("a.flac"))")
    fed.feed(samples[120_000 ..< 144_000])
    _ = try recording.perform(.mark("chorus\tand\nmore"))
    fed.feed(samples[144_000...])
    fed.node.deactivate()
    let captured = Array(samples[..<48_000] + samples[120_000...])
    #expect(try isAudible(scratch.file("a.flac"), captured))
    #expect(
      labels("a.flac") == [
        "1.000000\t1.000000\tpaused for 1.5 s", "1.500000\t1.500000\tchorus and more",
      ])
  }

  @Test(arguments: [("wav", SampleFormat.s16), ("flac", .s24), ("caf", .float)])
  func `the parts of a split take equal the whole take`(
    suffix: String, format: SampleFormat
  ) throws {
    let fed = try recorder("a.\(suffix)", channels: 2) {
      $0.format = format
      $0.split = .seconds(0.25)
    }
    let samples = noise(2 * 64 * 500, bits: format == .s16 ? 16 : 24)
    fed.feed(samples)
    fed.node.deactivate()
    let parts = ["a", "a-2", "a-3"].map { scratch.file("\($0).\(suffix)") }
    let captured = try parts.map { try decodeAudio($0).samples }
    #expect(captured.map(\.count) == [24_000, 24_000, 16_000])
    #expect(Array(captured.joined()) == samples)
    #expect(scratch.names.count == 3)
  }

  @Test func `a part is no longer than its limit`() throws {
    for (suffix, format) in [("wav", SampleFormat.s24), ("flac", .s24)] {
      let fed = try recorder("a-%part.\(suffix)", channels: 2) {
        $0.format = format
        $0.split = .bytes(1_000_000)
      }
      let samples = noise(2 * 64 * 6_000, bits: 24)
      for start in stride(from: 0, to: samples.count, by: 96_000) {
        fed.feed(samples[start ..< min(samples.count, start + 96_000)])
        usleep(1_000)
      }
      fed.node.deactivate()
      let names = scratch.names.filter { $0.hasSuffix(suffix) }.sorted()
      #expect(names.count > 2 && names.first == "a-01.\(suffix)", "\(names)")
      for name in names {
        let size = try FileManager.default.attributesOfItem(atPath: scratch.file(name))[.size]
        #expect((size as? Int ?? .max) <= 1_000_000)
      }
      #expect(try names.flatMap { try decodeAudio(scratch.file($0)).samples } == samples)
    }
  }

  @Test func `a recorder is split by command, and never replaces a file`() throws {
    try Data("mine".utf8).write(to: URL(fileURLWithPath: scratch.file("a-2.wav")))
    let fed = try recorder("a.wav")
    let samples = noise(64 * 50)
    fed.feed(samples[..<1_280])
    _ = try fed.node.recording.perform(.split)
    fed.feed(samples[1_280...])
    fed.node.deactivate()
    #expect(try isAudible(scratch.file("a.wav"), samples[..<1_280]))
    #expect(try isAudible(scratch.file("a-3.wav"), samples[1_280...]))
    #expect(
      try Data(contentsOf: URL(fileURLWithPath: scratch.file("a-2.wav"))) == Data("mine".utf8))
  }

  @Test func `if no further part can be created, the last one continues, with a report`() throws {
    let directory = scratch.file("takes")
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let fed = try recorder("takes/a.wav")
    let samples = noise(64 * 50)
    fed.feed(samples[..<1_280])
    fed.waitUntilWritten(1_280)
    try FileManager.default.moveItem(atPath: directory, toPath: scratch.file("moved"))
    _ = try fed.node.recording.perform(.split)
    fed.feed(samples[1_280...])
    fed.node.deactivate()
    #expect(try isAudible(scratch.file("moved/a.wav"), samples))
    #expect(
      fed.node.recording.takeNotices().map { "\($0)" } == [
        "\(directory)/a-2.wav cannot be written: no such directory: \(directory). Recording continues"
          + " in \(directory)/a.wav."
      ])
  }

  @Test func `a contradictory setting is refused with a message`() throws {
    let fed = try recorder("a.wav")
    let recording = fed.node.recording
    let path = scratch.file("a.wav")
    func complaint(_ order: RecorderCommand) -> String {
      message { _ = try recording.perform(order) }
    }
    #expect(complaint(.start) == "\(path) is already being recorded. Stop it first.")
    #expect(complaint(.resume) == "\(path) is not paused.")
    _ = try recording.perform(.pause)
    #expect(complaint(.pause) == "\(path) is already paused.")
    _ = try recording.perform(.resume)
    fed.feed(noise(640))
    _ = try recording.perform(.stop)
    for order in [RecorderCommand.stop, .pause, .resume, .split, .mark("a")] {
      #expect(complaint(order) == "nothing is being recorded.")
    }
    #expect(
      complaint(.start)
        == "\(path) already exists; recordings never overwrite files. Use %take for numbered takes,"
        + " e.g. take-%take.wav.")
    fed.node.deactivate()
  }

  @Test func `lost frames are marked at their positions`() throws {
    let fed = ManualRecorder(
      RecorderSettings(path: scratch.file("a.wav"), channelCount: 1), blockFrames: 100,
      ringSeconds: 0.1)
    let samples = noise(6_000)
    fed.feed(samples)
    try fed.node.activate()
    fed.waitUntilWritten(4_800)
    fed.feed(samples[..<1_000])
    fed.node.deactivate()
    #expect(labels("a.wav") == ["0.100000\t0.125000\t1200 frames lost"])
  }
}
