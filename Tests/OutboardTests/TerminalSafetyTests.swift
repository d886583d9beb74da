// TerminalSafetyTests.swift: names with control characters on the terminal. SPDX-License-Identifier: MIT

import Foundation
import LV2Fixtures
import TestWaits
import Testing

@Suite struct `Names with control characters` {
  /// A title, a cleared screen, a C1 sequence, and an override of the text direction.
  private static let evil = "\u{1b}]0;pwned\u{7}\u{1b}[2J\u{9b}31m\u{202e}x\u{2066}"
  private static let yaml = #"\e]0;pwned\a\e[2J\x9b31m\u202ex\u2066"#

  private func isHarmless(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      let isControl = scalar.value < 0x20 && scalar != "\n" && scalar != "\t"
      return !isControl && !(0x7f ..< 0xa0 ~= scalar.value) && !scalar.properties.isBidiControl
    }
  }

  private func check(_ arguments: [String], in scratch: TemporaryDirectory) throws {
    for more in [[], ["--json"]] {
      let result = try Program.run(arguments + more, in: scratch)
      let all = result.text + result.error
      #expect(isHarmless(all), "\(arguments): \(all.debugDescription)")
      guard !more.isEmpty, !result.output.isEmpty else { continue }
      #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: result.output) }
    }
  }

  @Test func `are escaped in names of a rig`() throws {
    let scratch = try TemporaryDirectory()
    let name = Self.yaml
    try scratch.write(
      """
      outboard: 1
      name: "\(name)"
      "\(name)": 1
      nodes:
        "\(name)": {plugin: "\(name)", parameters: {"\(name)": "\(name)"}}
        gain: {plugin: outboard.gain, parameters: {gain: "\(name)", "\(name)": 1}}
      connections: ["\(name) -> out", in -> gain -> out]
      scenes: {"\(name)": {gain.gain: 1}}
      """, to: "evil.yaml")
    try check(["check", "evil.yaml"], in: scratch)
    let statement = try Program.run(["check", "evil.yaml"], in: scratch)
    #expect((statement.error + statement.text).contains(#"\u{1B}]0;pwned\u{7}"#), "\(statement)")
    try check(["run", Self.evil], in: scratch)
    try check(
      ["render", "outboard.gain", "\(Self.evil)=1", "-i", "x.wav", "-o", "y.wav"], in: scratch)
    try check(["render", "outboard.gain", "-i", Self.evil, "-o", "y.wav"], in: scratch)
    try check(["save", "--session", Self.evil, "x"], in: scratch)
    try check(["\(Self.evil)"], in: scratch)
    try check(["list", "--kind", Self.evil], in: scratch)
  }

  @Test func `are escaped in names of a session`() throws {
    let scratch = try TemporaryDirectory()
    let name = Self.yaml
    try scratch.write(
      """
      outboard: 1
      name: "\(name)"
      output: dummy
      nodes: {tone: {plugin: outboard.oscillator}}
      connections: [tone -> out]
      scenes: {"\(name)": {over: 1 s}}
      """, to: "evil.yaml")
    let running = try Program.start(
      [Program.url.path, "run", "--rig", "evil.yaml"], in: scratch)
    let deadline = Deadline()
    while try Program.run(["status"], in: scratch).text.isEmpty {
      try #require(running.process.isRunning)
      try deadline.rest(0.1)
    }
    for command in [
      ["status"], ["scene"], ["scene", Self.evil], ["set", Self.evil, "a=1"],
      ["top", "--count", "1"],
      ["set", "tone", "\(Self.evil)=1"], ["set", "tone", "level=\(Self.evil)"],
      ["load", Self.evil], ["save", "\(Self.evil)/x"],
    ] {
      let result = try Program.run(command, in: scratch)
      #expect(isHarmless(result.text + result.error), "\(command)")
    }
    running.process.terminate()
    let result = try running.finish()
    #expect(isHarmless(result.text + result.error), "\(result.error.debugDescription)")
  }

  @Test func `are escaped in names of a plugin and its directory`() throws {
    let bundles = try BundleDirectory(["witness"])
    let evil = bundles.path + "/\(Self.evil).lv2"
    try FileManager.default.copyItem(atPath: bundles.bundle("witness"), toPath: evil)
    let turtle = evil + "/plugin.ttl"
    let text = try String(contentsOfFile: turtle, encoding: .utf8)
      .replacingOccurrences(of: "urn:outboard:test:witness", with: "urn:outboard:test:evil")
      .replacing(/doap:name "[^"]*"/, with: #"doap:name "\u001B[2J\u009B\u202Eevil""#)
    try text.write(toFile: turtle, atomically: true, encoding: .utf8)
    let manifest = evil + "/manifest.ttl"
    try String(contentsOfFile: manifest, encoding: .utf8)
      .replacingOccurrences(of: "urn:outboard:test:witness", with: "urn:outboard:test:evil")
      .write(toFile: manifest, atomically: true, encoding: .utf8)
    let empty = bundles.path + "/\(Self.evil)2.lv2"
    try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: false)
    let scratch = try TemporaryDirectory(lv2: bundles.path)
    for command in [
      ["list"], ["list", "--unusable"], ["info", "urn:outboard:test:evil"], ["info", "evil"],
      ["info", "e"], ["validate", "urn:outboard:test:evil"],
    ] { try check(command, in: scratch) }
  }

  @Test func `are escaped if a compiler repeats them`() throws {
    let scratch = try TemporaryDirectory()
    try scratch.write("#error \"\(Self.evil)\"\nint \(Self.evil);\n", to: "evil.c")
    try check(["validate", "evil.c"], in: scratch)
    try check(["render", "evil.c", "--duration", "1", "-o", "x.wav"], in: scratch)
  }
}
