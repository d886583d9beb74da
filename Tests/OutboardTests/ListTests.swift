// ListTests.swift: `outboard list` and `outboard info`. SPDX-License-Identifier: MIT

import Foundation
import LV2Fixtures
import Testing

@Suite struct `Listing and describing` {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  /// The identifiers in the order of the names.
  static let shipped: [String] = {
    let directory = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "manifests/modules")
    let files = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
    func name(_ file: String) -> String {
      let text = try? String(contentsOf: directory.appending(path: file), encoding: .utf8)
      let line = text?.split(separator: "\n").first { $0.hasPrefix("name: ") }
      return line?.lowercased() ?? ""
    }
    return files.sorted { name($0) < name($1) }.map { "outboard.\($0.dropLast(5))" }
  }()

  private struct Plugin: Decodable {
    struct Port: Decodable {
      let symbol: String
      let name: String
    }
    struct Control: Decodable {
      let symbol: String
      let minimum: Double
      let `default`: Double
      let maximum: Double
    }
    let id: String
    let name: String
    let kind: String
    let category: String
    let license: String
    let audioInputs: [Port]
    let audioOutputs: [Port]
    let parameters: [Control]
    let usable: Bool
    let reason: String?
  }

  private func list(_ arguments: String...) throws -> [Plugin] {
    let result = try expectSuccess(["list", "--json"] + arguments, in: scratch)
    return try JSONDecoder().decode([Plugin].self, from: result.output)
  }

  @Test func `the table has a line for each plugin, in columns`() throws {
    let lines = try expectSuccess(["list"], in: scratch).text.split(separator: "\n")
    #expect(lines.count == Self.shipped.count + 1)
    #expect(
      lines[0].split(separator: " ") == ["NAME", "KIND", "CATEGORY", "IN", "OUT", "ID"])
    #expect(lines.dropFirst().map { String($0.split(separator: " ").last ?? "") } == Self.shipped)
    let columns = Set(
      lines.dropFirst().map { $0.range(of: "module")?.lowerBound.utf16Offset(in: $0) })
    #expect(columns.count == 1)
    let oscillator = lines.first { $0.hasPrefix("Oscillator ") }?.split(separator: " ")
    #expect(oscillator == ["Oscillator", "module", "Oscillator", "0", "1", "outboard.oscillator"])
  }

  @Test func `as JSON it is complete`() throws {
    let plugins = try list()
    #expect(plugins.map(\.id) == Self.shipped)
    #expect(plugins.allSatisfy { $0.kind == "module" && $0.usable && $0.reason == nil })
    #expect(plugins.allSatisfy { $0.license == "MIT" && !$0.category.isEmpty })
    for parameter in plugins.flatMap(\.parameters) {
      #expect(parameter.minimum < parameter.maximum)
      #expect((parameter.minimum ... parameter.maximum).contains(parameter.default))
    }
    let gain = try #require(plugins.first { $0.id == "outboard.gain" })
    #expect(
      gain.parameters.map(\.symbol) == ["gain", "balance", "mute", "invert_left", "invert_right"])
    #expect(gain.audioInputs.map(\.name) == ["Left", "Right"])
    #expect(gain.audioOutputs.count == 2)
  }

  @Test func `words, category, kind and channels filter it`() throws {
    let all = try list()
    func expect(_ arguments: [String], _ isMeant: (Plugin) -> Bool) throws {
      let meant = all.filter(isMeant)
      #expect(!meant.isEmpty && meant.count < all.count, "\(arguments)")
      let result = try expectSuccess(["list", "--json"] + arguments, in: scratch)
      let listed = try JSONDecoder().decode([Plugin].self, from: result.output)
      #expect(listed.map(\.id) == meant.map(\.id), "\(arguments)")
    }
    try expect(["tremolo"]) { $0.id == "outboard.tremolo" }
    try expect(["outboard", "tremo"]) { $0.id == "outboard.tremolo" }
    try expect(["--category", "amplifier"]) { $0.category == "Amplifier" }
    try expect(["--inputs", "0"]) { $0.audioInputs.isEmpty }
    try expect(["--inputs", "2", "--outputs", "2"]) {
      $0.audioInputs.count == 2 && $0.audioOutputs.count == 2
    }
    try expect(["--outputs", "1"]) { $0.audioOutputs.count == 1 }
    #expect(try list("--kind", "module").count == Self.shipped.count)
    #expect(try list("--kind", "lv2").isEmpty)
  }

  @Test func `a search without a match is reported`() throws {
    let result = try Program.run(["list", "xyzzyxyzzy"], in: scratch)
    #expect(result.text == "")
    #expect(
      result.error == "outboard: No installed plugin matches. Run `outboard list` to see all"
        + " plugins.\n")
    #expect(result.status == 0)
  }

  @Test func `LV2 plugins are listed, also unusable ones with the reason`() throws {
    let bundles = try BundleDirectory(["witness", "required_feature"])
    let scratch = try TemporaryDirectory(lv2: bundles.path)
    let result = try expectSuccess(["list", "--kind", "lv2", "--json"], in: scratch)
    let plugins = try JSONDecoder().decode([Plugin].self, from: result.output)
    #expect(Set(plugins.map(\.id)).contains("urn:outboard:test:witness"))
    let refused = plugins.filter { !$0.usable }
    #expect(refused.map(\.id) == ["urn:outboard:test:required_feature"])
    #expect(refused.first?.reason == (try bundles.expectation("required_feature")))
    let why = try expectSuccess(["list", "--unusable"], in: scratch)
    #expect(why.text.contains(try bundles.expectation("required_feature")))
  }

  @Test func `a plugin that cannot be hosted is refused with the reason, also with values`() throws
  {
    try scratch.write(
      """
      <urn:outboard:test:empty> a <http://lv2plug.in/ns/lv2core#Plugin> ;
        <http://lv2plug.in/ns/lv2core#binary> <empty.so> ;
        <http://usefulinc.com/ns/doap#name> "Empty" .
      """, to: "nothing/empty.lv2/manifest.ttl")
    let plugin = ["urn:outboard:test:empty", "gain=3", "mix=2"]
    let reason = "Empty declares no ports in its bundle."
    for arguments in [
      ["bench"] + plugin, ["render"] + plugin + ["-i", "in.wav", "-o", "out.wav"],
      ["measure", plugin.joined(separator: " ")], ["measure", plugin[0]],
      ["run", "--out", "dummy"] + plugin,
    ] {
      let result = try Program.run(arguments, in: scratch)
      #expect(result.error == "outboard: \(reason)\n", "\(arguments)")
      #expect(result.status == (arguments[0] == "bench" ? 1 : 2), "\(arguments)")
    }
    #expect(try Program.run(["validate"] + plugin, in: scratch).text.contains(reason))
  }

  @Test func `the installed rigs are listed`() throws {
    let text = try expectSuccess(["list", "--rigs"], in: scratch).text
    #expect(text.contains("mic-chain") && text.contains("/mic-chain.yaml"), "\(text)")
    let rigs = try JSONDecoder().decode(
      [[String: String]].self,
      from: expectSuccess(["list", "--rigs", "--json"], in: scratch).output)
    #expect(rigs.contains { $0["name"] == "mic-chain" && $0["path"] != nil })
  }

  @Test func `the description shows ports, parameters and usability`() throws {
    let text = try expectSuccess(["info", "gain"], in: scratch).text
    #expect(text.hasPrefix("Gain\n  outboard.gain\n"))
    for line in [
      #/ +License +MIT/#, #/ +Hosted +yes/#, #/ +left_in +Left +main/#,
      #/ +gain +0 +-90 +24 +dB +linear +Gain/#,
    ] { #expect(text.contains(line)) }
    let result = try expectSuccess(["info", "outboard.gain", "--json"], in: scratch)
    let plugin = try JSONDecoder().decode(Plugin.self, from: result.output)
    #expect(plugin.id == "outboard.gain")
    #expect(plugin.parameters.count == 5)
  }

  @Test func `a refused plugin is described with the reason`() throws {
    try scratch.addModule("deadly", fixture: "crash_in_create")
    let text = try expectSuccess(["info", "./deadly.so"], in: scratch).text
    #expect(
      text.contains(
        "no: deadly crashed (signal 11, segmentation fault) while it was created (in "))
  }
}
