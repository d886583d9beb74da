// InstrumentTests.swift: `outboard render --midi`. SPDX-License-Identifier: MIT

import Foundation
import Testing

@Suite struct `A MIDI file is rendered` {
  private let scratch: TemporaryDirectory

  init() throws {
    scratch = try TemporaryDirectory(lv2: "/usr/lib/lv2")
    try scratch.write(Self.song([96, 0x90, 69, 100, 96, 0x80, 69, 0]), to: "song.mid")
  }

  /// A file of one track at 120 quarter notes a minute, with 96 ticks each.
  private static func song(_ track: [UInt8], pause: UInt8 = 0) -> Data {
    let track = track + [pause, 0xFF, 0x2F, 0]
    return Data(
      Array("MThd".utf8) + [0, 0, 0, 6, 0, 0, 0, 1, 0, 96] + Array("MTrk".utf8)
        + [0, 0, 0, UInt8(track.count)] + track)
  }

  private func render(_ arguments: String...) throws -> Program.Result {
    try Program.run(["render"] + arguments, in: scratch)
  }

  private func firstAudioFrame(_ samples: [Float]) -> Int? { samples.firstIndex { abs($0) > 1e-4 } }

  @Test(arguments: [
    ["outboard.organ"], ["http://drobilla.net/plugins/mda/EPiano"],
    ["http://drobilla.net/plugins/mda/EPiano", "outboard.gain", "gain=-6"],
  ])
  func `by an instrument, in time, with its tail, the same for every block`(
    chain: [String]
  ) throws {
    for (name, block) in [("a.wav", "1024"), ("b.wav", "100")] {
      let result = try Program.run(
        ["render"] + chain + ["--midi", "song.mid", "-o", name, "--block-length", block],
        in: scratch)
      #expect(result.status == 0, "\(result.error)")
    }
    #expect(try scratch.waveData("a.wav") == scratch.waveData("b.wav"))
    let samples = try #require(scratch.samples("a.wav"))
    let start = try #require(firstAudioFrame(samples[0]))
    // The note begins after half a second, and an attack may be slow.
    #expect(24_000 ... 24_600 ~= start, "\(start)")
    #expect(samples[0].count >= 48_000)
    let last = samples[0].suffix(100).map(abs).max() ?? 1
    #expect(last < 0x1p-12)
  }

  @Test func `until the last held note has ended`() throws {
    try scratch.write(Self.song([0, 0x90, 69, 100], pause: 96), to: "held.mid")
    let result = try render("outboard.organ", "--midi", "held.mid", "-o", "held.wav")
    #expect(result.status == 0, "\(result.error)")
    let samples = try #require(scratch.samples("held.wav"))
    #expect(24_000 ... 48_000 ~= samples[0].count, "\(samples[0].count)")
    #expect((samples[0][20_000 ..< 24_000].map(abs).max() ?? 0) > 0.01)
  }

  @Test func `together with a recording, as long as the longer of the two`() throws {
    try scratch.addTone(frames: 4_800)
    try scratch.write(
      """
      outboard: 1
      nodes: {organ: {plugin: outboard.organ}}
      connections: [organ -> out, in -> out]
      """, to: "both.yaml")
    let result = try render(
      "--rig", "both.yaml", "-i", "in.wav", "--midi", "song.mid", "-o", "both.wav")
    #expect(result.status == 0, "\(result.error)")
    let samples = try #require(scratch.samples("both.wav"))
    #expect(samples[0].count >= 48_000)
    #expect(
      firstAudioFrame(Array(samples[0].dropFirst(4_800))).map { 19_200 ... 19_800 ~= $0 } == true)
  }

  @Test(arguments: [
    (["outboard.reverb", "-i", "in.wav", "--midi", "song.mid"], "No node takes MIDI"),
    (
      ["outboard.organ", "--midi", "none.mid"],
      "none.mid does not exist. Give the path of a MIDI file"
    ),
    (["outboard.organ", "--midi", "in.wav"], "in.wav is not a MIDI file"),
    (["outboard.organ", "--midi", ""], "The name of the MIDI file is empty."),
  ])
  func `or refused with a message`(arguments: [String], message: String) throws {
    try scratch.addTone()
    let result = try Program.run(["render", "-o", "out.wav"] + arguments, in: scratch)
    #expect(result.status == 2)
    #expect(result.error.contains(message), "\(result.error)")
    #expect(!scratch.exists("out.wav"))
  }
}
