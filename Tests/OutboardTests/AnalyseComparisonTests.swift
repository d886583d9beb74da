// AnalyseComparisonTests.swift: measurements of real recordings compared with sox and ffmpeg. SPDX-License-Identifier: MIT

import Foundation
import Testing

/// Recordings of Debian's packages alsa-utils, sound-theme-freedesktop and frozen-bubble-data, and
/// programs that measure them.
private enum Installed {
  private static let directories = [
    "/usr/share/sounds/alsa", "/usr/share/sounds/freedesktop/stereo",
    "/usr/share/games/frozen-bubble/snd",
  ]

  /// Long enough for a loudness value, and two pieces of music.
  ///
  /// Below 44.1 kHz no two programs have the same weighting.
  private static let names = [
    "Front_Center.wav", "Front_Left.wav", "Noise.wav", "Rear_Right.wav", "Side_Left.wav",
    "alarm-clock-elapsed.oga", "audio-test-signal.oga", "phone-incoming-call.oga",
    "service-login.oga", "suspend-error.oga", "frozen-mainzik-1p.ogg", "frozen-mainzik-2p.ogg",
  ]

  static let recordings = directories.flatMap { directory in names.map { "\(directory)/\($0)" } }
    .filter { FileManager.default.fileExists(atPath: $0) }

  /// Recordings that sox can read; its readers of lossy files are a separate package.
  static let forSox = recordings.filter { path in
    let machine = ["x86_64", "aarch64"].map { "/usr/lib/\($0)-linux-gnu/sox/libsox_fmt_vorbis.so" }
    return path.hasSuffix(".wav")
      || machine.contains(where: FileManager.default.fileExists(atPath:))
  }

  static func has(_ program: String) -> Bool {
    FileManager.default.isExecutableFile(atPath: "/usr/bin/\(program)") && !recordings.isEmpty
  }
}

@Suite struct `Measurements of real recordings` {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  /// The output of `outboard analyse`.
  private func analysis(_ path: String) throws -> [String: Any] {
    let result = try Program.run(["analyse", "--json", path], in: scratch)
    try #require(result.status == 0, "\(result.error)")
    let list = try JSONSerialization.jsonObject(with: result.output) as? [[String: Any]]
    return try #require(list?.first)
  }

  /// The number after the last occurrence of that name.
  private func number(after word: String, in text: String) throws -> Double {
    let last = try #require(text.range(of: word, options: .backwards), "\(text.suffix(2_000))")
    let rest = text[last.upperBound...].drop { " =:".contains($0) }
    return try #require(Double(rest.prefix { "-+.0123456789".contains($0) }), "\(rest.prefix(50))")
  }

  @Test(
    .enabled(if: Installed.has("sox"), "sox, or a package with recordings, is not installed"),
    arguments: Installed.forSox)
  func `peak and level are those of sox`(path: String) throws {
    let values = try analysis(path)
    let theirs = try Program.shell("sox '\(path)' -n stats 2>&1", in: scratch)
    try #require(theirs.status == 0, "\(theirs.text)")
    let peak = try #require(values["peak"] as? Double)
    // It clips samples of lossy files beyond full scale.
    let theirPeak = try number(after: "Pk lev dB", in: theirs.text)
    #expect(abs(min(0, peak) - theirPeak) < 0.01, "\(peak), \(theirPeak)")
    let channels = try #require(values["channels"] as? [[String: Any]])
    let levels = channels.compactMap { $0["rms"] as? Double }
    let power = levels.reduce(0) { $0 + pow(10, $1 / 10) } / Double(levels.count)
    // By AES17 a sine of full scale is 0 dB, which is -3.01 there.
    let level = 10 * log10(power / 2)
    let theirLevel = try number(after: "RMS lev dB", in: theirs.text)
    #expect(abs(level - theirLevel) < 0.01, "\(level), \(theirLevel)")
  }

  @Test(
    .enabled(if: Installed.has("ffmpeg"), "ffmpeg, or a package with recordings, is not installed"),
    arguments: Installed.recordings)
  func `loudness and true peak are those of ffmpeg`(path: String) throws {
    let values = try analysis(path)
    let theirs = try Program.shell(
      "ffmpeg -nostdin -nostats -hide_banner -i '\(path)' -filter_complex"
        + " ebur128=peak=true:metadata=1,ametadata=mode=print:file=course.txt -f null - 2>&1",
      in: scratch)
    try #require(theirs.status == 0, "\(theirs.text.suffix(500))")
    let course = String(decoding: try scratch.data("course.txt"), as: UTF8.self)
    let loudness = try #require(values["integrated"] as? Double)
    let theirLoudness = try number(after: "lavfi.r128.I", in: course)
    #expect(abs(loudness - theirLoudness) < 0.1, "\(loudness), \(theirLoudness)")
    let peak = try #require(values["truePeak"] as? Double)
    // It prints tenths.
    let theirPeak = try number(after: "Peak:", in: theirs.text)
    #expect(abs(peak - theirPeak) < 0.151, "\(peak), \(theirPeak)")
  }
}
