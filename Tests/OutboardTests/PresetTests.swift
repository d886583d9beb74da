// PresetTests.swift: presets and states on the command line and in rigs. SPDX-License-Identifier: MIT

import Foundation
import LV2Fixtures
import Testing

@Suite struct PresetTests {
  private let bundles: BundleDirectory
  private let scratch: TemporaryDirectory
  private let input: [Float]

  init() throws {
    bundles = try BundleDirectory(["state"])
    scratch = try TemporaryDirectory(lv2: bundles.path + ":~/.lv2")
    input = try scratch.addTone(channels: 1)[0]
  }

  /// Returns the level of a rendering, and checks that it differs from the input only in level.
  private func level(_ words: String...) throws -> Float {
    _ = try expectSuccess(
      ["render"] + words + ["-i", "in.wav", "-o", "out.wav", "--force", "--format", "float"],
      in: scratch)
    let output = try #require(scratch.samples("out.wav")?.first)
    let level = output[10] / input[10]
    #expect(zip(input, output).allSatisfy { abs($0 * level - $1) < 1e-6 })
    return level
  }

  private struct Preset: Decodable, Equatable {
    var name: String
    var uri: String
    var bank: String?
    var bankURI: String?
  }

  private func presets() throws -> [Preset] {
    try JSONDecoder().decode(
      [Preset].self,
      from: expectSuccess(["preset", "list", "State", "--json"], in: scratch).output)
  }

  @Test func `a plugin without presets is reported as such`() throws {
    try expectSuccess(
      ["preset", "list", "outboard.loudness-meter"], in: scratch,
      remark: "outboard: Loudness meter has no presets.\n")
    let json = try expectSuccess(
      ["preset", "list", "outboard.loudness-meter", "--json"], in: scratch)
    #expect(json.text == "[\n\n]\n")
  }

