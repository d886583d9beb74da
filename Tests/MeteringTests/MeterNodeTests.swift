// MeterNodeTests.swift: a meter in a chain whose blocks the test renders. SPDX-License-Identifier: MIT

import Foundation
import PluginModel
import RealtimeKit
import Testing

@testable import Metering

/// Renders a signal through a node's step, block by block.
private func render(_ node: MeterNode, _ signal: Signal, blocks: [Int], inPlace: Bool) -> Signal {
  let channels = signal.count
  let longest = blocks.max() ?? 1
  let inputs = (0 ..< channels).map { _ in
    UnsafeMutablePointer<Float>.allocate(capacity: longest)
  }
  let outputs =
    inPlace
    ? inputs : (0 ..< channels).map { _ in UnsafeMutablePointer<Float>.allocate(capacity: longest) }
  defer { Set(inputs + outputs).forEach { $0.deallocate() } }
  var result: Signal = Array(repeating: [], count: channels)
  let step = node.step
  var place = 0
  var turn = 0
  while place < signal[0].count {
    let count = min(blocks[turn % blocks.count], signal[0].count - place)
    for channel in 0 ..< channels {
      for frame in 0 ..< count { inputs[channel][frame] = signal[channel][place + frame] }
    }
    step.function(step.context, inputs + outputs, UInt32(count))
    for channel in 0 ..< channels {
      result[channel] += (0 ..< count).map { outputs[channel][$0] }
    }
    place += count
    turn += 1
  }
  return result
}

@Suite struct MeterNodeTests {
  private func node(
    _ channels: Int, log: LevelLogSettings? = nil, isOffline: Bool = true
  ) -> MeterNode {
    MeterNode(
      MeterSettings(channelCount: channels, log: log),
      NodeConfiguration(sampleRateHz: 48_000, maximumFrameCount: 1_024, isOffline: isOffline))
  }

  @Test(arguments: [1, 2, 6], [false, true])
  func `passes every bit and has the reading of its signal`(channels: Int, inPlace: Bool) throws {
    let node = node(channels)
    try node.activate()
    var signal = (0 ..< channels).map { noise(30_000, seed: UInt64($0 + 1)) }
    signal[0][77] = .nan
    let passed = render(node, signal, blocks: [64, 1, 1_024, 333], inPlace: inPlace)
    node.deactivate()
    for (mine, theirs) in zip(passed, signal) {
      #expect(mine.map(\.bitPattern) == theirs.map(\.bitPattern))
    }
    #expect(node.meter.reading == reading(of: signal))
    #expect(node.latencyFrames == 0 && node.audioOutputCount == channels)
  }

  @Test func `a meter counts lost frames, and its ring continues to work`() {
    let meter = SignalMeter(
      channelCount: 1, sampleRateHz: 48_000, maximumFrameCount: 64, ringSeconds: 0.1)
    var block = [Float](repeating: 0.5, count: 64)
    block.withUnsafeMutableBufferPointer { block in
      for _ in 0 ..< 100 {
        _ = [block.baseAddress].compactMap(\.self).withUnsafeBufferPointer { rows in
          rows.baseAddress.map { meter.ring.pointee.write($0, frameCount: 64) }
        }
      }
      _ = meter.reading
      _ = [block.baseAddress].compactMap(\.self).withUnsafeBufferPointer { rows in
        rows.baseAddress.map { meter.ring.pointee.write($0, frameCount: 64) }
      }
    }
    let reading = meter.reading
    #expect(reading.lostFrameCount == 6_400 - 4_800)
    #expect(reading.seconds == 0.1)
  }

  @Test func `is described with its settings`() {
    var log = LevelLogSettings(path: "/tmp/levels.csv")
    log.rotation = .bytes(10_000_000)
    log.intervalSeconds = 2.5
    log.keptCount = 4
    let request = MeterSettings(channelCount: 3, log: log)
    #expect(MeterSettings(request.plugin) == request)
    #expect(MeterSettings(MeterSettings(channelCount: 1).plugin) == MeterSettings(channelCount: 1))
    #expect(MeterSettings(PluginDescription(kind: .builtin, identifier: "mixer", name: "")) == nil)
  }
}

@Suite struct `A log of levels` {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  private func record(_ log: LevelLogSettings, _ signal: Signal) throws -> [String] {
    let node = MeterNode(
      MeterSettings(channelCount: signal.count, log: log),
      NodeConfiguration(sampleRateHz: 48_000, maximumFrameCount: 1_024, isOffline: true))
    try node.activate()
    _ = render(node, signal, blocks: [1_024], inPlace: true)
    node.deactivate()
    return node.meter.takeNotices().map { "\($0)" }
  }

