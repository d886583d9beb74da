// SteeredPlayerTests.swift: players that are started, paused and moved. SPDX-License-Identifier: MIT

import Foundation
import TestWaits
import Testing

@testable import FilePlayback

@Suite struct SteeredPlayerTests {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  /// A slow ramp: the value of each sample identifies its position.
  private func slope(_ name: String, seconds: Int = 10, from start: Float = 0) throws -> String {
    let count = 48_000 * seconds
    return try scratch.write(
      (0 ..< count).map { start + Float($0) / Float(count) * 0.4 }, to: name)
  }

  private func player(
    _ files: [String], _ change: (inout PlayerSettings) -> Void = { _ in }
  ) throws -> ManualPlayer {
    let player = try ManualPlayer(files, change)
    try player.node.activate()
    return player
  }

  @Test func `a player waits for its start command and begins at the file's first frame`() throws {
    let samples = noise(48_000)
    let path = try scratch.write(samples, to: "a.wav")
    let player = try player([path]) { $0.startsWaiting = true }
    #expect(player.pull(1_000).allSatisfy { $0 == 0 })
    #expect(player.node.playback.progress.state == .stopped)
    try player.node.playback.perform(.start)
    #expect(player.pull(4_000) == Array(samples[..<4_000]))
    #expect(
      message { try player.node.playback.perform(.start) } == "\(path) is already playing.")
  }

  @Test func `a pause does not click and keeps its position`() throws {
    let player = try player([try slope("a.wav")])
    let playback = player.node.playback
    var captured = player.pull(48_000)
    try playback.perform(.pause)
    captured += player.pull(1_000)
    let place = playback.progress.seconds
    #expect(captured.suffix(700).allSatisfy { $0 == 0 } && playback.progress.state == .stopped)
    captured += player.pull(10_000)
    #expect(playback.progress.seconds == place)
    #expect(message { try playback.perform(.pause) } == "nothing is playing.")
    try playback.perform(.start)
    captured += player.pull(48_000)
    // 240 frames of fade on each side.
    #expect(abs((captured.last ?? 0) - 0.4 * (1 + 1 + 240 / 48_000) / 10) < 0.001)
    #expect(zip(captured, captured.dropFirst()).allSatisfy { abs($0 - $1) < 0.001 })
  }

  @Test func `a seek does not click`() throws {
    let path = try slope("a.wav")
    let player = try player([path])
    let playback = player.node.playback
    var captured = player.pull(4_800)
    for seconds in [7.5, 2.25, 9.9, 0.0, 5.0] {
      try playback.perform(.seek(seconds))
      player.pull {
        captured += player.pull(100)
        return abs(playback.progress.seconds - seconds) < 0.2
      }
      captured += player.pull(2_400)
      let last = Double(captured.last ?? 0)
      #expect(abs(last / 0.4 * 10 - playback.progress.seconds) < 0.1, "\(seconds)")
    }
    #expect(
      message { try playback.perform(.seek(10)) } == "\(path) is only 10.0 s long.")
  }

  @Test func `stop returns to the beginning, and start begins at the first frame`() throws {
    let samples = noise(480_000)
    let player = try player([try scratch.write(samples, to: "a.wav")])
    let playback = player.node.playback
    _ = player.pull(96_000)
    try playback.perform(.stop)
    player.pull { playback.progress.seconds == 0 && playback.progress.state == .stopped }
    try playback.perform(.start)
    #expect(player.pull(2_000) == Array(samples[..<2_000]))
  }

  @Test func `a player that reached its end can be restarted`() throws {
    let samples = noise(3_000)
    let player = try player([try scratch.write(samples, to: "a.wav")])
    let playback = player.node.playback
    _ = player.pull(4_000)
    #expect(playback.progress.state == .ended)
    try playback.perform(.start)
    var captured: [Float] = []
    let deadline = Deadline()
    while !(captured.contains { $0 != 0 } && playback.progress.state == .ended) {
      captured += player.pull(100)
      try deadline.rest(0.0005)
    }
    let start = try #require(captured.firstIndex { $0 != 0 })
    #expect(captured.dropFirst(start).prefix(2_500).elementsEqual(samples.prefix(2_500)))
    #expect(playback.starvedSeconds == 0)
  }

  @Test func `next and previous move through a list`() throws {
    let files = try (0 ..< 3).map { try slope("\($0).wav", from: Float($0) * 0.2) }
    let player = try player(files)
    let playback = player.node.playback
    _ = player.pull(4_800)
    #expect(message { try playback.perform(.previous) } == "\(files[0]) is the first file.")
    for place in [1, 2] {
      try playback.perform(.next)
      player.pull { playback.progress.number == place }
      _ = player.pull(480)
      #expect(playback.progress.file == files[place] && playback.progress.seconds < 1)
    }
    #expect(message { try playback.perform(.next) } == "\(files[2]) is the last file.")
  }
}
