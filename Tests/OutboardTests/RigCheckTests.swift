// RigCheckTests.swift: `check` refuses the same rigs as `run` and `render`. SPDX-License-Identifier: MIT

import Foundation
import LV2Fixtures
import Testing

@Suite struct `Checking a rig` {
  private let scratch: TemporaryDirectory

  init() throws {
    scratch = try TemporaryDirectory()
    try scratch.addTone()
    try scratch.addModule("crash", fixture: "crash_in_create")
  }

  private func rig(_ nodes: String, _ connections: String, more: String = "") -> String {
    """
    outboard: 1
    output: {device: dummy, channels: 2}
    input: {device: dummy, channels: 2}
    period: 256
    nodes: {\(nodes)}
    connections: [\(connections)]
    \(more)
    """
  }

  @Test(arguments: [
    ("g: {plugin: outboard.gain}", "in -> g -> out, {from: g, to: g, delay: 2 ms, gain: -9}"),
    ("g: {plugin: ./crash.yaml}", "in -> g -> out"),
    ("g: {plugin: outboard.convolver, properties: {impulse: missing.wav}}", "in -> g -> out"),
    ("g: {builtin: player, file: missing.wav}", "in -> out, g -> out"),
    ("g: {builtin: recorder, file: nowhere/take.wav}", "in -> g"),
    ("g: {plugin: outboard.gain, state: nowhere}", "in -> g -> out"),
    ("g: {builtin: meter, log: nowhere/levels.csv}", "in -> g -> out"),
  ])
  func `reports what run reports`(nodes: String, connections: String) throws {
    try scratch.write(rig(nodes, connections), to: "rig.yaml")
    let before = try scratch.files()
    let check = try Program.run(["check", "rig.yaml"], in: scratch)
    let run = try Program.run(["run", "--rig", "rig.yaml", "--duration", "0.1"], in: scratch)
    #expect(run.status != 0)
    #expect(check.status == 2 && check.text == "")
    #expect(check.error == run.error)
    #expect(try scratch.files() == before)
    let json = try Program.run(["check", "--json", "rig.yaml"], in: scratch)
    let reports = try #require(
      try JSONSerialization.jsonObject(with: json.output) as? [[String: Any]])
    #expect(reports.first?["good"] as? Bool == false)
  }

  /// Selects parts of a rig, the same for each seed.
  private struct Choices {
    var state: UInt64

    mutating func pick(_ texts: String...) -> String {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return texts[Int(state >> 33) % texts.count]
    }
  }

  private static func randomRig(_ seed: Int) -> String {
    var choices = Choices(state: UInt64(seed) &* 0x9e37_79b9_7f4a_7c15)
    let device = "{device: dummy, channels: \(choices.pick("2", "2", "2", "2", "1", "64"))}"
    let effect = choices.pick(
      "plugin: outboard.gain", "plugin: outboard.delay", "plugin: ./crash.yaml",
      "builtin: meter, log: \(choices.pick("l.csv", "l.csv", "no/l.csv", "l.txt"))",
      "builtin: mixer, channels: \(choices.pick("2", "2", "0", "3"))",
      "plugin: outboard.limiter, preset: \(choices.pick("Loud", "Nothing"))")
    let mix = choices.pick("", "", ", wet: 50 %", ", wet: 0.5", ", bypass: true")
    let rate = choices.pick("", "", "rate: 44100", "rate: 96000", "rate: 10")
    let period = choices.pick("", "", "period: 64", "period: 1024", "period: 0")
    let delay = choices.pick("0.1 ms", "2 ms", "6 ms", "8 ms", "30 ms", "61 s")
    let link = choices.pick(
      "{from: b, to: a, delay: \(delay), gain: -9 dB}", "{from: in, to: out, delay: \(delay)}",
      "{from: \(choices.pick("b", "c", "b:9")), to: a}", "{from: a, to: out, gain: -6 dB}")
    let scene = choices.pick("", "", "scenes: {s: {b.wet: 10 %}}", "scenes: {s: {a.gain: 1e9}}")
    return """
      outboard: 1
      input: {device: dummy, channels: 2}
      output: \(device)
      \(rate)
      \(period)
      nodes: {a: {plugin: outboard.gain}, b: {\(effect)\(mix)}}
      connections: [in -> a -> b -> out, \(link)]
      \(scene)
      """
  }

  @Test func `a recorder whose file cannot have the rig's rate is refused`() throws {
    try scratch.write(
      """
      outboard: 1
      rate: 1000
      nodes: {tape: {builtin: recorder, file: take.opus}}
      connections: [in -> tape]
      """, to: "slow.yaml")
    let result = try Program.run(["check", "slow.yaml"], in: scratch)
    #expect(result.status == 2)
    #expect(
      result.error.contains("take.opus cannot have a sample rate of 1000 Hz"), "\(result.error)")
  }

  @Test(arguments: 0 ..< 30) func `accepts and refuses the same rigs as run`(seed: Int) throws {
    let rig = Self.randomRig(seed)
    try scratch.write(rig, to: "rig.yaml")
    let check = try Program.run(["check", "rig.yaml"], in: scratch)
    let run = try Program.run(["run", "--rig", "rig.yaml", "--duration", "0.05"], in: scratch)
    let statement = "\(rig)\n\(check.error)\n\(run.error)"
    #expect((check.status == 0) == (run.status == 0), "\(statement)")
    let messages = Set(run.error.split(separator: "\n"))
    #expect(messages.isSuperset(of: check.error.split(separator: "\n")), "\(statement)")
  }

  @Test func `leaves no files for a valid rig, and accepts short delays`() throws {
    try scratch.write(
      rig(
        "g: {plugin: outboard.gain}, r: {builtin: recorder, file: take.wav}, m: {builtin: meter, log: l.csv}",
        "in -> g -> m -> out, m -> r, {from: in, to: out, delay: 3 ms}"), to: "rig.yaml")
    let before = try scratch.files()
    try expectSuccess(["check", "rig.yaml"], in: scratch)
    try expectSuccess(["graph", "rig.yaml"], in: scratch)
    #expect(try scratch.files() == before)
  }

  @Test func `checks only the file with plugin tests off`() throws {
    try scratch.write(rig("g: {plugin: ./crash.yaml}", "in -> g -> out"), to: "rig.yaml")
    try expectSuccess(["check", "--skip-preflight", "rig.yaml"], in: scratch)
  }

  @Test func `a short delay is exact together with a plugin with latency`() throws {
    try scratch.write(
      rig(
        "l: {plugin: outboard.limiter}",
        "\"in:1 -> l:1\", \"l:1 -> out:1\", {from: \"in:1\", to: \"out:2\", delay: 3 ms}"),
      to: "rig.yaml")
    var impulse = [Float](repeating: 0, count: 4_800)
    impulse[1_000] = 0.25
    try FloatWave(channels: [impulse, impulse], sampleRateHz: 48_000).write(
      to: scratch.path("i.wav"))
    var sounds: [[[Float]]] = []
    for block in ["37", "512"] {
      try expectSuccess(
        [
          "render", "--rig", "rig.yaml", "-i", "i.wav", "-o", "\(block).wav", "--block-length",
          block,
          "--format", "float",
        ],
        in: scratch)
      sounds.append(try #require(FloatWave(path: scratch.path("\(block).wav"))).channels)
    }
    #expect(sounds[0] == sounds[1])
    let places = sounds[0].map { channel in
      channel.indices.max { abs(channel[$0]) < abs(channel[$1]) } ?? 0
    }
    #expect(places == [1_000, 1_144])
  }
}
