// ImportedSoundTests.swift: imported projects sound as in another host. SPDX-License-Identifier: MIT

import Foundation
import LV2Fixtures
import Testing

/// Compares rigs that were imported from MOD and EasyEffects with the same plugins in lv2apply.
///
/// The values of the reference are those that the other program gives its plugins, written here by hand. lv2apply renders
/// one plugin, a frame at a time. Directories with plugins that are not installed can be named in `OUTBOARD_TEST_LV2`.
@Suite(.enabled(if: Tool.exists("/usr/bin/lv2apply"), "lilv-utils are not installed"))
struct `Imported projects sound as in lv2apply` {
  private typealias Rows = [[Float]]

  private static let directories =
    [ProcessInfo.processInfo.environment["OUTBOARD_TEST_LV2"], "/usr/lib/lv2"].compactMap(\.self)

  private static func has(_ bundles: String...) -> Bool {
    bundles.allSatisfy { bundle in
      directories.contains {
        FileManager.default.fileExists(atPath: "\($0)/\(bundle)/manifest.ttl")
      }
    }
  }

  private static let (calf, lsp) = (
    "http://calf.sourceforge.net/plugins/", "http://lsp-plug.in/plugins/lv2/"
  )
  private let scratch: TemporaryDirectory

  init() throws {
    scratch = try TemporaryDirectory(lv2: Self.directories.joined(separator: ":"))
  }

  private func decibels(_ value: Double) -> Double { pow(10, value / 20) }

  private func scaled(_ rows: Rows, _ gain: Double) -> Rows {
    rows.map { row in row.map { $0 * Float(decibels(gain)) } }
  }

  /// A tone with a beat and noise, different on both channels.
  private func input() -> Rows {
    var state: UInt32 = 77
    return [1, 0.7].map { (level: Float) in
      (0 ..< 20_000).map { frame in
        state = state &* 1_664_525 &+ 1_013_904_223
        let noise = Float(Int32(bitPattern: state)) * 0x1p-31
        let beat = 1 + sin(Float(frame) / 3_000)
        return level * (0.2 * sin(Float(frame) * 0.057_6) * beat + 0.01 * noise)
      }
    }
  }

  /// Renders a plugin by lv2apply.
  private func apply(_ uri: String, _ values: [String: Double], to rows: Rows) throws -> Rows {
    try FloatWave(channels: rows, sampleRateHz: 48_000).write(to: scratch.path("stage.wav"))
    let words = values.flatMap { ["-c", $0.key, "\($0.value)"] }
    let command =
      ["/usr/bin/lv2apply", "-i", "stage.wav", "-o", "result.wav"] + words + [uri]
    let result = try Program.start(command, in: scratch).finish()
    try #require(result.status == 0, "\(uri): \(result.error)")
    return try #require(scratch.samples("result.wav"))
  }

  /// Imports a project and renders the rig.
  private func render(_ project: String, _ rows: Rows) throws -> Rows {
    let directory = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent()
    let path = directory.appending(path: "Fixtures/imports/\(project)").path
    try FloatWave(channels: rows, sampleRateHz: 48_000).write(to: scratch.path("in.wav"))
    let imported = try Program.run(["import", path, "-o", "rig.yaml"], in: scratch)
    try #require(imported.status == 0, "\(imported.error)")
    let result = try Program.run(
      [
        "render", "--rig", "rig.yaml", "-i", "in.wav", "-o", "out.wav", "--block-length", "1",
        "--tail", "0", "--format", "float",
      ], in: scratch)
    try #require(result.status == 0, "\(result.error)")
    return try #require(scratch.samples("out.wav"))
  }

  /// Compares two renderings; lv2apply does not remove the latency in frames.
  private func check(
    _ rig: Rows, _ reference: Rows, latency: Int = 0, tolerance: Float = 0,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(rig.count == reference.count, sourceLocation: sourceLocation)
    for (ours, theirs) in zip(rig, reference) {
      let pairs = zip(ours, theirs.dropFirst(latency))
      let worst = pairs.map { abs($0 - $1) }.max() ?? .infinity
      let peak = theirs.map(abs).max() ?? 0
      #expect(worst <= tolerance && peak > 0.01, "\(worst)", sourceLocation: sourceLocation)
    }
  }

