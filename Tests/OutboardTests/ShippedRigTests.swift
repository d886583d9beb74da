// ShippedRigTests.swift: the shipped rigs, and `outboard graph`. SPDX-License-Identifier: MIT

import Foundation
import Testing

@Suite struct `Shipped rigs` {
  private let scratch: TemporaryDirectory

  init() throws {
    scratch = try TemporaryDirectory()
    try scratch.addTone(frames: 24_000)
  }

  private static let directory = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "manifests/rigs")

  /// Every rig except the one that needs an LV2 plugin.
  static let native: [String] = {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
    return files.filter { $0.hasSuffix(".yaml") && $0 != "mic-reverb-lv2.yaml" }.sorted()
  }()

  @Test func `a rig for each classic use of a card exists`() {
    for name in [
      "straight-through", "mixer-pan", "mic-chain", "tones", "analyser", "offline", "mic-reverb",
    ] { #expect(Self.native.contains("\(name).yaml")) }
  }

  @Test(arguments: native) func `each passes a check, by path and by name`(_ file: String) throws {
    let scratch = try TemporaryDirectory()
    for name in [Self.directory.appending(path: file).path, String(file.dropLast(5))] {
      let text = try expectSuccess(["check", name], in: scratch).text
      #expect(text.hasPrefix("\(name): good ("))
    }
    let steps = try expectSuccess(["graph", String(file.dropLast(5))], in: scratch).text
    #expect(steps.contains("buffers, latency "))
  }

  /// Rigs that can render a file.
  private static let effects = native.filter { file in
    guard let text = try? text(of: file) else { return false }
    let connections = text.components(separatedBy: "connections:").last ?? ""
    return connections.contains(/\bin(:| ->)/) && connections.contains(/(-> |to: \"?)out\b/)
  }

  private static func text(of file: String) throws -> String {
    try String(contentsOf: directory.appending(path: file), encoding: .utf8)
  }

  @Test(arguments: effects)
  func `those with input and output render a file`(_ file: String) throws {
    let name = String(file.dropLast(5))
    let channels = try Self.text(of: file).contains(/input: .*channels: 1\b/) ? 1 : 2
    try scratch.addTone("take.wav", channels: channels, frames: 24_000)
    try expectSuccess(
      ["render", "--rig", name, "-i", "take.wav", "-o", "out.wav", "--tail", "0.1"], in: scratch)
    try expectAudio("out.wav", frames: 28_800)
  }

  @Test func `the tones play without an input`() throws {
    try expectSuccess(
      ["render", "--rig", "tones", "--duration", "0.6", "-o", "out.wav"], in: scratch)
    try expectAudio("out.wav", frames: 28_800)
  }

  /// Renders a rig and expects reports of its recordings.
  private func record(_ arguments: [String]) throws {
    let result = try Program.run(["render"] + arguments + ["-o", "out.wav"], in: scratch)
    #expect(result.status == 0 && result.error.contains(" s recorded."), "\(result.error)")
  }

  @Test func `test tones are recorded into separate files`() throws {
    let text = try Self.text(of: "tones-recorded.yaml").replacing(
      "autostart: no", with: "autostart: yes")
    try scratch.write(text, to: "tones.yaml")
    try record(["--rig", "tones.yaml", "--duration", "0.5"])
    let files = ["a", "b", "c", "d"].map { "home/tone-\($0)-001.flac" }
    for file in files {
      try expectSuccess(["render", "outboard.gain", "-i", file, "-o", "\(file).wav"], in: scratch)
    }
    let tones = try files.map { try #require(scratch.samples("\($0).wav"))[0] }
    let levels = tones.map { $0.prefix(24_000).map(abs).max() ?? 0 }
    #expect(levels.allSatisfy { abs($0 - 0.251) < 0.01 }, "\(levels)")
    #expect(Set(tones.map { $0.prefix(24_000) }).count == 4)
  }

  @Test func `a file is mixed with the microphone and recorded`() throws {
    let text = try Self.text(of: "backing-track.yaml").replacing(
      "autostart: no", with: "autostart: yes"
    )
    .replacing("../recordings", with: Self.directory.path + "/../recordings")
    try scratch.write(text, to: "track.yaml")
    try scratch.addTone("take.wav", channels: 1, frames: 96_000)
    try record(["--rig", "track.yaml", "-i", "take.wav", "--tail", "0"])
    try expectSuccess(
      [
        "render", "outboard.gain", "-i", "home/backing-track-001.wav", "-o", "tape.wav",
        "--tail", "0",
      ], in: scratch)
    let (out, tape) = try (
      #require(scratch.samples("out.wav")), #require(scratch.samples("tape.wav"))
    )
    let tone = try #require(scratch.samples("take.wav"))[0]
    // 24 bits, and the guitar together with the tone.
    #expect(zip(out[0], tape[0]).allSatisfy { abs($0 - $1) < 1e-6 })
    #expect(zip(out[0], tone).contains { abs($0 - $1 * Float(0.5).squareRoot()) > 0.02 })
  }

  @Test func `the output with a delay is recorded, and nothing is played`() throws {
    let text =
      try Self.text(of: "delay-to-file.yaml").replacing(
        "nodes:\n", with: "output: default\nnodes:\n")
      + "  - in -> out\n"
    try scratch.write(text, to: "delay.yaml")
    try record(["--rig", "delay.yaml", "-i", "in.wav", "--tail", "1"])
    try expectSuccess(
      ["render", "outboard.gain", "-i", "home/delay-001-01.flac", "-o", "tape.wav"], in: scratch)
    let tape = try #require(scratch.samples("tape.wav"))
    #expect(tape[0].count > 70_000 && tape[0][30_000...].contains { abs($0) > 0.05 })
  }

  @Test func `the analyser has no output to render`() throws {
    try expectFailure(
      ["render", "--rig", "analyser", "-i", "in.wav", "-o", "out.wav"], in: scratch,
      "No node is connected to the output. Nothing to render.")
  }

  @Test(.enabled(if: InstalledBundles.exist(["mda.lv2"]), "mda-lv2 is installed"))
  func `the rig with an LV2 reverb renders a file`() throws {
    let bundles = try InstalledBundles(["mda.lv2"])
    let scratch = try TemporaryDirectory(lv2: bundles.path)
    try scratch.addTone(frames: 24_000)
    try expectSuccess(
      [
        "render", "--rig", "mic-reverb-lv2", "-i", "in.wav", "-o", "out.wav", "--tail", "0.1",
      ], in: scratch)
    let output = try #require(scratch.samples("out.wav"))
    #expect(output.map(\.count) == [28_800, 28_800])
    #expect(output.allSatisfy { $0.contains { abs($0) > 0.01 } })
  }

  @Test func `a graph is a line for each step, or a drawing`() throws {
    let steps = try expectSuccess(["graph", "mixer-pan"], in: scratch).text
    #expect(steps.contains("desk: "))
    let drawing = try expectSuccess(["graph", "mixer-pan", "--dot"], in: scratch).text
    #expect(drawing.hasPrefix("digraph \"Mixer with pan\" {\n"))
    #expect(drawing.contains("n0 [label=\"desk\\nMixer\"];\n  in -> n0 "))
    #expect(drawing.hasSuffix("}\n"))
  }

  private func expectAudio(_ name: String, frames: Int) throws {
    let output = try #require(scratch.samples(name))
    #expect(output.map(\.count) == [frames, frames])
    #expect(output.allSatisfy { $0.allSatisfy { $0.isFinite && abs($0) <= 1 } })
    #expect(output.allSatisfy { $0.contains { abs($0) > 0.01 } })
  }
}
