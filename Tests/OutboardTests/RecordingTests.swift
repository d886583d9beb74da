// RecordingTests.swift: `outboard run --record`, and requests that it refuses. SPDX-License-Identifier: MIT

import Foundation
import Testing

@Suite struct `A run that records` {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  private func run(_ arguments: String...) throws -> Program.Result {
    try Program.run(
      ["run", "outboard.oscillator", "--out", "null", "--duration", "1"] + arguments, in: scratch)
  }

  @Test func `reports its recording, and never replaces a file`() throws {
    let first = try run("--record", "take.wav", "--json")
    #expect(first.status == 0, "\(first.error)")
    let summary = try #require(
      JSONSerialization.jsonObject(with: first.output) as? [String: Any], "\(first.text)")
    let recordings = try #require(summary["recordings"] as? [[String: Any]])
    #expect(recordings.count == 1 && recordings[0]["channels"] as? Int == 2)
    // The null device is faster than any disk.
    #expect(recordings[0]["lostFrames"] is Int && recordings[0]["failure"] == nil)
    #expect((recordings[0]["frames"] as? Int ?? 0) > 24_000)
    let second = try run("--record", "take.wav")
    #expect(second.status == 2)
    #expect(
      second.error
        == "outboard: take.wav already exists; recordings never overwrite files. Choose another"
        + " name.\n")
  }

  @Test(arguments: [
    ("take.mp5", "cannot be written: its extension is not one of"),
    ("take.mp3", "cannot be recorded as MP3. Use .wav, .flac, .ogg or .opus."),
    ("none/take.wav", "cannot be written: no such directory: none."),
    (".", "is a directory. Give the path of an audio file."),
  ])
  func `refuses a file that cannot be written before it opens a device`(
    file: String, complaint: String
  ) throws {
    let result = try run("--record", file)
    #expect(result.status == 2)
    #expect(result.error.hasPrefix("outboard: \(file) ") && result.error.contains(complaint))
    #expect(result.error.split(separator: "\n").count == 1, "\(result.error)")
  }

  @Test func `needs an input to record it`() throws {
    let result = try run("--record-input", "dry.wav")
    #expect(result.status == 2)
    #expect(result.error.contains("No input is open to feed --record-input."))
  }
}
