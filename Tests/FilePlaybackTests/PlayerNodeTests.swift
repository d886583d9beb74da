// PlayerNodeTests.swift: the output of a player equals its file. SPDX-License-Identifier: MIT

import AudioFiles
import Foundation
import Testing

@testable import FilePlayback

@Suite struct PlayerNodeTests {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  @Test(arguments: [("wav", SampleFormat.float), ("flac", .s16), ("aiff", .s24), ("wav", .s16)])
  func `a file at the graph's rate is played bit for bit, followed by silence`(
    suffix: String, format: SampleFormat
  ) throws {
    for (channels, blocks) in [(1, 64), (2, 480), (5, 1)] {
      let samples = noise(channels * 20_011)
      let path = try scratch.write(
        samples, to: "\(channels).\(suffix)", channels: channels, format: format)
      let player = try ManualPlayer([path], channels: channels, blockFrames: blocks)
      try player.node.activate()
      let captured = player.pull(21_000)
      let isSame = captured.prefix(samples.count).elementsEqual(samples)
      #expect(isSame, "\(channels) channels")
      #expect(captured.dropFirst(samples.count).allSatisfy { $0 == 0 })
      #expect(player.node.playback.progress.state == .ended)
      #expect(player.node.playback.takeNotices() == [])
      player.node.deactivate()
    }
  }

  @Test func `files follow each other without a gap`() throws {
    let parts = [noise(10_001), noise(1, seed: 2), noise(20_000, seed: 3)]
    let paths = try parts.enumerated().map { try scratch.write($1, to: "\($0).wav") }
    let player = try ManualPlayer(paths)
    try player.node.activate()
    #expect(player.pull(30_100) == parts.joined() + Array(repeating: 0, count: 98))
  }

  @Test func `a loop without crossfade repeats bit for bit`() throws {
    let samples = noise(7_001)
    let path = try scratch.write(samples, to: "a.wav")
    let player = try ManualPlayer([path]) { $0.isLooping = true }
    try player.node.activate()
    #expect(player.pull(21_003) == samples + samples + samples)
    // The file continues to play without its name.
    try FileManager.default.removeItem(atPath: path)
    let more = player.pull(400 * 7_001)
    #expect(Array(more.suffix(7_001)) == samples && player.node.playback.takeNotices() == [])
  }

  @Test func `a loop with a crossfade keeps its power, and repeats`() throws {
    // The ends of the loop differ, as in most files.
    let samples = noise(30_000)
    let path = try scratch.write(samples, to: "a.wav")
    let player = try ManualPlayer([path]) {
      $0.isLooping = true
      $0.crossfadeSeconds = 0.1
    }
    try player.node.activate()
    let captured = player.pull(25_200 + 3 * 25_200)
    #expect(Array(captured[..<25_200]) == Array(samples[..<25_200]))
    func power(_ samples: some Collection<Float>) -> Float {
      samples.reduce(0) { $0 + $1 * $1 } / Float(samples.count)
    }
    let seam = captured[25_200 ..< 30_000]
    #expect(abs(10 * log10(power(seam) / power(samples))) < 0.3)
    let first = Array(seam)[0]
    #expect(abs(first - samples[25_200]) < 0.001)
    // After the seam the beginning continues after the frames that were mixed into it, and so on.
    #expect(Array(captured[30_000 ..< 50_400]) == Array(samples[4_800 ..< 25_200]))
    #expect(Array(captured[50_400 ..< 75_600]) == Array(captured[25_200 ..< 50_400]))
  }

  @Test func `a loop shorter than its crossfade plays`() throws {
    let path = try scratch.write(noise(1_000), to: "a.wav")
    let player = try ManualPlayer([path]) {
      $0.isLooping = true
      $0.crossfadeSeconds = 10
    }
    try player.node.activate()
    let captured = player.pull(50_000)
    #expect(captured.suffix(1_000).contains { $0 != 0 })
    #expect(player.node.playback.progress.state == .playing)
  }

  @Test func `a player starts at its given time and position`() throws {
    let samples = noise(48_000)
    let path = try scratch.write(samples, to: "a.wav")
    let late = try ManualPlayer([path]) { $0.startSeconds = 0.123_4 }
    try late.node.activate()
    let silence = [Float](repeating: 0, count: 5_923)
    #expect(late.pull(10_000) == silence + samples[..<4_077])

    let inside = try ManualPlayer([path]) { $0.fromSeconds = 0.5 }
    try inside.node.activate()
    let captured = inside.pull(24_000)
    // It is faded in, because the file's audio does not begin there.
    #expect(abs(captured[0]) < 0.01 && Array(captured[250...]) == Array(samples[24_250...]))
  }

  @Test func `channels map one to one, one to all, and all to one`() throws {
    let (left, right) = (noise(1_000), noise(1_000, seed: 7))
    let both = zip(left, right).flatMap { [$0, $1] }
    let stereo = try scratch.write(both, to: "stereo.wav", channels: 2)
    let mono = try scratch.write(left, to: "mono.wav")
    func captured(_ path: String, _ channels: Int) throws -> [Float] {
      let player = try ManualPlayer([path], channels: channels)
      try player.node.activate()
      return player.pull(1_000)
    }
    #expect(try captured(mono, 2) == left.flatMap { [$0, $0] })
    #expect(try captured(stereo, 1) == zip(left, right).map { ($0 + $1) / 2 })
    #expect(try captured(stereo, 3) == zip(left, right).flatMap { [$0, $1, 0] })
  }

  @Test func `gain ramps and is exact at its end`() throws {
    let path = try scratch.write([Float](repeating: 0.5, count: 96_000), to: "a.wav")
    let player = try ManualPlayer([path])
    player.node.setParameter(0, to: -20)
    try player.node.activate()
    #expect(player.pull(100).allSatisfy { abs($0 - 0.05) < 1e-6 })
    player.node.setParameter(0, to: 0)
    let rise = player.pull(1_000)
    #expect(zip(rise, rise.dropFirst()).allSatisfy { $1 >= $0 && $1 - $0 < 0.001 })
    #expect(rise[959...].allSatisfy { $0 == 0.5 })
    player.node.setParameter(0, to: -90)
    #expect(player.pull(1_000)[960...].allSatisfy { $0 == 0 })
  }
}
