// PlayerFaultTests.swift: files that change, disappear or are invalid. SPDX-License-Identifier: MIT

import AudioFiles
import Foundation
import Testing

@testable import FilePlayback

@Suite struct PlayerFaultTests {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  /// Too long to be buffered completely.
  private func longFile(_ name: String) throws -> (path: String, samples: [Float]) {
    let samples = noise(48_000 * 6)
    return (try scratch.write(samples, to: name, format: .s16), samples)
  }

  private func player(_ files: [String]) throws -> ManualPlayer {
    let player = try ManualPlayer(files)
    try player.node.activate()
    return player
  }

  @Test func `an unusable first file is refused with a message`() throws {
    func complaint(_ path: String) throws -> String {
      let player = try ManualPlayer([path])
      return message { try player.node.activate() }
    }
    let none = scratch.file("none.wav")
    #expect(try complaint(none).hasPrefix("\(none) does not exist."))
    #expect(try complaint(scratch.path).hasPrefix("\(scratch.path) is a directory."))
    for (name, text) in [("text.wav", "hello"), ("head.wav", "RIFF\u{4}\0\0\0WAVE")] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: scratch.file(name)))
      #expect(try complaint(scratch.file(name)).contains("is not a readable audio file"))
    }
    let short = try scratch.write(noise(48_000), to: "short.wav")
    let late = try ManualPlayer([short]) { $0.fromSeconds = 3 }
    #expect(message { try late.node.activate() } == "\(short) is only 1.0 s long.")
  }

  @Test(arguments: [48_000.0, 44_100])
  func `samples that are not finite are silent, counted and reported once`(rate: Double) throws {
    var samples = noise(96_000)
    let bad = [24_000, 24_001, 60_000]
    for (frame, value) in zip(bad, [Float.nan, .infinity, -.infinity]) { samples[frame] = value }
    let path = try scratch.write(samples, to: "a.wav", format: .float)
    let player = try ManualPlayer([path], rateHz: rate) { $0.isLooping = true }
    try player.node.activate()
    let captured = player.pull(Int(rate) * 5)
    #expect(captured.allSatisfy { $0.isFinite })
    if rate == 48_000 {
      for frame in bad { samples[frame] = 0 }
      let isSame = captured.prefix(96_000).elementsEqual(samples)
      #expect(isSame)
    }
    // The file is buffered, and loops.
    #expect(player.node.playback.silencedSampleCount >= 6)
    #expect(
      player.node.playback.takeNotices().map { "\($0)" } == [
        "\(path) contains NaN or infinity, first at 0.5 s. These samples are replaced by silence."
      ])
  }

  @Test func `a file that is removed or renamed while it plays is played to its end`() throws {
    let (path, samples) = try longFile("a.wav")
    let player = try player([path])
    var captured = player.pull(48_000)
    try FileManager.default.removeItem(atPath: path)
    try scratch.write(noise(48_000 * 6, seed: 9), to: "a.wav", format: .s16)
    captured += player.pull(samples.count - 48_000)
    let isSame = captured.elementsEqual(samples)
    #expect(isSame && player.node.playback.takeNotices() == [])
  }

  @Test func `a truncated file ends there with a report, and the next one follows`()
    throws
  {
    let (path, samples) = try longFile("a.wav")
    let next = noise(4_800, seed: 5)
    let player = try player([path, try scratch.write(next, to: "b.wav")])
    var captured = player.pull(4_800)
    // A header of 44 bytes at least, and four seconds.
    #expect(truncate(path, 44 + 2 * 48_000 * 4) == 0)
    captured += player.pull(48_000 * 6)
    let end = try #require(captured.lastIndex { $0 != 0 })
    #expect((48_000 * 4 - 100 ..< 48_000 * 4 + 4_801).contains(end - 4_799))
    #expect(Array(captured[(end - 4_799) ... end]) == next)
    let isSame = captured[..<(48_000 * 4 - 100)].elementsEqual(samples[..<(48_000 * 4 - 100)])
    #expect(isSame)
    let notices = player.node.playback.takeNotices().map { "\($0)" }
    #expect(
      notices.count == 1
        && notices[0].hasPrefix("\(path) is truncated: its header announces 288000 frames"),
      "\(notices)")
  }

  @Test func `a file that grows while it plays keeps its length`() throws {
    let (path, samples) = try longFile("a.wav")
    let player = try player([path])
    var captured = player.pull(4_800)
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try file.seekToEnd()
    try file.write(contentsOf: Data(repeating: 1, count: 100_000))
    captured += player.pull(samples.count)
    #expect(captured.lastIndex { $0 != 0 } == samples.lastIndex { $0 != 0 })
  }

  @Test func `an unusable later file of a list is skipped and reported once`() throws {
    let (one, two) = (noise(10_000), noise(10_000, seed: 3))
    try Data("hello".utf8).write(to: URL(fileURLWithPath: scratch.file("text.wav")))
    let files = [
      try scratch.write(one, to: "a.wav"), scratch.file("none.wav"), scratch.file("text.wav"),
      try scratch.write(two, to: "b.wav"),
    ]
    let player = try ManualPlayer(files) { $0.isLooping = true }
    try player.node.activate()
    #expect(player.pull(60_000) == one + two + one + two + one + two)
    let notices = player.node.playback.takeNotices().map { "\($0)" }
    #expect(notices.count == 2 && notices[0].contains("none.wav does not exist"), "\(notices)")
  }

  @Test func `a loop whose files were deleted ends and is reported`() throws {
    let files = [
      try scratch.write(noise(10_000), to: "a.wav"), try scratch.write(noise(10_000), to: "b.wav"),
    ]
    let player = try ManualPlayer(files) {
      $0.isLooping = true
      $0.crossfadeSeconds = 0.01
    }
    try player.node.activate()
    for file in files { try FileManager.default.removeItem(atPath: file) }
    player.pull { player.node.playback.progress.state == .ended }
    #expect(player.node.playback.takeNotices().contains { "\($0)".contains("does not exist") })
  }

  @Test func `frames that arrive too late are silent, counted and reported once`() throws {
    let (path, _) = try longFile("a.wav")
    let player = try ManualPlayer([path], isOffline: false)
    try player.node.activate()
    // The ring is too small for any thread to keep up.
    _ = player.pull(48_000 * 4)
    let playback = player.node.playback
    #expect(playback.starvedSeconds > 0)
    #expect(
      playback.takeNotices().map { "\($0)" } == [
        "Disk too slow for \(path). Missing audio is replaced by silence."
      ])
    #expect(playback.takeNotices() == [])
    player.pull { playback.progress.state == .ended }
  }
}
