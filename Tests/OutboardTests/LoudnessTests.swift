// LoudnessTests.swift: `outboard render --loudness`. SPDX-License-Identifier: MIT

import Foundation
import LV2Fixtures
import Testing

@Suite struct `Files are set to a loudness` {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  /// Noise that swells, with a click that exceeds it by 20 dB if `hasPeaks`.
  private func addNoise(
    _ name: String, level: Float, hasPeaks: Bool = false, channels: Int = 2, seconds: Int = 4,
    rateHz: UInt32 = 48_000
  ) throws {
    var state: UInt32 = 9
    let rows = (0 ..< channels).map { _ in
      (0 ..< 48_000 * seconds).map { frame -> Float in
        state = state &* 1_664_525 &+ 1_013_904_223
        let noise = Float(Int32(bitPattern: state)) * 0x1p-31
        let swell = 0.6 + 0.4 * sinf(Float(frame) * 0.000_2)
        let isPeak = hasPeaks && frame % 12_000 < 24
        return level * swell * noise * (isPeak ? 9 : 1)
      }
    }
    try FloatWave(channels: rows, sampleRateHz: rateHz).write(to: scratch.path(name))
  }

  private struct Levels: Decodable {
    let file: String
    let integrated: Double?
    let truePeak: Double?
    let frames: Int
  }

  private func levels(_ names: String...) throws -> [Levels] {
    let result = try Program.run(["analyse", "--json"] + names, in: scratch)
    try #require(result.status == 0, "\(result.error)")
    return try JSONDecoder().decode([Levels].self, from: result.output)
  }

  private func render(_ arguments: String...) throws -> Program.Result {
    try Program.run(["render"] + arguments, in: scratch)
  }

  /// Loudness and true peak by ffmpeg; nil if it is not installed.
  private func ffmpeg(_ name: String) throws -> (Double, Double)? {
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/ffmpeg") else { return nil }
    let text = try Program.shell(
      "ffmpeg -nostdin -nostats -hide_banner -i \(name) -filter_complex ebur128=peak=true -f null - 2>&1",
      in: scratch
    ).text
    let summary = try #require(text.range(of: "Summary:", options: .backwards))
    func number(_ word: String) throws -> Double {
      let range = try #require(text.range(of: word, range: summary.upperBound ..< text.endIndex))
      let rest = text[range.upperBound...].drop { $0 == " " }
      return try #require(Double(rest.prefix { "-.0123456789".contains($0) }))
    }
    return (try number("I:"), try number("Peak:"))
  }

