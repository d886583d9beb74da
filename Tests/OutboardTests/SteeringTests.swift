// SteeringTests.swift: `outboard status`, `set` and `save` with a running session. SPDX-License-Identifier: MIT

import Foundation
import LV2Fixtures
import TestWaits
import Testing

@Suite struct `Control of a session` {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  private func outboard(_ arguments: String...) throws -> Program.Result {
    try Program.run(arguments, in: scratch)
  }

  /// Starts a run on the null device, and waits until it accepts requests.
  private func start(_ arguments: String...) throws -> Program.Running {
    let running = try Program.start(
      [Program.url.path, "run", "--out", "null", "--duration", "200"] + arguments, in: scratch)
    let deadline = Deadline()
    while try outboard("status").text.isEmpty { try deadline.rest(0.1) }
    return running
  }

  private func end(_ running: Program.Running) throws {
    running.process.terminate()
    #expect(try running.finish().status == 0)
  }

  @Test func `works from another terminal, and the result is saved`() throws {
    let running = try start("outboard.oscillator", "level=-20", "--name", "tone")
    let runs = try outboard("status", "--json")
    for key in ["revision", "devices", "deviceStates", "sampleRateHz", "periodFrames"] {
      #expect(runs.text.contains("\"\(key)\""), "\(runs.text)")
    }
    #expect(runs.text.contains("\"state\" : \"running\""), "\(runs.text)")
    let list = try #require(
      try JSONSerialization.jsonObject(with: runs.output) as? [[String: Any]])
    #expect(list.map { $0["name"] as? String } == ["tone"])
    let page = try String(
      contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../docs/reference/control-protocol.md"), encoding: .utf8)
    let start = try #require(page.range(of: "`outboard status --json` prints")).lowerBound
    let section = String(page[start...]).components(separatedBy: "\n\n")[0]
    for key in try #require(list.first).keys {
      #expect(section.contains("`\(key)`"), "\(key) is not documented")
    }
    let nodes = try #require(list.first?["nodes"] as? [[String: Any]])
    let name = try #require(nodes.first?["name"] as? String)

    let set = try outboard("set", name, "level=-40 dB", "frequency=1.5 kHz")
    #expect(set.status == 0 && set.error.isEmpty, "\(set.error)")
    #expect(try outboard("status").text.squeezed.contains("level -40 dB"))

    let saved = try outboard("save", "mine.yaml")
    #expect(saved.status == 0, "\(saved.error)")
    #expect(saved.text == "mine.yaml: saved. Restore it with `outboard run --rig mine.yaml`.\n")
    try end(running)