  @Test(.enabled(if: has("eg-amp.lv2", "mda.lv2"), "mda-lv2 is not installed"))
  func `the pedalboard Clean Echo has the same bits`() throws {
    let rows = input()
    let amp = try apply("http://lv2plug.in/plugins/eg-amp", ["gain": -4.5], to: [rows[0]])
    let reference = try apply(
      "http://drobilla.net/plugins/mda/Delay",
      [
        "l_delay": 0.5, "r_delay": 0.27, "feedback": 0.4, "fb_tone": 0.5, "fx_mix": 0.6,
        "output": 0.5,
      ], to: [amp[0], amp[0]])
    check(try render("Clean_Echo.pedalboard", rows), reference)
  }

  @Test(.enabled(if: has("eg-amp.lv2", "mda.lv2", "sc4-swh.lv2"), "swh-lv2 is not installed"))
  func `the pedalboard Parallel Drive has the same bits`() throws {
    let rows = input()
    let drive = try apply(
      "http://drobilla.net/plugins/mda/Overdrive", ["drive": 0.7, "muffle": 0, "output": 0.5],
      to: rows)
    // The compressor is bypassed.
    let amps = try rows.map {
      try apply("http://lv2plug.in/plugins/eg-amp", ["gain": -12], to: [$0])[0]
    }
    let reference = zip(drive, amps).map { zip($0, $1).map { $0 + $1 } }
    check(try render("Parallel_Drive.pedalboard", rows), reference)
  }

  @Test(
    .enabled(
      if: has("calf.lv2", "lsp-plugins.lv2"), "calf-plugins or lsp-plugins-lv2 is not installed"))
  func `the EasyEffects preset of a room has the same bits`() throws {
    let rows = input()
    var reference = try apply(
      Self.calf + "Filter", ["freq": 120, "res": decibels(-3), "mode": 4, "inertia": 20], to: rows)
    reference = try apply(
      Self.calf + "StereoTools", ["balance_out": 0.2, "sc_level": 1], to: reference)
    // EasyEffects always selects the mode of a time.
    reference = try apply(
      Self.lsp + "comp_delay_x2_stereo",
      [
        "mode_l": 2, "mode_r": 2, "time_l": 12, "time_r": 17.5, "dry_l": 0, "dry_r": 0, "wet_l": 1,
        "wet_r": 1,
      ], to: reference)
    reference = try apply(
      Self.calf + "Reverb",
      [
        "decay_time": 2.5, "hf_damp": 5_000, "room_size": 2, "diffusion": 0.5,
        "amount": decibels(-12), "dry": 1, "predelay": 20, "bass_cut": 300, "treble_cut": 5_000,
      ], to: reference)
    check(try render("easyeffects-room.json", rows), reference)
  }

  @Test(
    .enabled(
      if: has("calf.lv2", "lsp-plugins.lv2"), "calf-plugins or lsp-plugins-lv2 is not installed"))
  func `the EasyEffects preset of a bass differs only by rounding`() throws {
    let rows = input()
    var reference = try apply(
      Self.calf + "BassEnhancer",
      ["amount": decibels(6), "drive": 7, "blend": 0, "freq": 150, "floor": 20],
      to: scaled(rows, -3))
    var bands: [String: Double] = [:]
    for side in ["l", "r"] {
      // Type, mode, slope, frequency, Q and gain.
      for (band, values) in [
        [5, 0, 0, 80, 1.2, decibels(4)], [1, 6, 1, 900, 2, decibels(-3)],
        [3, 1, 0, 8_000, 0.7, decibels(2)],
      ].enumerated() {
        for (symbol, value) in zip(["ft", "fm", "s", "f", "q", "g"], values) {
          bands["\(symbol)\(side)_\(band)"] = value
        }
      }
    }
    reference = try apply(Self.lsp + "para_equalizer_x32_lr", bands, to: reference)
    reference = scaled(reference, -1.5)
    // Two more inputs are the side chain, which is not used.
    let silence = [Float](repeating: 0, count: reference[0].count)
    reference = try apply(
      Self.lsp + "sc_limiter_stereo",
      ["lk": 4, "at": 3, "rt": 8, "th": decibels(-2), "alr": 0, "boost": 1, "mode": 0, "ovs": 0],
      to: reference + [silence, silence])
    check(
      try render("easyeffects-bass.json", rows), reference, latency: 192, tolerance: 1e-6)
  }
}