  private func check(
    _ name: String, _ loudness: Double, _ truePeak: Double,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let found = try #require(try levels(name).first)
    let (integrated, peak) = (found.integrated ?? .nan, found.truePeak ?? .nan)
    #expect(
      abs(integrated - loudness) <= 0.1, "\(name): \(integrated) LUFS",
      sourceLocation: sourceLocation)
    #expect(peak <= truePeak + 0.01, "\(name): \(peak) dBTP", sourceLocation: sourceLocation)
    // It prints tenths.
    guard let theirs = try ffmpeg(name) else { return }
    #expect(abs(theirs.0 - loudness) < 0.16, "\(theirs)", sourceLocation: sourceLocation)
    #expect(theirs.1 <= truePeak + 0.16, "\(theirs)", sourceLocation: sourceLocation)
  }

  @Test func `wrong requests are refused with one message`() throws {
    try addNoise("a.wav", level: 0.1, seconds: 1)
    for (arguments, message) in [
      (
        ["--true-peak", "-1", "a.wav"], "--true-peak needs --loudness, for example --loudness -16."
      ),
      (["--album", "a.wav"], "--album needs --loudness, for example --loudness -16."),
      (
        ["--loudness", "loud", "a.wav"],
        "--loudness loud is not a loudness. Use LUFS, for example -16, or one of ebu-r128, atsc-a85, podcast,"
          + " streaming, replaygain."
      ),
      (["--loudness", "-99", "a.wav"], "--loudness -99 is out of range (-60 to 0 LUFS)."),
      (
        ["--loudness", "-16", "--true-peak", "3", "a.wav"],
        "--true-peak 3 is out of range (-20 to 0 dBTP)."
      ),
      (
        ["--loudness", "-16"], "--loudness without a plugin needs an input file. Name one with -i."
      ),
      (
        ["--loudness", "-16", "--tail", "1", "a.wav"],
        "--tail needs a plugin or a rig. Name one, or remove --tail."
      ),
      (
        ["--loudness", "-16", "gone.wav"],
        "gone.wav does not exist. Give the path of an audio file, or - for standard input."
      ),
      (["a.wav"], "Name a plugin, or a rig with --rig FILE. `outboard list` shows all plugins."),
    ] {
      let result = try Program.run(["render"] + arguments + ["-o", "out.wav"], in: scratch)
      #expect(result.status == 2 && result.text.isEmpty, "\(arguments)")
      #expect(result.error.hasPrefix("outboard: \(message)\n"), "\(result.error)")
      #expect(!scratch.exists("out.wav"))
    }
    let existing = try render("--loudness", "-16", "a.wav", "-o", "a.wav")
    #expect(existing.status == 2 && existing.error.contains("already exists"), "\(existing.error)")
  }

  @Test func `a quiet file is only amplified, and its samples stay proportional`() throws {
    try addNoise("a.wav", level: 0.01)
    let result = try render("--loudness", "-20", "a.wav", "-o", "out.wav")
    #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
    let lines = result.text.split(separator: "\n").map { String($0).squeezed }
    #expect(lines.count == 2 && lines[0] == "FILE LUFS BEFORE AFTER DBTP BEFORE AFTER GAIN")
    #expect(lines[1].hasPrefix("out.wav ") && lines[1].contains(" -20.0 "), "\(lines)")
    #expect(!lines[1].contains("limited"))
    try check("out.wav", -20, -1)
    let (before, after) = (
      try #require(scratch.samples("a.wav")), try #require(scratch.samples("out.wav"))
    )
    #expect(after[0].count == before[0].count)
    let ratio = after[0][1_000] / before[0][1_000]
    let isProportional = zip(before[1], after[1]).allSatisfy { abs($0 * ratio - $1) < 1e-6 }
    #expect(isProportional && ratio > 2)
  }

  @Test(arguments: [1, 2])
  func `a file with high peaks is limited, and the loudness is still exact`(channels: Int) throws {
    try addNoise("peaks.wav", level: 0.1, hasPeaks: true, channels: channels)
    let result = try render(
      "--loudness", "-16", "--true-peak", "-3", "peaks.wav", "-o", "out.wav")
    #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
    #expect(result.text.contains("limited"), "\(result.text)")
    try check("out.wav", -16, -3)
    let peak = try #require(try levels("out.wav").first?.truePeak)
    #expect(peak >= -3.1, "\(peak) dBTP")
    let samples = try #require(scratch.samples("out.wav"))
    #expect(samples.count == channels && samples[0].count == 4 * 48_000)
  }

  @Test func `a loudness out of reach is reported`() throws {
    try addNoise("peaks.wav", level: 0.02, hasPeaks: true)
    let result = try render(
      "--loudness", "0", "--true-peak", "-12", "peaks.wav", "-o", "out.wav")
    #expect(result.status == 1)
    #expect(
      result.error.hasPrefix(
        "outboard: peaks.wav cannot reach 0.0 LUFS with a true peak of -12.0 dBTP: it has "),
      "\(result.error)")
    #expect(try #require(try levels("out.wav").first?.truePeak) <= -11.99)
  }

  @Test func `silent and short files are left out, and the others are done`() throws {
    try addNoise("a.wav", level: 0.05)
    try addNoise("b.wav", level: 0.2)
    try addNoise("silent.wav", level: 0)
    try FloatWave(channels: [[0.5, -0.5, 0.5]], sampleRateHz: 48_000)
      .write(to: scratch.path("short.wav"))
    for options in [[], ["--no-helpers"]] {
      let result = try Program.run(
        ["render", "--loudness", "ebu-r128", "--force"] + options
          + ["a.wav", "silent.wav", "b.wav", "short.wav", "-o", "out/"], in: scratch)
      #expect(result.status == 1)
      #expect(
        result.error.contains("silent.wav is silent, so it has no loudness. It was left out."),
        "\(result.error)")
      #expect(result.error.contains("short.wav is shorter than 0.4 s"), "\(result.error)")
      #expect(result.text.split(separator: "\n").count == 3, "\(result.text)")
      for name in ["out/a.wav", "out/b.wav"] { try check(name, -23, -1) }
      #expect(!scratch.exists("out/silent.wav") && !scratch.exists("out/short.wav"))
    }
    let alone = try render("--loudness", "-16", "silent.wav", "-o", "x.wav")
    #expect(alone.status == 1 && !scratch.exists("x.wav"))
    #expect(
      alone.error == "outboard: silent.wav is silent, so it has no loudness. It was left out.\n")
  }

  @Test func `a file of invalid samples is not called silent`() throws {
    try FloatWave(
      channels: [[Float](repeating: .nan, count: 48_000)], sampleRateHz: 48_000
    ).write(to: scratch.path("nan.wav"))
    try expectFailure(
      ["render", "--loudness", "-16", "nan.wav", "-o", "x.wav"], in: scratch,
      "nan.wav has no loudness: 48000 invalid samples (NaN or infinity) count as silence. It was"
        + " left out.", status: 1)
  }

  @Test(arguments: [["half.wav"], ["half.wav", "in.wav"], ["half.wav", "in.wav", "--album"]])
  func `a truncated file is reported, also in JSON`(arguments: [String]) throws {
    try addNoise("in.wav", level: 0.1)
    let whole = try scratch.data("in.wav")
    try scratch.write(whole.prefix(44 + 96_000 * 8), to: "half.wav")
    let note = "half.wav is truncated: its header announces 192000 frames, but it holds 96000."
    for input in [arguments, ["gain"] + arguments] {
      let output = arguments.count == 1 ? "out.wav" : "out/"
      let result = try Program.run(
        ["render", "--loudness", "-20", "--force", "--json"] + input + ["-o", output], in: scratch)
      #expect(result.error == "outboard: \(note)\n")
      #expect(result.text.components(separatedBy: note).count == 2, "\(result.text)")
    }
  }

  @Test func `an album keeps the differences between its files`() throws {
    try addNoise("a.wav", level: 0.05)
    try addNoise("b.wav", level: 0.1)
    try addNoise("silent.wav", level: 0)
    let result = try render(
      "--loudness", "-20", "--album", "a.wav", "silent.wav", "b.wav", "-o", "out/")
    #expect(result.status == 1 && result.error.contains("silent.wav is silent"), "\(result.error)")
    #expect(result.text.hasSuffix("All files together: -20.0 LUFS\n"), "\(result.text)")
    let found = try levels("out/a.wav", "out/b.wav").compactMap(\.integrated)
    #expect(abs(found[1] - found[0] - 6.02) < 0.1, "\(found)")
    // The mean of the powers of both.
    let mean = 10 * log10((pow(10, found[0] / 10) + pow(10, found[1] / 10)) / 2)
    #expect(abs(mean + 20) < 0.3, "\(found)")
  }

  @Test func `the loudness is set after plugins, and JSON has all levels`() throws {
    try addNoise("a.wav", level: 0.3)
    let result = try render(
      "compressor", "ratio=4", "a.wav", "--loudness", "-18", "-o", "out.flac", "--json")
    #expect(result.status == 0, "\(result.error)")
    try check("out.flac", -18, -1)
    let object = try #require(
      try JSONSerialization.jsonObject(with: result.output) as? [String: Any])
    let levels = try #require(object["normalisation"] as? [String: Any])
    #expect(levels["isReached"] as? Bool == true && levels["targetLUFS"] as? Double == -18)
    #expect(abs(try #require(levels["loudnessAfter"] as? Double) + 18) <= 0.1)
    let piped = try Program.shell(
      "\"$OUTBOARD\" render --loudness -18 -i - -o - < a.wav > piped.wav", in: scratch)
    #expect(piped.status == 0, "\(piped.error)")
    try check("piped.wav", -18, -1)
  }

  @Test(arguments: ["mp3", "opus", "ogg"])
  func `lossy files keep loudness, length and limit`(format: String) throws {
    try addNoise("a.wav", level: 0.03)
    let result = try render("--loudness", "-22", "a.wav", "-o", "out.\(format)")
    #expect(result.status == 0, "\(result.error)")
    try check("out.\(format)", -22, -1)
    #expect(try levels("out.\(format)").first?.frames == 4 * 48_000)
  }

  @Test(arguments: [("opus", 44_100), ("mp3", 96_000)])
  func `a rate that the codec lacks is converted`(format: String, rateHz: UInt32) throws {
    try addNoise("a.wav", level: 0.03, rateHz: rateHz)
    let result = try render("--loudness", "-22", "a.wav", "-o", "out.\(format)")
    #expect(result.status == 0, "\(result.error)")
    #expect(
      result.error.hasPrefix("outboard: out.\(format) has 48000 Hz, because "), "\(result.error)")
    #expect(result.error.contains(" does not offer \(rateHz) Hz.\n"))
    try check("out.\(format)", -22, -1)
    let plain = try render("outboard.gain", "a.wav", "-o", "plain.\(format)")
    #expect(plain.status == 0 && plain.error.contains(" does not offer \(rateHz) Hz.\n"))
    let frames = try #require(try levels("out.\(format)").first?.frames)
    #expect(try levels("plain.\(format)").first?.frames == frames)
    #expect(abs(Double(frames) - 4 * 48_000 * 48_000 / Double(rateHz)) <= 2)
  }

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: "/usr/bin/ffmpeg"), "ffmpeg is not installed"
    ),
    arguments: ["wav", "flac", "ogg", "opus", "mp3"])
  func `tags are kept`(format: String) throws {
    try addNoise("a.wav", level: 0.03, seconds: 1)
    let tagged = try Program.shell(
      "ffmpeg -nostdin -loglevel error -i a.wav -metadata title=Überall -metadata artist=Me in.flac"
        + " && \"$OUTBOARD\" render --loudness -20 in.flac -o out.\(format)"
        + " && ffprobe -v error -show_entries format_tags:stream_tags out.\(format)", in: scratch)
    #expect(tagged.status == 0, "\(tagged.error)")
    let text = tagged.text.lowercased()
    #expect(text.contains("title=überall") && text.contains("artist=me"), "\(tagged.text)")
  }
}
