// RigFaultTests.swift: rigs with errors. SPDX-License-Identifier: MIT

import Foundation
import Testing

@Suite struct `Rigs with errors` {
  private let scratch: TemporaryDirectory

  init() throws {
    scratch = try TemporaryDirectory()
    try scratch.addTone()
  }

  /// `check`, `graph` and `render` print the same message.
  private func refuses(_ rig: String, says message: String) throws {
    try scratch.write(rig, to: "rig.yaml")
    try expectFailure(["check", "rig.yaml"], in: scratch, message)
    try expectFailure(["graph", "rig.yaml"], in: scratch, message)
    try expectFailure(
      ["render", "--rig", "rig.yaml", "-i", "in.wav", "-o", "out.wav"], in: scratch, message)
  }

  @Test
  func `for a misspelt rig the nearest is suggested, and one in place of a plugin is recognised`()
    throws
  {
    for command in [["check"], ["graph"], ["render", "-o", "out.wav", "-i", "in.wav", "--rig"]] {
      try expectFailure(
        command + ["mic-chian"], in: scratch,
        "mic-chian: no such file or installed rig. Did you mean mic-chain?")
    }
    try scratch.write(
      "outboard: 1\nnodes: {g: {plugin: outboard.gain}}\nconnections: [in -> g -> out]\n",
      to: "mine.yaml")
    for name in ["mic-chain", "mine.yaml"] {
      try expectFailure(
        ["render", name, "-i", "in.wav", "-o", "out.wav"], in: scratch,
        "\(name) is a rig, not a plugin. Use --rig \(name).")
      for command in ["validate", "bench"] {
        try expectFailure(
          [command, name], in: scratch,
          "\(name) is a rig, not a plugin. Name one of its plugins.")
      }
      try expectFailure(
        ["info", name], in: scratch,
        "\(name) is a rig, not a plugin. `outboard graph` shows its connections.")
    }
  }

  @Test func `a YAML error names its line`() throws {
    try refuses(
      "outboard: 1\nconnections:\n\t- in -> out\n",
      says: "rig.yaml:3: YAML does not allow tabs here. Indent with spaces.")
  }

  @Test func `for an unknown key the nearest is suggested`() throws {
    try refuses(
      "outboard: 1\nconections: [in -> out]\n",
      says: "rig.yaml:2: conections: unknown key. Did you mean \"connections\"?")
  }

  @Test func `a connection to a missing node names it`() throws {
    try refuses(
      """
      outboard: 1
      nodes: {reverb: {plugin: outboard.reverb}}
      connections:
        - in -> revreb -> out
      """,
      says: "rig.yaml:4: connections[1]: no such node: \"revreb\". Did you mean \"reverb\"?")
  }

  @Test func `a loop names every node in it`() throws {
    try refuses(
      """
      outboard: 1
      nodes: {a: {plugin: outboard.gain}, b: {plugin: outboard.gain}}
      connections:
        - in -> a -> b -> out
        - b -> a
      """,
      says: "rig.yaml:5: connections[2]: feedback loop: a -> b -> a. Remove a connection or"
        + " add a delay: {from: b, to: a, delay: 20 ms}.")
  }

  @Test func `channels that do not match are reported`() throws {
    try refuses(
      """
      outboard: 1
      nodes: {gain: {plugin: outboard.gain}, desk: {builtin: mixer, channels: 3}}
      connections:
        - in -> gain -> desk -> out
      """,
      says: "rig.yaml:4: connections[1]: gain has 2 channels and desk has 3. Name the channels in a"
        + " rig, e.g. gain -> desk:1-2.")
  }

  @Test func `faulty plugins and values are all reported with their lines`() throws {
    try refuses(
      """
      outboard: 1
      nodes:
        a: {plugin: outboard.trmolo}
        b: {plugin: xyzzyxyzzy}
      connections: [in -> a -> b -> out]
      """,
      says:
        "rig.yaml:3: nodes.a.plugin: No such plugin: \"outboard.trmolo\". Similar plugins:"
        + " Tremolo (outboard.tremolo).\n"
        + "outboard: rig.yaml:4: nodes.b.plugin: No such plugin: \"xyzzyxyzzy\". Run `outboard"
        + " list` to see all plugins.")
  }

  @Test func `a faulty value is reported at its line`() throws {
    try refuses(
      """
      outboard: 1
      nodes:
        a:
          plugin: outboard.gain
          parameters:
            gain: loud
      connections: [in -> a -> out]
      """,
      says: "rig.yaml:6: nodes.a.parameters.gain: gain = loud is not a number. Allowed: -90"
        + " to 24 dB.")
  }

  @Test func `a missing rig, a directory and a file that is not text are refused`() throws {
    try expectFailure(
      ["check", "nowhere.yaml"], in: scratch, "nowhere.yaml: no such file.")
    try expectFailure(
      ["check", "home"], in: scratch, "home: this is a directory. Name the YAML file in it.")
    try scratch.write("void process(void) {}", to: "fx.c")
    try expectFailure(
      ["check", "fx.c"], in: scratch,
      "fx.c: this is the source of a plugin, not a rig. Check it with `outboard validate fx.c`, or"
        + " play it with `outboard run fx.c`.")
    try scratch.write(Data([0x61, 0xff, 0xfe]), to: "bytes.yaml")
    try expectFailure(
      ["check", "bytes.yaml"], in: scratch,
      "bytes.yaml:1: byte 0xFF is not valid UTF-8. Save the file as UTF-8.")
  }

  @Test func `a rig for files cannot be run`() throws {
    try scratch.write("outboard: 1\nconnections: [in -> out]\n", to: "rig.yaml")
    try expectFailure(
      ["run", "--rig", "rig.yaml"], in: scratch,
      "rig.yaml names no device. Specify --in or --out, or render a file with `outboard render"
        + " --rig rig.yaml -i IN -o OUT`.")
  }

  @Test func `a rig without devices uses those of the command line`() throws {
    try scratch.write(
      "outboard: 1\nnodes: {t: {plugin: outboard.oscillator}}\nconnections: [t -> out]\n",
      to: "rig.yaml")
    let result = try Program.run(
      ["run", "--rig", "rig.yaml", "--out", "dummy", "--duration", "0.1", "--json"], in: scratch)
    #expect(result.status == 0, "\(result.error)")
  }

  @Test func `errors are JSON with line and key`() throws {
    try scratch.write("outboard: 1\nconections: [in -> out]\n", to: "rig.yaml")
    let result = try Program.run(["check", "rig.yaml", "--json"], in: scratch)
    #expect(result.status == 2)
    #expect(result.error == "")
    struct Report: Decodable {
      struct Mistake: Decodable, Equatable {
        let line: Int
        let key: String
        let message: String
      }
      let file: String
      let good: Bool
      let errors: [Mistake]
    }
    let reports = try JSONDecoder().decode([Report].self, from: result.output)
    #expect(reports.map(\.file) == ["rig.yaml"])
    #expect(reports.map(\.good) == [false])
    #expect(
      reports[0].errors == [
        .init(
          line: 2, key: "conections", message: "unknown key. Did you mean \"connections\"?")
      ])
  }
}
