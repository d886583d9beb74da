// InputFaultTests.swift: audio files that cannot be read, and unusual ones that can. SPDX-License-Identifier: MIT

import Foundation
import LV2Fixtures
import Testing

@Suite struct `Input files` {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  private func refuses(
    _ input: String, says message: String, status: Int32 = 2
  ) throws {
    try expectFailure(
      ["render", "outboard.gain", "-i", input, "-o", "out.wav"], in: scratch, message,
      status: status)
  }

  @Test func `a missing file is named in the message`() throws {
    try refuses(
      "nowhere.wav",
      says: "nowhere.wav does not exist. Give the path of an audio file, or - for standard input.")
  }

  @Test func `a directory is refused`() throws {
    try refuses("home", says: "home is a directory. Give the path of an audio file.")
  }

  @Test func `a file of another kind is refused because it is not an audio file`() throws {
    try scratch.write("outboard: 1\n", to: "rig.wav")
    try refuses(
      "rig.wav", says: "rig.wav is not a readable audio file (format not recognised).")
  }

  @Test(arguments: ["ogg", "opus", "flac", "caf", "aiff", "wav", "au", "w64"])
  func `a truncated file is reported as truncated, at any length`(kind: String) throws {
    try scratch.addTone(frames: 48_000)
    let whole = "whole.\(kind)"
    let made = try Program.run(
      ["render", "outboard.gain", "-i", "in.wav", "-o", whole, "--tail", "0"], in: scratch)
    // Formats that this host cannot write are skipped.
    guard made.status == 0 else { return }
    let bytes = try scratch.data(whole)
    #expect(
      try expectSuccess(
        ["render", "outboard.gain", "-i", whole, "-o", "out.wav", "--tail", "0"], in: scratch
      ).error == "")
    for share in [0.02, 0.1, 0.5, 0.95] {
      try scratch.write(bytes.prefix(max(100, Int(Double(bytes.count) * share))), to: "cut.\(kind)")
      let result = try Program.run(
        [
          "render", "outboard.gain", "-i", "cut.\(kind)", "-o", "out.wav", "--tail", "0", "--force",
        ],
        in: scratch)
      #expect(
        result.error.hasPrefix("outboard: cut.\(kind) is truncated: "),
        "\(kind) cut to \(share): \(result.error)")
    }
  }

  @Test func `a truncated file is rendered up to its end, with a note`() throws {
    let samples = try scratch.addTone()
    let whole = try scratch.data("in.wav")
    // 44 bytes of header; half of the frames, of 8 bytes each.
    try scratch.write(whole.prefix(44 + 2_400 * 8), to: "half.wav")
    try expectSuccess(
      ["render", "outboard.gain", "-i", "half.wav", "-o", "out.wav", "--tail", "0"], in: scratch,
      remark: "outboard: half.wav is truncated: its header announces 4800 frames, but it holds"
        + " 2400.\n")
    #expect(scratch.samples("out.wav") == samples.map { Array($0.prefix(2_400)) })
  }

  @Test func `a header without audio is refused`() throws {
    try scratch.addTone()
    try scratch.write(try scratch.data("in.wav").prefix(20), to: "head.wav")
    let result = try Program.run(
      ["render", "outboard.gain", "-i", "head.wav", "-o", "out.wav"], in: scratch)
    #expect(result.status == 2)
    #expect(result.error.hasPrefix("outboard: head.wav "))
    #expect(!scratch.exists("out.wav"))
  }

  @Test func `a file without frames is refused`() throws {
    try scratch.addTone("none.wav", frames: 0)
    try refuses("none.wav", says: "none.wav contains no audio: its length is 0 frames.")
  }

  @Test func `0 Hz is refused`() throws {
    try scratch.addTone("still.wav", rate: 0)
    try refuses(
      "still.wav",
      says: "still.wav declares a sample rate of 0 Hz. Supported: 1 to 768000 Hz.")
  }

  @Test func `384 kHz are rendered at 384 kHz`() throws {
    let samples = try scratch.addTone(frames: 9_000, rate: 384_000)
    try expectSuccess(
      ["render", "outboard.gain", "-i", "in.wav", "-o", "out.wav", "--tail", "0"], in: scratch)
    let output = try #require(FloatWave(path: scratch.path("out.wav")))
    #expect(output.sampleRateHz == 384_000)
    #expect(output.channels == samples)
  }

  @Test func `64 channels pass through a rig of 64 channels`() throws {
    let samples = try scratch.addTone(channels: 64, frames: 1_000)
    try scratch.write("outboard: 1\nconnections: [in -> out]\n", to: "rig.yaml")
    try expectSuccess(
      ["render", "--rig", "rig.yaml", "-i", "in.wav", "-o", "out.wav"], in: scratch)
    #expect(scratch.samples("out.wav") == samples)
  }

  @Test func `64 channels into a stereo plugin are refused with the reason`() throws {
    try scratch.addTone(channels: 64, frames: 100)
    try refuses(
      "in.wav",
      says: "in has 64 channels and Gain has 2. Name the channels in a rig, e.g."
        + " in:1-2 -> Gain.")
  }

  @Test func `a stream that ends before the length in its header is reported as truncated`() throws
  {
    try scratch.addTone(frames: 48_000)
    let whole = try scratch.data("in.wav")
    try scratch.write(whole.prefix(whole.count / 2), to: "half.wav")
    // Programs that write to a pipe do not know the length, and say so by a length that is too great.
    var unknown = whole.prefix(whole.count / 2)
    let data = try #require(unknown.range(of: Data("data".utf8)))
    for place in [4 ..< 8, data.upperBound ..< data.upperBound + 4] {
      unknown.replaceSubrange(place, with: [0xff, 0xff, 0xff, 0x7f])
    }
    try scratch.write(unknown, to: "unknown.wav")
    for (file, isTold) in [("half.wav", true), ("unknown.wav", false), ("in.wav", false)] {
      for command in ["analyse -", "render outboard.gain -i - -o out.wav --force"] {
        let result = try Program.shell("\"$OUTBOARD\" \(command) < \(file)", in: scratch)
        let piped = try Program.shell("cat \(file) | \"$OUTBOARD\" \(command)", in: scratch)
        #expect(result.status == 0 && piped.status == 0)
        #expect(
          piped.error.contains("Standard input is truncated: its header announces 48000 frames")
            == isTold, "\(command) \(file): \(piped.error)")
      }
    }
  }

  @Test(arguments: ["", "abc"]) func `standard input without audio is refused`(_ text: String)
    throws
  {
    let result = try Program.shell(
      "printf '\(text)' | \"$OUTBOARD\" render outboard.gain -i - -o out.wav", in: scratch)
    #expect(
      result.error == "outboard: Standard input is not a readable audio file (format not"
        + " recognised).\n")
    #expect(result.status == 2)
  }

  @Test func `a rig with inputs needs a file, and one without needs a length`() throws {
    try expectFailure(
      ["render", "outboard.gain", "-o", "out.wav"], in: scratch,
      "No input. Name a file with -i FILE, or use -i - for standard input.")
    try expectFailure(
      ["render", "outboard.oscillator", "-o", "out.wav"], in: scratch,
      "No input file, so the length is unknown. Set it with --duration.")
    try expectFailure(
      ["render", "outboard.oscillator", "-i", "in.wav", "-o", "out.wav"], in: scratch,
      "No node uses the input, so in.wav has no effect. Remove it and set the length with"
        + " --duration.")
  }
}