  @Test func `presets are listed by bank`() throws {
    let text = try expectSuccess(["preset", "list", "State"], in: scratch).text
    #expect(text == "  Small\n  Rooms\n    Large hall\n    Small\n")
    #expect(
      try expectSuccess(["info", "State"], in: scratch).text.contains("\n\nPresets\n" + text))
    let bank = "urn:outboard:test:state:rooms"
    #expect(
      try presets() == [
        Preset(name: "Small", uri: "urn:outboard:test:state:small"),
        Preset(
          name: "Large hall", uri: "urn:outboard:test:state:hall", bank: "Rooms", bankURI: bank),
        Preset(name: "Small", uri: "urn:outboard:test:state:room", bank: "Rooms", bankURI: bank),
      ])
  }

  @Test func `a preset is applied, and values with it override it`() throws {
    #expect(try level("State") == 0.5)
    #expect(try level("State", "preset=large") == 0.25)
    #expect(try level("State", "preset=Large hall", "gain=0.5") == 0.5)
    #expect(try level("State", "gain=0.5", "preset=urn:outboard:test:state:hall") == 0.5)
    // Presets with only port values keep the plugin's initial state, at half.
    #expect(try level("State", "preset=rooms/small") == 0.5)
    #expect(try level("State", "preset=Small") == 0.375)
  }

  @Test func `for an unknown preset the existing ones are listed`() throws {
    let words = ["render", "State", "-i", "in.wav", "-o", "out.wav"]
    func message(_ preset: String) throws -> String {
      let result = try Program.run(words + ["preset=\(preset)"], in: scratch)
      #expect(result.status == 2)
      return result.error
    }
    #expect(
      try message("Lagre hall")
        == "outboard: State has no preset \"Lagre hall\". Did you mean \"Large hall\"?\n")
    #expect(
      try message("Cave")
        == "outboard: State has no preset \"Cave\". Known presets: Small, Rooms/Large hall,"
        + " Rooms/Small.\n")
    #expect(
      try message("sma")
        == "outboard: \"sma\" is ambiguous: State has 2 such presets: \"Small\""
        + " <urn:outboard:test:state:small>, \"Rooms/Small\" <urn:outboard:test:state:room>. Use a"
        + " longer name, \"Bank/Name\" or the URI.\n")
    #expect(!scratch.exists("out.wav"))
  }

  @Test func `in a rig a preset is applied first, then a state, then values`() throws {
    try scratch.write(
      """
      <state.ttl> a <http://lv2plug.in/ns/ext/presets#Preset> ;
        <http://lv2plug.in/ns/lv2core#appliesTo> <urn:outboard:test:state> ;
        <http://lv2plug.in/ns/ext/state#state> [ <urn:outboard:test:state:level> 0.75 ] .
      """, to: "stage/loud/manifest.ttl")
    func rig(_ keys: String) throws -> String {
      try scratch.write(
        "outboard: 1\nnodes:\n  a: {plugin: State, \(keys)}\nconnections: [in -> a -> out]\n",
        to: "stage/rig.yaml")
    }
    #expect(try level("--rig", rig("preset: Large hall")) == 0.25)
    #expect(try level("--rig", rig("preset: Large hall, state: loud")) == 0.1875)
    #expect(try level("--rig", rig("state: loud, parameters: {gain: 1}")) == 0.75)
    #expect(try level("State", "state=stage/loud") == 0.75)
    func mistakes(_ keys: String) throws -> String {
      let result = try Program.run(["check", rig(keys)], in: scratch)
      #expect(result.status == 2)
      return result.error
    }
    #expect(
      try mistakes("preset: Lagre hall")
        == "outboard: stage/rig.yaml:3: nodes.a.preset: State has no preset \"Lagre hall\". Did you"
        + " mean \"Large hall\"?\n")
    let gone = scratch.path("stage/gone")
    #expect(
      try mistakes("state: gone")
        == "outboard: stage/rig.yaml:3: nodes.a.state: no such directory: \(gone).\n")
  }

  @Test func `listing presets of a plugin without any reports that`() throws {
    try scratch.addModule("half", fixture: "process_only")
    for (word, message) in [
      ("preset=x", "half has no presets, so it has no \"x\"."),
      ("state=nothing", "nothing contains no state of a module: it has no state.bin."),
    ] {
      let result = try Program.run(
        ["render", "./half.so", word, "-i", "in.wav", "-o", "o.wav"], in: scratch)
      #expect(result.status == 2)
      #expect(result.error == "outboard: \(message)\n")
    }
  }

  @Test func `values are saved as a preset, and another preset is never replaced`() throws {
    let words = ["preset", "save", "My room", "State", "preset=Large hall"]
    let saved = try expectSuccess(words + ["gain=0.5", "--bank", "Rooms"], in: scratch)
    let directory = scratch.path("home/.lv2/State-My_room.preset.lv2")
    #expect(saved.text == "Rooms/My room: \(directory)\n")
    #expect(
      try presets().contains {
        $0.name == "My room" && $0.bankURI == "urn:outboard:test:state:rooms"
      })
    #expect(try level("State", "preset=My room") == 0.5)
    let again = try Program.run(words + ["--bank", "Rooms"], in: scratch)
    #expect(again.status == 2)
    #expect(
      again.error
        == "outboard: State already has a preset \"Rooms/My room\" in \(directory). Choose another"
        + " name or bank, or use --force.\n")
    _ = try expectSuccess(words + ["--bank", "Rooms", "--force"], in: scratch)
    #expect(try level("State", "preset=My room") == 0.25)
    // A preset with the same name in another bank is a different preset.
    let other = try expectSuccess(words, in: scratch)
    #expect(other.text == "My room: \(scratch.path("home/.lv2/State-My_room-2.preset.lv2"))\n")
    let part = try Program.run(
      ["preset", "save", "Small", "State", "--force"], in: scratch)
    #expect(part.status == 2)
    #expect(
      part.error
        == "outboard: \"Small\" is part of \(bundles.bundle("state")), which cannot be replaced."
        + " Choose another name or bank.\n")
  }

  @Test func `a node's preset is saved in the requested location`() throws {
    try scratch.write(
      """
      outboard: 1
      nodes: {a: {plugin: State, preset: Rooms/Small}, b: {plugin: State, parameters: {gain: 0.5}}}
      connections: [in -> a -> b -> out]
      """, to: "rig.yaml")
    let words = ["preset", "save", "Half", "--rig", "rig.yaml", "-o", "half.lv2"]
    let which = try Program.run(words, in: scratch)
    #expect(which.status == 2)
    #expect(
      which.error == "outboard: A preset needs one node. Choose it with --node: a, b.\n")
    _ = try expectSuccess(words + ["--node", "b"], in: scratch)
    #expect(scratch.exists("half.lv2/preset.ttl"))
    let taken = try Program.run(words + ["--node", "b"], in: scratch)
    #expect(taken.status == 2)
    #expect(taken.error.hasSuffix("half.lv2 already exists. Use --force to replace it.\n"))
    _ = try expectSuccess(words + ["--node", "b", "--force"], in: scratch)
    // A preset is a state as well.
    #expect(try level("State", "state=half.lv2") == 0.25)
  }

  @Test(.enabled(if: FullDisk.isPossible, "a small file system cannot be mounted"))
  func `a preset that does not fit on the disk leaves the old one`() throws {
    let disk = try FullDisk(at: scratch.path("disk"))
    let words = ["preset", "save", "Half", "State", "-o", "disk/half.lv2", "--force"]
    _ = try expectSuccess(words, in: scratch)
    let before = try scratch.data("disk/half.lv2/preset.ttl")
    _ = try Program.shell("head -c 1000000 /dev/zero > disk/filler; true", in: scratch)
    let failed = try Program.run(words, in: scratch)
    #expect(failed.status == 1)
    #expect(failed.error.contains("no space left on device"), "\(failed.error)")
    #expect(try scratch.data("disk/half.lv2/preset.ttl") == before)
    let left = try FileManager.default.contentsOfDirectory(atPath: scratch.path("disk"))
    #expect(left.sorted() == ["filler", "half.lv2"])
    withExtendedLifetime(disk) {}
  }
}
