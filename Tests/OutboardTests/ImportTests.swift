// ImportTests.swift: `outboard import`. SPDX-License-Identifier: MIT

import Foundation
import Testing

@Suite struct `Projects of other hosts are imported` {
  private static let commands = """
    add http://lv2plug.in/plugins/eg-amp 0
    param_set 0 gain -6
    connect system:capture_1 effect_0:in
    connect effect_0:out system:playback_1
    """
  private let scratch: TemporaryDirectory

  init() throws {
    scratch = try TemporaryDirectory(lv2: "/usr/lib/lv2")
    try scratch.write(Self.commands, to: "chain.txt")
  }

  @Test func `wrong requests are refused, and nothing is overwritten`() throws {
    try scratch.write("kept", to: "rig.yaml")
    try scratch.write("words", to: "words")
    for (arguments, message) in [
      (["gone"], "gone: no such file."),
      (
        ["words"],
        "words is not a project that Outboard can import. It imports projects and presets of Carla, LV2,"
          + " mod-host, MOD, EasyEffects, PipeWire and ecasound."
      ),
      (
        ["chain.txt", "-o", "rig.yaml"],
        "rig.yaml already exists. Choose another name or use --force."
      ),
    ] {
      try expectFailure(["import"] + arguments, in: scratch, message)
    }
    #expect(try scratch.data("rig.yaml") == Data("kept".utf8))
  }

  @Test func `a rig of connections alone can be compared`() throws {
    try scratch.addTone("in.wav", channels: 1)
    try scratch.write(
      "outboard: 1\ninput: {device: default, channels: 1}\n"
        + "output: {device: default, channels: 1}\nconnections: [in -> out]\n", to: "wire.yaml")
    try expectSuccess(
      ["compare", "in.wav", "wire.yaml", "-i", "in.wav", "--tolerance", "exact"], in: scratch)
  }

  @Test(.enabled(if: InstalledBundles.exist(["eg-amp.lv2"])))
  func `the rig sounds like the project`() throws {
    try scratch.addTone("in.wav", channels: 1)
    let printed = try expectSuccess(["import", "chain.txt"], in: scratch)
    try expectSuccess(["import", "chain.txt", "-o", "rig.yaml"], in: scratch)
    #expect(try scratch.data("rig.yaml") == printed.output)
    let result = try Program.run(
      [
        "compare", "rig.yaml", "http://lv2plug.in/plugins/eg-amp gain=-6", "-i", "in.wav",
        "--tolerance", "exact",
      ], in: scratch)
    #expect(result.status == 0, "\(result.text)\(result.error)")
    try expectSuccess(["import", "chain.txt", "-o", "rig.yaml", "--force", "--json"], in: scratch)
  }

  @Test func `biquads of PipeWire render as the Audio EQ Cookbook says`() throws {
    try scratch.write(
      """
      context.modules = [ { name = libpipewire-module-filter-chain args = { filter.graph = {
        nodes = [
          { type = builtin name = a label = bq_peaking control = { Freq = 9000 Q = 1.5 Gain = -9 } }
          { type = builtin name = b label = bq_lowpass control = { Freq = 12000 } }
        ]
        links = [ { output = "a:Out" input = "b:In" } ] } audio.channels = 2 } } ]
      """, to: "eq.conf")
    let input = try scratch.addTone()
    try expectSuccess(["import", "eq.conf", "-o", "eq.yaml"], in: scratch)
    try expectSuccess(
      [
        "render", "--rig", "eq.yaml", "-i", "in.wav", "-o", "out.wav", "--format", "float",
        "--tail", "0",
      ], in: scratch)
    let output = try #require(scratch.samples("out.wav"))
    let (w, v) = (2 * Double.pi * 9_000 / 48_000, 2 * Double.pi * 12_000 / 48_000)
    let (alpha, a, beta) = (sin(w) / 3, pow(10, -9 / 40.0), sin(v) / 2.0.squareRoot())
    let bell = [
      1 + alpha * a, -2 * cos(w), 1 - alpha * a, 1 + alpha / a, -2 * cos(w), 1 - alpha / a,
    ]
    let low = [
      (1 - cos(v)) / 2, 1 - cos(v), (1 - cos(v)) / 2, 1 + beta, -2 * cos(v), 1 - beta,
    ]
    for (rendered, dry) in zip(output, input) {
      let wanted = filtered(filtered(dry.map(Double.init), bell), low)
      let error = zip(rendered, wanted).map { abs(Double($0) - $1) }.max() ?? 1
      #expect(error < 1e-6 && rendered.count == dry.count, "\(error)")
    }
  }

  /// Filters by the direct form, with the coefficients `b0 b1 b2 a0 a1 a2`.
  private func filtered(_ input: [Double], _ c: [Double]) -> [Double] {
    var (x1, x2, y1, y2) = (0.0, 0.0, 0.0, 0.0)
    return input.map { x in
      let y = (c[0] * x + c[1] * x1 + c[2] * x2 - c[4] * y1 - c[5] * y2) / c[3]
      (x1, x2, y1, y2) = (x, x1, y, y1)
      return y
    }
  }

  /// Copies a directory that jalv saved.
  private func copy(_ name: String) throws {
    let fixtures = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Fixtures/imports")
    try FileManager.default.copyItem(
      atPath: fixtures.appending(path: name).path, toPath: scratch.path(name))
  }

  @Test(.enabled(if: InstalledBundles.exist(["eg-amp.lv2"])))
  func `a directory of jalv is named by the directory`() throws {
    try copy("jalv-amp")
    let text = try expectSuccess(["import", "jalv-amp"], in: scratch).text
    #expect(text.contains("name: jalv-amp\n") && text.contains("gain: -7.5 dB"), "\(text)")
    let file = try expectSuccess(["import", "jalv-amp/state.ttl"], in: scratch).text
    #expect(file.contains("gain: -7.5 dB"), "\(file)")
  }

  @Test(.enabled(if: InstalledBundles.exist(["eg-sampler.lv2"])))
  func `a state of jalv with a linked file is restored`() throws {
    try copy("jalv-sampler")
    // jalv links files: here to another sample than the plugin's own.
    try scratch.addTone("tone.wav", channels: 1)
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path("jalv-sampler/click.wav"), withDestinationPath: scratch.path("tone.wav"))
    try expectSuccess(["import", "jalv-sampler", "-o", "rig.yaml"], in: scratch)
    let note: [UInt8] = [0, 0x90, 60, 127, 96, 0xFF, 0x2F, 0]
    try scratch.write(
      Data(
        Array("MThd".utf8) + [0, 0, 0, 6, 0, 0, 0, 1, 0, 96] + Array("MTrk".utf8)
          + [0, 0, 0, UInt8(note.count)] + note), to: "note.mid")
    try expectSuccess(
      ["render", "--rig", "rig.yaml", "--midi", "note.mid", "-o", "out.wav"], in: scratch)
    let output = try #require(scratch.samples("out.wav")?.first)
    let tone = try #require(scratch.samples("tone.wav")?.first)
    // The sample begins with the note.
    let error = zip(output, tone).prefix(4_000).map { abs($0 - $1) }.max() ?? 1
    #expect(error < 1e-3, "\(error)")
  }
}