  @Test func `has a line of JSON for each interval`() throws {
    var log = LevelLogSettings(path: scratch.file("levels.jsonl"))
    log.intervalSeconds = 0.5
    let loud = sine(-20, 1) + silence(1)
    #expect(try record(log, [loud, silence(2)]) == [])
    let lines = try scratch.lines("levels.jsonl")
    #expect(lines.count == 4)
    for line in lines {
      let object = try #require(
        JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      #expect(object["seconds"] as? Double == 0.5 && object["lostFrames"] as? Int == 0)
    }
    #expect(
      lines[0].contains("\"peak\":[-20.00,null]") && lines[0].contains("\"rms\":[-20.00,null]"))
    #expect(lines[3].contains("\"peak\":[null,null]"))
  }

  @Test func `continues an existing log below its heading`() throws {
    let log = LevelLogSettings(path: scratch.file("levels.csv"))
    #expect(try record(log, [sine(-6, 1)]) == [])
    #expect(try record(log, [silence(1)]) == [])
    let lines = try scratch.lines("levels.csv")
    #expect(lines.count == 3)
    #expect(
      lines[0] == "time,seconds,peak_1,true_peak_1,rms_1,clips_1,momentary,short_term,integrated,"
        + "lost_frames")
    #expect(lines[1].contains(",1.00,-6.00,") && lines[2].contains(",1.00,-inf,-inf,-inf,0,-inf"))
    #expect(lines.allSatisfy { $0.split(separator: ",").count == 10 })
  }

  @Test func `rotates its log by size and keeps the given number of files`() throws {
    var log = LevelLogSettings(path: scratch.file("levels.jsonl"))
    log.intervalSeconds = 0.1
    log.rotation = .bytes(4_096)
    log.keptCount = 2
    try Data().write(to: URL(fileURLWithPath: scratch.file("levels-of-mine.jsonl")))
    #expect(try record(log, [silence(12)]) == [])
    let names = scratch.names
    #expect(names.count == 4 && names.contains("levels-of-mine.jsonl"), "\(names)")
    for name in names {
      let size = try FileManager.default.attributesOfItem(atPath: scratch.file(name))[.size]
      #expect((size as? Int ?? .max) <= 4_096)
    }
  }

  @Test func `starts a log file each day, also after files of the day before`() throws {
    var log = LevelLogSettings(path: scratch.file("levels.jsonl"))
    log.intervalSeconds = 0.5
    try Data("{}\n".utf8).write(to: URL(fileURLWithPath: log.path))
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -2 * 86_400)], ofItemAtPath: log.path)
    #expect(try record(log, [silence(1)]) == [])
    #expect(scratch.names.count == 2)
    #expect(try scratch.lines("levels.jsonl").count == 2)
  }

  @Test func `restarts its log after the file was removed`() throws {
    let log = LevelLogSettings(path: scratch.file("levels.jsonl"))
    let file = try LevelLogFile(log)
    let entry = LevelStatistics(LevelMeasurement(channelCount: 1, sampleRateHz: 48_000, for: .live))
      .entry(LevelMeasurement(channelCount: 1, sampleRateHz: 48_000, for: .live), at: 1e9)
    #expect(file.write(entry) == nil)
    try FileManager.default.removeItem(atPath: log.path)
    #expect(file.write(entry) == nil)
    #expect(try scratch.lines("levels.jsonl").count == 1)
    #expect(try scratch.lines("levels.jsonl")[0].contains("\"time\":\"2001-09-09T01:46:40.000Z\""))
  }

  @Test(arguments: [
    ("none/levels.csv", "No such file or directory"), ("folder.csv", "Is a directory"),
  ])
  func `reports a log file that cannot be created`(name: String, reason: String) throws {
    try FileManager.default.createDirectory(
      atPath: scratch.file("folder.csv"), withIntermediateDirectories: true)
    #expect(throws: LevelLogError.unwritable(path: scratch.file(name), reason: reason)) {
      _ = try LevelLogFile(LevelLogSettings(path: scratch.file(name)))
    }
    #expect(throws: LevelLogError.unknownKind(path: "levels.txt")) {
      _ = try LevelLogFile(LevelLogSettings(path: "levels.txt"))
    }
  }

  @Test(arguments: [
    ("day", LevelLogSettings.Rotation.daily), ("hour", .hourly), ("10 MB", .bytes(10_000_000)),
    ("4096", .bytes(4_096)), ("64kB", .bytes(64_000)),
  ])
  func `rotates its log by age`(text: String, rotation: LevelLogSettings.Rotation) {
    #expect(LevelLogSettings.Rotation(text) == rotation)
    #expect(LevelLogSettings.Rotation(rotation.description) == rotation)
    for wrong in ["", "week", "10 XB", "-5 MB", "1 kB", "9999999999999999999 GB"] {
      #expect(LevelLogSettings.Rotation(wrong) == nil)
    }
  }
}