    let check = try outboard("check", "mine.yaml")
    #expect(check.status == 0, "\(check.error)")
    let rendered = try outboard(
      "render", "--rig", "mine.yaml", "--duration", "1", "-o", "out.wav", "--json")
    #expect(rendered.status == 0, "\(rendered.error)")
    let samples = try #require(scratch.samples("out.wav"))
    let peak = samples[0].map(abs).max() ?? 0
    #expect(abs(20 * log10(peak) + 40) < 0.1, "\(peak)")
  }

  @Test func `status shows bypass, wet level and files; names of sessions have any case`() throws {
    try FloatWave(channels: [[1, 0.5]], sampleRateHz: 48_000).write(to: scratch.path("hall.wav"))
    let running = try Program.start(
      [
        Program.url.path, "run", "--in", "dummy", "--out", "dummy", "outboard.convolver",
        "impulse=hall.wav", "--name", "room",
      ], in: scratch)
    defer { try? end(running) }
    let deadline = Deadline()
    while running.process.isRunning, try outboard("status").text.isEmpty { try deadline.rest(0.1) }
    #expect(try outboard("status").text.contains("  Convolver (outboard.convolver)\n"))
    let set = try outboard("set", "--session", "Room", "convolver", "bypass=on", "wet=40 %")
    #expect(set.status == 0, "\(set.error)")
    let status = try outboard("status").text
    #expect(status.contains("  Convolver (outboard.convolver), bypassed\n"))
    #expect(status.squeezed.contains("wet 40 %"))
    #expect(status.contains(#/ impulse +\S*hall.wav/#))
    #expect(
      try outboard("set", "--session", "Hall", "convolver", "mix=1").error
        == "outboard: No such session: hall; running: room.\n")
    #expect(try outboard("status", "--session", "Room").text.squeezed == status.squeezed)
    let other = try outboard("status", "--session", "Hall")
    #expect(other.status == 4 && other.text.isEmpty)
    #expect(other.error == "outboard: No such session: hall; running: room.\n")
  }

  @Test func `recalls scenes of the rig`() throws {
    try scratch.write(
      "outboard: 1\noutput: \"null\"\nnodes: {tone: {plugin: outboard.oscillator}}\n"
        + "connections: [tone -> out]\nscenes: {loud: {tone.level: -6}, soft: {over: 100 ms,"
        + " tone.level: -40}}\n", to: "tone.yaml")
    let running = try Program.start(
      [Program.url.path, "run", "--rig", "tone.yaml", "--duration", "200"], in: scratch)
    defer { try? end(running) }
    let deadline = Deadline()
    while try outboard("status").text.isEmpty { try deadline.rest(0.1) }
    #expect(try outboard("scene").text == "  loud\n  soft, over 0.1 s\n")
    #expect(try outboard("scene", "loud").status == 0)
    #expect(try outboard("status").text.squeezed.contains("level -6 dB"))
    #expect(try outboard("scene").text.hasPrefix("* loud\n"))
    #expect(try outboard("scene", "soft").status == 0)
    let deadline2 = Deadline()
    while try !outboard("status").text.squeezed.contains("level -40 dB") {
      try deadline2.rest(0.05)
    }
    #expect(try outboard("scene", "--store", "third").status == 0)
    #expect(try outboard("scene", "--json").text.contains("\"third\""))
    for (arguments, message) in [
      (["sotf"], "No such scene: sotf. Did you mean soft?"),
      (["soft", "--over", "soon"], "\"soon\" is not a morph time"),
      (["--store"], "--store needs the name of a scene, e.g. `outboard scene --store chorus`."),
      (
        ["--over", "2s"],
        "--over needs the name of a scene, e.g. `outboard scene chorus --over"
          + " 2s`."
      ),
      (["--store", "x", "--over", "2s"], "--store takes no time. Remove --over."),
      (["x", "--json"], "--json works only without a scene. Remove one."),
      ([""], "The name of the scene is empty."),
    ] {
      let result = try Program.run(["scene"] + arguments, in: scratch)
      // As JSON, if that was requested.
      let statement = result.error + result.text
      #expect(result.status == 2 && statement.contains(message), "\(statement)")
    }
  }

  @Test func `sets gains of connections`() throws {
    try scratch.write(
      """
      outboard: 1
      output: "null"
      nodes: {tone: {plugin: outboard.oscillator}, level: {plugin: outboard.gain}}
      connections: [{from: tone, to: out, gain: -6}, tone -> level -> out]
      """, to: "desk.yaml")
    let running = try Program.start(
      [Program.url.path, "run", "--rig", "desk.yaml", "--duration", "200"], in: scratch)
    defer { try? end(running) }
    let deadline = Deadline()
    while try outboard("status").text.isEmpty { try deadline.rest(0.1) }
    #expect(try outboard("set", "tone -> out", "gain=off").status == 0)
    #expect(try outboard("set", "tone->level", "gain=-12").status == 0)
    #expect(try outboard("set", "tone -> level", "gain=-20").status == 0)
    #expect(try outboard("undo").status == 0)
    for (arguments, message) in [
      (["tone -> levle", "gain=3"], "No connection leads from tone to levle. From tone there is"),
      (["tone -> level", "mix=3"], "a connection has a gain, as in gain=-6."),
      (["tone -> level", "gain=loud"], "gain = loud is not a gain. Allowed: -200 dB to 40 dB"),
      (["gain=6"], "Name the node first, as in `outboard set reverb gain=6`."),
      (["tone -> level"], "Specify the new values, e.g. `outboard set \"tone -> level\" gain=-6`."),
    ] {
      let result = try Program.run(["set"] + arguments, in: scratch)
      #expect(result.status == 2 && result.error.contains(message), "\(result.error)")
    }
    #expect(try outboard("save", "mine.yaml").status == 0)
    let saved = try String(contentsOfFile: scratch.path("mine.yaml"), encoding: .utf8)
    #expect(saved.contains("{from: tone, to: out, gain: off}"), "\(saved)")
    #expect(saved.contains("{from: tone, to: level, gain: -12}"), "\(saved)")
  }

  @Test func `reports requests that it cannot carry out`() throws {
    let running = try start("outboard.oscillator")
    defer { try? end(running) }
    let name = "Oscillator"
    for (arguments, status, message) in [
      (["set", "revreb", "mix=3"], 2, "No such node: revreb"),
      (["set", name, "lebel=3"], 2, "has no parameter lebel. Did you mean level?"),
      (["set", name, "level=loud"], 2, "level = loud is not a number"),
      (["set", name], 2, "Specify the new values, e.g. `outboard set \(name) mix=40`."),
      (["set", name, "level"], 2, "level is not a setting. Write a value as `mix=40`."),
      (["set", "--session", "nobody", name, "level=3"], 4, "No such session: nobody; "),
      (["save", "no-such/mine.yaml"], 1, "/no-such. Create it first."),
      (["save", "/dev/null/mine.yaml"], 1, "No such directory: /dev/null. Create it first."),
      (["save", "/proc/mine.yaml"], 1, "/proc/mine.yaml cannot be written: "),
    ] as [([String], Int32, String)] {
      let result = try Program.run(arguments, in: scratch)
      #expect(result.status == status, "\(arguments)")
      #expect(result.error.contains(message), "\(arguments): \(result.error)")
    }
    try scratch.write("precious", to: "mine.yaml")
    let refused = try outboard("save", "mine.yaml")
    #expect(refused.status == 1 && refused.error.contains("mine.yaml already exists"))
    #expect(try scratch.data("mine.yaml") == Data("precious".utf8))
    #expect(try outboard("save", "--force", "mine.yaml").status == 0)
  }

  @Test func `starts and stops recordings`() throws {
    // The device accepts any amount at once. The load node limits the rate.
    try scratch.write(
      """
      outboard: 1
      name: band
      output: {device: "null", channels: 1}
      nodes:
        tone: {plugin: outboard.oscillator}
        weight: {plugin: outboard.reverb, instances: 16}
        wet: {builtin: recorder, file: wet-%take.flac, channels: 1, autostart: no, preroll: 1 s}
        dry: {builtin: recorder, file: dry-%take.flac, channels: 1, autostart: no}
      connections: [tone -> weight -> out, tone -> wet, tone -> dry]
      """, to: "band.yaml")
    let running = try Program.start(
      [Program.url.path, "run", "--rig", "band.yaml", "--duration", "200"], in: scratch)
    let deadline = Deadline()
    while try outboard("status").text.isEmpty { try deadline.rest(0.1) }
    #expect(
      try outboard("record").error
        == "outboard: wet waits for its start.\noutboard: dry waits for its start.\n")
    #expect(
      try outboard("record", "start").error
        == "outboard: wet records to wet-001.flac.\noutboard: dry records to"
        + " dry-001.flac.\n")
    #expect(try outboard("record", "WET", "mark", "chorus").status == 0)
    for (arguments, message) in [
      (
        ["record", "wet", "start"], "wet: wet-001.flac is already being recorded. Stop it first."
      ),
      (["record", "wte", "stop"], "No such recorder: wte. Did you mean wet?"),
      (["record", "wet", "strat"], "Unknown command: strat. Did you mean start?"),
      (["record", "mark"], "mark needs a value, e.g. `mark chorus`."),
      (["record", "wet", "stop", "now"], "stop takes no value. Remove now."),
      (["record", "stop", "now"], "No such recorder: now. The rig has wet, dry."),
      (["record", "stop", "wet", "now"], "stop takes no value. Remove now."),
    ] {
      let result = try Program.run(arguments, in: scratch)
      #expect(result.status == 2 && result.error.contains(message), "\(result.error)")
    }
    #expect(try outboard("record", "stop").status == 0)
    #expect(try outboard("record", "start", "dry").error.contains("dry-002.flac"))
    try end(running)
    #expect(scratch.exists("wet-001.flac") && scratch.exists("dry-001.flac"))
    let labels = String(decoding: try scratch.data("wet-001.flac.labels.txt"), as: UTF8.self)
    #expect(labels.contains("\tchorus\n"), "\(labels)")
    #expect(scratch.exists("dry-002.flac"))
  }

  @Test func `starts and stops players`() throws {
    try scratch.addTone("band.wav", channels: 2, frames: 48_000 * 60)
    try scratch.write(
      """
      outboard: 1
      name: band
      output: {device: "null", channels: 2}
      nodes:
        band: {builtin: player, file: band.wav, autostart: no, loop: yes}
      connections: [band -> out]
      """, to: "band.yaml")
    let running = try Program.start(
      [Program.url.path, "run", "--rig", "band.yaml", "--duration", "200"], in: scratch)
    let deadline = Deadline()
    while try outboard("status").text.isEmpty { try deadline.rest(0.1) }
    #expect(
      try outboard("play").error == "outboard: band is silent at 0:00.0 of 1:00.0 in band.wav.\n")
    #expect(try outboard("play", "band", "seek", "0:30").status == 0)
    while try !outboard("play").error.contains("at 0:30.0 of") {}
    #expect(try outboard("play", "start").status == 0)
    while try !outboard("play").error.contains("band plays at ") {}
    #expect(try outboard("set", "band", "gain=-6 dB").status == 0)
    for (arguments, message) in [
      (["play", "start"], "band: band.wav is already playing."),
      (["play", "band", "seek", "2:00"], "band: band.wav is only 60.0 s long."),
      (["play", "bnad", "stop"], "No such player: bnad. Did you mean band?"),
      (["play", "band", "seek", "soon"], "soon is not a time. Use e.g. 90 s or 1:30."),
      (["play", "band", "seek"], "seek needs a value, e.g. `seek 1:30`."),
      (["record", "start"], "This rig has no recorder. Add a node with builtin: recorder."),
    ] {
      let result = try Program.run(arguments, in: scratch)
      #expect(result.status == 2 && result.error.contains(message), "\(result.error)")
    }
    #expect(try outboard("save", "home/mine.yaml").status == 0)
    let saved = String(decoding: try scratch.data("home/mine.yaml"), as: UTF8.self)
    #expect(saved.contains("file: \(scratch.directory.path)/band.wav\n"), "\(saved)")
    try end(running)
  }

  @Test func `starts with a scene`() throws {
    try scratch.write(
      """
      outboard: 1
      nodes: {tone: {plugin: outboard.oscillator}}
      connections: [tone -> out]
      scenes: {quiet: {tone.level: -37}}
      """, to: "rig.yaml")
    let running = try start("--rig", "rig.yaml", "--scene", "quiet")
    #expect(try outboard("status").text.squeezed.contains("level -37 dB"))
    try end(running)
    let wrong = try outboard("run", "--rig", "rig.yaml", "--out", "null", "--scene", "loud")
    #expect(wrong.status == 2 && wrong.error.contains("loud"), "\(wrong.error)")
  }

  @Test func `works only while a session runs`() throws {
    let result = try outboard("set", "tone", "level=3")
    #expect(result.status == 4)
    #expect(
      result.error
        == "outboard: No running session. Start one with `outboard run`.\n")
    let runs = try outboard("status", "--json")
    #expect(runs.status == 4 && runs.text == "[\n\n]\n")
    let text = try outboard("status")
    #expect(text.status == 4 && text.error == result.error)
  }
}
